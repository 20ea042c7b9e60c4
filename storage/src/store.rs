//! The store: one owner of frontier, catalogue and archive, and the one commit that joins them.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::counts::Counts;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::format::{self, Progress};
use crate::frontier::{self, QueuedUrl};
use crate::known::KnownUrls;
use crate::rebuild::{REDECIDED_ROW, Redecided};
use crate::staged::Staged;
use crate::state::{Meta, State};
use crate::visits::Refresh;
use crate::warc::medium::{Folder, Medium};
use crate::warc::metadata::DecidedBy;
use crate::warc::tail;
use crate::warc::writer::WarcWriter;

/// Bytes of the archive and of rows that wait in memory before the store commits of its own accord.
const MAX_WAITING_BYTES: u64 = 32 << 20;

/// Rows that wait in memory before the store commits of its own accord.
const MAX_WAITING_ROWS: usize = 1 << 16;

/// How to open a store.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// sled's cache in bytes.
    pub cache_bytes: u64,
    /// Names the rules that fingerprints and canonical URLs are made by. A store is opened with the scheme it was made
    /// with; `None` takes whichever that is, for reading.
    pub scheme: Option<String>,
    /// A WARC file that has reached this many bytes is followed by another.
    pub roll_bytes: u64,
    /// What the `warcinfo` record at the head of each WARC file says besides the format and the software: fields such as
    /// `robots` and `http-header-user-agent` (ISO 28500:2017, 6.2, with its list of names), and their values.
    pub warcinfo: Vec<(&'static str, String)>,
    /// Whether a store is made where there is none.
    pub create: bool,
    /// The time, milliseconds since the Unix epoch: when a new crawl begins.
    pub now_ms: u64,
}

impl OpenOptions {
    /// 64 MiB of cache, WARC files of 1 GB, made if missing, now.
    #[must_use]
    pub fn new(scheme: impl Into<String>) -> Self {
        Self {
            cache_bytes: 64 << 20,
            scheme: Some(scheme.into()),
            roll_bytes: 1_000_000_000,
            warcinfo: Vec::new(),
            create: true,
            now_ms: now_ms(),
        }
    }

    /// A store that must be there, of whichever scheme.
    #[must_use]
    pub fn existing() -> Self {
        Self {
            scheme: None,
            create: false,
            ..Self::new("")
        }
    }
}

/// The WARC files that were missing when the state was made anew: no row refers to them.
pub(crate) fn gaps(state: &State) -> Result<Vec<u32>, StorageError> {
    match state.get(format::META_GAPS)? {
        Some(row) => state.decode("the row of missing files", &row),
        None => Ok(Vec::new()),
    }
}

/// Milliseconds since the Unix epoch.
pub(crate) fn now_ms() -> u64 {
    let since_epoch = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since_epoch.as_millis()).unwrap_or(0)
}

/// A crawl on disk, held by one process. See the [crate] for what is durable when.
pub struct Store {
    pub(crate) state: State,
    pub(crate) archive: WarcWriter,
    pub(crate) known: KnownUrls,
    /// As of the last commit.
    pub(crate) committed: Progress,
    pub(crate) staged: Staged,
    /// Including what is staged; its `commit` is the last one made.
    pub(crate) progress: Progress,
    /// Including what is staged.
    pub(crate) totals: Counts,
    /// The refresh under way: its number and counts.
    pub(crate) refresh: Option<(u64, Refresh)>,
    pub(crate) folder: DataFolder,
    /// Set while batches are applied; stays set if that fails.
    halted: bool,
    scheme: String,
    started_at: u64,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("dir", &self.folder.dir())
            .field("totals", &self.totals)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Opens the store in the data folder `dir`, or makes one. What an earlier process had not committed is gone; what it
    /// had handed out is in the queue.
    ///
    /// # Errors
    /// [`StorageError`] says what is wrong with the folder and what to do: in use, of a newer format, of another scheme,
    /// damaged, without a part, not writable.
    pub fn open(dir: &Path, options: &OpenOptions) -> Result<Self, StorageError> {
        let archive = Folder::new(dir.join("warc"));
        Self::open_with(dir, options, Box::new(archive), Box::new(Folder::new(dir.to_owned())))
    }

    /// [`open`](Self::open) with the archive on `medium`, and the marks beside it on `marks`.
    pub(crate) fn open_with(
        dir: &Path,
        options: &OpenOptions,
        medium: Box<dyn Medium>,
        marks: Box<dyn Medium>,
    ) -> Result<Self, StorageError> {
        let folder = DataFolder::hold_with(dir, options.create, marks)?;
        let state = State::open(dir, options.cache_bytes)?;
        let known = state.meta()?;
        let is_new = known.is_none();
        let meta = match known {
            Some(meta) => meta,
            None if folder.has_archive() => return Err(StorageError::StateMissing { dir: dir.to_owned() }),
            None if !options.create => return Err(StorageError::NoStore { dir: dir.to_owned() }),
            None => {
                let meta = Meta {
                    scheme: options.scheme.clone().unwrap_or_default(),
                    started_at: options.now_ms,
                    seed: RandomState::new().hash_one(options.now_ms),
                    progress: Progress::START,
                };
                state.begin(&meta)?;
                meta
            }
        };
        if let Some(wanted) = options.scheme.clone().filter(|wanted| *wanted != meta.scheme) {
            return Err(StorageError::Scheme {
                dir: dir.to_owned(),
                stored: meta.scheme,
                wanted,
            });
        }
        let found = meta.progress.commit;
        // Before the archive is touched: an old state must not cut off what a newer one knew.
        // The mark may be of the same old copy, or lost; the archive itself tells too.
        let archived = match is_new {
            true => None,
            false => tail::last_commit_behind(&*medium, meta.started_at, meta.progress.archive)?,
        };
        let made = folder
            .last_commit()
            .max(archived.map(|commit| commit.saturating_sub(1)));
        if let Some(expected) = made.filter(|&expected| expected > found) {
            return Err(StorageError::RolledBack {
                dir: dir.to_owned(),
                expected,
                found,
            });
        }
        let mut archive = WarcWriter::open(medium, meta.started_at, options.roll_bytes, meta.progress.archive)?
            .described_by(options.warcinfo.clone());
        let anew = state.get(format::META_REDECIDED)?;
        let anew = anew
            .map(|row| state.decode::<Redecided>(REDECIDED_ROW, &row))
            .transpose()?;
        archive.set_decided_by(DecidedBy {
            scheme: meta.scheme.clone(),
            anew_at: anew.map(|anew| anew.at),
        });
        // Who only reads is told by the page that it cannot read.
        if options.create {
            archive.check_files(&gaps(&state)?)?;
        }
        let known = KnownUrls::open(&state, meta.seed)?;
        let mut store = Self {
            state,
            archive,
            folder,
            known,
            committed: meta.progress,
            staged: Staged::default(),
            progress: meta.progress,
            totals: Counts::default(),
            refresh: None,
            halted: false,
            scheme: meta.scheme,
            started_at: meta.started_at,
        };
        for host in store.hosts() {
            store.totals += host?.1;
        }
        store.resume_refresh()?;
        Ok(store)
    }

    /// The data folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.folder.dir()
    }

    /// The folder of the WARC files.
    #[must_use]
    pub fn warc_dir(&self) -> PathBuf {
        self.folder.warc()
    }

    /// The scheme the store was made with.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// When the crawl began, milliseconds since the Unix epoch.
    #[must_use]
    pub fn started_at(&self) -> u64 {
        self.started_at
    }

    /// The database, for the trees of an index that is derived from the catalogue. The tree `state` is the store's own.
    #[must_use]
    pub fn index_db(&self) -> &sled::Db {
        self.state.db()
    }

    /// The first `limit` URLs of the host's queue, in order, without those whose [`seq`](QueuedUrl::seq) is in `skip`: the
    /// ones that were handed out and are not finished. Commits what is staged first.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn refill(&mut self, host: &str, limit: usize, skip: &HashSet<u64>) -> Result<Vec<QueuedUrl>, StorageError> {
        self.refill_behind(host, None, limit, skip)
    }

    /// As [`refill`](Self::refill), of the URLs behind the place `from`: priority, depth and [`seq`](QueuedUrl::seq).
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn refill_behind(
        &mut self,
        host: &str,
        from: Option<(u8, u16, u64)>,
        limit: usize,
        skip: &HashSet<u64>,
    ) -> Result<Vec<QueuedUrl>, StorageError> {
        self.commit()?;
        frontier::head_of_queue(&self.state, host, from, limit, skip)
    }

    /// The sequence number that the next page finished will have. It does not change until then, so the page can be named
    /// elsewhere before it is finished.
    #[must_use]
    pub fn next_page_id(&self) -> u64 {
        self.progress.next_page
    }

    /// Makes all that was done durable: the archive first, then the rows, URL by URL in the order they were finished.
    /// Returns the highest page sequence that is durable, 0 if there is none.
    ///
    /// # Errors
    /// If the archive cannot be written nothing is lost: the call can be repeated. If the state cannot be written, the store
    /// must be opened again, and every later call says so.
    pub fn commit(&mut self) -> Result<u64, StorageError> {
        self.check_running()?;
        if !self.staged.is_empty() {
            self.archive.sync()?;
            self.halted = true;
            let number = self.progress.commit + 1;
            let after = Progress {
                commit: number,
                ..self.progress
            };
            self.staged.apply(&self.state, self.committed, after)?;
            self.committed = after;
            self.state.flush()?;
            self.progress.commit = number;
            self.known.merge_if_due(&self.state)?;
            self.halted = false;
            self.folder.note_commit(number)?;
        }
        Ok(self.progress.next_page - 1)
    }

    /// Rows that wait for the next commit.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.staged.rows()
    }

    /// The counts over all hosts, what is staged included.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.totals
    }

    fn check_running(&self) -> Result<(), StorageError> {
        if self.halted { Err(StorageError::Halted) } else { Ok(()) }
    }

    /// Keeps what waits in memory bounded, whatever the caller's rhythm of commits.
    pub(crate) fn make_room(&mut self) -> Result<(), StorageError> {
        self.check_running()?;
        let bytes = self.archive.waiting_bytes() + self.staged.bytes() as u64;
        if bytes >= MAX_WAITING_BYTES || self.staged.rows() >= MAX_WAITING_ROWS {
            self.commit()?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::warc::medium::failing::FullDisk;
    use crate::{Discovered, Outcome, PageDraft, Verdict, warc::Capture};

    fn marks(dir: &tempfile::TempDir) -> Box<dyn Medium> {
        Box::new(Folder::new(dir.path().to_owned()))
    }

    fn kept(url: &str) -> Outcome {
        let draft = PageDraft {
            title: String::new(),
            fetched_at: 0,
            status: 200,
            content_type: String::new(),
            encoding: String::new(),
            body_bytes: 4,
            wire_bytes: 4,
            text_chars: 4,
            language: None,
            verdict: Verdict::Unique,
            signature: Vec::new(),
            elapsed_ms: 0,
            canonical: None,
            replaces: None,
            ..PageDraft::default()
        };
        let (headers, payload, text) = (Vec::new(), &b"body"[..], "text");
        let (fetched_at, status, reason, ip, request, truncated) = (0, 200, "OK", None, None, None);
        let capture = Capture {
            url,
            fetched_at,
            ip,
            request,
            status,
            reason,
            headers,
            payload,
            truncated,
            text,
        }
        .encode()
        .unwrap();
        Outcome::Page {
            draft: Box::new(draft),
            capture: Some(capture),
        }
    }

    fn link(path: &str) -> Discovered {
        Discovered {
            url: format!("https://h/{path}"),
            host: "h".to_owned(),
            ..Discovered::default()
        }
    }

    #[test]
    fn a_full_disk_commits_nothing_and_the_commit_can_be_repeated() {
        let dir = tempfile::tempdir().unwrap();
        let bytes_left = Arc::new(AtomicU64::new(100));
        let options = OpenOptions::new("s");
        let full = FullDisk {
            folder: Folder::new(dir.path().join("warc")),
            bytes_left: bytes_left.clone(),
        };
        let mut store = Store::open_with(dir.path(), &options, Box::new(full), marks(&dir)).unwrap();
        let queued = store.discover(&[link("a"), link("b")]).unwrap();
        store.commit().unwrap();
        store.finish(&queued[0], kept(&queued[0].url), &[link("c")]).unwrap();
        for _ in 0..2 {
            let error = store.commit().unwrap_err();
            assert!(error.to_string().contains("free some space"), "{error}");
            assert!(store.page(1).unwrap().is_none());
            assert!(store.url_state("h", "https://h/c").unwrap().is_none());
            assert_eq!(store.hosts().next().unwrap().unwrap().1.queued, 2);
        }
        assert!(store.refill("h", 9, &HashSet::new()).is_err());
        // There is room again; what was finished meanwhile goes with it.
        bytes_left.store(u64::MAX, Ordering::Relaxed);
        store.finish(&queued[1], kept(&queued[1].url), &[]).unwrap();
        assert_eq!(store.commit().unwrap(), 2);
        for page in store.pages_from(1).map(|page| page.unwrap().1) {
            assert_eq!(store.text_of(&page).unwrap().as_deref(), Some("text"));
        }
        assert_eq!(store.counts().kept, 2);
    }

    #[test]
    fn a_process_that_ends_on_a_full_disk_leaves_the_last_commit() {
        let dir = tempfile::tempdir().unwrap();
        let options = OpenOptions::new("s");
        let full = |bytes: u64| FullDisk {
            folder: Folder::new(dir.path().join("warc")),
            bytes_left: Arc::new(AtomicU64::new(bytes)),
        };
        for bytes in [0, 1, 200, 500] {
            let mut store = Store::open_with(dir.path(), &options, Box::new(full(bytes)), marks(&dir)).unwrap();
            let known = store.counts().discovered;
            assert_eq!(store.counts().queued, known);
            store.discover(&[link("a")]).unwrap();
            let queued = store.refill("h", 1, &HashSet::new()).unwrap().remove(0);
            store.finish(&queued, kept(&queued.url), &[link("b")]).unwrap();
            assert!(store.commit().is_err());
        }
        let mut store = Store::open(dir.path(), &options).unwrap();
        assert_eq!((store.counts().discovered, store.counts().queued), (1, 1));
        assert_eq!(
            std::fs::read_dir(store.warc_dir()).unwrap().count(),
            0,
            "no committed record, no file"
        );
        assert_eq!(store.refill("h", 9, &HashSet::new()).unwrap().len(), 1);
    }
}
