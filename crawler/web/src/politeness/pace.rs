//! The current delay: the configured one, or a longer one that follows the server's behaviour, up to a bound. The longer of two
//! counts:
//!
//! - The moving average of its latency times a factor, divided by the number of parallel requests. A server therefore spends at
//!   most 1 / (1 + factor) of the time on each of them, even if it is slow.
//! - After a 429 or 503, twice the delay that was too short. Each good response reduces it by a tenth.

use std::time::Duration;

use super::Now;
use super::delay::Delays;
use super::settings::Politeness;

/// Share of a slow-down that remains after a good response.
const RECOVERY: f64 = 0.9;

/// Weight of the newest latency in the average.
const WEIGHT: f64 = 0.25;

/// A slow-down shorter than this ends.
const NEGLIGIBLE: Duration = Duration::from_millis(1);

/// The adaptive delay of one server.
#[derive(Debug, Clone)]
pub(super) struct Pace {
    /// Delay as a multiple of the latency; 0 ignores the latency.
    factor: f64,
    max: Duration,
    /// Half of the first slow-down of a server without a delay.
    unit: Duration,
    latency: Option<Duration>,
    slowed: Duration,
    slowed_at: Option<Now>,
}

impl Pace {
    pub fn new(rules: &Politeness) -> Self {
        Self {
            factor: rules.latency_factor,
            max: rules.max_delay,
            unit: rules.retry_delay / 10,
            latency: None,
            slowed: Duration::ZERO,
            slowed_at: None,
        }
    }

    /// Takes over other rules. What is known of the server stays.
    pub fn adopt(&mut self, rules: &Politeness) {
        let Self { factor, max, unit, .. } = Self::new(rules);
        (self.factor, self.max, self.unit) = (factor, max, unit);
    }

    /// The delay of a server that allows `parallel` requests at a time and whose delay is never less than `set`.
    pub fn delay(&self, set: Duration, parallel: usize) -> Duration {
        let by_server = self.delays(parallel);
        Delays { set, ..by_server }.longest()
    }

    /// The delays of a server that allows `parallel` requests at a time, by its behaviour alone.
    pub fn delays(&self, parallel: usize) -> Delays {
        let parallel = parallel.max(1);
        let by_latency = match self.latency {
            Some(latency) if self.factor > 0.0 => latency.mul_f64(self.factor / parallel as f64),
            _ => Duration::ZERO,
        };
        Delays {
            by_latency: by_latency.min(self.max),
            slowed: self.slowed.min(self.max),
            latency: self.latency,
            latency_factor: self.factor,
            parallel,
            ..Delays::default()
        }
    }

    pub fn answered(&mut self, latency: Option<Duration>) {
        self.slowed = self.slowed.mul_f64(RECOVERY);
        if self.slowed < NEGLIGIBLE {
            self.slowed = Duration::ZERO;
        }
        if let Some(newest) = latency {
            self.latency = Some(match self.latency {
                Some(average) => average.mul_f64(1.0 - WEIGHT) + newest.mul_f64(WEIGHT),
                None => newest,
            });
        }
    }

    /// The server is overloaded by requests `delay` apart. Within the last slow-down this changes nothing, because the request
    /// started before it.
    pub fn busy(&mut self, delay: Duration, now: Now) {
        if self.slowed_at.is_none_or(|at| now >= at + self.slowed) {
            self.slowed = delay.max(self.unit).saturating_mul(2).min(self.max);
            self.slowed_at = Some(now);
        }
    }

    /// Latency and slow-down, for the next run.
    pub fn memory(&self) -> (Option<Duration>, Duration) {
        (self.latency, self.slowed)
    }

    pub fn remember(&mut self, latency: Option<Duration>, slowed: Duration) {
        self.latency = latency.map(|latency| latency.min(self.max));
        self.slowed = slowed.min(self.max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn pace_of(factor: f64) -> Pace {
        Pace {
            factor,
            max: ms(30_000),
            unit: ms(500),
            latency: None,
            slowed: Duration::ZERO,
            slowed_at: None,
        }
    }

    #[test]
    fn a_slow_server_gets_the_factor_of_its_latency_up_to_the_bound() {
        let mut pace = pace_of(2.0);
        assert_eq!(pace.delay(ms(1_000), 1), ms(1_000));
        pace.answered(Some(ms(200)));
        assert_eq!(pace.delay(ms(1_000), 1), ms(1_000), "fast enough");
        pace = pace_of(2.0);
        pace.answered(Some(ms(4_000)));
        assert_eq!(pace.delay(ms(1_000), 1), ms(8_000));
        assert_eq!(pace.delay(ms(1_000), 4), ms(2_000), "shared among four");
        pace.answered(Some(ms(0)));
        assert_eq!(pace.delay(ms(1_000), 1), ms(6_000), "smoothed");
        pace.answered(Some(ms(600_000)));
        assert_eq!(pace.delay(ms(1_000), 1), ms(30_000));
        assert_eq!(
            pace.delay(ms(40_000), 1),
            ms(40_000),
            "the configured delay is no matter of the bound"
        );
    }

    #[test]
    fn too_many_requests_double_the_delay_and_good_answers_bring_it_back_little_by_little() {
        let mut pace = pace_of(0.0);
        let delay = |pace: &Pace| pace.delay(ms(1_000), 1);
        pace.busy(delay(&pace), ms(0));
        assert_eq!(delay(&pace), ms(2_000));
        pace.busy(delay(&pace), ms(1_900));
        assert_eq!(delay(&pace), ms(2_000), "sent before the server had its new delay");
        pace.busy(delay(&pace), ms(2_000));
        assert_eq!(delay(&pace), ms(4_000));
        let mut before = delay(&pace);
        let mut answers = 0;
        while before > ms(1_000) {
            pace.answered(None);
            assert!(delay(&pace) < before && delay(&pace) >= before.mul_f64(0.89));
            before = delay(&pace);
            answers += 1;
        }
        assert!((10..20).contains(&answers), "{answers}");
    }

    #[test]
    fn a_server_without_delay_slows_down_too_and_gets_back_to_none() {
        let mut pace = pace_of(0.0);
        pace.busy(Duration::ZERO, ms(0));
        assert_eq!(pace.delay(Duration::ZERO, 8), ms(1_000));
        for _ in 0..70 {
            pace.answered(Some(ms(9_000)));
        }
        assert_eq!(pace.delay(Duration::ZERO, 8), Duration::ZERO);
    }
}
