//! The revisits of one host: those in memory, and whether the store has more.

use std::collections::BTreeMap;

use storage::QueuedUrl;

use super::BUFFER;
use super::waiting::{Place, WaitingUrl};
use crate::revisits::PRIORITY_VISIT;

/// The revisits of one host.
#[derive(Debug, Default)]
pub(super) struct HostVisits {
    buffer: BTreeMap<Place, WaitingUrl>,
    /// The store holds revisits that are not in the buffer.
    pub in_store: bool,
}

impl HostVisits {
    /// The start of the revisits in the store's queue.
    pub const START: Place = (PRIORITY_VISIT, 0, 0);

    /// Takes a revisit into the buffer. If the buffer is full, the revisit stays in the store.
    pub fn offer(&mut self, queued: QueuedUrl) {
        if self.in_store || self.buffer.len() >= BUFFER {
            self.in_store = true;
        } else {
            self.put_back(WaitingUrl::new(queued));
        }
    }

    pub fn put_back(&mut self, waiting: WaitingUrl) {
        self.buffer.insert(waiting.place(), waiting);
    }

    pub fn retain(&mut self, mut is_kept: impl FnMut(&WaitingUrl) -> bool) {
        self.buffer.retain(|_, waiting| is_kept(waiting));
    }

    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty()
    }

    /// Whether the buffer is empty and the store may hold more.
    pub fn wants_more(&self) -> bool {
        self.buffer.is_empty() && self.in_store
    }

    /// Takes in the store's answer, in order. `more` says whether the store holds more.
    pub fn refilled(&mut self, urls: Vec<QueuedUrl>, more: bool) {
        self.in_store = more;
        for queued in urls {
            self.put_back(WaitingUrl::new(queued));
        }
    }

    pub fn take(&mut self) -> Option<WaitingUrl> {
        self.buffer.pop_first().map(|(_, waiting)| waiting)
    }
}
