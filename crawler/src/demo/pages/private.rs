//! Pages that robots.txt forbids. The server would hand them out: the request log shows who asked.

use super::index::{self, link, note};
use crate::demo::page::{Answer, Area, Exclusion, Page};

/// The path prefix that robots.txt forbids to everybody.
pub const FORBIDDEN: &str = "/private/";

const ROOMS: [&str; 3] = ["study", "ledger", "letters"];

/// The house rules, which link to the private pages, and the private pages.
pub fn pages() -> Vec<Page> {
    let (rooms, list): (Vec<Page>, Vec<_>) = ROOMS
        .into_iter()
        .map(|slug| {
            let (path, document) = (format!("{FORBIDDEN}{slug}"), note(slug));
            let page = Page::html(
                path.clone(),
                Area::Private,
                &document.in_almanac(),
                document.main_text(),
            );
            let why = "robots.txt forbids it: never requested";
            (
                page.expect(Answer::Excluded(Exclusion::Robots), why),
                link(path, document.heading),
            )
        })
        .unzip();
    std::iter::once(index::page("/rules/", "rules", Area::Private, list))
        .chain(rooms)
        .collect()
}
