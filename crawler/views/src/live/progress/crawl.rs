//! The progress of a crawl in words.

use std::time::{Duration, SystemTime};

use crawl::clock::unix_millis;
use crawl::delays;
use crawl::stats::{Rates, RunLimits, Snapshot, TimeLeft, about};
use crawl::{HostStanding, HostStateKind};
use terminal::commands::command;
use terminal::text::terminal_text;
use terminal::units::{bytes, grouped};

/// Hosts named in the display.
const NAMED: usize = 3;

/// A shorter time for the URLs of a host is not shown.
const SHORTEST_QUEUE: Duration = Duration::from_secs(60);

/// Bound on the characters of the URL of a request.
const URL_CHARS: usize = 200;

/// A shorter wait is not shown, because it ends before a reader sees it.
const SHORTEST_WAIT_MS: u64 = 2_000;

/// The line with the bar, and the lines below it.
pub(super) fn describe(
    now: &Snapshot,
    limits: RunLimits,
    rates: Rates,
    left: Option<TimeLeft>,
) -> (String, Vec<String>) {
    let of = limits
        .max_pages
        .map_or(String::new(), |pages| format!(" of {}", grouped(pages)));
    let elapsed = humantime::format_duration(Duration::from_secs(now.elapsed.as_secs()));
    let noun = if of.is_empty() && now.pages() == 1 {
        "page"
    } else {
        "pages"
    };
    let mut first = format!("{}{of} {noun}, running for {elapsed}", grouped(now.pages()));
    if now.stopping {
        first.push_str(", stopping: finishing the URLs in process (Ctrl-C again ends at once)");
    }
    if now.paused && !now.stopping {
        let resume = command("control", &["resume"]);
        first.push_str(&format!(", paused: `{resume}` goes on"));
    }
    if let Some(left) = left {
        first.push_str(", ");
        first.push_str(&left.describe());
    }
    let mut lines = vec![
        format!(
            "{:.1} pages/s, {:.1} requests/s, {}/s, {} in total",
            rates.pages,
            rates.requests,
            bytes(rates.bytes as u64),
            bytes(now.bytes)
        ),
        format!(
            "kept {}, exact {}, near {} ({:.1} % duplicates), failed {}",
            now.counts.kept,
            now.counts.exact,
            now.counts.near,
            now.duplicate_percent(),
            now.counts.failed
        ),
        format!("queued {}, {}", now.counts.queued, describe_hosts(now)),
    ];
    if let Some(url) = now.last_request.as_ref().filter(|_| now.ending.is_none()) {
        lines.push(format!("last request: {}", terminal_text(url.as_str(), URL_CHARS)));
    }
    if let Some(read) = now.seed_lines {
        lines.push(format!("seeds: {} lines read", grouped(read)));
    }
    if let Some(refresh) = now.refresh.filter(|refresh| refresh.due > 0) {
        lines.push(format!(
            "visits due {} of {}: changed {}, unchanged {}, gone {}",
            now.counts.due, refresh.due, refresh.changed, refresh.unchanged, refresh.gone
        ));
    }
    let at = unix_millis(SystemTime::now());
    let named: Vec<String> = now
        .standing
        .largest
        .iter()
        .take(NAMED)
        .map(|host| describe_host(host, at))
        .collect();
    if !named.is_empty() {
        lines.push(format!("most URLs: {}", named.join(", ")));
    }
    (first, lines)
}

/// `hosts: 3 fetching, 7 waiting for the politeness delay, 2 resting after a failure, 429 or 503`.
fn describe_hosts(now: &Snapshot) -> String {
    let counts = HostStateKind::ALL
        .into_iter()
        .map(|state| (state, now.standing.count(state)));
    let parts: Vec<String> = counts
        .filter(|(_, hosts)| *hosts > 0)
        .map(|(state, hosts)| format!("{hosts} {}", state.meaning()))
        .collect();
    if parts.is_empty() {
        return "no host waiting".to_owned();
    }
    format!("hosts: {}", parts.join(", "))
}

/// `a.example 2000 (resting, 40 s: HTTP status 503)`, `a.example 2000 (5.0 s between requests by its latency, its URLs take at least about
/// 3 h)`.
fn describe_host(host: &HostStanding, now: u64) -> String {
    let mut why = match host.state {
        HostStateKind::Delay => String::new(),
        state => format!("{}, ", state.describe()),
    };
    if matches!(host.state, HostStateKind::Delay | HostStateKind::Fetching) {
        let delay = delays::seconds(host.delays.longest());
        why.push_str(&format!("{delay} between requests by {}, ", delays::rule(host)));
    }
    why.truncate(why.len().saturating_sub(2));
    let wait = host.until.map_or(0, |until| until.saturating_sub(now));
    if wait >= SHORTEST_WAIT_MS {
        why.push_str(&format!(", {} s", wait.div_ceil(1_000)));
    }
    if let Some(least) = host.at_least().filter(|least| *least >= SHORTEST_QUEUE) {
        why.push_str(&format!(", its URLs take at least {}", about(least)));
    }
    if let Some(failure) = &host.failure {
        why.push_str(&format!(": {failure}"));
    }
    format!("{} {} ({why})", host.host, host.urls)
}

#[cfg(test)]
mod tests {
    use super::*;
    use web::politeness::Delays;

    #[test]
    fn a_host_is_shown_with_its_reason_to_wait() {
        let host = |state, until, failure: Option<&str>| HostStanding {
            host: "a.example".into(),
            urls: 7,
            state,
            open: 0,
            delays: Delays::of_configuration(Duration::from_secs(1)),
            is_ordered: false,
            until,
            failure: failure.map(str::to_owned),
        };
        let shown = |host| describe_host(&host, 1_000_000);
        assert_eq!(
            shown(host(HostStateKind::Resting, Some(1_039_200), Some("HTTP status 503"))),
            "a.example 7 (resting, 40 s: HTTP status 503)"
        );
        assert_eq!(
            shown(host(HostStateKind::Delay, Some(1_000_900), None)),
            "a.example 7 (1.0 s between requests by delay_ms of the configuration)"
        );
        let slow = |state| HostStanding {
            urls: 2_000,
            ..host(state, None, None)
        };
        assert_eq!(
            shown(slow(HostStateKind::Delay)),
            "a.example 2000 (1.0 s between requests by delay_ms of the configuration, its URLs take at least about 33 min)"
        );
        assert_eq!(shown(slow(HostStateKind::GivenUp)), "a.example 2000 (given up)");
    }

    #[test]
    fn the_lines_have_every_figure() {
        let counts = storage::Counts {
            kept: 60,
            exact: 30,
            near: 10,
            failed: 3,
            queued: 44,
            ..storage::Counts::default()
        };
        let now = Snapshot {
            counts,
            bytes: 5_000,
            elapsed: Duration::from_millis(723_900),
            last_request: "https://a.example/news/7".parse().ok(),
            ..Snapshot::default()
        };
        let limits = RunLimits {
            max_pages: Some(500),
            ..RunLimits::default()
        };
        let rates = Rates {
            requests: 12.5,
            pages: 10.0,
            bytes: 2_000.0,
        };
        let (first, more) = describe(&now, limits, rates, None);
        assert_eq!(first, "100 of 500 pages, running for 12m 3s");
        assert_eq!(
            more,
            [
                "10.0 pages/s, 12.5 requests/s, 2.0 kB/s, 5.0 kB in total",
                "kept 60, exact 30, near 10 (40.0 % duplicates), failed 3",
                "queued 44, no host waiting",
                "last request: https://a.example/news/7",
            ]
        );
    }
}
