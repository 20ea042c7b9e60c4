//! The tables of the page.

use std::cmp::Reverse;

use super::super::text::bytes;
use super::super::{Host, Report, dropped_percent};
use super::list::{List, number, text, url};
use super::summary::grouped;
use super::web_text::cut;

/// Characters of a URL or a text in a table.
const CELL_CHARS: usize = 300;

fn cell(web: &str) -> String {
    cut(web, CELL_CHARS)
}

fn count(count: usize) -> String {
    grouped(count as u64)
}

pub(super) fn hosts(report: &Report) -> List {
    let mut hosts: Vec<&Host> = report.hosts.iter().collect();
    hosts.sort_by_key(|host| Reverse(host.counts.fetched));
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
        [
            cell(&host.host),
            grouped(counts.fetched),
            grouped(counts.kept),
            grouped(counts.exact),
            grouped(counts.near),
            format!("{:.1}", dropped_percent(counts)),
            grouped(counts.failed),
            grouped(counts.excluded),
            grouped(counts.queued),
            bytes(counts.bytes_fetched),
        ]
    });
    List::of("hosts-list", "Hosts, those with the most pages first", columns, rows)
}

pub(super) fn left_alone(report: &Report) -> List {
    let rows = report.left_alone().into_iter().map(|host| {
        [
            cell(&host.host),
            host.state.as_str().to_owned(),
            grouped(host.counts.queued),
            cell(&host.why_left_alone()),
        ]
    });
    let columns = [url("host"), text("state"), number("queued"), text("why")];
    List::of(
        "left-alone-list",
        "Hosts left alone, those with the most queued URLs first",
        columns,
        rows,
    )
}

pub(super) fn rules(report: &Report) -> List {
    let rows = report.steering.rules.iter().map(|rule| {
        let example = rule.examples.first();
        [
            cell(&rule.rule),
            cell(&rule.meaning),
            rule.state.to_owned(),
            grouped(rule.confirmed.into()),
            grouped(rule.contradicted.into()),
            grouped(rule.saved_requests),
            bytes(rule.saved_bytes),
            example.map_or_else(String::new, |example| {
                format!("{} was {}", cell(&example.url), cell(&example.same_as))
            }),
        ]
    });
    let columns = [
        url("rule"),
        text("meaning"),
        text("state"),
        number("pairs for it"),
        number("against"),
        number("requests saved"),
        number("bytes saved, about"),
        url("example"),
    ];
    List::of("rules-list", "Rules learned from pairs of duplicates", columns, rows)
}

pub(super) fn patterns(report: &Report) -> List {
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
        "Patterns of URLs that nearly always bring duplicates; their URLs go last",
        columns,
        rows,
    )
}

pub(super) fn failure_groups(report: &Report) -> List {
    let rows = report
        .failure_groups
        .iter()
        .map(|group| [group.kind.clone(), cell(&group.host), grouped(group.count)]);
    let columns = [text("kind"), url("host"), number("URLs")];
    List::of(
        "failure-groups-list",
        "Failures by kind and host, the most first",
        columns,
        rows,
    )
}

pub(super) fn failures(report: &Report) -> List {
    let rows = report.failures.iter().map(|failure| {
        let via = failure.via.as_deref().unwrap_or("a seed");
        [
            cell(&failure.url),
            failure.kind.clone(),
            cell(&failure.detail),
            cell(via),
        ]
    });
    let columns = [url("URL"), text("kind"), text("what happened"), url("linked from")];
    List::of("failures-list", "URLs that failed", columns, rows)
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

pub(super) fn excluded(report: &Report) -> List {
    let rows = report
        .excluded
        .iter()
        .map(|excluded| [cell(&excluded.url), cell(&excluded.reason)]);
    List::of(
        "excluded-list",
        "URLs that were not to be stored",
        [url("URL"), text("reason")],
        rows,
    )
}

pub(super) fn redirects(report: &Report) -> List {
    let redirects = report.redirects.iter();
    let rows = redirects.map(|redirect| [cell(&redirect.url), redirect.status.to_string(), cell(&redirect.to)]);
    let columns = [url("URL"), number("status"), url("leads to")];
    List::of("redirects-list", "URLs that redirect", columns, rows)
}

pub(super) fn changed(report: &Report) -> List {
    let rows = report.refresh.changed.iter().map(|page| {
        [
            cell(&page.url),
            page.at.clone(),
            page.verdict.to_owned(),
            page.was.to_owned(),
        ]
    });
    let columns = [url("URL"), text("fetched"), text("verdict"), text("before")];
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
            cell(&page.url),
            page.was.to_owned(),
            page.verdict.to_owned(),
            page.of.as_deref().map(cell).unwrap_or_default(),
        ]
    });
    let columns = [url("URL"), text("when crawled"), text("now"), url("duplicate of")];
    let title = "Pages that are kept or dropped otherwise than when they were crawled";
    List::of("redecisions-list", title, columns, rows)
}

pub(super) fn gone(report: &Report) -> List {
    let rows = report
        .refresh
        .gone
        .iter()
        .rev()
        .map(|page| [cell(&page.url), page.at.clone()]);
    List::of("gone-list", "Pages that are gone", [url("URL"), text("found so")], rows)
}

pub(super) fn orphans(report: &Report) -> List {
    let rows = report.orphans.iter().map(|orphan| {
        [
            orphan.duplicate.verdict.as_str().to_owned(),
            cell(&orphan.duplicate.url),
            cell(&orphan.of),
        ]
    });
    let columns = [text("verdict"), url("page"), url("duplicate of")];
    List::of(
        "orphans-list",
        "Duplicates of pages that are not kept any more",
        columns,
        rows,
    )
}
