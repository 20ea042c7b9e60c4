//! Segments of the log of a fleet: what the log decided before the part of it that the servers still have, and what it has decided since, for
//! the next segment.

use std::collections::BTreeSet;

use fleet::{Judged, PageId, Segment};

use super::Recorder;
use crate::fleet::verdicts::{Applied, keeps};
use crate::messages::Event;
use error::RunError;

impl Recorder {
    /// Takes over the decisions of a segment. Returns the events of the pages that waited for them.
    ///
    /// No commit falls between the pages of a segment, so the index on disk is always that of a place in the log.
    pub(super) fn take_segment(&mut self, segment: Segment) -> Result<Vec<Event>, RunError> {
        let mut came_back = BTreeSet::new();
        for judged in segment.pages {
            let Some(by_log) = &mut self.by_log else { break };
            let applied = by_log.verdicts.take_over(&self.dedup, &judged)?;
            match (applied, judged) {
                (Applied::Confirmed(page), _) => {
                    came_back.insert(page);
                }
                (Applied::Yields(page, verdict), _) => {
                    self.yields(page, verdict)?;
                    came_back.insert(page);
                }
                (Applied::Entered, Judged::Kept(entry)) => self.note_foreign(entry)?,
                (_, Judged::Dropped(page)) if by_log.verdicts.is_own(page) => {
                    came_back.insert(page.sequence);
                }
                _ => {}
            }
        }
        if let Some(by_log) = &mut self.by_log {
            by_log.verdicts.ends_segment(segment.end);
        }
        self.decide_waiting(came_back)
    }

    /// Which of these pages the log keeps. It is applied behind all of them.
    pub(super) fn judge(&self, pages: &[PageId]) -> Result<Vec<bool>, RunError> {
        pages.iter().map(|page| keeps(&self.dedup, *page)).collect()
    }
}
