use unicode_width::UnicodeWidthStr;

use super::*;
use crate::report::thresholds::AtSimilarity;

#[test]
fn the_summary_fits_one_screen_of_any_width() {
    let mut report = crate::report::tests::sample();
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
            let is_command = line.trim_start().starts_with("crawler ");
            assert!(is_command || line.width() <= width.max(MIN_WIDTH), "{width}: {line}");
        }
        // A narrow screen shows the counts in one column, and commands below their purposes.
        let most = if width < TWO_COLUMNS { 66 } else { 56 };
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
        "Last refresh (of 1), started 2026-03-21T09:30:00Z",
        "5 for, 0 against",
        "dead.example",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
}

#[test]
fn no_pair_is_cut_off_a_narrow_histogram() {
    let mut report = crate::report::tests::sample();
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
            // Pairs at the threshold are right of the bar, pairs below it are left.
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
