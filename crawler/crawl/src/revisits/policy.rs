//! When a page is due for a revisit: a pure function of the results of its visits.
//!
//! If a page changes by a Poisson process of rate λ and is visited `n` times at intervals `I`, each visit finds a
//! change with the probability 1 − e^(−λI). `X` is the number of visits that found a change. The following estimator
//! for λ has hardly any bias, even for few visits, and it is finite even if every visit found a change:
//!
//! ```text
//! λ = −ln((n − X + 0.5) / (n + 0.5)) / I
//! ```
//!
//! (J. Cho, H. Garcia-Molina: Estimating Frequency of Change, ACM Transactions on Internet Technology 3(3), 2003, section 4.2.)
//! `I` is the mean of the page's intervals. The page is due 1/λ after its last visit, when one change is expected. The
//! next interval is never longer than the time from the first visit to the last. So a few visits without a change do
//! not postpone the next one forever: each visit without a change doubles the interval.

use std::time::Duration;

use storage::{Validators, Visits};

use config::settings::Intervals;

/// The policy within these bounds.
#[derive(Debug, Clone, Copy)]
pub struct Policy<'a>(pub &'a Intervals);

impl Policy<'_> {
    /// When a page is due, in milliseconds since the Unix epoch. It was first fetched at `fetched_at` with these `validators`, and
    /// `visits` are the results of its visits since.
    #[must_use]
    pub fn due_at(&self, fetched_at: u64, validators: &Validators, visits: Option<&Visits>) -> u64 {
        let (last_at, interval) = match visits.filter(|visits| visits.count > 0) {
            Some(visits) => (visits.last_at, self.after(visits)),
            None => (fetched_at, self.before_the_first(fetched_at, validators)),
        };
        last_at.saturating_add(millis(interval))
    }

    /// The interval after at least one visit.
    fn after(&self, visits: &Visits) -> Duration {
        if visits.missing > 0 {
            // The next visit should soon show whether the page is gone.
            return self.0.min;
        }
        let watched_ms = visits.last_at.saturating_sub(visits.first_at);
        if visits.changes == 0 {
            return self.clamp(Duration::from_millis(watched_ms));
        }
        let (n, changed) = (f64::from(visits.count), f64::from(visits.changes.min(visits.count)));
        let changes_an_interval = -((n - changed + 0.5) / (n + 0.5)).ln();
        let expected_ms = watched_ms as f64 / n / changes_an_interval;
        self.clamp(Duration::from_millis(watched_ms.min(expected_ms as u64)))
    }

    /// The interval before the first visit: a tenth of the page's age if the server states it, as in the heuristic of caches (RFC 9111,
    /// section 4.2.2).
    fn before_the_first(&self, fetched_at: u64, validators: &Validators) -> Duration {
        let modified = validators.last_modified.as_deref();
        let modified = modified.and_then(|date| httpdate::parse_http_date(date.trim()).ok());
        let modified = modified.and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok());
        match modified.map(millis).filter(|modified| *modified < fetched_at) {
            Some(modified) => self.clamp(Duration::from_millis((fetched_at - modified) / 10)),
            None => self.0.first,
        }
    }

    fn clamp(&self, interval: Duration) -> Duration {
        interval.max(self.0.min).min(self.0.max)
    }
}

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const HOUR: u64 = 3_600_000;
    const DAY: u64 = 24 * HOUR;

    fn days(days: u64) -> Duration {
        Duration::from_millis(days * DAY)
    }

    fn intervals() -> Intervals {
        Intervals {
            min: days(1),
            first: days(7),
            max: days(90),
        }
    }

    /// When a page is due that was fetched 1,000 days after the epoch.
    fn due_at(last_modified: Option<&str>, visits: Option<&Visits>) -> u64 {
        let validators = Validators {
            etag: None,
            last_modified: last_modified.map(str::to_owned),
        };
        Policy(&intervals()).due_at(1_000 * DAY, &validators, visits)
    }

    fn due_in_days(visits: Visits) -> f64 {
        let due = due_at(None, Some(&visits));
        (due - visits.last_at) as f64 / DAY as f64
    }

    fn visits(days: u64, count: u32, changes: u32) -> Visits {
        Visits {
            first_at: 1_000 * DAY,
            last_at: (1_000 + days) * DAY,
            count,
            changes,
            ..Visits::default()
        }
    }

    #[test]
    fn a_page_that_was_never_visited_is_due_by_its_age_or_after_the_first_interval() {
        let due = |last_modified| (due_at(last_modified, None) - 1_000 * DAY) / DAY;
        assert_eq!(due(None), 7);
        assert_eq!(due(Some("yesterday")), 7);
        // 28 September 1972, 1,000 days after the epoch, less a day, 200 days, and 900 days; and a day in the future.
        assert_eq!(due(Some("Tue, 26 Sep 1972 00:00:00 GMT")), 1);
        assert_eq!(due(Some("Sat, 11 Mar 1972 00:00:00 GMT")), 20);
        assert_eq!(due(Some("Thu, 01 Jan 1970 00:00:00 GMT")), 90);
        assert_eq!(due(Some("Fri, 29 Sep 1972 00:00:00 GMT")), 7);
        // A visit that still waits does not count.
        let waiting = Visits {
            is_waiting: true,
            ..visits(0, 0, 0)
        };
        assert_eq!(due_at(None, Some(&waiting)), 1_007 * DAY);
    }

    #[test]
    fn the_interval_follows_the_estimator() {
        // 10 visits in 100 days, 5 changes: λ = −ln(5.5 / 10.5) per 10 days.
        assert!((due_in_days(visits(100, 10, 5)) - 10.0 / 0.646_627).abs() < 0.001);
        // 4 visits in 20 days, 4 changes: λ = ln 9 per 5 days.
        assert!((due_in_days(visits(20, 4, 4)) - 5.0 / 2.197_225).abs() < 0.001);
    }

    #[test]
    fn without_a_change_the_interval_doubles_up_to_the_longest() {
        let mut visits = visits(7, 1, 0);
        let mut intervals = Vec::new();
        for _ in 0..6 {
            let days = due_in_days(visits) as u64;
            intervals.push(days);
            visits.last_at += days * DAY;
            visits.count += 1;
        }
        assert_eq!(intervals, [7, 14, 28, 56, 90, 90]);
    }

    #[test]
    fn a_missing_page_is_due_after_the_shortest_interval() {
        let missing = Visits {
            missing: 1,
            ..visits(300, 10, 0)
        };
        assert_eq!(due_in_days(missing), 1.0);
    }

    /// Visits a page whenever it is due. The page changes by a Poisson process with a mean of `period` days. Returns the mean of the last
    /// intervals.
    fn watched(period: f64, count: u32, seed: u64) -> f64 {
        let mut random = fastrand::Rng::with_seed(seed);
        let mut next_change = 1_000.0;
        let mut advance = |to: f64| {
            let before = next_change;
            while next_change <= to {
                next_change += -(1.0 - random.f64()).ln() * period;
            }
            next_change > before
        };
        advance(1_000.0);
        let mut now = visits(0, 0, 0);
        let mut all = Vec::new();
        for _ in 0..count {
            let due = due_at(None, Some(&now));
            all.push((due - now.last_at) as f64 / DAY as f64);
            now.count += 1;
            now.changes += u32::from(advance(due as f64 / DAY as f64));
            now.last_at = due;
        }
        let last = &all[all.len() / 2..];
        last.iter().sum::<f64>() / last.len() as f64
    }

    #[test]
    fn the_intervals_of_poisson_pages_come_near_the_true_ones() {
        for period in [2.0, 5.0, 15.0, 40.0] {
            for seed in 0..40 {
                let interval = watched(period, 200, seed);
                let ratio = interval / period;
                assert!(
                    (0.6..=1.6).contains(&ratio),
                    "every {period} days, seed {seed}: {interval}"
                );
            }
        }
        for seed in 0..10 {
            assert!(watched(0.1, 200, seed) < 1.5, "hourly, visited about daily");
            assert!(watched(2_000.0, 60, seed) > 45.0, "hardly ever");
        }
    }

    proptest! {
        #[test]
        fn bounds_hold_and_more_changes_never_lengthen_the_interval(
            span in 0_u64..4_000 * DAY,
            count in 1_u32..2_000,
            changes in 0_u32..2_000,
            more in 0_u32..2_000,
            missing in 0_u8..2,
        ) {
            let visits = |changes: u32| Visits {
                first_at: 1_000 * DAY,
                last_at: 1_000 * DAY + span,
                count,
                changes,
                missing,
                is_waiting: false,
            };
            let changes = changes.min(count);
            let (few, many) = (due_in_days(visits(changes)), due_in_days(visits((changes + more).min(count))));
            prop_assert!((1.0..=90.0).contains(&few), "{few}");
            prop_assert!(many <= few, "{many} > {few}");
        }
    }
}
