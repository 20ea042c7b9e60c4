//! What the script that makes the model reads of a page. See `model/README.md`.

use url::Url;

use super::row::for_each_feature;
use super::signs::Signs;
use crate::parse;

/// The features of a page by name, as the model sees them.
#[must_use]
pub fn features(html: &str, url: &Url) -> Vec<(String, i16)> {
    let document = parse::parse(html, parse::Attributes::Read);
    let canonical = parse::facts(&document, url, "").canonical;
    let signs = Signs::of(&document.html, canonical.as_ref().unwrap_or(url));
    let mut features = Vec::new();
    for_each_feature(&signs, &mut |part, name, value| {
        features.push((format!("{part}{name}"), value))
    });
    features
}
