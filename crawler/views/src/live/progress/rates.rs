//! The growth rate of a count.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The time over which the rate is measured.
const WINDOW: Duration = Duration::from_secs(5);

/// The rate over the last five seconds.
#[derive(Debug, Default)]
pub struct GrowthRate {
    seen: VecDeque<(Instant, u64)>,
}

impl GrowthRate {
    /// Growth a second, given that the count is `count` at the time `now`.
    pub fn per_second(&mut self, now: Instant, count: u64) -> f64 {
        self.seen.push_back((now, count));
        while self.seen.len() > 2 && now.duration_since(self.seen[0].0) > WINDOW {
            self.seen.pop_front();
        }
        let (since, before) = self.seen[0];
        let seconds = now.duration_since(since).as_secs_f64();
        if seconds > 0.0 {
            (count - before) as f64 / seconds
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_covers_the_last_seconds() {
        let mut rate = GrowthRate::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(rate.per_second(start, 0), 0.0);
        assert_eq!(rate.per_second(at(1), 100), 100.0);
        assert_eq!(rate.per_second(at(5), 100), 20.0);
        assert_eq!(rate.per_second(at(11), 700), 100.0);
    }
}
