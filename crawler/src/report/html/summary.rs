//! The figures and the sentences of the page.

use super::super::Report;
use super::super::timeline::Timeline;
use crate::terminal::units::{bytes, duration, grouped};

/// A figure of the summary.
#[derive(Debug)]
pub(super) struct Figure {
    pub name: &'static str,
    pub value: String,
    pub note: String,
}

/// Bound on the reasons for held-back URLs in the first sentences.
const REASONS_NAMED: usize = 3;

/// The result of the crawl in a few sentences.
pub(super) fn lead(report: &Report) -> String {
    let (counts, saved) = (&report.counts, &report.saved);
    let mut lead = format!(
        "{} of {} pages said something new and were kept; {:.1} % said nothing new. ",
        grouped(counts.kept),
        grouped(counts.fetched),
        counts.dropped_percent()
    );
    lead.push_str(&format!(
        "{} of duplicates were fetched and not stored",
        bytes(saved.duplicate_bytes)
    ));
    if saved.requests > 0 {
        lead.push_str(&format!(
            ", and {} URLs, about {}, were held back as predicted duplicates",
            grouped(saved.requests),
            bytes(saved.unfetched_bytes)
        ));
    }
    lead.push('.');
    if saved.requests > 0 {
        let reasons = report.steering.held_back_by();
        let named: Vec<String> = reasons
            .iter()
            .take(REASONS_NAMED)
            .map(|(reason, urls)| format!("{} by {reason}", grouped(*urls)))
            .collect();
        lead.push_str(&format!(
            " Held back: {}; {}.",
            named.join(", "),
            report.steering.how_to_fetch()
        ));
    }
    lead
}

pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let (counts, saved, timeline) = (&report.counts, &report.saved, &report.timeline);
    let figure = |name, value, note: String| Figure { name, value, note };
    let mut figures = vec![
        figure(
            "fetched",
            grouped(counts.fetched),
            format!("pages, {} received", bytes(counts.bytes_fetched)),
        ),
        figure(
            "kept",
            grouped(counts.kept),
            format!("say something new, {}", bytes(counts.bytes_kept)),
        ),
        figure(
            "duplicates",
            format!("{:.1} %", counts.dropped_percent()),
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
            format!("estimate for {} URLs held back", grouped(saved.requests)),
        ),
        figure(
            "duration",
            duration(timeline.active_seconds),
            match counts.fetched as f64 / timeline.active_seconds as f64 {
                rate if rate.is_finite() => format!("without pauses, {rate:.1} pages/s"),
                _ => "no page was fetched".to_owned(),
            },
        ),
        figure("discovered", grouped(counts.discovered), "known URLs".to_owned()),
        figure("queued", grouped(counts.queued), "URLs still to be fetched".to_owned()),
        figure(
            "redirected",
            grouped(counts.redirected),
            "URLs lead to another URL".to_owned(),
        ),
        figure("failed", grouped(counts.failed), "URLs returned no page".to_owned()),
        figure(
            "excluded",
            grouped(counts.excluded),
            "robots.txt, noindex, or not a page".to_owned(),
        ),
    ];
    if counts.gone > 0 {
        figures.push(figure(
            "gone",
            grouped(counts.gone),
            "pages existed at an earlier visit".to_owned(),
        ));
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
                "the fingerprints differ by at most {bits} bits, and the sum of distance and metadata is at least {bound}"
            )
        }
        (_, Some(least)) => {
            format!("the fingerprints differ by at most {bits} bits, and the estimated similarity is at least {least}")
        }
        (_, None) => format!("the fingerprints differ by at most {bits} bits"),
    };
    rule.push_str(&format!(
        "; for texts too short for a fingerprint, the similarity is at least {}",
        thresholds.min_similarity_short
    ));
    if thresholds.numbers_must_match {
        rule.push_str("; and the numbers in the texts are the same");
    }
    let (compared, kept) = (report.histograms.compared, report.counts.kept);
    if compared < kept {
        rule.push_str(&format!(
            ". The search for near misses compared {} of the {} kept pages, evenly spaced",
            grouped(compared),
            grouped(kept)
        ));
    }
    rule
}

/// The effect of steering.
pub(super) fn steering(report: &Report) -> String {
    let steering = &report.steering;
    if steering.is_empty() {
        return "The crawl learned no rule about URLs, and no pattern of URLs is deprioritised.".to_owned();
    }
    let mut text = "The crawl learns rules about URLs from its verdicts.".to_owned();
    if steering.held_back > 0 {
        text.push_str(&format!(
            " {} URLs are held back and stay queued; this saved about {}. {}.",
            grouped(steering.held_back),
            bytes(steering.held_back_bytes),
            steering.how_to_fetch()
        ));
    }
    if steering.deprioritised > 0 {
        text.push_str(&format!(" {} URLs are deprioritised.", grouped(steering.deprioritised)));
    }
    text
}

/// The time of the crawl.
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
