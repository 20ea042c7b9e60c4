//! The data folder: its lock, its README, and the mark of the last commit.
//!
//! ```text
//! DIR/README.md     what each file is, and what opens it
//! DIR/lock          held by the process that has the store open; its number is inside
//! DIR/last-commit   the number of the last commit, in decimal
//! DIR/state/        sled: frontier and catalogue
//! DIR/warc/         the archive
//! ```

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io::{Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::StorageError;

/// The README of a data folder.
const README: &str = include_str!("folder_readme.md");

/// A data folder that this process holds.
pub(crate) struct DataFolder {
    dir: PathBuf,
    /// Its lock is released when it is closed, also when the process is killed.
    _lock: File,
}

impl DataFolder {
    /// Takes hold of `dir`; makes it first if `create`.
    pub fn hold(dir: &Path, create: bool) -> Result<Self, StorageError> {
        if !create && !crate::state::state_folder(dir).is_dir() && !holds_warc(&dir.join("warc")) {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        }
        let warc = dir.join("warc");
        fs::create_dir_all(&warc).map_err(|source| StorageError::io("make the folder", &warc, source))?;
        let lock = lock(dir)?;
        let readme = dir.join("README.md");
        if !readme.exists() {
            fs::write(&readme, README).map_err(|source| StorageError::io("write", &readme, source))?;
        }
        Ok(Self {
            dir: dir.to_owned(),
            _lock: lock,
        })
    }

    pub fn dir(&self) -> &Path {
        &self.dir
    }

    pub fn warc(&self) -> PathBuf {
        self.dir.join("warc")
    }

    /// Whether there is any WARC file.
    pub fn has_archive(&self) -> bool {
        holds_warc(&self.warc())
    }

    /// The number in `last-commit`; `None` where there is none to be read.
    pub fn last_commit(&self) -> Option<u64> {
        fs::read_to_string(self.mark()).ok()?.trim().parse().ok()
    }

    /// Notes that the commit `number` was made. The mark is not made durable: after a loss of power it may be older than
    /// the state, which does no harm; newer than the state it can only be if a part of the state was lost.
    pub fn note_commit(&self, number: u64) -> Result<(), StorageError> {
        let path = self.mark();
        fs::write(&path, format!("{number}\n")).map_err(|source| StorageError::io("write", path, source))
    }

    fn mark(&self) -> PathBuf {
        self.dir.join("last-commit")
    }
}

fn lock(dir: &Path) -> Result<File, StorageError> {
    let path = dir.join("lock");
    let mut file = OpenOptions::new()
        .create(true)
        .truncate(false)
        .read(true)
        .write(true)
        .open(&path)
        .map_err(|source| StorageError::io("open", &path, source))?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => {
            let mut holder = String::new();
            // The number is a courtesy; without it the message still says what to do.
            let pid = file
                .read_to_string(&mut holder)
                .ok()
                .and_then(|_| holder.trim().parse().ok());
            return Err(StorageError::Locked {
                dir: dir.to_owned(),
                pid,
            });
        }
        Err(TryLockError::Error(source)) => return Err(StorageError::io("lock", path, source)),
    }
    file.set_len(0)
        .and_then(|()| file.rewind())
        .and_then(|()| writeln!(file, "{}", std::process::id()))
        .map_err(|source| StorageError::io("write", path, source))?;
    Ok(file)
}

fn holds_warc(dir: &Path) -> bool {
    let Ok(entries) = fs::read_dir(dir) else { return false };
    entries
        .flatten()
        .any(|entry| entry.file_name().to_string_lossy().ends_with(".warc.gz"))
}
