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

mod files;
mod replay;

use std::collections::HashSet;
use std::fs::{self, File};
use std::path::Path;
use std::time::{Duration, Instant};

use self::files::{read_head, warc_files};
use crate::error::StorageError;
use crate::folder::{DataFolder, REBUILT, STATE};
use crate::frontier::Discovered;
use crate::page::{PageDraft, WarcLocation};
use crate::state::State;
use crate::store::{OpenOptions, Store};
use crate::warc::Record;
use crate::warc::medium::{Folder, Untouched};
use crate::warc::record::one_line_uri;
use crate::warc::writer::{Archived, WarcEnd};

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
