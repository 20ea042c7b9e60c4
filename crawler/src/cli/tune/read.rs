//! What is read of the crawl: all decisions, and the texts of a few pages.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use dedup::Analyzer;
use storage::{Fate, Store, Verdict};

use crate::crawl::index::decode_signature;
use crate::error::RunError;
use crate::study::replay::Page;

/// The decisions of a crawl.
#[derive(Debug, Default)]
pub(super) struct Crawl {
    /// The current pages, in the order they were decided.
    pub pages: Vec<Page>,
    /// By page: whether it is kept as things are.
    pub is_kept: Vec<bool>,
    /// Pages that are no more as they were decided: superseded, moved, gone.
    pub past: u64,
}

impl Crawl {
    pub(super) fn read(store: &Store, step: impl Fn()) -> Result<Self, RunError> {
        let mut crawl = Self::default();
        for row in store.pages_from(0) {
            let (sequence, page) = row?;
            step();
            if page.fate != Fate::Current {
                crawl.past += 1;
                continue;
            }
            let signature = decode_signature(&page.signature)?;
            crawl.is_kept.push(page.verdict == Verdict::Unique);
            crawl
                .pages
                .push(Page::new(sequence, signature, page.url, page.canonical));
        }
        Ok(crawl)
    }
}

/// The stored texts.
pub(super) struct Texts<'a> {
    store: &'a Store,
    pages: &'a [Page],
    analyzer: &'a Analyzer,
    /// Texts that could not be read.
    unreadable: AtomicU64,
}

impl<'a> Texts<'a> {
    pub(super) fn new(store: &'a Store, pages: &'a [Page], analyzer: &'a Analyzer) -> Self {
        Self {
            store,
            pages,
            analyzer,
            unreadable: AtomicU64::new(0),
        }
    }

    /// The shingles of a page's text; `None` where it is not stored or cannot be read.
    pub(super) fn shingles(&self, page: usize) -> Option<Vec<u64>> {
        let record = self.store.page(self.pages[page].sequence);
        let text = record.and_then(|record| record.map_or(Ok(None), |record| self.store.text_of(&record)));
        match text {
            Ok(text) => text.map(|text| self.analyzer.shingles(&text)),
            Err(error) => {
                self.unreadable.fetch_add(1, Ordering::Relaxed);
                tracing::debug!(url = %self.pages[page].url, "its text cannot be read: {error}");
                None
            }
        }
    }

    /// Says how many texts could not be read.
    pub(super) fn complain(&self, dir: &Path) {
        let unreadable = self.unreadable.load(Ordering::Relaxed);
        if unreadable > 0 {
            let dir = dir.display();
            tracing::warn!(
                "{unreadable} texts cannot be read and were not compared; crawler verify --data {dir} says why"
            );
        }
    }
}
