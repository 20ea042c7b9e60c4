//! The recorder of a worker of a fleet: it decides by the log of claims instead of its catalogue.
//!
//! ```text
//! page ─▶ decide ─▶ kept ─▶ commit: page and claim ─▶ desk ─▶ the log ─▶ desk ─▶ take_log: stays kept, or yields
//!            │                                                                        │
//!            └─▶ waits, with its ticket, for the claim of an own page ◀───────────────┘
//! ```
//!
//! A commit first makes durable what the entries of the log mean for the catalogue, with the URLs and signatures of the pages that other
//! workers keep, and then writes the index with its place in the log. A crash between the two repeats the entries, which changes nothing.

use std::collections::{BTreeSet, HashMap};

use dedup::{Confirm, Signature};
use fleet::{Entry, Position, WorkerNumber};
use storage::{FETCHED_ELSEWHERE, ForeignPage, ForeignRecord, Letter, Outcome, PageRecord, QueuedUrl, Verdict};
use web::memory_budget::Claim as HeldMemory;

use super::Recorder;
use super::lost_log::Recovery;
use crate::config::settings::Settings;
use crate::crawl::fleet::letter::{Claim, Mail};
use crate::crawl::fleet::verdicts::{Applied, Decision, Verdicts};
use crate::crawl::index::{self, decode_signature, encode_signature};
use crate::crawl::messages::{Event, ReadPage};
use crate::error::RunError;

/// The part of the recorder that only a worker of a fleet has.
#[derive(Debug)]
pub(super) struct ByLog {
    pub(super) verdicts: Verdicts,
    pub(super) recovery: Recovery,
    /// Whether the rule compares metadata. If not, the log does without their sketches, which are a third of a signature.
    compares_metadata: bool,
    /// The pages that wait, by the own page for whose claim they wait.
    waiting: HashMap<u64, Vec<(ReadPage, HeldMemory)>>,
}

impl ByLog {
    /// A signature with all that the rule compares.
    pub(super) fn compared(&self, signature: &[u8]) -> Result<Vec<u8>, RunError> {
        if self.compares_metadata {
            return Ok(signature.to_vec());
        }
        encode_signature(&Signature {
            metadata: None,
            ..decode_signature(signature)?
        })
    }
}

impl Recorder {
    /// Decides by the log of the fleet from now on, as the worker `me`. Returns the place up to which the log is applied: the desk reads
    /// on from there.
    ///
    /// The index of the log takes the place of an index of the catalogue. If there is no index of the log yet, or none any more after a
    /// rebuild, all kept pages count as claimed until the log is read. Those that it does not have are claimed then.
    ///
    /// # Errors
    /// The index or the catalogue cannot be read or written.
    pub(crate) fn decides_by_log(&mut self, me: WorkerNumber, settings: &Settings) -> Result<Position, RunError> {
        if self.store.run_notes().worker()? != Some(me.0) {
            index::erase_index(&self.store)?;
            self.store.note_worker(me.0)?;
            self.store.commit()?;
            self.dedup = index::open_of_log(&self.store, settings)?;
        }
        let mark = self.dedup.index().mark().map(<[u8]>::to_vec);
        let by = (settings.scheme.width, &settings.rule);
        let (verdicts, mut claimed) = Verdicts::open(me, mark.as_deref(), by)?;
        let position = verdicts.position();
        self.by_log = Some(ByLog {
            verdicts,
            recovery: Recovery::default(),
            compares_metadata: matches!(settings.rule.confirm, Confirm::Combined { .. }),
            waiting: HashMap::new(),
        });
        let letters = self.store.outbox().letters(0, usize::MAX)?;
        let in_outbox = letters.iter().filter_map(|(_, letter)| match Mail::read(letter) {
            Some(Mail::Claim(claim)) => Some(claim.page),
            _ => None,
        });
        claimed.extend(in_outbox);
        for page in claimed {
            if let Some(record) = self.store.latest_page(page)?.filter(PageRecord::is_kept) {
                self.claims(page, &decode_signature(&record.signature)?)?;
            }
        }
        if mark.is_none() {
            self.claim_kept()?;
        }
        // No page leaves the index of the log; a page that yielded never was in it.
        self.has_departures = true;
        self.commit()?;
        Ok(position)
    }

    fn claims(&mut self, page: u64, signature: &Signature) -> Result<(), RunError> {
        match &mut self.by_log {
            Some(by_log) => by_log.verdicts.kept(page, signature),
            None => Ok(()),
        }
    }

    /// The decision on a page by the log; `None` if there is no fleet. A page that is kept is claimed under the number `id`.
    pub(super) fn decision_by_log(&mut self, id: u64, signature: &Signature) -> Result<Option<Decision>, RunError> {
        let Some(by_log) = &mut self.by_log else {
            return Ok(None);
        };
        let decision = by_log.verdicts.decide(&self.dedup, signature)?;
        if decision == Decision::Keep {
            by_log.verdicts.kept(id, signature)?;
        }
        Ok(Some(decision))
    }

    /// The claim of a page that is about to be recorded as kept.
    pub(super) fn claim_of(&self, queued: &QueuedUrl, outcome: &Outcome) -> Result<Option<Letter>, RunError> {
        match (outcome, &self.by_log) {
            (Outcome::Page { draft, .. }, Some(by_log)) if draft.verdict == Verdict::Unique => {
                let claim = Claim {
                    page: self.store.next_page_id(),
                    url: queued.url.clone(),
                    host: queued.host.clone(),
                    signature: by_log.compared(&draft.signature)?,
                };
                Mail::Claim(claim).letter().map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Holds a page, with the memory that it occupies, until the claim of the own page `on` has come back.
    pub(super) fn hold(&mut self, on: u64, page: ReadPage, memory: HeldMemory) {
        if let Some(by_log) = &mut self.by_log {
            by_log.waiting.entry(on).or_default().push((page, memory));
        }
    }

    /// The place up to which the log is applied; `None` without a fleet.
    pub(super) fn position(&self) -> Option<Position> {
        self.by_log.as_ref().map(|by_log| by_log.verdicts.position())
    }

    /// Whether claims of this worker are on their way.
    pub(super) fn has_claims(&self) -> bool {
        self.by_log.as_ref().is_some_and(|by_log| by_log.verdicts.has_claims())
    }

    /// Whether the index of the log has news that are not written.
    pub(super) fn has_unwritten_log(&self) -> bool {
        self.by_log.as_ref().is_some_and(|by_log| by_log.verdicts.has_changed())
    }

    /// Writes the index after a commit, up to page number `durable` of the catalogue, or up to its place in the log.
    pub(super) fn persist_index(&mut self, durable: u64) -> Result<(), RunError> {
        match &mut self.by_log {
            None => self.dedup.index_mut().persist(durable)?,
            Some(by_log) if by_log.verdicts.has_changed() => {
                let mark = by_log.verdicts.mark()?;
                self.dedup.index_mut().persist_marked(&mark)?;
            }
            Some(_) => {}
        }
        Ok(())
    }

    /// Applies entries of the log. Returns the events of the pages that waited for them.
    pub(super) fn take_log(&mut self, entries: Vec<(Position, Entry)>) -> Result<Vec<Event>, RunError> {
        let mut came_back = BTreeSet::new();
        for (position, entry) in entries {
            let Some(by_log) = &mut self.by_log else { break };
            if by_log.verdicts.is_own(entry.page) {
                came_back.insert(entry.page.sequence);
            }
            match by_log
                .verdicts
                .apply(&self.dedup, position, entry.page, &entry.signature)?
            {
                Applied::Yields(page, verdict) => self.yields(page, verdict)?,
                Applied::Entered => self.note_foreign(entry)?,
                Applied::Confirmed(_) | Applied::Dropped | Applied::Nothing => {}
            }
        }
        self.decide_waiting(came_back)
    }

    /// Notes the page that another worker keeps.
    pub(super) fn note_foreign(&mut self, entry: Entry) -> Result<(), RunError> {
        let page = ForeignPage {
            worker: entry.page.worker.0,
            sequence: entry.page.sequence,
        };
        let (url, signature) = (entry.url, entry.signature);
        Ok(self.store.note_foreign(page, &ForeignRecord { url, signature })?)
    }

    /// Makes a page a duplicate, unless it is one already: a crash repeats entries of the log.
    pub(super) fn yields(&mut self, page: u64, verdict: Verdict) -> Result<(), RunError> {
        match self.store.latest_page(page)? {
            Some(record) if record.is_kept() => {
                tracing::debug!(url = %record.url, ?verdict, "yields");
                self.store.yield_page(page, verdict)?;
                self.has_departures = true;
            }
            Some(_) => {}
            None => tracing::warn!(page, "the log has a claim of a page that this folder does not have"),
        }
        Ok(())
    }

    /// Withdraws pages whose outcome came too late: another worker is to fetch their URLs. A page that the log has already stays, because
    /// other pages may be duplicates of it. Returns the events of the pages that waited for their claims.
    pub(super) fn refused(&mut self, pages: &[u64]) -> Result<Vec<Event>, RunError> {
        let mut ended = BTreeSet::new();
        for &page in pages {
            let Some(by_log) = &mut self.by_log else { break };
            if by_log.verdicts.is_confirmed(&self.dedup, page)? {
                continue;
            }
            by_log.verdicts.forget(page)?;
            self.store.withdraw(page, FETCHED_ELSEWHERE)?;
            self.has_departures = true;
            ended.insert(page);
        }
        self.decide_waiting(ended)
    }

    /// Decides on the pages that waited for the claims of these own pages. Some may have to wait for another claim.
    pub(super) fn decide_waiting(&mut self, ended: BTreeSet<u64>) -> Result<Vec<Event>, RunError> {
        let mut events = Vec::new();
        for on in ended {
            let waited = self.by_log.as_mut().and_then(|by_log| by_log.waiting.remove(&on));
            for (page, memory) in waited.into_iter().flatten() {
                events.extend(self.page_or_hold(page, memory)?);
            }
        }
        self.update_stats();
        Ok(events)
    }
}
