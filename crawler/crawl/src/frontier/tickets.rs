//! The tickets: each job in the pipeline holds one, from the step that starts it to the event that ends it.

use crate::messages::Step;

/// The tickets and the open requests of a crawl.
#[derive(Debug)]
pub(super) struct Tickets {
    /// Bound on the tickets.
    window: usize,
    /// Bound on the open requests.
    parallel: usize,
    out: usize,
    requests: usize,
}

impl Tickets {
    pub fn new(window: usize, parallel: usize) -> Self {
        Self {
            window,
            parallel,
            out: 0,
            requests: 0,
        }
    }

    /// Gives the step a ticket, if it needs one.
    pub fn issue(&mut self, step: &Step) {
        match step {
            Step::Start(..) => self.requests += 1,
            Step::Exclude { .. } | Step::Fail { .. } | Step::Postpone { .. } | Step::Refill(_) | Step::Recall(_) => {}
            Step::ReadSeeds
            | Step::LoadHosts(_)
            | Step::LookUp(_)
            | Step::Freed(_)
            | Step::Wait(_)
            | Step::Finished(_) => return,
        }
        self.out += 1;
    }

    /// A page that had given its ticket back has one again.
    pub fn reissue(&mut self) {
        self.out += 1;
    }

    /// A job has ended.
    pub fn end(&mut self) {
        self.out -= 1;
    }

    /// A request has ended. Its ticket may last longer.
    pub fn end_request(&mut self) {
        self.requests -= 1;
    }

    /// Whether a job holds a ticket.
    pub fn are_out(&self) -> bool {
        self.out > 0
    }

    /// How many jobs hold a ticket.
    pub fn out(&self) -> usize {
        self.out
    }

    /// Whether no further job may start.
    pub fn are_used_up(&self) -> bool {
        self.out >= self.window || self.requests >= self.parallel
    }
}
