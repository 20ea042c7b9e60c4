//! The sled database in `state/`: opened, checked, read, and made durable.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::File;
use std::io::ErrorKind;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::de::DeserializeOwned;

use crate::error::StorageError;
use crate::format::{self, FORMAT_VERSION, Progress};
use crate::warc::medium::sync_folder;

/// The database and its tree `state`; clones are the same database.
#[derive(Clone)]
pub(crate) struct State {
    dir: PathBuf,
    db: sled::Db,
    tree: sled::Tree,
    /// Files in `blobs` that are durable.
    synced_blobs: Arc<Mutex<HashSet<OsString>>>,
}

/// How long a database that was dropped may take to let go of its lock.
const RELEASE_WITHIN: Duration = Duration::from_secs(5);

/// A row's name where it cannot be read.
const SEED: &str = "the seed row";

/// What the meta rows say.
pub(crate) struct Meta {
    pub scheme: String,
    pub started_at: u64,
    /// What the hashes of URLs are keyed by.
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
            // Rows reach the disk by commits alone.
            .flush_every_ms(None);
        let deadline = Instant::now() + RELEASE_WITHIN;
        let (db, tree) = loop {
            match open_database(&config) {
                Ok(opened) => break opened,
                // The data folder is ours, so the lock is held by a database of this very process: sled's threads let go
                // of it a little after it is dropped.
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

    /// The meta rows; `None` for a database that holds nothing at all.
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
        if found < FORMAT_VERSION {
            return Err(StorageError::OlderFormat {
                dir: self.dir.clone(),
                found,
                known: FORMAT_VERSION,
            });
        }
        if found > FORMAT_VERSION {
            return Err(StorageError::NewerFormat {
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

    pub fn db(&self) -> &sled::Db {
        &self.db
    }

    pub fn get(&self, key: impl AsRef<[u8]>) -> Result<Option<sled::IVec>, StorageError> {
        guarded(&self.dir, || self.tree.get(key))
    }

    pub fn contains(&self, key: impl AsRef<[u8]>) -> Result<bool, StorageError> {
        guarded(&self.dir, || self.tree.contains_key(key))
    }

    /// One atomic step.
    pub fn apply(&self, batch: sled::Batch) -> Result<(), StorageError> {
        guarded(&self.dir, || self.tree.apply_batch(batch))
    }

    /// Makes all that was applied durable.
    ///
    /// On Linux sled 0.34 ends its writes with `sync_file_range`, which asks neither for the file's new length nor for the
    /// disk's own cache to be written. That survives the process, not the power: hence the `fdatasync` of our own.
    pub fn flush(&self) -> Result<(), StorageError> {
        guarded(&self.dir, || self.db.flush())?;
        let path = state_folder(&self.dir).join("db");
        self.sync_blobs()?;
        File::open(&path)
            .and_then(|file| file.sync_data())
            .map_err(|source| StorageError::io("make durable", path, source))
    }

    /// sled writes what is too long for a quarter of a segment, some long rows side by side, to a file of its own, and does not
    /// sync that either.
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
                    // sled removes what nothing points to any more.
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

    /// The rows from the key `from` on, in order, as long as they are of its table.
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

/// sled writes a snapshot under a name that ends in `.generating` and renames it when it is whole. One that a kill or a full
/// disk has left unfinished is taken for the newest by the next open, which then finds the whole database damaged. The data
/// folder is held when this is called, so nobody is writing one.
fn remove_unfinished_snapshots(dir: &Path) -> Result<(), StorageError> {
    let folder = state_folder(dir);
    let Ok(entries) = std::fs::read_dir(&folder) else {
        // There is no state yet; what else may be wrong with the folder, the open will tell.
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

/// sled checks some of what it reads by assertion: a damaged file can end in a panic. Nothing of ours is shared with the
/// closure, so nothing half-done is left behind.
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

/// What sled answers, also where it ends in a panic: it checks some of what it reads by assertion, and meets some failures of its own
/// threads by unwrapping.
pub(crate) fn guarded<T>(dir: &Path, ask: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, StorageError> {
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(answer) => answer.map_err(|error| StorageError::sled(dir, error)),
        Err(panic) => Err(StorageError::sled_panic(dir, panic_message(panic.as_ref()))),
    }
}

/// sled 0.34 has no kind of error for this.
fn is_locked(error: &sled::Error) -> bool {
    matches!(error, sled::Error::Io(error) if error.to_string().starts_with("could not acquire lock"))
}

/// Rows of the tree; owns what it reads from.
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
