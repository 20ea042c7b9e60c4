//! The visits to pages of one host that were fetched before: those in memory, and whether the store has more.

use std::collections::BTreeMap;

use storage::QueuedUrl;

use super::BUFFER;
use super::queue::{Place, Waiting};
use crate::crawl::revisits::PRIORITY_VISIT;

/// See the module's text.
#[derive(Debug, Default)]
pub(super) struct HostVisits {
    buffer: BTreeMap<Place, Waiting>,
    /// The store holds visits that are not in the buffer.
    pub in_store: bool,
}

impl HostVisits {
    /// Where they begin in the store's queue.
    pub const BEGIN: Place = (PRIORITY_VISIT, 0, 0);

    /// Takes a visit into the buffer, or leaves it to the store where the buffer is full.
    pub fn offer(&mut self, queued: QueuedUrl) {
        if self.in_store || self.buffer.len() >= BUFFER {
            self.in_store = true;
        } else {
            self.put_back(Waiting::new(queued));
        }
    }

    pub fn put_back(&mut self, waiting: Waiting) {
        self.buffer.insert(waiting.place(), waiting);
    }

    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Whether the buffer is empty and the store may have something for it.
    pub fn wants_more(&self) -> bool {
        self.buffer.is_empty() && self.in_store
    }

    /// What the store had, in order; `more` says whether it has more.
    pub fn refilled(&mut self, urls: Vec<QueuedUrl>, more: bool) {
        self.in_store = more;
        for queued in urls {
            self.put_back(Waiting::new(queued));
        }
    }

    pub fn take(&mut self) -> Option<Waiting> {
        self.buffer.pop_first().map(|(_, waiting)| waiting)
    }
}
