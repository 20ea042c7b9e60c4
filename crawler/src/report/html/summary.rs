//! The figures of the page, in words.

use super::super::text::bytes;
use super::super::timeline::Timeline;
use super::super::{Report, dropped_percent};

/// A figure of the summary.
#[derive(Debug)]
pub(super) struct Figure {
    pub name: &'static str,
    pub value: String,
    pub note: String,
}

/// `12,345`.
pub(crate) fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `2 d 3 h`, `4 min 5 s`: the two largest units.
pub(crate) fn duration(seconds: u64) -> String {
    let (days, hours, minutes) = (seconds / 86_400, seconds / 3_600 % 24, seconds / 60 % 60);
    match (days, hours, minutes) {
        (0, 0, 0) => format!("{seconds} s"),
        (0, 0, _) => format!("{minutes} min {} s", seconds % 60),
        (0, _, _) => format!("{hours} h {minutes} min"),
        _ => format!("{days} d {hours} h"),
    }
}

/// The whole in two sentences.
pub(super) fn lead(report: &Report) -> String {
    let (counts, saved) = (&report.counts, &report.saved);
    let mut lead = format!(
        "{} of {} pages said something new and were kept; {:.1} % said nothing new. ",
        grouped(counts.kept),
        grouped(counts.fetched),
        dropped_percent(counts)
    );
    lead.push_str(&format!(
        "{} of duplicates were fetched and not stored",
        bytes(saved.duplicate_bytes)
    ));
    if saved.requests > 0 {
        lead.push_str(&format!(
            ", and {} duplicates, about {}, were foretold and never fetched",
            grouped(saved.requests),
            bytes(saved.unfetched_bytes)
        ));
    }
    lead.push('.');
    lead
}

pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let (counts, saved, timeline) = (&report.counts, &report.saved, &report.timeline);
    let figure = |name, value, note: String| Figure { name, value, note };
    let mut figures = vec![
        figure(
            "fetched",
            grouped(counts.fetched),
            format!("pages, {} over the wire", bytes(counts.bytes_fetched)),
        ),
        figure(
            "kept",
            grouped(counts.kept),
            format!("say something new, {}", bytes(counts.bytes_kept)),
        ),
        figure(
            "duplicates",
            format!("{:.1} %", dropped_percent(counts)),
            format!("{} exact, {} near", grouped(counts.exact), grouped(counts.near)),
        ),
        figure(
            "not stored",
            bytes(saved.duplicate_bytes),
            "bodies of duplicates".to_owned(),
        ),
        figure(
            "not fetched",
            bytes(saved.unfetched_bytes),
            format!("about, {} requests that steering saved", grouped(saved.requests)),
        ),
        figure(
            "duration",
            duration(timeline.active_seconds),
            match counts.fetched as f64 / timeline.active_seconds as f64 {
                rate if rate.is_finite() => format!("without pauses, {rate:.1} pages a second"),
                _ => "nothing was fetched".to_owned(),
            },
        ),
        figure("discovered", grouped(counts.discovered), "URLs known".to_owned()),
        figure("queued", grouped(counts.queued), "URLs still to be fetched".to_owned()),
        figure(
            "redirected",
            grouped(counts.redirected),
            "URLs lead elsewhere".to_owned(),
        ),
        figure("failed", grouped(counts.failed), "URLs, no page came".to_owned()),
        figure(
            "excluded",
            grouped(counts.excluded),
            "robots.txt, noindex, or no page".to_owned(),
        ),
    ];
    if counts.gone > 0 {
        figures.push(figure("gone", grouped(counts.gone), "were there once".to_owned()));
    }
    if counts.due > 0 {
        figures.push(figure("visits due", grouped(counts.due), "still to be made".to_owned()));
    }
    figures
}

/// The rule in force.
pub(super) fn thresholds(report: &Report) -> String {
    let thresholds = &report.thresholds;
    let bits = thresholds.max_distance;
    let mut rule = match (thresholds.confirm, thresholds.min_similarity) {
        ("combined", Some(bound)) => {
            format!(
                "fingerprints at most {bits} bits apart, and a sum of distance and metadata of at least {bound} confirms it"
            )
        }
        (_, Some(least)) => {
            format!(
                "fingerprints at most {bits} bits apart, and an estimated similarity of at least {least} confirms it"
            )
        }
        (_, None) => format!("fingerprints at most {bits} bits apart"),
    };
    rule.push_str(&format!(
        "; texts too short for a fingerprint, by a similarity of at least {}",
        thresholds.min_similarity_short
    ));
    if thresholds.numbers_must_match {
        rule.push_str("; and the numbers in them are the same");
    }
    let (compared, kept) = (report.histograms.compared, report.counts.kept);
    if compared < kept {
        rule.push_str(&format!(
            ". For near misses, {} of the {} kept pages were compared, evenly chosen",
            grouped(compared),
            grouped(kept)
        ));
    }
    rule
}

/// What the verdicts taught about URLs.
pub(super) fn steering(report: &Report) -> String {
    let steering = &report.steering;
    if steering.is_empty() {
        return "The verdicts taught nothing about URLs: no rule was learned and no pattern is put last.".to_owned();
    }
    let mut text = "What the verdicts taught about URLs.".to_owned();
    if steering.left > 0 {
        text.push_str(&format!(
            " {} requests were saved, about {}: these URLs are left in the queue.",
            grouped(steering.left),
            bytes(steering.left_bytes)
        ));
    }
    if steering.snoozed > 0 {
        text.push_str(&format!(" {} URLs go last.", grouped(steering.snoozed)));
    }
    text
}

/// When the crawl was.
pub(super) fn timeline(timeline: &Timeline) -> String {
    match (&timeline.started_at, &timeline.ended_at) {
        (Some(from), Some(to)) => format!(
            "From {from} to {to}, {}; {} without pauses. Each bar is {}.",
            duration(timeline.seconds),
            duration(timeline.active_seconds),
            duration(timeline.interval_seconds)
        ),
        _ => "No page was fetched.".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_times_are_easily_read() {
        assert_eq!(
            [0, 999, 1_000, 1_234_567].map(grouped),
            ["0", "999", "1,000", "1,234,567"]
        );
        let times = [5, 65, 3_660, 100_000].map(duration);
        assert_eq!(times, ["5 s", "1 min 5 s", "1 h 1 min", "1 d 3 h"]);
    }
}
