//! The pages of a run, as far as its limit counts them, and the revisits that are left.

use storage::QueuedUrl;

use crate::messages::{Step, Task};

/// The pages and revisits of a run.
#[derive(Debug)]
pub(super) struct Pages {
    /// Bound on the pages of the crawl; `None` for no limit.
    max: Option<u64>,
    /// Those of earlier runs included.
    decided: u64,
    /// URLs in process that were never fetched before.
    in_process: u64,
    /// Revisits that are still to be made, those in process included.
    visits_left: u64,
    /// Whether new URLs are taken: not while `max` pages are decided or in process.
    takes_new: bool,
}

impl Pages {
    pub fn new(max: Option<u64>, decided: u64) -> Self {
        Self {
            max,
            decided,
            in_process: 0,
            visits_left: 0,
            takes_new: true,
        }
    }

    /// Another bound on the pages of the crawl. It counts when the limit is applied next.
    pub fn set_max(&mut self, max: Option<u64>) {
        self.max = max;
    }

    /// Whether new URLs are taken.
    pub fn takes_new(&self) -> bool {
        self.takes_new
    }

    /// Starts or stops taking new URLs, by the limit. A URL in process that ends without a page makes room for another. Returns whether
    /// new URLs are taken again.
    pub fn apply_limit(&mut self) -> bool {
        let takes_new = self.max.is_none_or(|max| self.decided + self.in_process < max);
        let again = takes_new && !self.takes_new;
        self.takes_new = takes_new;
        again
    }

    /// The step brings a URL into process, if it is about one.
    pub fn begin(&mut self, step: &Step) {
        match step {
            Step::Start(Task::Page { queued, .. }, _)
            | Step::Exclude { queued, .. }
            | Step::Fail { queued, .. }
            | Step::Postpone { queued, .. } => self.in_process += is_new(queued),
            _ => {}
        }
    }

    /// A URL is in process no more, without an outcome.
    pub fn leave(&mut self, queued: &QueuedUrl) {
        self.in_process -= is_new(queued);
    }

    /// A URL that was never fetched before has its outcome.
    pub fn decide(&mut self, is_page: bool) {
        self.in_process -= 1;
        self.decided += u64::from(is_page);
    }

    /// A revisit has its outcome. It may come again.
    pub fn visited(&mut self, comes_again: bool) {
        self.visits_left = self.visits_left.saturating_sub(u64::from(!comes_again));
    }

    /// Further revisits are to be made.
    pub fn add_visits(&mut self, visits: u64) {
        self.visits_left += visits;
    }

    /// So many revisits are to be made in all.
    pub fn set_visits(&mut self, visits: u64) {
        self.visits_left = visits;
    }

    /// Whether no page and no revisit is to be begun.
    pub fn are_done(&self) -> bool {
        !self.takes_new && self.visits_left == 0
    }
}

/// 1 for a URL that was never fetched before.
fn is_new(queued: &QueuedUrl) -> u64 {
    u64::from(queued.revisits.is_none())
}
