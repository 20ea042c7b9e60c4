//! The queue: its head for one host, all of it, and which of its places are taken.

mod chunk;

use std::collections::{HashMap, HashSet};

use self::chunk::queue_prefix;
use crate::error::StorageError;
use crate::frontier::{ChunkKind, Place, QueuedUrl, UrlId};
use crate::state::State;

pub(crate) use self::chunk::Edits as QueueEdits;

/// The queue.
pub struct Queue {
    state: State,
    /// Staged places by `seq`: taken (`true`) or given up (`false`).
    places: HashMap<u64, bool>,
    /// URLs with an outcome whose return to the queue is staged.
    returned: HashSet<UrlId>,
}

impl Queue {
    pub(crate) fn new(state: State) -> Self {
        Self {
            state,
            places: HashMap::new(),
            returned: HashSet::new(),
        }
    }

    /// Iterates over all committed URLs in the queue, by host, then in the order of the queue.
    pub fn urls(&self) -> impl Iterator<Item = Result<QueuedUrl, StorageError>> + use<> {
        let state = self.state.clone();
        chunk::rows(&self.state).flat_map(move |row| {
            let urls = row.and_then(|(key, value)| chunk::read(&state, &key, &value));
            let (urls, error) = match urls {
                Ok(urls) => (urls, None),
                Err(error) => (Vec::new(), Some(Err(error))),
            };
            urls.into_iter().map(Ok).chain(error)
        })
    }

    /// The first `limit` committed URLs of a host's queue behind the place `from`, without those whose `seq` is in `skip`.
    pub(crate) fn head(
        &self,
        host: &str,
        from: Option<(u8, u16, u64)>,
        limit: usize,
        skip: &HashSet<u64>,
    ) -> Result<Vec<QueuedUrl>, StorageError> {
        let mut found = Vec::new();
        let prefix = queue_prefix(host);
        let behind = from.map(|(priority, depth, seq)| {
            let host = host.to_owned();
            chunk::place_key(&Place {
                kind: ChunkKind { host, priority, depth },
                seq,
            })
        });
        // The chunk with that place begins before the place.
        let begin = match &behind {
            Some(place) => self.state.last_in(&prefix, place)?.map(|(key, _)| key.to_vec()),
            None => None,
        };
        for row in self.state.scan_from(&begin.unwrap_or(prefix.clone())) {
            let (key, value) = row?;
            if !key.starts_with(&prefix) {
                break;
            }
            let urls = chunk::read(&self.state, &key, &value)?;
            let is_behind =
                |queued: &QueuedUrl| from.is_none_or(|from| from < (queued.priority, queued.depth, queued.seq));
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

    /// Whether the URL waits at its place, with staged changes.
    pub(crate) fn has(&self, queued: &QueuedUrl) -> Result<bool, StorageError> {
        match self.places.get(&queued.seq) {
            Some(is_taken) => Ok(*is_taken),
            None => chunk::is_taken(&self.state, &Place::of(queued)),
        }
    }

    /// Notes that the return of a URL with an outcome is staged. `false` if it already was since the last commit.
    pub(crate) fn returns(&mut self, id: UrlId) -> bool {
        self.returned.insert(id)
    }

    /// Notes that the place of a URL is staged.
    pub(crate) fn take_place(&mut self, queued: &QueuedUrl) {
        self.places.insert(queued.seq, true);
    }

    /// Notes that the removal of a URL from its place is staged.
    pub(crate) fn give_up_place(&mut self, queued: &QueuedUrl) {
        self.places.insert(queued.seq, false);
    }

    /// Notes that everything staged is committed.
    pub(crate) fn committed(&mut self) {
        self.places.clear();
        self.returned.clear();
    }
}
