//! The number of open requests, and the time between two.
//!
//! [`governor`] keeps the time. With one request at a time, the pacer takes a cell when the response ends, so that a slow server
//! rests for the whole delay. With several at a time, it takes a cell when a request starts, which spaces the starts.
//!
//! A limiter of governor has one quota for its whole life, and the delay of a server changes: with its latency, with 429 and 503, and with
//! the crawl delay of its robots.txt. So a change of the delay makes a new limiter for this server. It forgets nothing that counts: its first
//! cell is taken at once, so the new delay runs from now, and [`hold`](Pacer::hold) keeps the end of the old delay if that is later.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::Clock;
use governor::middleware::NoOpMiddleware;
use governor::nanos::Nanos;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

use super::{CrawlClock, Now};

type Limiter = RateLimiter<NotKeyed, InMemoryState, CrawlClock, NoOpMiddleware<Nanos>>;

/// Spaces the requests to one server. The delay is an argument, because it may change each time.
#[derive(Debug)]
pub(super) struct Pacer {
    clock: CrawlClock,
    /// `None` without a delay.
    limiter: Option<Limiter>,
    /// The delay of `limiter`.
    delay: Duration,
    parallel: usize,
    open: usize,
    /// The end of the delay.
    ready_at: Now,
    /// The time of the last request or response.
    asked_at: Option<Now>,
}

impl Pacer {
    pub fn new(clock: &CrawlClock, parallel: usize) -> Self {
        Self {
            clock: clock.clone(),
            limiter: None,
            delay: Duration::ZERO,
            parallel,
            open: 0,
            ready_at: Now::ZERO,
            asked_at: None,
        }
    }

    /// The time at which the next request may start; `None` while as many requests are open as permitted.
    pub fn ready_at(&self) -> Option<Now> {
        (self.open < self.parallel).then_some(self.ready_at)
    }

    pub fn open(&self) -> usize {
        self.open
    }

    /// From now on, so many requests may be open at a time.
    pub fn limit(&mut self, parallel: usize) {
        self.parallel = parallel;
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

    /// This many open requests turn out to be at this server.
    pub fn join(&mut self, open: usize) {
        self.open += open;
    }

    /// This many open requests turn out to be at another server.
    pub fn leave(&mut self, open: usize) {
        self.open = self.open.saturating_sub(open);
    }

    /// No request starts before `until`.
    pub fn hold(&mut self, until: Now) {
        self.ready_at = self.ready_at.max(until);
    }

    /// The delay since the last request or response is only so long. A hold without such a request stays.
    pub fn shorten(&mut self, delay: Duration) {
        if let Some(asked_at) = self.asked_at {
            self.ready_at = self.ready_at.min(asked_at + delay);
        }
    }

    /// Takes a cell now and notes the time of the next one.
    pub fn take_cell(&mut self, now: Now, delay: Duration) {
        // The limiter refuses a cell to a request that joined while it was open. Its delay counts too.
        if delay != self.delay || !self.takes_cell() {
            let quota = Quota::with_period(delay).map(|quota| quota.allow_burst(NonZeroU32::MIN));
            self.limiter = quota.map(|quota| RateLimiter::direct_with_clock(quota, self.clock.clone()));
            self.delay = delay;
            self.takes_cell();
        }
        // A refused check takes no cell.
        if let Some(Err(not_until)) = self.limiter.as_ref().map(Limiter::check) {
            self.hold(now + not_until.wait_time_from(Clock::now(&self.clock)));
        }
    }

    fn takes_cell(&self) -> bool {
        self.limiter.as_ref().is_none_or(|limiter| limiter.check().is_ok())
    }
}
