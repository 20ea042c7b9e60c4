//! Counts of the stages, for the progress display and the summary.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dedup::Verdict;

use terminal::units::bytes;
use views::live::progress::{GrowthRate, Moment, Progress};

/// Counts of documents and bytes so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    bytes_read: AtomicU64,
    text_bytes: AtomicU64,
    unique: AtomicU64,
    exact: AtomicU64,
    near: AtomicU64,
    /// Pages that stand in the way of others.
    blocked: AtomicU64,
    faults: AtomicU64,
    /// Documents with a group and a heading.
    grouped: AtomicU64,
    /// Documents with something that an order goes by.
    keyed: AtomicU64,
    /// Documents that wait for their verdicts until all are read.
    waiting: AtomicU64,
}

impl Tally {
    /// Counter of the reader: bytes of input before decompression.
    pub(super) fn reading(&self) -> &AtomicU64 {
        &self.bytes_read
    }

    pub(super) fn add_text(&self, bytes: usize) {
        self.text_bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    pub(super) fn add_verdict(&self, verdict: &Verdict) {
        let counter = match verdict {
            Verdict::Unique => &self.unique,
            Verdict::Exact { .. } => &self.exact,
            Verdict::Near { .. } => &self.near,
        };
        counter.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_blocked(&self) {
        self.blocked.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_fault(&self) {
        self.faults.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_grouped(&self) {
        self.grouped.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_keyed(&self) {
        self.keyed.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn keyed(&self) -> u64 {
        self.keyed.load(Ordering::Relaxed)
    }

    pub(super) fn add_waiting(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end_waiting(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    /// Documents that were read, with and without a verdict.
    pub(super) fn read(&self) -> u64 {
        self.documents() + self.waiting.load(Ordering::Relaxed)
    }

    pub(super) fn bytes_read(&self) -> u64 {
        self.bytes_read.load(Ordering::Relaxed)
    }

    pub(super) fn text_bytes(&self) -> u64 {
        self.text_bytes.load(Ordering::Relaxed)
    }

    pub(super) fn unique(&self) -> u64 {
        self.unique.load(Ordering::Relaxed)
    }

    pub(super) fn exact(&self) -> u64 {
        self.exact.load(Ordering::Relaxed)
    }

    pub(super) fn near(&self) -> u64 {
        self.near.load(Ordering::Relaxed)
    }

    pub(super) fn blocked(&self) -> u64 {
        self.blocked.load(Ordering::Relaxed)
    }

    pub(super) fn faults(&self) -> u64 {
        self.faults.load(Ordering::Relaxed)
    }

    pub(super) fn grouped(&self) -> u64 {
        self.grouped.load(Ordering::Relaxed)
    }

    /// Documents with a verdict.
    pub(super) fn documents(&self) -> u64 {
        self.unique() + self.exact() + self.near() + self.blocked()
    }
}

/// Shows the counts on standard error, with a bar if the total number of bytes is known.
pub(super) fn show(tally: &Arc<Tally>, total: Option<u64>, quiet: bool) -> Progress {
    let tally = Arc::clone(tally);
    let mut rate = GrowthRate::default();
    Progress::start(total, quiet, move |now| {
        let read = tally.bytes_read();
        let of = total.map_or(String::new(), |total| format!(" of {}", bytes(total)));
        Moment {
            position: read,
            message: format!(
                "{}{of}  {:.1} MB/s  unique {}  exact {}  near {}  skipped {}",
                bytes(read),
                rate.per_second(now, read) / 1e6,
                tally.unique(),
                tally.exact(),
                tally.near(),
                tally.faults()
            ),
            ..Moment::default()
        }
    })
}
