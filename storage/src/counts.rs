//! Counts, for each host and in total.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::page::{PageRecord, Verdict};

/// What became of the URLs of a host, or of all.
///
/// Always: `discovered = queued + kept + exact + near + redirected + failed + excluded + gone`.
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
    /// Pages that were fetched once and are gone.
    pub gone: u64,
    /// Visits to pages fetched before that wait; those pages are counted above as what they are.
    pub due: u64,
    /// Bytes over the wire for the bodies of all pages.
    pub bytes_fetched: u64,
    /// Decoded bytes of the bodies of kept pages.
    pub bytes_kept: u64,
}

/// What a page counts as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Kept,
    Exact,
    Near,
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
    /// A page is to be visited again.
    Due,
    /// That visit is made.
    Visited {
        wire_bytes: u64,
    },
    /// A visit has found something else in place of the page: its URL is undecided again, until the next change.
    Reopened {
        was: Class,
        body_bytes: u64,
    },
    /// An undecided URL whose page is gone.
    Gone,
    /// A page was decided anew.
    Redecided {
        was: Class,
        now: Class,
        body_bytes: u64,
    },
    /// A page that was kept is a duplicate from now on, exact or near.
    Replaced {
        is_exact: bool,
        body_bytes: u64,
    },
}

impl Class {
    /// What a page with this verdict counts as.
    pub fn of(verdict: Verdict) -> Self {
        match verdict {
            Verdict::Unique => Self::Kept,
            Verdict::Exact { .. } => Self::Exact,
            Verdict::Near { .. } => Self::Near,
        }
    }
}

impl Change {
    /// The page's URL is undecided again.
    pub fn reopened(page: &PageRecord) -> Self {
        Self::Reopened {
            was: Class::of(page.verdict),
            body_bytes: page.body_bytes,
        }
    }
}

impl Counts {
    /// Pages fetched: kept, exact and near.
    #[must_use]
    pub fn fetched(&self) -> u64 {
        self.kept + self.exact + self.near
    }

    fn of_class(&mut self, class: Class) -> &mut u64 {
        match class {
            Class::Kept => &mut self.kept,
            Class::Exact => &mut self.exact,
            Class::Near => &mut self.near,
        }
    }

    fn take_out(&mut self, was: Class, body_bytes: u64) {
        let count = self.of_class(was);
        *count = count.saturating_sub(1);
        if was == Class::Kept {
            self.bytes_kept = self.bytes_kept.saturating_sub(body_bytes);
        }
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
        match change {
            Change::Due => {
                self.due += 1;
                return;
            }
            Change::Visited { wire_bytes } => {
                self.due = self.due.saturating_sub(1);
                self.bytes_fetched += wire_bytes;
                return;
            }
            Change::Reopened { was, body_bytes } => {
                self.take_out(was, body_bytes);
                self.queued += 1;
                return;
            }
            Change::Redecided { was, now, body_bytes } => {
                self.take_out(was, body_bytes);
                *self.of_class(now) += 1;
                if now == Class::Kept {
                    self.bytes_kept += body_bytes;
                }
                return;
            }
            _ => {}
        }
        if change == Change::TriedAgain {
            self.failed = self.failed.saturating_sub(1);
            self.queued += 1;
            return;
        }
        // Finishing is refused for what is not queued, and replacing for what is not kept, so none of this does not fall below zero.
        self.queued = self.queued.saturating_sub(1);
        match change {
            Change::Discovered
            | Change::TriedAgain
            | Change::Replaced { .. }
            | Change::Due
            | Change::Visited { .. }
            | Change::Redecided { .. }
            | Change::Reopened { .. } => {}
            Change::Gone => self.gone += 1,
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
        self.gone += other.gone;
        self.due += other.due;
        self.bytes_fetched += other.bytes_fetched;
        self.bytes_kept += other.bytes_kept;
    }
}
