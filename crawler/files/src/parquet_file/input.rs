//! Reads a Parquet file from any place: a local file, or one in an object store.

use std::fs::File;
use std::io::{self, Read};
use std::sync::{Arc, Mutex, PoisonError};

use archive::RemoteFile;
use bytes::{Bytes, BytesMut};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::walk::Origin;

/// Bytes of one request to a store.
const WINDOW_BYTES: u64 = 2 << 20;

/// Windows of a file whose columns are read side by side: one for each of some columns.
pub(super) const SIDE_BY_SIDE: usize = 16;
/// Windows of a file whose columns are read one after the other.
pub(super) const IN_TURN: usize = 2;

/// A Parquet file to read.
pub(super) enum ParquetInput {
    Local(File),
    Remote(Arc<Windows>),
}

impl ParquetInput {
    /// Opens a file. Of a file in a store, at most `windows` windows are in memory.
    pub(super) fn open(origin: &Origin, windows: usize) -> io::Result<Self> {
        match origin {
            Origin::File(path) => File::open(path).map(Self::Local),
            Origin::Remote(file) => Ok(Self::Remote(Arc::new(Windows {
                file: file.clone(),
                most: windows,
                latest: Mutex::default(),
            }))),
            Origin::Stdin => Err(io::ErrorKind::Unsupported.into()),
        }
    }

    /// Whether the file begins as a Parquet file does.
    pub(super) fn is_parquet(&self) -> bool {
        self.get_bytes(0, 4).is_ok_and(|mark| mark[..] == *b"PAR1")
    }
}

impl Length for ParquetInput {
    fn len(&self) -> u64 {
        match self {
            Self::Local(file) => Length::len(file),
            Self::Remote(windows) => windows.file.bytes(),
        }
    }
}

impl ChunkReader for ParquetInput {
    type T = Box<dyn Read>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        match self {
            Self::Local(file) => Ok(Box::new(file.get_read(start)?)),
            Self::Remote(windows) => Ok(Box::new(From {
                windows: Arc::clone(windows),
                at: start,
            })),
        }
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        match self {
            Self::Local(file) => file.get_bytes(start, length),
            Self::Remote(windows) => Ok(windows.bytes(start, length)?),
        }
    }
}

/// The parts of a remote file that were read last. They save requests: a page of a column is small, and a request is slow.
pub(super) struct Windows {
    file: RemoteFile,
    most: usize,
    /// Number and bytes of each, the latest last.
    latest: Mutex<Vec<(u64, Bytes)>>,
}

impl Windows {
    fn bytes(&self, start: u64, length: usize) -> io::Result<Bytes> {
        let end = start + length as u64;
        let bytes = if length as u64 > WINDOW_BYTES {
            self.file.read_at(start, length as u64)?
        } else {
            let mut bytes = BytesMut::with_capacity(length);
            while bytes.len() < length {
                let at = start + bytes.len() as u64;
                let from = self.from(at)?;
                if from.is_empty() {
                    break;
                }
                bytes.extend_from_slice(&from[..from.len().min((end - at) as usize)]);
            }
            bytes.freeze()
        };
        if bytes.len() == length {
            Ok(bytes)
        } else {
            Err(io::ErrorKind::UnexpectedEof.into())
        }
    }

    /// The bytes of a window from a place in it on; none at the end of the file.
    fn from(&self, at: u64) -> io::Result<Bytes> {
        let number = at / WINDOW_BYTES;
        let mut latest = self.latest.lock().unwrap_or_else(PoisonError::into_inner);
        let window = match latest.iter().position(|(other, _)| *other == number) {
            Some(place) => latest.remove(place),
            None => (number, self.file.read_at(number * WINDOW_BYTES, WINDOW_BYTES)?),
        };
        let offset = (at % WINDOW_BYTES) as usize;
        let bytes = window.1.slice(offset.min(window.1.len())..);
        if latest.len() >= self.most {
            latest.remove(0);
        }
        latest.push(window);
        Ok(bytes)
    }
}

/// The bytes from a place on.
struct From {
    windows: Arc<Windows>,
    at: u64,
}

impl Read for From {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let bytes = self.windows.from(self.at)?;
        let length = bytes.len().min(into.len());
        into[..length].copy_from_slice(&bytes[..length]);
        self.at += length as u64;
        Ok(length)
    }
}
