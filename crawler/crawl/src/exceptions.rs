//! The exceptions from the rule: pairs of pages that a person has labelled as different.
//!
//! A threshold decides for a whole crawl. Where it drops one page too many, a [label](crate::labels) keeps the page without another
//! threshold: a page is a near-duplicate of none of the pages that it is labelled to differ from. It remains an exact duplicate of a page
//! with the same text.
//!
//! The labels count from the start of a run on, and when all pages are decided again. Workers that crawl together leave them out,
//! because all of them have to find the same verdicts and each has its own folder. The replay of other thresholds leaves them out, because
//! it measures what the rule alone does, and the labels are its truth.

use std::collections::HashMap;
use std::path::Path;

use dedup::DocId;
use storage::{Store, UrlState};
use url::Url;
use web::host_key::HostKey;

use crate::labels::{self, Label, Pairs};
use error::RunError;

/// For each labelled page, by its URL, the URLs of the pages that it differs from.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Exceptions {
    different: HashMap<String, Vec<String>>,
}

impl Exceptions {
    /// Those in force in a store: none if it is that of one of several workers.
    ///
    /// # Errors
    /// The file of labels or the store cannot be read.
    pub fn of_store(store: &Store) -> Result<Self, RunError> {
        match store.run_notes().worker()? {
            Some(_) => Ok(Self::default()),
            None => Self::in_folder(store.dir()),
        }
    }

    /// Those of the labels in a data folder.
    ///
    /// # Errors
    /// The file of labels cannot be read.
    pub fn in_folder(data: &Path) -> Result<Self, RunError> {
        let path = labels::path_in(data);
        let read = labels::read(&path);
        let (pairs, _bad_lines) = read.map_err(|source| RunError::io("read", path.display(), source))?;
        Ok(Self::of_labels(&pairs))
    }

    fn of_labels(pairs: &Pairs) -> Self {
        let mut different: HashMap<String, Vec<String>> = HashMap::new();
        for ((a, b), label) in pairs {
            if *label == Label::Different {
                different.entry(a.clone()).or_default().push(b.clone());
                different.entry(b.clone()).or_default().push(a.clone());
            }
        }
        Self { different }
    }

    /// The pages of the crawl that the page at `url` differs from.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn pages(&self, store: &Store, url: &str) -> Result<Vec<DocId>, RunError> {
        let mut pages = Vec::new();
        for url in self.of(url).iter().filter_map(|other| Url::parse(other).ok()) {
            if let Some(host) = HostKey::from_url(&url)
                && let Some(UrlState::Page(page)) = store.latest_state(host.as_str(), url.as_str())?
            {
                pages.push(DocId(page));
            }
        }
        Ok(pages)
    }

    /// The URLs of the pages that the page at `url` differs from.
    pub fn of(&self, url: &str) -> &[String] {
        self.different.get(url).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_exception_counts_for_both_pages_and_no_other_label_is_one() {
        let pairs = Pairs::from([
            (labels::pair("a", "b"), Label::Different),
            (labels::pair("a", "c"), Label::Duplicate),
        ]);
        let exceptions = Exceptions::of_labels(&pairs);
        assert_eq!(exceptions.of("a"), ["b"]);
        assert_eq!(exceptions.of("b"), ["a"]);
        assert!(exceptions.of("c").is_empty());
    }
}
