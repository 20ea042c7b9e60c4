//! The sled database in `state/`: opened, checked, read, and made durable.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{File, TryLockError};
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use crate::error::StorageError;
use crate::format::{self, FORMAT_VERSION, Progress};
use crate::warc::medium::sync_folder;

/// The database and its tree `state`. Clones share the database.
#[derive(Clone)]
pub(crate) struct State {
    dir: PathBuf,
    db: sled::Db,
    tree: sled::Tree,
    /// Files in `blobs` that are durable.
    synced_blobs: Arc<Mutex<HashSet<OsString>>>,
}

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
        let config = sled::Config::new()
            .path(state_folder(dir))
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
                    let pid = Some(std::process::id());
                    return Err(StorageError::Locked {
                        dir: dir.to_owned(),
                        pid,
                    });
                }
                Err(NotOpened::Error(error)) => return Err(StorageError::sled(dir, error)),
                Err(NotOpened::Panic(detail)) => {
                    return Err(StorageError::sled_panic(dir, detail));
                }
            }
        };
        Ok(Self {
            dir: dir.to_owned(),
            db,
            tree,
            synced_blobs: Arc::default(),
        })
    }

    /// The meta rows; `None` for an empty database.
    pub fn meta(&self) -> Result<Option<Meta>, StorageError> {
        let Some(row) = self.get(format::META_FORMAT)? else {
            let first = guarded(&self.dir, || self.tree.first())?;
            return if first.is_none() {
                Ok(None)
            } else {
                Err(self.corrupt("the format row"))
            };
        };
        let found = format::format_version(&row).ok_or_else(|| self.corrupt("the format row"))?;
        if found != FORMAT_VERSION {
            return Err(StorageError::OtherFormat {
                dir: self.dir.clone(),
                found,
                known: FORMAT_VERSION,
            });
        }
        let required = |key, what| self.get(key)?.ok_or_else(|| self.corrupt(what));
        let scheme = required(format::META_SCHEME, "the scheme row")?;
        Ok(Some(Meta {
            scheme: String::from_utf8_lossy(&scheme).into_owned(),
            started_at: self.decode("the start row", &required(format::META_STARTED, "the start row")?)?,
            seed: required(format::META_SEED, SEED)?
                .as_ref()
                .try_into()
                .map(u64::from_le_bytes)
                .map_err(|_| self.corrupt(SEED))?,
            progress: self.decode(
                "the progress row",
                &required(format::META_PROGRESS, "the progress row")?,
            )?,
        }))
    }

    /// Writes the meta rows of a new store, durable on return.
    pub fn begin(&self, meta: &Meta) -> Result<(), StorageError> {
        let mut batch = sled::Batch::default();
        batch.insert(format::META_FORMAT, format::format_row(FORMAT_VERSION));
        batch.insert(format::META_SCHEME, meta.scheme.as_bytes());
        batch.insert(format::META_STARTED, format::encode(&meta.started_at)?);
        batch.insert(format::META_SEED, &meta.seed.to_le_bytes());
        batch.insert(format::META_PROGRESS, format::encode(&meta.progress)?);
        self.apply(batch)?;
        self.flush()
    }

    /// Numbers of the WARC files that were missing at a rebuild. No row refers to them.
    pub fn gaps(&self) -> Result<Vec<u32>, StorageError> {
        match self.get(format::META_GAPS)? {
            Some(row) => self.decode("the row of missing files", &row),
            None => Ok(Vec::new()),
        }
    }

    pub fn db(&self) -> &sled::Db {
        &self.db
    }

    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<sled::IVec>, StorageError> {
        guarded(&self.dir, || self.tree.get(key))
    }

    pub fn contains(&self, key: impl AsRef<[u8]>) -> Result<bool, StorageError> {
        guarded(&self.dir, || self.tree.contains_key(key))
    }

    /// Applies a batch as one atomic step.
    pub fn apply(&self, batch: sled::Batch) -> Result<(), StorageError> {
        guarded(&self.dir, || self.tree.apply_batch(batch))
    }

    /// Makes all applied batches durable.
    ///
    /// On Linux sled 0.34 ends its writes with `sync_file_range`, which writes neither the file's new length nor the disk's own
    /// cache. Such writes survive the end of the process, but not a loss of power, so this function adds an `fdatasync`.
    pub fn flush(&self) -> Result<(), StorageError> {
        guarded(&self.dir, || self.db.flush())?;
        let path = state_folder(&self.dir).join("db");
        self.sync_blobs()?;
        File::open(&path)
            .and_then(|file| file.sync_data())
            .map_err(|source| StorageError::io("make durable", path, source))
    }

    /// sled writes a node that is too long for a quarter of a segment to a separate file, and does not sync that file either.
    fn sync_blobs(&self) -> Result<(), StorageError> {
        let folder = state_folder(&self.dir).join("blobs");
        let failed = |source| StorageError::io("make durable", &folder, source);
        let mut synced = self.synced_blobs.lock().unwrap_or_else(PoisonError::into_inner);
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
    pub fn last_in(&self, from: &[u8], to: &[u8]) -> Result<Option<(sled::IVec, sled::IVec)>, StorageError> {
        guarded(&self.dir, || self.tree.range(from..=to).next_back().transpose())
    }

    /// The rows whose keys begin with `prefix`, in order.
    pub fn scan(&self, prefix: impl AsRef<[u8]>) -> Rows {
        Rows {
            dir: self.dir.clone(),
            rows: self.tree.scan_prefix(prefix),
        }
    }

    /// The rows of the table of the key `from`, from that key on, in order.
    pub fn scan_from(&self, from: &[u8]) -> Rows {
        let end = vec![from[0] + 1];
        Rows {
            dir: self.dir.clone(),
            rows: self.tree.range(from.to_vec()..end),
        }
    }

    pub fn decode<T: DeserializeOwned>(&self, what: &'static str, value: &[u8]) -> Result<T, StorageError> {
        decode(&self.dir, what, value)
    }

    pub fn corrupt(&self, what: &str) -> StorageError {
        corrupt(&self.dir, what)
    }
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
        let tree = db.open_tree(format::STATE_TREE)?;
        Ok((db, tree))
    }));
    match opened {
        Ok(opened) => opened.map_err(NotOpened::Error),
        Err(panic) => Err(NotOpened::Panic(panic_message(panic.as_ref()))),
    }
}

/// Calls sled and turns a panic into an error: sled asserts some properties of the data that it reads, and unwraps some failures of its
/// threads.
pub(crate) fn guarded<T>(dir: &Path, ask: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, StorageError> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(answer) => answer.map_err(|error| StorageError::sled(dir, error)),
        Err(panic) => Err(StorageError::sled_panic(dir, panic_message(panic.as_ref()))),
    }
}

/// Whether the database is locked. sled 0.34 has no error variant for it.
fn is_locked(error: &sled::Error) -> bool {
    matches!(error, sled::Error::Io(error) if error.to_string().starts_with("could not acquire lock"))
}

/// Iterates over rows of the tree. Owns its reader.
pub(crate) struct Rows {
    dir: PathBuf,
    rows: sled::Iter,
}

impl Rows {
    pub fn decode<T: DeserializeOwned>(&self, what: &'static str, value: &[u8]) -> Result<T, StorageError> {
        decode(&self.dir, what, value)
    }

    pub fn corrupt(&self, what: &str) -> StorageError {
        corrupt(&self.dir, what)
    }
}

impl DoubleEndedIterator for Rows {
    fn next_back(&mut self) -> Option<Self::Item> {
        guarded(&self.dir, || self.rows.next_back().transpose()).transpose()
    }
}

impl Iterator for Rows {
    type Item = Result<(sled::IVec, sled::IVec), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        guarded(&self.dir, || self.rows.next().transpose()).transpose()
    }
}

fn decode<T: DeserializeOwned>(dir: &Path, what: &'static str, value: &[u8]) -> Result<T, StorageError> {
    postcard::from_bytes(value).map_err(|_| corrupt(dir, what))
}

fn corrupt(dir: &Path, what: &str) -> StorageError {
    StorageError::Corrupt {
        dir: dir.to_owned(),
        detail: format!("{what} cannot be read"),
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

fn panic_message(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic
        .downcast_ref::<String>()
        .map(String::as_str)
        .or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("sled panicked").to_owned()
}
