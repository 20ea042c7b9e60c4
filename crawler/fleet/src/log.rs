//! The log: every page that a worker wants to keep, in one order for all.
//!
//! ```text
//! {name/log}s        stream; an item holds one field, e: entries one after another, at most 3.8 kB of them
//! {name/log}c        id of the last item that counts
//! {name/log}n        number of entries that were appended
//! ```
//!
//! An item counts as soon as a replica has it and everything before it. Readers see only what counts, so a server that takes over
//! has all that anybody has read. It may have lost later items; their workers still have them, and append them again.

use serde::{Deserialize, Serialize};

use redis::Value;

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list, text};
use crate::partition::PageId;
use crate::servers::Safety;
use crate::url::{lengthened, shortened};

static APPEND: Lua = script!("append.lua");
static CONFIRM: Lua = script!("confirm.lua");

/// The most bytes of entries in an item. Redis keeps items in blocks of 4 kB, one allocation each: a larger item would waste a part of it.
const ITEM_BYTES: usize = 3_900;

/// The most bytes in one call of a script.
const CALL_BYTES: usize = 256 << 10;

/// The place of an entry behind the last of an item.
const LAST: u64 = 0xffff;

/// How often an append is begun anew after a server that took over had lost it.
const ATTEMPTS: u32 = 20;

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
    /// `1700000000000-0`, the name of the item in Redis.
    fn item(self) -> String {
        format!("{}-{}", self.0, self.1 >> 16)
    }

    fn of_item(id: &str) -> Option<Self> {
        let (ms, number) = id.split_once('-')?;
        Some(Self(ms.parse().ok()?, number.parse::<u64>().ok()? << 16))
    }

    /// Behind the last entry of an item; before all entries, if there is no such item.
    pub(crate) fn end_of_item(id: &str) -> Self {
        Self::of_item(id).map_or_else(Self::default, |Self(ms, number)| Self(ms, number | LAST))
    }
}

impl Fleet {
    /// Appends entries, in order. When it returns, they count: a replica has them, and readers see them. An entry may come twice if a
    /// call was repeated; readers take the first.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. Some of the entries may be in the log then; the call can be repeated.
    pub async fn append(&self, entries: &[Entry]) -> Result<(), FleetError> {
        let mut calls: Vec<(usize, Vec<Vec<u8>>)> = Vec::new();
        let mut bytes = CALL_BYTES;
        for (count, item) in items(entries)? {
            bytes += item.len();
            if bytes > CALL_BYTES {
                calls.push((0, Vec::new()));
                bytes = item.len();
            }
            if let Some(call) = calls.last_mut() {
                call.0 += count;
                call.1.push(item);
            }
        }
        for (count, items) in calls {
            self.inner.moves.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            self.append_items(count, items).await?;
        }
        Ok(())
    }

    async fn append_items(&self, count: usize, items: Vec<Vec<u8>>) -> Result<(), FleetError> {
        let log = &self.inner.log;
        for _ in 0..ATTEMPTS {
            let append = Command::script(&APPEND, log)
                .number(0)
                .number(count as u64)
                .args(items.iter().cloned());
            let id = text(self.inner.servers.one(append, Safety::Replicated).await?)?;
            let confirm = Command::script(&CONFIRM, log).arg(id);
            if integer(&self.inner.servers.one(confirm, Safety::Primary).await?)? == 1 {
                return Ok(());
            }
        }
        Err(FleetError::Damaged(
            "the log loses what is appended to it, again and again".to_owned(),
        ))
    }

    /// The entries that count behind a position. Fewer than `at_most` only at the end.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses; [`FleetError::Damaged`] for an entry of another version.
    pub async fn read_log(&self, after: Position, at_most: usize) -> Result<Vec<(Position, Entry)>, FleetError> {
        let mut entries: Vec<(Position, Entry)> = Vec::new();
        let mut after = after;
        while entries.len() < at_most {
            let wanted = (at_most - entries.len()).div_ceil(4).clamp(4, 1_000);
            let start = if after.1 & LAST == LAST {
                format!("({}", after.item())
            } else {
                after.item() // the item again: only its first entries were read
            };
            // The end of what counts comes first, so everything up to there is complete when the items are read.
            let counts = self.log_end().await?;
            if counts <= after {
                break;
            }
            let command = Command::plain("XRANGE", &self.inner.log, "s")
                .arg(start)
                .arg(counts.item())
                .arg("COUNT")
                .number(wanted as u64);
            let items = list(self.inner.servers.one(command, Safety::Primary).await?)?;
            let was_full = items.len() >= wanted;
            for item in items {
                let (id, item) = id_and_value(item)?;
                for (position, entry) in entries_of(id, &item)? {
                    if position > after && entries.len() < at_most {
                        after = position;
                        entries.push((position, entry));
                    }
                }
            }
            if !was_full {
                break;
            }
        }
        Ok(entries)
    }

    /// The last position that counts: what is to be read lies between one's own and this.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn log_end(&self) -> Result<Position, FleetError> {
        let command = Command::plain("GET", &self.inner.log, "c");
        Ok(Position::end_of_item(&text(
            self.inner.servers.one(command, Safety::Primary).await?,
        )?))
    }
}

/// Entries as items, each with the number of its entries.
fn items(entries: &[Entry]) -> Result<Vec<(usize, Vec<u8>)>, FleetError> {
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
fn entries_of(id: Position, item: &[u8]) -> Result<Vec<(Position, Entry)>, FleetError> {
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
                    worker: crate::partition::WorkerNumber(stored.worker),
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

/// `[id, [field, value]]`.
fn id_and_value(item: Value) -> Result<(Position, Vec<u8>), FleetError> {
    let mut parts = list(item)?.into_iter();
    let id = text(parts.next().unwrap_or_default())?;
    let mut fields = list(parts.next().unwrap_or_default())?.into_iter();
    let value = bytes(fields.nth(1).unwrap_or_default())?;
    let id = Position::of_item(&id).ok_or_else(|| FleetError::Damaged(format!("the id {id} in the log")))?;
    Ok((id, value))
}
