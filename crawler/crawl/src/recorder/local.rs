//! The verdicts of a crawl by one process: by the index of its own kept pages.

use dedup::{Deduplicator, DocId, SledIndex};
use storage::Store;

use super::books::Books;
use super::{Judge, Post, Ruling, departures};
use crate::canonical::{self, KeptPage, Named};
use crate::exceptions::Exceptions;
use crate::index::{self, stored};
use crate::messages::UndecidedPage;
use config::settings::Settings;
use error::RunError;

/// Pages after which the index is written beside the commits. A few long writes cost much less than many short ones, and after a crash the next
/// run takes so many pages from the catalogue, at some microseconds each.
const PERSISTED_EVERY: u64 = if cfg!(test) { 2 } else { 2_048 };

/// Decides by the index of this process, at once.
#[derive(Debug)]
pub(crate) struct Local {
    /// The kept pages of this folder.
    dedup: Deduplicator<SledIndex>,
    prefer_canonical: bool,
    exceptions: Exceptions,
}

impl Local {
    /// Opens the index in `store` and brings it up to the catalogue.
    ///
    /// # Errors
    /// The index or the catalogue cannot be read.
    pub fn open(store: &mut Store, settings: &Settings) -> Result<Self, RunError> {
        Ok(Self {
            dedup: index::open_up_to_date(store, settings)?,
            prefer_canonical: settings.prefer_canonical,
            exceptions: Exceptions::of_store(store)?,
        })
    }

    /// The verdict on a page. A unique page enters the index. A new version of a page is not compared with its last
    /// version.
    fn compare(&self, store: &Store, id: DocId, page: &UndecidedPage) -> Result<dedup::Verdict, RunError> {
        let different = self.exceptions.pages(store, &page.queued.url)?;
        let version_of = page.queued.revisits.as_ref().map(|revisit| DocId(revisit.page));
        if version_of.is_none() && different.is_empty() {
            return Ok(self.dedup.check_and_insert(id, &page.signature)?);
        }
        let verdict = self.dedup.check_beside(&page.signature, &different, version_of)?;
        if verdict == dedup::Verdict::Unique {
            self.dedup.insert(id, &page.signature)?;
        }
        Ok(verdict)
    }
}

/// Nobody else has to know what this process does.
impl Post for Local {}

impl Judge for Local {
    /// The page may take the place of the page that it duplicates.
    fn decide(&mut self, books: &Books, id: u64, page: &UndecidedPage) -> Result<Ruling, RunError> {
        let verdict = self.compare(books.store(), DocId(id), page)?;
        if verdict.of().is_some_and(|of| books.is_departing(of.0)) {
            return Ok(Ruling::AfterCommit);
        }
        let verdict = stored(verdict);
        if !self.prefer_canonical {
            return Ok(Ruling::now(verdict));
        }
        let named = Named {
            url: &page.queued.url,
            canonical: page.draft.canonical.as_deref(),
        };
        let kept_page = |of| Ok(books.store().latest_page(of)?.and_then(KeptPage::of));
        let decided = canonical::decide(&self.dedup, id, named, &page.signature, verdict, kept_page)?;
        Ok(Ruling::Now(decided))
    }

    fn is_behind(&self, store: &Store) -> bool {
        self.dedup.index().applied() + 1 < store.next_page_id()
    }

    fn may_commit_beside(&self) -> bool {
        true
    }

    fn takes_back(&self) -> bool {
        true
    }

    fn departed(&mut self, pages: &[u64]) -> Result<(), RunError> {
        departures::remove(&self.dedup, pages)
    }

    fn persist(&mut self, durable: u64) -> Result<(), RunError> {
        Ok(self.dedup.index_mut().persist_up_to(durable)?)
    }

    fn begin_persist(&mut self, durable: u64) -> Result<Option<Box<dyn FnOnce() + Send>>, RunError> {
        let mut index = self.dedup.index_mut();
        // The commit that wrote it has ended.
        index.end_persist()?;
        if durable.saturating_sub(index.applied()) < PERSISTED_EVERY {
            return Ok(None);
        }
        let writer = index.begin_persist(durable)?;
        Ok(Some(Box::new(move || writer.run())))
    }

    fn settle(&mut self) -> Result<(), RunError> {
        Ok(self.dedup.index_mut().settle()?)
    }

    #[cfg(test)]
    fn dedup(&self) -> &Deduplicator<SledIndex> {
        &self.dedup
    }
}
