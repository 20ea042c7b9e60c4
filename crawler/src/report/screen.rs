//! The report for a terminal: the whole story in one screen.

mod fit;
mod spark;

use unicode_width::UnicodeWidthStr;

use super::html::{duration, grouped};
use super::text::bytes;
use super::{Report, dropped_percent};
use crate::terminal::text::terminal_text;
use fit::{cut, shorten};
use spark::{Slot, gather, pairs, spark};

/// The narrowest and the widest that are written for.
const MIN_WIDTH: usize = 48;
const MAX_WIDTH: usize = 1_000;

/// From so many columns on the counts stand in two columns, and hosts have all of theirs.
const TWO_COLUMNS: usize = 73;
const WIDE_HOSTS: usize = 66;

/// Rows shown of what the other forms show whole.
const SHOWN: usize = 3;
const KINDS_SHOWN: usize = 6;

/// Lines of at most so many columns.
struct Screen {
    out: String,
    width: usize,
}

pub(super) fn render(report: &Report, width: usize) -> String {
    let mut screen = Screen {
        out: String::new(),
        width: width.clamp(MIN_WIDTH, MAX_WIDTH),
    };
    screen.summary(report);
    screen.redecided(report);
    screen.histograms(report);
    screen.clusters(report);
    screen.doubtful(report);
    screen.hosts(report);
    screen.rules(report);
    screen.failures(report);
    screen.refresh(report);
    screen.further();
    screen.out
}

impl Screen {
    fn line(&mut self, text: &str) {
        self.out.push_str(cut(text, self.width).trim_end());
        self.out.push('\n');
    }

    fn title(&mut self, text: &str) {
        self.out.push('\n');
        self.line(text);
    }

    fn summary(&mut self, report: &Report) {
        let (counts, saved, timeline) = (&report.counts, &report.saved, &report.timeline);
        self.line(&format!(
            "{} of {} pages said nothing new ({:.1} %); fetched in {}",
            grouped(counts.exact + counts.near),
            grouped(counts.fetched),
            dropped_percent(counts),
            duration(timeline.active_seconds)
        ));
        let left = [
            (
                "fetched",
                counts.fetched,
                format!("{} over the wire", bytes(counts.bytes_fetched)),
            ),
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
        if self.width >= TWO_COLUMNS {
            for ((name, count, note), (other, others)) in left.into_iter().zip(right) {
                let (count, others) = (grouped(count), grouped(others));
                self.line(&format!("  {name:<8}{count:>11}  {note:<27}  {other:<10}{others:>11}"));
            }
        } else {
            let right = right.map(|(name, count)| (name, count, String::new()));
            for (name, count, note) in left.into_iter().chain(right) {
                self.line(&format!("  {name:<10}{:>11}  {note}", grouped(count)));
            }
        }
        if counts.gone + counts.due > 0 {
            self.line(&format!(
                "  gone {}, visits still due {}",
                grouped(counts.gone),
                grouped(counts.due)
            ));
        }
        let mut text = format!(
            "  saved {}: duplicates that are not stored",
            bytes(saved.duplicate_bytes)
        );
        if saved.requests > 0 {
            text.push_str(&format!(
                "; {} requests, about {}",
                grouped(saved.requests),
                bytes(saved.unfetched_bytes)
            ));
        }
        self.line(&text);
    }

    fn histograms(&mut self, report: &Report) {
        let (histograms, thresholds) = (&report.histograms, &report.thresholds);
        let pairs = report.counts.near + report.near_misses.len() as u64;
        if pairs == 0 {
            return;
        }
        let bits = thresholds.max_distance;
        let title = format!("Near pairs by distance in bits; {bits} at most are dropped (|)");
        let sample = format!("kept: of {} pages", grouped(histograms.compared));
        match histograms.compared < report.counts.kept {
            false => self.title(&title),
            true if title.width() + sample.width() + 2 <= self.width => self.title(&format!("{title}; {sample}")),
            true => {
                self.title(&title);
                self.line(&format!("  ({sample})"));
            }
        }
        let slots = histograms.distances.iter().map(|bar| Slot {
            dropped: bar.dropped,
            kept: bar.near_misses,
            label: bar.distance.is_multiple_of(5).then(|| bar.distance.to_string()),
        });
        let slots: Vec<Slot> = slots.collect();
        self.pairs(&slots, Some(bits as usize + 1), 3);

        // Steps of two hundredths, as in the histogram; those without a pair are not in that.
        let mut slots: Vec<Slot> = (0..50)
            .map(|step| Slot {
                label: (step % 10 == 0).then(|| format!("{:.1}", f64::from(step) / 50.0)),
                ..Slot::default()
            })
            .collect();
        for bar in &histograms.similarities {
            if let Some(slot) = slots.get_mut((bar.from * 50.0).round() as usize) {
                (slot.dropped, slot.kept) = (bar.dropped, bar.near_misses);
            }
        }
        let least = thresholds.min_similarity;
        self.title(&match least {
            Some(least) => format!("Near pairs by similarity; {least} at least confirms (|)"),
            None => "Near pairs by similarity; the distance alone decides".to_owned(),
        });
        let threshold = least.map(|least| (least * 50.0).round() as usize);
        self.pairs(&slots, threshold, 1);
    }

    /// A histogram, each slot so many `columns` wide, or, where that is too wide, narrower, or more slots to a column.
    fn pairs(&mut self, slots: &[Slot], threshold: Option<usize>, columns: usize) {
        let totals = [|slot: &Slot| slot.dropped, |slot: &Slot| slot.kept].map(|count| pairs(slots, count).len());
        let room = self.width.saturating_sub(11 + totals.into_iter().max().unwrap_or(0));
        let [dropped, kept, axis] = match slots.len() * columns <= room {
            true => spark(slots, threshold, columns),
            false => {
                let (slots, threshold) = gather(slots, threshold, room);
                spark(&slots, threshold, 1)
            }
        };
        self.line(&format!("  dropped {dropped}"));
        self.line(&format!("  kept    {kept}"));
        self.line(&format!("          {axis}"));
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
            let title = terminal_text(&cluster.title, room.saturating_sub(url.chars().count()));
            self.line(&format!("  {size:>7} dropped  {url}  {title}"));
        }
    }

    fn doubtful(&mut self, report: &Report) {
        let pairs = report.doubtful(SHOWN);
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
        let mut hosts: Vec<_> = report.hosts.iter().collect();
        hosts.sort_by_key(|host| std::cmp::Reverse(host.counts.fetched));
        let is_wide = self.width >= WIDE_HOSTS;
        let room = self.width.saturating_sub(if is_wide { 48 } else { 32 });
        let more = |failed: &str, queued: &str| match is_wide {
            true => format!("{failed:>8}{queued:>8}"),
            false => String::new(),
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
                dropped_percent(counts),
                more(&grouped(counts.failed), &grouped(counts.queued)),
                name = room.saturating_sub(2),
            ));
        }
        let alone = report.left_alone();
        if let Some(host) = alone.first() {
            let (name, why) = (shorten(&host.host, 30), terminal_text(&host.why_left_alone(), 200));
            self.line(&format!(
                "  left alone: {} hosts, as {name}: {why}",
                grouped(alone.len() as u64)
            ));
        }
    }

    fn rules(&mut self, report: &Report) {
        let steering = &report.steering;
        if steering.rules.is_empty() && steering.patterns.is_empty() {
            return;
        }
        let learned = grouped((steering.rules.len() + steering.patterns.len()) as u64);
        self.title(&format!(
            "Rules learned from URLs of duplicates ({learned}; crawler rules shows all)"
        ));
        let mut rules: Vec<_> = steering.rules.iter().collect();
        rules.sort_by_key(|rule| std::cmp::Reverse((rule.saved_requests, rule.confirmed)));
        for rule in rules.iter().take(SHOWN) {
            let room = self.width.saturating_sub(38);
            let saved = grouped(rule.saved_requests);
            let held = format!("{} for, {} against", rule.confirmed, rule.contradicted);
            self.line(&format!("  {held:<19} {saved:>6} saved  {}", shorten(&rule.rule, room)));
        }
        for pattern in steering.patterns.iter().take(SHOWN.saturating_sub(rules.len())) {
            let name = shorten(
                &format!("{}{}", pattern.host, pattern.pattern),
                self.width.saturating_sub(38),
            );
            let held = format!("{} of {} dropped", pattern.duplicates, pattern.pages);
            self.line(&format!("  {held:<19}    goes last  {name}"));
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
    }

    fn redecided(&mut self, report: &Report) {
        let Some(redecided) = &report.redecided else { return };
        self.line(&format!(
            "  decided anew: dropped when crawled, kept now {}; kept then, dropped now {}",
            grouped(redecided.newly_kept),
            grouped(redecided.newly_dropped)
        ));
    }

    fn refresh(&mut self, report: &Report) {
        let Some(last) = report.refresh.refreshes.last() else {
            return;
        };
        self.title(&format!(
            "Last refresh (of {}), begun {}",
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

    fn further(&mut self) {
        self.title("Where to look next");
        for (command, what) in [
            ("crawler report --format html -o report.html", "in a browser"),
            ("crawler report --full", "the long listing"),
            ("crawler explain URL", "why a page was kept or dropped"),
            ("crawler tune", "what another threshold would do"),
        ] {
            self.line(&format!("  {command:<44}  {what}"));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::thresholds::AtSimilarity;
    use super::*;

    #[test]
    fn the_whole_fits_one_screen_of_any_width() {
        let mut report = super::super::tests::sample();
        report.clusters[0].title = "漢字".repeat(100);
        report.clusters[0].kept = format!("http://a.example/{}", "long/".repeat(50));
        for width in [
            0,
            1,
            48,
            49,
            60,
            66,
            70,
            80,
            100,
            200,
            usize::from(u16::MAX) + 1,
            usize::MAX,
        ] {
            let screen = render(&report, width);
            for line in screen.lines() {
                assert!(line.width() <= width.max(MIN_WIDTH), "{width}: {line}");
            }
            let most = if width < TWO_COLUMNS { 54 } else { 50 };
            assert!(screen.lines().count() <= most, "{screen}");
            assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'));
            for name in ["fetched", "queued", "redirected", "failed", "excluded"] {
                let counted = |line: &str| {
                    let mut words = line.split_whitespace().skip_while(|word| *word != name).skip(1);
                    words
                        .next()
                        .is_some_and(|word| word.starts_with(|c: char| c.is_ascii_digit()))
                };
                assert!(screen.lines().take(12).any(counted), "{name} at {width}: {screen}");
            }
        }
        let screen = render(&report, 100);
        for part in [
            "2 of 4 pages said nothing new (50.0 %)",
            "saved 40.0 kB",
            "Near pairs by distance",
            "0.750",
            "http_404",
            "crawler tune",
            "Last refresh (of 1), begun 2026-03-21T09:30:00Z",
            "5 for, 0 against",
            "dead.example",
        ] {
            assert!(screen.contains(part), "{part}: {screen}");
        }
    }

    #[test]
    fn no_pair_is_cut_off_a_narrow_histogram() {
        let mut report = super::super::tests::sample();
        let at = |from: f32, dropped, near_misses| AtSimilarity {
            from,
            to: from + 0.02,
            dropped,
            near_misses,
        };
        for (least, left) in [(0.76, 1), (0.5, 1), (0.3, 1), (0.02, 0)] {
            report.thresholds.min_similarity = Some(least);
            report.histograms.similarities = vec![at(0.12, 0, 1_234_567), at(least, 7, 0), at(0.98, 5, 0)];
            for width in [48, 60, 70, 80] {
                let screen = render(&report, width);
                let mut lines = screen
                    .lines()
                    .skip_while(|line| !line.starts_with("Near pairs by similarity"));
                let (dropped, kept) = (lines.nth(1).unwrap(), lines.next().unwrap());
                assert!(dropped.ends_with("  12 pairs"), "{screen}");
                assert!(kept.ends_with("  1,234,567 pairs"), "{screen}");
                // What is at the threshold stands right of it, what is under it left.
                let (below, above) = dropped.split_once('|').unwrap();
                assert!(
                    below["  dropped ".len()..].trim().is_empty() && !above.starts_with(' '),
                    "{screen}"
                );
                let below = kept["  kept".len()..].split('|').next().unwrap();
                assert_eq!(below.trim().chars().count(), left, "{screen}");
            }
        }
    }
}
