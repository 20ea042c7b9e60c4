//! The stored facts on which a decision depends.

use dedup::Signature;

use crawl::canonical::Named;

/// A decided page. Its index in the list of pages is its place in the order of decision.
#[derive(Debug, Clone, PartialEq)]
pub struct DecidedPage {
    /// Its number in the catalogue.
    pub sequence: u64,
    /// Fingerprint, sketch, shingles and digests of the text.
    pub signature: Signature,
    /// The URL that was fetched.
    pub url: Box<str>,
    /// The URL that it names as canonical, unless it is its own.
    pub names: Option<Box<str>>,
}

impl DecidedPage {
    /// The facts of a page in the catalogue.
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
    pub fn named(&self) -> Named<'_> {
        Named {
            url: &self.url,
            canonical: self.names.as_deref(),
        }
    }
}
