//! Segments of the log: what it decided before the part of it that the servers still have, and what it has decided since, for the next
//! segment.

use std::collections::BTreeSet;

use fleet::{Judged, PageId, Segment};

use super::super::member::{note_elsewhere, yields};
use super::super::verdicts::{Applied, keeps};
use super::ByLog;
use crate::recorder::Books;
use error::RunError;

impl ByLog {
    /// Takes over the decisions of a segment. Returns the own pages whose claims have come back.
    ///
    /// No commit falls between the pages of a segment, so the index on disk is always that of a place in the log.
    pub(super) fn take_segment(&mut self, books: &mut Books, segment: Segment) -> Result<BTreeSet<u64>, RunError> {
        let mut came_back = BTreeSet::new();
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
                (Applied::Entered, Judged::Kept(entry)) => {
                    note_elsewhere(books.store_mut(), entry.page, entry.url, entry.signature)?;
                }
                (_, Judged::Dropped(page)) if self.verdicts.is_own(page) => {
                    came_back.insert(page.sequence);
                }
                _ => {}
            }
        }
        self.verdicts.ends_segment(segment.end);
        Ok(came_back)
    }

    /// Which of these pages the log keeps. It is applied behind all of them.
    pub(super) fn judged(&self, pages: &[PageId]) -> Result<Vec<bool>, RunError> {
        pages.iter().map(|page| keeps(&self.dedup, *page)).collect()
    }
}
