//! What a worker does when the servers of the fleet have lost entries of the log.
//!
//! No worker reads an entry before a replica has it, so this takes more than the failure of one server: a server without a replica, or one
//! of several replicas that had less than another. Then workers may have applied entries that are not in the log any more, and their verdicts
//! would differ from those of workers that have not. So such a worker begins anew:
//!
//! 1. It empties its index, and applies the log from its beginning. Its own kept pages count as claimed meanwhile.
//! 2. At the end of the log it claims those again that the log does not have.
//! 3. When these claims have come back, it looks at its duplicates. The page that one of them repeats may not be in the log: its entry was lost,
//!    and its worker does not claim it again, or it yields now. If this worker has the host, it fetches the URL again, and the page
//!    gets another verdict. Of the others it says how many they are.
//!
//! A server that takes over may also have lost the note that the last entries count, although it has them. Then a claim that has arrived does
//! not come back. A worker that has nothing else to send claims such pages again.

use std::collections::BTreeSet;

use dedup::Index;
use storage::{Discovered, Fate, KEPT_PAGE_LOST, PageRecord, QueuedUrl, Store, UrlState};

use super::super::letter::VIA_FLEET;
use super::super::member::Restoring;
use super::super::verdicts::keeps;
use super::ByLog;
use crate::recorder::Books;
use error::RunError;

/// How often the log is read to its end before a claim counts as overdue. More often than messages of the desk can wait for the recorder:
/// so the last reading began after the claim had arrived.
const OVERDUE_AFTER: usize = 20;

/// What a worker makes good when it has read the log.
#[derive(Debug, Default)]
pub(super) struct Recovery {
    /// Own kept pages that are to be claimed when the log is read, unless they are in it.
    unsent: BTreeSet<u64>,
    /// Whether the duplicates are to be looked at when all claims have come back.
    looks_at_duplicates: bool,
    /// Claims that have not come back although all letters have arrived, and how often the log was read to its end since.
    overdue: (BTreeSet<u64>, usize),
    /// Workers whose pages have left the index, and whose rows may be in the state.
    pub forgotten: BTreeSet<u16>,
}

impl ByLog {
    /// Applies the log from its beginning, because the servers have lost entries that are applied.
    pub(super) fn begin_log_anew(&mut self, books: &mut Books) -> Result<(), RunError> {
        tracing::warn!(
            "the servers of the fleet have lost entries of the log of kept pages; this worker reads the log again, claims its pages again that are missing, and looks at the verdicts that rested on them"
        );
        books.commit(self)?;
        self.dedup.index_mut().clear()?;
        self.verdicts.begins_anew();
        self.claims.told = Some(self.verdicts.position());
        self.claims.recovery.looks_at_duplicates = true;
        self.claim_kept(books.store())?;
        books.commit(self)
    }

    /// Counts all kept pages as claimed. Those that are not in the log are claimed when it is read to its end.
    pub(super) fn claim_kept(&mut self, store: &Store) -> Result<(), RunError> {
        for row in store.pages_from(1) {
            let (id, page) = row?;
            if page.is_kept() && !self.verdicts.is_claimed(id) {
                self.claims_again(id, &page)?;
            }
        }
        Ok(())
    }

    /// Counts a kept page as claimed. If the log does not have it, it is claimed when the log is read to its end.
    pub(super) fn claims_again(&mut self, id: u64, page: &PageRecord) -> Result<(), RunError> {
        self.is_on_its_way(id, page)?;
        self.claims.recovery.unsent.insert(id);
        Ok(())
    }

    /// The log is read to its end. Returns URLs that are to be fetched again.
    pub(super) fn log_is_read(&mut self, books: &mut Books) -> Result<Vec<QueuedUrl>, RunError> {
        self.remove_forgotten(books)?;
        let claimed = self.verdicts.claimed();
        let unsent = std::mem::take(&mut self.claims.recovery.unsent);
        let mut again: BTreeSet<u64> = unsent.intersection(claimed).copied().collect();
        let (overdue, times) = &mut self.claims.recovery.overdue;
        if claimed.is_empty() || !again.is_empty() || !books.store().outbox().is_empty() {
            (*overdue, *times) = (BTreeSet::new(), 0);
        } else if *times == 0 {
            (*overdue, *times) = (claimed.clone(), 1);
        } else {
            overdue.retain(|page| claimed.contains(page));
            *times += 1;
            if *times > OVERDUE_AFTER {
                again = std::mem::take(overdue);
                *times = 0;
                tracing::debug!(
                    pages = again.len(),
                    "claims did not come back from the log of the fleet; they are sent again"
                );
            }
        }
        let is_settled = claimed.is_empty() && self.to_claim.is_over();
        self.claim_again(books.store_mut(), again)?;
        self.claim_next(books.store_mut())?;
        if is_settled && self.restores() {
            self.claims.recovery.looks_at_duplicates = false;
            let queued = self.look_at_duplicates(books, true)?;
            self.is_restored(books)?;
            return Ok(queued);
        }
        if is_settled
            && self.restoring == Restoring::No
            && std::mem::take(&mut self.claims.recovery.looks_at_duplicates)
        {
            return self.look_at_duplicates(books, false);
        }
        Ok(Vec::new())
    }

    /// Makes the verdicts again that rest on pages that the log does not have: the pages are fetched again. If all workers have brought back
    /// their folders, `is_certain` says that no worker has the pages, so their hosts may also be other workers'.
    fn look_at_duplicates(&mut self, books: &mut Books, is_certain: bool) -> Result<Vec<QueuedUrl>, RunError> {
        let mut lost = Vec::new();
        for row in books.store().pages_from(1) {
            let (id, page) = row?;
            let Some(of) = page.verdict.of() else { continue };
            if page.fate == Fate::Current && !keeps(&self.dedup, self.verdicts.of(of))? {
                lost.push((id, page));
            }
        }
        let found = lost.len();
        if !is_certain {
            lost.retain(|(_, page)| self.letters.is_mine(&page.host));
        }
        let withdrawn = if is_certain {
            self.fetch_again(books, &lost)?
        } else {
            let mut withdrawn = 0;
            for (id, _) in &lost {
                withdrawn += u64::from(books.store_mut().withdraw(*id, KEPT_PAGE_LOST)?);
            }
            withdrawn
        };
        if withdrawn > 0 {
            books.note_departures();
        }
        if found > 0 {
            tracing::warn!(
                duplicates = found,
                fetched_again = withdrawn,
                "the servers of the fleet have lost entries on which verdicts rested; the pages for whose hosts this worker can ask are fetched again, the others stay duplicates"
            );
        }
        books.commit(self)?;
        let mut queued = Vec::new();
        for (_, page) in lost.into_iter().filter(|(_, page)| self.letters.is_mine(&page.host)) {
            let link = Discovered {
                via: Some(VIA_FLEET.to_owned()),
                url: page.url,
                host: page.host,
                depth: page.depth,
                ..Discovered::default()
            };
            let is_lost = |state: &UrlState| matches!(state, UrlState::Excluded { reason } if reason == KEPT_PAGE_LOST);
            queued.extend(books.store_mut().try_again(&link, is_lost)?);
        }
        Ok(queued)
    }
}
