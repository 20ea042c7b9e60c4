//! Redecides the pages of a state during its rebuild: gives them new verdicts, by another rule or scheme.
//!
//! The archive is history: its metadata records hold the crawl's verdicts and never change. New verdicts are in the state alone. They
//! are derived from the archived texts and the caller's rules. They are counted twice: against the crawl's, and against those in force before,
//! which an earlier redecision may have given. A crash leaves the old state untouched, because the redecision ends
//! before the new state takes its place.
//!
//! A duplicate that is unique by the new rule is kept by its text; its body was never archived. The next crawl visits it to fetch
//! the body ([`PageRecord::is_kept_without_body`]).

use super::{DecidedSchemes, Rebuild};
use crate::catalogue::Catalogue;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::page::{Fate, PageRecord, Verdict};
use crate::run_notes::{Redecided, RunNotes};
use crate::store::Store;
use crate::warc::location::WarcEnd;

/// The new verdict on a page.
#[derive(Debug, Clone, PartialEq)]
pub struct Redecision {
    /// The verdict.
    pub verdict: Verdict,
    /// The signature by the new scheme, as the caller encodes it.
    pub signature: Vec<u8>,
    /// The page whose place this one takes.
    pub replaces: Option<u64>,
}

/// Pages by how their verdicts changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ChangedVerdicts {
    /// Duplicates that are kept now.
    pub newly_kept: u64,
    /// Kept pages that are duplicates now.
    pub newly_dropped: u64,
    /// Duplicates of another page than before, or by another comparison.
    pub otherwise: u64,
}

impl ChangedVerdicts {
    fn count(&mut self, was: Verdict, now: Option<Verdict>) {
        match (was.of(), now.and_then(Verdict::of)) {
            (Some(_), None) => self.newly_kept += 1,
            (None, Some(_)) => self.newly_dropped += 1,
            _ => self.otherwise += 1,
        }
    }
}

impl Rebuild {
    /// The schemes of the archived verdicts.
    #[must_use]
    pub fn decided_schemes(&self) -> &DecidedSchemes {
        &self.decided
    }

    /// The state so far, without the URLs that [`finish`](Self::finish) queues.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// Sets the state's scheme to `scheme`. The caller must then [redecide](Self::redecide) every page. Later pages of the crawl go into
    /// a new file, whose head names the scheme.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn begin_redeciding(&mut self, scheme: &str) -> Result<(), StorageError> {
        self.store.set_scheme(scheme)?;
        self.store.commit()?;
        // The index is rebuilt too, so no page need be removed from the old one.
        let departed = self.store.catalogue().departed()?;
        self.store.forget_departed(&departed)?;
        self.take_former_verdicts()?;
        if self.end.offset > 0 {
            self.closed = Some(self.end);
            self.end = WarcEnd {
                file: self.end.file + 1,
                offset: 0,
            };
        }
        Ok(())
    }

    /// Gives a page its new verdict. An old version gets only the signature.
    ///
    /// # Errors
    /// Errors of the state, [`StorageError::Corrupt`] if there is no such page.
    pub fn redecide(&mut self, sequence: u64, decided: Redecision) -> Result<(), StorageError> {
        let page = self.store.latest_page(sequence)?;
        let mut page = page.ok_or_else(|| StorageError::Corrupt {
            dir: self.store.dir().to_owned(),
            detail: "the record of a redecided page cannot be read".to_owned(),
        })?;
        let was = page.verdict;
        page.signature = decided.signature;
        self.store.make_room()?;
        let mut piece = self.store.piece();
        if page.fate == Fate::Current {
            page.verdict = decided.verdict;
            page.replaces = decided.replaces;
            let (was_class, now) = (was.kind(), page.verdict.kind());
            if was_class != now {
                let change = CountChange::Reclassified {
                    was: was_class,
                    now,
                    body_bytes: page.body_bytes,
                };
                piece.count(page.host.clone(), change);
            }
            if was != page.verdict {
                // A page may get several verdicts in one redecision.
                self.in_force.entry(sequence).or_insert(was);
            }
            let crawled_as = match self.redecided.remove(&sequence) {
                Some(crawled_as) => crawled_as,
                None => self.crawled_as(&page)?.unwrap_or(was),
            };
            if crawled_as != page.verdict {
                self.redecided.insert(sequence, crawled_as);
            }
        }
        Catalogue::set(sequence, &page, &mut piece)?;
        self.store.stage(piece);
        Ok(())
    }

    /// The verdict at the first fetch of the page's bytes, if an earlier version has the same bytes: a page that is kept by its text
    /// is fetched again for its body.
    fn crawled_as(&self, page: &PageRecord) -> Result<Option<Verdict>, StorageError> {
        let mut first = None;
        let mut previous = page.previous;
        while let Some(sequence) = previous {
            let earlier = self.store.latest_page(sequence)?;
            let Some(earlier) = earlier.filter(|earlier| earlier.payload_digest == page.payload_digest) else {
                break;
            };
            first = Some(earlier.verdict);
            previous = earlier.previous.filter(|before| *before < sequence);
        }
        Ok(first)
    }

    /// Takes the crawl's verdicts that an earlier redecision noted out of the state, for the notes of this one. Old versions get them back.
    fn take_former_verdicts(&mut self) -> Result<(), StorageError> {
        for row in self.store.catalogue().redecisions() {
            let (sequence, crawled_as) = row?;
            self.store
                .note_with(|_, piece| Catalogue::set_former(sequence, None, piece))?;
            match self.store.latest_page(sequence)? {
                Some(page) if page.fate != Fate::Current => {
                    let page = PageRecord {
                        verdict: crawled_as,
                        ..page
                    };
                    self.store
                        .note_with(|_, piece| Catalogue::set(sequence, &page, piece))?;
                }
                Some(_) => {
                    self.redecided.insert(sequence, crawled_as);
                }
                None => {}
            }
        }
        self.store.commit()?;
        Ok(())
    }

    /// Counts in `redecided` the verdicts that differ from those of the crawl, and stores it. Returns how many differ from those before
    /// this redecision.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn end_redeciding(&mut self, redecided: &mut Redecided) -> Result<ChangedVerdicts, StorageError> {
        self.store.commit()?;
        self.repair_duplicates()?;
        let mut of_crawl = ChangedVerdicts::default();
        for (sequence, was) in std::mem::take(&mut self.redecided) {
            let now = self.store.latest_page(sequence)?.map(|page| page.verdict);
            if now == Some(was) {
                continue;
            }
            of_crawl.count(was, now);
            self.store
                .note_with(|_, piece| Catalogue::set_former(sequence, Some(was), piece))?;
        }
        redecided.newly_kept = of_crawl.newly_kept;
        redecided.newly_dropped = of_crawl.newly_dropped;
        redecided.otherwise = of_crawl.otherwise;
        let mut changed = ChangedVerdicts::default();
        for (sequence, was) in std::mem::take(&mut self.in_force) {
            let now = self.store.latest_page(sequence)?.map(|page| page.verdict);
            if now != Some(was) {
                changed.count(was, now);
            }
        }
        // The folder of a worker still lacks the pages of the others.
        let is_of_worker = self.store.run_notes().worker()?.is_some();
        self.store.note_with(|_, piece| {
            if !is_of_worker {
                RunNotes::set_provisional(false, piece);
            }
            RunNotes::set_redecided(redecided, piece)
        })?;
        self.store.commit()?;
        Ok(changed)
    }

    /// Old versions and pages without a text keep their verdicts in a redecision, and a page may have yielded to an earlier one of another
    /// folder in a merge: so a page may be a duplicate of one that is itself a duplicate now. Makes it a duplicate of that page's
    /// representative.
    pub(super) fn repair_duplicates(&mut self) -> Result<(), StorageError> {
        for row in self.store.pages_from(0) {
            let (sequence, page) = row?;
            let Some(of) = page.verdict.of() else { continue };
            if self.store.catalogue().representative_of(sequence)?.is_some() {
                continue;
            }
            if let Some(representative) = self.store.catalogue().representative_of(of)? {
                let page = PageRecord {
                    verdict: page.verdict.with_of(representative),
                    ..page
                };
                self.store
                    .note_with(|_, piece| Catalogue::set(sequence, &page, piece))?;
            }
        }
        self.store.commit()?;
        Ok(())
    }
}
