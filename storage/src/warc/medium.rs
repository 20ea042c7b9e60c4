//! The edge to the file system: the few things that the archive and the data folder ask of it, each durable when it returns unless it
//! says otherwise.
//!
//! Everything that this crate writes, cuts, renames or removes goes through here, so that every step of it can be made to fail in a test
//! (`failing`). Not so the database: sled opens its files itself. What it makes of failures is tested from outside, by limits on files
//! and by damage to them.

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
    /// Puts a file with `bytes` in the place of the one before. *Not* durable: after a loss of power it may hold anything.
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()>;
    /// Gives the file or folder `from` the name `to`, which nothing has; durable on return.
    fn rename(&self, from: &str, to: &str) -> io::Result<()>;
    /// Removes a folder with all that is in it, if there is one; durable on return.
    fn remove_folder(&self, name: &str) -> io::Result<()>;
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
        // Also when the first write failed after the file was made, and is repeated.
        if is_new || offset == 0 {
            sync_folder(&self.dir)?;
        }
        Ok(())
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

    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        fs::write(self.path(name), bytes)
    }

    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        fs::rename(self.path(from), self.path(to))?;
        sync_folder(&self.dir)
    }

    fn remove_folder(&self, name: &str) -> io::Result<()> {
        match fs::remove_dir_all(self.path(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
            _ => sync_folder(&self.dir),
        }
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

/// A folder whose files stay as they are: for reading a crawl, whatever has been left behind in it.
pub(crate) struct Untouched(pub Folder);

impl Untouched {
    fn refused() -> io::Error {
        io::Error::other("this command changes nothing")
    }
}

impl Medium for Untouched {
    fn write_at(&self, _name: &str, _offset: u64, _bytes: &[u8]) -> io::Result<()> {
        Err(Self::refused())
    }

    fn read_at(&self, name: &str, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.0.read_at(name, offset, length)
    }

    fn length(&self, name: &str) -> io::Result<Option<u64>> {
        self.0.length(name)
    }

    /// A tail is left for the next one that writes.
    fn truncate(&self, _name: &str, _length: u64) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _name: &str) -> io::Result<()> {
        Ok(())
    }

    fn put(&self, _name: &str, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    /// What a change of states has begun is finished: half-way there is none.
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.0.rename(from, to)
    }

    fn remove_folder(&self, _name: &str) -> io::Result<()> {
        Err(Self::refused())
    }

    fn names(&self) -> io::Result<Vec<String>> {
        self.0.names()
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path(name)
    }
}

/// Makes the creation or removal of a file in `dir` durable. Only Unix has a way to ask for it.
pub(crate) fn sync_folder(dir: &Path) -> io::Result<()> {
    #[cfg(test)]
    tests::SYNCED.set(tests::SYNCED.get() + 1);
    if cfg!(unix) {
        File::open(dir)?.sync_all()
    } else {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    thread_local! {
        /// How often this thread made a folder durable.
        pub(super) static SYNCED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
    }

    #[test]
    fn a_first_write_that_is_repeated_makes_the_name_of_its_file_durable() {
        let dir = tempfile::tempdir().unwrap();
        let folder = Folder::new(dir.path().to_owned());
        // As a full disk leaves it: made, and nothing in it.
        File::create(dir.path().join("w")).unwrap();
        folder.write_at("w", 0, b"head").unwrap();
        assert_eq!(SYNCED.get(), 1);
        folder.write_at("w", 4, b"more").unwrap();
        assert_eq!(SYNCED.get(), 1);
    }
}

#[cfg(test)]
pub(crate) mod failing {
    //! A folder whose writes can be made to fail, at once or half-way.

    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

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

        fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
            self.folder.put(name, bytes)
        }

        fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            self.folder.rename(from, to)
        }

        fn remove_folder(&self, name: &str) -> io::Result<()> {
            self.folder.remove_folder(name)
        }

        fn names(&self) -> io::Result<Vec<String>> {
            self.folder.names()
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path(name)
        }
    }

    /// Which step of the writes behind the edge fails.
    #[derive(Default)]
    pub(crate) struct Steps {
        /// Steps taken.
        pub taken: AtomicU64,
        /// The step that fails, counted from 1; 0 for none.
        pub failing: AtomicU64,
        /// Whether all after it fail too.
        pub for_good: AtomicBool,
        /// Whether a step that fails is half done.
        pub half_way: AtomicBool,
    }

    impl Steps {
        fn fails(&self) -> bool {
            let step = self.taken.fetch_add(1, Ordering::Relaxed) + 1;
            let failing = self.failing.load(Ordering::Relaxed);
            failing > 0 && (step == failing || step > failing && self.for_good.load(Ordering::Relaxed))
        }

        fn take(&self, act: impl FnOnce() -> io::Result<()>, half: impl FnOnce() -> io::Result<()>) -> io::Result<()> {
            if !self.fails() {
                return act();
            }
            if self.half_way.load(Ordering::Relaxed) {
                half()?;
            }
            Err(io::Error::other("injected"))
        }
    }

    /// A folder that takes every change as a step, of which one fails.
    pub(crate) struct Faulty {
        pub folder: Folder,
        pub steps: Arc<Steps>,
    }

    impl Medium for Faulty {
        fn write_at(&self, name: &str, offset: u64, bytes: &[u8]) -> io::Result<()> {
            self.steps.take(
                || self.folder.write_at(name, offset, bytes),
                || self.folder.write_at(name, offset, &bytes[..bytes.len() / 2]),
            )
        }

        fn read_at(&self, name: &str, offset: u64, length: u64) -> io::Result<Vec<u8>> {
            self.folder.read_at(name, offset, length)
        }

        fn length(&self, name: &str) -> io::Result<Option<u64>> {
            self.folder.length(name)
        }

        fn truncate(&self, name: &str, length: u64) -> io::Result<()> {
            self.steps.take(|| self.folder.truncate(name, length), || Ok(()))
        }

        fn remove(&self, name: &str) -> io::Result<()> {
            // Done, but not known to be durable.
            self.steps
                .take(|| self.folder.remove(name), || self.folder.remove(name))
        }

        fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
            self.steps.take(
                || self.folder.put(name, bytes),
                || self.folder.put(name, &bytes[..bytes.len() / 2]),
            )
        }

        fn rename(&self, from: &str, to: &str) -> io::Result<()> {
            self.steps
                .take(|| self.folder.rename(from, to), || self.folder.rename(from, to))
        }

        fn remove_folder(&self, name: &str) -> io::Result<()> {
            self.steps.take(|| self.folder.remove_folder(name), || Ok(()))
        }

        fn names(&self) -> io::Result<Vec<String>> {
            self.folder.names()
        }

        fn path(&self, name: &str) -> PathBuf {
            self.folder.path(name)
        }
    }
}
