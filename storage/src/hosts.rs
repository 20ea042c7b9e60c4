//! What is to be remembered of a host besides its URLs: how it was treated last, so that a restart asks it no earlier than
//! the run before would have, and its robots.txt.
//!
//! It goes with the commits of the frontier, so it is at most as old as they are. A run that is killed between two commits
//! leaves a row that is too old; that it was killed, [`Store::was_interrupted`] tells.

use std::io::Read;
use std::net::IpAddr;

use flate2::Compression;
use flate2::read::{DeflateDecoder, DeflateEncoder};
use serde::{Deserialize, Serialize};

use crate::error::StorageError;
use crate::format;
use crate::staged::{Piece, Row};
use crate::state::Rows;
use crate::store::Store;

/// The longest robots.txt that is kept, in bytes, and compressed a ninth of that; a longer one is fetched again by the next
/// run. Few have a tenth of this.
pub const MAX_STORED_ROBOTS_BYTES: usize = 64 * 1024;

/// The longest row of one. sled keeps up to sixteen rows together, and writes what is longer than 128 KiB to a file of its own,
/// which it does not recover as surely as the rest.
const MAX_ROBOTS_ROW_BYTES: usize = 7 * 1024;

/// A row's name where it cannot be read.
const HOST_STATE: &str = "a host's state";

/// Rows in a piece: what becomes durable as one.
const ROWS_A_PIECE: usize = 100;

/// How a host was treated last. Times are milliseconds since the Unix epoch, 0 for never.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct HostState {
    /// When it was last asked, or had last answered.
    pub asked_at: u64,
    /// It is to be left alone until then.
    pub rests_until: u64,
    /// Failures in a row.
    pub failures: u32,
    /// The last run gave it up.
    pub retired: bool,
    /// What went wrong last, in words; `None` once it has answered well.
    pub last_failure: Option<String>,
    /// The address that answered last.
    pub address: Option<IpAddr>,
    /// The delay that its robots.txt asks for, in milliseconds.
    pub crawl_delay_ms: u64,
    /// Moving average of its latency, in milliseconds.
    pub latency_ms: Option<u64>,
    /// What 429 and 503 have made of the delay, in milliseconds.
    pub slowed_ms: u64,
}

/// A robots.txt as it was fetched.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct StoredRobots {
    /// Milliseconds since the Unix epoch.
    pub fetched_at: u64,
    /// Its text, decoded; empty where there was none and everything is allowed.
    pub text: Vec<u8>,
}

/// A robots.txt as its row has it: compressed, for it is long beside the other rows, and full of words that come again.
#[derive(Serialize, Deserialize)]
struct RobotsRow {
    fetched_at: u64,
    /// The text as a raw DEFLATE stream (RFC 1951).
    packed: Vec<u8>,
}

impl RobotsRow {
    fn pack(robots: &StoredRobots) -> Self {
        let mut packed = Vec::new();
        let mut encoder = DeflateEncoder::new(&robots.text[..], Compression::default());
        // Reading from memory into memory cannot fail.
        let _infallible = encoder.read_to_end(&mut packed);
        Self {
            fetched_at: robots.fetched_at,
            packed,
        }
    }

    fn unpack(self) -> Option<StoredRobots> {
        let mut text = Vec::new();
        let limit = MAX_STORED_ROBOTS_BYTES as u64;
        let mut decoder = DeflateDecoder::new(&self.packed[..]).take(limit);
        decoder.read_to_end(&mut text).ok()?;
        Some(StoredRobots {
            fetched_at: self.fetched_at,
            text,
        })
    }
}

impl Store {
    /// Records how hosts were treated. Durable with the next commit.
    ///
    /// # Errors
    /// [`StorageError::InvalidUrl`] for a host that cannot be a key; errors of the state.
    pub fn record_hosts(&mut self, hosts: &[(String, HostState)]) -> Result<(), StorageError> {
        let mut rows = Vec::with_capacity(hosts.len());
        for (host, state) in hosts {
            format::check_url(host, host)?;
            rows.push((format::host_state_key(host), Some(format::encode_versioned(state)?)));
        }
        self.stage_rows(rows)
    }

    /// Records the robots.txt of an origin of the host in place of the one before; `None`, or one longer than
    /// [`MAX_STORED_ROBOTS_BYTES`], leaves none. Durable with the next commit.
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
        let row = row.transpose()?.filter(|row| row.len() <= MAX_ROBOTS_ROW_BYTES);
        self.stage_rows(vec![(format::robots_key(host, origin), row)])
    }

    /// All hosts that were ever asked, and what is committed of how they were treated.
    pub fn host_states(&self) -> HostStates {
        HostStates {
            rows: self.state.scan([format::GATES]),
        }
    }

    /// What is committed of how the host was treated; `None` if it was never asked.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn host_state(&self, host: &str) -> Result<Option<HostState>, StorageError> {
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

    /// Notes that a run begins. Durable with the next commit, which must come before the run's first request.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn begin_run(&mut self) -> Result<(), StorageError> {
        self.stage_rows(vec![(format::META_RUNNING.to_vec(), Some(Vec::new()))])
    }

    /// Notes that the run has ended, everything it knew of hosts being recorded. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn end_run(&mut self) -> Result<(), StorageError> {
        self.stage_rows(vec![(format::META_RUNNING.to_vec(), None)])
    }

    /// Whether the last run was killed, or is still under way: what hosts were asked last is then not known.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn was_interrupted(&self) -> Result<bool, StorageError> {
        self.state.contains(format::META_RUNNING)
    }

    /// The dedup rules that the pages were decided by, in words, the first first; empty where it was never noted.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn rules(&self) -> Result<Vec<String>, StorageError> {
        match self.state.get(format::META_RULES)? {
            Some(row) => self.state.decode("the row of rules", &row),
            None => Ok(Vec::new()),
        }
    }

    /// Notes that pages are decided by `rule` from now on. Durable with the next commit.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn note_rule(&mut self, rule: &str) -> Result<(), StorageError> {
        let mut rules = self.rules()?;
        // Of a crawl of which it was not noted before, nothing is known.
        if rules.iter().any(|known| known == rule) || rules.is_empty() && self.counts().fetched() > 0 {
            return Ok(());
        }
        rules.push(rule.to_owned());
        self.stage_rows(vec![(format::META_RULES.to_vec(), Some(format::encode(&rules)?))])
    }

    pub(crate) fn stage_rows(&mut self, rows: Vec<Row>) -> Result<(), StorageError> {
        self.make_room()?;
        for rows in rows.chunks(ROWS_A_PIECE) {
            self.staged.push(Piece {
                rows: rows.to_vec(),
                ..Piece::at(self.progress)
            });
        }
        Ok(())
    }
}

/// Hosts that were ever asked, by name.
pub struct HostStates {
    rows: Rows,
}

impl Iterator for HostStates {
    type Item = Result<(String, HostState), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.rows.next()?;
        Some(row.and_then(|(key, value)| {
            let state = format::decode_versioned(&value).ok_or_else(|| self.rows.corrupt(HOST_STATE))?;
            Ok((String::from_utf8_lossy(&key[1..]).into_owned(), state))
        }))
    }
}
