//! The sled database of a folder: opened when it can be, repaired after a kill, and made durable.

use std::collections::HashSet;
use std::ffi::OsString;
use std::fs::{self, File, TryLockError};
use std::io::{self, ErrorKind};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use sled::{Db, Tree};

use super::error::CollectionError;

/// The index resides in memory, so sled needs no more.
const CACHE_BYTES: u64 = 16 << 20;

/// How long a locked database is waited for. Longer ones are those of another process.
const RELEASE_WITHIN: Duration = Duration::from_secs(2);
const RELEASE_CHECKED_EVERY: Duration = Duration::from_millis(2);

/// sled's names for its file and for the folder of long rows.
const FILE: &str = "db";
const BLOBS: &str = "blobs";

/// A database of this process.
#[derive(Debug)]
pub(super) struct Database {
    folder: PathBuf,
    db: Db,
    /// Files in `blobs` that are durable.
    synced_blobs: Mutex<HashSet<OsString>>,
}

impl Database {
    /// Whether a database may be in the folder.
    pub fn may_be_in(folder: &Path) -> bool {
        folder.join(FILE).is_file()
    }

    /// Opens the database, or makes one. A database that is locked may be released soon: threads of sled hold the lock of a database of this
    /// process a little after it is dropped.
    pub fn open(folder: &Path) -> Result<Self, CollectionError> {
        let deadline = Instant::now() + RELEASE_WITHIN;
        loop {
            match Self::open_now(folder) {
                Err(CollectionError::InUse(_)) if Instant::now() < deadline => {
                    std::thread::sleep(RELEASE_CHECKED_EVERY);
                }
                opened => return opened,
            }
        }
    }

    fn open_now(folder: &Path) -> Result<Self, CollectionError> {
        remove_unfinished_snapshots(folder)?;
        let db = guarded(folder, || {
            let config = sled::Config::new().path(folder).cache_capacity(CACHE_BYTES);
            config.flush_every_ms(None).open()
        })?;
        Ok(Self {
            folder: folder.to_owned(),
            db,
            synced_blobs: Mutex::default(),
        })
    }

    pub fn folder(&self) -> &Path {
        &self.folder
    }

    pub fn db(&self) -> &Db {
        &self.db
    }

    /// A tree, which is made if there is none.
    pub fn tree(&self, name: &str) -> Result<Tree, CollectionError> {
        guarded(&self.folder, || self.db.open_tree(name))
    }

    /// Makes everything that was written durable.
    ///
    /// On Linux sled 0.34 ends its writes with `sync_file_range`, which writes neither the file's new length nor the disk's own cache. Such
    /// writes survive the end of the process, but not a loss of power. Nor does sled sync the files of long rows.
    pub fn flush(&self) -> Result<(), CollectionError> {
        guarded(&self.folder, || self.db.flush())?;
        self.sync().map_err(|source| CollectionError::Io {
            folder: self.folder.clone(),
            source,
        })
    }

    fn sync(&self) -> io::Result<()> {
        let mut synced = self.synced_blobs.lock().unwrap_or_else(PoisonError::into_inner);
        let blobs = self.folder.join(BLOBS);
        let mut all = HashSet::new();
        for entry in fs::read_dir(&blobs)? {
            let entry = entry?;
            let name = entry.file_name();
            if !synced.contains(&name) {
                match File::open(entry.path()).and_then(|file| file.sync_all()) {
                    // sled has removed a file that it no longer uses.
                    Err(error) if error.kind() == ErrorKind::NotFound => continue,
                    result => result?,
                }
            }
            all.insert(name);
        }
        if !all.is_subset(&synced) {
            sync_folder(&blobs)?;
        }
        *synced = all;
        File::open(self.folder.join(FILE))?.sync_data()?;
        // The first save makes the names of the files durable, too.
        sync_folder(&self.folder)
    }
}

/// Calls sled and turns a panic into an error: sled asserts some properties of the files that it reads.
fn guarded<T>(folder: &Path, ask: impl FnOnce() -> Result<T, sled::Error>) -> Result<T, CollectionError> {
    let folder = folder.to_owned();
    match catch_unwind(AssertUnwindSafe(ask)) {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(sled::Error::Io(error))) if is_locked(&error) => Err(CollectionError::InUse(folder)),
        Ok(Err(sled::Error::Io(source))) => Err(CollectionError::Io { folder, source }),
        Ok(Err(_)) | Err(_) => Err(CollectionError::Damaged {
            folder,
            reason: "its database is inconsistent".to_owned(),
        }),
    }
}

/// Whether the database is locked. sled 0.34 has no error variant for it.
fn is_locked(error: &io::Error) -> bool {
    error.to_string().starts_with("could not acquire lock")
}

/// Removes unfinished snapshots. sled writes a snapshot at each opening, under a name that ends in `.generating`, and renames it when it is
/// complete. The next opening takes an unfinished one, left by a kill or a full disk, for the newest, and reports the whole database
/// as damaged.
fn remove_unfinished_snapshots(folder: &Path) -> Result<(), CollectionError> {
    let io = |source| CollectionError::Io {
        folder: folder.to_owned(),
        source,
    };
    let Ok(file) = File::open(folder.join(FILE)) else {
        // There is no database yet. The opening reports any other fault.
        return Ok(());
    };
    match file.try_lock() {
        Ok(()) => {}
        // The process that has the database open may be writing a snapshot.
        Err(TryLockError::WouldBlock) => return Err(CollectionError::InUse(folder.to_owned())),
        // A file system without locks: sled cannot open the database either.
        Err(TryLockError::Error(_)) => return Ok(()),
    }
    for entry in fs::read_dir(folder).map_err(io)? {
        let path = entry.map_err(io)?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with("snap.") && name.ends_with(".generating") {
            fs::remove_file(&path).map_err(io)?;
        }
    }
    Ok(())
}

/// Makes the names in a folder durable. Only Unix can open folders.
fn sync_folder(folder: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(folder)?.sync_all()?;
    }
    Ok(())
}
