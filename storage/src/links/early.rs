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
        let ranges: Option<Vec<IdRange>> = state.row(EARLY, "the numbers of early links")?;
        let Some(ranges) = ranges else {
            return Ok(Self::default());
        };
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

    /// What the next commit notes. With it the early links end, if staged records name all of them.
    pub fn seal(&mut self) -> EarlyNote {
        let are_named = self.hashes.is_empty();
        let ranges = if are_named {
            std::mem::take(&mut self.ranges)
        } else {
            self.ranges.clone()
        };
        EarlyNote { ranges, are_named }
    }

    /// Whether there is a note.
    #[cfg(test)]
    pub fn are_noted(state: &State) -> bool {
        state.contains(EARLY).unwrap()
    }
}

/// The early links as of a commit.
pub(crate) struct EarlyNote {
    ranges: Vec<IdRange>,
    /// Whether the records of this commit and of earlier ones name all of them.
    are_named: bool,
}

impl EarlyNote {
    /// Writes the note of the commit from `before` to `after`. A crash may also lose the records that name earlier early links.
    pub fn note(&self, before: Progress, after: Progress, batch: &mut Batch) -> Result<(), StorageError> {
        let mut ranges = self.ranges.clone();
        ranges.push((before.next_seq, after.next_seq));
        batch.insert(EARLY, format::encode(&ranges)?);
        Ok(())
    }

    /// Writes the note for the time after the commit: none, unless there are early links that no record names. `had_links` says whether
    /// the commit has written one.
    pub fn note_after(&self, had_links: bool, batch: &mut Batch) -> Result<(), StorageError> {
        if !had_links && (self.ranges.is_empty() || !self.are_named) {
            return Ok(());
        }
        if self.are_named {
            batch.remove(EARLY);
        } else {
            batch.insert(EARLY, format::encode(&self.ranges)?);
        }
        Ok(())
    }
}
