//! Checks whether frontier, catalogue, counts and archive agree. The owner of the index of fingerprints checks the index.

mod counts;
mod findings;
mod page;
mod repeated;

use std::collections::BTreeMap;
use std::fs::File;
use std::io::ErrorKind;

pub use self::findings::{Finding, FindingKind, Findings};
use self::repeated::Repeated;
use crate::counts::Counts;
use crate::error::StorageError;
use crate::frontier::QueuedUrl;
use crate::page::{Fate, PageRecord, Verdict};
use crate::store::Store;
use crate::url_state::UrlState;
use crate::urls::KnownUrl;
use crate::warc::WarcReader;

/// Counts by host, as the rows have them.
type Counted = BTreeMap<String, Counts>;

impl Store {
    /// About the number of steps that [`verify`](Self::verify) takes.
    #[must_use]
    pub fn steps_to_verify(&self) -> u64 {
        let counts = self.counts();
        counts.discovered + 2 * counts.queued + 4 * (self.next_page_id() - 1)
    }

    /// Checks every URL, page and archived record, and reports every contradiction.
    ///
    /// # Errors
    /// The state or the archive cannot be read at all.
    pub fn verify(&self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let mut counted = Counted::new();
        self.verify_pages(&mut counted, findings)?;
        self.verify_urls(&mut counted, findings)?;
        self.verify_queue(&mut counted, findings)?;
        self.verify_counts(counted, findings)?;
        self.verify_archive(findings)
    }

    fn verify_pages(&self, counted: &mut Counted, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        for row in self.pages_from(0) {
            let (sequence, page) = row?;
            count_page(counted.entry(page.host.clone()).or_default(), &page);
            let mut note = |kind, what: String| findings.note(kind, format!("page {sequence}, {}: {what}", page.url));
            for (kind, what) in self.wrong_with_records(&page)? {
                note(kind, what);
            }
            if let Some(what) = self.wrong_with_row(sequence, &page)? {
                note(FindingKind::Page, what);
            }
            findings.step();
        }
        Ok(())
    }

    fn verify_urls(&self, counted: &mut Counted, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let mut repeated = Repeated::among(self.counts().discovered);
        for row in self.urls() {
            let known = row?;
            self.verify_url(&known, counted, findings)?;
            if repeated.is_repeated(&known.url) {
                findings.note(FindingKind::Queue, format!("{} is known twice", known.url));
            }
            findings.step();
        }
        while repeated.next_pass() {
            for row in self.urls() {
                let known = row?;
                if repeated.is_repeated(&known.url) {
                    findings.note(FindingKind::Queue, format!("{} is known twice", known.url));
                }
            }
        }
        Ok(())
    }

    fn verify_url(
        &self,
        known: &KnownUrl,
        counted: &mut Counted,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let counts = counted.entry(known.host.clone()).or_default();
        counts.discovered += 1;
        match known.state {
            UrlState::Redirect { .. } => counts.redirected += 1,
            UrlState::Failed(_) => counts.failed += 1,
            UrlState::Excluded { .. } => counts.excluded += 1,
            UrlState::Queued => {}
            UrlState::Page(sequence) => {
                if self.page(sequence)?.is_none_or(|page| page.url != known.url) {
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

    fn verify_queue(&self, counted: &mut Counted, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let counts = self.counts();
        let mut repeated = Repeated::among(counts.queued + counts.due);
        for row in self.queue() {
            let queued = row?;
            self.verify_queued(&queued, counted, findings)?;
            if repeated.is_repeated(&queued.url) {
                findings.note(FindingKind::Queue, format!("{} is queued twice", queued.url));
            }
            findings.step();
        }
        while repeated.next_pass() {
            for row in self.queue() {
                let queued = row?;
                if repeated.is_repeated(&queued.url) {
                    findings.note(FindingKind::Queue, format!("{} is queued twice", queued.url));
                }
            }
        }
        Ok(())
    }

    fn verify_queued(
        &self,
        queued: &QueuedUrl,
        counted: &mut Counted,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let counts = counted.entry(queued.host.clone()).or_default();
        let state = self.url_state(&queued.host, &queued.url)?;
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

    /// Reads every WARC file up to the end of the archive.
    fn verify_archive(&self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let end = self.progress.archive;
        let gaps = self.state.gaps()?;
        for number in 0..=end.file {
            let committed = (number == end.file).then_some(end.offset);
            if committed == Some(0) {
                break;
            }
            let path = self.archive.path(number);
            match File::open(&path) {
                Ok(file) => self.verify_file(number, file, committed, findings)?,
                // The file was missing at the rebuild, so no page needs it.
                Err(error) if error.kind() == ErrorKind::NotFound && gaps.contains(&number) => {}
                Err(error) => {
                    findings.note(FindingKind::Archive, format!("cannot open {}: {error}", path.display()));
                }
            }
        }
        Ok(())
    }

    /// Reads a WARC file to its end, or, for the last file, up to the `committed` byte.
    fn verify_file(
        &self,
        number: u32,
        file: File,
        committed: Option<u64>,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let path = self.archive.path(number);
        let mut reader = WarcReader::new(file);
        let mut read_to = 0;
        while committed.is_none_or(|committed| read_to < committed) {
            match reader
                .next_record()
                .map_err(|source| StorageError::io("read", &path, source))?
            {
                None => break,
                Some(Ok(located)) => read_to = located.offset + located.length,
                Some(Err(damage)) if committed.is_some_and(|committed| damage.offset >= committed) => break,
                Some(Err(damage)) => {
                    findings.note(FindingKind::Archive, format!("{}: {damage}", path.display()));
                    read_to = read_to.max(damage.offset + 1);
                }
            }
            findings.step();
        }
        if let Some(committed) = committed.filter(|committed| read_to != *committed) {
            let what = format!(
                "{}: its records end at byte {read_to}, but {committed} bytes are committed",
                path.display()
            );
            findings.note(FindingKind::Archive, what);
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
