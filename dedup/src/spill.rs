//! A temporary file for the data that a check seldom reads, so that less of it stays in memory.
//!
//! ```text
//! Column, Rows    │ spilled │ spilled │ … │ in memory │      elements in order; the last ones are in memory
//!                      │         │
//! file            … │ extent │ … │ extent │ … │ piece │    extents are written once, pieces of tables are changed
//! ```
//!
//! An element is read from the file by its place. The system keeps in its page cache what is read often, and needs no memory of the
//! process for it. Mapped pages would count as memory of the process, and a mapping cannot be made without unsafe code.
//!
//! Clones of a column share the file, since no extent is changed. A table whose pieces are in the file is cloned into memory.

mod column;
mod rows;

use std::fmt;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, OnceLock, PoisonError};

pub(crate) use self::column::Column;
pub use self::rows::Rows;
use crate::error::DedupError;

/// The least that is worth a write, unless the bound is smaller still.
const LEAST_WRITTEN: usize = 1 << 20;

/// Opens a file without a name in a folder.
type Open = fn(&Path) -> io::Result<File>;

/// A bound on the memory of an index, and the temporary file for what is beyond it. The file is opened at the first write.
pub struct Spill {
    most_bytes: usize,
    folder: PathBuf,
    open: Open,
    file: OnceLock<File>,
    opening: Mutex<()>,
    end: AtomicU64,
    /// Places of pieces that nobody uses any more.
    free: Mutex<Vec<u64>>,
    /// The first error of a read. A read happens in the middle of a search, which goes on without the data.
    failed: OnceLock<io::Error>,
}

impl Spill {
    /// A bound of about `most_bytes`. `open` opens a file for reading and writing in `folder`, best one without a name: it is
    /// gone when the process ends.
    #[must_use]
    pub fn new(most_bytes: usize, folder: &Path, open: fn(&Path) -> io::Result<File>) -> Self {
        Self {
            most_bytes,
            folder: folder.to_owned(),
            open,
            file: OnceLock::new(),
            opening: Mutex::new(()),
            end: AtomicU64::new(0),
            free: Mutex::new(Vec::new()),
            failed: OnceLock::new(),
        }
    }

    /// The bound in bytes.
    #[must_use]
    pub fn most_bytes(&self) -> usize {
        self.most_bytes
    }

    /// Number of bytes in the file.
    #[must_use]
    pub fn written_bytes(&self) -> u64 {
        self.end.load(Ordering::Relaxed)
    }

    /// Whether this many bytes are worth a write.
    #[must_use]
    pub fn is_worth_a_write(&self, bytes: usize) -> bool {
        bytes >= (self.most_bytes / 16).clamp(1, LEAST_WRITTEN)
    }

    /// Appends to the file. Returns the place of the first byte.
    fn append(&self, bytes: &[u8]) -> Result<u64, DedupError> {
        let written = self.file().and_then(|file| {
            let at = self.end.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            write_at(file, bytes, at).map(|()| at)
        });
        written.map_err(|source| self.error(&source))
    }

    /// Writes a piece; all have one size. Returns its place, which may be that of a freed one.
    pub(crate) fn put_piece(&self, bytes: &[u8]) -> Result<u64, DedupError> {
        let free = self.free.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let Some(at) = free else {
            return self.append(bytes);
        };
        let written = self.file().and_then(|file| write_at(file, bytes, at));
        written.map(|()| at).map_err(|source| self.error(&source))
    }

    pub(crate) fn free_pieces(&self, places: &[u64]) {
        self.free
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .extend_from_slice(places);
    }

    /// Changes a part of a piece. After an error, [`check`](Self::check) fails.
    pub(crate) fn write(&self, at: u64, bytes: &[u8]) {
        if let Err(error) = self.file().and_then(|file| write_at(file, bytes, at)) {
            self.failed.get_or_init(|| error);
        }
    }

    fn file(&self) -> io::Result<&File> {
        let _one_at_a_time = self.opening.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(file) = self.file.get() {
            return Ok(file);
        }
        let file = (self.open)(&self.folder)?;
        Ok(self.file.get_or_init(|| file))
    }

    /// Fills `bytes` from the file. After an error they are zeros, and [`check`](Self::check) fails.
    pub(crate) fn read(&self, at: u64, bytes: &mut [u8]) {
        let read = match self.file.get() {
            Some(file) => read_at(file, bytes, at),
            None => Err(io::ErrorKind::NotFound.into()),
        };
        if let Err(error) = read {
            bytes.fill(0);
            self.failed.get_or_init(|| error);
        }
    }

    /// Notes an error of a write in the middle of a change, which goes on without it.
    pub(crate) fn has_failed(&self, error: DedupError) {
        if let DedupError::Spill { source, .. } = error {
            self.failed.get_or_init(|| source);
        }
    }

    /// # Errors
    /// [`DedupError::Spill`]: a read or a write failed at some time.
    pub(crate) fn check(&self) -> Result<(), DedupError> {
        self.failed.get().map_or(Ok(()), |error| Err(self.error(error)))
    }

    fn error(&self, source: &io::Error) -> DedupError {
        DedupError::Spill {
            folder: self.folder.clone(),
            source: io::Error::new(source.kind(), source.to_string()),
        }
    }
}

impl fmt::Debug for Spill {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Spill")
            .field("most_bytes", &self.most_bytes)
            .field("folder", &self.folder)
            .field("end", &self.end)
            .finish_non_exhaustive()
    }
}

#[cfg(unix)]
fn read_at(file: &File, bytes: &mut [u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, bytes, at)
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, at)
}

#[cfg(windows)]
fn read_at(file: &File, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, bytes, at)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => (bytes, at) = (&mut bytes[read..], at + read as u64),
        }
    }
    Ok(())
}

#[cfg(windows)]
fn write_at(file: &File, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
    while !bytes.is_empty() {
        match std::os::windows::fs::FileExt::seek_write(file, bytes, at)? {
            0 => return Err(io::ErrorKind::WriteZero.into()),
            written => (bytes, at) = (&bytes[written..], at + written as u64),
        }
    }
    Ok(())
}

/// Where the spilled part of a sequence is in the file.
#[derive(Debug, Clone, Default)]
struct Extents(Vec<Extent>);

#[derive(Debug, Clone, Copy)]
struct Extent {
    /// First byte in the sequence.
    from: u64,
    /// Its place in the file.
    at: u64,
}

impl Extents {
    /// Notes that the bytes of the sequence from `from` on are at `at`, as long as they are in no later extent.
    fn push(&mut self, from: u64, at: u64) {
        self.0.push(Extent { from, at });
    }

    /// The place in the file of a byte of the sequence.
    fn place(&self, byte: u64) -> u64 {
        let after = self.0.partition_point(|extent| extent.from <= byte);
        match self.0[..after].last() {
            Some(extent) => extent.at + (byte - extent.from),
            // No such byte is there; a read beyond the end of the file fails.
            None => u64::MAX / 2,
        }
    }
}

#[cfg(test)]
mod tests;
