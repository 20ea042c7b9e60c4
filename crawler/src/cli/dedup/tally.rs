//! Counts of the stages, for the progress display and the summary.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dedup::Verdict;
use serde::{Deserialize, Serialize};

use super::analysis::Analyzed;
use terminal::units::{bytes, counted, grouped};
use views::live::progress::{GrowthRate, Moment, Progress};

/// The counts that an interrupted run goes on from.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    text_bytes: u64,
    unique: u64,
    exact: u64,
    near: u64,
    blocked: u64,
    faults: u64,
    grouped: u64,
}

/// Counts of documents and bytes so far.
#[derive(Debug, Default)]
pub(super) struct Tally {
    bytes_read: Arc<AtomicU64>,
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
    /// Kept documents of an interrupted run that the index has again.
    loaded: AtomicU64,
    /// Documents that wait for their verdicts until all are read.
    waiting: AtomicU64,
    /// Documents of earlier runs that the results are without.
    left_out: AtomicU64,
}

impl Tally {
    /// Counter of the reader: bytes of input before decompression.
    pub(super) fn reading(&self) -> &Arc<AtomicU64> {
        &self.bytes_read
    }

    /// Adds what the analysis has counted.
    pub(super) fn add_analyzed(&self, analyzed: &Analyzed) {
        for (counter, more) in [
            (&self.text_bytes, analyzed.text_bytes),
            (&self.grouped, analyzed.grouped),
            (&self.keyed, analyzed.keyed),
        ] {
            counter.fetch_add(more, Ordering::Relaxed);
        }
    }

    /// The counts of the documents that are decided.
    pub(super) fn counts(&self) -> Counts {
        Counts {
            text_bytes: self.text_bytes(),
            unique: self.unique(),
            exact: self.exact(),
            near: self.near(),
            blocked: self.blocked(),
            faults: self.faults(),
            grouped: self.grouped(),
        }
    }

    /// Goes on from the counts of an interrupted run.
    pub(super) fn go_on(&self, counts: &Counts) {
        for (counter, count) in [
            (&self.text_bytes, counts.text_bytes),
            (&self.unique, counts.unique),
            (&self.exact, counts.exact),
            (&self.near, counts.near),
            (&self.blocked, counts.blocked),
            (&self.faults, counts.faults),
            (&self.grouped, counts.grouped),
        ] {
            counter.store(count, Ordering::Relaxed);
        }
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

    pub(super) fn keyed(&self) -> u64 {
        self.keyed.load(Ordering::Relaxed)
    }

    pub(super) fn add_loaded(&self) {
        self.loaded.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn add_waiting(&self) {
        self.waiting.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn end_waiting(&self) {
        self.waiting.fetch_sub(1, Ordering::Relaxed);
    }

    pub(super) fn add_left_out(&self) {
        self.left_out.fetch_add(1, Ordering::Relaxed);
    }

    /// Documents that were read, with and without a verdict.
    pub(super) fn read(&self) -> u64 {
        let others = [&self.waiting, &self.left_out];
        self.documents() + others.map(|count| count.load(Ordering::Relaxed)).iter().sum::<u64>()
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
        let (loaded, unique) = (tally.loaded.load(Ordering::Relaxed), tally.unique());
        if read == 0 && loaded > 0 {
            return Moment {
                message: format!(
                    "reading what was kept: {} of {}",
                    grouped(loaded),
                    counted(unique, "document")
                ),
                ..Moment::default()
            };
        }
        Moment {
            position: read,
            message: format!(
                "{}  unique {}  exact {}  near {}  skipped {}",
                pace(read, total, rate.per_second(now, read)),
                tally.unique(),
                tally.exact(),
                tally.near(),
                tally.faults()
            ),
            ..Moment::default()
        }
    })
}

/// How much was read, and how fast.
pub(super) fn pace(read: u64, total: Option<u64>, bytes_per_second: f64) -> String {
    let of = total.map_or(String::new(), |total| format!(" of {}", bytes(total)));
    format!("{}{of}  {:.1} MB/s", bytes(read), bytes_per_second / 1e6)
}
