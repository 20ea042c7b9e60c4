//! `crawler control status`

use serde::Serialize;

use super::{Crawl, json};
use crate::cli::arguments::ControlFormat;
use crawl::control::entry::Ordered;
use crawl::control::journal::NAME;
use error::RunError;
use terminal::commands::command;
use terminal::text::terminal_text;
use terminal::units::utc;

/// Bound on the characters of a host or pattern.
const NAME_CHARS: usize = 300;

/// What is in force.
#[derive(Debug, Serialize)]
struct Status {
    running: bool,
    paused_since: Option<String>,
    dropped: Vec<Dropped>,
    delays: Vec<Delay>,
    /// Orders that the crawl has not taken.
    waiting: Vec<Waiting>,
    /// Lines of the journal that are no orders.
    damaged_lines: u64,
}

#[derive(Debug, Serialize)]
struct Dropped {
    what: String,
    since: String,
}

#[derive(Debug, Serialize)]
struct Delay {
    host: String,
    seconds: f64,
    since: String,
}

#[derive(Debug, Serialize)]
struct Waiting {
    order: &'static str,
    at: String,
}

/// Prints it.
pub(super) fn show(crawl: &Crawl<'_>, format: ControlFormat) -> Result<(), RunError> {
    let status = Status::of(crawl)?;
    super::super::output::say(&match format {
        ControlFormat::Text => status.text(&crawl.dir.display().to_string()),
        ControlFormat::Json => json(&status)?,
    })
}

/// The time of an order.
fn time(id: u64) -> String {
    utc(id / 1_000)
}

impl Status {
    fn of(crawl: &Crawl<'_>) -> Result<Self, RunError> {
        let taken = crawl.store.run_notes().orders()?.unwrap_or_default();
        let is_waiting = |ordered: &&Ordered| ordered.id > taken && crawl.entries.answer_to(ordered.id).is_none();
        let in_force = &crawl.in_force;
        let dropped = in_force.dropped.iter().map(|dropped| Dropped {
            what: dropped.what.clone(),
            since: time(dropped.since),
        });
        let delays = in_force.delays.iter().map(|delayed| Delay {
            host: delayed.host.clone(),
            seconds: delayed.seconds,
            since: time(delayed.since),
        });
        let waiting = crawl.entries.orders().filter(is_waiting).map(|ordered| Waiting {
            order: ordered.order.word(),
            at: time(ordered.id),
        });
        Ok(Self {
            running: crawl.is_running,
            paused_since: in_force.paused.map(time),
            dropped: dropped.collect(),
            delays: delays.collect(),
            waiting: waiting.collect(),
            damaged_lines: crawl.entries.damaged,
        })
    }

    fn text(&self, dir: &str) -> String {
        let name = |text: &str| terminal_text(text, NAME_CHARS);
        let mut lines = vec![if self.running {
            format!("A crawl is running in {dir}.")
        } else {
            format!("No crawl is running in {dir}; what follows holds for the next run.")
        }];
        lines.push(match &self.paused_since {
            Some(since) => format!("paused since {since}; `{}` goes on", command("control", &["resume"])),
            None => "not paused".to_owned(),
        });
        let dropped = self.dropped.iter();
        lines.extend(dropped.map(|dropped| format!("dropped since {}: {}", dropped.since, name(&dropped.what))));
        let delays = self.delays.iter();
        lines.extend(delays.map(|delay| {
            let Delay { host, seconds, since } = delay;
            format!("delay since {since}: {} {seconds} s", name(host))
        }));
        let waiting = self.waiting.iter();
        lines.extend(waiting.map(|waiting| format!("not yet taken: {} of {}", waiting.order, waiting.at)));
        if self.damaged_lines > 0 {
            lines.push(format!("lines of {NAME} that are no orders: {}", self.damaged_lines));
        }
        lines.join("\n")
    }
}
