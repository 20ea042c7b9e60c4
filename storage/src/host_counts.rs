//! The counts of the hosts, and their sum.

use std::collections::{BTreeMap, HashMap};

use crate::batch::Batch;
use crate::counts::{CountChange, Counts};
use crate::error::StorageError;
use crate::format;
use crate::state::State;

/// The table: a host and its ⟨[`Counts`]⟩.
const HOSTS: u8 = b'h';

/// The row's name in the error for a damaged state.
const COUNTS: &str = "a row of counts";

/// The counts of the hosts.
pub struct HostCounts {
    state: State,
    /// Over all hosts, with everything staged.
    total: Counts,
}

impl HostCounts {
    pub(crate) fn open(state: State) -> Result<Self, StorageError> {
        let mut counts = Self {
            state,
            total: Counts::default(),
        };
        let mut total = Counts::default();
        for row in counts.all() {
            total += row?.1;
        }
        counts.total = total;
        Ok(counts)
    }

    /// The counts over all hosts, with everything staged.
    pub(crate) fn total(&self) -> Counts {
        self.total
    }

    /// Counts a staged change.
    pub(crate) fn apply(&mut self, change: CountChange) {
        self.total.apply(change);
    }

    /// Iterates over all hosts with their committed counts, by name.
    pub fn all(&self) -> impl Iterator<Item = Result<(String, Counts), StorageError>> + use<> {
        self.from(&[HOSTS])
    }

    /// As [`all`](Self::all), but only the hosts whose names come after `name`.
    pub fn behind(&self, name: &str) -> impl Iterator<Item = Result<(String, Counts), StorageError>> + use<> {
        let hosts = self.from(&format::named(HOSTS, name));
        let name = name.to_owned();
        hosts.filter(move |row| !matches!(row, Ok((found, _)) if *found == name))
    }

    /// Iterates over the hosts that have URLs in the queue, with their committed counts.
    pub fn with_queue(&self) -> impl Iterator<Item = Result<(String, Counts), StorageError>> + use<> {
        let has_queue = |counts: &Counts| counts.queued + counts.due > 0;
        self.all()
            .filter(move |row| row.as_ref().map_or(true, |(_, counts)| has_queue(counts)))
    }

    fn from(&self, key: &[u8]) -> impl Iterator<Item = Result<(String, Counts), StorageError>> + use<> {
        let state = self.state.clone();
        self.state.scan_from(key).map(move |row| {
            let (key, value) = row?;
            Ok((format::name(&key), state.decode(COUNTS, &value)?))
        })
    }

    /// The committed counts of a host; `None` if the store does not know it.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn of(&self, host: &str) -> Result<Option<Counts>, StorageError> {
        counts_of(&self.state, host)
    }
}

fn counts_of(state: &State, host: &str) -> Result<Option<Counts>, StorageError> {
    state.row(format::named(HOSTS, host), COUNTS)
}

/// The counts that the batches of a commit change.
pub(crate) struct CountEdits<'a> {
    state: &'a State,
    /// The counts after all changes so far.
    now: HashMap<String, Counts>,
    /// Those that the current batch sets.
    touched: BTreeMap<String, Counts>,
}

impl<'a> CountEdits<'a> {
    pub fn new(state: &'a State) -> Self {
        Self {
            state,
            now: HashMap::new(),
            touched: BTreeMap::new(),
        }
    }

    /// Counts a change in the current batch.
    pub fn count(&mut self, host: &str, change: CountChange) -> Result<(), StorageError> {
        let counts = match self.now.get_mut(host) {
            Some(counts) => counts,
            None => {
                let stored = counts_of(self.state, host)?.unwrap_or_default();
                self.now.entry(host.to_owned()).or_insert(stored)
            }
        };
        counts.apply(change);
        match self.touched.get_mut(host) {
            Some(touched) => *touched = *counts,
            None => {
                self.touched.insert(host.to_owned(), *counts);
            }
        }
        Ok(())
    }

    /// Rows that the current batch sets.
    pub fn touched(&self) -> usize {
        self.touched.len()
    }

    /// Ends the current batch.
    pub fn write(&mut self, batch: &mut Batch) -> Result<(), StorageError> {
        for (host, counts) in std::mem::take(&mut self.touched) {
            batch.insert(format::named(HOSTS, &host), format::encode(&counts)?);
        }
        Ok(())
    }
}
