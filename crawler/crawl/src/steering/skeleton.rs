//! The similarity of URLs before their pages are known.

use url::Url;
use web::url_rule::shape;

use super::learned::url_key;

/// The part that the URLs of similar pages have in common. The frontier spreads URLs of one skeleton out, so that the verdict on
/// the first comes in time for the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Skeleton {
    /// The hash of the shape of the path and the names of the parameters.
    pub hash: u64,
    /// Whether the URL has parameters, or several numbers in its path, as traps do.
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
