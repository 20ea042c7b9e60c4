//! The report for a terminal: one screen, tables that fit the width.

use std::fmt::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};

use super::redecided::Redecided;
use super::refresh::Refreshed;
use super::steering::Steering;
use super::{Counts, Report, dropped_percent};
use crate::terminal::text::terminal_text;

/// Rows shown of a long table; the other formats hold all.
const CLUSTERS_SHOWN: usize = 10;
const DUPLICATES_SHOWN: usize = 4;
const HOSTS_SHOWN: usize = 10;
const FAILURES_SHOWN: usize = 8;
const VERSIONS_SHOWN: usize = 10;

pub(super) fn render(report: &Report) -> String {
    let mut out = String::new();
    summary(&mut out, &report.counts);
    if let Some(anew) = &report.redecided {
        redecided(&mut out, anew);
    }
    refreshed(&mut out, &report.refresh);
    clusters(&mut out, report);
    orphans(&mut out, report);
    hosts(&mut out, report);
    steering(&mut out, &report.steering);
    left_alone(&mut out, report);
    kinds(&mut out, "Failures by kind", &report.failure_kinds());
    failures(&mut out, report);
    kinds(&mut out, "Excluded by reason", &report.exclusion_reasons());
    out
}

fn summary(out: &mut String, counts: &Counts) {
    let mut table = table();
    for (name, value, note) in [
        ("discovered", counts.discovered, "URLs known".to_owned()),
        ("queued", counts.queued, "still to be fetched".to_owned()),
        (
            "fetched",
            counts.fetched,
            format!("pages with a verdict, {}", bytes(counts.bytes_fetched)),
        ),
        (
            "kept",
            counts.kept,
            format!("say something new, {}", bytes(counts.bytes_kept)),
        ),
        (
            "exact",
            counts.exact,
            "dropped: the same text as a kept page".to_owned(),
        ),
        (
            "near",
            counts.near,
            "dropped: nearly the text of a kept page".to_owned(),
        ),
        ("redirected", counts.redirected, "lead to another URL".to_owned()),
        ("failed", counts.failed, "no page came".to_owned()),
        (
            "excluded",
            counts.excluded,
            "robots.txt, noindex, or not a page".to_owned(),
        ),
        (
            "gone",
            counts.gone,
            "no page (404, 410, …) at two visits running".to_owned(),
        ),
        ("due", counts.due, "visits still to be made".to_owned()),
    ] {
        if value == 0 && matches!(name, "gone" | "due") {
            continue;
        }
        table.add_row([name.to_owned(), value.to_string(), note]);
    }
    align_right(&mut table, 1);
    section(out, "Pages", &table);
    if counts.fetched > 0 {
        let dropped = counts.exact + counts.near;
        let percent = dropped_percent(counts);
        line(
            out,
            &format!(
                "  {dropped} of {} pages said nothing new ({percent:.1} %).",
                counts.fetched
            ),
        );
    }
}

fn clusters(out: &mut String, report: &Report) {
    let clusters = report.by_size();
    if clusters.is_empty() {
        return;
    }
    line(
        out,
        &format!(
            "\nClusters: {} kept pages have duplicates, the largest first",
            clusters.len()
        ),
    );
    for cluster in clusters.iter().take(CLUSTERS_SHOWN) {
        line(
            out,
            &format!("  {}  {}", shown(&cluster.kept, 90), shown(&cluster.title, 40)),
        );
        for duplicate in cluster.duplicates.iter().take(DUPLICATES_SHOWN) {
            let distance = duplicate.distance.map_or("  -".into(), |bits| format!("{bits:>3}"));
            let similarity = duplicate
                .similarity
                .map_or("    -".into(), |value| format!("{value:.3}"));
            let verdict = duplicate.verdict.as_str();
            line(
                out,
                &format!(
                    "    {verdict:<5} {distance} bits  {similarity}  {}",
                    shown(&duplicate.url, 90)
                ),
            );
        }
        more(out, "    ", cluster.duplicates.len(), DUPLICATES_SHOWN);
    }
    more(out, "  ", clusters.len(), CLUSTERS_SHOWN);
}

/// Duplicates whose kept page has departed.
fn orphans(out: &mut String, report: &Report) {
    if report.orphans.is_empty() {
        return;
    }
    line(
        out,
        "\nDuplicates of pages that are not kept any more; the next refresh looks at them first",
    );
    for orphan in report.orphans.iter().take(VERSIONS_SHOWN) {
        let (url, of) = (shown(&orphan.duplicate.url, 90), shown(&orphan.of, 90));
        line(
            out,
            &format!("  {:<5} {url}  of {of}", orphan.duplicate.verdict.as_str()),
        );
    }
    more(out, "  ", report.orphans.len(), VERSIONS_SHOWN);
}

fn redecided(out: &mut String, redecided: &Redecided) {
    line(out, "");
    line(out, &redecided.summary());
    for page in redecided.changed.iter().take(VERSIONS_SHOWN) {
        let url = shown(&page.url, 90);
        line(out, &format!("    {:<5} was {:<5}  {url}", page.verdict, page.was));
    }
    more(out, "    ", redecided.changed.len(), VERSIONS_SHOWN);
}

fn refreshed(out: &mut String, refreshed: &Refreshed) {
    let Some(last) = refreshed.refreshes.last() else { return };
    let mut table = table();
    for (name, value, note) in last.outcomes() {
        table.add_row([name.to_owned(), value.to_string(), note.to_owned()]);
    }
    align_right(&mut table, 1);
    let title = format!(
        "\nLast refresh (of {}), begun {}",
        refreshed.refreshes.len(),
        last.started_at
    );
    section(out, &title, &table);
    for changed in refreshed.changed.iter().take(VERSIONS_SHOWN) {
        let was = if changed.was == changed.verdict {
            String::new()
        } else {
            format!(" (was {})", changed.was)
        };
        let url = shown(&changed.url, 90);
        line(out, &format!("    changed  {url}  {}{was}", changed.verdict));
    }
    more(out, "    ", refreshed.changed.len(), VERSIONS_SHOWN);
    for gone in refreshed.gone.iter().rev().take(VERSIONS_SHOWN) {
        line(out, &format!("    gone  {}  {}", shown(&gone.url, 90), gone.at));
    }
    more(out, "    ", refreshed.gone.len(), VERSIONS_SHOWN);
}

fn hosts(out: &mut String, report: &Report) {
    let mut hosts: Vec<_> = report.hosts.iter().collect();
    hosts.sort_by_key(|host| std::cmp::Reverse(host.counts.fetched));
    let mut table = table();
    table.set_header([
        "host", "fetched", "kept", "exact", "near", "dropped", "failed", "excluded", "queued",
    ]);
    for host in hosts.iter().take(HOSTS_SHOWN) {
        let counts = &host.counts;
        table.add_row([
            shown(&host.host, 50),
            counts.fetched.to_string(),
            counts.kept.to_string(),
            counts.exact.to_string(),
            counts.near.to_string(),
            format!("{:.1} %", dropped_percent(counts)),
            counts.failed.to_string(),
            counts.excluded.to_string(),
            counts.queued.to_string(),
        ]);
    }
    (1..9).for_each(|column| align_right(&mut table, column));
    section(out, "\nHosts", &table);
    more(out, "  ", hosts.len(), HOSTS_SHOWN);
}

fn steering(out: &mut String, steering: &Steering) {
    if steering.is_empty() {
        return;
    }
    line(
        out,
        "\nSteering: what the verdicts taught about URLs (crawler rules shows the evidence)",
    );
    if steering.left > 0 {
        let (left, saved) = (steering.left, bytes(steering.left_bytes));
        line(
            out,
            &format!("  {left} requests saved, about {saved}: these URLs are left in the queue."),
        );
    }
    if steering.snoozed > 0 {
        line(out, &format!("  {} URLs go last.", steering.snoozed));
    }
    let mut table = table();
    for rule in steering.rules.iter().take(HOSTS_SHOWN) {
        let for_and_against = format!("{} for, {} against", rule.confirmed, rule.contradicted);
        table.add_row([rule.state.to_owned(), for_and_against, shown(&rule.rule, 100)]);
    }
    for pattern in steering.patterns.iter().take(HOSTS_SHOWN) {
        let dropped = format!("{} of {} dropped", pattern.duplicates, pattern.pages);
        let name = shown(&format!("{}{}", pattern.host, pattern.pattern), 100);
        table.add_row(["snoozed".to_owned(), dropped, name]);
    }
    for row in table.lines() {
        line(out, &format!(" {}", row.trim_end()));
    }
    more(out, "  ", steering.rules.len(), HOSTS_SHOWN);
    more(out, "  ", steering.patterns.len(), HOSTS_SHOWN);
}

fn left_alone(out: &mut String, report: &Report) {
    let hosts = report.left_alone();
    if hosts.is_empty() {
        return;
    }
    let mut table = table();
    for host in hosts.iter().take(HOSTS_SHOWN) {
        table.add_row([
            shown(&host.host, 50),
            host.state.as_str().to_owned(),
            format!("{} queued", host.counts.queued),
            shown(&host.why_left_alone(), 200),
        ]);
    }
    section(
        out,
        "\nHosts left alone; a later run tries them again when their rest is over",
        &table,
    );
    more(out, "  ", hosts.len(), HOSTS_SHOWN);
}

fn failures(out: &mut String, report: &Report) {
    for failure in report.failures.iter().take(FAILURES_SHOWN) {
        line(
            out,
            &format!("    {}  {}", shown(&failure.url, 90), shown(&failure.detail, 200)),
        );
    }
    more(out, "    ", report.failures.len(), FAILURES_SHOWN);
}

fn kinds(out: &mut String, title: &str, kinds: &[(&str, usize)]) {
    if kinds.is_empty() {
        return;
    }
    let mut table = table();
    for (name, count) in kinds.iter().take(HOSTS_SHOWN) {
        table.add_row([count.to_string(), shown(name, 100)]);
    }
    align_right(&mut table, 0);
    section(out, &format!("\n{title}"), &table);
    more(out, "  ", kinds.len(), HOSTS_SHOWN);
}

fn more(out: &mut String, indent: &str, all: usize, shown: usize) {
    if all > shown {
        line(
            out,
            &format!("{indent}… and {} more (--format json shows all)", all - shown),
        );
    }
}

fn table() -> Table {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic);
    table
}

fn align_right(table: &mut Table, column: usize) {
    if let Some(column) = table.column_mut(column) {
        column.set_cell_alignment(CellAlignment::Right);
    }
}

fn section(out: &mut String, title: &str, table: &Table) {
    line(out, title);
    for row in table.lines() {
        line(out, &format!(" {}", row.trim_end()));
    }
}

fn line(out: &mut String, text: &str) {
    out.push_str(text);
    out.push('\n');
}

/// Text from the web, made harmless for a terminal and cut to `width` characters.
fn shown(text: &str, width: usize) -> String {
    terminal_text(text, width)
}

/// `1.2 MB`: decimal units, as disks are sold.
pub(crate) fn bytes(count: u64) -> String {
    const UNITS: [&str; 5] = ["bytes", "kB", "MB", "GB", "TB"];
    let mut value = count as f64;
    let mut unit = 0;
    while value >= 1_000.0 && unit + 1 < UNITS.len() {
        value /= 1_000.0;
        unit += 1;
    }
    let mut text = String::new();
    // Writing to a string cannot fail.
    let digits = usize::from(unit > 0);
    if write!(text, "{value:.digits$} {}", UNITS[unit]).is_err() {
        text.clear();
    }
    text
}
