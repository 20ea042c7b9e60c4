//! An entry of the log, its place, and how items hold entries.

use serde::{Deserialize, Serialize};

use crate::error::FleetError;
use crate::partition::{PageId, WorkerNumber};
use crate::url::{lengthened, shortened};

/// The most bytes of entries in an item. Redis keeps items in blocks of 4 kB, one allocation each: a larger item would waste a part of it.
const ITEM_BYTES: usize = 3_900;

/// The place of an entry behind the last of an item.
pub(crate) const LAST: u64 = 0xffff;

/// A page that a worker wants to keep.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Where it is.
    pub page: PageId,
    /// Its URL.
    pub url: String,
    /// What its duplicates are found by, opaque here.
    pub signature: Vec<u8>,
}

impl Entry {
    /// The entry that says that a worker is forgotten: from here on, its pages are not in the log.
    #[must_use]
    pub fn that_forgets(worker: WorkerNumber) -> Self {
        Self {
            page: PageId::that_forgets(worker),
            url: String::new(),
            signature: Vec::new(),
        }
    }
}

/// As it is stored.
#[derive(Serialize, Deserialize)]
struct Stored<'a> {
    worker: u16,
    sequence: u64,
    beginning: u8,
    rest: &'a str,
    signature: &'a [u8],
}

/// A place in the log. The default is before the first entry.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Position(
    /// Milliseconds of the clock of Redis.
    pub u64,
    /// Number of the item in that millisecond × 65,536 + number of the entry in the item, 65,535 for the last.
    pub u64,
);

impl Position {
    /// Length of [`digits`](Self::digits).
    pub(crate) const DIGITS: usize = 32;

    /// In digits that sort as positions do.
    pub(crate) fn digits(self) -> String {
        format!("{:016x}{:016x}", self.0, self.1)
    }

    /// `1700000000000-0`, the name of the item in Redis.
    pub(crate) fn item(self) -> String {
        format!("{}-{}", self.0, self.1 >> 16)
    }

    pub(crate) fn of_item(id: &str) -> Option<Self> {
        let (ms, number) = id.split_once('-')?;
        Some(Self(ms.parse().ok()?, number.parse::<u64>().ok()? << 16))
    }

    /// Behind the last entry of an item; before all entries, if there is no such item.
    pub(crate) fn end_of_item(id: &str) -> Self {
        Self::of_item(id).map_or_else(Self::default, |Self(ms, number)| Self(ms, number | LAST))
    }
}

/// Entries as items, each with the number of its entries.
pub(crate) fn items(entries: &[Entry]) -> Result<Vec<(usize, Vec<u8>)>, FleetError> {
    let mut items: Vec<(usize, Vec<u8>)> = Vec::new();
    for entry in entries {
        let (beginning, rest) = shortened(&entry.url);
        let stored = postcard::to_stdvec(&Stored {
            worker: entry.page.worker.0,
            sequence: entry.page.sequence,
            beginning,
            rest,
            signature: &entry.signature,
        })
        .map_err(|error| FleetError::Damaged(error.to_string()))?;
        match items.last_mut() {
            Some((count, item)) if item.len() + stored.len() <= ITEM_BYTES => {
                item.extend_from_slice(&stored);
                *count += 1;
            }
            _ => items.push((1, stored)),
        }
    }
    Ok(items)
}

/// The entries of an item with their positions.
pub(crate) fn entries_of(id: Position, item: &[u8]) -> Result<Vec<(Position, Entry)>, FleetError> {
    let damaged = || FleetError::Damaged(format!("an entry of the log at {}", id.item()));
    let mut entries = Vec::new();
    let mut rest = item;
    while !rest.is_empty() {
        let (stored, behind) = postcard::take_from_bytes::<Stored<'_>>(rest).map_err(|_| damaged())?;
        let place = if behind.is_empty() { LAST } else { entries.len() as u64 };
        entries.push((
            Position(id.0, id.1 | place),
            Entry {
                page: PageId {
                    worker: WorkerNumber(stored.worker),
                    sequence: stored.sequence,
                },
                url: lengthened(stored.beginning, stored.rest).ok_or_else(damaged)?,
                signature: stored.signature.to_vec(),
            },
        ));
        rest = behind;
    }
    Ok(entries)
}
