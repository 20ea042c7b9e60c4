//! Listings whose pages are similar and lead to different documents, in the markup of common software: shops, a forum, the months of a
//! diary, a catalogue with filters, and a search.
//!
//! An extractor may treat the list as a part of the template. The pages of a listing then have equal texts, although some documents are
//! reachable only through them. So a crawl may keep, drop or hold back a page of a listing, and must keep every document.

mod catalogue;
mod diary;
mod find;
mod forum;
mod stores;

use crate::content;
use crate::page::{Answer, Area, DemoPage};

/// The first pages of the listings, with their labels.
pub const FRONTS: [(&str, &str); 5] = [
    ("/stores/", "Stores"),
    (forum::FRONT, "Forum"),
    (diary::FRONT, "Diary"),
    (catalogue::FRONT, "Catalogue"),
    (find::FRONT, "Search"),
];

/// Words of a document's text.
const DOCUMENT_WORDS: usize = 110;

/// All listings with their documents.
pub fn pages() -> Vec<DemoPage> {
    [
        stores::pages(),
        forum::pages(),
        diary::pages(),
        catalogue::pages(),
        find::pages(),
    ]
    .concat()
}

/// A page of a listing.
fn listing(path: String, area: Area, html: &str) -> DemoPage {
    DemoPage::html(path, area, html, String::new()).expect(
        Answer::Listing,
        "a page of a listing: its text may repeat, but only its documents count",
    )
}

/// A document: `html` makes the page from its text.
fn document(path: String, area: Area, heading: &str, html: impl FnOnce(&str) -> String) -> DemoPage {
    let text = content::prose(&path, DOCUMENT_WORDS);
    DemoPage::html(path, area, &html(&text), format!("{heading}\n{text}"))
        .expect(Answer::Kept, "its own text; a page of a listing is the only way to it")
}

/// The numbers of the pages that a pager shows on page `n` of `last`: the first, the last, and the neighbours of `n`.
fn shown_in_pager(n: usize, last: usize) -> Vec<usize> {
    let is_shown = |page: &usize| [1, last].contains(page) || page.abs_diff(n) <= 2;
    (1..=last).filter(|page| *page != n).filter(is_shown).collect()
}
