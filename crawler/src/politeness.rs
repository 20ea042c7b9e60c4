//! How often one host may be asked: the gate that every request passes, be it for a page, robots.txt, a sitemap,
//! the next hop of a redirect or another try.
//!
//! [`governor`] keeps the time (GCRA, a cell a `delay`). One request at a time, the cell is taken when the response
//! ends, so that a slow server gets the whole delay as rest; with several at a time it is taken when a request
//! starts, so that starts are spaced. Time is an argument everywhere: no test of politeness sleeps.

use std::num::NonZeroU32;
use std::time::Duration;

use governor::clock::{Clock, FakeRelativeClock};
use governor::middleware::NoOpMiddleware;
use governor::state::{InMemoryState, NotKeyed};
use governor::{Quota, RateLimiter};

/// Time since the crawl began.
pub type Now = Duration;

/// Longest rest that a failure or a `Retry-After` can cause.
const MAX_REST: Duration = Duration::from_secs(600);

/// Failures in a row after which a host is retired for this run.
const MAX_FAILURES: u32 = 5;

/// What a finished request says of its host.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HostSignal {
    /// It answered.
    Answered,
    /// It asked for rest (429, 503), with its `Retry-After` where it gave one.
    Busy {
        /// From the response's arrival.
        retry_after: Option<Duration>,
    },
    /// No connection, or none that lasted.
    Unreachable,
}

/// The clock of all gates of a crawl: it shows what [`CrawlClock::set`] last said.
///
/// governor's own clock for tests is just that, a clock moved by hand.
#[derive(Debug, Clone, Default)]
pub struct CrawlClock {
    clock: FakeRelativeClock,
    shown: Now,
}

impl CrawlClock {
    /// Moves the clock forward to `now`; it never goes back.
    pub fn set(&mut self, now: Now) {
        let step = now.saturating_sub(self.shown);
        self.clock.advance(step);
        self.shown += step;
    }
}

type Limiter =
    RateLimiter<NotKeyed, InMemoryState, FakeRelativeClock, NoOpMiddleware<<FakeRelativeClock as Clock>::Instant>>;

/// One host's gate.
#[derive(Debug)]
pub struct Gate {
    clock: FakeRelativeClock,
    /// `None` for no delay.
    limiter: Option<Limiter>,
    delay: Duration,
    parallel: usize,
    open: usize,
    /// The delay and any rest are over at this time.
    ready_at: Now,
    failures: u32,
    /// For good: an answer to a request that was open meanwhile does not bring the host back.
    retired: bool,
    retry_delay: Duration,
}

impl Gate {
    /// A gate that lets `parallel` requests through at a time, `delay` apart, and rests `retry_delay` after a failure.
    #[must_use]
    pub fn new(clock: &CrawlClock, delay: Duration, parallel: usize, retry_delay: Duration) -> Self {
        Self {
            clock: clock.clock.clone(),
            limiter: limiter(&clock.clock, delay),
            delay,
            parallel,
            open: 0,
            ready_at: Now::ZERO,
            failures: 0,
            retired: false,
            retry_delay,
        }
    }

    /// Makes the delay at least `delay` (a robots.txt crawl delay), counted from `now`.
    pub fn slow_down_to(&mut self, delay: Duration, now: Now) {
        if delay > self.delay {
            self.delay = delay;
            self.limiter = limiter(&self.clock, delay);
            self.take_cell(now);
        }
    }

    /// When the next request may start; `None` while as many are open as may be.
    #[must_use]
    pub fn ready_at(&self) -> Option<Now> {
        (self.open < self.parallel).then_some(self.ready_at)
    }

    /// A request starts.
    pub fn start(&mut self, now: Now) {
        self.open += 1;
        if self.parallel > 1 {
            self.take_cell(now);
        }
    }

    /// A request has ended.
    pub fn finish(&mut self, now: Now, signal: HostSignal) {
        self.open = self.open.saturating_sub(1);
        if self.parallel == 1 {
            self.take_cell(now);
        }
        let asked = match signal {
            HostSignal::Answered => {
                self.failures = 0;
                return;
            }
            HostSignal::Busy { retry_after } => retry_after.unwrap_or_default(),
            HostSignal::Unreachable => Duration::ZERO,
        };
        let doubled = self.retry_delay.saturating_mul(1 << self.failures.min(16));
        self.failures += 1;
        self.retired |= self.failures >= MAX_FAILURES;
        self.ready_at = self.ready_at.max(now + asked.max(doubled).min(MAX_REST));
    }

    /// Whether the host failed so often in a row that this run leaves it alone.
    #[must_use]
    pub fn is_retired(&self) -> bool {
        self.retired
    }

    /// Takes a cell now and notes when the next one is due (a refused check takes none).
    fn take_cell(&mut self, now: Now) {
        let Some(limiter) = &self.limiter else { return };
        let mut checks = [limiter.check(), limiter.check()].into_iter();
        if let Some(not_until) = checks.find_map(Result::err) {
            self.ready_at = self.ready_at.max(now + not_until.wait_time_from(self.clock.now()));
        }
    }
}

fn limiter(clock: &FakeRelativeClock, delay: Duration) -> Option<Limiter> {
    let quota = Quota::with_period(delay)?.allow_burst(NonZeroU32::MIN);
    Some(RateLimiter::direct_with_clock(quota, clock.clone()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(ms: u64) -> Now {
        Duration::from_millis(ms)
    }

    fn gate(parallel: usize) -> (CrawlClock, Gate) {
        let clock = CrawlClock::default();
        let gate = Gate::new(&clock, SECOND, parallel, 5 * SECOND);
        (clock, gate)
    }

    #[test]
    fn the_delay_runs_from_the_end_of_a_response() {
        let (mut clock, mut gate) = gate(1);
        for round in 0..5 {
            let start = at(round * 3_000);
            clock.set(start);
            assert!(gate.ready_at().unwrap() <= start);
            gate.start(start);
            assert_eq!(gate.ready_at(), None);
            clock.set(start + at(700));
            gate.finish(start + at(700), HostSignal::Answered);
            assert_eq!(gate.ready_at(), Some(start + at(1_700)));
        }
    }

    #[test]
    fn several_at_a_time_start_a_delay_apart() {
        let (mut clock, mut gate) = gate(2);
        gate.start(at(0));
        assert_eq!(gate.ready_at(), Some(at(1_000)));
        clock.set(at(1_000));
        gate.start(at(1_000));
        assert_eq!(gate.ready_at(), None);
        clock.set(at(1_100));
        gate.finish(at(1_100), HostSignal::Answered);
        assert_eq!(gate.ready_at(), Some(at(2_000)));
    }

    #[test]
    fn failures_in_a_row_double_the_rest_and_retire_the_host() {
        let (mut clock, mut gate) = gate(1);
        let mut now = at(0);
        for rest in [5, 10, 20, 40] {
            gate.start(now);
            gate.finish(now, HostSignal::Unreachable);
            assert_eq!(gate.ready_at(), Some(now + rest * SECOND));
            assert!(!gate.is_retired());
            now += rest * SECOND;
            clock.set(now);
        }
        gate.start(now);
        gate.finish(now, HostSignal::Unreachable);
        assert!(gate.is_retired());
    }

    #[test]
    fn an_answer_ends_the_row_of_failures() {
        let (mut clock, mut gate) = gate(1);
        gate.start(at(0));
        gate.finish(at(0), HostSignal::Unreachable);
        clock.set(at(5_000));
        gate.start(at(5_000));
        gate.finish(at(5_000), HostSignal::Answered);
        assert_eq!((gate.failures, gate.ready_at()), (0, Some(at(6_000))));
    }

    #[test]
    fn retry_after_snoozes_the_host_but_not_for_ever() {
        let (_, mut gate) = gate(1);
        let wish = |seconds| HostSignal::Busy {
            retry_after: Some(Duration::from_secs(seconds)),
        };
        gate.start(at(0));
        gate.finish(at(0), wish(120));
        assert_eq!(gate.ready_at(), Some(120 * SECOND));
        gate.start(at(0));
        gate.finish(at(0), wish(1_000_000));
        assert_eq!(gate.ready_at(), Some(MAX_REST));
    }

    #[test]
    fn a_crawl_delay_counts_from_the_robots_txt_that_asked_for_it() {
        let (mut clock, mut gate) = gate(1);
        gate.start(at(0));
        clock.set(at(100));
        gate.finish(at(100), HostSignal::Answered);
        gate.slow_down_to(4 * SECOND, at(100));
        assert_eq!(gate.ready_at(), Some(at(4_100)));
        gate.slow_down_to(2 * SECOND, at(100));
        assert_eq!(gate.ready_at(), Some(at(4_100)));
    }

    #[test]
    fn no_delay_is_no_wait() {
        let clock = CrawlClock::default();
        let mut gate = Gate::new(&clock, Duration::ZERO, 1, SECOND);
        gate.start(at(0));
        gate.finish(at(0), HostSignal::Answered);
        assert_eq!(gate.ready_at(), Some(at(0)));
    }
}
