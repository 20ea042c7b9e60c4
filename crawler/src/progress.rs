//! What a crawl shows while it runs: a line that is redrawn on a terminal, a line every few seconds elsewhere.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::bytes;
use crate::stats::{Snapshot, Stats};

const REDRAWN_EVERY: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_secs(5);

/// The time over which a rate is taken.
const RATE_WINDOW: Duration = Duration::from_secs(5);

/// Shows the progress until it is dropped.
#[derive(Debug)]
pub struct Progress {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Starts showing `stats` on standard error; `max_pages` makes it a bar with an end. Shows nothing when `quiet`.
    #[must_use]
    pub fn show(stats: Arc<Stats>, max_pages: Option<u64>, quiet: bool) -> Self {
        if quiet {
            return Self {
                end: None,
                thread: None,
            };
        }
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let display = Display::new(max_pages);
            let mut rates = Rates::default();
            rates.requests_a_second(Instant::now(), 0);
            let (mut drawn_at, mut was_stopping) = (Instant::now(), false);
            while ended.recv_timeout(REDRAWN_EVERY) == Err(RecvTimeoutError::Timeout) {
                let now = stats.snapshot();
                let told = now.stopping == was_stopping && drawn_at.elapsed() < display.every();
                if !told {
                    (drawn_at, was_stopping) = (Instant::now(), now.stopping);
                    display.draw(&now, rates.requests_a_second(drawn_at, now.requests));
                }
            }
            display.clear();
        });
        Self {
            end: Some(end),
            thread: Some(thread),
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("the progress display ended early");
        }
    }
}

enum Display {
    Terminal(ProgressBar),
    Lines,
}

impl Display {
    fn new(max_pages: Option<u64>) -> Self {
        if ProgressDrawTarget::stderr().is_hidden() {
            return Self::Lines;
        }
        let bar = match max_pages {
            Some(pages) => ProgressBar::new(pages).with_style(style("{bar:30} {pos}/{len} pages  {wide_msg}")),
            None => ProgressBar::new_spinner().with_style(style("{spinner} {pos} pages  {wide_msg}")),
        };
        Self::Terminal(bar)
    }

    fn every(&self) -> Duration {
        match self {
            Self::Terminal(_) => REDRAWN_EVERY,
            Self::Lines => LINE_EVERY,
        }
    }

    fn draw(&self, now: &Snapshot, rate: f64) {
        let message = describe(now, rate);
        match self {
            Self::Terminal(bar) => {
                bar.set_position(now.pages());
                bar.set_message(message);
                bar.tick();
            }
            Self::Lines => eprintln!("{} pages  {message}", now.pages()),
        }
    }

    fn clear(&self) {
        if let Self::Terminal(bar) = self {
            bar.finish_and_clear();
        }
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn describe(now: &Snapshot, rate: f64) -> String {
    if now.stopping {
        return "stopping: finishing what is in process (Ctrl-C again to end at once)".to_owned();
    }
    format!(
        "{rate:.0} requests/s  {}  kept {}  exact {}  near {}  failed {}  queued {}  hosts waiting {}",
        bytes(now.bytes),
        now.kept,
        now.exact,
        now.near,
        now.failed,
        now.queued,
        now.hosts_waiting,
    )
}

/// Requests a second over the last few seconds.
#[derive(Debug, Default)]
struct Rates {
    seen: std::collections::VecDeque<(Instant, u64)>,
}

impl Rates {
    fn requests_a_second(&mut self, now: Instant, requests: u64) -> f64 {
        self.seen.push_back((now, requests));
        while self.seen.len() > 2 && now.duration_since(self.seen[0].0) > RATE_WINDOW {
            self.seen.pop_front();
        }
        let (since, before) = self.seen[0];
        let seconds = now.duration_since(since).as_secs_f64();
        if seconds > 0.0 {
            (requests - before) as f64 / seconds
        } else {
            0.0
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_rate_is_that_of_the_last_seconds() {
        let mut rates = Rates::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(rates.requests_a_second(start, 0), 0.0);
        assert_eq!(rates.requests_a_second(at(1), 100), 100.0);
        assert_eq!(rates.requests_a_second(at(5), 100), 20.0);
        assert_eq!(rates.requests_a_second(at(11), 700), 100.0);
    }
}
