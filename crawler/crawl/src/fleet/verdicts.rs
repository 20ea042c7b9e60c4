//! The verdicts of a crawl by several workers: a function of the log of claims, so that no two workers can disagree.
//!
//! ```text
//! fetched page ──▶ like a page of the log? ── yes ─▶ duplicate of that page
//!                          │ no
//!                          ▼
//!                  like an own page whose claim is on its way? ── yes ─▶ waits for that claim
//!                          │ no
//!                          ▼
//!                       kept; its claim goes to the log
//!
//! claim from the log ──▶ like an earlier page of the log? ── no ──▶ the page enters the index
//!                          │ yes                                    (an own page is confirmed)
//!                          ▼
//!                  the page is a duplicate of that one; an own page yields
//! ```
//!
//! The index holds the pages of the log that are kept, of all workers, under packed numbers. Only the log changes it: whether a claim
//! stands depends on the claims before it and on nothing else, neither on what this worker has fetched, nor on its pages whose claims are
//! on their way. Those are in an index of their own, which only keeps this worker from claiming two pages of one text.
//!
//! What has left the log is in segments, which hold its decisions in its order. A worker that reads a segment takes them over, and is then
//! where a worker is that has read the log.
//!
//! A page waits only for a claim of this worker, and every such claim comes back: the outbox repeats it until it is in the log, or the
//! fleet refuses it. So no page waits for another worker, not even for one that is dead.

use std::collections::{BTreeMap, BTreeSet, btree_map};

use dedup::{Deduplicator, DocId, DuplicateRule, Index, MemoryIndex, Signature, Width};
use fleet::{Entry, Judged, PageId, Position, WorkerNumber};
use serde::{Deserialize, Serialize};
use storage::{PageElsewhere, Verdict};

use crate::index::{decode_signature_with_bands, stored};
use error::RunError;

/// The decision on a fetched page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Decision {
    /// It says what a page of the log says.
    Duplicate(Verdict),
    /// It is like this own page, whose claim is on its way.
    Wait(u64),
    /// It says something new.
    Keep,
}

/// The consequence of a claim for this worker.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Applied {
    /// This page of this worker stays kept.
    Confirmed(u64),
    /// This page of this worker is a duplicate.
    Yields(u64, Verdict),
    /// Another worker's page is kept.
    Entered,
    /// Another worker's page is a duplicate.
    Dropped,
    /// From here on, this other worker's pages are not in the log.
    Forgets(WorkerNumber),
    /// The claim was applied before, or it cannot be read.
    Nothing,
}

/// What the index of the log must remember beside the signatures.
#[derive(Debug, Default, Serialize, Deserialize)]
struct Mark {
    position: Position,
    /// Own kept pages whose claims have not come back.
    claimed: Vec<u64>,
    /// Workers that the log has forgotten, and where.
    forgotten: Vec<(u16, Position)>,
}

/// A [`Mark`] of a version that forgot no worker.
#[derive(Debug, Deserialize)]
struct MarkBefore {
    position: Position,
    claimed: Vec<u64>,
}

impl Mark {
    fn read(mark: &[u8]) -> Result<Self, RunError> {
        if let Ok(mark) = postcard::from_bytes(mark) {
            return Ok(mark);
        }
        let MarkBefore { position, claimed } = postcard::from_bytes(mark).map_err(RunError::Signature)?;
        Ok(Self {
            position,
            claimed,
            forgotten: Vec::new(),
        })
    }
}

/// The state of the verdicts beside the index of the log.
#[derive(Debug)]
pub(crate) struct Verdicts {
    me: WorkerNumber,
    /// The last entry of the log that is in the index.
    position: Position,
    /// Whether the index lacks a mark of this state.
    has_changed: bool,
    /// The own kept pages whose claims have not come back.
    claims: Deduplicator<MemoryIndex>,
    claimed: BTreeSet<u64>,
    /// Workers that the log has forgotten, and where.
    forgotten: BTreeMap<u16, Position>,
}

impl Verdicts {
    /// The verdicts of the worker `me`, at the `mark` of its index of the log, and the own pages whose claims were on their way then. The
    /// caller passes each of these that is still kept to [`kept`](Self::kept).
    ///
    /// # Errors
    /// The mark is damaged, or no index can be made by the rule.
    pub fn open(
        me: WorkerNumber,
        mark: Option<&[u8]>,
        (width, rule): (Width, &DuplicateRule),
    ) -> Result<(Self, Vec<u64>), RunError> {
        let mark: Mark = match mark {
            Some(mark) => Mark::read(mark)?,
            None => Mark::default(),
        };
        let verdicts = Self {
            me,
            position: mark.position,
            has_changed: false,
            claims: Deduplicator::new(MemoryIndex::of_width(width, rule)?, rule.clone())?,
            claimed: BTreeSet::new(),
            forgotten: mark.forgotten.into_iter().collect(),
        };
        Ok((verdicts, mark.claimed))
    }

    /// Whether the page is this worker's.
    pub fn is_own(&self, page: PageId) -> bool {
        page.worker == self.me
    }

    /// The place in the log up to which it is applied.
    pub fn position(&self) -> Position {
        self.position
    }

    /// The workers that the log has forgotten, and where.
    pub fn forgotten(&self) -> &BTreeMap<u16, Position> {
        &self.forgotten
    }

    /// Whether this worker knows what the log kept up to a place: it has forgotten no other one behind it.
    pub fn can_judge(&self, end: Position) -> bool {
        self.position >= end && self.forgotten.values().all(|at| *at <= end)
    }

    /// Notes that the log forgets a worker at its place.
    fn forgets(&mut self, worker: WorkerNumber) -> Applied {
        if worker == self.me {
            // The next heartbeat ends this run.
            return Applied::Nothing;
        }
        // Several workers may have added the entry. The first one counts.
        match self.forgotten.entry(worker.0) {
            btree_map::Entry::Vacant(entry) => {
                entry.insert(self.position);
                Applied::Forgets(worker)
            }
            btree_map::Entry::Occupied(_) => Applied::Nothing,
        }
    }

    /// Whether claims of this worker are on their way.
    pub fn has_claims(&self) -> bool {
        !self.claimed.is_empty()
    }

    /// Whether the claim of this own page is on its way.
    pub fn is_claimed(&self, page: u64) -> bool {
        self.claimed.contains(&page)
    }

    /// The own kept pages whose claims are on their way.
    pub fn claimed(&self) -> &BTreeSet<u64> {
        &self.claimed
    }

    /// Whether the log keeps this own page.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn is_confirmed<I: Index>(&self, log: &Deduplicator<I>, page: u64) -> Result<bool, RunError> {
        keeps(log, self.page_id(page))
    }

    /// The page of the log that a verdict of this worker's catalogue names.
    pub fn of(&self, number: u64) -> PageId {
        PageId::unpacked(number).unwrap_or(self.page_id(number))
    }

    /// The decision on a fetched page. `log` is the index of the log.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn decide<I: Index>(&self, log: &Deduplicator<I>, signature: &Signature) -> Result<Decision, RunError> {
        let verdict = self.stored(log.check(signature)?);
        if verdict != Verdict::Unique {
            return Ok(Decision::Duplicate(verdict));
        }
        let claimed = self.claims.check(signature)?.of();
        Ok(claimed.map_or(Decision::Keep, |DocId(page)| Decision::Wait(page)))
    }

    /// Notes that this worker keeps a page, and claims it.
    ///
    /// # Errors
    /// The page cannot enter the index in memory.
    pub fn kept(&mut self, page: u64, signature: &Signature) -> Result<(), RunError> {
        self.claims.insert(DocId(page), signature)?;
        self.has_changed |= self.claimed.insert(page);
        Ok(())
    }

    /// Forgets the claim of an own page: it came back, or the fleet refused it.
    ///
    /// # Errors
    /// The page cannot leave the index in memory.
    pub fn forget(&mut self, page: u64) -> Result<(), RunError> {
        self.claims.remove(DocId(page))?;
        self.has_changed |= self.claimed.remove(&page);
        Ok(())
    }

    /// Applies the next claims of the log, on all cores. The verdict on each depends on the log before it alone, however the log is cut into
    /// calls. A claim that cannot be read counts for no worker. An entry that forgets a worker comes alone: the caller removes its pages from
    /// the index before it applies the next ones.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn apply<I: Index + Sync>(
        &mut self,
        log: &Deduplicator<I>,
        entries: &[(Position, Entry)],
    ) -> Result<Vec<Applied>, RunError> {
        let read = dedup::on_all_cores(entries, |(_, entry)| decode_signature_with_bands(&entry.signature));
        let mut claims = Vec::with_capacity(entries.len());
        let mut applied = vec![Applied::Nothing; entries.len()];
        let mut whose = Vec::with_capacity(entries.len());
        for (at, ((position, entry), signature)) in entries.iter().zip(read).enumerate() {
            if *position <= self.position {
                continue;
            }
            self.position = *position;
            self.has_changed = true;
            if let Some(worker) = entry.page.forgets() {
                applied[at] = self.forgets(worker);
                continue;
            }
            if self.forgotten.contains_key(&entry.page.worker.0) {
                applied[at] = Applied::Dropped;
                continue;
            }
            if self.is_own(entry.page) {
                self.forget(entry.page.sequence)?;
            }
            match signature {
                Ok(signature) => {
                    claims.push((DocId(entry.page.packed()), signature));
                    whose.push((at, entry.page));
                }
                Err(error) => tracing::warn!(
                    worker = entry.page.worker.0,
                    page = entry.page.sequence,
                    "a claim in the log cannot be read: {error}"
                ),
            }
        }
        let verdicts = log.check_and_insert_all(&claims)?;
        for ((at, page), verdict) in whose.into_iter().zip(verdicts) {
            // A worker repeats a claim of which it does not know whether it arrived. Such a page has the digest of no kept page but itself.
            let is_kept = verdict.of().is_none_or(|of| of.0 == page.packed());
            applied[at] = match (self.is_own(page), is_kept) {
                (true, true) => Applied::Confirmed(page.sequence),
                (true, false) => Applied::Yields(page.sequence, self.stored(verdict)),
                (false, true) => Applied::Entered,
                (false, false) => Applied::Dropped,
            };
        }
        Ok(applied)
    }

    /// Takes over what a segment says of the next page, as if the log itself had said it. [`ends_segment`](Self::ends_segment) follows
    /// the last page. Some of the pages may be known already.
    ///
    /// # Errors
    /// The index cannot be read or written.
    pub fn take_over<I: Index>(&mut self, log: &Deduplicator<I>, judged: &Judged) -> Result<Applied, RunError> {
        match judged {
            Judged::Kept(entry) if entry.page.forgets().is_some() => Ok(self.forgets(entry.page.worker)),
            Judged::Kept(entry) => {
                let own = self.is_own(entry.page).then_some(entry.page.sequence);
                if let Some(page) = own {
                    self.forget(page)?;
                }
                let is_new = !keeps(log, entry.page)?;
                if is_new {
                    log.insert(
                        DocId(entry.page.packed()),
                        &decode_signature_with_bands(&entry.signature)?,
                    )?;
                }
                Ok(match own {
                    Some(page) => Applied::Confirmed(page),
                    None if is_new => Applied::Entered,
                    None => Applied::Nothing,
                })
            }
            Judged::Dropped(page) if !self.is_own(*page) => Ok(Applied::Dropped),
            Judged::Dropped(page) => {
                // The index is now as it was at this place of the log, so the verdict is the one of the log.
                let signature = self.claims.index().signature(DocId(page.sequence))?;
                let Some(signature) = signature else {
                    return Ok(Applied::Nothing);
                };
                self.forget(page.sequence)?;
                Ok(match self.stored(log.check(&signature)?) {
                    // Nobody could read the claim.
                    Verdict::Unique => Applied::Nothing,
                    verdict => Applied::Yields(page.sequence, verdict),
                })
            }
        }
    }

    /// Notes that a segment is applied to its end.
    pub fn ends_segment(&mut self, end: Position) {
        self.position = self.position.max(end);
        self.has_changed = true;
    }

    /// Begins the log anew, with an empty index. The claims stay.
    pub fn begins_anew(&mut self) {
        self.position = Position::default();
        self.forgotten.clear();
        self.has_changed = true;
    }

    /// The [mark](Self::mark) of the index at a place. Nothing but the mark depends on it.
    ///
    /// # Errors
    /// As there.
    pub fn mark_at(&mut self, place: Position) -> Result<Vec<u8>, RunError> {
        self.position = place;
        self.mark()
    }

    /// The mark for the index, if the index lacks one of this state. The caller writes it with the index, after the catalogue has what
    /// the applied claims mean for it.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn mark(&mut self) -> Result<Vec<u8>, RunError> {
        let mark = Mark {
            position: self.position,
            claimed: self.claimed.iter().copied().collect(),
            forgotten: self.forgotten.iter().map(|(worker, at)| (*worker, *at)).collect(),
        };
        self.has_changed = false;
        postcard::to_stdvec(&mark).map_err(RunError::Signature)
    }

    /// Whether the index lacks a [mark](Self::mark) of this state.
    pub fn has_changed(&self) -> bool {
        self.has_changed
    }

    fn page_id(&self, page: u64) -> PageId {
        PageId {
            worker: self.me,
            sequence: page,
        }
    }

    /// A verdict of the index of the log for the catalogue of this worker.
    fn stored(&self, verdict: dedup::Verdict) -> Verdict {
        let verdict = stored(verdict);
        match verdict.of() {
            Some(of) => verdict.with_of(PageElsewhere::own_number(of, Some(self.me.0))),
            None => verdict,
        }
    }
}

/// Whether the log keeps a page. `log` is its index, applied behind the page.
///
/// # Errors
/// The index cannot be read.
pub(crate) fn keeps<I: Index>(log: &Deduplicator<I>, page: PageId) -> Result<bool, RunError> {
    Ok(log.index().signature(DocId(page.packed()))?.is_some())
}

#[cfg(test)]
mod tests;
