//! What is linked and yet cannot be had or must not be kept.

use super::index::{self, link, note};
use crate::demo::page::{Answer, Area, Exclusion, Page};
use crate::demo::template::Document;

/// The kind of failure of a page that is not there.
pub const HTTP_404: &str = "http_404";
/// The kind of failure of a server that breaks.
pub const HTTP_500: &str = "http_500";
/// The kind of failure of a page that says with status 200 that it is not there.
pub const SOFT_404: &str = "soft_404";

const PDF: &[u8] =
    b"%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[]/Count 0>>endobj\n\
    trailer<</Root 1 0 R>>\n%%EOF\n";

/// The failures, the exclusions and the index page.
pub fn pages() -> Vec<Page> {
    let list = vec![
        link("/lost/nothing", "An address where nothing was ever kept"),
        link("/lost/offer", "Last year's offer"),
        link("/lost/recipe", "A recipe for marmalade"),
        link("/lost/machine", "The broken machine"),
        link("/lost/leaflet.pdf", "Leaflet"),
        link("/lost/draft", "A draft"),
    ];
    let front = index::page("/lost/", "lost", Area::Lost, list);
    let nothing = Document::new("Not found", &["There is nothing at this address."]);
    let broken = Document::new("Internal error", &["The machine has broken down."]);
    vec![
        front,
        failing("/lost/nothing", 404, &nothing).expect(Answer::Failed(HTTP_404), "status 404"),
        failing("/lost/offer", 200, &note("gone-offer")).expect(Answer::Failed(SOFT_404), SOFT_REASON),
        failing("/lost/recipe", 200, &note("gone-recipe")).expect(Answer::Failed(SOFT_404), SOFT_REASON),
        failing("/lost/machine", 500, &broken)
            .expect(Answer::Failed(HTTP_500), "status 500, however often it is asked"),
        Page::bare("/lost/leaflet.pdf", Area::Lost, 200, "application/pdf", PDF).expect(
            Answer::Excluded(Exclusion::ContentType),
            "a PDF: not a document that the crawler reads",
        ),
        draft(),
    ]
}

const SOFT_REASON: &str = "status 200, but a title and a text that say that there is no such page";

fn failing(path: &str, status: u16, document: &Document) -> Page {
    Page {
        status,
        ..Page::html(path, Area::Lost, &document.in_almanac(), document.main_text())
    }
}

fn draft() -> Page {
    let document = Document {
        noindex: true,
        ..note("noindex")
    };
    Page::html("/lost/draft", Area::Lost, &document.in_almanac(), document.main_text()).expect(
        Answer::Excluded(Exclusion::NoIndex),
        "asks by a robots meta element not to be kept",
    )
}
