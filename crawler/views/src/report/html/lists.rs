//! The tables of the page.

use super::super::Report;
use super::super::failures::what_to_do;
use super::list::{List, link, number, text, url};
use super::web_text::{WebUrl, cut};
use terminal::units::{bytes, grouped};

/// The address of the URLs of a host with an outcome.
pub(crate) type PagesLink = fn(host: &str, outcome: &str) -> String;

/// Characters of a URL or a text in a table.
const CELL_CHARS: usize = 300;

fn cell(web: &str) -> String {
    cut(web, CELL_CHARS)
}

fn count(count: usize) -> String {
    grouped(count as u64)
}

/// `pages` is the address of the URLs of a host with an outcome, where a server answers.
pub(super) fn hosts(report: &Report, pages: Option<PagesLink>) -> List {
    let hosts = report.hosts_by_fetched();
    let columns = [
        url("host"),
        number("fetched"),
        number("kept"),
        number("exact"),
        number("near"),
        number("dropped, %"),
        number("failed"),
        number("excluded"),
        number("queued"),
        number("bytes fetched"),
    ];
    let rows = hosts.into_iter().map(|host| {
        let counts = &host.counts;
        let linked = |shown: String, outcome: &str, is_linked: bool| WebUrl {
            shown,
            href: pages.filter(|_| is_linked).map(|link| link(&host.host, outcome)),
        };
        let count = |count: u64, outcome: &str| linked(grouped(count), outcome, count > 0);
        [
            linked(cell(&host.host), "any", true),
            count(counts.fetched, "fetched"),
            count(counts.kept, "kept"),
            count(counts.exact, "exact"),
            count(counts.near, "near"),
            WebUrl::text(format!("{:.1}", counts.dropped_percent())),
            count(counts.failed, "failed"),
            count(counts.excluded, "excluded"),
            WebUrl::text(grouped(counts.queued)),
            WebUrl::text(bytes(counts.bytes_fetched)),
        ]
    });
    List::of_cells("hosts-list", "Hosts, those with the most pages first", columns, rows)
        .under_its_heading("Those with the most pages first")
}

pub(super) fn unavailable_hosts(report: &Report) -> List {
    let rows = report.unavailable_hosts().into_iter().map(|host| {
        [
            cell(&host.host),
            host.standing.words().to_owned(),
            grouped(host.counts.queued),
            cell(&host.why_unavailable()),
        ]
    });
    let columns = [url("host"), text("standing"), number("queued"), text("reason")];
    List::of(
        "unavailable-hosts-list",
        "Hosts resting or given up, those with the most queued URLs first",
        columns,
        rows,
    )
    .under_its_heading("Those with the most queued URLs first")
}

pub(super) fn rules(report: &Report) -> List {
    let rows = report.steering.rules.iter().map(|rule| {
        let example = rule.examples.first();
        [
            cell(&rule.rule),
            cell(&rule.meaning),
            rule.words().to_owned(),
            grouped(rule.confirmed.into()),
            grouped(rule.contradicted.into()),
            grouped(rule.saved_requests),
            bytes(rule.saved_bytes),
            example.map_or_else(String::new, |example| {
                format!("{} duplicates {}", cell(&example.url), cell(&example.same_as))
            }),
        ]
    });
    let columns = [
        url("rule"),
        text("meaning"),
        text("standing"),
        number("pairs for"),
        number("pairs against"),
        number("URLs held back"),
        number("bytes saved (estimate)"),
        url("example"),
    ];
    List::of("rules-list", "Rules learned from pairs of duplicates", columns, rows)
}

pub fn traps(report: &Report) -> List {
    let rows = report.steering.traps.iter().map(|trap| {
        [
            cell(&trap.words()),
            grouped(trap.duplicates.into()),
            grouped(trap.saved_requests),
            bytes(trap.saved_bytes),
        ]
    });
    let columns = [
        url("pattern"),
        number("pages in a row that said nothing new"),
        number("URLs held back"),
        number("bytes saved (estimate)"),
    ];
    List::of(
        "traps-list",
        "Traps, and folders that the crawl leaves; their URLs are held back",
        columns,
        rows,
    )
}

pub fn patterns(report: &Report) -> List {
    let rows = report.steering.patterns.iter().map(|pattern| {
        let percent = 100.0 * f64::from(pattern.duplicates) / f64::from(pattern.pages.max(1));
        [
            cell(&format!("{}{}", pattern.host, pattern.pattern)),
            grouped(pattern.pages.into()),
            grouped(pattern.duplicates.into()),
            format!("{percent:.1}"),
        ]
    });
    let columns = [
        url("pattern"),
        number("pages"),
        number("duplicates"),
        number("dropped, %"),
    ];
    List::of(
        "patterns-list",
        "Patterns of URLs that nearly always lead to duplicates; their URLs are deprioritised",
        columns,
        rows,
    )
}

pub(super) fn failure_groups(report: &Report) -> List {
    let rows = report.failure_groups.iter().map(|group| {
        let advice = what_to_do(&group.kind).unwrap_or_default().to_owned();
        [group.kind.clone(), cell(&group.host), grouped(group.count), advice]
    });
    let columns = [text("kind"), url("host"), number("URLs"), text("what to do")];
    List::of(
        "failure-groups-list",
        "Failures by kind and host, the most frequent first",
        columns,
        rows,
    )
}

pub fn failures(report: &Report) -> List {
    let rows = report.failures.iter().map(|failure| {
        let via = failure.via.as_deref().unwrap_or("a seed");
        [
            failure.url.clone(),
            failure.kind.clone(),
            cell(&failure.detail),
            via.to_owned(),
        ]
    });
    let columns = [link("URL"), text("kind"), text("detail"), link("linked from")];
    List::of("failures-list", "URLs that failed", columns, rows).under_its_heading("")
}

pub(super) fn exclusion_reasons(report: &Report) -> List {
    let reasons = report.exclusion_reasons().into_iter();
    let rows = reasons.map(|(reason, number)| [cell(reason), count(number)]);
    List::of(
        "reasons-list",
        "Reasons, the most frequent first",
        [text("reason"), number("URLs")],
        rows,
    )
}

pub fn excluded(report: &Report) -> List {
    let rows = report
        .excluded
        .iter()
        .map(|excluded| [excluded.url.clone(), cell(&excluded.reason)]);
    List::of("excluded-list", "Excluded URLs", [link("URL"), text("reason")], rows).under_its_heading("")
}

pub fn redirects(report: &Report) -> List {
    let redirects = report.redirects.iter();
    let rows = redirects.map(|redirect| {
        let by = if redirect.in_html {
            "HTML: a meta refresh or a script"
        } else {
            "the server"
        };
        let status = redirect.status.to_string();
        [redirect.url.clone(), status, by.to_owned(), redirect.to.clone()]
    });
    let columns = [link("URL"), number("status"), text("by"), link("target")];
    List::of("redirects-list", "URLs that redirect", columns, rows).under_its_heading("")
}

pub(super) fn changed(report: &Report) -> List {
    let rows = report.refresh.changed.iter().map(|page| {
        [
            page.url.clone(),
            page.at.clone(),
            page.verdict.to_owned(),
            page.was.to_owned(),
        ]
    });
    let columns = [link("URL"), text("fetched"), text("verdict"), text("verdict before")];
    List::of(
        "changed-list",
        "Pages that the last refresh found changed",
        columns,
        rows,
    )
}

pub(super) fn redecisions(report: &Report) -> List {
    let changed = report.redecided.iter().flat_map(|redecided| &redecided.changed);
    let rows = changed.map(|page| {
        [
            page.url.clone(),
            page.was.to_owned(),
            page.verdict.to_owned(),
            page.of.clone().unwrap_or_default(),
        ]
    });
    let columns = [
        link("URL"),
        text("verdict of the crawl"),
        text("verdict now"),
        link("duplicate of"),
    ];
    let title = "Pages that changed between kept and dropped";
    List::of("redecisions-list", title, columns, rows)
}

pub(super) fn gone(report: &Report) -> List {
    let rows = report
        .refresh
        .gone
        .iter()
        .rev()
        .map(|page| [page.url.clone(), page.at.clone()]);
    List::of(
        "gone-list",
        "Pages that are gone",
        [link("URL"), text("found gone")],
        rows,
    )
    .under_its_heading("")
}

pub(super) fn orphans(report: &Report) -> List {
    let rows = report.orphans.iter().map(|orphan| {
        [
            orphan.duplicate.verdict.as_str().to_owned(),
            orphan.duplicate.url.clone(),
            orphan.of.clone(),
        ]
    });
    let columns = [text("verdict"), link("page"), link("duplicate of")];
    List::of(
        "orphans-list",
        "Duplicates of pages that are no longer kept",
        columns,
        rows,
    )
    .under_its_heading("")
}
