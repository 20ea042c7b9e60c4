//! Reads the rows of a store that another process holds.

use std::collections::VecDeque;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::socket::{self, Stream};
use super::wire::{self, Greeting, Range, Reply, Request, VERSION};
use crate::batch::KeyValue;
use crate::error::StorageError;

/// Upper bound on the wait for an answer. The first one waits for the end of a commit.
const ANSWER_WITHIN: Duration = Duration::from_secs(60);

/// The instant that a lent store shows: the end of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AsOf {
    /// The number of the commit.
    pub commit: u64,
    /// Its time, milliseconds since the Unix epoch.
    pub at_ms: u64,
}

/// A connection to the process that crawls. Clones share it.
#[derive(Clone)]
pub(crate) struct Lender {
    dir: PathBuf,
    stream: Arc<Mutex<Stream>>,
    as_of: AsOf,
}

/// The answer to an attempt to connect.
pub(crate) enum Connected {
    To(Lender),
    /// Nobody listens, or there are too many readers: try again.
    NotYet,
}

impl Lender {
    /// Connects to the process that holds `dir`.
    ///
    /// # Errors
    /// This process may not connect, or another version of the program listens.
    pub fn connect(dir: &Path) -> Result<Connected, StorageError> {
        let failed = |source| StorageError::io("ask the process that crawls into", dir, source);
        let mut stream = match socket::connect(dir) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => return Err(failed(error)),
            // The process has just started or ended, or it is one that does not listen.
            Err(_) => return Ok(Connected::NotYet),
            Ok(stream) => stream,
        };
        stream.set_read_timeout(ANSWER_WITHIN).map_err(failed)?;
        stream.set_write_timeout(ANSWER_WITHIN).map_err(failed)?;
        match wire::receive(&mut stream) {
            Ok(Greeting::Welcome(welcome)) if welcome.version == VERSION => Ok(Connected::To(Self {
                dir: dir.to_owned(),
                stream: Arc::new(Mutex::new(stream)),
                as_of: AsOf {
                    commit: welcome.commit,
                    at_ms: welcome.at_ms,
                },
            })),
            Ok(Greeting::Busy) => Ok(Connected::NotYet),
            Err(error) if error.kind() != io::ErrorKind::InvalidData => Ok(Connected::NotYet),
            Ok(Greeting::Welcome(_)) | Err(_) => Err(StorageError::OtherVersion { dir: dir.to_owned() }),
        }
    }

    pub fn as_of(&self) -> AsOf {
        self.as_of
    }

    pub fn get(&self, key: &[u8]) -> Result<Option<sled::IVec>, StorageError> {
        match self.ask(&Request::Get(key.to_vec()))? {
            Reply::Value(value) => Ok(value.map(Into::into)),
            _ => Err(self.gone()),
        }
    }

    /// What the process does now, in the form that it chose.
    pub fn told(&self) -> Result<Vec<u8>, StorageError> {
        match self.ask(&Request::Tell)? {
            Reply::Told(told) => Ok(told),
            _ => Err(self.gone()),
        }
    }

    /// The last row from the key `from` on and before the key `end`.
    pub fn last(&self, from: Vec<u8>, end: Option<Vec<u8>>) -> Result<Option<KeyValue>, StorageError> {
        match self.ask(&Request::Last(Range { from, end }))? {
            Reply::Last(row) => Ok(row.map(|(key, value)| (key.into(), value.into()))),
            _ => Err(self.gone()),
        }
    }

    /// The rows from the key `from` on and before the key `end`, in order.
    pub fn rows(&self, from: Vec<u8>, end: Option<Vec<u8>>) -> LentRows {
        LentRows {
            lender: self.clone(),
            ready: VecDeque::new(),
            next: Some(from),
            end,
        }
    }

    fn ask(&self, request: &Request) -> Result<Reply, StorageError> {
        let mut stream = self.stream.lock().unwrap_or_else(PoisonError::into_inner);
        let answered = wire::send(&mut *stream, request).and_then(|()| wire::receive(&mut *stream));
        drop(stream);
        match answered {
            Ok(Reply::Lost) => Err(StorageError::SnapshotLost { dir: self.dir.clone() }),
            Ok(Reply::Unreadable(detail)) => Err(StorageError::NotLent {
                dir: self.dir.clone(),
                detail,
            }),
            Ok(reply) => Ok(reply),
            Err(error) => {
                tracing::debug!(%error, "the process that crawls does not answer");
                Err(self.gone())
            }
        }
    }

    fn gone(&self) -> StorageError {
        StorageError::LenderGone { dir: self.dir.clone() }
    }
}

/// Iterates over rows of another process.
pub(crate) struct LentRows {
    lender: Lender,
    /// Rows that have arrived.
    ready: VecDeque<KeyValue>,
    /// The first key after them; `None` if they are the last.
    next: Option<Vec<u8>>,
    end: Option<Vec<u8>>,
}

impl LentRows {
    fn fetch(&mut self, from: Vec<u8>) -> Result<(), StorageError> {
        let range = Range {
            from,
            end: self.end.clone(),
        };
        match self.lender.ask(&Request::Scan(range))? {
            Reply::Rows(rows, next) => {
                let rows = rows.into_iter().map(|(key, value)| (key.into(), value.into()));
                self.ready.extend(rows);
                self.next = next;
                Ok(())
            }
            _ => Err(self.lender.gone()),
        }
    }

    fn fetch_last(&mut self, from: Vec<u8>) -> Result<Option<KeyValue>, StorageError> {
        let last = self.lender.last(from, self.end.clone())?;
        if let Some((key, _)) = &last {
            self.end = Some(key.to_vec());
        }
        Ok(last)
    }
}

impl Iterator for LentRows {
    type Item = Result<KeyValue, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        // A reply may hold no row: later commits have added all rows of its range.
        while self.ready.is_empty() {
            let from = self.next.take()?;
            if let Err(error) = self.fetch(from) {
                return Some(Err(error));
            }
        }
        self.ready.pop_front().map(Ok)
    }
}

impl DoubleEndedIterator for LentRows {
    fn next_back(&mut self) -> Option<Self::Item> {
        if let Some(from) = self.next.clone() {
            match self.fetch_last(from) {
                Ok(Some(row)) => return Some(Ok(row)),
                Ok(None) => self.next = None,
                Err(error) => {
                    self.next = None;
                    return Some(Err(error));
                }
            }
        }
        self.ready.pop_back().map(Ok)
    }
}
