//! The progress of a command: a few lines redrawn on a terminal, or one line a minute elsewhere.

mod crawl;
mod rates;

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use ::crawl::stats::{RunLimits, Stats, Trend};
use terminal::tell::{aside, set_display, tell};

pub use rates::GrowthRate;

const REDRAWN_EVERY: Duration = Duration::from_millis(200);
/// Without a terminal, the first line comes soon, as a sign that the command works.
const LINE_AFTER: Duration = Duration::from_secs(5);
const LINE_EVERY: Duration = Duration::from_secs(60);
/// The window of the rates of a crawl: longer than the delays of most hosts.
const RATES_OVER: Duration = Duration::from_secs(60);

/// The display; dropping it removes it.
#[derive(Debug)]
pub struct Progress {
    end: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// The progress at one moment.
#[derive(Debug, Default)]
pub struct Moment {
    /// The position of the bar, in the unit of its end.
    pub position: u64,
    /// The line with the bar.
    pub message: String,
    /// Further lines. Without a terminal, those that have changed follow the message on the same line.
    pub more: Vec<String>,
    /// Whether to show the moment at once, for example because the crawl is stopping.
    pub is_urgent: bool,
}

impl Progress {
    /// Starts a display of `stats` on standard error; `max_pages` gives the bar an end. Shows nothing when `quiet`.
    #[must_use]
    pub fn show(stats: Arc<Stats>, limits: RunLimits, quiet: bool) -> Self {
        if !quiet {
            stats.watch();
        }
        let mut trend = Trend::over(RATES_OVER);
        let mut was = (false, false);
        Self::start(limits.max_pages, quiet, move |now| {
            let snapshot = stats.snapshot();
            let rates = trend.look(now, &snapshot);
            let left = trend.time_left(now, &snapshot, limits);
            let (message, more) = crawl::describe(&snapshot, limits, rates, left);
            Moment {
                position: snapshot.pages(),
                message,
                more,
                is_urgent: {
                    let is = (snapshot.stopping, snapshot.paused);
                    std::mem::replace(&mut was, is) != is
                },
            }
        })
    }

    /// Starts a display of the moments that `look` returns on standard error; `end` makes it a bar. Shows nothing when `quiet`.
    pub fn start(end: Option<u64>, quiet: bool, mut look: impl FnMut(Instant) -> Moment + Send + 'static) -> Self {
        if quiet {
            return Self {
                end: None,
                thread: None,
            };
        }
        let mut display = Display::on_terminal(end);
        let (end, ended) = channel::<()>();
        let thread = std::thread::spawn(move || {
            let mut wait = if display.is_some() { REDRAWN_EVERY } else { LINE_AFTER };
            let mut told = Vec::new();
            look(Instant::now());
            let mut drawn_at = Instant::now();
            while ended.recv_timeout(REDRAWN_EVERY) == Err(RecvTimeoutError::Timeout) {
                let moment = look(Instant::now());
                if moment.is_urgent || drawn_at.elapsed() >= wait {
                    drawn_at = Instant::now();
                    match &mut display {
                        Some(display) => display.draw(moment),
                        None => {
                            tell(in_one_line(&moment, &told));
                            (told, wait) = (moment.more, LINE_EVERY);
                        }
                    }
                }
            }
        });
        Self {
            end: Some(end),
            thread: Some(thread),
        }
    }

    /// Runs `say`, which writes lasting lines to standard error, while the display is hidden.
    pub fn aside(&self, say: impl FnOnce()) {
        aside(say);
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

/// The lines on a terminal; dropping it removes them.
struct Display {
    all: MultiProgress,
    bar: ProgressBar,
    lines: Vec<ProgressBar>,
}

impl Display {
    /// `None` if standard error is not a terminal.
    fn on_terminal(end: Option<u64>) -> Option<Self> {
        if ProgressDrawTarget::stderr().is_hidden() {
            return None;
        }
        let all = MultiProgress::new();
        let bar = all.add(match end {
            Some(end) => ProgressBar::new(end).with_style(style("{bar:30} {wide_msg}")),
            None => ProgressBar::new_spinner().with_style(style("{spinner} {wide_msg}")),
        });
        set_display(Some(all.clone()));
        Some(Self {
            all,
            bar,
            lines: Vec::new(),
        })
    }

    fn draw(&mut self, moment: Moment) {
        while self.lines.len() < moment.more.len() {
            let line = ProgressBar::new_spinner().with_style(style("  {wide_msg}"));
            self.lines.push(self.all.add(line));
        }
        self.bar.set_position(moment.position);
        self.bar.set_message(moment.message);
        self.bar.tick();
        let empty = std::iter::repeat_with(String::new);
        for (line, text) in self.lines.iter().zip(moment.more.into_iter().chain(empty)) {
            line.set_message(text);
            line.tick();
        }
    }
}

impl Drop for Display {
    fn drop(&mut self) {
        set_display(None);
        // Clearing the lines one by one would redraw the others each time.
        let _terminal_gone = self.all.clear();
        self.all.set_draw_target(ProgressDrawTarget::hidden());
        self.bar.finish_and_clear();
        self.lines.iter().for_each(ProgressBar::finish_and_clear);
    }
}

fn style(template: &str) -> ProgressStyle {
    ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_spinner())
}

/// The message, and those of the further lines that are not in the line before.
fn in_one_line(moment: &Moment, told: &[String]) -> String {
    let more = moment.more.iter().filter(|line| !told.contains(line));
    let parts: Vec<&str> = std::iter::once(&moment.message)
        .chain(more)
        .map(String::as_str)
        .collect();
    parts.join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_leaves_out_what_the_line_before_has() {
        let moment = |pages: &str, queued: &str| Moment {
            message: pages.to_owned(),
            more: vec!["failed 3".to_owned(), queued.to_owned()],
            ..Moment::default()
        };
        let first = moment("100 pages", "queued 40");
        assert_eq!(in_one_line(&first, &[]), "100 pages; failed 3; queued 40");
        assert_eq!(
            in_one_line(&moment("120 pages", "queued 41"), &first.more),
            "120 pages; queued 41"
        );
    }
}
