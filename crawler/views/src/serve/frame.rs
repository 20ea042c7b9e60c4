//! What stands around a view: the crawl and its state, or the fleet; the menu, the token.

use std::time::SystemTime;

use url::Url;

use super::keeper::Current;
use super::moment::Moment;
use crate::report::Report;
use crate::report::html::cut;
use crawl::control::status::time;
use terminal::units::grouped;

/// Hosts of seeds that the header names.
const NAMED: usize = 2;

/// Characters of a host in the header, and of all seeds in its title.
const HOST_CHARS: usize = 60;
const SEEDS_CHARS: usize = 1_000;

/// What stands around a view.
#[derive(Debug)]
pub(super) struct Frame<'a> {
    /// The view that the menu marks.
    pub view: &'static str,
    /// For writes.
    pub token: &'a str,
    /// The data folder; `None` if the server shows none.
    pub data: Option<String>,
    /// The servers of the fleet and the name of its crawl; `None` if the server shows no fleet.
    pub fleet: Option<&'a str>,
    /// Lines of the journal of orders.
    pub journal_lines: u64,
    /// `None` without a model.
    pub crawl: Option<CrawlLine>,
}

/// The views of a data folder: name in the program, path, name for people.
const OF_CRAWL: [(&str, &str, &str); 7] = [
    ("overview", "/", "Overview"),
    ("control", "/control", "Control"),
    ("pages", "/pages", "Pages"),
    ("hosts", "/hosts", "Hosts"),
    ("duplicates", "/duplicates", "Duplicates"),
    ("tune", "/tune", "Tune"),
    ("check", "/check", "Check"),
];

/// The view of a fleet.
const OF_FLEET: (&str, &str, &str) = ("fleet", "/fleet", "Fleet");

impl Frame<'_> {
    /// The views of this server.
    pub fn menu(&self) -> Vec<(&'static str, &'static str, &'static str)> {
        let of_crawl: &[_] = if self.data.is_some() { &OF_CRAWL } else { &[] };
        let of_fleet = self.fleet.map(|_| OF_FLEET);
        of_crawl.iter().copied().chain(of_fleet).collect()
    }
}

/// Which crawl it is, and what state of it the view shows.
#[derive(Debug)]
pub(super) struct CrawlLine {
    /// The number of the reading, and the pages with a verdict in it: a page that stays open knows by them what is new.
    pub number: u64,
    pub pages: u64,
    /// The hosts of the seeds.
    pub name: String,
    pub all_seeds: String,
    /// `running`, `paused`, `not running, 7 URLs left`, `finished`, or one of the last two with `, paused`.
    pub state: String,
    pub class: &'static str,
    pub paused_since: Option<Moment>,
    /// What the time says.
    pub as_of_words: &'static str,
    pub as_of: Moment,
    pub is_reading: bool,
    pub problem: Option<String>,
}

impl CrawlLine {
    /// `paused` is the number of the order by which the crawl is paused.
    pub fn of(current: &Current, paused: Option<u64>) -> Self {
        let (report, now) = (&current.model.report, SystemTime::now());
        let (state, class) = state(report, paused.is_some());
        let (as_of_words, stamp) = match (&report.as_of, &report.timeline.ended_at) {
            (Some(as_of), _) => ("as of", &as_of.at),
            (None, Some(ended)) => ("last page", ended),
            (None, None) => ("read", &current.model.read_at),
        };
        Self {
            number: current.model.number,
            pages: report.counts.fetched,
            name: name(report),
            all_seeds: cut(&report.about.seeds.join(", "), SEEDS_CHARS),
            state,
            class,
            paused_since: paused.map(|order| Moment::of(&time(order), now)),
            as_of_words,
            as_of: Moment::of(stamp, now),
            is_reading: current.is_reading,
            problem: current.problem.clone(),
        }
    }
}

/// The hosts of the seeds, as far as a line has room.
fn name(report: &Report) -> String {
    let mut hosts: Vec<String> = Vec::new();
    for seed in &report.about.seeds {
        let url = Url::parse(seed).ok();
        let host = url.as_ref().and_then(|url| {
            let host = url.host_str()?;
            Some(
                url.port()
                    .map_or_else(|| host.to_owned(), |port| format!("{host}:{port}")),
            )
        });
        let host = cut(&host.unwrap_or_else(|| seed.clone()), HOST_CHARS);
        if !hosts.contains(&host) {
            hosts.push(host);
        }
    }
    let further = hosts.len().saturating_sub(NAMED) + report.about.further;
    hosts.truncate(NAMED);
    match (hosts.is_empty(), further) {
        (true, _) => "A crawl without pages".to_owned(),
        (false, 0) => hosts.join(", "),
        (false, further) => format!("{} and {} more", hosts.join(", "), grouped(further as u64)),
    }
}

fn state(report: &Report, is_paused: bool) -> (String, &'static str) {
    let waiting = report.counts.queued.saturating_sub(report.steering.held_back) + report.counts.due;
    let of_the_next_run = if is_paused { ", paused" } else { "" };
    if report.as_of.is_some() {
        let word = if is_paused { "paused" } else { "running" };
        (word.to_owned(), word)
    } else if waiting > 0 {
        let urls = if waiting == 1 { "URL" } else { "URLs" };
        let left = format!("not running, {} {urls} left{of_the_next_run}", grouped(waiting));
        (left, "stopped")
    } else {
        (format!("finished{of_the_next_run}"), "finished")
    }
}
