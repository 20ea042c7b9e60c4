//! The edge to the file system: the few things the archive asks of it, each durable when it returns.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A folder of files. The second implementation is the one in the tests, whose writes fail.
pub(crate) trait Medium: Send + Sync {
    /// Writes `bytes` at `offset` of the file `name`, made if missing; durable on return. Doing it again does no harm.
    fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()>;
    /// Reads exactly `length` bytes at `offset`.
    fn read_at(&self, name: &str, offset: u64, length: u64) -> io::Result<Vec<u8>>;
    /// The file's length, `None` where there is no file.
    fn length(&self, name: &str) -> io::Result<Option<u64>>;
    /// Cuts the file to `length`; durable on return.
    fn truncate(&self, name: &str, length: u64) -> io::Result<()>;
    /// Removes the file; durable on return.
    fn remove(&self, name: &str) -> io::Result<()>;
    /// The names of all files.
    fn names(&self) -> io::Result<Vec<String>>;
    /// Where the file lies, for messages.
    fn path(&self, name: &str) -> PathBuf;
}

/// A folder on disk.
pub(crate) struct Folder {
    dir: PathBuf,
}

impl Folder {
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }
}

impl Medium for Folder {
    fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
        let path = self.path(name);
        let is_new = !path.exists();
        let mut file = OpenOptions::new()
            .create(true)
            .write(true)
            .truncate(false)
            .open(&path)?;
        file.seek(SeekFrom::Start(offset))?;
        file.write_all(bytes)?;
        file.sync_data()?;
        if is_new { sync_folder(&self.dir) } else { Ok(()) }
    }

    fn read_at(&self, name: &str, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        let mut file = File::open(self.path(name))?;
        let held = file.metadata()?.len();
        if offset.checked_add(length).is_none_or(|end| end > held) {
            return Err(io::Error::new(
                ErrorKind::UnexpectedEof,
                format!("the file has only {held} bytes"),
            ));
        }
        file.seek(SeekFrom::Start(offset))?;
        let mut bytes = Vec::new();
        file.take(length).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    fn length(&self, name: &str) -> io::Result<Option<u64>> {
        match fs::metadata(self.path(name)) {
            Ok(metadata) => Ok(Some(metadata.len())),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn truncate(&self, name: &str, length: u64) -> io::Result<()> {
        let file = OpenOptions::new().write(true).open(self.path(name))?;
        file.set_len(length)?;
        file.sync_all()
    }

    fn remove(&self, name: &str) -> io::Result<()> {
        fs::remove_file(self.path(name))?;
        sync_folder(&self.dir)
    }

    fn names(&self) -> io::Result<Vec<String>> {
        let mut names = Vec::new();
        for entry in fs::read_dir(&self.dir)? {
            // A name that is not Unicode is not one of ours.
            if let Ok(name) = entry?.file_name().into_string() {
                names.push(name);
            }
        }
        Ok(names)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.join(name)
    }
}

/// Makes the creation or removal of a file in `dir` durable. Only Unix has a way to ask for it.
pub(crate) fn sync_folder(dir: &Path) -> io::Result<()> {
    if cfg!(unix) {
        File::open(dir)?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(test)]
pub(crate) mod failing {
    //! A folder whose writes can be made to fail, at once or half-way.

    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;

    /// Writes only as many bytes as are left of its allowance, then the disk is full.
    pub(crate) struct FullDisk {
        pub folder: Folder,
        pub bytes_left: Arc<AtomicU64>,
    }

    impl Medium for FullDisk {
        fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
            let left = self.bytes_left.load(Ordering::Relaxed);
            let fits = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.bytes_left.store(left - fits as u64, Ordering::Relaxed);
            self.folder.write_at(name, offset, &bytes[..fits])?;
            if fits < bytes.len() {
                Err(ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        }

        fn read_at(&self, name: &str, offset: u64, length: u64) -> io::Result<Vec<u8>> {
            self.folder.read_at(name, offset, length)
        }

        fn length(&self, name: &str) -> io::Result<Option<u64>> {
            self.folder.length(name)
        }

        fn truncate(&self, name: &str, length: u64) -> io::Result<()> {
            self.folder.truncate(name, length)
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            self.folder.remove(name)
        }

        fn names(&self) -> io::Result<Vec<String>> {
            self.folder.names()
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path(name)
        }
    }
}
