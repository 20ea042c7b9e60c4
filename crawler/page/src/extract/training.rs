//! What the script that makes the model reads of a page. See `model/README.md`.

use url::Url;

use super::features::{NAMES, Page};
use super::kind::Kinds;
use super::{content_layout, forest, root};
use crate::decode::{Syntax, decode_from};
use crate::parse;

/// The names of the features.
pub const FEATURES: &[&str] = &NAMES;

/// A run of text and its features.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TrainingRun {
    /// The text.
    pub text: String,
    /// The features, in the order of [`FEATURES`].
    pub features: Vec<i16>,
}

/// The runs of a page with their features, as the model sees them.
#[must_use]
pub fn runs(body: &[u8], url: &Url) -> Vec<TrainingRun> {
    let html = decode_from(url, body, None, Syntax::Html).text;
    let document = parse::parse(&html, parse::Attributes::Read);
    let title = parse::facts(&document, url, "").title;
    let mut layout = content_layout(&document, &[]).laid.layout;
    let root = root::find(&mut layout);
    let page = Page::of(&layout, root, &title, Kinds::of(&document.html));
    let run = |at| TrainingRun {
        text: layout.text_of(&layout.runs[at]).to_owned(),
        features: page.row(at).to_vec(),
    };
    (0..layout.runs.len()).map(run).collect()
}

/// Reads pages with another model from now on. Only the first call counts.
///
/// # Panics
/// The text is not a model.
pub fn use_forest(text: &str) {
    forest::replace(text);
}
