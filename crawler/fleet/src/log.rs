//! The log: every page that a worker wants to keep, in one order for all.
//!
//! ```text
//! {name/log}s        stream; an item holds one field, e: entries one after another, at most 3.8 kB of them
//! {name/log}c        id of the last item that counts
//! {name/log}n        number of entries that were appended
//! {name/log}g        rows of the segments, sorted by the last position that each covers
//! {name/log}p        t: id of the last item that segments cover; d, b: entries that they cover, and their bytes; m: id of the last item
//!                    that was trimmed; e, who, until, draft: who writes the next segment; o: bytes of segments that are in an object store
//!                    instead, mark: see `contents`
//! {name/log/D}0…     pieces of the segment of draft D, 128 KiB each
//! ```
//!
//! An item counts as soon as a replica has it and everything before it. Readers see only what counts, so a server that takes over
//! has all that anybody has read. It may have lost later items; their workers still have them, and append them again.
//!
//! The log is shortened at its beginning (`shorten`). What has left it is in segments (`segment`), which a worker reads that joins late or has
//! slept.

mod contents;
mod entry;
mod segment;
mod shorten;

use std::sync::atomic::Ordering;

use redis::Value;

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list, text};
pub use crate::log::entry::{Entry, Position};
use crate::log::entry::{LAST, entries_of, items};
pub use crate::log::segment::{Judged, LogSlice, Segment, SegmentRow};
pub use crate::log::shorten::Draft;
use crate::servers::Safety;

static APPEND: Lua = script!("append.lua");
static CONFIRM: Lua = script!("ids.lua", "confirm.lua");
static STATE: Lua = script!("log_state.lua");
static READ: Lua = script!("ids.lua", "read_log.lua");

/// The most bytes in one call of a script.
const CALL_BYTES: usize = 256 << 10;

/// Segments of entries in the log that make it too long.
const LONGEST_LOG: u64 = 4;

/// How often an append is begun anew after a server that took over had lost it.
const ATTEMPTS: u32 = 20;

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

    /// The entries that count behind a position, at most so many, or the segment that covers them.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses; [`FleetError::Damaged`] for an entry of another version.
    pub async fn read_log(&self, start: Position, at_most: usize) -> Result<LogSlice, FleetError> {
        let mut entries: Vec<(Position, Entry)> = Vec::new();
        let mut after = start;
        while entries.len() < at_most {
            let wanted = (at_most - entries.len()).div_ceil(4).clamp(4, 1_000);
            let read = match self.behind(after).await? {
                Behind::Items { counts, is_there } => self.items(after, counts, is_there, wanted).await?,
                Behind::Nothing => break,
                Behind::Segment(row) if entries.is_empty() => return SegmentRow::answered(row).map(LogSlice::Segment),
                Behind::Lost if entries.is_empty() => return Ok(LogSlice::Lost),
                Behind::Segment(_) | Behind::Lost => None,
            };
            let Some(items) = read else {
                // Items were trimmed or lost meanwhile: the slice is read again.
                entries.clear();
                after = start;
                continue;
            };
            let was_full = items.len() >= wanted;
            for (id, item) in items {
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
        Ok(LogSlice::Entries(entries))
    }

    /// What the log holds behind a place.
    async fn behind(&self, place: Position) -> Result<Behind, FleetError> {
        let command = Command::script(&READ, &self.inner.log)
            .arg(place.item())
            .number(u64::from(place.1 & LAST == LAST))
            .arg(place.digits());
        let mut answer = list(self.inner.servers.one(command, Safety::Primary).await?)?.into_iter();
        let uncovered = integer(&answer.next().unwrap_or_default())?;
        self.inner.uncovered.store(uncovered, Ordering::Relaxed);
        Ok(match (integer(&answer.next().unwrap_or_default())?, answer.next()) {
            (1, row) => Behind::Segment(row.unwrap_or_default()),
            (2, _) => Behind::Lost,
            (_, counts) => match text(counts.unwrap_or_default())? {
                counts if counts.is_empty() => Behind::Nothing,
                counts => Behind::Items {
                    counts: position_of(&counts)?,
                    is_there: integer(&answer.next().unwrap_or_default())? == 1,
                },
            },
        })
    }

    /// At most so many items from a place on that count; `None` if these may not be all, because items were trimmed or lost meanwhile.
    async fn items(
        &self,
        place: Position,
        counts: Position,
        is_there: bool,
        at_most: usize,
    ) -> Result<Option<Vec<(Position, Vec<u8>)>>, FleetError> {
        // With the item of the place: if it is still there, no item behind it was trimmed.
        let command = Command::plain("XRANGE", &self.inner.log, "s")
            .arg(place.item())
            .arg(counts.item())
            .arg("COUNT")
            .number(at_most as u64 + 1);
        let items = list(self.inner.servers.one(command, Safety::Primary).await?)?;
        let mut items = items.into_iter().map(id_and_value).collect::<Result<Vec<_>, _>>()?;
        let is_first = items.first().is_some_and(|(id, _)| id.item() == place.item());
        if is_there && !is_first {
            return Ok(None);
        }
        // A server that took over meanwhile may have other items than those that counted on its predecessor.
        match self.behind(place).await? {
            Behind::Items { counts, .. } => items.retain(|(id, _)| *id <= counts),
            Behind::Nothing => items.clear(),
            Behind::Segment(_) | Behind::Lost => return Ok(None),
        }
        Ok(Some(items))
    }

    /// Entries of the log that no segment covered when it was read last.
    #[must_use]
    pub fn uncovered(&self) -> u64 {
        self.inner.uncovered.load(Ordering::Relaxed)
    }

    /// Whether the log is so long that no worker should make requests: four segments would take its entries out. Once it was so long, it is
    /// until half of these entries have left it. Every worker sees the same log, so all of them wait for the slowest part of the fleet: the
    /// workers apply the whole log each, and the servers must hold what none of them has applied.
    #[must_use]
    pub fn is_log_too_long(&self, was_too_long: bool, segment: usize) -> bool {
        let longest = LONGEST_LOG * segment as u64;
        self.uncovered() >= if was_too_long { longest / 2 } else { longest }
    }

    /// The last position that counts: what is to be read lies between one's own and this. Also brings [`uncovered`](Self::uncovered) up to
    /// date.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn log_end(&self) -> Result<Position, FleetError> {
        let command = Command::script(&STATE, &self.inner.log);
        let mut answer = list(self.inner.servers.one(command, Safety::Primary).await?)?.into_iter();
        let end = Position::end_of_item(&text(answer.next().unwrap_or_default())?);
        let uncovered = integer(&answer.next().unwrap_or_default())?;
        self.inner.uncovered.store(uncovered, Ordering::Relaxed);
        Ok(end)
    }
}

/// What follows a place in the log.
enum Behind {
    /// Items, up to this one.
    Items {
        counts: Position,
        /// Whether the item of the place is in the log.
        is_there: bool,
    },
    /// Nothing yet.
    Nothing,
    /// Items that have left the log: the row of the segment that covers them.
    Segment(Value),
    /// The servers have lost the place itself.
    Lost,
}

fn position_of(id: &str) -> Result<Position, FleetError> {
    Position::of_item(id).ok_or_else(|| FleetError::Damaged(format!("the id {id} in the log")))
}

/// `[id, [field, value]]`.
fn id_and_value(item: Value) -> Result<(Position, Vec<u8>), FleetError> {
    let mut parts = list(item)?.into_iter();
    let id = text(parts.next().unwrap_or_default())?;
    let mut fields = list(parts.next().unwrap_or_default())?.into_iter();
    let value = bytes(fields.nth(1).unwrap_or_default())?;
    Ok((position_of(&id)?, value))
}
