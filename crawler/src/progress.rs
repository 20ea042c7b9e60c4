//! What a crawl shows while it runs: a line that is redrawn on a terminal, a line every few seconds elsewhere.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::report::bytes;
use crate::stats::{Snapshot, Stats};
use crate::tell::tell;

const REDRAWN_EVERY: Duration = Duration::from_millis(200);
const LINE_EVERY: Duration = Duration::from_secs(5);

/// The time over which a rate is taken.
const RATE_WINDOW: Duration = Duration::from_secs(5);

/// Shows the progress until it is dropped.
#[derive(Debug)]
pub struct Progress {
    bar: Option<ProgressBar>,
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What is to be shown at one moment.
#[derive(Debug, Default)]
pub(crate) struct Moment {
    /// How far it is, in the unit of the end.
    pub position: u64,
    /// All in words.
    pub message: String,
    /// Something new has begun that is to be told at once.
    pub is_turn: bool,
}

impl Progress {
    /// Starts showing `stats` on standard error; `max_pages` makes it a bar with an end. Shows nothing when `quiet`.
    #[must_use]
    pub fn show(stats: Arc<Stats>, max_pages: Option<u64>, quiet: bool) -> Self {
        let mut rates = Rates::default();
        let mut was_stopping = false;
        Self::start(max_pages, quiet, move |now| {
            let snapshot = stats.snapshot();
            let rate = rates.a_second(now, snapshot.requests);
            Moment {
                position: snapshot.pages(),
                message: describe(&snapshot, max_pages, rate),
                is_turn: std::mem::replace(&mut was_stopping, snapshot.stopping) != snapshot.stopping,
            }
        })
    }

    /// Starts showing what `look` says on standard error, as a bar if it has an `end`. Shows nothing when `quiet`.
    pub(crate) fn start(
        end: Option<u64>,
        quiet: bool,
        mut look: impl FnMut(Instant) -> Moment + Send + 'static,
    ) -> Self {
        if quiet {
            return Self {
                bar: None,
                end: None,
                thread: None,
            };
        }
        let bar = bar(end);
        let display = bar.clone();
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let every = if display.is_some() { REDRAWN_EVERY } else { LINE_EVERY };
            look(Instant::now());
            let mut drawn_at = Instant::now();
            while ended.recv_timeout(REDRAWN_EVERY) == Err(RecvTimeoutError::Timeout) {
                let moment = look(Instant::now());
                if moment.is_turn || drawn_at.elapsed() >= every {
                    drawn_at = Instant::now();
                    draw(display.as_ref(), moment);
                }
            }
        });
        Self {
            bar,
            end: Some(end),
            thread: Some(thread),
        }
    }

    /// Says something on standard error that stays there.
    pub(crate) fn aside(&self, say: impl FnOnce()) {
        match &self.bar {
            Some(bar) => bar.suspend(say),
            None => say(),
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
        if let Some(bar) = &self.bar {
            bar.finish_and_clear();
        }
    }
}

/// A bar or spinner on a terminal; none elsewhere, where lines are written.
fn bar(end: Option<u64>) -> Option<ProgressBar> {
    if ProgressDrawTarget::stderr().is_hidden() {
        return None;
    }
    Some(match end {
        Some(end) => ProgressBar::new(end).with_style(style("{bar:30} {wide_msg}")),
        None => ProgressBar::new_spinner().with_style(style("{spinner} {wide_msg}")),
    })
}

fn draw(bar: Option<&ProgressBar>, moment: Moment) {
    match bar {
        Some(bar) => {
            bar.set_position(moment.position);
            bar.set_message(moment.message);
            bar.tick();
        }
        None => tell(moment.message),
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

fn describe(now: &Snapshot, max_pages: Option<u64>, rate: f64) -> String {
    let of = max_pages.map_or(String::new(), |pages| format!("/{pages}"));
    if now.stopping {
        return format!(
            "{}{of} pages  stopping: finishing what is in process (Ctrl-C again to end at once)",
            now.pages()
        );
    }
    let visits = now.refresh.filter(|refresh| refresh.due > 0).map(|refresh| {
        format!(
            "  visits left {} of {}: changed {}  unchanged {}  gone {}",
            now.due, refresh.due, refresh.changed, refresh.unchanged, refresh.gone
        )
    });
    format!(
        "{}{of} pages  {rate:.0} requests/s  {}  kept {}  exact {}  near {}  failed {}  queued {}  hosts waiting {}{}",
        now.pages(),
        bytes(now.bytes),
        now.kept,
        now.exact,
        now.near,
        now.failed,
        now.queued,
        now.hosts_waiting,
        visits.unwrap_or_default(),
    )
}

/// A rate over the last few seconds.
#[derive(Debug, Default)]
pub(crate) struct Rates {
    seen: std::collections::VecDeque<(Instant, u64)>,
}

impl Rates {
    /// How fast a count grows that is `count` now.
    pub(crate) fn a_second(&mut self, now: Instant, count: u64) -> f64 {
        self.seen.push_back((now, count));
        while self.seen.len() > 2 && now.duration_since(self.seen[0].0) > RATE_WINDOW {
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
    fn the_rate_is_that_of_the_last_seconds() {
        let mut rates = Rates::default();
        let start = Instant::now();
        let at = |seconds| start + Duration::from_secs(seconds);
        assert_eq!(rates.a_second(start, 0), 0.0);
        assert_eq!(rates.a_second(at(1), 100), 100.0);
        assert_eq!(rates.a_second(at(5), 100), 20.0);
        assert_eq!(rates.a_second(at(11), 700), 100.0);
    }
}
