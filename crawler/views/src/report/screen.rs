//! The report as a summary that fits one screen of a terminal.

mod fit;
mod histograms;
mod spark;

use super::Report;
use super::counts::Counts;
use super::variants::in_words;
use fit::{columns, cut, shorten};
use terminal::commands::command;
use terminal::text::terminal_text;
use terminal::units::{bytes, counted_are, duration, grouped};

/// The narrowest and the widest supported screen, in columns.
const MIN_WIDTH: usize = 48;
const MAX_WIDTH: usize = 1_000;

/// Smallest width for the counts side by side, in columns.
const TWO_COLUMNS: usize = 73;
/// Smallest width for all columns of the table of hosts.
const WIDE_HOSTS: usize = 66;

/// Rows shown of each table; the other forms show more.
const SHOWN: usize = 3;
/// Bound on the shown reasons for held-back URLs.
const REASONS_SHOWN: usize = 3;
/// Kinds of failure shown.
const KINDS_SHOWN: usize = 6;

/// The lines so far, each at most `width` columns wide.
struct Screen {
    out: String,
    width: usize,
}

pub fn render(report: &Report, width: usize) -> String {
    let mut screen = Screen {
        out: String::new(),
        width: width.clamp(MIN_WIDTH, MAX_WIDTH),
    };
    screen.summary(report);
    if report.provisional {
        screen.line("  provisional: near-duplicates across workers are not decided yet");
    }
    screen.redecided(report);
    screen.histograms(report);
    screen.clusters(report);
    screen.doubtful(report);
    screen.hosts(report);
    screen.rules(report);
    screen.rendering(report);
    screen.failures(report);
    screen.refresh(report);
    screen.further(report);
    screen.out
}

impl Screen {
    fn line(&mut self, text: &str) {
        self.out.push_str(cut(text, self.width).trim_end());
        self.out.push('\n');
    }

    /// A line with a command, which is not cut: the user could not run the rest.
    fn command(&mut self, line: &str) {
        self.out.push_str(line);
        self.out.push('\n');
    }

    fn title(&mut self, text: &str) {
        self.out.push('\n');
        self.line(text);
    }

    fn summary(&mut self, report: &Report) {
        let (counts, saved, timeline) = (&report.counts, &report.saved, &report.timeline);
        self.subject(report);
        let time = duration(timeline.active_seconds);
        let fetched = grouped(counts.fetched);
        self.line(&match counts.dropped() {
            _ if counts.fetched == 0 => "No page was fetched".to_owned(),
            0 if counts.fetched == 1 => format!("The only page said something new; fetched in {time}"),
            0 => format!("All {fetched} pages said something new; fetched in {time}"),
            dropped => format!(
                "{} of {fetched} pages said nothing new ({:.1} %); fetched in {time}",
                grouped(dropped),
                counts.dropped_percent(),
            ),
        });
        if let Some(running) = report.running() {
            self.line(&running);
        }
        self.counts(counts);
        if let Some(variants) = in_words(report.variants, &report.thresholds) {
            let [found, remedy] = variants;
            self.line(&format!("  {found}"));
            self.line(&format!("    {remedy}"));
        }
        let visits = [("gone", counts.gone), ("visits due", counts.due)];
        let visits = visits.into_iter().filter(|(_, count)| *count > 0);
        let visits: Vec<String> = visits
            .map(|(name, count)| format!("{name} {}", grouped(count)))
            .collect();
        if !visits.is_empty() {
            self.line(&format!("  {}", visits.join(", ")));
        }
        if saved.duplicate_bytes > 0 {
            self.line(&format!(
                "  saved {}: duplicates not stored",
                bytes(saved.duplicate_bytes)
            ));
        }
        self.held_back(report);
    }

    /// The crawl that the report is about: its first seed, its data folder, and when its pages were fetched.
    fn subject(&mut self, report: &Report) {
        let about = &report.about;
        let Some(first) = about.seeds.first() else { return };
        let others = about.seeds.len() - 1 + about.further;
        let others = match others {
            0 => String::new(),
            1 => " and 1 more seed".to_owned(),
            others => format!(
                " and {}{} more seeds",
                if about.is_open { "over " } else { "" },
                grouped(others as u64)
            ),
        };
        let folder = terminal_text(&about.data, 200);
        let room = self.width.saturating_sub(20).max(MIN_WIDTH / 2);
        self.line(&format!("Crawl of {}{others}, in {folder}", shorten(first, room)));
        if let (Some(from), Some(to)) = (&report.timeline.started_at, &report.timeline.ended_at) {
            self.line(&format!("  {from} to {to}"));
        }
    }

    /// The number of held-back URLs, the reasons, and the setting that fetches them.
    fn held_back(&mut self, report: &Report) {
        let saved = &report.saved;
        if saved.requests == 0 {
            return;
        }
        let reasons = report.steering.held_back_by();
        let shown = reasons.iter().take(REASONS_SHOWN);
        let mut by: Vec<String> = shown
            .map(|(reason, urls)| format!("{} by {}", grouped(*urls), terminal_text(reason, 200)))
            .collect();
        by.extend((reasons.len() > REASONS_SHOWN).then(|| "…".to_owned()));
        self.line(&format!(
            "  held back {} URLs, about {}: {}",
            grouped(saved.requests),
            bytes(saved.unfetched_bytes),
            by.join(", ")
        ));
        self.line(&format!("    {}", report.steering.how_to_fetch()));
        self.command(&format!("    why: {}", command("rules", &[])));
    }

    /// The counts of what happened, side by side where the screen is wide enough.
    fn counts(&mut self, counts: &Counts) {
        let received = format!("{} received", bytes(counts.bytes_fetched));
        let left = [
            ("fetched", counts.fetched, received),
            ("kept", counts.kept, bytes(counts.bytes_kept)),
            ("exact", counts.exact, "dropped, the same text".to_owned()),
            ("near", counts.near, "dropped, nearly the same".to_owned()),
        ];
        let right = [
            ("queued", counts.queued),
            ("redirected", counts.redirected),
            ("failed", counts.failed),
            ("excluded", counts.excluded),
        ];
        let left = left.into_iter().filter(|(_, count, _)| *count > 0);
        let mut right = right.into_iter().filter(|(_, count)| *count > 0);
        if self.width < TWO_COLUMNS {
            let right = right.map(|(name, count)| (name, count, String::new()));
            for (name, count, note) in left.chain(right) {
                self.line(&format!("  {name:<10}{:>11}  {note}", grouped(count)));
            }
            return;
        }
        let beside = |(name, count): (&str, u64)| format!("{name:<10}{:>11}", grouped(count));
        for (name, count, note) in left {
            let beside = right.next().map(beside).unwrap_or_default();
            self.line(&format!("  {name:<8}{:>11}  {note:<27}  {beside}", grouped(count)));
        }
        for count in right {
            self.line(&format!("{:52}{}", "", beside(count)));
        }
    }

    fn clusters(&mut self, report: &Report) {
        let clusters = report.by_size();
        if clusters.is_empty() {
            return;
        }
        self.title(&format!("Largest clusters, of {}", grouped(clusters.len() as u64)));
        for cluster in clusters.into_iter().take(SHOWN) {
            let size = grouped(cluster.duplicates.len() as u64);
            let room = self.width.saturating_sub(21);
            let url = shorten(&cluster.kept, room * 2 / 3);
            let title = cluster.of_worker().unwrap_or_else(|| cluster.title.clone());
            let title = terminal_text(&title, room.saturating_sub(url.chars().count()));
            self.line(&format!("  {size:>7} dropped  {url}  {title}"));
        }
    }

    fn doubtful(&mut self, report: &Report) {
        // The lines about held-back URLs take the place of a pair.
        let shown = SHOWN - usize::from(report.saved.requests > 0);
        let pairs = report.doubtful(shown);
        if pairs.is_empty() {
            return;
        }
        self.title("Most doubtful pairs");
        for pair in pairs {
            let verdict = if pair.because.is_none() { "dropped" } else { "kept" };
            let bits = pair.distance.map_or_else(
                || "short  ".to_owned(),
                |bits| match bits {
                    1 => " 1 bit ".to_owned(),
                    bits => format!("{bits:>2} bits"),
                },
            );
            let room = self.width.saturating_sub(28);
            let (kept, other) = (shorten(pair.kept, room), shorten(pair.other, room));
            let similarity = report.thresholds.in_words(pair.distance, pair.similarity);
            self.line(&format!("  {verdict:<7} {similarity} {bits}  {other}"));
            self.line(&format!(
                "{:>23}  {kept}",
                if pair.because.is_none() { "of" } else { "beside" }
            ));
        }
    }

    fn hosts(&mut self, report: &Report) {
        let hosts = report.hosts_by_fetched();
        let is_wide = self.width >= WIDE_HOSTS;
        let room = self.width.saturating_sub(if is_wide { 48 } else { 32 });
        let more = |failed: &str, queued: &str| {
            if is_wide {
                format!("{failed:>8}{queued:>8}")
            } else {
                String::new()
            }
        };
        self.title(&format!(
            "{:<room$}{:>10}{:>10}{:>10}{}",
            format!("Hosts ({})", grouped(hosts.len() as u64)),
            "fetched",
            "kept",
            "dropped",
            more("failed", "queued"),
        ));
        for host in hosts.iter().take(SHOWN) {
            let counts = &host.counts;
            self.line(&format!(
                "  {:<name$}{:>10}{:>10}{:>8.1} %{}",
                shorten(&host.host, room.saturating_sub(3)),
                grouped(counts.fetched),
                grouped(counts.kept),
                counts.dropped_percent(),
                more(&grouped(counts.failed), &grouped(counts.queued)),
                name = room.saturating_sub(2),
            ));
        }
        let unavailable = report.unavailable_hosts();
        if let Some(host) = unavailable.first() {
            let (name, why) = (shorten(&host.host, 30), terminal_text(&host.why_unavailable(), 200));
            let all = grouped(unavailable.len() as u64);
            let line = format!("  resting or given up ({all}): {name}: {why}");
            if columns(&line) <= self.width {
                self.line(&line);
            } else {
                // The reason matters more than the number of the others.
                self.line(&format!("  {} {name}: {why}", host.standing.words()));
            }
        }
    }

    fn rendering(&mut self, report: &Report) {
        let rendering = &report.rendering;
        if rendering.is_empty() {
            return;
        }
        self.title("Pages that a browser rendered");
        let (all, seconds) = (rendering.rendered + rendering.tested, rendering.elapsed_ms / 1_000);
        self.line(&format!(
            "  {} rendered, {} of them said more, {} read without; {} s, {} requests",
            grouped(all),
            grouped(rendering.rendered),
            grouped(rendering.read),
            grouped(seconds),
            grouped(rendering.requests)
        ));
        if rendering.incomplete > 0 {
            self.line(&format!(
                "  {} given up before they were finished; the next refresh visits them",
                grouped(rendering.incomplete)
            ));
        }
    }

    fn rules(&mut self, report: &Report) {
        let steering = &report.steering;
        if steering.rules.is_empty() && steering.patterns.is_empty() {
            return;
        }
        let learned = grouped((steering.rules.len() + steering.patterns.len()) as u64);
        self.title(&format!("Rules learned from the URLs of duplicates, {learned}"));
        let mut rules: Vec<_> = steering.rules.iter().collect();
        rules.sort_by_key(|rule| std::cmp::Reverse((rule.saved_requests, rule.confirmed)));
        for rule in rules.iter().take(SHOWN) {
            let room = self.width.saturating_sub(38);
            let saved = grouped(rule.saved_requests);
            let evidence = format!("{} for, {} against", rule.confirmed, rule.contradicted);
            self.line(&format!(
                "  {evidence:<19} {saved:>6} saved  {}",
                shorten(&rule.rule, room)
            ));
        }
        for pattern in steering.patterns.iter().take(SHOWN.saturating_sub(rules.len())) {
            let name = shorten(
                &format!("{}{}", pattern.host, pattern.pattern),
                self.width.saturating_sub(38),
            );
            let evidence = format!("{} of {} dropped", pattern.duplicates, pattern.pages);
            self.line(&format!("  {evidence:<19} deprioritised  {name}"));
        }
    }

    fn failures(&mut self, report: &Report) {
        let kinds = report.failure_kinds();
        if kinds.is_empty() {
            return;
        }
        let shown = kinds.iter().take(KINDS_SHOWN);
        let mut parts: Vec<String> = shown
            .map(|(kind, count)| format!("{} {kind}", grouped(*count as u64)))
            .collect();
        if kinds.len() > KINDS_SHOWN {
            parts.push("…".to_owned());
        }
        self.title(&format!("Failures by kind: {}", parts.join(", ")));
        for (kind, _) in kinds.iter().take(KINDS_SHOWN) {
            if let Some(advice) = crawl::failures::advice(kind) {
                self.line(&format!("  {kind}: {advice}"));
            }
        }
    }

    fn redecided(&mut self, report: &Report) {
        let Some(redecided) = &report.redecided else { return };
        self.line(&format!(
            "  decided again: {} now kept, {} now dropped",
            counted_are(redecided.newly_kept, "dropped page"),
            counted_are(redecided.newly_dropped, "kept page")
        ));
    }

    fn refresh(&mut self, report: &Report) {
        let Some(last) = report.refresh.refreshes.last() else {
            return;
        };
        self.title(&format!(
            "Last refresh (of {}), started {}",
            report.refresh.refreshes.len(),
            last.started_at
        ));
        let outcomes = last.outcomes();
        let parts = outcomes.iter().filter(|(_, count, _)| *count > 0);
        let parts: Vec<String> = parts
            .map(|(name, count, _)| format!("{name} {}", grouped(*count)))
            .collect();
        self.line(&format!("  {}", parts.join(", ")));
    }

    fn further(&mut self, report: &Report) {
        self.title("Where to look next");
        let html = command("report", &["--format", "html", "-o", "report.html"]);
        let mut further = vec![
            (html, "the report for a browser"),
            (command("report", &["--full"]), "the long listing"),
        ];
        if let Some(url) = report.example() {
            further.push((command("explain", &[url]), "why this page was kept or dropped"));
        }
        if !report.steering.is_empty() {
            further.push((command("rules", &[]), "the evidence for each rule"));
        }
        if report.counts.fetched > 0 {
            further.push((command("tune", &[]), "the effect of another threshold"));
        }
        for (command, purpose) in further {
            let line = format!("  {command:<44}  {purpose}");
            if columns(&line) <= self.width {
                self.line(&line);
            } else {
                self.line(&format!("  {purpose}:"));
                self.command(&format!("    {command}"));
            }
        }
    }
}

#[cfg(test)]
mod tests;
