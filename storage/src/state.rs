//! The rows of the store: in the sled database in `state/`, which this process opens, checks, reads and makes durable; or lent by
//! another process that has it open, for reading.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use crate::batch::{Batch, KeyValue, guarded, panic_message};
use crate::error::StorageError;
use crate::format::{self, FORMAT_VERSION, Progress};

use crate::holder::Holder;
use crate::running::client::{AsOf, Lender, LentRows};
use crate::snapshot::{Snapshot, Snapshots};
use crate::warc::medium::sync_folder;

/// The rows of a store. Clones share them.
#[derive(Clone)]
pub(crate) struct State {
    dir: Arc<Path>,
    rows: Source,
}

/// Where the rows are.
#[derive(Clone)]
enum Source {
    Own(Arc<Own>),
    Lent(Lender),
}

/// The database of this process, and its tree `state`.
struct Own {
    db: sled::Db,
    tree: sled::Tree,
    /// The file of the database, as it was opened; `None` where the system does not tell files apart.
    file: Option<FileId>,
    /// Files in `blobs` that are durable.
    synced_blobs: Mutex<HashSet<OsString>>,
    /// Snapshots of `tree` for readers in other processes.
    snapshots: Snapshots,
    /// Held during a commit.
    last_commit: Mutex<LastCommit>,
}

/// The last complete commit.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LastCommit {
    pub number: u64,
    /// Milliseconds since the Unix epoch.
    pub at_ms: u64,
}

/// The name of the tree of the rows.
const STATE_TREE: &str = "state";

const META_FORMAT: &[u8] = b"mformat";
const META_SCHEME: &[u8] = b"mscheme";
const META_STARTED: &[u8] = b"mstarted";
const META_PROGRESS: &[u8] = b"mprogress";
const META_SEED: &[u8] = b"mseed";

/// sled's name for the file of the database.
const DATABASE: &str = "db";

/// Device and number of a file.
type FileId = (u64, u64);

/// Upper bound on the wait for a dropped database to release its files.
const RELEASE_WITHIN: Duration = Duration::from_secs(5);

/// The row's name in the error for a damaged state.
const SEED: &str = "the seed row";

/// The meta rows.
pub(crate) struct Meta {
    pub scheme: String,
    pub started_at: u64,
    /// Key of the hashes of URLs.
    pub seed: u64,
    pub progress: Progress,
}

impl State {
    /// Opens the database under `dir`, the data folder. `cache_bytes` is sled's cache.
    pub fn open(dir: &Path, cache_bytes: u64) -> Result<Self, StorageError> {
        remove_unfinished_snapshots(dir)?;
        Self::open_at(dir, &state_folder(dir), cache_bytes)
    }

    /// Opens the database in the folder `state`, which belongs to the data folder `dir`.
    pub fn open_at(dir: &Path, state: &Path, cache_bytes: u64) -> Result<Self, StorageError> {
        let config = sled::Config::new()
            .path(state)
            .cache_capacity(cache_bytes)
            // Only commits write rows to the disk.
            .flush_every_ms(None);
        let deadline = Instant::now() + RELEASE_WITHIN;
        let (db, tree) = loop {
            match open_database(&config) {
                Ok(opened) => break opened,
                // This process holds the data folder, so a database of this process holds the lock: sled's threads release it
                // a little after the database is dropped.
                Err(NotOpened::Error(error)) if is_locked(&error) && Instant::now() < deadline => {
                    std::thread::sleep(Duration::from_millis(2));
                }
                Err(NotOpened::Error(error)) if is_locked(&error) => {
                    return Err(StorageError::Locked {
                        dir: dir.to_owned(),
                        holder: Some(Holder::this_process()),
                    });
                }
                Err(NotOpened::Error(error)) => return Err(StorageError::sled(dir, error)),
                Err(NotOpened::Panic(detail)) => {
                    return Err(StorageError::sled_panic(dir, detail));
                }
            }
        };
        Ok(Self {
            dir: dir.into(),
            rows: Source::Own(Arc::new(Own {
                db,
                tree,
                file: std::fs::metadata(state.join(DATABASE)).ok().as_ref().and_then(file_id),
                synced_blobs: Mutex::default(),
                snapshots: Snapshots::default(),
                last_commit: Mutex::default(),
            })),
        })
    }

    /// The data folder.
    pub fn dir(&self) -> &Path {
        &self.dir
    }

    /// The rows that another process lends.
    pub fn lent_by(dir: &Path, lender: Lender) -> Self {
        Self {
            dir: dir.into(),
            rows: Source::Lent(lender),
        }
    }

    /// The instant that lent rows show; `None` for rows of this process.
    pub fn as_of(&self) -> Option<AsOf> {
        match &self.rows {
            Source::Own(_) => None,
            Source::Lent(lender) => Some(lender.as_of()),
        }
    }

    /// Begins a commit, which ends with the drop of the guard: until then no snapshot is taken.
    pub fn begin_commit(&self) -> Result<MutexGuard<'_, LastCommit>, StorageError> {
        // A panic during a commit halts the store; a reader may still see what was applied before.
        Ok(self.own()?.last_commit.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// The rows after the last complete commit, and that commit; `None` for lent rows. Waits for the end of a commit.
    pub fn snapshot(&self) -> Option<(Snapshot, LastCommit)> {
        let Source::Own(own) = &self.rows else { return None };
        let last = own.last_commit.lock().unwrap_or_else(PoisonError::into_inner);
        Some((own.snapshots.take(&own.tree, &self.dir), *last))
    }

    fn own(&self) -> Result<&Own, StorageError> {
        match &self.rows {
            Source::Own(own) => Ok(own),
            Source::Lent(_) => Err(StorageError::Lent {
                dir: self.dir.to_path_buf(),
            }),
        }
    }

    /// The meta rows; `None` for an empty database.
    pub fn meta(&self) -> Result<Option<Meta>, StorageError> {
        let Some(row) = self.get(META_FORMAT)? else {
            let first = self.scan([]).next().transpose()?;
            return if first.is_none() {
                Ok(None)
            } else {
                Err(self.corrupt("the format row"))
            };
        };
        let found = format::format_version(&row).ok_or_else(|| self.corrupt("the format row"))?;
        if found != FORMAT_VERSION {
            return Err(StorageError::OtherFormat {
                dir: self.dir.to_path_buf(),
                found,
                known: FORMAT_VERSION,
            });
        }
        let required = |key, what| self.get(key)?.ok_or_else(|| self.corrupt(what));
        let scheme = required(META_SCHEME, "the scheme row")?;
        Ok(Some(Meta {
            scheme: String::from_utf8_lossy(&scheme).into_owned(),
            started_at: self.decode("the start row", &required(META_STARTED, "the start row")?)?,
            seed: required(META_SEED, SEED)?
                .as_ref()
                .try_into()
                .map(u64::from_le_bytes)
                .map_err(|_| self.corrupt(SEED))?,
            progress: self.decode("the progress row", &required(META_PROGRESS, "the progress row")?)?,
        }))
    }

    /// Writes the meta rows of a new store, durable on return.
    pub fn begin(&self, meta: &Meta) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        batch.insert(META_FORMAT, format::format_row(FORMAT_VERSION));
        batch.insert(META_SCHEME, meta.scheme.as_bytes());
        batch.insert(META_STARTED, format::encode(&meta.started_at)?);
        batch.insert(META_SEED, &meta.seed.to_le_bytes());
        batch.insert(META_PROGRESS, format::encode(&meta.progress)?);
        self.apply(batch)?;
        self.flush()
    }

    /// Passes the rows of all trees to `tell`, and whether a row is of the tree of this state. The process that lends its rows lends no other
    /// tree.
    pub fn each_row(
        &self,
        mut tell: impl FnMut(&[u8], &[u8], bool) -> Result<(), StorageError>,
    ) -> Result<(), StorageError> {
        let Some(db) = self.db() else {
            for row in self.scan([]) {
                let (key, value) = row?;
                tell(&key, &value, true)?;
            }
            return Ok(());
        };
        for name in db.tree_names() {
            let tree = guarded(&self.dir, || db.open_tree(&name))?;
            let is_state = name.as_ref() == STATE_TREE.as_bytes();
            let mut rows = tree.iter();
            while let Some((key, value)) = guarded(&self.dir, || rows.next().transpose())? {
                tell(&key, &value, is_state)?;
            }
        }
        Ok(())
    }

    /// The database; `None` if another process has it.
    pub fn db(&self) -> Option<&sled::Db> {
        self.own().ok().map(|own| &own.db)
    }

    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<sled::IVec>, StorageError> {
        match &self.rows {
            Source::Own(own) => guarded(&self.dir, || own.tree.get(key)),
            Source::Lent(lender) => lender.get(key.as_ref()),
        }
    }

    /// The decoded row; `what` it is, for the error.
    pub fn row<T: DeserializeOwned>(&self, key: impl AsRef<[u8]>, what: &str) -> Result<Option<T>, StorageError> {
        let row = self.get(key)?;
        row.map(|row| self.decode(what, &row)).transpose()
    }

    /// As [`row`](Self::row), for a row with a version of its own.
    pub fn versioned_row<T: DeserializeOwned>(
        &self,
        key: impl AsRef<[u8]>,
        what: &str,
    ) -> Result<Option<T>, StorageError> {
        let row = self.get(key)?;
        row.map(|row| format::decode_versioned(&row).ok_or_else(|| self.corrupt(what)))
            .transpose()
    }

    pub fn contains(&self, key: impl AsRef<[u8]>) -> Result<bool, StorageError> {
        match &self.rows {
            Source::Own(own) => guarded(&self.dir, || own.tree.contains_key(key)),
            Source::Lent(lender) => Ok(lender.get(key.as_ref())?.is_some()),
        }
    }

    /// Applies a batch as one atomic step.
    pub fn apply(&self, batch: Batch) -> Result<(), StorageError> {
        let own = self.own()?;
        let (keys, batch) = batch.into_parts();
        guarded(&self.dir, || {
            own.snapshots.save(&own.tree, &keys)?;
            own.tree.apply_batch(batch)
        })
    }

    /// Makes all applied batches durable.
    ///
    /// On Linux sled 0.34 ends its writes with `sync_file_range`, which writes neither the file's new length nor the disk's own
    /// cache. Such writes survive the end of the process, but not a loss of power, so this function adds an `fdatasync`.
    pub fn flush(&self) -> Result<(), StorageError> {
        let own = self.own()?;
        guarded(&self.dir, || own.db.flush())?;
        let path = state_folder(&self.dir).join(DATABASE);
        self.sync_blobs(&own.synced_blobs)?;
        let failed = |source| StorageError::io("make durable", &path, source);
        let file = File::open(&path).map_err(failed)?;
        // sled writes to the file that it has open, wherever that is now.
        if own.file.is_some() && file_id(&file.metadata().map_err(failed)?) != own.file {
            return Err(StorageError::StateGone {
                dir: self.dir.to_path_buf(),
            });
        }
        file.sync_data().map_err(failed)
    }

    /// sled writes a node that is too long for a quarter of a segment to a separate file, and does not sync that file either.
    fn sync_blobs(&self, synced: &Mutex<HashSet<OsString>>) -> Result<(), StorageError> {
        let folder = state_folder(&self.dir).join("blobs");
        let failed = |source| StorageError::io("make durable", &folder, source);
        let mut synced = synced.lock().unwrap_or_else(PoisonError::into_inner);
        let mut all = HashSet::new();
        for entry in std::fs::read_dir(&folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let name = entry.file_name();
            if !synced.contains(&name) {
                match File::open(entry.path()).and_then(|file| file.sync_all()) {
                    // sled has removed a file that it no longer uses.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    result => result.map_err(failed)?,
                }
            }
            all.insert(name);
        }
        if !all.is_subset(&synced) {
            sync_folder(&folder).map_err(failed)?;
        }
        *synced = all;
        Ok(())
    }

    /// The last row whose key lies between `from` and `to`, both included.
    pub fn last_in(&self, from: &[u8], to: &[u8]) -> Result<Option<KeyValue>, StorageError> {
        match &self.rows {
            Source::Own(own) => guarded(&self.dir, || own.tree.range(from..=to).next_back().transpose()),
            // The first key after `to` is `to` with a zero byte.
            Source::Lent(lender) => lender.last(from.to_vec(), Some([to, &[0]].concat())),
        }
    }

    /// The rows whose keys begin with `prefix`, in order.
    pub fn scan(&self, prefix: impl AsRef<[u8]>) -> Rows {
        self.rows(match &self.rows {
            Source::Own(own) => Reader::Own(own.tree.scan_prefix(prefix)),
            Source::Lent(lender) => {
                let prefix = prefix.as_ref();
                Reader::Lent(lender.rows(prefix.to_vec(), after_prefix(prefix)))
            }
        })
    }

    /// The rows of the table of the key `from`, from that key on, in order.
    pub fn scan_from(&self, from: &[u8]) -> Rows {
        let end = vec![from[0] + 1];
        self.rows(match &self.rows {
            Source::Own(own) => Reader::Own(own.tree.range(from.to_vec()..end)),
            Source::Lent(lender) => Reader::Lent(lender.rows(from.to_vec(), Some(end))),
        })
    }

    fn rows(&self, reader: Reader) -> Rows {
        Rows {
            dir: self.dir.clone(),
            reader,
        }
    }

    pub fn decode<T: DeserializeOwned>(&self, what: &str, value: &[u8]) -> Result<T, StorageError> {
        postcard::from_bytes(value).map_err(|_| self.corrupt(what))
    }

    pub fn corrupt(&self, what: &str) -> StorageError {
        StorageError::Corrupt {
            dir: self.dir.to_path_buf(),
            detail: format!("{what} cannot be read"),
        }
    }
}

/// The row with the progress of the state, of which every batch has one.
pub(crate) fn progress_row(progress: &Progress) -> Result<(&'static [u8], Vec<u8>), StorageError> {
    Ok((META_PROGRESS, format::encode(progress)?))
}

/// The row with the scheme.
pub(crate) fn scheme_row(scheme: &str) -> (&'static [u8], Vec<u8>) {
    (META_SCHEME, scheme.as_bytes().to_vec())
}

/// Whether a tree of the database, by its name, is that of the rows.
pub(crate) fn is_state_tree(name: &[u8]) -> bool {
    name == STATE_TREE.as_bytes()
}

#[cfg(unix)]
fn file_id(metadata: &std::fs::Metadata) -> Option<FileId> {
    use std::os::unix::fs::MetadataExt;
    Some((metadata.dev(), metadata.ino()))
}

#[cfg(not(unix))]
fn file_id(_metadata: &std::fs::Metadata) -> Option<FileId> {
    None
}

/// Removes unfinished snapshots. sled writes a snapshot under a name that ends in `.generating` and renames it when it is complete. The
/// next open takes an unfinished one, left by a kill or a full disk, for the newest, and reports the whole database as damaged. The
/// caller holds the data folder, so no process is writing a snapshot.
fn remove_unfinished_snapshots(dir: &Path) -> Result<(), StorageError> {
    let folder = state_folder(dir);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        // There is no state yet. The open reports any other fault of the folder.
        return Ok(());
    };
    for entry in entries {
        let path = entry
            .map_err(|source| StorageError::io("read", &folder, source))?
            .path();
        let name = path
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            std::fs::remove_file(&path).map_err(|source| StorageError::io("remove", &path, source))?;
        }
    }
    Ok(())
}

enum NotOpened {
    Error(sled::Error),
    Panic(String),
}

/// Opens the database and catches panics: sled asserts some properties of the files that it reads. The closure shares no data with the
/// caller, so a panic leaves nothing half-done.
fn open_database(config: &sled::Config) -> Result<(sled::Db, sled::Tree), NotOpened> {
    let opened = catch_unwind(AssertUnwindSafe(|| {
        let db = config.open()?;
        let tree = db.open_tree(STATE_TREE)?;
        Ok((db, tree))
    }));
    match opened {
        Ok(opened) => opened.map_err(NotOpened::Error),
        Err(panic) => Err(NotOpened::Panic(panic_message(panic.as_ref()))),
    }
}

/// Whether the database is locked. sled 0.34 has no error variant for it.
fn is_locked(error: &sled::Error) -> bool {
    matches!(error, sled::Error::Io(error) if error.to_string().starts_with("could not acquire lock"))
}

/// The first key after all keys that begin with `prefix`; `None` if there is none.
fn after_prefix(prefix: &[u8]) -> Option<Vec<u8>> {
    let last = prefix.iter().rposition(|byte| *byte < u8::MAX)?;
    let mut end = prefix[..=last].to_vec();
    end[last] += 1;
    Some(end)
}

/// Iterates over rows. Owns its reader.
pub(crate) struct Rows {
    dir: Arc<Path>,
    reader: Reader,
}

enum Reader {
    Own(sled::Iter),
    Lent(LentRows),
}

impl DoubleEndedIterator for Rows {
    fn next_back(&mut self) -> Option<Self::Item> {
        match &mut self.reader {
            Reader::Own(rows) => guarded(&self.dir, || rows.next_back().transpose()).transpose(),
            Reader::Lent(rows) => rows.next_back(),
        }
    }
}

impl Iterator for Rows {
    type Item = Result<KeyValue, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        match &mut self.reader {
            Reader::Own(rows) => guarded(&self.dir, || rows.next().transpose()).transpose(),
            Reader::Lent(rows) => rows.next(),
        }
    }
}

/// Waits until a dropped database has released its files, and makes all of them durable. `state` is their folder.
pub(crate) fn make_durable(state: &Path) -> Result<(), StorageError> {
    await_release(state)?;
    sync_all(state).map_err(|source| StorageError::io("make durable", state, source))
}

/// Waits until a dropped database has released its files. `state` is their folder.
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
                    holder: Some(Holder::this_process()),
                });
            }
            // A file system without locks has none to wait for.
            TryLockError::Error(_) => break,
        }
    }
    Ok(())
}

fn sync_all(folder: &Path) -> std::io::Result<()> {
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            sync_all(&path)?;
        } else {
            File::open(path)?.sync_all()?;
        }
    }
    sync_folder(folder)
}

/// The folder of sled's files.
pub(crate) fn state_folder(dir: &Path) -> PathBuf {
    dir.join("state")
}
