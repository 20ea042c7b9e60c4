//! Early links: URLs that a crash made known before the pages that link to them.
//!
//! A commit writes its links first. If a crash interrupts the commit after the links, the crawler fetches their pages again, and the URLs
//! of the links are already known. A metadata record names only the URLs first found on its page, so no record would name these URLs, and
//! a rebuild would lose them. Therefore each commit notes the numbers of its links before it writes them, and removes the note with its
//! last batch. If a page links to a URL whose number is still noted, the metadata record of the page names the URL as if it were new.

use crate::error::StorageError;
use crate::format::{self, Progress};
use crate::known::{KnownUrls, UrlHash, UrlHashSet};
use crate::state::State;

/// A range of numbers of URLs: the first, and the first after the last.
pub(crate) type IdRange = (u64, u64);

/// The early links of interrupted commits.
#[derive(Default)]
pub(crate) struct EarlyLinks {
    ranges: Vec<IdRange>,
    /// The early links that no metadata record names yet.
    hashes: UrlHashSet,
}

impl EarlyLinks {
    pub fn open(state: &State, known: &KnownUrls) -> Result<Self, StorageError> {
        let Some(row) = state.get(format::META_EARLY)? else {
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

    /// Whether metadata records name all early links after the current commit.
    pub fn are_archived(&self) -> bool {
        !self.ranges.is_empty() && self.hashes.is_empty()
    }

    /// Notes that the commit is complete.
    pub fn committed(&mut self) {
        if self.hashes.is_empty() {
            self.ranges.clear();
        }
    }

    /// The row during the commit from `before` to `after`. A crash may also lose the records that name earlier early links.
    pub fn row_during(&self, before: Progress, after: Progress) -> Result<Vec<u8>, StorageError> {
        let mut ranges = self.ranges.clone();
        ranges.push((before.next_seq, after.next_seq));
        format::encode(&ranges)
    }

    /// The row between two commits; `None` without early links.
    pub fn row_after(&self) -> Result<Option<Vec<u8>>, StorageError> {
        let row = (!self.hashes.is_empty()).then(|| format::encode(&self.ranges));
        row.transpose()
    }
}
