//! A private copy of a state, for reading a crawl in a folder that cannot be written to.
//!
//! sled writes when it opens a database, so it opens none on a read-only or full file system. The copy lies in the temporary folder of the
//! system. It is a true copy: sled changes its file in place, so a hard link would change the original.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use tempfile::TempDir;

use crate::error::StorageError;
use crate::folder::DataFolder;

/// Room that sled may need when it opens a database: two of its segments.
const NEEDED_BYTES: usize = 1 << 20;

/// A copy of a state. It is removed with this value.
#[derive(Debug)]
pub(crate) struct StateCopy {
    folder: TempDir,
    bytes: u64,
}

impl StateCopy {
    /// Copies the state in the folder `from`.
    pub fn of(from: &Path) -> Result<Self, StorageError> {
        let folder = tempfile::Builder::new().prefix("crawler-state-").tempdir();
        let folder = folder.map_err(|source| StorageError::io("make a folder in", std::env::temp_dir(), source))?;
        let bytes = copy_folder(from, &folder.path().join("state"))?;
        Ok(Self { folder, bytes })
    }

    /// The copied state.
    pub fn path(&self) -> PathBuf {
        self.folder.path().join("state")
    }

    /// Size of the copy.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }
}

/// Copies the files and folders in `from` to the new folder `to`. Returns their bytes.
fn copy_folder(from: &Path, to: &Path) -> Result<u64, StorageError> {
    let unread = |source| StorageError::io("read", from, source);
    fs::create_dir(to).map_err(|source| StorageError::io("make the folder", to, source))?;
    let mut bytes = 0;
    for entry in fs::read_dir(from).map_err(unread)? {
        let entry = entry.map_err(unread)?;
        let (path, target) = (entry.path(), to.join(entry.file_name()));
        bytes += if entry.file_type().map_err(unread)?.is_dir() {
            copy_folder(&path, &target)?
        } else {
            copy_file(&path, &target)?
        };
    }
    Ok(bytes)
}

fn copy_file(from: &Path, to: &Path) -> Result<u64, StorageError> {
    let mut source = File::open(from).map_err(|source| StorageError::io("read", from, source))?;
    let copied = File::create(to).and_then(|mut target| io::copy(&mut source, &mut target));
    copied.map_err(|source| StorageError::io("copy the state to", to, source))
}

/// Why the crawl in `dir` cannot be opened where it is: the file system is read-only or full, or this user may not write there. `None` if it
/// can be written to, and for every other fault, which the opening names.
#[must_use]
pub fn why_not_writable(dir: &Path) -> Option<io::Error> {
    let state = DataFolder::current_state(dir)?;
    let is_there = |path: &PathBuf| path.exists();
    let files = [dir.join("lock"), state.join("db")].into_iter().filter(is_there);
    let fault = files
        .map(|path| OpenOptions::new().append(true).open(path).err())
        .chain(std::iter::once_with(|| write_probe(&state).err()))
        .flatten()
        .next()?;
    let is_of_the_place = matches!(
        fault.kind(),
        ErrorKind::ReadOnlyFilesystem | ErrorKind::PermissionDenied | ErrorKind::StorageFull | ErrorKind::QuotaExceeded
    );
    is_of_the_place.then_some(fault)
}

/// Writes a file without a name.
fn write_probe(folder: &Path) -> io::Result<()> {
    tempfile::tempfile_in(folder)?.write_all(&vec![0; NEEDED_BYTES])
}
