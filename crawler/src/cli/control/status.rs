//! `crawler control status`

use crate::cli::arguments::ControlFormat;
use crate::cli::output::json_pretty;
use crawl::control::giver::Giver;
use crawl::control::journal::NAME;
use crawl::control::status::{DelaySince, Status};
use error::RunError;
use terminal::commands::command;
use terminal::text::terminal_text;

/// Bound on the characters of a host or pattern.
const NAME_CHARS: usize = 300;

/// Prints what is in force.
pub(super) fn show(crawl: &Giver<'_>, format: ControlFormat) -> Result<(), RunError> {
    let status = Status::of(crawl)?;
    super::super::output::say(&match format {
        ControlFormat::Text => text(&status, &crawl.dir.display().to_string()),
        ControlFormat::Json => json_pretty(&status)?,
    })
}

fn text(status: &Status, dir: &str) -> String {
    let name = |text: &str| terminal_text(text, NAME_CHARS);
    let mut lines = vec![if status.running {
        format!("A crawl is running in {dir}.")
    } else {
        format!("No crawl is running in {dir}; what follows holds for the next run.")
    }];
    lines.push(match &status.paused_since {
        Some(since) => format!("paused since {since}; `{}` goes on", command("control", &["resume"])),
        None => "not paused".to_owned(),
    });
    let dropped = status.dropped.iter();
    lines.extend(dropped.map(|dropped| format!("dropped since {}: {}", dropped.since, name(&dropped.what))));
    let delays = status.delays.iter();
    lines.extend(delays.map(|delay| {
        let DelaySince {
            host,
            seconds,
            since,
            now,
        } = delay;
        let now = now.as_ref().map_or(String::new(), |now| format!("; now {}", name(now)));
        format!("delay since {since}: {} {seconds} s{now}", name(host))
    }));
    let hosts = status.hosts.iter();
    lines.extend(hosts.map(|host| format!("between two requests to {}: {}", name(&host.host), name(&host.reason))));
    let waiting = status.waiting.iter();
    lines.extend(waiting.map(|waiting| format!("not yet taken: {} of {}", waiting.order, waiting.at)));
    if status.damaged_lines > 0 {
        lines.push(format!("lines of {NAME} that are no orders: {}", status.damaged_lines));
    }
    lines.join("\n")
}
