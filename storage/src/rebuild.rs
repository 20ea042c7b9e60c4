//! The catalogue made anew from the WARC files alone.
//!
//! ```text
//! warc/*.warc.gz ── 1 ─▶ pages, by the metadata records ── 2 ─▶ pages without one ── 3 ─▶ URLs first found on pages ── 4 ─▶ in place
//!                        in order: Rebuild::begin          the caller: adopt         finish
//! ```
//!
//! All of it is done in the folder `state.rebuilding`; the state that was there is left alone until the new one is complete and
//! durable, and is then kept as `state.before-rebuild`. Cut off anywhere, it can be begun again.
//!
//! What comes back: every page with its number, verdict, signature, versions and visits; the URLs that were found on pages and have no page,
//! which wait in the queue. What does not, because the archive does not have it: how hosts were treated, robots.txt, the counts of
//! refreshes, and what became of URLs without a page; redirects and failures are asked again, URLs of sitemaps are found again.
//!
//! A kept page whose body or text cannot be read is not taken: its URL is queued, and so are those of its duplicates, since nothing
//! says what they said. Their text comes back with them.

use std::collections::{BTreeMap, HashSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::error::StorageError;
use crate::folder::{DataFolder, REBUILT, STATE};
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::outcome::Outcome;
use crate::page::{Fate, PageDraft, PageRecord, Replaced, Verdict, WarcLocation};
use crate::state::State;
use crate::store::{OpenOptions, Store};
use crate::warc::medium::{Folder, Untouched};
use crate::warc::metadata::{self, Event, Metadata};
use crate::warc::reader::{DEFAULT_MAX_RECORD_BYTES, WarcReader, decode_member};
use crate::warc::record::one_line_uri;
use crate::warc::writer::{Archived, WarcEnd};
use crate::warc::{EncodedCapture, LocatedRecord, Record};

/// The folder it is done in.
pub(crate) const REBUILDING: &str = "state.rebuilding";

/// How long a database that was dropped may take to let go of its files.
const RELEASE_WITHIN: Duration = Duration::from_secs(5);

/// What is told while it is done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RebuildStep {
    /// So far into the archive, in bytes, of so many.
    Read {
        /// Bytes read.
        bytes: u64,
        /// Bytes of all files.
        of: u64,
    },
    /// Something that could not be used, in one line: what, and what is done about it.
    Problem(String),
}

/// What came of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rebuilt {
    /// WARC files read.
    pub files: u64,
    /// URLs that have a page, gone ones included; earlier versions are not counted.
    pub pages: u64,
    /// Of these: kept.
    pub kept: u64,
    /// Of these: taken by what their response says, for want of a metadata record.
    pub adopted: u64,
    /// Later visits to pages.
    pub visits: u64,
    /// URLs in the queue.
    pub queued: u64,
    /// Of these: pages that are lost, and their duplicates.
    pub lost: u64,
    /// Damaged stretches of files and records that could not be used.
    pub problems: u64,
}

/// A page in the archive of which no metadata record tells.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Undecided {
    /// Its URL, as the archive has it.
    pub url: String,
    response: WarcLocation,
    text: WarcLocation,
}

/// The records since the last metadata record.
#[derive(Default)]
struct Group {
    uri: Option<String>,
    archived: Archived,
}

/// A state that is being made anew.
pub struct Rebuild {
    folder: DataFolder,
    store: Store,
    /// Of the metadata records that name URLs.
    with_links: Vec<WarcLocation>,
    undecided: Vec<Undecided>,
    /// URLs whose pages are lost.
    lost: Vec<Discovered>,
    /// Pages that something was recorded of since the last commit.
    touched: HashSet<u64>,
    end: WarcEnd,
    result: Rebuilt,
}

impl std::fmt::Debug for Rebuild {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Rebuild")
            .field("dir", &self.folder.dir())
            .field("result", &self.result)
            .finish_non_exhaustive()
    }
}

impl Rebuild {
    /// Reads the archive of the data folder `dir`. `options` has the scheme to be assumed where neither the archive nor the old state
    /// names one.
    ///
    /// # Errors
    /// [`StorageError::NothingArchived`], [`StorageError::SchemeUnknown`], [`StorageError::Locked`]; a WARC file cannot be read, or the new
    /// state not written. The old state is as it was.
    pub fn begin(dir: &Path, options: &OpenOptions, say: &mut dyn FnMut(RebuildStep)) -> Result<Self, StorageError> {
        if !dir.is_dir() {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        }
        let folder = DataFolder::hold(dir, false)?;
        let files = warc_files(&folder, say)?;
        let told = files.iter().find_map(|file| read_head(&file.path));
        let (started_at, scheme) = told.unwrap_or((None, None));
        let scheme = scheme
            .or_else(|| old_scheme(dir, options))
            .or_else(|| options.scheme.clone());
        let scheme = scheme.ok_or_else(|| StorageError::SchemeUnknown { dir: dir.to_owned() })?;
        folder.remove_folder(REBUILDING)?;
        let now_ms = started_at.filter(|at| files.iter().all(|file| file.is_of(*at)));
        let options = OpenOptions {
            scheme: Some(scheme),
            create: true,
            now_ms: now_ms.unwrap_or(files[0].started_at),
            ..options.clone()
        };
        let scratch = folder.dir().join(REBUILDING);
        let archive = Untouched(Folder::new(folder.warc()));
        let marks = Folder::new(scratch.clone());
        let store = Store::open_with(&scratch, &options, Box::new(archive), Box::new(marks))?;
        let mut rebuild = Self {
            folder,
            store,
            with_links: Vec::new(),
            undecided: Vec::new(),
            lost: Vec::new(),
            touched: HashSet::new(),
            end: WarcEnd::default(),
            result: Rebuilt::default(),
        };
        rebuild.store.archive.replay(Archived::default(), WarcEnd::default());
        rebuild.read_all(&files, say)?;
        Ok(rebuild)
    }

    /// The new state, for what must be looked up in it.
    #[must_use]
    pub fn store(&self) -> &Store {
        &self.store
    }

    /// The pages of which no metadata record tells, and whose URLs are not known yet. Each is to be
    /// [adopted](Self::adopt), or is left out.
    pub fn take_undecided(&mut self) -> Vec<Undecided> {
        std::mem::take(&mut self.undecided)
    }

    /// The response and the text of such a page.
    ///
    /// # Errors
    /// The archive cannot be read.
    pub fn records_of(&self, undecided: &Undecided) -> Result<(Record, Record), StorageError> {
        Ok((
            self.store.archived(undecided.response)?,
            self.store.archived(undecided.text)?,
        ))
    }

    /// Takes such a page into the catalogue, as decided by the caller. The draft's [`signature`](PageDraft::signature) and
    /// [`verdict`](PageDraft::verdict) must be those that the index has of it.
    ///
    /// # Errors
    /// The state cannot be written; [`StorageError::InvalidUrl`].
    pub fn adopt(&mut self, undecided: &Undecided, link: &Discovered, draft: PageDraft) -> Result<bool, StorageError> {
        let archived = Archived {
            response: Some(undecided.response),
            text: Some(undecided.text),
            revisit: None,
        };
        let Some(queued) = self.store.discover(std::slice::from_ref(link))?.pop() else {
            return Ok(false);
        };
        self.finish_page(&queued, draft, archived)?;
        self.result.adopted += 1;
        Ok(true)
    }

    /// The number that the next page [adopted](Self::adopt) will have.
    #[must_use]
    pub fn next_page_id(&self) -> u64 {
        self.store.next_page_id()
    }

    /// Queues the URLs that were found on pages and have none themselves, and puts the new state in the place of the old one, which is
    /// kept as `state.before-rebuild`.
    ///
    /// # Errors
    /// The new state cannot be written; the old one is as it was.
    pub fn finish(mut self, say: &mut dyn FnMut(RebuildStep)) -> Result<Rebuilt, StorageError> {
        for location in std::mem::take(&mut self.with_links) {
            self.queue_links(location, say)?;
        }
        let lost = std::mem::take(&mut self.lost);
        self.result.lost = self.store.discover(&lost)?.len() as u64;
        self.store.archive.replay(Archived::default(), self.end);
        self.store.progress.archive = self.end;
        // The state that comes next must not look older than the one before.
        let before = self.folder.last_commit().unwrap_or(0);
        self.store.commit()?;
        self.store.progress.commit = self.store.progress.commit.max(before);
        self.store.end_run()?;
        self.store.commit()?;
        let (commit, counts) = (self.store.progress.commit, self.store.counts());
        let Self {
            folder,
            store,
            mut result,
            ..
        } = self;
        drop(store);
        let made = folder.dir().join(REBUILDING).join(STATE);
        make_durable(&made)?;
        folder.install(&format!("{REBUILDING}/{STATE}"), REBUILT)?;
        folder.note_commit(commit)?;
        folder.remove_folder(REBUILDING)?;
        (result.pages, result.kept, result.queued) = (counts.fetched() + counts.gone, counts.kept, counts.queued);
        Ok(result)
    }

    fn read_all(&mut self, files: &[WarcFile], say: &mut dyn FnMut(RebuildStep)) -> Result<(), StorageError> {
        let of = files.iter().map(|file| file.bytes).sum();
        let (mut before, mut group) = (0, Group::default());
        for file in files {
            // Nothing is known of what a file that was begun holds; if it is nothing, it is begun again.
            self.end = WarcEnd {
                file: file.number,
                offset: 0,
            };
            let input = File::open(&file.path).map_err(|source| StorageError::io("read", &file.path, source))?;
            let mut reader = WarcReader::new(input);
            while let Some(read) = reader
                .next_record()
                .map_err(|source| StorageError::io("read", &file.path, source))?
            {
                match read {
                    Ok(located) => {
                        self.end.offset = located.offset + located.length;
                        self.take(file, located, &mut group, say)?;
                        say(RebuildStep::Read {
                            bytes: before + self.end.offset,
                            of,
                        });
                    }
                    Err(damage) => self.problem(say, format!("{}: {damage}; skipped", file.path.display())),
                }
            }
            self.result.files += 1;
            before += file.bytes;
        }
        self.leave(&mut group);
        self.store.commit()?;
        self.store.progress.archive = self.end;
        Ok(())
    }

    fn take(
        &mut self,
        file: &WarcFile,
        located: LocatedRecord,
        group: &mut Group,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let location = WarcLocation {
            file: file.number,
            offset: located.offset,
            length: located.length,
        };
        let uri = located.record.field("WARC-Target-URI").map(str::to_owned);
        match located.record.kind() {
            "response" | "revisit" | "conversion" | "metadata" if uri != group.uri => {
                self.leave(group);
                group.uri = uri;
            }
            _ => {}
        }
        match located.record.kind() {
            "response" => {
                if group.archived.response.is_some() {
                    let uri = group.uri.clone();
                    self.leave(group);
                    group.uri = uri;
                }
                group.archived.response = Some(location);
            }
            "revisit" => group.archived.revisit = Some(location),
            "conversion" => group.archived.text = Some(location),
            "metadata" => match metadata::decode(&located.record) {
                Ok(metadata) => {
                    let archived = std::mem::take(group).archived;
                    if let Err(reason) = self.record(metadata, archived, location)? {
                        self.problem(
                            say,
                            format!("{}, byte {}: {reason}", file.path.display(), location.offset),
                        );
                    }
                }
                // Of another program, or damaged in a way that its digest does not tell: the page is taken without it.
                Err(reason) => self.problem(
                    say,
                    format!(
                        "{}, byte {}: a metadata record cannot be used: {reason}; skipped",
                        file.path.display(),
                        location.offset
                    ),
                ),
            },
            _ => {}
        }
        Ok(())
    }

    /// What was archived and has no metadata record.
    fn leave(&mut self, group: &mut Group) {
        let Group { uri, archived } = std::mem::take(group);
        if let (Some(url), Some(response), Some(text)) = (uri, archived.response, archived.text) {
            self.undecided.push(Undecided { url, response, text });
        }
    }

    /// The inner error says, in one line, why the record is not used and what is done instead.
    fn record(
        &mut self,
        metadata: Metadata,
        archived: Archived,
        location: WarcLocation,
    ) -> Result<Result<(), String>, StorageError> {
        if !metadata.outlinks.is_empty() {
            self.with_links.push(location);
        }
        self.store.archive.replay(archived, self.end);
        match metadata.event {
            Event::Page {
                sequence,
                page,
                replaced,
            } => {
                let complete = Archived {
                    response: archived.response.filter(|_| metadata.records.response),
                    text: archived.text.filter(|_| metadata.records.text),
                    revisit: archived.revisit.filter(|_| metadata.records.revisit),
                };
                let is_whole = complete.response.is_some() == metadata.records.response
                    && complete.text.is_some() == metadata.records.text;
                self.record_page(sequence, *page, replaced, complete, is_whole)
            }
            Event::Visited {
                page,
                visit,
                at,
                wire_bytes,
                status,
            } => {
                let capture = archived.revisit.map(|_| EncodedCapture {
                    status,
                    ..EncodedCapture::of_bytes(Vec::new())
                });
                let outcome = Outcome::Visited {
                    visit,
                    at,
                    wire_bytes,
                    capture,
                };
                self.record_return(page, outcome)
            }
            Event::Redirected { page, to, status } => self.record_return(page, Outcome::Redirect { to, status }),
            Event::Excluded { page, reason } => self.record_return(page, Outcome::Excluded { reason }),
        }
    }

    fn record_page(
        &mut self,
        sequence: u64,
        page: PageRecord,
        replaced: Option<Replaced>,
        archived: Archived,
        is_whole: bool,
    ) -> Result<Result<(), String>, StorageError> {
        let url = page.url.clone();
        if sequence < self.store.next_page_id() {
            return Ok(Err(format!("page {sequence} ({url}) is there already; skipped")));
        }
        let stands_for_it = match page.verdict.of() {
            Some(of) => self.store.latest_page(of)?.is_some(),
            None => true,
        };
        if !is_whole || !stands_for_it {
            self.lost.push(Discovered {
                url: page.url,
                host: page.host,
                depth: page.depth,
                ..Discovered::default()
            });
            let what = match is_whole {
                true => "the page that it is a duplicate of is lost",
                false => "its body or its text is lost",
            };
            return Ok(Err(format!("{url}: {what}; it will be fetched again")));
        }
        let Some(queued) = self.place_of(&page)? else {
            return Ok(Err(format!(
                "page {sequence} ({url}): its URL has another page already; skipped"
            )));
        };
        let replaced = match replaced {
            Some(replaced) => self
                .store
                .latest_page(replaced.page)?
                .filter(PageRecord::is_kept)
                .map(|_| replaced),
            None => None,
        };
        self.store.progress.next_page = sequence;
        self.touched.extend(page.previous);
        self.finish_page(&queued, draft_of(page, replaced), archived)?;
        Ok(Ok(()))
    }

    /// A row in the queue to finish the page from.
    fn place_of(&mut self, page: &PageRecord) -> Result<Option<QueuedUrl>, StorageError> {
        let previous = match page.previous {
            Some(previous) => self.revisited(previous)?,
            None => None,
        };
        if let Some(queued) = previous.filter(|queued| queued.url == page.url) {
            return Ok(Some(QueuedUrl {
                depth: queued.depth,
                via: page.via.clone(),
                ..queued
            }));
        }
        let link = Discovered {
            url: page.url.clone(),
            host: page.host.clone(),
            depth: page.depth,
            ..Discovered::default()
        };
        let queued = self.store.discover(&[link])?.pop();
        Ok(queued.map(|queued| QueuedUrl {
            via: page.via.clone(),
            ..queued
        }))
    }

    /// A row in the queue for another visit to the page.
    fn revisited(&mut self, page: u64) -> Result<Option<QueuedUrl>, StorageError> {
        // What is known of its visits is read from what is committed.
        if self.touched.contains(&page) {
            self.store.commit()?;
            self.touched.clear();
        }
        self.touched.insert(page);
        Ok(self.store.revisit(&[page], 0)?.pop())
    }

    fn record_return(&mut self, page: u64, outcome: Outcome) -> Result<Result<(), String>, StorageError> {
        let is_current = (self.store.latest_page(page)?).is_some_and(|page| page.fate == Fate::Current);
        let queued = match is_current {
            true => self.revisited(page)?,
            false => None,
        };
        let Some(queued) = queued else {
            return Ok(Err(format!("a visit to page {page}, which is lost; skipped")));
        };
        self.store.finish(&queued, outcome, &[])?;
        self.result.visits += 1;
        Ok(Ok(()))
    }

    fn finish_page(&mut self, queued: &QueuedUrl, draft: PageDraft, archived: Archived) -> Result<(), StorageError> {
        self.store.archive.replay(archived, self.end);
        let is_archived = archived != Archived::default();
        let outcome = Outcome::Page {
            draft: Box::new(draft),
            capture: is_archived.then(|| EncodedCapture::of_bytes(Vec::new())),
        };
        let finished = self.store.finish(queued, outcome, &[])?;
        self.touched.extend(finished.page_id);
        Ok(())
    }

    fn queue_links(&mut self, location: WarcLocation, say: &mut dyn FnMut(RebuildStep)) -> Result<(), StorageError> {
        let member = self.store.archive.member(location)?;
        let read = decode_member(&member, DEFAULT_MAX_RECORD_BYTES);
        let metadata = match read.and_then(|record| metadata::decode(&record)) {
            Ok(metadata) => metadata,
            Err(reason) => {
                self.problem(
                    say,
                    format!("byte {}: {reason}; its links are skipped", location.offset),
                );
                return Ok(());
            }
        };
        let via = match &metadata.event {
            Event::Page { sequence, page, .. } => match self.store.latest_page(*sequence)? {
                Some(_) => Some(Via::Page(*sequence)),
                None => Some(Via::Url(page.url.clone())),
            },
            Event::Visited { page, .. } | Event::Redirected { page, .. } | Event::Excluded { page, .. } => {
                self.store.latest_page(*page)?.map(|page| Via::Url(page.url))
            }
        };
        self.store.discover_from(&metadata.outlinks, via.as_ref())?;
        Ok(())
    }

    fn problem(&mut self, say: &mut dyn FnMut(RebuildStep), text: String) {
        self.result.problems += 1;
        say(RebuildStep::Problem(text));
    }
}

/// What the page was decided as.
fn draft_of(page: PageRecord, replaces: Option<Replaced>) -> PageDraft {
    PageDraft {
        title: page.title,
        fetched_at: page.fetched_at,
        status: page.status,
        content_type: page.content_type,
        encoding: page.encoding,
        body_bytes: page.body_bytes,
        wire_bytes: page.wire_bytes,
        text_chars: page.text_chars,
        language: page.language,
        verdict: page.verdict,
        signature: page.signature,
        elapsed_ms: page.elapsed_ms,
        canonical: page.canonical,
        replaces: replaces.filter(|_| page.verdict == Verdict::Unique),
        validators: page.validators,
        payload_digest: page.payload_digest,
    }
}

/// A file of the archive.
struct WarcFile {
    path: PathBuf,
    number: u32,
    bytes: u64,
    /// As its name says: to the second, in milliseconds since the Unix epoch.
    started_at: u64,
}

impl WarcFile {
    fn is_of(&self, started_at: u64) -> bool {
        started_at / 1_000 == self.started_at / 1_000
    }
}

/// The files of the crawl in order; those of another one, and gaps, are told.
fn warc_files(folder: &DataFolder, say: &mut dyn FnMut(RebuildStep)) -> Result<Vec<WarcFile>, StorageError> {
    let warc = folder.warc();
    let read = |source| StorageError::io("read", &warc, source);
    let mut crawls: BTreeMap<u64, Vec<WarcFile>> = BTreeMap::new();
    for entry in fs::read_dir(&warc).map_err(read)? {
        let entry = entry.map_err(read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = entry.metadata().map_err(read)?.len();
        let path = entry.path();
        match crate::warc::writer::parse_file_name(&name) {
            Some((started_at, number)) => crawls.entry(started_at).or_default().push(WarcFile {
                path,
                number,
                bytes,
                started_at,
            }),
            None if name.ends_with(".warc.gz") => say(RebuildStep::Problem(format!(
                "{} is not a file of this crawl, by its name; not read",
                path.display()
            ))),
            None => {}
        }
    }
    let Some((_, mut files)) = crawls.pop_last() else {
        return Err(StorageError::NothingArchived {
            dir: folder.dir().to_owned(),
        });
    };
    for file in crawls.values().flatten() {
        let path = file.path.display();
        say(RebuildStep::Problem(format!(
            "{path} is of an earlier crawl, by its name; not read"
        )));
    }
    files.sort_by_key(|file| file.number);
    let mut expected = 0;
    for file in &files {
        for missing in expected..file.number {
            say(RebuildStep::Problem(format!(
                "file {missing:05} of {} is missing: what it held is fetched again",
                warc.display()
            )));
        }
        expected = file.number + 1;
    }
    Ok(files)
}

/// What the `warcinfo` at the head of a file says of the crawl.
fn read_head(path: &Path) -> Option<(Option<u64>, Option<String>)> {
    let first = WarcReader::new(File::open(path).ok()?).next_record().ok()??.ok()?;
    Some(metadata::read_crawl_fields(&first.record)).filter(|(_, scheme)| scheme.is_some())
}

/// The scheme of the old state, if that much of it can be read.
fn old_scheme(dir: &Path, options: &OpenOptions) -> Option<String> {
    if !dir.join(STATE).is_dir() {
        return None;
    }
    let state = State::open(dir, options.cache_bytes).ok()?;
    Some(state.meta().ok()??.scheme)
}

/// Waits until the database that was dropped has let go of its files, and makes all of them durable.
pub(crate) fn make_durable(state: &Path) -> Result<(), StorageError> {
    let failed = |source| StorageError::io("make durable", state, source);
    let deadline = Instant::now() + RELEASE_WITHIN;
    let db = File::open(state.join("db")).map_err(failed)?;
    while db.try_lock().is_err() && Instant::now() < deadline {
        std::thread::sleep(Duration::from_millis(2));
    }
    sync_all(state).map_err(failed)
}

fn sync_all(folder: &Path) -> std::io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sync_all(&path)?;
        } else {
            File::open(path)?.sync_all()?;
        }
    }
    crate::warc::medium::sync_folder(folder)
}

/// What the archive calls a URL.
pub(crate) fn archived_uri(url: &str) -> String {
    one_line_uri(url)
}
