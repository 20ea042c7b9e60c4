//! What a worker does where the log forgets another worker, whose data folder is lost.
//!
//! From that entry on, the pages of the lost worker are not in the log. Every worker applies the entry at the same place, so all come to the same
//! verdicts before it and behind it. This worker takes the pages out of its index, and
//!
//! 1. asks for their URLs again. All workers do so; the servers queue a URL once for each worker that is lost.
//! 2. withdraws its own duplicates of these pages, and asks for their URLs again: their texts are nowhere now.
//!
//! The rows with the URLs of the lost pages leave the state only when the index without these pages is durable, because a crash before that
//! repeats the entry.

use std::collections::BTreeSet;

use dedup::DocId;
use fleet::{WaitingUrl, WorkerNumber};
use storage::{Fate, KEPT_PAGE_LOST, PageElsewhere, PageRecord};

use super::super::letter::{Again, Mail};
use super::super::member::PAGES_AT_A_TIME;
use super::ByLog;
use crate::recorder::Books;
use crate::watch;
use error::RunError;

impl ByLog {
    /// Takes the pages of a worker out of the index, and asks for what is lost with them. The caller has made all rows durable that the
    /// entries before this one have brought.
    pub(super) fn forget_worker(&mut self, books: &mut Books, worker: WorkerNumber) -> Result<(), RunError> {
        let (mut letters, mut pages) = (Vec::new(), 0_u64);
        for row in books.store().pages_elsewhere().of(worker.0) {
            let (page, kept) = row?;
            // There may be millions.
            watch::beat();
            self.dedup.remove(DocId(page.packed()))?;
            pages += 1;
            letters.push(again(self.found_again(kept.url), Some(worker))?);
            if letters.len() == PAGES_AT_A_TIME {
                books.store_mut().mail(std::mem::take(&mut letters))?;
            }
        }
        let mut duplicates = Vec::new();
        for row in books.store().pages_from(1) {
            let (id, page) = row?;
            let of = page.verdict.of().map(|of| self.verdicts.of(of));
            if page.fate == Fate::Current && of.is_some_and(|of| of.worker == worker) {
                duplicates.push((id, page));
            }
        }
        books.store_mut().mail(letters)?;
        let withdrawn = self.fetch_again(books, &duplicates)?;
        // What the removed pages have left in the tables would make answers depend on when this worker has started.
        self.dedup.index_mut().purge();
        self.claims.recovery.forgotten.insert(worker.0);
        tracing::warn!(
            worker = worker.0,
            pages,
            duplicates = withdrawn,
            "worker {} is forgotten: the fleet fetches its kept pages again, and the pages of this folder that were duplicates of these",
            worker.0
        );
        Ok(())
    }

    /// Withdraws duplicates whose kept page is lost, and asks for their URLs again. Returns their number.
    ///
    /// The letters come first. The store may commit at any page, and a page that is withdrawn is not found again after a crash. A URL whose
    /// letter goes out twice is fetched twice, at worst. The letter is not that of a lost worker's page, which counts once: the URL may have
    /// been asked for already, and fetched by a worker that had not yet applied the entry.
    pub(super) fn fetch_again(&self, books: &mut Books, pages: &[(u64, PageRecord)]) -> Result<u64, RunError> {
        let mut withdrawn = 0;
        for some in pages.chunks(PAGES_AT_A_TIME) {
            watch::beat();
            let letters = some.iter().map(|(_, page)| {
                let url = WaitingUrl {
                    depth: page.depth,
                    ..self.found_again(page.url.clone())
                };
                again(url, None)
            });
            books.store_mut().mail(letters.collect::<Result<_, _>>()?)?;
            for (id, _) in some {
                withdrawn += u64::from(books.store_mut().withdraw(*id, KEPT_PAGE_LOST)?);
            }
        }
        if withdrawn > 0 {
            books.note_departures();
        }
        Ok(withdrawn)
    }

    /// Removes the rows about pages of forgotten workers.
    pub(super) fn remove_forgotten(&mut self, books: &mut Books) -> Result<(), RunError> {
        if self.claims.recovery.forgotten.is_empty() {
            return Ok(());
        }
        // The index is durable without these pages.
        books.commit(self)?;
        for worker in std::mem::take(&mut self.claims.recovery.forgotten) {
            let rows = books.store().pages_elsewhere().of(worker);
            let rows: Vec<PageElsewhere> = rows.map(|row| row.map(|(page, _)| page)).collect::<Result<_, _>>()?;
            for some in rows.chunks(PAGES_AT_A_TIME) {
                books.store_mut().forget_elsewhere(some)?;
            }
        }
        Ok(())
    }

    /// Own pages whose claims a segment says were dropped, although the log has no page like them: it had one of a worker that it has
    /// forgotten since. They are claimed again.
    pub(super) fn claim_orphans(&mut self, books: &Books, pages: &BTreeSet<u64>) -> Result<(), RunError> {
        for &id in pages {
            if let Some(page) = books.store().latest_page(id)?.filter(storage::PageRecord::is_kept) {
                self.claims_again(id, &page)?;
            }
        }
        Ok(())
    }
}

fn again(url: WaitingUrl, lost: Option<WorkerNumber>) -> Result<storage::Letter, RunError> {
    Mail::Again(Again { url, lost }).letter()
}
