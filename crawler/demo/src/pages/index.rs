//! The home page, and the index pages of all areas.

use crate::content::{self, INDEXES, NOTES};
use crate::page::{Answer, Area, DemoPage};
use crate::template::{Document, MENU};

/// The home page, which links to every area; `listings` are the first pages of the listings with their labels.
pub fn home(listings: &[(&str, &str)]) -> Vec<DemoPage> {
    let areas = MENU
        .iter()
        .skip(1)
        .chain(&[
            ("/calendar/", "Calendar"),
            ("/documents/", "To take away"),
            ("/app/", "On the screen"),
        ])
        .chain(listings)
        .map(|(path, label)| link(*path, *label));
    let page = page("/", "home", Area::Home, areas.collect());
    vec![page.expect(Answer::Kept, "the seed, with its own text")]
}

/// The index page of an area: the introduction called `slug`, then a list of links (path and label).
pub fn page(path: &str, slug: &str, area: Area, list: Vec<(String, String)>) -> DemoPage {
    let document = Document {
        list,
        ..document(INDEXES, slug)
    };
    DemoPage::html(path, area, &document.in_almanac(), document.main_text())
        .expect(Answer::Kept, "an index page with its own introduction")
}

/// The short text called `slug` as a document.
pub fn note(slug: &str) -> Document {
    document(NOTES, slug)
}

fn document(file: &'static str, slug: &str) -> Document {
    content::find(file, slug)
        .map(|entry| Document::new(entry.title, &entry.paragraphs))
        .unwrap_or_default()
}

/// A link to `path` labelled `label`, for a list.
pub fn link(path: impl Into<String>, label: impl Into<String>) -> (String, String) {
    (path.into(), label.into())
}
