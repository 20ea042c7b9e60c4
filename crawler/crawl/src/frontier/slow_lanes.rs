//! The answers in the slow lanes of the interpreter: large pages, sitemaps and documents.
//!
//! ```text
//! answer   fetched ──LaneEntered──▶ in a slow lane ──LaneLeft──▶ (read)
//! ```
//!
//! An answer in a slow lane keeps its ticket and its memory. A host therefore has a share of such answers: while it has that many, or that
//! many bytes, none of its pages and sitemaps is asked for. So one host can hold neither all tickets, nor the memory of arriving bodies,
//! nor the threads of a lane. What others wait for, such as its robots.txt, is asked for all the same.
//!
//! If the documents of a host are given up, its further documents stay in the store for this run.

use storage::QueuedUrl;
use web::politeness::Now;

use super::Frontier;

/// A host's part in the slow lanes.
#[derive(Debug)]
pub(super) struct SlowLanes {
    answers: usize,
    bytes: usize,
    /// Bound on `bytes`.
    max_bytes: usize,
    /// The number of documents that the run left, and why.
    left: Option<(u64, String)>,
}

impl SlowLanes {
    /// Answers of one host in the slow lanes, with which none of its pages is asked for. They keep a lane busy while further answers arrive.
    pub const MAX_ANSWERS: usize = 4;

    /// The part of the memory of arriving bodies that the answers of one host may hold in the slow lanes before it waits.
    pub const MEMORY_SHARE: usize = 8;

    /// The part of a host that had none until now, where the bodies that arrive have `memory_bytes` together.
    pub fn new(memory_bytes: usize) -> Self {
        Self {
            answers: 0,
            bytes: 0,
            max_bytes: memory_bytes / Self::MEMORY_SHARE,
            left: None,
        }
    }

    /// Whether another page may be asked for: its answer may end up in a slow lane.
    pub fn has_room(&self) -> bool {
        self.answers < Self::MAX_ANSWERS && self.bytes <= self.max_bytes
    }

    /// Whether an answer of the host is in a slow lane.
    pub fn is_used(&self) -> bool {
        self.answers > 0
    }

    /// The run leaves a document, for this reason.
    fn leave_document(&mut self, why: String) {
        let before = self.left.as_ref().map_or(0, |(documents, _)| *documents);
        self.left = Some((before + 1, why));
    }

    /// The number of documents that the run left, and why; `None` if it left none.
    pub fn documents_left(&self) -> Option<(u64, &str)> {
        self.left.as_ref().map(|(documents, why)| (*documents, why.as_str()))
    }
}

/// The answers of all hosts in the slow lanes.
#[derive(Debug, Default)]
pub(super) struct Lanes {
    /// The verdict on an answer, which ends its ticket, may come before the news that it has left its lane.
    answers: usize,
}

impl Lanes {
    fn enter(&mut self) {
        self.answers += 1;
    }

    fn leave(&mut self) {
        self.answers = self.answers.saturating_sub(1);
    }

    /// Whether an answer is in a lane.
    pub fn are_used(&self) -> bool {
        self.answers > 0
    }
}

impl Frontier {
    /// An answer of this host waits for a slow lane.
    pub(super) fn on_lane_entered(&mut self, name: &str, bytes: usize) {
        self.lanes.enter();
        let memory_bytes = self.settings.arriving_bytes;
        // A host that is not in memory had nothing left to do but to have a sitemap read.
        if let Some(host) = self.hosts.get_mut(name) {
            let part = host.lanes_part(memory_bytes);
            part.answers += 1;
            part.bytes += bytes;
        }
    }

    /// An answer of this host has left a slow lane.
    pub(super) fn on_lane_left(&mut self, name: &str, bytes: usize, now: Now) {
        self.lanes.leave();
        let memory_bytes = self.settings.arriving_bytes;
        if let Some(host) = self.hosts.get_mut(name) {
            let part = host.lanes_part(memory_bytes);
            part.answers = part.answers.saturating_sub(1);
            part.bytes = part.bytes.saturating_sub(bytes);
            self.schedule(name, now);
        }
    }

    /// A document stays in the store for this run.
    pub(super) fn on_document_left(&mut self, queued: &QueuedUrl, why: String, now: Now) {
        let name = &queued.host;
        self.leave_process(queued);
        let memory_bytes = self.settings.arriving_bytes;
        let host = self.host(name);
        host.queue.skip(queued.seq);
        host.lanes_part(memory_bytes).leave_document(why);
        self.mark_unsaved(name);
        self.schedule(name, now);
    }
}
