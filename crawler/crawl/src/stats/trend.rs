//! The rate of a crawl, and an estimate of the time left.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::Snapshot;

/// The time over which rates are averaged.
const RATE_WINDOW: Duration = Duration::from_secs(5);

/// The time over which the estimate of the time left is averaged.
const OUTLOOK_WINDOW: Duration = Duration::from_secs(60);

/// There is no estimate before this time.
const MIN_OUTLOOK: Duration = Duration::from_secs(3);

/// The shortest time between two samples.
const SPACING: Duration = Duration::from_millis(200);

/// Samples of the last minute.
#[derive(Debug)]
pub struct Trend {
    samples: VecDeque<Sample>,
    /// The window of the rates.
    window: Duration,
}

impl Default for Trend {
    fn default() -> Self {
        Self::over(RATE_WINDOW)
    }
}

#[derive(Debug, Clone, Copy)]
struct Sample {
    at: Instant,
    requests: u64,
    pages: u64,
    bytes: u64,
    waiting: u64,
}

/// Rates over the window.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Rates {
    /// Requests ended per second.
    pub requests: f64,
    /// Pages decided per second.
    pub pages: f64,
    /// Bytes of body received per second.
    pub bytes: f64,
}

/// The limits of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct RunLimits {
    /// Bound on the pages decided in the whole crawl.
    pub max_pages: Option<u64>,
    /// Bound on the duration of the run.
    pub max_duration: Option<Duration>,
}

/// The limit that ends the run first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bound {
    /// The page limit.
    Pages,
    /// The time limit.
    Duration,
    /// The end of the queue, which is getting shorter.
    Queue,
}

/// An estimate of the time left, at the rate of the last minute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TimeLeft {
    /// The time left.
    pub time: Duration,
    /// The limit that ends the run.
    pub bound: Bound,
}

impl Trend {
    /// Without samples. `window` is that of the rates, at most a minute; the default is five seconds.
    #[must_use]
    pub fn over(window: Duration) -> Self {
        Self {
            samples: VecDeque::new(),
            window,
        }
    }

    /// Takes a sample, and returns the rates.
    pub fn look(&mut self, now: Instant, snapshot: &Snapshot) -> Rates {
        let sample = Sample {
            at: now,
            requests: snapshot.requests,
            pages: snapshot.verdicts.total(),
            bytes: snapshot.bytes,
            waiting: snapshot.waiting(),
        };
        if self
            .samples
            .back()
            .is_none_or(|last| now.duration_since(last.at) >= SPACING)
        {
            self.samples.push_back(sample);
        }
        while self.samples.len() > 2 && now.duration_since(self.samples[1].at) >= OUTLOOK_WINDOW {
            self.samples.pop_front();
        }
        let Some((before, seconds)) = self.before(now, self.window) else {
            return Rates::default();
        };
        let rate = |now: u64, before: u64| now.saturating_sub(before) as f64 / seconds;
        Rates {
            requests: rate(sample.requests, before.requests),
            pages: rate(sample.pages, before.pages),
            bytes: rate(sample.bytes, before.bytes),
        }
    }

    /// The time left of a run that was sampled for a few seconds; `None` if nothing predicts its end.
    #[must_use]
    pub fn time_left(&self, now: Instant, snapshot: &Snapshot, limits: RunLimits) -> Option<TimeLeft> {
        if snapshot.stopping || snapshot.paused || snapshot.ending.is_some() {
            return None;
        }
        let duration = limits.max_duration.map(|most| TimeLeft {
            time: most.saturating_sub(snapshot.elapsed),
            bound: Bound::Duration,
        });
        let seen = self
            .before(now, OUTLOOK_WINDOW)
            .filter(|(_, seconds)| *seconds >= MIN_OUTLOOK.as_secs_f64());
        let by_rate = |left: u64, done: u64, bound| {
            let (_, seconds) = seen?;
            let seconds = (done > 0).then(|| left as f64 * seconds / done as f64)?;
            let time = Duration::try_from_secs_f64(seconds).ok()?;
            Some(TimeLeft { time, bound })
        };
        let pages = limits.max_pages.and_then(|most| {
            let done = snapshot.verdicts.total().saturating_sub(seen?.0.pages);
            by_rate(most.saturating_sub(snapshot.pages()), done, Bound::Pages)
        });
        let queue = seen.and_then(|(before, _)| {
            let shorter = before.waiting.saturating_sub(snapshot.waiting());
            by_rate(snapshot.waiting(), shorter, Bound::Queue)
        });
        [pages, duration, queue]
            .into_iter()
            .flatten()
            .min_by_key(|left| left.time)
    }

    /// The last sample that is at least `window` old, or else the first, and the seconds since; `None` if no time has passed.
    fn before(&self, now: Instant, window: Duration) -> Option<(Sample, f64)> {
        let is_old = |sample: &&Sample| now.duration_since(sample.at) >= window;
        let sample = self.samples.iter().rev().find(is_old).or(self.samples.front())?;
        let seconds = now.duration_since(sample.at).as_secs_f64();
        (seconds > 0.0).then_some((*sample, seconds))
    }
}

impl TimeLeft {
    /// In words, such as `about 3 min left` and `queue empty in about 5 h at this rate`.
    #[must_use]
    pub fn describe(&self) -> String {
        let time = about(self.time);
        match self.bound {
            Bound::Pages => format!("{time} left to the page limit"),
            Bound::Duration => format!("{time} left to the time limit"),
            Bound::Queue => format!("queue empty in {time} at this rate"),
        }
    }
}

/// Rounds as coarsely as an estimate is uncertain.
#[must_use]
pub fn about(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let rounded = |unit: f64| (seconds / unit).round().max(1.0);
    match seconds {
        ..10.0 => "a few seconds".to_owned(),
        ..95.0 => format!("about {} s", 10.0 * rounded(10.0)),
        ..5_400.0 => format!("about {} min", rounded(60.0)),
        ..172_800.0 => format!("about {} h", rounded(3_600.0)),
        _ => format!("about {} days", rounded(86_400.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn snapshot(requests: u64, kept: u64, queued: u64) -> Snapshot {
        let counts = storage::Counts {
            kept,
            queued,
            ..storage::Counts::default()
        };
        Snapshot {
            requests,
            bytes: 1_000 * requests,
            counts,
            verdicts: super::super::Verdicts {
                kept,
                ..super::super::Verdicts::default()
            },
            ..Snapshot::default()
        }
    }

    #[test]
    fn rates_are_averaged_over_the_last_seconds() {
        let mut trend = Trend::default();
        let start = Instant::now();
        let mut at = |seconds, requests| {
            let now = start + Duration::from_secs(seconds);
            trend.look(now, &snapshot(requests, requests / 2, 0))
        };
        assert_eq!(at(0, 0), Rates::default());
        let rates = at(1, 100);
        assert_eq!((rates.requests, rates.pages, rates.bytes), (100.0, 50.0, 100_000.0));
        assert_eq!(at(5, 100).requests, 20.0);
        assert_eq!(at(10, 600).requests, 100.0);
        for second in 11..1_000 {
            at(second, 600);
        }
        assert!(trend.samples.len() < 70, "{} samples", trend.samples.len());
    }

    #[test]
    fn pages_of_earlier_runs_do_not_count() {
        let mut trend = Trend::default();
        let start = Instant::now();
        // The display begins before the store is open and its counts are known.
        trend.look(start, &Snapshot::default());
        let mut resumed = snapshot(10, 5, 0);
        resumed.counts.kept = 9_000;
        assert_eq!(trend.look(start + Duration::from_secs(1), &resumed).pages, 5.0);
    }

    #[test]
    fn the_time_left_is_that_of_the_limit_reached_first() {
        let mut trend = Trend::default();
        let start = Instant::now();
        trend.look(start, &snapshot(0, 0, 1_000));
        let (now, later) = (start + Duration::from_secs(10), snapshot(200, 100, 900));
        trend.look(now, &later);
        let left = |limits| trend.time_left(now, &later, limits);
        let limits = |max_pages, seconds: Option<u64>| RunLimits {
            max_pages,
            max_duration: seconds.map(Duration::from_secs),
        };
        let seconds = |seconds, bound| {
            Some(TimeLeft {
                time: Duration::from_secs(seconds),
                bound,
            })
        };
        assert_eq!(left(limits(Some(600), None)), seconds(50, Bound::Pages));
        assert_eq!(left(limits(Some(600), Some(20))), seconds(20, Bound::Duration));
        assert_eq!(left(limits(None, None)), seconds(90, Bound::Queue));
        assert_eq!(left(limits(Some(1 << 40), None)), seconds(90, Bound::Queue));
        let growing = snapshot(200, 100, 5_000);
        assert_eq!(trend.time_left(now, &growing, limits(None, None)), None);
        let stopping = Snapshot {
            stopping: true,
            ..later.clone()
        };
        assert_eq!(trend.time_left(now, &stopping, limits(Some(600), None)), None);
    }

    #[test]
    fn two_seconds_are_too_short_for_an_estimate() {
        let mut trend = Trend::default();
        let start = Instant::now();
        trend.look(start, &snapshot(0, 0, 1_000));
        let (now, later) = (start + Duration::from_secs(2), snapshot(200, 100, 900));
        trend.look(now, &later);
        assert_eq!(trend.time_left(now, &later, RunLimits::default()), None);
    }

    #[test]
    fn an_estimate_is_as_coarse_as_it_is_uncertain() {
        let told = |seconds| about(Duration::from_secs(seconds));
        assert_eq!(
            [3, 44, 100, 185, 5 * 3_600, 3 * 86_400].map(told),
            [
                "a few seconds",
                "about 40 s",
                "about 2 min",
                "about 3 min",
                "about 5 h",
                "about 3 days"
            ]
        );
    }
}
