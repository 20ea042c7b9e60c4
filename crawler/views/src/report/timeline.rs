//! Fetched pages over time.

use serde::Serialize;

use storage::VerdictKind;
use terminal::units::utc;

/// Upper bound on the number of intervals.
const MAX_INTERVALS: u64 = 60;

/// A pause between two fetches that is longer than this, in milliseconds, lies between two runs: no run was active.
const LONGEST_PAUSE_MS: u64 = 60_000;

/// Lengths of an interval, in seconds; longer intervals have whole days.
const LENGTHS: [u64; 17] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200,
];

const DAY: u64 = 86_400;

/// When pages were fetched, including earlier versions.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Timeline {
    /// When the first page was requested, RFC 3339; null if no page was fetched.
    pub started_at: Option<String>,
    /// When the last page had arrived, RFC 3339.
    pub ended_at: Option<String>,
    /// Seconds between the two.
    pub seconds: u64,
    /// The same, without the pauses of more than a minute.
    pub active_seconds: u64,
    /// Length of each interval.
    pub interval_seconds: u64,
    /// At most 60, without gaps, in order of time.
    pub intervals: Vec<Interval>,
}

/// Pages fetched in one interval, by verdict.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub(crate) struct Interval {
    /// The start of the interval, RFC 3339.
    pub at: String,
    /// Pages that said something new.
    pub kept: u64,
    /// Exact duplicates.
    pub exact: u64,
    /// Near-duplicates.
    pub near: u64,
}

/// A fetched page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fetch {
    /// The time of the request, Unix ms.
    pub at: u64,
    pub elapsed_ms: u32,
    pub verdict: VerdictKind,
}

impl Timeline {
    /// `until` is the instant (Unix ms) that the report of a running crawl shows: the intervals go on to it, so that a time without pages
    /// is visible.
    pub(super) fn of(mut fetches: Vec<Fetch>, until: Option<u64>) -> Self {
        fetches.sort_unstable();
        let (Some(first), Some(last)) = (fetches.first(), fetches.last()) else {
            return Self::default();
        };
        let end = fetches.iter().map(|fetch| fetch.at + u64::from(fetch.elapsed_ms)).max();
        let end = end.unwrap_or(last.at);
        let until = until.unwrap_or(last.at).max(last.at);
        let length = length(first.at, until);
        let mut intervals = Vec::new();
        let first_number = first.at / 1_000 / length;
        for number in first_number..=until / 1_000 / length {
            intervals.push(Interval {
                at: utc(number * length * 1_000),
                ..Interval::default()
            });
        }
        let mut active = end.saturating_sub(last.at).min(LONGEST_PAUSE_MS);
        let mut before = first;
        for fetch in &fetches {
            let pause = fetch.at - before.at;
            active += if pause > LONGEST_PAUSE_MS {
                u64::from(before.elapsed_ms).min(LONGEST_PAUSE_MS)
            } else {
                pause
            };
            before = fetch;
            let number = fetch.at / 1_000 / length - first_number;
            if let Some(interval) = intervals.get_mut(number as usize) {
                match fetch.verdict {
                    VerdictKind::Kept => interval.kept += 1,
                    VerdictKind::Exact => interval.exact += 1,
                    VerdictKind::Near => interval.near += 1,
                }
            }
        }
        Self {
            // Rounded down: the first interval must not begin before the crawl starts.
            started_at: Some(utc(first.at / 1_000 * 1_000)),
            ended_at: Some(utc(end)),
            seconds: (end - first.at).div_ceil(1_000),
            active_seconds: active.div_ceil(1_000),
            interval_seconds: length,
            intervals,
        }
    }
}

/// The shortest length, in seconds, that covers `first` to `last` (Unix ms) with at most `MAX_INTERVALS` intervals.
fn length(first: u64, last: u64) -> u64 {
    let fits = |length: &u64| last / 1_000 / length - first / 1_000 / length < MAX_INTERVALS;
    let days = || (last - first).div_ceil(1_000 * DAY * (MAX_INTERVALS - 1)).max(1) * DAY;
    LENGTHS.into_iter().find(fits).unwrap_or_else(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, verdict: VerdictKind) -> Fetch {
        Fetch {
            at: 1_774_085_400_000 + seconds * 1_000,
            elapsed_ms: 500,
            verdict,
        }
    }

    #[test]
    fn every_fetch_is_in_one_interval_and_there_are_few_of_them() {
        for span in [0, 1, 59, 60, 3_600, 86_400, 40 * DAY, 4_000 * DAY] {
            let fetches: Vec<Fetch> = [0, span / 3, span / 2, span]
                .map(|second| at(second, VerdictKind::Near))
                .into();
            let timeline = Timeline::of(fetches, None);
            let near: u64 = timeline.intervals.iter().map(|interval| interval.near).sum();
            assert_eq!(near, 4, "{span}");
            assert!(
                timeline.intervals.len() <= MAX_INTERVALS as usize,
                "{span}: {}",
                timeline.intervals.len()
            );
            assert_eq!(timeline.seconds, span + 1);
        }
        assert_eq!(Timeline::of(Vec::new(), Some(1)), Timeline::default());
    }

    #[test]
    fn the_time_since_the_last_page_of_a_running_crawl_is_empty() {
        let fetches = vec![at(0, VerdictKind::Kept), at(10, VerdictKind::Kept)];
        let as_of = fetches[1].at + 35_000;
        let timeline = Timeline::of(fetches.clone(), Some(as_of));
        assert_eq!((timeline.interval_seconds, timeline.intervals.len()), (1, 46));
        assert!(timeline.intervals[11..].iter().all(|interval| interval.kept == 0));
        assert_eq!(timeline.intervals.last().unwrap().at, utc(as_of));
        let late = Timeline::of(fetches.clone(), Some(as_of + 90_000_000));
        assert!(
            late.intervals.len() <= MAX_INTERVALS as usize,
            "{}",
            late.intervals.len()
        );
        // The commit whose state it is may be older than the last page.
        let early = Timeline::of(fetches.clone(), Some(0));
        assert_eq!(early, Timeline::of(fetches, None));
    }

    #[test]
    fn a_long_pause_does_not_count_as_active_time() {
        let fetches = vec![
            at(0, VerdictKind::Kept),
            at(10, VerdictKind::Exact),
            at(100_000, VerdictKind::Kept),
        ];
        let timeline = Timeline::of(fetches, None);
        assert_eq!((timeline.seconds, timeline.active_seconds), (100_001, 11));
        assert_eq!(timeline.started_at.as_deref(), Some("2026-03-21T09:30:00Z"));
    }
}
