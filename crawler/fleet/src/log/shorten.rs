//! How the log is shortened: a worker writes the next segment, names it, and the log loses what the segment before it covers.
//!
//! ```text
//!  segment 1      segment 2      segment 3
//! ├──────────────┼──────────────┼──────────────┤
//!                               ├──────────────┼─────────────▶ log
//!                               trimmed        covered       counts
//! ```
//!
//! 1. [`Fleet::begin_segment`]: one worker at a time gets the number of a draft, and reads what the segment is to cover. Only what
//!    counts can be read, so a failover loses nothing that a segment covers.
//! 2. The worker says which of these pages are kept. Every worker would say the same.
//! 3. [`Fleet::end_segment`] writes the bytes of the segment (`contents`): pieces, and waits until replicas have them, or an object. Then one
//!    script names the segment, if the draft is still the last one. So a segment is complete before anybody can find it, and a worker that
//!    slept meanwhile names nothing: its pieces or its object have the number of its draft in their names, and the next worker removes them.
//! 4. The log loses what the segment *before* the new one covers. A worker that is a little behind goes on in the log, and if a server without a
//!    replica or the object store loses a new segment, the log still has what it covered.
//!
//! The keys of the pieces begin with tags of their own, so that segments are spread over all servers of a cluster.

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list, text};
use crate::log::entry::{Entry, LAST, Position};
use crate::log::segment::{Judged, LogSlice, SegmentRow, encoded, is_draft};
use crate::partition::PageId;
use crate::servers::Safety;

static BEGIN: Lua = script!("ids.lua", "begin_segment.lua");
static LEAVE: Lua = script!("leave_segment.lua");
static NAME: Lua = script!("ids.lua", "name_segment.lua");
static DROP: Lua = script!("ids.lua", "drop_segment.lua");
static TRIM: Lua = script!("ids.lua", "trim_log.lua");

/// Answer of [`DROP`]: the log does not hold any more what the segment covers.
const IS_NOT_IN_LOG: u64 = 2;

/// Entries that are read in one call.
const ENTRIES_A_CALL: usize = 1_000;

/// The next segment, begun.
#[derive(Debug)]
pub struct Draft {
    number: u64,
    from: Position,
    end: Position,
    entries: Vec<Entry>,
    last: Option<SegmentRow>,
}

impl Draft {
    /// The pages on which the log decided, in its order.
    pub fn pages(&self) -> impl ExactSizeIterator<Item = PageId> {
        self.entries.iter().map(|entry| entry.page)
    }

    /// The place of the last of them.
    #[must_use]
    pub fn end(&self) -> Position {
        self.end
    }
}

impl Fleet {
    /// [`begin_segment_up_to`](Self::begin_segment_up_to) of a worker that has forgotten no other one.
    ///
    /// # Errors
    /// As there.
    pub async fn begin_segment(&self, applied: Position, entries: usize) -> Result<Option<Draft>, FleetError> {
        self.begin_segment_up_to(applied, entries, Position::default()).await
    }

    /// Begins the next segment, if `entries` of the log wait for one and no other worker writes it. It covers at most so many, and none behind
    /// `applied`. But it covers more if it would end before `forgot`, the last place at which this worker has forgotten another one: this
    /// worker does not know any more which pages of the other one the log kept before that place.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses; [`FleetError::Damaged`] as for [`read_log`](Self::read_log); [`FleetError::Store`]
    /// and [`FleetError::StoreRefuses`]: the object store does not say whether it has the last segment; [`FleetError::OtherStore`].
    pub async fn begin_segment_up_to(
        &self,
        applied: Position,
        entries: usize,
        forgot: Position,
    ) -> Result<Option<Draft>, FleetError> {
        self.prove_shared().await?;
        let command = Command::script(&BEGIN, &self.inner.log)
            .arg(self.incarnation())
            .number(self.inner.place.lease.as_millis() as u64)
            .number(entries as u64)
            .arg(applied.item());
        let mut answer = list(self.inner.servers.one(command, Safety::Replicated).await?)?.into_iter();
        let number = integer(&answer.next().unwrap_or_default())?;
        if number == 0 {
            return Ok(None);
        }
        let from = Position::end_of_item(&text(answer.next().unwrap_or_default())?);
        let last = bytes(answer.next().unwrap_or_default())?;
        let unfinished = text(answer.next().unwrap_or_default())?;
        // It becomes a part of a place.
        if is_draft(&unfinished) {
            let (place, forgotten) = (self.where_is(&unfinished), self.forget_draft(&unfinished));
            self.renewing_or_leaves(number, ("remove", &place), forgotten).await?;
        }
        let last = if last.is_empty() {
            None
        } else {
            Some(SegmentRow::read(&last)?)
        };
        if let Some(last) = &last
            && !self.is_still_whole(number, last).await?
        {
            let command = Command::script(&DROP, &self.inner.log)
                .number(number)
                .arg(last.stored()?)
                .arg(last.from.item())
                .number(u64::from(last.entries))
                .number(last.bytes)
                .number(last.bytes_in_store())
                .arg(last.end.item());
            let dropped = integer(&self.inner.servers.one(command, Safety::Replicated).await?)?;
            if dropped != IS_NOT_IN_LOG {
                tracing::warn!(end = ?last.end, place = last.place(), "a segment of the log is lost or damaged; it is written again");
                return Ok(None);
            }
            tracing::warn!(end = ?last.end, place = last.place(), "a segment of the log is lost or damaged, and the log does not hold its entries any more; workers that have read the log go on, and workers that join later cannot");
        }
        let (end, entries) = self.whole_items(from, applied, entries, forgot).await?;
        if entries.is_empty() {
            self.leave_number(number, false).await?;
            return Ok(None);
        }
        Ok(Some(Draft {
            number,
            from,
            end,
            entries,
            last,
        }))
    }

    /// Whether the last segment is as it was written. If that cannot be found out now, the next segment is left to another worker.
    async fn is_still_whole(&self, number: u64, last: &SegmentRow) -> Result<bool, FleetError> {
        let looking = async {
            let is_whole = self.is_whole(last).await?;
            if !is_whole && last.place().is_some() {
                // A folder that is not mounted any more has lost everything.
                self.prove_shared_again().await?;
            }
            Ok(is_whole)
        };
        let place = last.place().unwrap_or_default();
        self.renewing_or_leaves(number, ("give", place), looking).await
    }

    /// [`renewing`](Self::renewing) for work before anything is written. If it fails, the segment is left to another worker.
    async fn renewing_or_leaves<T>(
        &self,
        number: u64,
        errand: (&'static str, &str),
        work: impl Future<Output = Result<T, FleetError>>,
    ) -> Result<T, FleetError> {
        let done = self.renewing(number, errand, work).await;
        if done.is_err() {
            self.leave_number(number, false).await?;
        }
        done
    }

    /// The entries of whole items between two positions, and the last position of theirs.
    async fn whole_items(
        &self,
        from: Position,
        applied: Position,
        at_most: usize,
        at_least: Position,
    ) -> Result<(Position, Vec<Entry>), FleetError> {
        let mut read: Vec<(Position, Entry)> = Vec::new();
        let mut after = from;
        let is_end = |(position, _): &(Position, Entry)| position.1 & LAST == LAST && *position <= applied;
        // At least one item, however many entries it has.
        while (read.len() < at_most || !read.iter().any(is_end) || after < at_least) && after <= applied {
            let more = match at_most.saturating_sub(read.len()).clamp(1, ENTRIES_A_CALL) {
                _ if after < at_least => ENTRIES_A_CALL,
                more => more,
            };
            let LogSlice::Entries(some) = self.read_log(after, more).await? else {
                break;
            };
            let Some((last, _)) = some.last() else { break };
            after = *last;
            read.extend(some);
        }
        let whole = read.iter().rposition(is_end).map_or(0, |last| last + 1);
        read.truncate(whole);
        let end = read.last().map_or(from, |(position, _)| *position);
        Ok((end, read.into_iter().map(|(_, entry)| entry).collect()))
    }

    /// Leaves a segment to the next worker that wants to write one, for example because this worker has applied too little of the log.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. Then the others wait for the length of a lease.
    pub async fn leave_segment(&self, draft: Draft) -> Result<(), FleetError> {
        self.leave_number(draft.number, false).await
    }

    /// `left_something`: the next worker removes what the draft has written.
    async fn leave_number(&self, number: u64, left_something: bool) -> Result<(), FleetError> {
        let command = Command::script(&LEAVE, &self.inner.log)
            .number(number)
            .number(u64::from(left_something));
        self.inner.servers.one(command, Safety::Primary).await.map(drop)
    }

    /// Writes and names a segment. `kept` says of each of the [pages](Draft::pages) whether it is kept. Then the log loses what is not needed any
    /// more. `false`: another worker writes the segment by now, or a server that took over has lost what it was to cover.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses; [`FleetError::Store`] and [`FleetError::StoreRefuses`]: the object store does not answer, or
    /// refuses. The next worker begins anew.
    pub async fn end_segment(&self, draft: Draft, kept: &[bool]) -> Result<bool, FleetError> {
        let Draft {
            number,
            from,
            end,
            entries,
            last,
        } = draft;
        let pages: Vec<Judged> = entries
            .into_iter()
            .zip(kept)
            .map(|(entry, is_kept)| {
                if *is_kept {
                    Judged::Kept(entry)
                } else {
                    Judged::Dropped(entry.page)
                }
            })
            .collect();
        let (bytes, row) = encoded(from, end, &pages)?;
        let draft = format!("{number}.{}", self.incarnation());
        let (place, written) = (self.where_is(&draft), self.write_contents(row, bytes, &draft));
        let written = self.renewing(number, ("take", &place), written).await;
        let row = match written {
            Ok(row) => row,
            Err(error) => {
                if let FleetError::Store { .. } | FleetError::StoreRefuses { .. } = error {
                    // The store may answer another worker. It may have the object although its answer was lost.
                    self.leave_number(number, true).await?;
                }
                return Err(error);
            }
        };
        let name = Command::script(&NAME, &self.inner.log)
            .number(number)
            .arg(from.item())
            .arg(end.item())
            .arg(row.stored()?)
            .number(u64::from(row.entries))
            .number(row.bytes)
            .number(row.bytes_in_store());
        if integer(&self.inner.servers.one(name, Safety::Replicated).await?)? == 0 {
            self.forget_draft(&draft).await?;
            return Ok(false);
        }
        tracing::debug!(
            entries = row.entries,
            bytes = row.bytes,
            "a segment of the log is written"
        );
        if let Some(last) = last {
            let trim = Command::script(&TRIM, &self.inner.log).arg(last.end.item());
            self.inner.servers.one(trim, Safety::Primary).await?;
        }
        Ok(true)
    }

    /// The rows of the segments behind a place, at most so many, as far as what they cover has left the log: a worker that reads the segment
    /// before needs them next.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses; [`FleetError::Damaged`] for a row of another version.
    pub async fn segments_behind(&self, end: Position, at_most: usize) -> Result<Vec<SegmentRow>, FleetError> {
        if at_most == 0 {
            return Ok(Vec::new());
        }
        let trimmed = Command::plain("HGET", &self.inner.log, "p").arg("m");
        let trimmed = text(self.inner.servers.one(trimmed, Safety::Primary).await?)?;
        let trimmed = Position::end_of_item(&trimmed);
        let rows = Command::plain("ZRANGEBYLEX", &self.inner.log, "g")
            .arg(format!("({}~", end.digits()))
            .arg("+")
            .arg("LIMIT")
            .number(0)
            .number(at_most as u64);
        let rows = list(self.inner.servers.one(rows, Safety::Primary).await?)?;
        let rows = rows.into_iter().map(|row| SegmentRow::read(&bytes(row)?));
        let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
        rows.retain(|row| row.end <= trimmed);
        Ok(rows)
    }
}
