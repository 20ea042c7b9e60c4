//! Which rule sets the delay of a host.

use std::time::Duration;

use serde::{Deserialize, Serialize};

/// The delays that the rules of politeness ask for at one host. The longest counts.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Delays {
    /// That of the configuration, or of an order of the user.
    pub set: Duration,
    /// The `Crawl-delay` of its robots.txt, cut to the configured bound; zero without one.
    pub crawl_delay: Duration,
    /// The multiple of its latency, cut to the configured bound; zero if that rule is off.
    pub by_latency: Duration,
    /// What responses 429 and 503 have caused.
    pub slowed: Duration,
    /// The moving average of its latency.
    pub latency: Option<Duration>,
    /// `latency_factor`.
    pub latency_factor: f64,
    /// The parallel requests among which the delay by the latency is shared.
    pub parallel: usize,
}

/// A rule that asks for a delay.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DelayRule {
    /// The configuration, or an order of the user.
    Set,
    /// The `Crawl-delay` of robots.txt.
    CrawlDelay,
    /// The latency of the server.
    Latency,
    /// Responses 429 and 503.
    Slowed,
}

impl DelayRule {
    /// All rules. Of two with the same delay, the first counts.
    pub const ALL: [Self; 4] = [Self::Set, Self::CrawlDelay, Self::Latency, Self::Slowed];
}

impl Delays {
    /// The delays of a host that was never asked, of which nothing is known but this one.
    #[must_use]
    pub fn of_configuration(set: Duration) -> Self {
        Self { set, ..Self::default() }
    }

    /// What a rule asks for.
    #[must_use]
    pub fn of(&self, rule: DelayRule) -> Duration {
        match rule {
            DelayRule::Set => self.set,
            DelayRule::CrawlDelay => self.crawl_delay,
            DelayRule::Latency => self.by_latency,
            DelayRule::Slowed => self.slowed,
        }
    }

    /// The delay between two requests.
    #[must_use]
    pub fn longest(&self) -> Duration {
        self.of(self.rule())
    }

    /// The time between two requests, if answers take as long as before. With one request at a time, the delay begins when the answer has
    /// come; with several, they run while the others are answered.
    #[must_use]
    pub fn interval(&self) -> Duration {
        let answer = self.latency.unwrap_or_default();
        match u32::try_from(self.parallel).unwrap_or(u32::MAX) {
            0 | 1 => self.longest() + answer,
            parallel => self.longest().max(answer / parallel),
        }
    }

    /// The rule that sets it.
    #[must_use]
    pub fn rule(&self) -> DelayRule {
        let longer = |first, second| {
            if self.of(second) > self.of(first) {
                second
            } else {
                first
            }
        };
        DelayRule::ALL.into_iter().fold(DelayRule::Set, longer)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_delay_begins_after_the_answer_only_with_one_request_at_a_time() {
        let of = |parallel, delay, answer| {
            let delays = Delays {
                set: Duration::from_millis(delay),
                latency: Some(Duration::from_millis(answer)),
                parallel,
                ..Delays::default()
            };
            delays.interval().as_millis()
        };
        assert_eq!(
            [of(1, 4_500, 2_500), of(4, 200, 2_500), of(4, 1_000, 2_500)],
            [7_000, 625, 1_000]
        );
    }

    #[test]
    fn the_rule_with_the_longest_delay_counts_and_the_first_of_equals() {
        let seconds = Duration::from_secs;
        let delays = |set, crawl_delay, by_latency, slowed| Delays {
            set: seconds(set),
            crawl_delay: seconds(crawl_delay),
            by_latency: seconds(by_latency),
            slowed: seconds(slowed),
            ..Delays::default()
        };
        for (delays, rule, longest) in [
            (delays(1, 0, 0, 0), DelayRule::Set, 1),
            (delays(1, 4, 5, 0), DelayRule::Latency, 5),
            (delays(1, 4, 3, 2), DelayRule::CrawlDelay, 4),
            (delays(1, 4, 5, 8), DelayRule::Slowed, 8),
            (delays(4, 4, 4, 4), DelayRule::Set, 4),
        ] {
            assert_eq!(
                (delays.rule(), delays.longest()),
                (rule, seconds(longest)),
                "{delays:?}"
            );
        }
    }
}
