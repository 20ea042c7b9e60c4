//! Whether frontier, catalogue, counts and archive agree. The index of fingerprints is its owner's to look at.

use std::collections::{BTreeMap, HashSet};
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_128;

use crate::counts::Counts;
use crate::error::StorageError;
use crate::outcome::UrlState;
use crate::page::{Fate, PageRecord, Verdict, WarcLocation};
use crate::rebuild::archived_uri;
use crate::store::{self, OpenOptions, Store};
use crate::warc::medium::{Folder, Untouched};
use crate::warc::{Record, WarcReader, payload_digest, shown_digest};

/// URLs whose hashes are held at a time: some 70 MB.
const URLS_A_PASS: u64 = 2_000_000;

/// What a finding is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Kind {
    /// A page has not what it should have in the archive, or another's.
    Body,
    /// A page's record does not agree with the state of its URL, or names a page that is not there.
    Page,
    /// Counts are not those of the rows.
    Counts,
    /// The queue does not hold exactly the URLs that wait.
    Queue,
    /// A WARC file is missing, too short, or cannot be read to its end.
    Archive,
    /// The index of fingerprints does not hold exactly the kept pages.
    Index,
    /// Two kept pages are duplicates by the rule.
    Duplicates,
}

impl Kind {
    /// Its name in answers for programs.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Body => "body",
            Self::Page => "page",
            Self::Counts => "counts",
            Self::Queue => "queue",
            Self::Archive => "archive",
            Self::Index => "index",
            Self::Duplicates => "duplicates",
        }
    }

    /// What is to be done about findings of this kind.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::Body => {
                "put a good copy of the WARC file back, or go on without what is lost: crawler rebuild, which queues it again"
            }
            Self::Archive => {
                "put a good copy of the WARC file back; without one, crawler rebuild queues the pages again that it costs (named                  under `body`; where there are none, no page needs what is damaged, and nothing is to be done)"
            }
            Self::Page | Self::Counts | Self::Queue => "make the state anew from the archive: crawler rebuild",
            Self::Index => "make state and index anew from the archive: crawler rebuild",
            Self::Duplicates => {
                "they were decided by other rules than those of this configuration: crawler rebuild --redecide decides all pages anew"
            }
        }
    }
}

/// Something that is not as it should be.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// What it is about.
    pub kind: Kind,
    /// What is wrong, in one line.
    pub what: String,
}

/// Where findings go.
pub struct Findings<'a> {
    tell: &'a mut dyn FnMut(Finding),
    step: &'a mut dyn FnMut(),
}

impl std::fmt::Debug for Findings<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Findings").finish_non_exhaustive()
    }
}

impl<'a> Findings<'a> {
    /// `tell` is told each finding; `step` is called after each page, URL and record looked at.
    pub fn new(tell: &'a mut dyn FnMut(Finding), step: &'a mut dyn FnMut()) -> Self {
        Self { tell, step }
    }

    /// Notes a finding.
    pub fn note(&mut self, kind: Kind, what: impl Into<String>) {
        (self.tell)(Finding {
            kind,
            what: what.into(),
        });
    }

    /// Notes that something more was looked at.
    pub fn step(&mut self) {
        (self.step)();
    }
}

impl Store {
    /// Opens the store in `dir` so that the archive stays as it is, also a tail that a kill has left and that the next run cuts off.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_untouched(dir: &Path, options: &OpenOptions) -> Result<Self, StorageError> {
        let archive = Untouched(Folder::new(dir.join("warc")));
        let marks = Untouched(Folder::new(dir.to_owned()));
        Self::open_with(dir, options, Box::new(archive), Box::new(marks))
    }

    /// How many steps [`verify`](Self::verify) will take, about.
    #[must_use]
    pub fn steps_to_verify(&self) -> u64 {
        let counts = self.counts();
        counts.discovered + 2 * counts.queued + 4 * (self.next_page_id() - 1)
    }

    /// Looks at every URL, page and archived record, and tells what does not agree.
    ///
    /// # Errors
    /// The state or the archive cannot be read at all.
    pub fn verify(&self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let mut counted: BTreeMap<String, Counts> = BTreeMap::new();
        self.verify_pages(&mut counted, findings)?;
        self.verify_urls(&mut counted, findings)?;
        self.verify_queue(&mut counted, findings)?;
        self.verify_counts(counted, findings)?;
        self.verify_archive(findings)
    }

    fn verify_pages(
        &self,
        counted: &mut BTreeMap<String, Counts>,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        for row in self.pages_from(0) {
            let (sequence, page) = row?;
            let counts = counted.entry(page.host.clone()).or_default();
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
            let mut page_note =
                |kind, what: String| findings.note(kind, format!("page {sequence}, {}: {what}", page.url));
            for (kind, what) in self.wrong_with_records(&page)? {
                page_note(kind, what);
            }
            if let Some(what) = self.wrong_with_row(sequence, &page)? {
                page_note(Kind::Page, what);
            }
            findings.step();
        }
        Ok(())
    }

    /// What a page's record says that is not so elsewhere in the state.
    fn wrong_with_row(&self, sequence: u64, page: &PageRecord) -> Result<Option<String>, StorageError> {
        if sequence >= self.next_page_id() {
            return Ok(Some("its number has not been given yet".to_owned()));
        }
        let state = self.url_state(&page.host, &page.url)?;
        let wrong = match (page.fate, state) {
            (Fate::Current | Fate::Gone { .. }, Some(UrlState::Page(found))) if found == sequence => None,
            (Fate::Current | Fate::Gone { .. }, state) => Some(format!("its URL is known as {state:?}")),
            (Fate::Superseded { .. } | Fate::Moved, None) => Some("its URL is not known".to_owned()),
            (Fate::Superseded { by }, Some(_)) if self.page(by)?.is_none() => {
                Some(format!("it is superseded by page {by}, which is not there"))
            }
            (Fate::Superseded { .. } | Fate::Moved, Some(_)) => None,
        };
        if wrong.is_some() || page.verdict.of().is_none() {
            return Ok(wrong);
        }
        Ok(match self.representative_of(sequence)? {
            Some(_) => None,
            None => Some("the page that it is a duplicate of is not there".to_owned()),
        })
    }

    /// What is wrong with the archived records of a page.
    fn wrong_with_records(&self, page: &PageRecord) -> Result<Vec<(Kind, String)>, StorageError> {
        let mut wrong = Vec::new();
        // One that was dropped when it was crawled is kept by its text until a visit brings the body.
        let has_body = page.response.is_some() || page.revisit.is_some();
        if page.verdict == Verdict::Unique && (!has_body || page.text.is_none()) {
            wrong.push((
                Kind::Body,
                "it is kept, but its body or text was not archived".to_owned(),
            ));
        }
        let places = [
            ("response", page.response),
            ("conversion", page.text),
            ("revisit", page.revisit),
        ];
        for (kind, location) in places {
            if let Some(location) = location
                && let Some(what) = self.wrong_with_record(page, kind, location)?
            {
                wrong.push((Kind::Body, what));
            }
        }
        // The text of a duplicate is kept beside another's.
        if wrong.is_empty()
            && page.response.is_none()
            && let Err(error) = self.text_of(page)
        {
            match error {
                StorageError::ArchiveDamaged { .. } | StorageError::Io { .. } => {
                    wrong.push((Kind::Body, error.to_string()));
                }
                error => return Err(error),
            }
        }
        Ok(wrong)
    }

    fn wrong_with_record(
        &self,
        page: &PageRecord,
        kind: &str,
        location: WarcLocation,
    ) -> Result<Option<String>, StorageError> {
        let record = match self.archived(location) {
            Ok(record) => record,
            Err(error @ (StorageError::ArchiveDamaged { .. } | StorageError::Io { .. })) => {
                return Ok(Some(error.to_string()));
            }
            Err(error) => return Err(error),
        };
        let place = || format!("byte {} of file {:05}", location.offset, location.file);
        if record.kind() != kind {
            return Ok(Some(format!(
                "{} is a {} record, not its {kind}",
                place(),
                record.kind()
            )));
        }
        if record.field("WARC-Target-URI") != Some(&archived_uri(&page.url)) {
            return Ok(Some(format!("{} is another page's {kind}", place())));
        }
        Ok(wrong_with_digest(page, kind, &record).map(|what| format!("{}: {what}", place())))
    }

    fn verify_urls(
        &self,
        counted: &mut BTreeMap<String, Counts>,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let mut seen = Seen::of(self.counts().discovered);
        for row in self.urls() {
            let known = row?;
            let counts = counted.entry(known.host).or_default();
            counts.discovered += 1;
            match known.state {
                UrlState::Redirect { .. } => counts.redirected += 1,
                UrlState::Failed(_) => counts.failed += 1,
                UrlState::Excluded { .. } => counts.excluded += 1,
                UrlState::Queued => {}
                UrlState::Page(sequence) => {
                    if self.page(sequence)?.is_none_or(|page| page.url != known.url) {
                        findings.note(
                            Kind::Page,
                            format!("{} is known as page {sequence}, which it is not", known.url),
                        );
                    }
                }
            }
            if seen.is_repeated(&known.url) {
                findings.note(Kind::Queue, format!("{} is known twice", known.url));
            }
            findings.step();
        }
        while seen.next_pass() {
            for row in self.urls() {
                let known = row?;
                if seen.is_repeated(&known.url) {
                    findings.note(Kind::Queue, format!("{} is known twice", known.url));
                }
            }
        }
        Ok(())
    }

    fn verify_queue(
        &self,
        counted: &mut BTreeMap<String, Counts>,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let counts = self.counts();
        let mut seen = Seen::of(counts.queued + counts.due);
        for row in self.queue() {
            let queued = row?;
            let counts = counted.entry(queued.host.clone()).or_default();
            let state = self.url_state(&queued.host, &queued.url)?;
            let is_right = match &queued.revisits {
                Some(revisit) => {
                    counts.due += 1;
                    state == Some(UrlState::Page(revisit.page))
                }
                None => {
                    counts.queued += 1;
                    state == Some(UrlState::Queued)
                }
            };
            if !is_right {
                findings.note(Kind::Queue, format!("{} is queued, but known as {state:?}", queued.url));
            }
            if seen.is_repeated(&queued.url) {
                findings.note(Kind::Queue, format!("{} is queued twice", queued.url));
            }
            findings.step();
        }
        while seen.next_pass() {
            for row in self.queue() {
                let queued = row?;
                if seen.is_repeated(&queued.url) {
                    findings.note(Kind::Queue, format!("{} is queued twice", queued.url));
                }
            }
        }
        Ok(())
    }

    fn verify_counts(
        &self,
        mut counted: BTreeMap<String, Counts>,
        findings: &mut Findings<'_>,
    ) -> Result<(), StorageError> {
        let mut total = Counts::default();
        for row in self.hosts() {
            let (host, stored) = row?;
            total += stored;
            let found = counted.remove(&host).unwrap_or_default();
            if let Some(what) = difference(&stored, &found) {
                findings.note(Kind::Counts, format!("host {host}: {what}"));
            }
        }
        for (host, found) in counted {
            if let Some(what) = difference(&Counts::default(), &found) {
                findings.note(Kind::Counts, format!("host {host} has no counts: {what}"));
            }
        }
        if total != self.counts() {
            findings.note(Kind::Counts, "the total is not the sum over the hosts");
        }
        Ok(())
    }

    /// Every file is there and readable up to where the archive ends.
    fn verify_archive(&self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        let end = self.progress.archive;
        let gaps = store::gaps(&self.state)?;
        for number in 0..=end.file {
            let is_last = number == end.file;
            if is_last && end.offset == 0 {
                break;
            }
            let path = self.archive.path(number);
            let mut reader = match File::open(&path) {
                Ok(file) => WarcReader::new(file),
                // It was missing when the state was made anew, so no page needs it.
                Err(error) if error.kind() == ErrorKind::NotFound && gaps.contains(&number) => continue,
                Err(error) => {
                    findings.note(Kind::Archive, format!("cannot open {}: {error}", path.display()));
                    continue;
                }
            };
            let mut read_to = 0;
            while !is_last || read_to < end.offset {
                match reader
                    .next_record()
                    .map_err(|source| StorageError::io("read", &path, source))?
                {
                    None => break,
                    Some(Ok(located)) => read_to = located.offset + located.length,
                    Some(Err(damage)) if is_last && damage.offset >= end.offset => break,
                    Some(Err(damage)) => {
                        findings.note(Kind::Archive, format!("{}: {damage}", path.display()));
                        read_to = read_to.max(damage.offset + 1);
                    }
                }
                findings.step();
            }
            if is_last && read_to != end.offset {
                let path = path.display();
                let what = format!(
                    "{path}: its records end at byte {read_to}, {} bytes are committed",
                    end.offset
                );
                findings.note(Kind::Archive, what);
            }
        }
        Ok(())
    }
}

/// Finds what comes twice among any number of URLs in bounded memory: each pass looks at those of one share of the hashes.
struct Seen {
    hashes: HashSet<u128>,
    pass: u128,
    passes: u128,
}

impl Seen {
    /// For about so many URLs.
    fn of(urls: u64) -> Self {
        Self::with_passes(1 + urls / URLS_A_PASS)
    }

    fn with_passes(passes: u64) -> Self {
        Self {
            hashes: HashSet::new(),
            pass: 0,
            passes: u128::from(passes),
        }
    }

    /// Whether this pass, whose business the URL is, has met it before.
    fn is_repeated(&mut self, url: &str) -> bool {
        let hash = xxh3_128(url.as_bytes());
        hash % self.passes == self.pass && !self.hashes.insert(hash)
    }

    /// Whether all URLs are to be shown once more.
    fn next_pass(&mut self) -> bool {
        self.hashes.clear();
        self.pass += 1;
        self.pass < self.passes
    }
}

fn wrong_with_digest(page: &PageRecord, kind: &str, record: &Record) -> Option<String> {
    if kind == "conversion" || page.payload_digest == [0; 20] {
        return None;
    }
    let expected = shown_digest(&page.payload_digest);
    match record.field("WARC-Payload-Digest") {
        Some(found) if found != expected => {
            return Some(format!("its payload digest is {found}, the catalogue says {expected}"));
        }
        _ => {}
    }
    let payload = record.http_payload().filter(|_| kind == "response")?;
    let found = payload_digest(payload);
    (found != page.payload_digest).then(|| {
        format!(
            "its body has digest {}, the catalogue says {expected}",
            shown_digest(&found)
        )
    })
}

/// Which counts are not what was counted, `None` if all are. Visits to pages fetch bytes that no row tells of.
fn difference(stored: &Counts, found: &Counts) -> Option<String> {
    let pairs = [
        ("discovered", stored.discovered, found.discovered),
        ("queued", stored.queued, found.queued),
        ("kept", stored.kept, found.kept),
        ("exact", stored.exact, found.exact),
        ("near", stored.near, found.near),
        ("redirected", stored.redirected, found.redirected),
        ("failed", stored.failed, found.failed),
        ("excluded", stored.excluded, found.excluded),
        ("gone", stored.gone, found.gone),
        ("due", stored.due, found.due),
        ("bytes_kept", stored.bytes_kept, found.bytes_kept),
    ];
    let mut wrong: Vec<String> = pairs
        .iter()
        .filter(|(_, stored, found)| stored != found)
        .map(|(name, stored, found)| format!("{name} is {stored}, counted {found}"))
        .collect();
    if stored.bytes_fetched < found.bytes_fetched {
        let (stored, found) = (stored.bytes_fetched, found.bytes_fetched);
        wrong.push(format!("bytes_fetched is {stored}, counted {found}"));
    }
    (!wrong.is_empty()).then(|| wrong.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_the_number_of_passes_each_repetition_is_found_once() {
        let urls: Vec<String> = (0..100).map(|n| format!("https://h/{}", n % 93)).collect();
        for passes in [1, 2, 7, 200] {
            let (mut seen, mut repeated, mut most) = (Seen::with_passes(passes), Vec::new(), 0);
            loop {
                repeated.extend(urls.iter().filter(|url| seen.is_repeated(url)));
                most = most.max(seen.hashes.len());
                if !seen.next_pass() {
                    break;
                }
            }
            repeated.sort();
            let mut expected: Vec<&String> = urls[..7].iter().collect();
            expected.sort();
            assert_eq!(repeated, expected);
            assert!(passes == 1 || most < 93, "{passes} passes held {most}");
        }
        assert_eq!(Seen::of(10_000_000).passes, 6);
    }
}
