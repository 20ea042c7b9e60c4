//! Pages that robots.txt forbids. The server would serve them, and its log shows any request for them.

use super::index::{self, link, note};
use crate::page::{Answer, Area, DemoPage, Exclusion};

/// The path prefix that robots.txt forbids for all crawlers.
pub const FORBIDDEN: &str = "/private/";

const ROOMS: [&str; 3] = ["study", "ledger", "letters"];

/// The house rules, which link to the private pages, and the private pages.
pub fn pages() -> Vec<DemoPage> {
    let (rooms, list): (Vec<DemoPage>, Vec<_>) = ROOMS
        .into_iter()
        .map(|slug| {
            let (path, document) = (format!("{FORBIDDEN}{slug}"), note(slug));
            let page = DemoPage::html(
                path.clone(),
                Area::Private,
                &document.in_almanac(),
                document.main_text(),
            );
            let why = "robots.txt forbids the request";
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
