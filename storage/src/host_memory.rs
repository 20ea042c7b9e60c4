//! The memory of hosts between runs: how a host was treated last, so that the next run keeps the delays of the last one, and its
//! robots.txt.
//!
//! These rows are committed with the frontier. A run that is killed between two commits leaves rows that are too old;
//! [`RunNotes::was_interrupted`](crate::RunNotes::was_interrupted) detects such a run.

use std::net::IpAddr;

use serde::{Deserialize, Serialize};

use crate::commit::Piece;
use crate::error::StorageError;
use crate::format::{self, MAX_PACKED_ROW_BYTES};
use crate::state::{Rows, State};

/// Upper bound on a stored robots.txt, in bytes. The next run fetches a longer one again. Few robots.txt reach a tenth of this.
pub const MAX_STORED_ROBOTS_BYTES: usize = 64 * 1024;

/// The table of ⟨[`HostRecord`]⟩.
const GATES: u8 = b'g';

/// The table of ⟨[`RobotsRow`]⟩.
const ROBOTS: u8 = b'r';

/// The row's name in the error for a damaged state.
const HOST_STATE: &str = "a host's state";

/// How a host was treated last. Times are milliseconds since the Unix epoch, 0 for never.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostRecord {
    /// Time of the last request or answer.
    pub asked_at: u64,
    /// End of its rest.
    pub rests_until: u64,
    /// Failures in a row.
    pub failures: u32,
    /// Whether the last run gave it up.
    pub retired: bool,
    /// The last failure, in words; `None` after a success.
    pub last_failure: Option<String>,
    /// The address that answered last.
    pub address: Option<IpAddr>,
    /// The crawl delay in its robots.txt, in milliseconds.
    pub crawl_delay_ms: u64,
    /// Moving average of its latency, in milliseconds.
    pub latency_ms: Option<u64>,
    /// The delay since answers with status 429 or 503, in milliseconds.
    pub slowed_ms: u64,
}

/// A fetched robots.txt.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredRobots {
    /// Time of the fetch, milliseconds since the Unix epoch.
    pub fetched_at: u64,
    /// Its decoded text; empty if there is none and everything is allowed.
    pub text: Vec<u8>,
}

/// The row of a robots.txt. Compressed, because it is long in comparison with other rows and repeats words.
#[derive(Serialize, Deserialize)]
struct RobotsRow {
    fetched_at: u64,
    /// The text as a raw DEFLATE stream (RFC 1951).
    packed: Vec<u8>,
}

/// How hosts were treated. [`Store::host_memory`](crate::Store::host_memory) makes it.
pub struct HostMemory<'a> {
    state: &'a State,
}

impl<'a> HostMemory<'a> {
    pub(crate) fn new(state: &'a State) -> Self {
        Self { state }
    }

    /// Iterates over the committed records of hosts, by name.
    pub fn records(&self) -> impl Iterator<Item = Result<(String, HostRecord), StorageError>> + use<> {
        let state = self.state.clone();
        self.state.scan([GATES]).map(move |row| {
            let (key, value) = row?;
            let record = format::decode_versioned(&value).ok_or_else(|| state.corrupt(HOST_STATE))?;
            Ok((format::name(&key), record))
        })
    }

    /// The committed record of the host; `None` if no run sent it a request.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn record(&self, host: &str) -> Result<Option<HostRecord>, StorageError> {
        self.state.versioned_row(format::named(GATES, host), HOST_STATE)
    }

    /// The committed robots.txt of an origin of the host.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn robots(&self, host: &str, origin: &str) -> Result<Option<StoredRobots>, StorageError> {
        let Some(row) = self.state.get(format::paired(ROBOTS, host, origin))? else {
            return Ok(None);
        };
        let read = || {
            let row: RobotsRow = format::decode_versioned(&row)?;
            Some(StoredRobots {
                fetched_at: row.fetched_at,
                text: format::inflated(&row.packed, MAX_STORED_ROBOTS_BYTES)?,
            })
        };
        read().map(Some).ok_or_else(|| self.state.corrupt("a robots.txt"))
    }

    pub(crate) fn set(host: &str, record: &HostRecord, piece: &mut Piece) -> Result<(), StorageError> {
        format::check_url(host, host)?;
        piece.set(format::named(GATES, host), format::encode_versioned(record)?);
        Ok(())
    }

    pub(crate) fn set_robots(
        host: &str,
        origin: &str,
        robots: Option<&StoredRobots>,
        piece: &mut Piece,
    ) -> Result<(), StorageError> {
        format::check_url(host, origin)?;
        let kept = robots.filter(|robots| robots.text.len() <= MAX_STORED_ROBOTS_BYTES);
        let row = kept.map(|robots| {
            format::encode_versioned(&RobotsRow {
                fetched_at: robots.fetched_at,
                packed: format::deflated(&robots.text),
            })
        });
        let key = format::paired(ROBOTS, host, origin);
        match row.transpose()?.filter(|row| row.len() <= MAX_PACKED_ROW_BYTES) {
            Some(row) => piece.set(key, row),
            None => piece.remove(key),
        }
        Ok(())
    }

    /// Iterates over the rows of all robots.txt, for another state.
    pub(crate) fn robots_rows(&self) -> Rows {
        self.state.scan([ROBOTS])
    }

    /// The fault of a row, if it is one of these tables and cannot be read.
    pub(crate) fn fault((key, value): (&[u8], &[u8])) -> Option<&'static str> {
        let is_bad = key.first() == Some(&GATES) && format::decode_versioned::<HostRecord>(value).is_none();
        is_bad.then_some("the state of a host")
    }
}
