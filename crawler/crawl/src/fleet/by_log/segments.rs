//! Segments of the log: what it decided before the part of it that the servers still have, and what it has decided since, for the next
//! segment.

use std::collections::BTreeSet;

use fleet::{Judged, PageId, Segment};

use super::super::member::{note_elsewhere, yields};
use super::super::verdicts::{Applied, keeps};
use super::ByLog;
use crate::index::without_bands;
use crate::recorder::Books;
use error::RunError;

impl ByLog {
    /// Takes over the decisions of a segment. Returns the own pages whose claims have come back.
    ///
    /// No commit falls between the pages of a segment, so the index on disk is always that of a place in the log.
    pub(super) fn take_segment(&mut self, books: &mut Books, segment: Segment) -> Result<BTreeSet<u64>, RunError> {
        let mut came_back = BTreeSet::new();
        let mut orphans = BTreeSet::new();
        let forgets = segment
            .pages
            .iter()
            .any(|page| matches!(page, Judged::Kept(entry) if entry.page.forgets().is_some()));
        if forgets {
            // What the entry that forgets a worker means for the catalogue rests on the rows before.
            books.store_mut().commit()?;
        }
        for judged in segment.pages {
            let applied = self.verdicts.take_over(&self.dedup, &judged)?;
            match (applied, judged) {
                (Applied::Confirmed(page), _) => {
                    came_back.insert(page);
                }
                (Applied::Yields(page, verdict), _) => {
                    yields(books, page, verdict)?;
                    came_back.insert(page);
                }
                (Applied::Forgets(worker), _) => {
                    // With the rows of this segment.
                    books.store_mut().commit()?;
                    self.forget_worker(books, worker)?;
                }
                (Applied::Nothing, Judged::Dropped(page)) if forgets && self.verdicts.is_own(page) => {
                    orphans.insert(page.sequence);
                }
                (Applied::Entered, Judged::Kept(entry)) => {
                    note_elsewhere(
                        books.store_mut(),
                        entry.page,
                        entry.url,
                        without_bands(entry.signature)?,
                    )?;
                }
                (_, Judged::Dropped(page)) if self.verdicts.is_own(page) => {
                    came_back.insert(page.sequence);
                }
                _ => {}
            }
        }
        self.verdicts.ends_segment(segment.end);
        self.tell_forgotten();
        self.claim_orphans(books, &orphans)?;
        Ok(came_back)
    }

    /// Which of these pages the log keeps. It is applied behind all of them.
    pub(super) fn judged(&self, pages: &[PageId]) -> Result<Vec<bool>, RunError> {
        let is_kept = |page: &PageId| Ok(page.forgets().is_some() || keeps(&self.dedup, *page)?);
        pages.iter().map(is_kept).collect()
    }
}
