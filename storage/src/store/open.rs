//! Opens a store.

use std::hash::{BuildHasher, RandomState};
use std::path::Path;
use std::time::Duration;

use super::Store;
use crate::archive::Archive;
use crate::commit::staged::Staged;
use crate::copied::StateCopy;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::format::Progress;
use crate::host_counts::HostCounts;
use crate::links::Links;
use crate::outbox::Outbox;
use crate::queue::Queue;
use crate::revisits::CurrentRefresh;
use crate::run_notes::RunNotes;
use crate::running::client::{Connected, Lender};
use crate::state::{Meta, State};
use crate::warc::compression::Compression;
use crate::warc::location::WarcEnd;
use crate::warc::medium::{Folder, Medium, Untouched};
use crate::warc::metadata::DecidedBy;
use crate::warc::names::FileNames;
use crate::warc::record::now_ms;
use crate::warc::tail;
use crate::warc::writer::WarcWriter;

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
    /// Compression of records that have no capture; `None` for that of the last WARC file. The records of a capture have their own.
    pub compression: Option<Compression>,
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
            compression: None,
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
        Self::open_as(dir, options, Box::new(archive), Box::new(marks), Links::to_read)
    }

    /// [`open`](Self::open) with the archive on `medium`, and the marks beside it on `marks`.
    pub(crate) fn open_with(
        dir: &Path,
        options: &OpenOptions,
        medium: Box<dyn Medium>,
        marks: Box<dyn Medium>,
    ) -> Result<Self, StorageError> {
        Self::open_as(dir, options, medium, marks, Links::open)
    }

    fn open_as(
        dir: &Path,
        options: &OpenOptions,
        medium: Box<dyn Medium>,
        marks: Box<dyn Medium>,
        open_links: impl FnOnce(State, u64) -> Result<Links, StorageError>,
    ) -> Result<Self, StorageError> {
        let folder = DataFolder::hold_with(dir, (options.create, &options.command), marks)?;
        let state = State::open(dir, options.cache_bytes)?;
        let meta = match state.meta()? {
            Some(meta) => {
                check_scheme(dir, &meta, options)?;
                // First, because an old state must not cut off records that a newer state knew.
                check_not_rolled_back(&folder, &*medium, &state, &meta)?;
                meta
            }
            None => create_state(&folder, &state, options)?,
        };
        let names = Archive::names(&state, meta.started_at)?;
        let mut archive = WarcWriter::open(medium, names, options.roll_bytes, meta.progress.archive)?
            .described_by(options.warcinfo.clone());
        if let Some(compression) = options.compression {
            archive.set_compression(compression);
        }
        archive.set_decided_by(decided_by(&state, &meta)?);
        let links = open_links(state.clone(), meta.seed)?;
        let mut store = Self::with(folder, state, archive, links, meta)?;
        // A reader learns of a missing file when it reads a page in it.
        if options.create {
            store.archive.check_files()?;
        }
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
        Self::open_copy(dir, options, as_it_is)
    }

    fn open_copy(dir: &Path, options: &OpenOptions, open_archive: OpenArchive) -> Result<Self, StorageError> {
        let folder = DataFolder::hold_to_read(dir)?;
        let no_store = || StorageError::NoStore { dir: dir.to_owned() };
        let copy = StateCopy::of(&DataFolder::current_state(dir).ok_or_else(no_store)?)?;
        let state = State::open_at(dir, &copy.path(), options.cache_bytes)?;
        let meta = state.meta()?.ok_or_else(no_store)?;
        check_scheme(dir, &meta, options)?;
        check_not_rolled_back(&folder, &Untouched(Folder::new(folder.warc())), &state, &meta)?;
        let mut store = Self::beside_archive(folder, state, meta, open_archive, Links::to_read)?;
        store.copy = Some(copy);
        Ok(store)
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
        Self::beside_archive(folder, state, meta, WarcWriter::open, Links::to_read).map(Some)
    }

    /// What the process that holds `dir` says of itself; `None` if none lends its rows.
    ///
    /// # Errors
    /// As [`open_lent`](Self::open_lent).
    pub fn told(dir: &Path) -> Result<Option<Vec<u8>>, StorageError> {
        match Lender::connect(dir)? {
            Connected::To(lender) => lender.told().map(Some),
            Connected::NotYet => Ok(None),
        }
    }

    /// Another handle on the committed rows, for a thread of this process that only reads them. It reads no record of the archive. Rows of a
    /// commit that is under way may be among the rows.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn reader(&self) -> Result<Self, StorageError> {
        let (folder, state) = (DataFolder::of_another(self.dir()), self.state.clone());
        let meta = state.meta()?.ok_or_else(|| state.corrupt("the format row"))?;
        Self::beside_archive(folder, state, meta, as_it_is, Links::to_read)
    }

    /// The store of a state that may contradict its archive, from which nothing is read.
    pub(crate) fn of_state(folder: DataFolder, state: State) -> Result<Self, StorageError> {
        let no_store = || StorageError::StateMissing {
            dir: folder.dir().to_owned(),
        };
        let meta = state.meta()?.ok_or_else(no_store)?;
        Self::beside_archive(folder, state, meta, as_it_is, Links::open)
    }

    /// A store that leaves the archive in `folder` untouched.
    fn beside_archive(
        folder: DataFolder,
        state: State,
        meta: Meta,
        open_archive: OpenArchive,
        open_links: impl FnOnce(State, u64) -> Result<Links, StorageError>,
    ) -> Result<Self, StorageError> {
        let medium = Box::new(Untouched(Folder::new(folder.warc())));
        let names = Archive::names(&state, meta.started_at)?;
        let archive = open_archive(medium, names, u64::MAX, meta.progress.archive)?;
        let links = open_links(state.clone(), meta.seed)?;
        Self::with(folder, state, archive, links, meta)
    }

    fn with(
        folder: DataFolder,
        state: State,
        writer: WarcWriter,
        links: Links,
        meta: Meta,
    ) -> Result<Self, StorageError> {
        let hosts = HostCounts::open(state.clone())?;
        // Continues the refresh of an earlier process if visits are in the queue.
        let refresh = match hosts.total().due {
            0 => CurrentRefresh::default(),
            _ => CurrentRefresh::last(&state)?,
        };
        Ok(Self {
            server: None,
            links,
            queue: Queue::new(state.clone()),
            hosts,
            refresh,
            outbox: Outbox::open(state.clone())?,
            archive: Archive::new(writer, state.clone(), folder.warc())?,
            state,
            closes_files: false,
            folder,
            committed: meta.progress,
            staged: Staged::default(),
            applier: None,
            sealed: None,
            commit_took: Duration::ZERO,
            progress: meta.progress,
            halted: false,
            scheme: meta.scheme,
            started_at: meta.started_at,
            copy: None,
        })
    }
}

/// What opens the archive on a medium: with the names of its files, the bytes after which a file ends, and its end.
type OpenArchive = fn(Box<dyn Medium>, FileNames, u64, WarcEnd) -> Result<WarcWriter, StorageError>;

/// As [`WarcWriter::open_as_it_is`].
fn as_it_is(
    medium: Box<dyn Medium>,
    names: FileNames,
    roll_bytes: u64,
    end: WarcEnd,
) -> Result<WarcWriter, StorageError> {
    Ok(WarcWriter::open_as_it_is(medium, names, roll_bytes, end))
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
fn check_not_rolled_back(
    folder: &DataFolder,
    medium: &dyn Medium,
    state: &State,
    meta: &Meta,
) -> Result<(), StorageError> {
    let found = meta.progress.commit;
    let archived = tail::last_commit_behind(medium, &Archive::names(state, meta.started_at)?, meta.progress.archive)?;
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
    Ok(DecidedBy {
        scheme: meta.scheme.clone(),
        redecided_at: RunNotes::new(state).redecided()?.map(|redecided| redecided.at),
    })
}
