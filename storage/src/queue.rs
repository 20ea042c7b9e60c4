//! The queue: its head for one host, and all of it.

mod chunk;

use std::collections::HashSet;

use self::chunk::queue_prefix;
use crate::commit::staged::Staged;
use crate::error::StorageError;
use crate::frontier::{ChunkKind, Place, QueuedUrl};
use crate::state::State;

pub(crate) use self::chunk::Edits as QueueEdits;

/// The queue.
pub struct Queue {
    state: State,
}

/// A part of a host's queue: its first URLs behind a place.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Head<'a> {
    pub host: &'a str,
    /// The place: priority, depth and [`seq`](QueuedUrl::seq). `None` for the begin of the queue.
    pub behind: Option<(u8, u16, u64)>,
    /// Upper bound on the URLs.
    pub limit: usize,
    /// The `seq` of each URL that does not count.
    pub skip: &'a HashSet<u64>,
}

impl Head<'_> {
    fn has(&self, queued: &QueuedUrl) -> bool {
        let place = (queued.priority, queued.depth, queued.seq);
        self.behind.is_none_or(|behind| behind < place) && !self.skip.contains(&queued.seq)
    }
}

impl Queue {
    pub(crate) fn new(state: State) -> Self {
        Self { state }
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

    /// The URLs of the `head`, in order, with staged changes.
    pub(crate) fn head(&self, head: &Head<'_>, staged: &Staged) -> Result<Vec<QueuedUrl>, StorageError> {
        let mut urls = self.committed_head(head, staged)?;
        let mut waiting: Vec<&QueuedUrl> = staged.waiting(head.host).filter(|queued| head.has(queued)).collect();
        waiting.sort_unstable_by(|a, b| a.cmp_place(b));
        urls.extend(waiting.into_iter().take(head.limit).cloned());
        urls.sort_unstable_by(QueuedUrl::cmp_place);
        // A commit that is applied meanwhile may move URLs to a chunk behind the one that was read.
        urls.dedup_by_key(|queued| queued.seq);
        urls.truncate(head.limit);
        Ok(urls)
    }

    /// The URLs of the `head` that nothing staged has to do with.
    fn committed_head(&self, head: &Head<'_>, staged: &Staged) -> Result<Vec<QueuedUrl>, StorageError> {
        let mut found = Vec::new();
        let prefix = queue_prefix(head.host);
        let behind = head.behind.map(|(priority, depth, seq)| {
            let host = head.host.to_owned();
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
            let wanted = urls
                .into_iter()
                .filter(|queued| head.has(queued) && staged.is_taken(queued.seq).is_none());
            found.extend(wanted.take(head.limit - found.len()));
            if found.len() >= head.limit {
                break;
            }
        }
        Ok(found)
    }

    /// Whether the URL waits at its place, with staged changes.
    pub(crate) fn has(&self, queued: &QueuedUrl, staged: &Staged) -> Result<bool, StorageError> {
        match staged.is_taken(queued.seq) {
            Some(is_taken) => Ok(is_taken),
            None => chunk::is_taken(&self.state, &Place::of(queued)),
        }
    }
}
