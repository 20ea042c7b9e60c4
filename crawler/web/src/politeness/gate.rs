//! The gate of one host.

use std::time::Duration;

use fastrand::Rng;

use super::backoff::Backoff;
use super::delay::Delays;
use super::pace::Pace;
use super::pacer::Pacer;
use super::settings::Politeness;
use super::{CrawlClock, HostSignal, MAX_REST, Now};

/// Consecutive failures after which the crawler gives a host up for this run.
const MAX_FAILURES: u32 = 5;

/// The same for a host that has never answered and has no server: most often, its name is misspelt. The two rests between take at most
/// 4.5 seconds.
const MAX_ABSENCES: u8 = 3;

/// Upper bound on the first rest of such a host. Its tries cost no server anything.
const FIRST_REST_OF_ABSENT: Duration = Duration::from_secs(1);

/// The gate of one host: it spaces requests, and silences the host after failures.
#[derive(Debug)]
pub struct Gate {
    pacer: Pacer,
    pace: Pace,
    backoff: Backoff,
    /// The configured delay.
    delay: Duration,
    /// The crawl delay of its robots.txt, cut to the configured bound.
    crawl_delay: Duration,
    /// The end of the rest after a failure or a `Retry-After`.
    rests_until: Now,
    failures: u32,
    /// How many of the last failures in a row said that no server is there.
    absences: u8,
    /// Whether the last answer was a fault.
    was_fault: bool,
    /// The number of attempts before whose next one the host has rested. It rests once for each number, and not for each URL: the URLs of a
    /// broken section must not hold up the others.
    rested_for: u8,
    /// How many of the last answers in a row asked for a rest without a refusal of the host.
    waits: u8,
    /// Attempts at a URL after the first.
    max_retries: u8,
    /// Whether it has answered, in this run or an earlier one.
    has_answered: bool,
    /// Final for this run: a response to a request that was still open does not bring the host back.
    is_given_up: bool,
}

/// The state of a gate that the next run continues with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct GateMemory {
    /// The time of the last request or response; `None` if there was none in this run.
    pub asked_at: Option<Now>,
    /// The end of its rest.
    pub rests_until: Now,
    /// Consecutive failures.
    pub failures: u32,
    /// The crawl delay of its robots.txt.
    pub crawl_delay: Duration,
    /// Moving average of its latency.
    pub latency: Option<Duration>,
    /// The delay that responses 429 and 503 have caused.
    pub slowed: Duration,
}

impl Gate {
    /// The gate of a host without any request so far.
    #[must_use]
    pub fn new(clock: &CrawlClock, rules: &Politeness) -> Self {
        Self {
            pacer: Pacer::new(clock, rules.parallel_per_host),
            pace: Pace::new(rules),
            backoff: Backoff::of(rules),
            delay: rules.delay,
            crawl_delay: Duration::ZERO,
            rests_until: Now::ZERO,
            failures: 0,
            absences: 0,
            was_fault: false,
            rested_for: 0,
            waits: 0,
            max_retries: rules.max_retries,
            has_answered: false,
            is_given_up: false,
        }
    }

    /// The current time between two requests.
    #[must_use]
    pub fn delay(&self) -> Duration {
        self.delays().longest()
    }

    /// The delays that the rules ask for.
    #[must_use]
    pub fn delays(&self) -> Delays {
        Delays {
            set: self.delay,
            crawl_delay: self.crawl_delay,
            ..self.pace.delays(self.pacer.parallel())
        }
    }

    /// Sets the delay that the user asks for. The crawl delay of robots.txt still counts if it is longer. A longer delay than before counts
    /// from `now`, and a shorter one from the last request or response. A host that was not asked so far waits for neither.
    pub fn set_delay(&mut self, delay: Duration, now: Now) {
        let before = self.delay();
        self.delay = delay;
        self.pacer.change_delay(before, self.delay(), now);
    }

    /// Takes over other delays and bounds; for the delay as in [`set_delay`](Self::set_delay). What is known of the host stays.
    pub fn adopt(&mut self, rules: &Politeness, now: Now) {
        let before = self.delay();
        self.backoff = Backoff::of(rules);
        self.pace.adopt(rules);
        self.delay = rules.delay;
        self.max_retries = rules.max_retries;
        self.pacer.set_parallel(rules.parallel_per_host, now, before);
        self.pacer.change_delay(before, self.delay(), now);
    }

    /// Sets the crawl delay of robots.txt. A longer delay than before counts from `now`.
    pub fn set_crawl_delay(&mut self, crawl_delay: Duration, now: Now) {
        let before = self.delay();
        self.crawl_delay = crawl_delay;
        if self.delay() > before {
            self.pacer.take_cell(now, self.delay());
        }
    }

    /// The time at which the next request may start; `None` while as many requests are open as permitted.
    #[must_use]
    pub fn ready_at(&self) -> Option<Now> {
        Some(self.pacer.ready_at()?.max(self.rests_until))
    }

    /// The number of open requests.
    #[must_use]
    pub fn open(&self) -> usize {
        self.pacer.open()
    }

    /// A request starts.
    pub fn start(&mut self, now: Now) {
        self.pacer.start(now, self.delay());
    }

    /// A request has ended; its response took `latency`.
    pub fn finish(&mut self, now: Now, signal: HostSignal, latency: Option<Duration>, random: &mut Rng) {
        // No request starts while the host rests, so this one started before the failure and is no new evidence.
        let is_late = now < self.rests_until;
        match signal {
            HostSignal::Answered => {
                self.answered(is_late, latency);
                (self.was_fault, self.waits) = (false, 0);
            }
            HostSignal::Waits(asked) => {
                self.answered(is_late, latency);
                self.was_fault = false;
                self.wait(now, asked, is_late);
            }
            HostSignal::Faulty { retry_after, attempts } => {
                self.answered(is_late, latency);
                if let Some(asked) = retry_after {
                    self.wait(now, asked, is_late);
                }
                if !is_late {
                    self.fault(attempts, now, random);
                }
            }
            HostSignal::Busy { retry_after } => {
                self.has_answered = true;
                self.pace.busy(self.delay(), now);
                self.fail(now, retry_after, is_late, random);
            }
            HostSignal::Absent if !self.has_answered => self.miss(now, is_late, random),
            HostSignal::Unreachable | HostSignal::Absent => self.fail(now, None, is_late, random),
        }
        self.pacer.finish(now, self.delay());
    }

    fn answered(&mut self, is_late: bool, latency: Option<Duration>) {
        self.has_answered = true;
        self.failures = if is_late { self.failures } else { 0 };
        self.pace.answered(latency);
    }

    fn rest(&mut self, now: Now, rest: Duration) {
        self.rests_until = self.rests_until.max(now + rest);
    }

    /// The server asks for a rest. One that asks for nothing else is given up like one that refuses: it could hold up the run for ever.
    fn wait(&mut self, now: Now, asked: Duration, is_late: bool) {
        self.rest(now, asked.min(MAX_REST));
        self.waits = self.waits.saturating_add(u8::from(!is_late));
        self.is_given_up |= u32::from(self.waits) >= MAX_FAILURES;
    }

    /// The first fault of a URL may be its own. If the next answer is a fault too, or the next attempt at the URL, a service behind the server
    /// may be away.
    fn fault(&mut self, attempts: Option<u8>, now: Now, random: &mut Rng) {
        let was_fault = std::mem::replace(&mut self.was_fault, true);
        if let Some(attempts) = attempts.filter(|attempts| *attempts < self.max_retries && (was_fault || *attempts > 0))
        {
            self.rest_before_retry(attempts, now, random);
        }
    }

    /// A URL has failed after so many `attempts` before, and is tried again. The host rests, longer for a later attempt, unless it has
    /// already rested for another URL with this number of attempts: retries go behind the other URLs, so they come together.
    pub fn rest_before_retry(&mut self, attempts: u8, now: Now, random: &mut Rng) {
        if attempts >= self.rested_for {
            self.rested_for = attempts.saturating_add(1);
            let doublings = 2 * u32::from(attempts) + 1;
            self.rest(now, self.backoff.rest(doublings, None, random));
        }
    }

    fn fail(&mut self, now: Now, asked: Option<Duration>, is_late: bool, random: &mut Rng) {
        self.absences = 0;
        let before = self.failures.saturating_sub(u32::from(is_late));
        self.rest(now, self.backoff.rest(before, asked, random));
        self.failures = before.saturating_add(1);
        self.is_given_up |= self.failures >= MAX_FAILURES;
    }

    /// A host that has never answered has no server.
    fn miss(&mut self, now: Now, is_late: bool, random: &mut Rng) {
        let before = self.failures.saturating_sub(u32::from(is_late));
        let first = self.backoff.first.min(FIRST_REST_OF_ABSENT);
        self.rest(now, Backoff { first, ..self.backoff }.rest(before, None, random));
        self.failures = before.saturating_add(1);
        self.absences = self.absences.saturating_add(u8::from(!is_late));
        self.is_given_up |= self.absences >= MAX_ABSENCES || self.failures >= MAX_FAILURES;
    }

    /// A page was a wall, after `before` attempts at the same URL. The host rests as after a failure, but it has answered, so this does not
    /// count as one.
    pub fn was_blocked(&mut self, before: u32, now: Now, random: &mut Rng) {
        self.rest(now, self.backoff.rest(before, None, random));
    }

    /// Whether the host is given up for this run, after too many consecutive failures.
    #[must_use]
    pub fn is_given_up(&self) -> bool {
        self.is_given_up
    }

    /// The end of its rest, if the rest is longer than a run waits.
    #[must_use]
    pub fn long_rest_until(&self, now: Now) -> Option<Now> {
        (self.rests_until > now + self.backoff.most).then_some(self.rests_until)
    }

    /// The end of its last rest, which may be past.
    #[must_use]
    pub fn rests_until(&self) -> Now {
        self.rests_until
    }

    /// The state for the next run.
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

    /// Continues with the state of an earlier run, except `asked_at`: see [`Gate::was_asked`].
    ///
    /// A host that was given up gets one try: the next failure gives it up again.
    pub fn remember(&mut self, memory: &GateMemory) {
        self.pace.remember(memory.latency, memory.slowed);
        self.has_answered = memory.latency.is_some();
        self.crawl_delay = memory.crawl_delay;
        self.rests_until = memory.rests_until.min(MAX_REST_AHEAD);
        self.failures = memory.failures.min(MAX_FAILURES - 1);
    }

    /// The last request to the host was `ago` before this run began.
    pub fn was_asked(&mut self, ago: Duration) {
        self.pacer.was_asked(ago, self.delay());
    }

    /// The last request to the host was made at this time of the run, by somebody else.
    pub fn was_asked_at(&mut self, at: Now) {
        self.pacer.was_asked_at(at, self.delay());
    }
}

/// A longer rest than any server can ask for results from a wrong clock.
const MAX_REST_AHEAD: Now = MAX_REST;

#[cfg(test)]
mod tests;
