//! Counts, for each host and in total.

use std::ops::AddAssign;

use serde::{Deserialize, Serialize};

use crate::page::{PageRecord, VerdictKind};

/// Counts of the URLs of a host, or of all hosts.
///
/// Always: `discovered = queued + kept + exact + near + redirected + failed + excluded + gone`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Known URLs.
    pub discovered: u64,
    /// Queued URLs, those in process included.
    pub queued: u64,
    /// Kept pages.
    pub kept: u64,
    /// Pages whose text is the same as a kept page's.
    pub exact: u64,
    /// Pages whose text is nearly the same as a kept page's.
    pub near: u64,
    /// URLs that redirect.
    pub redirected: u64,
    /// URLs that failed for good.
    pub failed: u64,
    /// URLs that a rule excludes.
    pub excluded: u64,
    /// Pages that are gone.
    pub gone: u64,
    /// Queued visits to pages fetched before. The counts above include those pages.
    pub due: u64,
    /// Bytes over the wire for the bodies of all pages.
    pub bytes_fetched: u64,
    /// Decoded bytes of the bodies of kept pages.
    pub bytes_kept: u64,
}

/// A change of the counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CountChange {
    Discovered,
    /// A page has its verdict.
    Decided {
        class: VerdictKind,
        wire_bytes: u64,
        body_bytes: u64,
    },
    Redirected,
    Failed,
    /// A failed URL is queued again.
    TriedAgain,
    Excluded,
    /// A visit to a page is queued.
    Due,
    /// That visit is finished.
    Visited {
        wire_bytes: u64,
    },
    /// A visit found something else than the page. Its URL counts as queued until the next change.
    Reopened {
        was: VerdictKind,
        body_bytes: u64,
    },
    /// The page of a URL that was reopened is gone.
    Gone,
    /// A merged folder has a page of a URL that is excluded, redirects, or is gone in another. The URL counts as queued until the next
    /// change.
    Admitted,
    /// The same of a URL that redirects; also one that the crawl asks for again.
    Answered,
    Found,
    /// A page has another verdict than before.
    Reclassified {
        was: VerdictKind,
        now: VerdictKind,
        body_bytes: u64,
    },
}

impl CountChange {
    /// The change for a visit that found something else than `page`.
    pub fn reopened(page: &PageRecord) -> Self {
        Self::Reopened {
            was: page.verdict.kind(),
            body_bytes: page.body_bytes,
        }
    }
}

impl Counts {
    /// Pages fetched: kept, exact and near.
    #[must_use]
    pub fn fetched(&self) -> u64 {
        self.kept + self.dropped()
    }

    /// Pages that say what a kept page says: exact and near.
    #[must_use]
    pub fn dropped(&self) -> u64 {
        self.exact + self.near
    }

    fn of_class(&mut self, class: VerdictKind) -> &mut u64 {
        match class {
            VerdictKind::Kept => &mut self.kept,
            VerdictKind::Exact => &mut self.exact,
            VerdictKind::Near => &mut self.near,
        }
    }

    fn add(&mut self, class: VerdictKind, body_bytes: u64) {
        *self.of_class(class) += 1;
        if class == VerdictKind::Kept {
            self.bytes_kept += body_bytes;
        }
    }

    fn take_out(&mut self, class: VerdictKind, body_bytes: u64) {
        let count = self.of_class(class);
        *count = count.saturating_sub(1);
        if class == VerdictKind::Kept {
            self.bytes_kept = self.bytes_kept.saturating_sub(body_bytes);
        }
    }

    /// Counts a change. The store finishes only queued URLs and reclassifies only pages that it has, so no count falls below zero.
    pub(crate) fn apply(&mut self, change: CountChange) {
        match change {
            CountChange::Discovered => {
                self.discovered += 1;
                self.queued += 1;
            }
            CountChange::TriedAgain => {
                self.failed = self.failed.saturating_sub(1);
                self.queued += 1;
            }
            CountChange::Admitted => {
                self.excluded = self.excluded.saturating_sub(1);
                self.queued += 1;
            }
            CountChange::Answered => {
                self.redirected = self.redirected.saturating_sub(1);
                self.queued += 1;
            }
            CountChange::Found => {
                self.gone = self.gone.saturating_sub(1);
                self.queued += 1;
            }
            CountChange::Due => self.due += 1,
            CountChange::Visited { wire_bytes } => {
                self.due = self.due.saturating_sub(1);
                self.bytes_fetched += wire_bytes;
            }
            CountChange::Reopened { was, body_bytes } => {
                self.take_out(was, body_bytes);
                self.queued += 1;
            }
            CountChange::Reclassified { was, now, body_bytes } => {
                self.take_out(was, body_bytes);
                self.add(now, body_bytes);
            }
            CountChange::Decided {
                class,
                wire_bytes,
                body_bytes,
            } => {
                self.take_from_queue();
                self.add(class, body_bytes);
                self.bytes_fetched += wire_bytes;
            }
            CountChange::Gone => {
                self.take_from_queue();
                self.gone += 1;
            }
            CountChange::Redirected => {
                self.take_from_queue();
                self.redirected += 1;
            }
            CountChange::Failed => {
                self.take_from_queue();
                self.failed += 1;
            }
            CountChange::Excluded => {
                self.take_from_queue();
                self.excluded += 1;
            }
        }
    }

    fn take_from_queue(&mut self) {
        self.queued = self.queued.saturating_sub(1);
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
