//! One host's gate.

use std::time::Duration;

use fastrand::Rng;

use super::backoff::Backoff;
use super::pace::Pace;
use super::pacer::Pacer;
use super::settings::Politeness;
use super::{CrawlClock, HostSignal, Now};

/// Failures in a row after which a host is retired for this run.
const MAX_FAILURES: u32 = 5;

/// See the module's text.
#[derive(Debug)]
pub struct Gate {
    pacer: Pacer,
    pace: Pace,
    backoff: Backoff,
    /// As configured.
    delay: Duration,
    /// As its robots.txt asks for, cut to the configured bound.
    crawl_delay: Duration,
    /// A failure or a `Retry-After` silences the host until then.
    rests_until: Now,
    failures: u32,
    /// For good: an answer to a request that was open meanwhile does not bring the host back.
    retired: bool,
}

/// What a gate goes on with in another run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GateMemory {
    /// When the host was last asked, or had last answered; `None` for not in this run.
    pub asked_at: Option<Now>,
    /// It rests until then.
    pub rests_until: Now,
    /// Failures in a row.
    pub failures: u32,
    /// As its robots.txt asks for.
    pub crawl_delay: Duration,
    /// Moving average of its latency.
    pub latency: Option<Duration>,
    /// What 429 and 503 have made of the delay.
    pub slowed: Duration,
}

impl Gate {
    /// The gate of a host that was never asked.
    #[must_use]
    pub fn new(clock: &CrawlClock, rules: &Politeness) -> Self {
        Self {
            pacer: Pacer::new(clock, rules.parallel_per_host),
            pace: Pace::new(rules),
            backoff: Backoff {
                first: rules.retry_delay,
                most: rules.max_wait,
            },
            delay: rules.delay,
            crawl_delay: Duration::ZERO,
            rests_until: Now::ZERO,
            failures: 0,
            retired: false,
        }
    }

    /// The time between two requests just now.
    #[must_use]
    pub fn delay(&self) -> Duration {
        self.pace.delay(self.base(), self.pacer.parallel())
    }

    fn base(&self) -> Duration {
        self.delay.max(self.crawl_delay)
    }

    /// Sets the delay that robots.txt asks for; a longer one than before counts from `now`.
    pub fn set_crawl_delay(&mut self, crawl_delay: Duration, now: Now) {
        let before = self.delay();
        self.crawl_delay = crawl_delay;
        if self.delay() > before {
            self.pacer.take_cell(now, self.delay());
        }
    }

    /// When the next request may start; `None` while as many are open as may be.
    #[must_use]
    pub fn ready_at(&self) -> Option<Now> {
        Some(self.pacer.ready_at()?.max(self.rests_until))
    }

    /// Requests that are open.
    #[must_use]
    pub fn open(&self) -> usize {
        self.pacer.open()
    }

    /// A request starts.
    pub fn start(&mut self, now: Now) {
        self.pacer.start(now, self.delay());
    }

    /// A request has ended; its answer took `latency`.
    pub fn finish(&mut self, now: Now, signal: HostSignal, latency: Option<Duration>, random: &mut Rng) {
        // No request starts while the host rests: what comes in then was under way before, and says nothing new.
        let is_late = now < self.rests_until;
        match signal {
            HostSignal::Answered => {
                self.failures = if is_late { self.failures } else { 0 };
                self.pace.answered(latency);
            }
            HostSignal::Busy { retry_after } => {
                self.pace.busy(self.delay(), now);
                self.fail(now, retry_after, is_late, random);
            }
            HostSignal::Unreachable => self.fail(now, None, is_late, random),
        }
        self.pacer.finish(now, self.delay());
    }

    fn fail(&mut self, now: Now, asked: Option<Duration>, is_late: bool, random: &mut Rng) {
        let before = self.failures.saturating_sub(u32::from(is_late));
        let rest = self.backoff.rest(before, asked, random);
        self.rests_until = self.rests_until.max(now + rest);
        self.failures = before.saturating_add(1);
        self.retired |= self.failures >= MAX_FAILURES;
    }

    /// Whether the host failed so often in a row that this run leaves it alone.
    #[must_use]
    pub fn is_retired(&self) -> bool {
        self.retired
    }

    /// The end of its rest, if it has asked for a longer one than a run waits for.
    #[must_use]
    pub fn snoozes_until(&self, now: Now) -> Option<Now> {
        (self.rests_until > now + self.backoff.most).then_some(self.rests_until)
    }

    /// When its rest ends, whether that is past or not.
    #[must_use]
    pub fn rests_until(&self) -> Now {
        self.rests_until
    }

    /// What to go on with in another run.
    #[must_use]
    pub fn memory(&self) -> GateMemory {
        let (latency, slowed) = self.pace.memory();
        GateMemory {
            asked_at: self.pacer.asked_at(),
            rests_until: self.rests_until,
            failures: self.failures,
            crawl_delay: self.crawl_delay,
            latency,
            slowed,
        }
    }

    /// Goes on with what an earlier run knew, `asked_at` apart: see [`Gate::was_asked`].
    ///
    /// A host that was retired gets one try: another failure retires it again.
    pub fn remember(&mut self, memory: &GateMemory) {
        self.pace.remember(memory.latency, memory.slowed);
        self.crawl_delay = memory.crawl_delay;
        self.rests_until = memory.rests_until.min(MAX_REST_AHEAD);
        self.failures = memory.failures.min(MAX_FAILURES - 1);
    }

    /// The host was last asked `ago` before this run began.
    pub fn was_asked(&mut self, ago: Duration) {
        self.pacer.hold(self.delay().saturating_sub(ago));
    }
}

/// A rest that lies further ahead than any can be comes of a clock that was wrong.
const MAX_REST_AHEAD: Now = super::MAX_REST;

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    fn at(ms: u64) -> Now {
        Duration::from_millis(ms)
    }

    struct Tested {
        clock: CrawlClock,
        gate: Gate,
        random: Rng,
    }

    /// A gate at its defaults, but for these.
    fn gate(change: impl FnOnce(&mut Politeness)) -> Tested {
        let mut politeness = Politeness::default();
        change(&mut politeness);
        let clock = CrawlClock::default();
        Tested {
            gate: Gate::new(&clock, &politeness),
            clock,
            random: Rng::with_seed(7),
        }
    }

    impl Tested {
        fn start(&mut self, now: Now) {
            self.clock.set(now);
            self.gate.start(now);
        }

        fn finish(&mut self, now: Now, signal: HostSignal) {
            self.clock.set(now);
            self.gate.finish(now, signal, None, &mut self.random);
        }

        fn rest(&mut self, now: Now, signal: HostSignal) -> Duration {
            self.start(now);
            self.finish(now, signal);
            self.gate.ready_at().unwrap() - now
        }
    }

    #[test]
    fn the_delay_runs_from_the_end_of_a_response() {
        let mut host = gate(|_| {});
        for round in 0..5 {
            let start = at(round * 3_000);
            assert!(host.gate.ready_at().unwrap() <= start);
            host.start(start);
            assert_eq!(host.gate.ready_at(), None);
            host.finish(start + at(700), HostSignal::Answered);
            assert_eq!(host.gate.ready_at(), Some(start + at(1_700)));
        }
    }

    #[test]
    fn several_at_a_time_start_a_delay_apart() {
        let mut host = gate(|c| c.parallel_per_host = 2);
        host.start(at(0));
        assert_eq!(host.gate.ready_at(), Some(at(1_000)));
        host.start(at(1_000));
        assert_eq!(host.gate.ready_at(), None);
        host.finish(at(1_100), HostSignal::Answered);
        assert_eq!(host.gate.ready_at(), Some(at(2_000)));
    }

    #[test]
    fn failures_in_a_row_double_the_rest_and_retire_the_host() {
        let mut host = gate(|_| {});
        let mut now = at(0);
        for seconds in [5, 10, 20, 40] {
            let rest = host.rest(now, HostSignal::Unreachable);
            assert!(rest >= seconds * SECOND && rest <= seconds * SECOND * 3 / 2, "{rest:?}");
            assert!(!host.gate.is_retired());
            now += rest;
        }
        host.rest(now, HostSignal::Unreachable);
        assert!(host.gate.is_retired());
        host.finish(now, HostSignal::Answered);
        assert!(host.gate.is_retired(), "for this run");
    }

    #[test]
    fn an_answer_ends_the_row_of_failures() {
        let mut host = gate(|_| {});
        let rest = host.rest(at(0), HostSignal::Unreachable);
        host.start(rest);
        host.finish(rest, HostSignal::Answered);
        assert_eq!((host.gate.failures, host.gate.ready_at()), (0, Some(rest + SECOND)));
    }

    #[test]
    fn retry_after_silences_the_host_and_a_long_one_snoozes_it() {
        let wish = |seconds| HostSignal::Busy {
            retry_after: Some(Duration::from_secs(seconds)),
        };
        let mut host = gate(|_| {});
        assert_eq!(host.rest(at(0), wish(120)), 120 * SECOND);
        assert_eq!(host.gate.snoozes_until(at(0)), None);
        host.rest(at(0), wish(3_600));
        assert_eq!(host.gate.snoozes_until(at(0)), Some(3_600 * SECOND));
        assert_eq!(host.gate.snoozes_until(3_000 * SECOND), None, "near enough to wait for");
        assert_eq!(gate(|_| {}).rest(at(0), wish(u64::MAX)), super::super::MAX_REST);
    }

    #[test]
    fn what_was_under_way_when_the_host_failed_is_no_further_failure_in_a_row() {
        let mut host = gate(|c| {
            c.parallel_per_host = 8;
            c.delay = Duration::ZERO;
            c.latency_factor = 0.0;
        });
        (0..8).for_each(|_| host.start(at(0)));
        (0..7).for_each(|_| host.finish(at(10), HostSignal::Busy { retry_after: None }));
        host.finish(at(20), HostSignal::Answered);
        assert_eq!((host.gate.failures, host.gate.is_retired()), (1, false));
        assert!(host.gate.ready_at().unwrap() <= at(10) + 5 * SECOND * 3 / 2);
        assert!(host.gate.delay() <= SECOND, "one slow-down: {:?}", host.gate.delay());
    }

    #[test]
    fn a_crawl_delay_counts_from_the_robots_txt_that_asked_for_it() {
        let mut host = gate(|_| {});
        host.start(at(0));
        host.finish(at(100), HostSignal::Answered);
        host.gate.set_crawl_delay(4 * SECOND, at(100));
        assert_eq!(host.gate.ready_at(), Some(at(4_100)));
        host.gate.set_crawl_delay(2 * SECOND, at(100));
        assert_eq!((host.gate.ready_at(), host.gate.delay()), (Some(at(4_100)), 2 * SECOND));
    }

    #[test]
    fn no_delay_is_no_wait_however_slow_the_server() {
        let mut host = gate(|c| {
            c.delay = Duration::ZERO;
            c.latency_factor = 0.0;
        });
        host.start(at(0));
        host.gate
            .finish(at(5_000), HostSignal::Answered, Some(at(5_000)), &mut host.random);
        assert_eq!(host.gate.ready_at(), Some(at(0)));
    }

    #[test]
    fn a_gate_that_remembers_goes_on_where_it_was() {
        let mut before = gate(|_| {});
        before.gate.set_crawl_delay(3 * SECOND, at(0));
        before.start(at(0));
        before
            .gate
            .finish(at(9_000), HostSignal::Answered, Some(at(9_000)), &mut before.random);
        before.rest(at(50_000), HostSignal::Busy { retry_after: None });
        let memory = before.gate.memory();
        let mut after = gate(|_| {});
        after.gate.remember(&memory);
        assert_eq!(after.gate.delay(), before.gate.delay());
        assert_eq!(
            after.gate.memory(),
            GateMemory {
                asked_at: None,
                ..memory
            }
        );
        after.gate.was_asked(at(400));
        assert_eq!(after.gate.ready_at(), Some(memory.rests_until));
        let mut rested = gate(|_| {});
        rested.gate.was_asked(at(400));
        assert_eq!(rested.gate.ready_at(), Some(at(600)));
    }

    #[test]
    fn a_host_retired_in_an_earlier_run_gets_one_try() {
        let mut host = gate(|_| {});
        let memory = GateMemory {
            failures: 40,
            ..GateMemory::default()
        };
        host.gate.remember(&memory);
        assert!(!host.gate.is_retired());
        host.rest(at(0), HostSignal::Unreachable);
        assert!(host.gate.is_retired());
    }
}
