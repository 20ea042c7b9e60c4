//! The store: one owner of frontier, catalogue and archive, and the one commit that joins them.

use std::hash::{BuildHasher, RandomState};
use std::path::{Path, PathBuf};

use crate::clock::now_ms;
use crate::copied::StateCopy;
use crate::counts::Counts;
use crate::depths::{Depths, LoweredUrls};
use crate::early::EarlyLinks;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::format::{self, Progress};
use crate::full_files::FullFiles;
use crate::known::KnownUrls;
use crate::origins::Origins;
use crate::outbox::Outbox;
use crate::redecided::{REDECIDED_ROW, Redecided};
use crate::running::client::{AsOf, Connected, Lender};
use crate::running::server::Server;
use crate::stage::{Piece, Stage};
use crate::state::{LastCommit, Meta, State};
use crate::visits::RefreshCounts;
use crate::warc::location::WarcEnd;
use crate::warc::medium::{Folder, Medium, Untouched};
use crate::warc::metadata::DecidedBy;
use crate::warc::tail;
use crate::warc::writer::WarcWriter;

/// Staged bytes of the archive and of rows after which the store commits by itself.
const MAX_STAGED_BYTES: u64 = 32 << 20;

/// Staged rows after which the store commits by itself.
const MAX_STAGED_ROWS: usize = 1 << 16;

/// How to open a store.
#[derive(Debug, Clone)]
pub struct OpenOptions {
    /// sled's cache in bytes.
    pub cache_bytes: u64,
    /// Name of the rules that make fingerprints and canonical URLs. A store opens only with the scheme that it was created
    /// with; `None` accepts any scheme, for reading.
    pub scheme: Option<String>,
    /// Bytes after which the archive begins another WARC file.
    pub roll_bytes: u64,
    /// Further fields of the `warcinfo` record at the head of each WARC file, besides the format and the software: names such as
    /// `robots` and `http-header-user-agent` (ISO 28500:2017, 6.2, lists them), and their values.
    pub warcinfo: Vec<(&'static str, String)>,
    /// Whether to create a store if there is none.
    pub create: bool,
    /// The current time, milliseconds since the Unix epoch: the start of a new crawl.
    pub now_ms: u64,
    /// Whether the end of a run also ends the last WARC file, so that no later run continues it.
    pub closes_files: bool,
    /// The command that opens the store. Other processes name it to their users while this one holds the folder.
    pub command: String,
}

impl OpenOptions {
    /// 64 MiB of cache, WARC files of 1 GB, created if missing, now.
    #[must_use]
    pub fn new(scheme: impl Into<String>) -> Self {
        Self {
            cache_bytes: 64 << 20,
            scheme: Some(scheme.into()),
            roll_bytes: 1_000_000_000,
            warcinfo: Vec::new(),
            create: true,
            now_ms: now_ms(),
            closes_files: false,
            command: String::new(),
        }
    }

    /// An existing store of any scheme.
    #[must_use]
    pub fn existing() -> Self {
        Self {
            scheme: None,
            create: false,
            ..Self::new("")
        }
    }
}

/// A crawl on disk, held by one process. The documentation of the [crate] says what is durable when.
///
/// A store that [`Store::open_lent`] opens belongs to another process: it shows the rows as of one commit, and changes nothing.
pub struct Store {
    /// Gives the rows to other processes. First, because it ends before the database is closed.
    server: Option<Server>,
    pub(crate) state: State,
    pub(crate) archive: WarcWriter,
    pub(crate) known: KnownUrls,
    pub(crate) early: EarlyLinks,
    pub(crate) depths: Depths,
    /// URLs whose depths have sunk, and whose links do not follow yet.
    pub(crate) lowered: LoweredUrls,
    /// See [`set_max_depth`](Self::set_max_depth).
    pub(crate) max_depth: u16,
    /// Progress after the last commit.
    pub(crate) committed: Progress,
    pub(crate) stage: Stage,
    /// Progress with everything staged; its `commit` is the last one made.
    pub(crate) progress: Progress,
    /// Counts over all hosts, with everything staged.
    pub(crate) totals: Counts,
    /// Number and counts of the current refresh.
    pub(crate) refresh: Option<(u64, RefreshCounts)>,
    pub(crate) outbox: Outbox,
    pub(crate) folder: DataFolder,
    full_files: FullFiles,
    /// See [`OpenOptions::closes_files`].
    pub(crate) closes_files: bool,
    /// Where the files of a merged archive come from.
    pub(crate) origins: Origins,
    /// Set while a commit applies its batches; stays set if that fails.
    halted: bool,
    scheme: String,
    started_at: u64,
    /// The copy that `state` has open. Last, because the database is closed first.
    copy: Option<StateCopy>,
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
    /// Opens the store in the data folder `dir`, or creates one. Changes that an earlier process staged and did not commit are
    /// gone; URLs that it had in process are in the queue.
    ///
    /// # Errors
    /// [`StorageError`] names the fault of the folder and the remedy: in use, of another format, of another scheme, damaged,
    /// incomplete, not writable.
    pub fn open(dir: &Path, options: &OpenOptions) -> Result<Self, StorageError> {
        let archive = Folder::new(dir.join("warc"));
        Self::open_with(dir, options, Box::new(archive), Box::new(Folder::new(dir.to_owned())))
    }

    /// Opens the store in `dir` and leaves the archive as it is, even a tail of a killed process, which the next run cuts off.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn open_untouched(dir: &Path, options: &OpenOptions) -> Result<Self, StorageError> {
        let archive = Untouched(Folder::new(dir.join("warc")));
        let marks = Untouched(Folder::new(dir.to_owned()));
        Self::open_with(dir, options, Box::new(archive), Box::new(marks))
    }

    /// [`open`](Self::open) with the archive on `medium`, and the marks beside it on `marks`.
    pub(crate) fn open_with(
        dir: &Path,
        options: &OpenOptions,
        medium: Box<dyn Medium>,
        marks: Box<dyn Medium>,
    ) -> Result<Self, StorageError> {
        let folder = DataFolder::hold_with(dir, (options.create, &options.command), marks)?;
        let state = State::open(dir, options.cache_bytes)?;
        let meta = match state.meta()? {
            Some(meta) => {
                check_scheme(dir, &meta, options)?;
                // First, because an old state must not cut off records that a newer state knew.
                check_not_rolled_back(&folder, &*medium, &meta)?;
                meta
            }
            None => create_state(&folder, &state, options)?,
        };
        let mut archive = WarcWriter::open(medium, meta.started_at, options.roll_bytes, meta.progress.archive)?
            .described_by(options.warcinfo.clone());
        archive.set_decided_by(decided_by(&state, &meta)?);
        // A reader learns of a missing file when it reads a page in it.
        if options.create {
            archive.check_files(&state.gaps()?)?;
        }
        let known = KnownUrls::open(&state, meta.seed)?;
        let mut store = Self::with(folder, state, archive, known, meta)?;
        store.closes_files = options.closes_files;
        Ok(store)
    }

    /// Opens a private copy of the state in `dir`, for reading where nothing can be written: see [`why_not_writable`](crate::why_not_writable).
    ///
    /// # Errors
    /// As [`open`](Self::open); and the temporary folder of the system has no room for the copy.
    pub fn open_copied(dir: &Path, options: &OpenOptions) -> Result<Self, StorageError> {
        Self::open_copy(dir, options, WarcWriter::open)
    }

    /// Opens a copy of the state, like [`open_copied`](Self::open_copied), although the end of the archive may be lost. The store can read no
    /// record.
    ///
    /// # Errors
    /// As [`open_copied`](Self::open_copied), but not [`StorageError::ArchiveShort`].
    pub(crate) fn open_copied_state(dir: &Path, options: &OpenOptions) -> Result<Self, StorageError> {
        Self::open_copy(dir, options, |medium, started_at, roll_bytes, end| {
            Ok(WarcWriter::open_as_it_is(medium, started_at, roll_bytes, end))
        })
    }

    fn open_copy(
        dir: &Path,
        options: &OpenOptions,
        open_archive: impl FnOnce(Box<dyn Medium>, u64, u64, WarcEnd) -> Result<WarcWriter, StorageError>,
    ) -> Result<Self, StorageError> {
        let folder = DataFolder::hold_to_read(dir)?;
        let no_store = || StorageError::NoStore { dir: dir.to_owned() };
        let copy = StateCopy::of(&DataFolder::current_state(dir).ok_or_else(no_store)?)?;
        let state = State::open_at(dir, &copy.path(), options.cache_bytes)?;
        let meta = state.meta()?.ok_or_else(no_store)?;
        check_scheme(dir, &meta, options)?;
        let medium: Box<dyn Medium> = Box::new(Untouched(Folder::new(folder.warc())));
        check_not_rolled_back(&folder, &*medium, &meta)?;
        let archive = open_archive(medium, meta.started_at, options.roll_bytes, meta.progress.archive)?;
        let known = KnownUrls::open(&state, meta.seed)?;
        let mut store = Self::with(folder, state, archive, known, meta)?;
        store.copy = Some(copy);
        Ok(store)
    }

    /// The folder and the bytes of the copy, of a store that [`open_copied`](Self::open_copied) opened.
    #[must_use]
    pub fn copied(&self) -> Option<(PathBuf, u64)> {
        self.copy.as_ref().map(|copy| (copy.path(), copy.bytes()))
    }

    /// Opens the store that another process holds in `dir`, as of its last commit; `None` if that process does not lend its rows, or not
    /// yet: it has just started, it is about to end, or it is a command that ends soon.
    ///
    /// # Errors
    /// [`StorageError::OtherVersion`], [`StorageError::LenderGone`]; the connection is refused, or the rows cannot be read.
    pub fn open_lent(dir: &Path) -> Result<Option<Self>, StorageError> {
        let Connected::To(lender) = Lender::connect(dir)? else {
            return Ok(None);
        };
        let state = State::lent_by(dir, lender);
        let folder = DataFolder::of_another(dir);
        let Some(meta) = state.meta()? else {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        };
        let medium = Box::new(Untouched(Folder::new(folder.warc())));
        let archive = WarcWriter::open(medium, meta.started_at, u64::MAX, meta.progress.archive)?;
        let known = KnownUrls::lent(&state, meta.seed)?;
        Self::with(folder, state, archive, known, meta).map(Some)
    }

    /// The store of a state that may contradict its archive, from which nothing is read.
    pub(crate) fn of_state(folder: DataFolder, state: State) -> Result<Self, StorageError> {
        let no_store = || StorageError::StateMissing {
            dir: folder.dir().to_owned(),
        };
        let meta = state.meta()?.ok_or_else(no_store)?;
        let medium = Box::new(Untouched(Folder::new(folder.warc())));
        let archive = WarcWriter::open_as_it_is(medium, meta.started_at, u64::MAX, meta.progress.archive);
        let known = KnownUrls::open(&state, meta.seed)?;
        Self::with(folder, state, archive, known, meta)
    }

    fn with(
        folder: DataFolder,
        state: State,
        archive: WarcWriter,
        known: KnownUrls,
        meta: Meta,
    ) -> Result<Self, StorageError> {
        let early = EarlyLinks::open(&state, &known)?;
        let outbox = Outbox::open(&state)?;
        let mut store = Self {
            server: None,
            origins: Origins::read(&state)?,
            full_files: FullFiles::new(folder.warc(), meta.started_at, meta.progress.archive.file),
            closes_files: false,
            state,
            archive,
            folder,
            known,
            early,
            depths: Depths::default(),
            lowered: LoweredUrls::default(),
            max_depth: u16::MAX,
            committed: meta.progress,
            stage: Stage::default(),
            progress: meta.progress,
            totals: Counts::default(),
            refresh: None,
            outbox,
            halted: false,
            scheme: meta.scheme,
            started_at: meta.started_at,
            copy: None,
        };
        for host in store.hosts() {
            store.totals += host?.1;
        }
        store.resume_refresh()?;
        store.resume_lowered()?;
        Ok(store)
    }

    /// Lends the rows to processes that read this folder, until the store is closed: each gets the rows as of one commit.
    ///
    /// # Errors
    /// Neither a socket in the folder nor a port of the loopback interface can be opened. The store works without.
    pub fn lend(&mut self) -> Result<(), StorageError> {
        *self.state.begin_commit()? = LastCommit {
            number: self.progress.commit,
            at_ms: now_ms(),
        };
        let server = Server::start(self.folder.dir(), self.state.clone())
            .map_err(|source| StorageError::io("listen for readers of", self.folder.dir(), source))?;
        self.server = Some(server);
        Ok(())
    }

    /// The instant that a store of another process shows; `None` for a store of this process.
    #[must_use]
    pub fn as_of(&self) -> Option<AsOf> {
        self.state.as_of()
    }

    /// The data folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.folder.dir()
    }

    /// The folder of the WARC files.
    pub(crate) fn warc_dir(&self) -> PathBuf {
        self.folder.warc()
    }

    /// The scheme that the store was created with.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Start of the crawl, milliseconds since the Unix epoch.
    #[must_use]
    pub fn started_at(&self) -> u64 {
        self.started_at
    }

    /// The database, for the trees of an index that is derived from the catalogue. The tree `state` belongs to the store. `None` if
    /// another process holds the store.
    #[must_use]
    pub fn index_db(&self) -> Option<&sled::Db> {
        self.state.db()
    }

    /// The sequence number of the next page. It does not change until that page is finished, so that other records can name the
    /// page before.
    #[must_use]
    pub fn next_page_id(&self) -> u64 {
        self.progress.next_page
    }

    /// Makes everything staged durable: the archive first, then the rows, URL by URL in the order they were finished.
    /// Returns the highest durable sequence number of a page, 0 if there is none.
    ///
    /// # Errors
    /// If the archive cannot be written, nothing is lost and the call can be repeated. If the state cannot be written, every
    /// later call fails until the store is opened again.
    pub fn commit(&mut self) -> Result<u64, StorageError> {
        let committed = self.commit_stage();
        committed.map_err(|error| self.explained(error))
    }

    fn commit_stage(&mut self) -> Result<u64, StorageError> {
        self.check_running()?;
        if !self.stage.is_empty() {
            self.archive.sync()?;
            let state = self.state.clone();
            let mut last = state.begin_commit()?;
            self.halted = true;
            let number = self.progress.commit + 1;
            let after = Progress {
                commit: number,
                ..self.progress
            };
            self.stage.apply(&self.state, &self.early, self.committed, after)?;
            self.committed = after;
            self.early.committed();
            self.depths.committed();
            self.state.flush()?;
            self.progress.commit = number;
            self.known.merge_if_due(&self.state)?;
            *last = LastCommit {
                number,
                at_ms: now_ms(),
            };
            self.halted = false;
            self.full_files.note(self.committed.archive.file);
            self.folder.note_commit(number)?;
        }
        Ok(self.progress.next_page - 1)
    }

    /// Adds fields to the `warcinfo` records of later WARC files: see [`OpenOptions::warcinfo`].
    pub fn describe_files(&mut self, fields: Vec<(&'static str, String)>) {
        self.archive.describe(fields);
    }

    /// The full files of the archive, as of each commit.
    #[must_use]
    pub fn full_files(&self) -> FullFiles {
        self.full_files.clone()
    }

    /// The WARC file that the next record goes to. It may not exist yet.
    #[must_use]
    pub fn growing_file(&self) -> PathBuf {
        self.archive.path(self.archive.end().file)
    }

    /// Ends the WARC file that grows. Durable with the next commit; the next record begins another file.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn close_file(&mut self) -> Result<(), StorageError> {
        self.make_room()?;
        self.archive.close_file();
        self.progress.archive = self.archive.end();
        self.stage.push(Piece::at(self.progress));
        Ok(())
    }

    /// Rows that are staged for the next commit.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.stage.rows()
    }

    /// The counts over all hosts, with everything staged.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.totals
    }

    fn check_running(&self) -> Result<(), StorageError> {
        if self.halted { Err(StorageError::Halted) } else { Ok(()) }
    }

    /// Commits if the stage is full, so that memory stays bounded however rarely the caller commits.
    pub(crate) fn make_room(&mut self) -> Result<(), StorageError> {
        self.check_running()?;
        let bytes = self.archive.waiting_bytes() + self.stage.bytes() as u64;
        if bytes >= MAX_STAGED_BYTES || self.stage.rows() >= MAX_STAGED_ROWS {
            self.commit()?;
        }
        Ok(())
    }
}

/// Writes the meta rows of a new crawl.
fn create_state(folder: &DataFolder, state: &State, options: &OpenOptions) -> Result<Meta, StorageError> {
    let dir = folder.dir().to_owned();
    if folder.has_archive() {
        return Err(StorageError::StateMissing { dir });
    }
    if !options.create {
        return Err(StorageError::NoStore { dir });
    }
    let meta = Meta {
        scheme: options.scheme.clone().unwrap_or_default(),
        started_at: options.now_ms,
        seed: RandomState::new().hash_one(options.now_ms),
        progress: Progress::START,
    };
    state.begin(&meta)?;
    Ok(meta)
}

fn check_scheme(dir: &Path, meta: &Meta, options: &OpenOptions) -> Result<(), StorageError> {
    match &options.scheme {
        Some(wanted) if *wanted != meta.scheme => Err(StorageError::Scheme {
            dir: dir.to_owned(),
            stored: meta.scheme.clone(),
            wanted: wanted.clone(),
        }),
        _ => Ok(()),
    }
}

/// Refuses a state that has lost commits. The mark `last-commit` may come from the same old copy, or be lost, so the archive is read
/// too.
fn check_not_rolled_back(folder: &DataFolder, medium: &dyn Medium, meta: &Meta) -> Result<(), StorageError> {
    let found = meta.progress.commit;
    let archived = tail::last_commit_behind(medium, meta.started_at, meta.progress.archive)?;
    let made = folder
        .last_commit()
        .max(archived.map(|commit| commit.saturating_sub(1)));
    match made.filter(|&expected| expected > found) {
        Some(expected) => Err(StorageError::RolledBack {
            dir: folder.dir().to_owned(),
            expected,
            found,
        }),
        None => Ok(()),
    }
}

fn decided_by(state: &State, meta: &Meta) -> Result<DecidedBy, StorageError> {
    let row = state.get(format::META_REDECIDED)?;
    let redecided = row
        .map(|row| state.decode::<Redecided>(REDECIDED_ROW, &row))
        .transpose()?;
    Ok(DecidedBy {
        scheme: meta.scheme.clone(),
        redecided_at: redecided.map(|redecided| redecided.at),
    })
}

#[cfg(test)]
mod tests;
