//! What a decision goes by, as far as it is stored.

use dedup::Signature;

use crate::crawl::canonical::Named;

/// A decided page. Its place in the order of decision is its place in the list.
#[derive(Debug, Clone, PartialEq)]
pub struct Page {
    /// Its number in the catalogue, which names it for as long as the crawl is kept.
    pub sequence: u64,
    /// Its traces.
    pub signature: Signature,
    /// The URL it was fetched by.
    pub url: Box<str>,
    /// The URL that it names as canonical, unless that is its own.
    pub names: Option<Box<str>>,
}

impl Page {
    /// Of a page of the catalogue.
    #[must_use]
    pub fn new(sequence: u64, signature: Signature, url: String, canonical: Option<String>) -> Self {
        let names = canonical.filter(|canonical| *canonical != url);
        Self {
            sequence,
            signature,
            url: url.into(),
            names: names.map(Into::into),
        }
    }

    /// The page as the exchange for a canonical page sees it.
    pub(super) fn named(&self) -> Named<'_> {
        Named {
            url: &self.url,
            canonical: self.names.as_deref(),
        }
    }
}
