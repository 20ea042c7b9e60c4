//! Pages with little text or none.

use super::index::{self, link, note};
use crate::demo::page::{Answer, Area, Page, Wording};

/// A page in no frame, with two words on it.
const ALMOST_EMPTY: &str = "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>Card</title></head>\
    <body><p>Coming soon.</p></body></html>\n";

/// The slips and the index page.
pub fn pages() -> Vec<Page> {
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
    let ticket = "short, in one template with another ticket, and different from it";
    vec![
        index::page("/sparse/", "sparse", Area::Sparse, list),
        Page::html("/sparse/empty", Area::Sparse, "", String::new())
            .expect(Answer::Kept, "an empty body says nothing, so it is nobody's duplicate"),
        Page::html("/sparse/card", Area::Sparse, ALMOST_EMPTY, "Coming soon.".to_owned()).expect(
            Answer::Kept,
            "too little text to be anybody's duplicate but an exact one's",
        ),
        slip("/sparse/memo", "memo").expect(memo, "a short page that is there twice"),
        slip("/sparse/memo-again", "memo").expect(memo, "a short page that is there twice"),
        slip("/sparse/ticket-cloak", "ticket-cloak").expect(Answer::Kept, ticket),
        slip("/sparse/ticket-lunch", "ticket-lunch").expect(Answer::Kept, ticket),
    ]
}

fn slip(path: &str, slug: &str) -> Page {
    let document = note(slug);
    Page::html(path, Area::Sparse, &document.in_almanac(), document.main_text())
}
