//! Early links: URLs that a crash made known before the pages that link to them.
//!
//! A commit writes its links first. If a crash interrupts the commit after the links, the crawler fetches their pages again, and the URLs
//! of the links are already known. A metadata record names only the URLs first found on its page, so no record would name these URLs, and
//! a rebuild would lose them. Therefore each commit notes the numbers of its links before it writes them, and removes the note with its
//! last batch. If a page links to a URL whose number is still noted, the metadata record of the page names the URL as if it were new.

use super::known::{KnownUrls, UrlHashSet};
use crate::batch::Batch;
use crate::error::StorageError;
use crate::format::{self, Progress};
use crate::frontier::UrlHash;
use crate::state::State;

/// ⟨[[`IdRange`]]⟩.
const EARLY: &[u8] = b"mearly";

/// A range of numbers of URLs: the first, and the first after the last.
type IdRange = (u64, u64);

/// The early links of interrupted commits.
#[derive(Default)]
pub(super) struct EarlyLinks {
    ranges: Vec<IdRange>,
    /// The early links that no metadata record names yet.
    hashes: UrlHashSet,
}

impl EarlyLinks {
    pub fn open(state: &State, known: &KnownUrls) -> Result<Self, StorageError> {
        let Some(row) = state.get(EARLY)? else {
            return Ok(Self::default());
        };
        let ranges: Vec<IdRange> = state.decode("the numbers of early links", &row)?;
        Ok(Self {
            hashes: known.hashes_in(state, &ranges)?,
            ranges,
        })
    }

    pub fn contains(&self, hash: UrlHash) -> bool {
        self.hashes.contains(&hash)
    }

    /// Notes that a staged metadata record names the URL.
    pub fn archived(&mut self, hash: UrlHash) {
        self.hashes.remove(&hash);
    }

    /// Notes that the commit is complete.
    pub fn committed(&mut self) {
        if self.hashes.is_empty() {
            self.ranges.clear();
        }
    }

    /// Writes the note of the commit from `before` to `after`. A crash may also lose the records that name earlier early links.
    pub fn note(&self, before: Progress, after: Progress, batch: &mut Batch) -> Result<(), StorageError> {
        let mut ranges = self.ranges.clone();
        ranges.push((before.next_seq, after.next_seq));
        batch.insert(EARLY, format::encode(&ranges)?);
        Ok(())
    }

    /// Writes the note for the time after a commit: none, unless there are early links that no record names. `had_links` says whether the
    /// commit has written one.
    pub fn note_after(&self, had_links: bool, batch: &mut Batch) -> Result<(), StorageError> {
        let are_archived = !self.ranges.is_empty() && self.hashes.is_empty();
        if !had_links && !are_archived {
            return Ok(());
        }
        if self.hashes.is_empty() {
            batch.remove(EARLY);
        } else {
            batch.insert(EARLY, format::encode(&self.ranges)?);
        }
        Ok(())
    }

    /// Whether there is a note.
    #[cfg(test)]
    pub fn are_noted(state: &State) -> bool {
        state.contains(EARLY).unwrap()
    }
}
