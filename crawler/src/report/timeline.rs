//! The crawl over time.

use serde::Serialize;

use super::hosts::utc;

/// Intervals at most.
const MAX_INTERVALS: u64 = 60;

/// A pause between two fetches that is longer, milliseconds, counts as this long: the crawl was stopped meanwhile.
const LONGEST_PAUSE: u64 = 60_000;

/// Lengths of an interval in seconds; longer ones are of whole days.
const LENGTHS: [u64; 17] = [
    1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1_800, 3_600, 7_200, 14_400, 21_600, 43_200,
];

const DAY: u64 = 86_400;

/// When pages were fetched, those of earlier versions included.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Timeline {
    /// When the first page was asked for, RFC 3339; null where none was fetched.
    pub started_at: Option<String>,
    /// When the last one had come.
    pub ended_at: Option<String>,
    /// Seconds from the one to the other.
    pub seconds: u64,
    /// The same without pauses of more than a minute, each of which counts as a minute.
    pub active_seconds: u64,
    /// Length of an interval.
    pub interval_seconds: u64,
    /// At most 60, without a gap, the first first.
    pub intervals: Vec<Interval>,
}

/// Pages fetched in a stretch of time, by their verdicts.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Interval {
    /// Its beginning, RFC 3339.
    pub at: String,
    /// Pages that said something new.
    pub kept: u64,
    /// Exact duplicates.
    pub exact: u64,
    /// Near-duplicates.
    pub near: u64,
}

/// A page fetched.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Fetch {
    /// Unix ms.
    pub at: u64,
    pub elapsed_ms: u32,
    pub verdict: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kind {
    Kept,
    Exact,
    Near,
}

impl Timeline {
    pub(super) fn of(mut fetches: Vec<Fetch>) -> Self {
        fetches.sort_unstable();
        let (Some(first), Some(last)) = (fetches.first(), fetches.last()) else {
            return Self::default();
        };
        let end = fetches.iter().map(|fetch| fetch.at + u64::from(fetch.elapsed_ms)).max();
        let end = end.unwrap_or(last.at);
        let length = length(first.at, last.at);
        let mut intervals = Vec::new();
        let first_number = first.at / 1_000 / length;
        for number in first_number..=last.at / 1_000 / length {
            intervals.push(Interval {
                at: utc(number * length * 1_000),
                ..Interval::default()
            });
        }
        let mut active = end.saturating_sub(last.at).min(LONGEST_PAUSE);
        let mut before = first.at;
        for fetch in &fetches {
            active += (fetch.at - before).min(LONGEST_PAUSE);
            before = fetch.at;
            let number = fetch.at / 1_000 / length - first_number;
            if let Some(interval) = intervals.get_mut(number as usize) {
                match fetch.verdict {
                    Kind::Kept => interval.kept += 1,
                    Kind::Exact => interval.exact += 1,
                    Kind::Near => interval.near += 1,
                }
            }
        }
        Self {
            // Not after the first interval begins.
            started_at: Some(utc(first.at / 1_000 * 1_000)),
            ended_at: Some(utc(end)),
            seconds: (end - first.at).div_ceil(1_000),
            active_seconds: active.div_ceil(1_000),
            interval_seconds: length,
            intervals,
        }
    }
}

/// The shortest interval, in seconds, of which so few as may be reach from `first` to `last`, Unix ms.
fn length(first: u64, last: u64) -> u64 {
    let fits = |length: &u64| last / 1_000 / length - first / 1_000 / length < MAX_INTERVALS;
    let days = || (last - first).div_ceil(1_000 * DAY * (MAX_INTERVALS - 1)).max(1) * DAY;
    LENGTHS.into_iter().find(fits).unwrap_or_else(days)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: u64, verdict: Kind) -> Fetch {
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
                .map(|second| at(second, Kind::Near))
                .into();
            let timeline = Timeline::of(fetches);
            let near: u64 = timeline.intervals.iter().map(|interval| interval.near).sum();
            assert_eq!(near, 4, "{span}");
            assert!(
                timeline.intervals.len() <= MAX_INTERVALS as usize,
                "{span}: {}",
                timeline.intervals.len()
            );
            assert_eq!(timeline.seconds, span + 1);
        }
        assert_eq!(Timeline::of(Vec::new()), Timeline::default());
    }

    #[test]
    fn a_pause_is_no_time_of_the_crawl() {
        let timeline = Timeline::of(vec![at(0, Kind::Kept), at(10, Kind::Exact), at(100_000, Kind::Kept)]);
        assert_eq!((timeline.seconds, timeline.active_seconds), (100_001, 71));
        assert_eq!(timeline.started_at.as_deref(), Some("2026-03-21T09:30:00Z"));
    }
}
