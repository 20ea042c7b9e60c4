//! Counts, for each host and in total.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

/// What became of the URLs of a host, or of all.
///
/// Always: `discovered = queued + kept + exact + near + redirected + failed + excluded`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// URLs known.
    pub discovered: u64,
    /// Of these: waiting, or handed out and not finished.
    pub queued: u64,
    /// Pages kept.
    pub kept: u64,
    /// Pages whose text is that of a kept page.
    pub exact: u64,
    /// Pages whose text is nearly that of a kept page.
    pub near: u64,
    /// URLs that redirect.
    pub redirected: u64,
    /// URLs that failed for good.
    pub failed: u64,
    /// URLs that a rule forbids.
    pub excluded: u64,
    /// Bytes over the wire for the bodies of all pages.
    pub bytes_fetched: u64,
    /// Decoded bytes of the bodies of kept pages.
    pub bytes_kept: u64,
}

/// One step in the life of a URL, as the counts see it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Change {
    Discovered,
    Kept {
        wire_bytes: u64,
        body_bytes: u64,
    },
    Exact {
        wire_bytes: u64,
    },
    Near {
        wire_bytes: u64,
    },
    Redirected,
    Failed,
    /// A URL that had failed waits again.
    TriedAgain,
    Excluded,
    /// A page that was kept is a duplicate from now on, exact or near.
    Replaced {
        is_exact: bool,
        body_bytes: u64,
    },
}

impl Counts {
    /// Pages fetched: kept, exact and near.
    #[must_use]
    pub fn fetched(&self) -> u64 {
        self.kept + self.exact + self.near
    }

    pub(crate) fn apply(&mut self, change: Change) {
        if change == Change::Discovered {
            self.discovered += 1;
            self.queued += 1;
            return;
        }
        if let Change::Replaced { is_exact, body_bytes } = change {
            self.kept = self.kept.saturating_sub(1);
            self.bytes_kept = self.bytes_kept.saturating_sub(body_bytes);
            *(if is_exact { &mut self.exact } else { &mut self.near }) += 1;
            return;
        }
        if change == Change::TriedAgain {
            self.failed = self.failed.saturating_sub(1);
            self.queued += 1;
            return;
        }
        // Finishing is refused for what is not queued, and replacing for what is not kept, so none of this does not fall below zero.
        self.queued = self.queued.saturating_sub(1);
        match change {
            Change::Discovered | Change::TriedAgain | Change::Replaced { .. } => {}
            Change::Kept { wire_bytes, body_bytes } => {
                self.kept += 1;
                self.bytes_fetched += wire_bytes;
                self.bytes_kept += body_bytes;
            }
            Change::Exact { wire_bytes } => {
                self.exact += 1;
                self.bytes_fetched += wire_bytes;
            }
            Change::Near { wire_bytes } => {
                self.near += 1;
                self.bytes_fetched += wire_bytes;
            }
            Change::Redirected => self.redirected += 1,
            Change::Failed => self.failed += 1,
            Change::Excluded => self.excluded += 1,
        }
    }
}

impl AddAssign for Counts {
    fn add_assign(&mut self, other: Self) {
        self.discovered += other.discovered;
        self.queued += other.queued;
        self.kept += other.kept;
        self.exact += other.exact;
        self.near += other.near;
        self.redirected += other.redirected;
        self.failed += other.failed;
        self.excluded += other.excluded;
        self.bytes_fetched += other.bytes_fetched;
        self.bytes_kept += other.bytes_kept;
    }
}
