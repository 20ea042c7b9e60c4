//! The report as a long listing for a terminal.

mod listing;

use super::Report;
use super::counts::Counts;
use super::documents;
use super::redecided::Redecided;
use super::refresh::Refreshes;
use super::rendering::Rendering;
use super::steering::Steering;
use super::variants::in_words;
use listing::{align_right, table};
use terminal::commands::command;
use terminal::text::terminal_text as shown;
use terminal::units::bytes;

/// Rows shown of a long table; the JSON form has all rows.
const CLUSTERS_SHOWN: usize = 10;
const DUPLICATES_SHOWN: usize = 4;
const HOSTS_SHOWN: usize = 10;
const FAILURES_SHOWN: usize = 8;
const VERSIONS_SHOWN: usize = 10;

pub fn render(report: &Report) -> String {
    let mut listing = Listing::default();
    listing.summary(&report.counts);
    if let Some(variants) = in_words(report.variants, &report.thresholds) {
        listing.line(&format!("  {}.", variants.join("; ")));
    }
    if let Some(documents) = documents::sentence(&report.documents) {
        listing.line(&format!("  {documents}"));
    }
    if let Some(running) = report.running() {
        listing.line(&running);
    }
    if report.provisional {
        listing.line(super::PROVISIONAL);
    }
    if let Some(redecided) = &report.redecided {
        listing.redecided(redecided);
    }
    listing.last_refresh(&report.refresh);
    listing.clusters(report);
    listing.orphans(report);
    listing.hosts(report);
    listing.steering(&report.steering);
    listing.rendering(&report.rendering);
    listing.unavailable_hosts(report);
    listing.kinds("Failures by kind", &report.failure_kinds());
    listing.advice(report);
    listing.failures(report);
    listing.kinds("Excluded by reason", &report.exclusion_reasons());
    listing.out
}

/// The counts with their meanings.
fn summary_rows(counts: &Counts) -> [(&'static str, u64, String); 11] {
    [
        ("discovered", counts.discovered, "known URLs".to_owned()),
        ("queued", counts.queued, "URLs still to be fetched".to_owned()),
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
        ("failed", counts.failed, "returned no page".to_owned()),
        (
            "excluded",
            counts.excluded,
            "robots.txt, noindex, or not a page".to_owned(),
        ),
        (
            "gone",
            counts.gone,
            "no page (404, 410, …) at two visits in a row".to_owned(),
        ),
        ("due", counts.due, "visits still to be made".to_owned()),
    ]
}

/// The listing so far.
#[derive(Debug, Default)]
struct Listing {
    out: String,
}

impl Listing {
    fn summary(&mut self, counts: &Counts) {
        let mut table = table();
        for (name, value, note) in summary_rows(counts) {
            if value > 0 || matches!(name, "fetched" | "kept") {
                table.add_row([name.to_owned(), value.to_string(), note]);
            }
        }
        align_right(&mut table, 1);
        self.section("Pages", &table);
        if counts.fetched > 0 {
            let dropped = counts.dropped();
            let (fetched, percent) = (counts.fetched, counts.dropped_percent());
            self.line(&match dropped {
                0 if fetched == 1 => "  The only page said something new.".to_owned(),
                0 => format!("  All {fetched} pages said something new."),
                _ => format!("  {dropped} of {fetched} pages said nothing new ({percent:.1} %)."),
            });
        }
    }

    fn clusters(&mut self, report: &Report) {
        let clusters = report.by_size();
        if clusters.is_empty() {
            return;
        }
        self.line(&format!(
            "\nClusters: {} kept pages have duplicates, the largest first",
            clusters.len()
        ));
        for cluster in clusters.iter().take(CLUSTERS_SHOWN) {
            let of = cluster.of_worker().unwrap_or_else(|| shown(&cluster.title, 40));
            self.line(&format!("  {}  {of}", shown(&cluster.kept, 90)));
            for duplicate in cluster.duplicates.iter().take(DUPLICATES_SHOWN) {
                let distance = duplicate.distance.map_or("  -".into(), |bits| format!("{bits:>3}"));
                let similarity = duplicate.similarity;
                let similarity = similarity.map_or("    -".into(), |value| format!("{value:.3}"));
                let (verdict, url) = (duplicate.verdict.as_str(), shown(&duplicate.url, 90));
                self.line(&format!("    {verdict:<5} {distance} bits  {similarity}  {url}"));
            }
            self.left_out("    ", cluster.duplicates.len(), DUPLICATES_SHOWN);
        }
        self.left_out("  ", clusters.len(), CLUSTERS_SHOWN);
    }

    fn orphans(&mut self, report: &Report) {
        if report.orphans.is_empty() {
            return;
        }
        self.line("\nDuplicates of pages that are no longer kept; the next refresh visits them first");
        for orphan in report.orphans.iter().take(VERSIONS_SHOWN) {
            let (url, of) = (shown(&orphan.duplicate.url, 90), shown(&orphan.of, 90));
            self.line(&format!("  {:<5} {url}  of {of}", orphan.duplicate.verdict.as_str()));
        }
        self.left_out("  ", report.orphans.len(), VERSIONS_SHOWN);
    }

    fn redecided(&mut self, redecided: &Redecided) {
        self.line("");
        self.line(&redecided.summary());
        for page in redecided.changed.iter().take(VERSIONS_SHOWN) {
            let url = shown(&page.url, 90);
            self.line(&format!("    {:<5} was {:<5}  {url}", page.verdict, page.was));
        }
        self.left_out("    ", redecided.changed.len(), VERSIONS_SHOWN);
    }

    fn last_refresh(&mut self, refresh: &Refreshes) {
        let Some(last) = refresh.refreshes.last() else { return };
        let mut table = table();
        for (name, value, note) in last.outcomes() {
            table.add_row([name.to_owned(), value.to_string(), note.to_owned()]);
        }
        align_right(&mut table, 1);
        let title = format!(
            "\nLast refresh (of {}), started {}",
            refresh.refreshes.len(),
            last.started_at
        );
        self.section(&title, &table);
        for changed in refresh.changed.iter().take(VERSIONS_SHOWN) {
            let was = if changed.was == changed.verdict {
                String::new()
            } else {
                format!(" (was {})", changed.was)
            };
            let url = shown(&changed.url, 90);
            self.line(&format!("    changed  {url}  {}{was}", changed.verdict));
        }
        self.left_out("    ", refresh.changed.len(), VERSIONS_SHOWN);
        for gone in refresh.gone.iter().rev().take(VERSIONS_SHOWN) {
            self.line(&format!("    gone  {}  {}", shown(&gone.url, 90), gone.at));
        }
        self.left_out("    ", refresh.gone.len(), VERSIONS_SHOWN);
    }

    fn hosts(&mut self, report: &Report) {
        let hosts = report.hosts_by_fetched();
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
                format!("{:.1} %", counts.dropped_percent()),
                counts.failed.to_string(),
                counts.excluded.to_string(),
                counts.queued.to_string(),
            ]);
        }
        (1..9).for_each(|column| align_right(&mut table, column));
        self.section("\nHosts", &table);
        self.left_out("  ", hosts.len(), HOSTS_SHOWN);
    }

    fn steering(&mut self, steering: &Steering) {
        if steering.is_empty() {
            return;
        }
        self.line("\nSteering: rules about URLs that the verdicts suggest");
        self.line(&format!("  the evidence: {}", command("rules", &[])));
        if steering.held_back > 0 {
            self.line(&format!(
                "  {} URLs are held back and stay queued; this saved about {}.",
                steering.held_back,
                bytes(steering.held_back_bytes)
            ));
            self.line(&format!("  {}.", steering.how_to_fetch()));
        }
        if steering.deprioritised > 0 {
            self.line(&format!("  {} URLs are deprioritised.", steering.deprioritised));
        }
        let mut table = table();
        for rule in steering.rules.iter().take(HOSTS_SHOWN) {
            let evidence = format!("{} for, {} against", rule.confirmed, rule.contradicted);
            table.add_row([rule.words().to_owned(), evidence, shown(&rule.rule, 100)]);
        }
        for trap in steering.traps.iter().take(HOSTS_SHOWN) {
            let evidence = format!("{} in a row dropped", trap.duplicates);
            table.add_row(["held back".to_owned(), evidence, shown(&trap.words(), 100)]);
        }
        for pattern in steering.patterns.iter().take(HOSTS_SHOWN) {
            let evidence = format!("{} of {} dropped", pattern.duplicates, pattern.pages);
            let name = shown(&format!("{}{}", pattern.host, pattern.pattern), 100);
            table.add_row(["deprioritised".to_owned(), evidence, name]);
        }
        self.rows(&table);
        self.left_out("  ", steering.rules.len(), HOSTS_SHOWN);
        self.left_out("  ", steering.traps.len(), HOSTS_SHOWN);
        self.left_out("  ", steering.patterns.len(), HOSTS_SHOWN);
    }

    fn rendering(&mut self, rendering: &Rendering) {
        if rendering.is_empty() {
            return;
        }
        self.line("\nRendering: the patterns of URLs with pages that a browser rendered");
        self.line(&format!("  {}", rendering.words()));
        for found in rendering.patterns.iter().take(HOSTS_SHOWN) {
            self.line(&format!(
                "  {}",
                shown(&format!("{}{}", found.host, found.pattern), 100)
            ));
            self.line(&format!("    {}", found.words()));
        }
        self.left_out("  ", rendering.patterns.len(), HOSTS_SHOWN);
    }

    fn unavailable_hosts(&mut self, report: &Report) {
        let hosts = report.unavailable_hosts();
        if hosts.is_empty() {
            return;
        }
        let mut table = table();
        for host in hosts.iter().take(HOSTS_SHOWN) {
            table.add_row([
                shown(&host.host, 50),
                host.standing.words().to_owned(),
                format!("{} queued", host.counts.queued),
                shown(&host.why_unavailable(), 200),
            ]);
        }
        self.section(
            "\nHosts resting or given up; a later run requests them again after their rest",
            &table,
        );
        self.left_out("  ", hosts.len(), HOSTS_SHOWN);
    }

    /// What to do about failures.
    fn advice(&mut self, report: &Report) {
        for (kind, _) in report.failure_kinds().into_iter().take(HOSTS_SHOWN) {
            if let Some(advice) = crawl::failures::advice(kind) {
                self.line(&format!("  {kind}: {advice}"));
            }
        }
    }

    fn failures(&mut self, report: &Report) {
        for failure in report.failures.iter().take(FAILURES_SHOWN) {
            let (url, detail) = (shown(&failure.url, 90), shown(&failure.detail, 200));
            self.line(&format!("    {url}  {detail}"));
        }
        self.left_out("    ", report.failures.len(), FAILURES_SHOWN);
    }

    fn kinds(&mut self, title: &str, kinds: &[(&str, usize)]) {
        if kinds.is_empty() {
            return;
        }
        let mut table = table();
        for (name, count) in kinds.iter().take(HOSTS_SHOWN) {
            table.add_row([count.to_string(), shown(name, 100)]);
        }
        align_right(&mut table, 0);
        self.section(&format!("\n{title}"), &table);
        self.left_out("  ", kinds.len(), HOSTS_SHOWN);
    }
}
