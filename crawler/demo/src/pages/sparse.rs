//! Pages with little text or none.

use super::index::{self, link, note};
use crate::page::{Answer, Area, DemoPage, Wording};

/// A page without a template, with two words.
const ALMOST_EMPTY: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Card</title></head>\
    <body><p>Coming soon.</p></body></html>\n";

/// The slips and the index page.
pub fn pages() -> Vec<DemoPage> {
    let list = vec![
        link("/sparse/empty", "An empty sheet"),
        link("/sparse/card", "A card"),
        link("/sparse/memo", "A memorandum"),
        link("/sparse/memo-again", "A memorandum, typed twice"),
        link("/sparse/ticket-cloak", "A ticket"),
        link("/sparse/ticket-lunch", "Another ticket"),
    ];
    let memo = Answer::OneOf {
        cluster: "memo",
        wording: Wording::Exactly("memo"),
    };
    let ticket = "a short page that differs from another ticket in the same template";
    vec![
        index::page("/sparse/", "sparse", Area::Sparse, list),
        DemoPage::html("/sparse/empty", Area::Sparse, "", String::new())
            .expect(Answer::Kept, "a page without text is never a duplicate"),
        DemoPage::html("/sparse/card", Area::Sparse, ALMOST_EMPTY, "Coming soon.".to_owned())
            .expect(Answer::Kept, "too little text for a near-duplicate"),
        slip("/sparse/memo", "memo").expect(memo, "a short page with an exact copy"),
        slip("/sparse/memo-again", "memo").expect(memo, "a short page with an exact copy"),
        slip("/sparse/ticket-cloak", "ticket-cloak").expect(Answer::Kept, ticket),
        slip("/sparse/ticket-lunch", "ticket-lunch").expect(Answer::Kept, ticket),
    ]
}

fn slip(path: &str, slug: &str) -> DemoPage {
    let document = note(slug);
    DemoPage::html(path, Area::Sparse, &document.in_almanac(), document.main_text())
}
