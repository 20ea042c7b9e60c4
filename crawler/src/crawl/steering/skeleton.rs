//! Which URLs look alike before anything is known of their pages.

use url::Url;
use web::url_rule::shape;

use super::learned::url_key;

/// What URLs of like pages have in common; pages that share it are fetched one after the other where there is a choice, so
/// that the verdict on the first comes in time for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skeleton {
    /// Hash of the shape of the path and the names of the parameters.
    pub hash: u64,
    /// It has what traps are made of: parameters, or several numbers in the path.
    pub is_suspect: bool,
}

impl Skeleton {
    /// The skeleton of a URL.
    #[must_use]
    pub fn of(url: &Url) -> Self {
        let text = shape::skeleton(url);
        Self {
            hash: url_key(&text),
            is_suspect: text.contains('?') || text.matches('#').count() > 1,
        }
    }
}
