//! The memory of hosts between runs: how a host was treated last, so that the next run keeps the delays of the last one, and its
//! robots.txt.
//!
//! These rows are committed with the frontier. A run that is killed between two commits leaves rows that are too old;
//! [`Store::was_interrupted`] detects such a run.

use std::io::Read;
use std::net::IpAddr;

use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use serde::{Deserialize, Serialize};

use crate::error::StorageError;
use crate::format::{self, MAX_PACKED_ROW_BYTES};
use crate::state::Rows;
use crate::store::Store;

/// Upper bound on a stored robots.txt, in bytes. The next run fetches a longer one again. Few robots.txt reach a tenth of this.
pub const MAX_STORED_ROBOTS_BYTES: usize = 64 * 1024;

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

impl RobotsRow {
    fn pack(robots: &StoredRobots) -> Self {
        Self {
            fetched_at: robots.fetched_at,
            packed: pack(&robots.text),
        }
    }

    fn unpack(self) -> Option<StoredRobots> {
        Some(StoredRobots {
            fetched_at: self.fetched_at,
            text: unpack(&self.packed, MAX_STORED_ROBOTS_BYTES)?,
        })
    }
}

/// The bytes as a raw DEFLATE stream (RFC 1951).
pub(crate) fn pack(bytes: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    let mut encoder = DeflateEncoder::new(bytes, Compression::default());
    // Reading from memory into memory cannot fail.
    let _infallible = encoder.read_to_end(&mut packed);
    packed
}

/// The bytes of a raw DEFLATE stream, at most `limit`; `None` if the stream is damaged.
pub(crate) fn unpack(packed: &[u8], limit: usize) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    let mut decoder = DeflateDecoder::new(packed).take(limit as u64);
    decoder.read_to_end(&mut bytes).ok()?;
    Some(bytes)
}

impl Store {
    /// Records how hosts were treated. Durable with the next commit.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`] for a host that cannot be a key; errors of the state.
    pub fn record_hosts(&mut self, hosts: &[(String, HostRecord)]) -> Result<(), StorageError> {
        let mut rows = Vec::with_capacity(hosts.len());
        for (host, state) in hosts {
            format::check_url(host, host)?;
            rows.push((format::host_state_key(host), Some(format::encode_versioned(state)?)));
        }
        self.stage_rows(rows)
    }

    /// Replaces the robots.txt of an origin of the host. `None`, or one longer than [`MAX_STORED_ROBOTS_BYTES`], removes it.
    /// Durable with the next commit.
    ///
    /// # Errors
    /// As [`record_hosts`](Self::record_hosts).
    pub fn record_robots(
        &mut self,
        host: &str,
        origin: &str,
        robots: Option<&StoredRobots>,
    ) -> Result<(), StorageError> {
        format::check_url(host, origin)?;
        let kept = robots.filter(|robots| robots.text.len() <= MAX_STORED_ROBOTS_BYTES);
        let row = kept.map(|robots| format::encode_versioned(&RobotsRow::pack(robots)));
        let row = row.transpose()?.filter(|row| row.len() <= MAX_PACKED_ROW_BYTES);
        self.stage_rows(vec![(format::robots_key(host, origin), row)])
    }

    /// Iterates over the committed records of hosts, by name.
    pub fn host_records(&self) -> HostRecords {
        HostRecords {
            rows: self.state.scan([format::GATES]),
        }
    }

    /// The committed record of the host; `None` if no run sent it a request.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn host_record(&self, host: &str) -> Result<Option<HostRecord>, StorageError> {
        let row = self.state.get(format::host_state_key(host))?;
        row.map(|row| format::decode_versioned(&row).ok_or_else(|| self.state.corrupt(HOST_STATE)))
            .transpose()
    }

    /// The committed robots.txt of an origin of the host.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn robots(&self, host: &str, origin: &str) -> Result<Option<StoredRobots>, StorageError> {
        let row = self.state.get(format::robots_key(host, origin))?;
        let unpacked = row.map(|row| format::decode_versioned::<RobotsRow>(&row).and_then(RobotsRow::unpack));
        unpacked
            .map(|robots| robots.ok_or_else(|| self.state.corrupt("a robots.txt")))
            .transpose()
    }
}

/// Iterates over the records of hosts, by name.
pub struct HostRecords {
    rows: Rows,
}

impl Iterator for HostRecords {
    type Item = Result<(String, HostRecord), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.and_then(|(key, value)| {
            let state = format::decode_versioned(&value).ok_or_else(|| self.rows.corrupt(HOST_STATE))?;
            Ok((String::from_utf8_lossy(&key[1..]).into_owned(), state))
        }))
    }
}
