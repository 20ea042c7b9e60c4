//! The numbers of the overview: tiles, and bars of pages by verdict.

use crate::report::Report;
use crate::report::failures::what_to_do;
use crate::report::html::cut;
use crate::serve::model::{Group, Model};
use crate::serve::paths::search_link;
use terminal::units::{bytes, grouped};

/// Groups of one breakdown.
const GROUPS: usize = 8;

/// Intervals of the timeline from which the rate of a running crawl comes.
const RECENT: usize = 5;

/// Least width of a part of a bar, in hundredths of the bar, so that any count above zero is visible.
const VISIBLE: f64 = 1.2;

const NAME_CHARS: usize = 80;

/// A number, with the view that has more about it.
#[derive(Debug)]
pub(super) struct Tile {
    pub name: &'static str,
    pub value: String,
    pub note: String,
    pub link: String,
    /// A colour, as a class of the style; empty without one.
    pub class: &'static str,
}

/// The tiles that say whether the crawl is well; none says 0. Speed matters most while the crawl runs.
pub(super) fn tiles(report: &Report) -> Vec<Tile> {
    let counts = &report.counts;
    let trouble = report.unavailable_hosts().len() as u64;
    let done = counts.discovered - counts.queued.min(counts.discovered);
    let failed_share = 100.0 * counts.failed as f64 / done.max(1) as f64;
    let waiting = counts.queued.saturating_sub(report.steering.held_back);
    let hosts = grouped(report.hosts.len() as u64);
    let tile = |name, count: u64, note: String, link: String, class| {
        let value = grouped(count);
        (count > 0).then_some(Tile {
            name,
            value,
            note,
            link,
            class,
        })
    };
    let outcome = |name| search_link(&[("outcome", name)]);
    let saved = format!(
        "predicted duplicates, about {} not fetched",
        bytes(report.steering.held_back_bytes)
    );
    let is_running = report.as_of.is_some();
    [
        rate(report).filter(|_| is_running),
        tile(
            "failed",
            counts.failed,
            format!("URLs, {failed_share:.1} % of those tried"),
            outcome("failed"),
            "failed",
        ),
        tile(
            "hosts in trouble",
            trouble,
            format!("of {hosts}, resting or given up"),
            "/hosts#hosts".to_owned(),
            "failed",
        ),
        tile("held back", report.steering.held_back, saved, outcome("held_back"), ""),
        rate(report).filter(|_| !is_running),
        tile(
            "queued",
            waiting,
            "URLs still to be fetched".to_owned(),
            outcome("queued"),
            "",
        ),
        tile(
            "visits due",
            counts.due,
            "to pages fetched before".to_owned(),
            "/hosts#refresh".to_owned(),
            "",
        ),
    ]
    .into_iter()
    .flatten()
    .collect()
}

/// How the crawl is, in a sentence.
pub(super) fn health(report: &Report) -> String {
    let counted = |count: u64, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        _ => Some(format!("{} {many}", grouped(count))),
    };
    let parts = [
        counted(report.counts.failed, "URL failed", "URLs failed"),
        counted(
            report.unavailable_hosts().len() as u64,
            "host is in trouble",
            "hosts are in trouble",
        ),
        counted(report.steering.held_back, "URL is held back", "URLs are held back"),
    ];
    let parts: Vec<String> = parts.into_iter().flatten().collect();
    match parts.as_slice() {
        [] => "Yes: no URL failed, no host is in trouble, and nothing is held back.".to_owned(),
        [one] => format!("{one}."),
        [first @ .., last] => format!("{}, and {last}.", first.join(", ")),
    }
}

/// Pages per second: of the last intervals while the crawl runs, else of all its active time.
fn rate(report: &Report) -> Option<Tile> {
    let timeline = &report.timeline;
    let lately = report.as_of.is_some().then(|| {
        // The last interval has not ended.
        let ended = timeline.intervals.len().saturating_sub(1);
        let intervals = &timeline.intervals[ended.saturating_sub(RECENT)..ended];
        let pages: u64 = intervals
            .iter()
            .map(|interval| interval.kept + interval.exact + interval.near)
            .sum();
        (pages, intervals.len() as u64 * timeline.interval_seconds, "lately")
    });
    let is_idle = lately.is_some_and(|(pages, seconds, _)| pages == 0 && seconds > 0);
    let average = (
        report.counts.fetched,
        timeline.active_seconds,
        if is_idle {
            "on average; none lately"
        } else {
            "on average, without pauses over a minute"
        },
    );
    // A slow crawl may have had no page lately.
    let (pages, seconds, note) = lately.filter(|(pages, _, _)| *pages > 0).unwrap_or(average);
    let rate = pages as f64 / seconds.max(1) as f64;
    (pages > 0 && seconds > 0).then(|| Tile {
        name: "pages per second",
        value: if rate < 1.0 {
            format!("{rate:.2}")
        } else {
            format!("{rate:.1}")
        },
        note: note.to_owned(),
        link: "/hosts#timeline".to_owned(),
        class: "",
    })
}

/// A bar of pages by verdict.
#[derive(Debug)]
pub(super) struct Bar {
    pub parts: Vec<Part>,
}

/// A part of a bar; place and width in hundredths.
#[derive(Debug)]
pub(super) struct Part {
    pub class: &'static str,
    pub count: String,
    pub share: String,
    pub link: String,
    pub x: f64,
    pub width: f64,
}

impl Bar {
    /// The bar of a group, where `most` pages fill the width.
    fn of(group: &Group, most: u64) -> Self {
        let (mut x, mut parts) = (0.0, Vec::new());
        for (class, count) in [("kept", group.kept), ("exact", group.exact), ("near", group.near)] {
            if count == 0 {
                continue;
            }
            let width = (100.0 * count as f64 / most.max(1) as f64).max(VISIBLE);
            parts.push(Part {
                class,
                count: grouped(count),
                share: format!("{:.1} %", 100.0 * count as f64 / group.total().max(1) as f64),
                link: search_link(&[("outcome", class)]),
                x,
                width,
            });
            x += width;
        }
        Self { parts }
    }
}

/// All pages by verdict.
pub(super) fn verdicts(report: &Report) -> Bar {
    let counts = &report.counts;
    let group = Group {
        name: String::new(),
        kept: counts.kept,
        exact: counts.exact,
        near: counts.near,
    };
    Bar::of(&group, group.total())
}

/// The pages by something, the largest groups first.
#[derive(Debug)]
pub(super) struct Breakdown {
    /// `host`, `language` or `type`.
    pub by: &'static str,
    pub rows: Vec<BreakdownRow>,
    /// Groups without room.
    pub left_out: usize,
}

/// A group of pages.
#[derive(Debug)]
pub(super) struct BreakdownRow {
    pub name: String,
    /// `None` for pages without a name: no search selects them.
    pub link: Option<String>,
    pub bar: Bar,
    pub total: String,
    pub dropped: String,
}

impl Breakdown {
    fn of(by: &'static str, groups: &[Group]) -> Self {
        let most = groups.first().map_or(0, Group::total);
        let row = |group: &Group| BreakdownRow {
            name: if group.name.is_empty() {
                "unknown".to_owned()
            } else {
                cut(&group.name, NAME_CHARS)
            },
            link: (!group.name.is_empty()).then(|| search_link(&[("outcome", "fetched"), (by, &group.name)])),
            bar: Bar::of(group, most),
            total: grouped(group.total()),
            dropped: format!(
                "{:.1}",
                100.0 * (group.exact + group.near) as f64 / group.total().max(1) as f64
            ),
        };
        Self {
            by,
            rows: groups.iter().take(GROUPS).map(row).collect(),
            left_out: groups.len().saturating_sub(GROUPS),
        }
    }
}

/// The pages by host, language and type.
pub(super) fn breakdowns(model: &Model) -> Vec<Breakdown> {
    let hosts = model.report.hosts_by_fetched().into_iter();
    let hosts: Vec<Group> = hosts
        .filter(|host| host.counts.fetched > 0)
        .map(|host| Group {
            name: host.host.clone(),
            kept: host.counts.kept,
            exact: host.counts.exact,
            near: host.counts.near,
        })
        .collect();
    vec![
        Breakdown::of("host", &hosts),
        Breakdown::of("language", &model.by_language),
        Breakdown::of("type", &model.by_kind),
    ]
}

/// A host with URLs that failed in the same way.
#[derive(Debug)]
pub(super) struct Failing {
    pub host: String,
    pub kind: String,
    pub count: String,
    pub advice: &'static str,
    pub link: String,
}

/// The hosts with the most failures of a kind.
pub(super) fn failing(report: &Report, limit: usize) -> Vec<Failing> {
    let groups = report.failure_groups.iter().take(limit);
    groups
        .map(|group| Failing {
            host: cut(&group.host, NAME_CHARS),
            kind: group.kind.clone(),
            count: grouped(group.count),
            advice: what_to_do(&group.kind).unwrap_or_default(),
            link: search_link(&[("outcome", "failed"), ("host", &group.host)]),
        })
        .collect()
}
