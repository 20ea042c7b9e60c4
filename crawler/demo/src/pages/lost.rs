//! Linked pages that fail or must not be kept.

use super::index::{self, link, note};
use crate::page::{Answer, Area, DemoPage, Exclusion};
use crate::template::Document;

/// The kind of failure of a missing page.
pub const HTTP_404: &str = "http_404";
/// The kind of failure of a server error.
pub const HTTP_500: &str = "http_500";
/// The kind of failure of a missing page with status 200.
pub const SOFT_404: &str = "soft_404";

const POSTSCRIPT: &[u8] =
    b"%!PS-Adobe-3.0\n/Times-Roman findfont 12 scalefont setfont 72 720 moveto (Umbrellas) show showpage\n%%EOF\n";

/// The failures, the exclusions and the index page.
pub fn pages() -> Vec<DemoPage> {
    let list = vec![
        link("/lost/nothing", "An address where nothing was ever kept"),
        link("/lost/offer", "Last year's offer"),
        link("/lost/recipe", "A recipe for marmalade"),
        link("/lost/machine", "The broken machine"),
        link("/lost/leaflet.ps", "Leaflet"),
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
        failing("/lost/machine", 500, &broken).expect(Answer::Failed(HTTP_500), "status 500 for every request"),
        DemoPage::bare(
            "/lost/leaflet.ps",
            Area::Lost,
            200,
            "application/postscript",
            POSTSCRIPT,
        )
        .expect(
            Answer::Excluded(Exclusion::ContentType),
            "a PostScript file, which the crawler does not read",
        ),
        draft(),
    ]
}

const SOFT_REASON: &str = "status 200, but title and text say that the page does not exist";

fn failing(path: &str, status: u16, document: &Document) -> DemoPage {
    DemoPage {
        status,
        ..DemoPage::html(path, Area::Lost, &document.in_almanac(), document.main_text())
    }
}

fn draft() -> DemoPage {
    let document = Document {
        noindex: true,
        ..note("noindex")
    };
    DemoPage::html("/lost/draft", Area::Lost, &document.in_almanac(), document.main_text()).expect(
        Answer::Excluded(Exclusion::NoIndex),
        "a robots meta element with noindex",
    )
}
