//! The figures and the sentences of the page.

use super::super::Report;
use super::super::timeline::Timeline;
use super::super::variants::in_words;
use super::web_text::{WebUrl, utc};
use terminal::units::{bytes, duration, grouped};

/// How large the page shows a figure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rank {
    Large,
    Small,
}

/// A figure of the summary.
#[derive(Debug)]
pub(crate) struct Figure {
    pub rank: Rank,
    /// Whether it counts something that did not happen; the page leaves it out.
    pub is_zero: bool,
    pub name: &'static str,
    pub value: String,
    pub note: String,
}

/// Bound on the seeds that the page names.
const SEEDS_NAMED: usize = 5;
/// Characters of a seed.
const SEED_CHARS: usize = 200;
/// Bound on the reasons for held-back URLs in the first sentences.
const REASONS_NAMED: usize = 3;

/// The result of the crawl in a few sentences.
pub(super) fn lead(report: &Report) -> String {
    let (counts, saved) = (&report.counts, &report.saved);
    let mut lead = match counts.dropped() {
        _ if counts.fetched == 0 => "No page was fetched.".to_owned(),
        0 if counts.fetched == 1 => "The only page said something new and was kept.".to_owned(),
        0 => format!(
            "All {} pages said something new and were kept.",
            grouped(counts.fetched)
        ),
        _ => format!(
            "{} of {} pages said something new and were kept; {:.1} % said nothing new.",
            grouped(counts.kept),
            grouped(counts.fetched),
            counts.dropped_percent()
        ),
    };
    if saved.duplicate_bytes > 0 {
        let not_stored = bytes(saved.duplicate_bytes);
        lead.push_str(&format!(" {not_stored} of duplicates were fetched and not stored."));
    }
    if let Some(running) = report.running() {
        lead.push_str(&format!(" {running}."));
    }
    if saved.requests > 0 {
        let reasons = report.steering.held_back_by();
        let named: Vec<String> = reasons
            .iter()
            .take(REASONS_NAMED)
            .map(|(reason, urls)| format!("{} by {reason}", grouped(*urls)))
            .collect();
        lead.push_str(&format!(
            " {} URLs, about {}, were held back as predicted duplicates: {}; {}.",
            grouped(saved.requests),
            bytes(saved.unfetched_bytes),
            named.join(", "),
            report.steering.how_to_fetch()
        ));
    }
    lead
}

/// The crawl that the page is about.
#[derive(Debug)]
pub(crate) struct Subject {
    pub seeds: Vec<WebUrl>,
    /// The number of seeds that are not named; empty if there are none.
    pub further: String,
    pub data: String,
    /// The first and the last fetch; `None` if no page was fetched.
    pub time: Option<(String, String)>,
}

pub(super) fn subject(report: &Report) -> Subject {
    let about = &report.about;
    let named = about.seeds.len().min(SEEDS_NAMED);
    let further = about.seeds.len() - named + about.further;
    Subject {
        seeds: about.seeds[..named]
            .iter()
            .map(|seed| WebUrl::of(seed, SEED_CHARS))
            .collect(),
        further: match (further, about.is_open) {
            (0, false) => String::new(),
            (further, false) => format!("and {} more", grouped(further as u64)),
            (further, true) => format!("and over {} more", grouped(further as u64)),
        },
        data: about.data.clone(),
        time: report.timeline.started_at.clone().zip(report.timeline.ended_at.clone()),
    }
}

pub(super) fn figures(report: &Report) -> Vec<Figure> {
    let mut figures = Vec::from(large_figures(report));
    figures.extend(small_figures(report));
    figures
}

fn large_figures(report: &Report) -> [Figure; 4] {
    let (counts, saved) = (&report.counts, &report.saved);
    let dropped = counts.dropped();
    let figure = |name, value, note, is_zero| Figure {
        rank: Rank::Large,
        is_zero,
        name,
        value,
        note,
    };
    let received = format!("pages, {} received", bytes(counts.bytes_fetched));
    let new = format!("say something new, {}", bytes(counts.bytes_kept));
    let kinds = format!("{} exact, {} near", grouped(counts.exact), grouped(counts.near));
    let percent = format!("{:.1} %", counts.dropped_percent());
    let not_stored = saved.duplicate_bytes;
    [
        figure("fetched", grouped(counts.fetched), received, false),
        figure("kept", grouped(counts.kept), new, false),
        figure("duplicates", percent, kinds, dropped == 0),
        figure(
            "not stored",
            bytes(not_stored),
            "bodies of duplicates".to_owned(),
            not_stored == 0,
        ),
    ]
}

fn small_figures(report: &Report) -> Vec<Figure> {
    let (counts, saved, timeline) = (&report.counts, &report.saved, &report.timeline);
    let figure = |name, value, note: String, is_zero| Figure {
        rank: Rank::Small,
        is_zero,
        name,
        value,
        note,
    };
    let count = |name, count, note: &str| figure(name, grouped(count), note.to_owned(), count == 0);
    let held_back = format!("estimate for {} URLs held back", grouped(saved.requests));
    let rate = match counts.fetched as f64 / timeline.active_seconds as f64 {
        rate if rate.is_finite() => format!("without pauses, {rate:.1} pages/s"),
        _ => "no page was fetched".to_owned(),
    };
    let active = timeline.active_seconds;
    vec![
        figure(
            "not fetched",
            bytes(saved.unfetched_bytes),
            held_back,
            saved.requests == 0,
        ),
        figure("duration", duration(active), rate, active == 0),
        count("discovered", counts.discovered, "known URLs"),
        count("queued", counts.queued, "URLs still to be fetched"),
        count("redirected", counts.redirected, "URLs lead to another URL"),
        count("failed", counts.failed, "URLs returned no page"),
        count("excluded", counts.excluded, "robots.txt, noindex, scope, or not a page"),
        count("gone", counts.gone, "pages existed at an earlier visit"),
        count("visits due", counts.due, "still to be made"),
    ]
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
    if thresholds.min_own_words > 0 {
        rule.push_str(&format!(
            "; and they have the same heading, or one of them has fewer than {} words that the other lacks",
            thresholds.min_own_words
        ));
    }
    if let Some(variants) = in_words(report.variants, thresholds) {
        rule.push_str(&format!(". {}", variants.join("; ")));
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
            " {} URLs are held back and stay queued; this saved about {}; {}.",
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
            "From {} to {}, {}; {} without pauses over a minute. Each bar is {}.",
            utc(from).as_ref().unwrap_or(from),
            utc(to).as_ref().unwrap_or(to),
            duration(timeline.seconds),
            duration(timeline.active_seconds),
            duration(timeline.interval_seconds)
        ),
        _ => "No page was fetched.".to_owned(),
    }
}
