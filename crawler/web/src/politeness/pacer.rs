//! Requests open at a time, and the time between two.
//!
//! [`governor`] keeps the time. One request at a time: the cell is taken when the response ends, so that a slow server
//! gets the whole delay as rest. Several at a time: it is taken when a request starts, so that starts are spaced.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, FakeRelativeClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

use super::{CrawlClock, Now};

type Limiter =
    RateLimiter<NotKeyed, InMemoryState, FakeRelativeClock, NoOpMiddleware<<FakeRelativeClock as Clock>::Instant>>;

/// See the module's text. The delay is an argument, since it may be another each time.
#[derive(Debug)]
pub(super) struct Pacer {
    clock: FakeRelativeClock,
    /// `None` for no delay.
    limiter: Option<Limiter>,
    /// What `limiter` was made for.
    delay: Duration,
    parallel: usize,
    open: usize,
    /// The delay is over at this time.
    ready_at: Now,
    /// The last time that somebody was asked or had answered.
    asked_at: Option<Now>,
}

impl Pacer {
    pub fn new(clock: &CrawlClock, parallel: usize) -> Self {
        Self {
            clock: clock.clock.clone(),
            limiter: None,
            delay: Duration::ZERO,
            parallel,
            open: 0,
            ready_at: Now::ZERO,
            asked_at: None,
        }
    }

    /// When the next request may start; `None` while as many are open as may be.
    pub fn ready_at(&self) -> Option<Now> {
        (self.open < self.parallel).then_some(self.ready_at)
    }

    pub fn open(&self) -> usize {
        self.open
    }

    pub fn parallel(&self) -> usize {
        self.parallel
    }

    pub fn asked_at(&self) -> Option<Now> {
        self.asked_at
    }

    /// A request starts.
    pub fn start(&mut self, now: Now, delay: Duration) {
        self.open += 1;
        self.asked_at = Some(now);
        if self.parallel > 1 {
            self.take_cell(now, delay);
        }
    }

    /// A request has ended.
    pub fn finish(&mut self, now: Now, delay: Duration) {
        self.open = self.open.saturating_sub(1);
        self.asked_at = Some(now);
        if self.parallel == 1 {
            self.take_cell(now, delay);
        }
    }

    /// So many open requests turn out to be at this place.
    pub fn join(&mut self, open: usize) {
        self.open += open;
    }

    /// So many open requests turn out to be elsewhere.
    pub fn leave(&mut self, open: usize) {
        self.open = self.open.saturating_sub(open);
    }

    /// Nothing starts before `until`.
    pub fn hold(&mut self, until: Now) {
        self.ready_at = self.ready_at.max(until);
    }

    /// Takes a cell now and notes when the next one is due.
    pub fn take_cell(&mut self, now: Now, delay: Duration) {
        // A cell is refused where requests end that turned out to be here while they were open: their delay counts too.
        if delay != self.delay || !self.takes_cell() {
            let quota = Quota::with_period(delay).map(|quota| quota.allow_burst(NonZeroU32::MIN));
            self.limiter = quota.map(|quota| RateLimiter::direct_with_clock(quota, self.clock.clone()));
            self.delay = delay;
            self.takes_cell();
        }
        // A refused check takes none.
        if let Some(Err(not_until)) = self.limiter.as_ref().map(Limiter::check) {
            self.hold(now + not_until.wait_time_from(self.clock.now()));
        }
    }

    fn takes_cell(&self) -> bool {
        self.limiter.as_ref().is_none_or(|limiter| limiter.check().is_ok())
    }
}
