//! Reads the queue: its head for one host, all of it, and the hosts that have URLs in it.

use std::collections::HashSet;

use crate::chunk;
use crate::counts::Counts;
use crate::error::StorageError;
use crate::format;
use crate::frontier::{ChunkKind, QueuedUrl};
use crate::state::{Rows, State};
use crate::store::Store;

impl Store {
    /// The first `limit` URLs of the host's queue, in order, without the URLs in process: those whose [`seq`](QueuedUrl::seq) is
    /// in `skip`. Commits everything staged first.
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn refill(&mut self, host: &str, limit: usize, skip: &HashSet<u64>) -> Result<Vec<QueuedUrl>, StorageError> {
        self.refill_behind(host, None, limit, skip)
    }

    /// [`refill`](Self::refill) from the URLs behind the place `from`: priority, depth and [`seq`](QueuedUrl::seq).
    ///
    /// # Errors
    /// As [`commit`](Self::commit).
    pub fn refill_behind(
        &mut self,
        host: &str,
        from: Option<(u8, u16, u64)>,
        limit: usize,
        skip: &HashSet<u64>,
    ) -> Result<Vec<QueuedUrl>, StorageError> {
        self.commit()?;
        head_of_queue(&self.state, host, from, limit, skip)
    }

    /// Iterates over all committed URLs in the queue, by host, then in the order of the queue.
    pub fn queue(&self) -> Queue {
        Queue {
            rows: self.state.scan([format::QUEUE]),
            state: self.state.clone(),
            chunk: Vec::new().into_iter(),
        }
    }

    /// Iterates over all hosts with their committed counts.
    pub fn hosts(&self) -> Hosts {
        Hosts {
            rows: self.state.scan([format::HOSTS]),
            queued_only: false,
        }
    }

    /// As [`hosts`](Self::hosts), but only the hosts whose names come after `name`.
    pub fn hosts_behind(&self, name: &str) -> impl Iterator<Item = Result<(String, Counts), StorageError>> {
        let hosts = Hosts {
            rows: self.state.scan_from(&format::host_key(name)),
            queued_only: false,
        };
        let name = name.to_owned();
        hosts.filter(move |row| !matches!(row, Ok((found, _)) if *found == name))
    }

    /// The committed counts of a host; `None` if the store does not know it.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn host_counts(&self, host: &str) -> Result<Option<Counts>, StorageError> {
        let row = self.state.get(format::host_key(host))?;
        row.map(|row| self.state.decode("a row of counts", &row)).transpose()
    }

    /// Iterates over the hosts that have URLs in the queue, with their committed counts.
    pub fn hosts_with_queue(&self) -> Hosts {
        Hosts {
            queued_only: true,
            ..self.hosts()
        }
    }
}

/// The first `limit` URLs of a host's queue behind the place `from`, without those whose `seq` is in `skip`.
fn head_of_queue(
    state: &State,
    host: &str,
    from: Option<(u8, u16, u64)>,
    limit: usize,
    skip: &HashSet<u64>,
) -> Result<Vec<QueuedUrl>, StorageError> {
    let mut found = Vec::new();
    let prefix = format::queue_prefix(host);
    let behind = from.map(|(priority, depth, seq)| {
        let host = host.to_owned();
        format::queue_key(&ChunkKind { host, priority, depth }, seq)
    });
    // The chunk with that place begins before the place.
    let begin = match &behind {
        Some(place) => state.last_in(&prefix, place)?.map(|(key, _)| key.to_vec()),
        None => None,
    };
    for row in state.scan_from(&begin.unwrap_or(prefix.clone())) {
        let (key, value) = row?;
        if !key.starts_with(&prefix) {
            break;
        }
        let urls = chunk::read(state, &key, &value)?;
        let is_behind = |queued: &QueuedUrl| from.is_none_or(|from| from < (queued.priority, queued.depth, queued.seq));
        let wanted = urls
            .into_iter()
            .filter(|queued| is_behind(queued) && !skip.contains(&queued.seq));
        found.extend(wanted.take(limit - found.len()));
        if found.len() >= limit {
            break;
        }
    }
    Ok(found)
}

/// Iterates over the queue, by host, then in the order of the queue.
pub struct Queue {
    rows: Rows,
    state: State,
    chunk: std::vec::IntoIter<QueuedUrl>,
}

impl Iterator for Queue {
    type Item = Result<QueuedUrl, StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(queued) = self.chunk.next() {
                return Some(Ok(queued));
            }
            let urls = self
                .rows
                .next()?
                .and_then(|(key, value)| chunk::read(&self.state, &key, &value));
            match urls {
                Ok(urls) => self.chunk = urls.into_iter(),
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Iterates over hosts with their counts.
pub struct Hosts {
    rows: Rows,
    queued_only: bool,
}

impl Iterator for Hosts {
    type Item = Result<(String, Counts), StorageError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let (key, value) = match self.rows.next()? {
                Ok(row) => row,
                Err(error) => return Some(Err(error)),
            };
            let counts: Counts = match self.rows.decode("a row of counts", &value) {
                Ok(counts) => counts,
                Err(error) => return Some(Err(error)),
            };
            if !self.queued_only || counts.queued + counts.due > 0 {
                return Some(Ok((String::from_utf8_lossy(&key[1..]).into_owned(), counts)));
            }
        }
    }
}
