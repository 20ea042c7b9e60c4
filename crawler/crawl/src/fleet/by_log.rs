//! The verdicts of a worker of a fleet: by the log of claims instead of its catalogue.
//!
//! ```text
//! page ─▶ decide ─▶ kept ─▶ commit: page and claim ─▶ desk ─▶ the log ─▶ desk ─▶ take_log: stays kept, or yields
//!            │                                                                        │
//!            └─▶ waits, with its ticket, for the claim of an own page ◀───────────────┘
//! ```
//!
//! A commit first makes durable what the entries of the log mean for the catalogue, with the URLs and signatures of the pages that other
//! workers keep, and then writes the index with its place in the log. A crash between the two repeats the entries, which changes nothing.
//!
//! - `post`: what the desk says; `letters`: what it is told
//! - `segments`: what has left the log; `lost_log`: what the log has lost; `forgotten`: where the log forgets a worker
//! - `restore`: what the folder brings back after the servers have lost the crawl

mod forgotten;
mod letters;
mod lost_log;
mod post;
mod restore;
mod segments;

use std::collections::BTreeSet;
use std::sync::Arc;

use crossbeam_channel::Receiver;
use dedup::{Confirm, Deduplicator, SledIndex};
use fleet::{Entry, Position, WorkerNumber};
use storage::{FETCHED_ELSEWHERE, KeptElsewhere, PageElsewhere, PageRecord, Store, Verdict};
use tokio::sync::mpsc::UnboundedSender;

use super::idle::IdleSign;
use super::letter::Mail;
use super::messages::{FromDesk, ToDesk};
use super::ownership::Ownership;
use super::verdicts::{Applied, Decision, Verdicts};
use crate::index::{self, decode_signature_with_bands, encode_signature, signature_across_folders, without_bands};
use crate::messages::UndecidedPage;
use crate::recorder::{Books, Judge, Ruling};
use crate::scope::Scope;
use config::settings::Settings;
use error::RunError;
use letters::Letters;
use lost_log::Recovery;

/// The reason of the exclusion of a page that is to be fetched again.
const RESTED_ON_A_LOST_ENTRY: &str = "its verdict rested on an entry of the fleet's log that the servers have lost";

/// The reasons for which a URL is excluded that another worker is to fetch, or this one again.
const IS_LEFT: [&str; 2] = [FETCHED_ELSEWHERE, RESTED_ON_A_LOST_ENTRY];

/// Rows or letters that are staged at a time.
const PAGES_AT_A_TIME: usize = 256;

/// What joins the recorder with the desk.
#[derive(Debug)]
pub(crate) struct DeskLink {
    /// The partitions of this worker.
    pub ownership: Ownership,
    /// The sign that shows whether letters are left.
    pub sign: IdleSign,
    /// To the desk.
    pub desk: UnboundedSender<ToDesk>,
    /// From the desk.
    pub from_desk: Receiver<FromDesk>,
    /// The scope of the crawl. Seeds of other workers widen it.
    pub scope: Arc<Scope>,
    /// A random number that all workers of the crawl know, and nobody else.
    pub secret: u64,
    /// Whether the servers had lost the crawl, so that this folder must be brought back.
    pub restores: bool,
}

/// Decides by the log of a fleet. Some pages wait until the log has moved on.
#[derive(Debug)]
pub(crate) struct ByLog {
    /// The kept pages of the log of claims.
    dedup: Deduplicator<SledIndex>,
    verdicts: Verdicts,
    recovery: Recovery,
    /// Whether the rule compares metadata. If not, the log does without their sketches, which are a third of a signature.
    compares_metadata: bool,
    letters: Letters,
    from_desk: Receiver<FromDesk>,
    scope: Arc<Scope>,
    max_depth: u16,
    /// The place in the log of which the desk knows that it is applied.
    told: Position,
}

impl ByLog {
    /// The verdicts of the worker `me`. The desk learns up to which place the log is applied, and reads on from there.
    ///
    /// The index of the log takes the place of an index of the catalogue. If there is no index of the log yet, or none any more after a
    /// rebuild, all kept pages count as claimed until the log is read. Those that it does not have are claimed then.
    ///
    /// # Errors
    /// The index or the catalogue cannot be read or written.
    pub fn open(me: WorkerNumber, books: &mut Books, settings: &Settings, link: DeskLink) -> Result<Self, RunError> {
        let store = books.store_mut();
        // A crawl that was brought back has another log.
        if link.restores || store.run_notes().worker()? != Some(me.0) {
            index::erase_index(store)?;
            store.note_worker(me.0)?;
            store.commit()?;
        }
        let dedup = index::open_across_folders(store, settings, link.secret)?;
        let mark = dedup.index().mark().map(<[u8]>::to_vec);
        let by = (settings.scheme.width, &settings.rule);
        let (verdicts, mut claimed) = Verdicts::open(me, mark.as_deref(), by)?;
        let in_outbox = store.outbox().letters(0, usize::MAX)?;
        let in_outbox = in_outbox.iter().filter_map(|(_, letter)| match Mail::read(letter) {
            Some(Mail::Claim(claim)) => Some(claim.page),
            _ => None,
        });
        claimed.extend(in_outbox);
        let mut by_log = Self {
            dedup,
            told: verdicts.position(),
            verdicts,
            recovery: Recovery::default(),
            compares_metadata: matches!(settings.rule.confirm, Confirm::Combined { .. }),
            letters: Letters::new(link.ownership, link.sign, link.desk),
            from_desk: link.from_desk,
            scope: link.scope,
            max_depth: settings.limits.max_depth,
        };
        for page in claimed {
            if let Some(record) = books.store().latest_page(page)?.filter(PageRecord::is_kept) {
                let signature = decode_signature_with_bands(&record.signature)?;
                by_log
                    .verdicts
                    .kept(page, &signature_across_folders(&signature, &record.url))?;
            }
        }
        if mark.is_none() {
            by_log.claim_kept(books.store())?;
        }
        if link.restores {
            by_log.bring_back(books.store())?;
        }
        by_log.recovery.forgotten = by_log.verdicts.forgotten().keys().copied().collect();
        by_log.tell_forgotten();
        books.note_departures();
        books.commit(&mut by_log)?;
        by_log.letters.tell(ToDesk::Applied(by_log.told));
        Ok(by_log)
    }

    /// The signature of the page at `url` for the log, with all that the rule compares.
    fn claimed(&self, signature: &[u8], url: &str) -> Result<Vec<u8>, RunError> {
        let mut signature = signature_across_folders(&decode_signature_with_bands(signature)?, url).into_owned();
        if !self.compares_metadata {
            signature.metadata = None;
        }
        encode_signature(&signature)
    }

    /// Tells the desk which workers the index has forgotten.
    fn tell_forgotten(&self) {
        for (worker, at) in self.verdicts.forgotten() {
            self.letters.tell(ToDesk::Forgot(WorkerNumber(*worker), *at));
        }
    }

    /// Whether claims of this worker are on their way, or letters.
    fn awaits_arrivals(&self, store: &Store) -> bool {
        !store.outbox().is_empty() || self.verdicts.has_claims()
    }

    /// Applies entries of the log. Returns the own pages whose claims have come back.
    fn take_log(&mut self, books: &mut Books, entries: Vec<(Position, Entry)>) -> Result<BTreeSet<u64>, RunError> {
        let mut came_back = BTreeSet::new();
        let forgets = |(_, entry): &(Position, Entry)| entry.page.forgets().is_some();
        let mut rest = entries;
        while !rest.is_empty() {
            let first = rest.iter().position(forgets).unwrap_or(rest.len());
            if first == 0 {
                // The pages leave the index at once. So no entry before this one may be applied again after a crash.
                books.commit(self)?;
            }
            let behind = rest.split_off(first.max(1));
            self.apply(books, rest, &mut came_back)?;
            rest = behind;
        }
        Ok(came_back)
    }

    fn apply(
        &mut self,
        books: &mut Books,
        entries: Vec<(Position, Entry)>,
        came_back: &mut BTreeSet<u64>,
    ) -> Result<(), RunError> {
        let applied = self.verdicts.apply(&self.dedup, &entries)?;
        for (applied, (_, entry)) in applied.into_iter().zip(entries) {
            if self.verdicts.is_own(entry.page) {
                came_back.insert(entry.page.sequence);
            }
            match applied {
                Applied::Yields(page, verdict) => yields(books, page, verdict)?,
                Applied::Entered => note_elsewhere(books.store_mut(), entry)?,
                Applied::Forgets(worker) => {
                    self.forget_worker(books, worker)?;
                    self.tell_forgotten();
                }
                Applied::Confirmed(_) | Applied::Dropped | Applied::Nothing => {}
            }
        }
        Ok(())
    }
}

impl Judge for ByLog {
    /// No page of another worker can be exchanged for its canonical page.
    fn decide(&mut self, _books: &Books, id: u64, page: &UndecidedPage) -> Result<Ruling, RunError> {
        let signature = signature_across_folders(&page.signature, &page.queued.url);
        Ok(match self.verdicts.decide(&self.dedup, &signature)? {
            Decision::Duplicate(verdict) => Ruling::now(verdict),
            Decision::Wait(on) => Ruling::WaitFor(on),
            Decision::Keep => {
                self.verdicts.kept(id, &signature)?;
                Ruling::now(Verdict::Unique)
            }
        })
    }

    fn is_behind(&self, _store: &Store) -> bool {
        self.verdicts.has_changed()
    }

    fn may_commit_beside(&self) -> bool {
        false
    }

    /// No page leaves the index of the log; a page that yielded never was in it.
    /// Pages of other workers may be duplicates of a page that the log has.
    fn takes_back(&self) -> bool {
        false
    }

    fn departed(&mut self, _pages: &[u64]) -> Result<(), RunError> {
        Ok(())
    }

    /// Writes the index with its place in the log.
    fn persist(&mut self, _durable: u64) -> Result<(), RunError> {
        if self.verdicts.has_changed() {
            let mark = self.verdicts.mark()?;
            self.dedup.index_mut().persist_marked(&mark)?;
        }
        Ok(())
    }

    fn settle(&mut self) -> Result<(), RunError> {
        Ok(self.dedup.index_mut().settle()?)
    }

    #[cfg(test)]
    fn dedup(&self) -> &Deduplicator<SledIndex> {
        &self.dedup
    }
}

/// Notes the page that another worker keeps.
fn note_elsewhere(store: &mut Store, entry: Entry) -> Result<(), RunError> {
    let page = PageElsewhere {
        worker: entry.page.worker.0,
        sequence: entry.page.sequence,
    };
    let (url, signature) = (entry.url, without_bands(entry.signature)?);
    Ok(store.note_elsewhere(page, &KeptElsewhere { url, signature })?)
}

/// Makes a page a duplicate, unless it is one already: a crash repeats entries of the log.
fn yields(books: &mut Books, page: u64, verdict: Verdict) -> Result<(), RunError> {
    match books.store().latest_page(page)? {
        Some(record) if record.is_kept() => {
            tracing::debug!(url = %record.url, ?verdict, "yields");
            books.store_mut().yield_page(page, verdict)?;
            books.note_departures();
        }
        Some(_) => {}
        None => tracing::warn!(page, "the log has a claim of a page that this folder does not have"),
    }
    Ok(())
}
