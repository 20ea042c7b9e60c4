//! The catalogue made anew from the WARC files alone.
//!
//! ```text
//! warc/*.warc.gz ── 1 ─▶ pages, by the metadata records ── 2 ─▶ pages without one ── 3 ─▶ lost pages, URLs found ── 4 ─▶ in place
//!                        in order: Rebuild::begin          the caller: fetch_again   finish
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
//! says what they said. Their text comes back with them. A page whose metadata record cannot be read is not taken either: nothing says what
//! was found on it, nor by which rules it was decided. Where the URL of a lost page has an older version, that one stays and is visited
//! again.
//!
//! Between 2 and 3 the caller may decide all pages [anew](Rebuild::redecide), by another scheme or rule.

mod files;
mod redecide;
mod replay;

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fs::{self, File, TryLockError};
use std::path::Path;
use std::time::{Duration, Instant};

use self::files::{crawls_in, gaps_of, only_crawl, read_head};
pub(crate) use self::redecide::REDECIDED_ROW;
pub use self::redecide::{Redecided, Redecision, Redecisions};
use crate::error::StorageError;
use crate::folder::{DataFolder, REBUILDING, REBUILT, STATE};
use crate::format;
use crate::frontier::Discovered;
use crate::page::{Verdict, WarcLocation};
use crate::state::{Meta, State};
use crate::store::{OpenOptions, Store};
use crate::warc::medium::{Folder, Untouched};
use crate::warc::metadata::DecidedBy;
use crate::warc::record::one_line_uri;
use crate::warc::writer::{Archived, WarcEnd, file_name};

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
    /// Later visits to pages.
    pub visits: u64,
    /// URLs in the queue.
    pub queued: u64,
    /// Pages that are lost, and their duplicates: queued, or to be visited again where an older version is left.
    pub lost: u64,
    /// Damaged stretches of files and records that could not be used.
    pub problems: u64,
}

/// A page that is lost.
struct Lost {
    link: Discovered,
    /// A page of its URL with this number or a later one makes up for it.
    sequence: u64,
}

/// A state that is being made anew.
pub struct Rebuild {
    folder: DataFolder,
    store: Store,
    /// That the heads of files name; the scheme of the state where none does.
    decided_by: BTreeSet<DecidedBy>,
    /// A head that cannot be read may name another.
    has_unreadable_head: bool,
    /// The archive's last file and its end, where what comes next lies in another one.
    closed: Option<WarcEnd>,
    /// What pages that were decided anew were when they were crawled.
    redecided: HashMap<u64, Verdict>,
    /// Of the metadata records that name URLs.
    with_links: Vec<WarcLocation>,
    /// URLs of archived pages of which no metadata record tells.
    undecided: Vec<String>,
    lost: Vec<Lost>,
    /// The same, but nothing is known of them besides their URLs.
    lost_without_record: Vec<Lost>,
    /// URLs without a page that are counted as lost.
    told_lost: HashSet<String>,
    /// Numbers of the files that are missing.
    gaps: Vec<u32>,
    /// That a record tells of.
    last_archived_commit: u64,
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
    /// [`StorageError::NothingArchived`], [`StorageError::SeveralCrawls`], [`StorageError::SchemeUnknown`], [`StorageError::StateLinked`],
    /// [`StorageError::Locked`]; a WARC file cannot be read, or the new state not written. The old state is as it was.
    pub fn begin(dir: &Path, options: &OpenOptions, say: &mut dyn FnMut(RebuildStep)) -> Result<Self, StorageError> {
        if !dir.is_dir() {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        }
        let folder = DataFolder::hold(dir, false)?;
        folder.check_replaceable()?;
        let crawls = crawls_in(&folder, say)?;
        let files = only_crawl(crawls, &folder, || Some(old_meta(dir, options)?.started_at), say)?;
        let gaps = gaps_of(&files, &folder, say);
        let heads: Vec<_> = files.iter().map(|file| read_head(&file.path)).collect();
        let has_unreadable_head = files
            .iter()
            .zip(&heads)
            .any(|(file, head)| file.bytes > 0 && head.is_none());
        let told = heads.iter().flatten().next();
        let started_at = told.and_then(|(started_at, _)| *started_at);
        let scheme = told
            .map(|(_, decided_by)| decided_by.scheme.clone())
            .or_else(|| Some(old_meta(dir, options)?.scheme))
            .or_else(|| options.scheme.clone());
        let scheme = scheme.ok_or_else(|| StorageError::SchemeUnknown { dir: dir.to_owned() })?;
        let mut decided_by: BTreeSet<DecidedBy> =
            heads.into_iter().flatten().map(|(_, decided_by)| decided_by).collect();
        if decided_by.is_empty() {
            let (scheme, anew_at) = (scheme.clone(), None);
            decided_by.insert(DecidedBy { scheme, anew_at });
        } else if has_unreadable_head {
            say(RebuildStep::Problem(
                "the head of a WARC file cannot be read: its pages may have been decided by another scheme than the others; \
                 crawler rebuild --redecide decides all of them by one"
                    .to_owned(),
            ));
        }
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
            decided_by,
            has_unreadable_head,
            closed: None,
            redecided: HashMap::new(),
            with_links: Vec::new(),
            undecided: Vec::new(),
            lost: Vec::new(),
            lost_without_record: Vec::new(),
            told_lost: HashSet::new(),
            gaps,
            last_archived_commit: 0,
            touched: HashSet::new(),
            end: WarcEnd::default(),
            result: Rebuilt::default(),
        };
        rebuild.store.archive.replay(Archived::default(), WarcEnd::default());
        rebuild.read_all(&files, say)?;
        Ok(rebuild)
    }

    /// The URLs, as the archive has them, of pages of which no metadata record tells. Each is to be [fetched again](Self::fetch_again).
    pub fn take_undecided(&mut self) -> Vec<String> {
        std::mem::take(&mut self.undecided)
    }

    /// Counts such a page among the lost ones. `link` has its URL and host.
    pub fn fetch_again(&mut self, link: Discovered) {
        // What was first found on it is lost with its record, so no other version makes up for it.
        let sequence = u64::MAX;
        self.lost_without_record.push(Lost { link, sequence });
    }

    /// Queues the URLs that were found on pages and have none themselves, and puts the new state in the place of the old one, which is
    /// kept as `state.before-rebuild`.
    ///
    /// # Errors
    /// The new state cannot be written; the old one is as it was.
    pub fn finish(mut self, say: &mut dyn FnMut(RebuildStep)) -> Result<Rebuilt, StorageError> {
        let lost = std::mem::take(&mut self.lost);
        self.queue_lost(lost)?;
        for location in std::mem::take(&mut self.with_links) {
            self.queue_links(location, say)?;
        }
        // Last, since what links to them knows more of them.
        let lost = std::mem::take(&mut self.lost_without_record);
        self.queue_lost(lost)?;
        if !self.gaps.is_empty() {
            let row = format::encode(&self.gaps)?;
            self.store.stage_rows(vec![(format::META_GAPS.to_vec(), Some(row))])?;
        }
        self.store.archive.replay(Archived::default(), self.end);
        self.store.progress.archive = self.end;
        // The state that comes next must not look older than the one before.
        let before = self.folder.last_commit().unwrap_or(0).max(self.last_archived_commit);
        self.store.commit()?;
        self.store.progress.commit = self.store.progress.commit.max(before);
        self.store.end_run()?;
        self.store.commit()?;
        let (commit, counts) = (self.store.progress.commit, self.store.counts());
        let Self {
            folder,
            store,
            mut result,
            closed,
            ..
        } = self;
        let started_at = store.started_at();
        drop(store);
        let made = folder.dir().join(REBUILDING).join(STATE);
        make_durable(&made)?;
        if let Some(end) = closed {
            cut_tail_of_closed_file(&folder, started_at, end)?;
        }
        folder.install(&format!("{REBUILDING}/{STATE}"), REBUILT)?;
        folder.note_commit(commit)?;
        folder.remove_folder(REBUILDING)?;
        (result.pages, result.kept, result.queued) = (counts.fetched() + counts.gone, counts.kept, counts.queued);
        Ok(result)
    }
}

/// Cuts off the torn record that a crash left at the end of a file that nothing is appended to any more.
fn cut_tail_of_closed_file(folder: &DataFolder, started_at: u64, end: WarcEnd) -> Result<(), StorageError> {
    let path = folder.warc().join(file_name(started_at, end.file));
    let cut = |path: &Path| {
        let file = File::options().write(true).open(path)?;
        if file.metadata()?.len() > end.offset {
            file.set_len(end.offset)?;
            file.sync_all()?;
        }
        Ok(())
    };
    cut(&path).map_err(|source| StorageError::io("cut the tail of", path, source))
}

/// What the old state says of itself, if that much of it can be read.
fn old_meta(dir: &Path, options: &OpenOptions) -> Option<Meta> {
    if !dir.join(STATE).is_dir() {
        return None;
    }
    let state = State::open(dir, options.cache_bytes).ok()?;
    let meta = state.meta().ok()?;
    drop(state);
    await_release(&dir.join(STATE)).ok()?;
    meta
}

/// Waits until the database that was dropped has let go of its files, and makes all of them durable.
pub(crate) fn make_durable(state: &Path) -> Result<(), StorageError> {
    await_release(state)?;
    sync_all(state).map_err(|source| StorageError::io("make durable", state, source))
}

/// Waits until the database that was dropped has let go of its files.
pub(crate) fn await_release(state: &Path) -> Result<(), StorageError> {
    let path = state.join("db");
    let db = File::open(&path).map_err(|source| StorageError::io("open", &path, source))?;
    let deadline = Instant::now() + RELEASE_WITHIN;
    while let Err(error) = db.try_lock() {
        match error {
            TryLockError::WouldBlock if Instant::now() < deadline => std::thread::sleep(Duration::from_millis(2)),
            TryLockError::WouldBlock => {
                return Err(StorageError::Locked {
                    dir: state.to_owned(),
                    pid: Some(std::process::id()),
                });
            }
            // A file system without locks has none to wait for.
            TryLockError::Error(_) => break,
        }
    }
    Ok(())
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
