//! The decisions of a crawl, and the stored texts of its pages.

use std::sync::atomic::{AtomicU64, Ordering};

use dedup::Analyzer;
use storage::{Fate, Store};

use super::Step;
use crate::named_page::in_words;
use crate::replay::{self, DecidedPage};
use crawl::index::decode_signature;
use error::RunError;

/// The decisions of a crawl.
#[derive(Debug, Default)]
pub struct Crawl {
    /// The current pages, in the order of decision. In the folder of a worker of a fleet, the pages that other workers keep come first: all
    /// pages of this folder are compared with them, and none of them is judged.
    pub pages: Vec<DecidedPage>,
    /// Number of pages of other workers.
    pub elsewhere: usize,
    /// For each page, whether the crawl keeps it.
    pub is_kept: Vec<bool>,
    /// Number of pages that are superseded, moved or gone, which are left out.
    pub past: u64,
}

impl Crawl {
    /// # Errors
    /// The catalogue cannot be read.
    pub fn read(store: &Store, step: impl Fn(Step)) -> Result<Self, RunError> {
        let mut crawl = Self::default();
        for row in store.pages_elsewhere().all() {
            let (page, record) = row?;
            let signature = decode_signature(&record.signature)?;
            crawl.is_kept.push(true);
            let url = if record.url.is_empty() {
                in_words(page)
            } else {
                record.url
            };
            crawl.pages.push(DecidedPage::new(page.packed(), signature, url, None));
        }
        crawl.elsewhere = crawl.pages.len();
        for row in store.pages_from(0) {
            let (sequence, page) = row?;
            step(Step::Read);
            if page.fate != Fate::Current {
                crawl.past += 1;
                continue;
            }
            let signature = decode_signature(&page.signature)?;
            crawl.is_kept.push(!page.verdict.is_duplicate());
            crawl
                .pages
                .push(DecidedPage::new(sequence, signature, page.url, page.canonical));
        }
        Ok(crawl)
    }

    /// Number of pages of this folder.
    pub fn own(&self) -> usize {
        self.pages.len() - self.elsewhere
    }

    /// A sample of the pages of this folder, as [`sample`](replay::sample).
    pub fn sample(&self, size: usize) -> Vec<usize> {
        let own = replay::sample(&self.pages[self.elsewhere..], size);
        own.into_iter().map(|place| place + self.elsewhere).collect()
    }
}

/// The stored texts.
pub struct Texts<'a> {
    store: &'a Store,
    pages: &'a [DecidedPage],
    analyzer: &'a Analyzer,
    /// Number of texts that could not be read.
    unreadable: AtomicU64,
}

impl<'a> Texts<'a> {
    pub fn new(store: &'a Store, pages: &'a [DecidedPage], analyzer: &'a Analyzer) -> Self {
        Self {
            store,
            pages,
            analyzer,
            unreadable: AtomicU64::new(0),
        }
    }

    /// The shingles of a page's text; `None` if the text is not stored or cannot be read.
    pub fn shingles(&self, page: usize) -> Option<Vec<u64>> {
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

    pub fn unreadable(&self) -> u64 {
        self.unreadable.load(Ordering::Relaxed)
    }
}
