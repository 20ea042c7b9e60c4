//! The number of open requests, and the time between two.
//!
//! [`governor`] keeps the time. With one request at a time, the pacer takes a cell when the response ends, so that a slow server
//! rests for the whole delay. With several at a time, it takes a cell when a request starts, which spaces the starts.
//!
//! A limiter of governor has one quota for its whole life, and the delay of a server changes: with its latency, with 429 and 503, and with
//! the crawl delay of its robots.txt. So a change of the delay makes a new limiter for this server. It forgets nothing that counts: its first
//! cell is taken at once, so the new delay runs from now, and [`hold`](Pacer::hold) keeps the end of the old delay if that is later.

use std::num::{NonZeroI64, NonZeroU32};
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
    /// Of the requests that were made elsewhere, the last one.
    elsewhere: Option<Elsewhere>,
}

/// When a request was made elsewhere, which begins the delay all the same: nanoseconds since this run began, negative before. A crawl has
/// millions of hosts, so it takes 8 bytes. A request at the very beginning counts as a nanosecond later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Elsewhere(NonZeroI64);

impl Elsewhere {
    fn before(ago: Duration) -> Option<Self> {
        Self::of(nanos(ago).saturating_neg())
    }

    fn at(now: Now) -> Option<Self> {
        Self::of(nanos(now))
    }

    fn of(nanos: i64) -> Option<Self> {
        NonZeroI64::new(nanos).or(NonZeroI64::new(1)).map(Self)
    }

    /// The end of a delay since then; the start of this run if it was earlier.
    fn end_of(self, delay: Duration) -> Now {
        let distance = Duration::from_nanos(self.0.get().unsigned_abs());
        if self.0.get() < 0 {
            delay.saturating_sub(distance)
        } else {
            distance + delay
        }
    }
}

fn nanos(time: Duration) -> i64 {
    i64::try_from(time.as_nanos()).unwrap_or(i64::MAX)
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
            elsewhere: None,
        }
    }

    /// An earlier run has made the last request, so long before this one began.
    pub fn was_asked(&mut self, ago: Duration, delay: Duration) {
        self.elsewhere = self.elsewhere.max(Elsewhere::before(ago));
        self.hold(delay.saturating_sub(ago));
    }

    /// Another process has made the last request, at this time of the run.
    pub fn was_asked_at(&mut self, at: Now, delay: Duration) {
        self.elsewhere = self.elsewhere.max(Elsewhere::at(at));
        self.hold(at + delay);
    }

    /// The end of a delay since the last request or response; `None` if there was none.
    fn end_of(&self, delay: Duration) -> Option<Now> {
        let here = self.asked_at.map(|at| at + delay);
        here.max(self.elsewhere.map(|request| request.end_of(delay)))
    }

    /// The time at which the next request may start; `None` while as many requests are open as permitted.
    pub fn ready_at(&self) -> Option<Now> {
        (self.open < self.parallel).then_some(self.ready_at)
    }

    pub fn open(&self) -> usize {
        self.open
    }

    pub fn parallel(&self) -> usize {
        self.parallel
    }

    /// Another bound on the open requests. `delay` is the current one.
    pub fn set_parallel(&mut self, parallel: usize, now: Now, delay: Duration) {
        let had_one = self.parallel == 1;
        self.parallel = parallel;
        // One request at a time takes its cell at its end, and several take theirs at their starts.
        if had_one && parallel > 1 && self.open > 0 {
            self.take_cell(now, delay);
        }
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
    fn hold(&mut self, until: Now) {
        self.ready_at = self.ready_at.max(until);
    }

    /// The delay since the last request or response is only so long.
    fn shorten(&mut self, delay: Duration) {
        if let Some(end) = self.end_of(delay) {
            self.ready_at = self.ready_at.min(end);
        }
    }

    /// The delay changes from `before` to `after`. A longer one counts from `now`, and a shorter one from the last request or response. A
    /// server that was not asked so far waits for neither.
    pub fn change_delay(&mut self, before: Duration, after: Duration, now: Now) {
        if after > before && self.end_of(after).is_some() {
            self.take_cell(now, after);
        } else if after < before {
            self.shorten(after);
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
