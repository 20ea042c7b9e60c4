//! The interface to the file system: the operations that the archive and the data folder need. Each is durable on return unless its
//! documentation says otherwise.
//!
//! Every write, cut, renaming and removal of this crate goes through this interface, so that tests can make each of them fail
//! (`failing`). The database is an exception: sled opens its files itself. Other tests limit and damage those files.

use std::fs::{self, File, OpenOptions};
use std::io::{self, ErrorKind, IoSlice, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// A folder of files. What an implementation leaves out, its folder on disk does. Tests implement folders whose writes fail.
pub(crate) trait Medium: Send + Sync {
    /// The folder on disk.
    fn folder(&self) -> &Folder;
    /// Writes the `parts`, one behind the other, from `offset` of the file `name` on; durable on return. Repeating it does no harm. A write at offset 0 creates the file; any
    /// other write fails if the file is missing, because it would leave a hole.
    fn write_at(&self, name: &str, offset: u64, parts: &[&[u8]]) -> io::Result<()> {
        self.folder().write_at(name, offset, parts)
    }
    /// Reads exactly `length` bytes at `offset`.
    fn read_at(&self, name: &str, offset: u64, length: u64) -> io::Result<Vec<u8>> {
        self.folder().read_at(name, offset, length)
    }
    /// The file's length; `None` if there is no file.
    fn length(&self, name: &str) -> io::Result<Option<u64>> {
        self.folder().length(name)
    }
    /// Cuts the file to `length`; durable on return.
    fn truncate(&self, name: &str, length: u64) -> io::Result<()> {
        self.folder().truncate(name, length)
    }
    /// Removes the file; durable on return.
    fn remove(&self, name: &str) -> io::Result<()> {
        self.folder().remove(name)
    }
    /// Replaces the contents of a file by `bytes`. *Not* durable: after a loss of power its contents are undefined.
    fn put(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.folder().put(name, bytes)
    }
    /// Renames the file or folder `from` to the unused name `to`; durable on return.
    fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        self.folder().rename(from, to)
    }
    /// Removes a folder and its contents, if there is one; durable on return.
    fn remove_folder(&self, name: &str) -> io::Result<()> {
        self.folder().remove_folder(name)
    }
    /// The names of all files.
    fn names(&self) -> io::Result<Vec<String>> {
        self.folder().names()
    }
    /// The path of a file, for messages.
    fn path(&self, name: &str) -> PathBuf {
        self.folder().path(name)
    }
}

/// A folder on disk.
pub(crate) struct Folder {
    dir: PathBuf,
}

impl Folder {
    pub fn new(dir: PathBuf) -> Self {
        Self { dir }
    }

    fn write_at(&self, name: &str, offset: u64, parts: &[&[u8]]) -> io::Result<()> {
        let path = self.path(name);
        let mut file = OpenOptions::new()
            .create(offset == 0)
            .write(true)
            .truncate(false)
            .open(&path)?;
        file.seek(SeekFrom::Start(offset))?;
        write_parts(&mut file, parts)?;
        file.sync_data()?;
        // Also if a first write created the file, failed, and is repeated.
        if offset == 0 {
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
            // This crate uses only Unicode names.
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

impl Medium for Folder {
    fn folder(&self) -> &Folder {
        self
    }
}

/// Writes the parts, one behind the other, with few calls of the system.
fn write_parts(file: &mut impl Write, parts: &[&[u8]]) -> io::Result<()> {
    let mut slices: Vec<IoSlice<'_>> = parts.iter().map(|part| IoSlice::new(part)).collect();
    let mut left = &mut slices[..];
    // Without this, an empty part would look like a full disk.
    IoSlice::advance_slices(&mut left, 0);
    while !left.is_empty() {
        match file.write_vectored(left) {
            Ok(0) => return Err(ErrorKind::WriteZero.into()),
            Ok(written) => IoSlice::advance_slices(&mut left, written),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(())
}

/// A folder whose files do not change: for reading a crawl as a killed process left it. Renaming is allowed, to complete an exchange of
/// states: half-way through there is no state.
pub(crate) struct Untouched(pub Folder);

impl Untouched {
    fn refused() -> io::Error {
        io::Error::other("this command changes nothing")
    }
}

impl Medium for Untouched {
    fn folder(&self) -> &Folder {
        &self.0
    }

    fn write_at(&self, _name: &str, _offset: u64, _parts: &[&[u8]]) -> io::Result<()> {
        Err(Self::refused())
    }

    /// Leaves the tail for the next process that writes.
    fn truncate(&self, _name: &str, _length: u64) -> io::Result<()> {
        Ok(())
    }

    fn remove(&self, _name: &str) -> io::Result<()> {
        Ok(())
    }

    fn put(&self, _name: &str, _bytes: &[u8]) -> io::Result<()> {
        Ok(())
    }

    fn remove_folder(&self, _name: &str) -> io::Result<()> {
        Err(Self::refused())
    }
}

/// Makes the creation or removal of a file in `dir` durable. Only Unix offers this.
///
/// # Errors
/// The folder cannot be opened or synced.
pub fn sync_folder(dir: &Path) -> io::Result<()> {
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
        // A full disk leaves an empty file.
        File::create(dir.path().join("w")).unwrap();
        folder.write_at("w", 0, &[b"he", b"", b"ad"]).unwrap();
        assert_eq!(SYNCED.get(), 1);
        folder.write_at("w", 4, &[b"more"]).unwrap();
        assert_eq!(SYNCED.get(), 1);
        assert_eq!(folder.read_at("w", 0, 8).unwrap(), b"headmore");
    }
}

#[cfg(test)]
pub(crate) mod failing {
    //! Folders whose writes fail, at once or half-way.

    use std::sync::Arc;
    use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

    use super::*;

    /// Writes `bytes_left` bytes, then reports a full disk.
    pub(crate) struct FullDisk {
        pub folder: Folder,
        pub bytes_left: Arc<AtomicU64>,
    }

    impl Medium for FullDisk {
        fn folder(&self) -> &Folder {
            &self.folder
        }

        fn write_at(&self, name: &str, offset: u64, parts: &[&[u8]]) -> io::Result<()> {
            let bytes = parts.concat();
            let left = self.bytes_left.load(Ordering::Relaxed);
            let fits = bytes.len().min(usize::try_from(left).unwrap_or(usize::MAX));
            self.bytes_left.store(left - fits as u64, Ordering::Relaxed);
            self.folder.write_at(name, offset, &[&bytes[..fits]])?;
            if fits < bytes.len() {
                Err(ErrorKind::StorageFull.into())
            } else {
                Ok(())
            }
        }
    }

    /// The step that fails, among all changes of files.
    #[derive(Default)]
    pub(crate) struct Steps {
        /// Steps taken.
        pub taken: AtomicU64,
        /// The step that fails, counted from 1; 0 for none.
        pub failing: AtomicU64,
        /// Whether all later steps fail too.
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

    /// A folder that counts every change as a step, and fails at one of them.
    pub(crate) struct Faulty {
        pub folder: Folder,
        pub steps: Arc<Steps>,
    }

    impl Medium for Faulty {
        fn folder(&self) -> &Folder {
            &self.folder
        }

        fn write_at(&self, name: &str, offset: u64, parts: &[&[u8]]) -> io::Result<()> {
            self.steps.take(
                || self.folder.write_at(name, offset, parts),
                || {
                    let bytes = parts.concat();
                    self.folder.write_at(name, offset, &[&bytes[..bytes.len() / 2]])
                },
            )
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
    }
}
