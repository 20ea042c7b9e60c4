//! Long articles in one template, their mirrors under other URLs and their print views.

use super::index::{self, link};
use crate::demo::content::{self, ARTICLES, Entry};
use crate::demo::page::{Answer, Area, Page, Wording};
use crate::demo::template::Document;

/// Articles that are served a second time under `/mirror`, byte for byte.
const MIRRORED: [&str; 5] = ["glaciers", "lighthouses", "printing", "bridges", "tea"];
/// Articles that have a print view.
const PRINTED: [&str; 4] = ["glaciers", "printing", "tides", "volcanoes"];

/// The articles, the mirrors, the print views and the index page of each.
pub fn pages() -> Vec<Page> {
    let entries = content::entries(ARTICLES);
    let mut pages = branch("/articles/", "articles", Area::Articles, entries.iter(), |entry| {
        let document = article(entry);
        let page = Page::html(
            path(entry),
            Area::Articles,
            &document.in_almanac(),
            document.main_text(),
        );
        page.expect(
            original(entry.slug),
            "a long article of its own, in the frame that all share; kept, or one of its copies is",
        )
    });
    let mirrored = entries.iter().filter(|entry| MIRRORED.contains(&entry.slug));
    pages.extend(branch("/mirror/", "mirror", Area::Mirror, mirrored, |entry| {
        let document = article(entry);
        let path = format!("/mirror{}", path(entry));
        Page::html(path, Area::Mirror, &document.in_almanac(), document.main_text())
            .expect(original(entry.slug), "the same bytes as the article, under another URL")
    }));
    let printed = entries.iter().filter(|entry| PRINTED.contains(&entry.slug));
    pages.extend(branch("/print/", "print", Area::Print, printed, |entry| {
        let document = article(entry);
        let path = format!("/print{}", path(entry));
        Page::html(path, Area::Print, &document.for_print(), document.main_text()).expect(
            Answer::OneOf {
                cluster: entry.slug,
                wording: Wording::Roughly,
            },
            "the article in another template; whether its text is equal to the letter depends on the extractor",
        )
    }));
    pages
}

/// The document of an article entry.
pub fn article(entry: &Entry) -> Document {
    Document {
        byline: byline(entry.field(0)),
        ..Document::new(entry.title, &entry.paragraphs)
    }
}

/// The line under the heading of an article.
pub fn byline(date: &str) -> String {
    format!("Last revised on {date}")
}

/// The answer for an article in its published wording, and for whatever repeats it to the letter.
fn original(slug: &'static str) -> Answer {
    Answer::OneOf {
        cluster: slug,
        wording: Wording::Exactly(slug),
    }
}

fn path(entry: &Entry) -> String {
    format!("/articles/{}", entry.slug)
}

/// An index page and the pages that it lists.
fn branch<'a>(
    front: &str,
    introduction: &str,
    area: Area,
    entries: impl Iterator<Item = &'a Entry>,
    page: impl Fn(&Entry) -> Page,
) -> Vec<Page> {
    let (pages, list): (Vec<Page>, Vec<_>) = entries
        .map(|entry| {
            let page = page(entry);
            let item = link(page.path.clone(), entry.title);
            (page, item)
        })
        .unzip();
    std::iter::once(index::page(front, introduction, area, list))
        .chain(pages)
        .collect()
}
