//! The bytes of a segment: pieces on the servers, or an object in the store that the worker has handed in. The row of the segment says which,
//! so workers read both, whatever they write themselves.
//!
//! ```text
//! {name/log/D}0…                      pieces of the segment of draft D, 128 KiB each
//! STORE/fleet-CRAWL/segments/D        the same as an object
//! STORE/fleet-CRAWL/store-T           a mark by which a worker sees that its store is that of the others; its place is in {name/log}p
//! ```
//!
//! An object is written as a whole, before its row. A worker that dies between the two leaves an object that no row names. The next worker removes
//! it; if it cannot, the object does no harm, because no other draft has its name.

use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use crate::command::{Command, Lua, Tag, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list, text};
use crate::log::segment::{MOST_BYTES, Segment, SegmentRow, is_draft};
use crate::segment_store::{SegmentStore, StoreFault};
use crate::servers::Safety;

static FORGET: Lua = script!("forget_draft.lua");
static BYTES: Lua = script!("segment_bytes.lua");
static RENEW: Lua = script!("renew_draft.lua");
static MARK: Lua = script!("mark_store.lua");

/// Bytes of a piece. With the header of Redis it fills an allocation of 128 KiB.
const PIECE_BYTES: usize = (128 << 10) - 64;

/// Pieces that are read in one call.
const PIECES_A_CALL: usize = 8;

/// Renewals of the right to write a segment within the time for which it holds.
const RENEWALS: u32 = 3;

/// Times of a lease for one errand to the object store. That is enough to write some megabytes over a slow connection. A store that takes longer
/// may hang for this worker only.
const LONGEST_ERRAND: u32 = 3;

impl Fleet {
    /// Writes the bytes of the segment of a draft, and returns its row with their place.
    pub(super) async fn write_contents(
        &self,
        row: SegmentRow,
        bytes: Vec<u8>,
        draft: &str,
    ) -> Result<SegmentRow, FleetError> {
        if let Some((store, place)) = self.place_of_draft(draft) {
            let put = store.put(&place, bytes).await;
            put.map_err(|fault| failed("take", &place, fault))?;
            return Ok(row.in_store(place));
        }
        let tag = self.segment_tag(draft);
        let pieces: Vec<Command> = (0_u32..)
            .zip(bytes.chunks(PIECE_BYTES))
            .map(|(piece, bytes)| Command::plain("SET", &tag, &piece.to_string()).arg(bytes))
            .collect();
        self.inner.servers.all(&pieces, Safety::Replicated).await?;
        Ok(row.on_servers(draft, pieces.len() as u32))
    }

    /// Reads a segment.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses; [`FleetError::Store`] and [`FleetError::StoreRefuses`]: the object store does not answer, or refuses; [`FleetError::Damaged`] and
    /// [`FleetError::Segment`], if the servers or the object store have lost it, or a part of it.
    pub async fn read_segment(&self, row: &SegmentRow) -> Result<Segment, FleetError> {
        if let Some(place) = row.place() {
            let store = self.inner.segments.as_ref();
            let store = store.ok_or_else(|| lost(place, "cannot be read by a worker without an object store"))?;
            let folder = format!("/fleet-{:016x}/segments", self.crawl());
            let name = place.rsplit_once('/').filter(|(of, _)| of.ends_with(&folder));
            if !name.is_some_and(|(_, name)| is_draft(name)) || row.bytes > MOST_BYTES {
                return Err(lost(place, "is no segment of this crawl"));
            }
            let got = store.get(place, row.bytes).await;
            let got = got.map_err(|fault| failed("give", place, fault))?;
            return row.decode(&got.ok_or_else(|| lost(place, "is missing"))?);
        }
        let tag = self.segment_tag(row.draft());
        let mut whole = Vec::with_capacity(row.bytes.min(1 << 26) as usize);
        let pieces: Vec<Command> = (0..row.pieces())
            .map(|piece| Command::plain("GET", &tag, &piece.to_string()))
            .collect();
        for some in pieces.chunks(PIECES_A_CALL) {
            for piece in self.inner.servers.all(some, Safety::Primary).await? {
                whole.extend(bytes(piece)?);
            }
        }
        row.decode(&whole)
    }

    /// Whether a segment is as it was written. An object is read as a whole: this is the last time that the log can replace it.
    pub(super) async fn is_whole(&self, row: &SegmentRow) -> Result<bool, FleetError> {
        if row.place().is_some() {
            return match self.read_segment(row).await {
                Ok(_) => Ok(true),
                Err(FleetError::Segment { .. }) => Ok(false),
                Err(error) => Err(error),
            };
        }
        let command = Command::script(&BYTES, &self.segment_tag(row.draft())).number(u64::from(row.pieces()));
        let found = self.inner.servers.one(command, Safety::Primary).await?;
        Ok(integer(&found)? == row.bytes)
    }

    /// Removes what a draft that nobody names has left. An object that the store does not remove now does no harm.
    pub(super) async fn forget_draft(&self, draft: &str) -> Result<(), FleetError> {
        let command = Command::script(&FORGET, &self.segment_tag(draft));
        self.inner.servers.one(command, Safety::Primary).await?;
        if let Some((store, place)) = self.place_of_draft(draft)
            && let Err(fault) = store.remove(&place).await
        {
            tracing::debug!(place, %fault, "the object of an unfinished segment stays in the store");
        }
        Ok(())
    }

    /// The place of the segment of a draft, for a message.
    pub(super) fn where_is(&self, draft: &str) -> String {
        self.place_of_draft(draft)
            .map_or_else(|| draft.to_owned(), |(_, place)| place)
    }

    /// Does what may take longer than a draft may, and asks for more time meanwhile. Otherwise two workers with slow connections to the store
    /// would begin the same segment in turns, and neither would end it. The time has a bound, so that a worker whose store hangs does not keep
    /// the others from writing. The second argument says what the store is to do, and where.
    ///
    /// # Errors
    /// Those of the work; [`FleetError::Store`], if it takes too long.
    pub(super) async fn renewing<T>(
        &self,
        number: u64,
        (action, place): (&'static str, &str),
        work: impl Future<Output = Result<T, FleetError>>,
    ) -> Result<T, FleetError> {
        let mut work = pin!(work);
        for _ in 0..RENEWALS * LONGEST_ERRAND {
            if let Ok(done) = tokio::time::timeout(self.lease() / RENEWALS, work.as_mut()).await {
                return done;
            }
            let renew = Command::script(&RENEW, &self.inner.log)
                .number(number)
                .number(self.lease().as_millis() as u64);
            if let Err(error) = self.inner.servers.one(renew, Safety::Primary).await {
                tracing::debug!(%error, "the draft of a segment is not renewed");
            }
        }
        let waited = (self.lease() * LONGEST_ERRAND).as_secs();
        let reason = format!("no answer for {waited} s; another worker may try");
        Err(failed(action, place, StoreFault::NoAnswer(reason)))
    }

    /// As [`prove_shared`](Self::prove_shared), whatever it has found before.
    pub(super) async fn prove_shared_again(&self) -> Result<(), FleetError> {
        self.inner.is_store_shared.store(false, Ordering::Release);
        self.prove_shared().await
    }

    /// Finds out, once, whether the store of this worker is that of the others: a folder of the same name on another machine is not. Each worker
    /// would write segments that the others cannot read.
    ///
    /// # Errors
    /// [`FleetError::OtherStore`]; no server answers within the bound, or one refuses; [`FleetError::Store`] and [`FleetError::StoreRefuses`]: the object store does not answer, or refuses.
    pub async fn prove_shared(&self) -> Result<(), FleetError> {
        let name = format!("store-{}", self.incarnation());
        let Some((store, own)) = self.place_of(&name) else {
            return Ok(());
        };
        if self.inner.is_store_shared.load(Ordering::Acquire) {
            return Ok(());
        }
        let folder = own.rsplit_once('/').map_or("", |(folder, _)| folder);
        let mark = |own: &str| {
            Command::script(&MARK, &self.inner.log)
                .arg(format!("{folder}/"))
                .arg(own)
        };
        let known = self.inner.servers.one(mark(""), Safety::Replicated).await?;
        let mut mark_of_all = text(known)?;
        if mark_of_all.is_empty() {
            let put = store.put(&own, self.incarnation().into_bytes()).await;
            put.map_err(|fault| failed("take", &own, fault))?;
            // Another worker may have been first.
            mark_of_all = text(self.inner.servers.one(mark(&own), Safety::Replicated).await?)?;
            if mark_of_all != own
                && let Err(fault) = store.remove(&own).await
            {
                tracing::debug!(place = own, %fault, "a mark that no worker needs stays in the store");
            }
        }
        // A mark is an incarnation.
        let got = store.get(&mark_of_all, self.incarnation().len() as u64).await;
        let got = got.map_err(|fault| failed("give", &mark_of_all, fault))?;
        if got.is_none() {
            if !self.has_last_segment(folder).await? {
                return Err(FleetError::OtherStore { place: mark_of_all });
            }
            let put = store.put(&mark_of_all, self.incarnation().into_bytes()).await;
            put.map_err(|fault| failed("take", &mark_of_all, fault))?;
        }
        self.inner.is_store_shared.store(true, Ordering::Release);
        Ok(())
    }

    /// Whether the store has the last segment, below a folder: then it is that of the others, and somebody has removed the mark.
    async fn has_last_segment(&self, folder: &str) -> Result<bool, FleetError> {
        let last = Command::plain("ZREVRANGE", &self.inner.log, "g").number(0).number(0);
        let rows = list(self.inner.servers.one(last, Safety::Primary).await?)?;
        let Some(row) = rows.into_iter().next() else {
            return Ok(false);
        };
        let row = SegmentRow::read(&bytes(row)?)?;
        let is_below = row
            .place()
            .is_some_and(|place| place.starts_with(&format!("{folder}/")));
        Ok(is_below && self.is_whole(&row).await?)
    }

    /// The store and the place in it for the segment of a draft, if this worker keeps segments there.
    fn place_of_draft(&self, draft: &str) -> Option<(&Arc<dyn SegmentStore>, String)> {
        self.place_of(&format!("segments/{draft}"))
    }

    fn place_of(&self, name: &str) -> Option<(&Arc<dyn SegmentStore>, String)> {
        let store = self.inner.segments.as_ref()?;
        let place = store.place(&format!("fleet-{:016x}/{name}", self.crawl()))?;
        Some((store, place))
    }

    fn segment_tag(&self, draft: &str) -> Tag {
        Tag::new(&self.inner.name, &format!("log/{draft}"))
    }
}

/// The store cannot do this now, or refuses.
fn failed(action: &'static str, place: &str, fault: StoreFault) -> FleetError {
    let place = place.to_owned();
    match fault {
        StoreFault::Refused(reason) => FleetError::StoreRefuses { action, place, reason },
        StoreFault::NoAnswer(reason) => FleetError::Store { action, place, reason },
    }
}

/// The store does not have what the row of a segment names.
fn lost(place: &str, fault: &'static str) -> FleetError {
    FleetError::Segment {
        place: place.to_owned(),
        fault,
    }
}
