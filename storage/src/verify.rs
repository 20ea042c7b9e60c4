//! Checks whether frontier, catalogue, counts, archive and `index.cdxj` agree. The owner of the index of fingerprints checks that index.

mod archive;
mod counts;
mod findings;
mod index_file;
mod page;
mod repeated;
mod rows;
mod stretches;
mod threads;

use std::collections::BTreeMap;

pub use self::findings::{Finding, FindingKind, Findings};
use self::repeated::Repeated;
use self::stretches::Stretches;
use self::threads::in_order;
use crate::counts::Counts;
use crate::error::StorageError;
use crate::frontier::QueuedUrl;
use crate::page::{Fate, PageRecord, Verdict};
use crate::store::Store;
use crate::url_state::UrlState;
use crate::urls::KnownUrl;

/// Pages that the threads share at a time.
const PAGES_AT_A_TIME: usize = 1_024;

/// Counts by host, as the rows have them.
type Counted = BTreeMap<String, Counts>;

/// The number of steps that [`verify`] takes: one for each page, URL, entry of the queue, and piece of the archive.
#[must_use]
pub fn steps_to_verify(store: &Store) -> u64 {
    let counts = store.counts();
    counts.discovered + counts.queued + counts.due + store.next_page_id() - 1 + Check { store }.steps_of_archive()
}

/// Checks every URL, page, row, archived record and line of `index.cdxj`, and reports every contradiction.
///
/// # Errors
/// The state or the archive cannot be read at all.
pub fn verify(store: &Store, findings: &mut Findings<'_>) -> Result<(), StorageError> {
    Check { store }.run(findings)
}

/// The first contradiction among the rows of pages, URLs, queue and counts, without a look at the archive; `None` if they agree.
pub(crate) fn contradiction(store: &Store) -> Result<Option<String>, StorageError> {
    Check { store }.contradiction()
}

/// A check of a store.
#[derive(Clone, Copy)]
struct Check<'a> {
    store: &'a Store,
}

impl Check<'_> {
    fn run(self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let mut counted = Counted::new();
        let stretches = self.verify_pages(&mut counted, findings)?;
        self.verify_urls(&mut counted, findings)?;
        self.verify_queue(&mut counted, findings)?;
        self.verify_counts(counted, findings)?;
        self.verify_rows(findings)?;
        self.verify_archive(&stretches, findings)?;
        self.verify_index_file(findings)
    }

    fn contradiction(self) -> Result<Option<String>, StorageError> {
        let mut first = None;
        let mut tell = |finding: Finding| {
            first.get_or_insert(finding.what);
        };
        let mut step = |_| ();
        let mut findings = Findings::new(&mut tell, &mut step);
        let mut counted = Counted::new();
        for row in self.store.pages_from(0) {
            let (_, page) = row?;
            count_page(counted.entry(page.host.clone()).or_default(), &page);
        }
        self.verify_urls(&mut counted, &mut findings)?;
        self.verify_queue(&mut counted, &mut findings)?;
        self.verify_counts(counted, &mut findings)?;
        Ok(first)
    }

    /// Returns the stretches of the archive by the records of the pages.
    fn verify_pages(self, counted: &mut Counted, findings: &mut Findings<'_>) -> Result<Stretches, StorageError> {
        let mut stretches = Stretches::default();
        let mut pages = self.store.pages_from(0);
        loop {
            let some: Vec<(u64, PageRecord)> = pages.by_ref().take(PAGES_AT_A_TIME).collect::<Result<_, _>>()?;
            if some.is_empty() {
                return Ok(stretches);
            }
            let wrong = in_order(&some, |(sequence, page)| self.wrong_with_page(*sequence, page));
            for ((sequence, page), wrong) in some.iter().zip(wrong) {
                count_page(counted.entry(page.host.clone()).or_default(), page);
                stretches.note(page);
                for (kind, what) in wrong? {
                    findings.note(kind, format!("page {sequence}, {}: {what}", page.url));
                }
            }
            findings.steps(some.len() as u64);
        }
    }

    /// The faults of the records and of the row of a page.
    fn wrong_with_page(self, sequence: u64, page: &PageRecord) -> Result<Vec<(FindingKind, String)>, StorageError> {
        let mut wrong = self.wrong_with_records(sequence, page)?;
        let row = self.wrong_with_row(sequence, page)?;
        wrong.extend(row.map(|what| (FindingKind::Page, what)));
        Ok(wrong)
    }

    fn verify_urls(self, counted: &mut Counted, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let mut repeated = Repeated::among(self.store.counts().discovered);
        for row in self.store.urls() {
            let known = row?;
            self.verify_url(&known, counted, findings)?;
            if repeated.is_repeated(&known.url) {
                findings.note(FindingKind::Queue, format!("{} is known twice", known.url));
            }
            findings.step();
        }
        while repeated.next_pass() {
            for row in self.store.urls() {
                let known = row?;
                if repeated.is_repeated(&known.url) {
                    findings.note(FindingKind::Queue, format!("{} is known twice", known.url));
                }
            }
        }
        Ok(())
    }

    fn verify_url(
        self,
        known: &KnownUrl,
        counted: &mut Counted,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let counts = counted.entry(known.host.clone()).or_default();
        counts.discovered += 1;
        // The check of the pages covers a URL with a page, and the check of the queue covers a queued URL.
        let is_finished_without_page = !matches!(known.state, UrlState::Page(_) | UrlState::Queued);
        if is_finished_without_page && self.store.url_state(&known.host, &known.url)?.as_ref() != Some(&known.state) {
            let what = format!("{} has an outcome that a look-up of the URL does not find", known.url);
            findings.note(FindingKind::State, what);
        }
        match known.state {
            UrlState::Redirect { .. } => counts.redirected += 1,
            UrlState::Failed(_) => counts.failed += 1,
            UrlState::Excluded { .. } => counts.excluded += 1,
            UrlState::Queued => {}
            UrlState::Page(sequence) => {
                if self.store.page(sequence)?.is_none_or(|page| page.url != known.url) {
                    let what = format!(
                        "{} is recorded as page {sequence}, but that page has another URL",
                        known.url
                    );
                    findings.note(FindingKind::Page, what);
                }
            }
        }
        Ok(())
    }

    fn verify_queue(self, counted: &mut Counted, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let counts = self.store.counts();
        let mut repeated = Repeated::among(counts.queued + counts.due);
        for row in self.store.queue().urls() {
            let queued = row?;
            self.verify_queued(&queued, counted, findings)?;
            if repeated.is_repeated(&queued.url) {
                findings.note(FindingKind::Queue, format!("{} is queued twice", queued.url));
            }
            findings.step();
        }
        while repeated.next_pass() {
            for row in self.store.queue().urls() {
                let queued = row?;
                if repeated.is_repeated(&queued.url) {
                    findings.note(FindingKind::Queue, format!("{} is queued twice", queued.url));
                }
            }
        }
        Ok(())
    }

    fn verify_queued(
        self,
        queued: &QueuedUrl,
        counted: &mut Counted,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let counts = counted.entry(queued.host.clone()).or_default();
        let state = self.store.url_state(&queued.host, &queued.url)?;
        let expected = match &queued.revisits {
            Some(revisit) => {
                counts.due += 1;
                UrlState::Page(revisit.page)
            }
            None => {
                counts.queued += 1;
                UrlState::Queued
            }
        };
        if state.as_ref() != Some(&expected) {
            let what = format!("{} is queued, but its state is {state:?}", queued.url);
            findings.note(FindingKind::Queue, what);
        }
        Ok(())
    }
}

fn count_page(counts: &mut Counts, page: &PageRecord) {
    match (page.fate, page.verdict) {
        (Fate::Gone { .. }, _) => counts.gone += 1,
        (Fate::Superseded { .. } | Fate::Moved, _) => {}
        (Fate::Current, Verdict::Unique) => {
            counts.kept += 1;
            counts.bytes_kept += page.body_bytes;
        }
        (Fate::Current, Verdict::Exact { .. }) => counts.exact += 1,
        (Fate::Current, Verdict::Near { .. }) => counts.near += 1,
    }
    counts.bytes_fetched += page.wire_bytes;
}
