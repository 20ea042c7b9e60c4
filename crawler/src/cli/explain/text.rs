//! What `crawler explain` answers, for people.

use super::answer::{Answer, Block, Decided, Failed, Other, Page, Queued, State};
use crate::cli::diff_text;
use crate::cli::in_words::{counted, likeness};
use crate::cli::screen::{Paint, Screen};
use crate::study::diff::Diff;
use crate::terminal::text::terminal_text;
use crate::terminal::units::bytes;

/// Characters of a title, a note or the like.
const SHOWN_CHARS: usize = 400;

/// Characters of a URL: as long as it may be.
const URL_CHARS: usize = 4_096;

/// Nearest pages shown.
const NEAREST_SHOWN: usize = 3;

pub(super) fn render(answer: &Answer, screen: Screen) -> String {
    let mut out = String::new();
    for line in screen.indented(0, &url(&answer.url)).lines() {
        out.push_str(&screen.paint(line, Paint::Strong));
        out.push('\n');
    }
    out.push_str(&screen.indented(0, &terminal_text(&answer.summary, 3 * URL_CHARS)));
    match &answer.state {
        State::Page(answer) => page(&mut out, answer, screen),
        State::Queued(answer) => queued(&mut out, answer, screen),
        State::Failed(answer) => failed(&mut out, answer, screen),
        State::Excluded { .. } => {}
        State::Redirect { target, .. } => {
            if let Some(target) = target {
                out.push('\n');
                out.push_str(&render(target, screen));
            }
        }
        State::Unknown { alike } => {
            if answer.asked != answer.url {
                out.push_str(&screen.labelled("asked for", &url(&answer.asked)));
            }
            if !alike.is_empty() {
                out.push_str("It knows, spelt nearly so:\n");
            }
            for other in alike {
                out.push_str(&screen.indented(2, &url(other)));
            }
        }
    }
    out
}

fn url(text: &str) -> String {
    terminal_text(text, URL_CHARS)
}

fn shown(text: &str) -> String {
    terminal_text(text, SHOWN_CHARS)
}

fn title(text: &str) -> String {
    if text.is_empty() {
        "(no title)".to_owned()
    } else {
        shown(text)
    }
}

fn via(out: &mut String, via: Option<&str>, screen: Screen) {
    let via = via.map_or_else(|| "a seed".to_owned(), url);
    out.push_str(&screen.labelled("found on", &via));
}

fn queued(out: &mut String, queued: &Queued, screen: Screen) {
    out.push('\n');
    if let Some(place) = queued.place {
        let priority = queued.priority.unwrap_or_default();
        let text = format!("{place} of its host's queue, priority {priority}");
        out.push_str(&screen.labelled("place", &text));
        via(out, queued.via.as_deref(), screen);
    }
    if let Some(attempts) = queued.attempts.filter(|attempts| *attempts > 0) {
        out.push_str(&screen.labelled("tried", &counted(attempts.into(), "time")));
    }
    if let Some(steering) = &queued.steering {
        out.push_str(&screen.labelled("because", &shown(steering)));
    }
}

fn failed(out: &mut String, failed: &Failed, screen: Screen) {
    out.push('\n');
    out.push_str(&screen.labelled("kind", &shown(&failed.kind)));
    if let Some(status) = failed.status {
        out.push_str(&screen.labelled("status", &status.to_string()));
    }
    via(out, failed.via.as_deref(), screen);
}

fn page(out: &mut String, page: &Page, screen: Screen) {
    out.push('\n');
    out.push_str(&screen.labelled("title", &title(&page.title)));
    let fetched = page.fetched_at.as_deref().unwrap_or("at an unknown time");
    let content_type = match page.content_type.trim() {
        "" => "no content type".to_owned(),
        content_type => shown(content_type),
    };
    let status = format!("{fetched}, status {}, {content_type}", page.status);
    out.push_str(&screen.labelled("fetched", &status));
    let language = page
        .language
        .as_ref()
        .map_or_else(String::new, |language| format!(", language {language}"));
    let size = format!(
        "{}, of which {} of text{language}",
        bytes(page.body_bytes),
        counted(usize::try_from(page.text_chars).unwrap_or(usize::MAX), "character"),
    );
    out.push_str(&screen.labelled("size", &size));
    via(out, page.via.as_deref(), screen);
    let fingerprint = match &page.fingerprint {
        Some(fingerprint) => format!(
            "{fingerprint}, of {}",
            counted(page.distinct_features, "distinct feature")
        ),
        None => format!(
            "none: with {} the text is too short",
            counted(page.tokens as usize, "word")
        ),
    };
    out.push_str(&screen.labelled("fingerprint", &fingerprint));
    out.push_str(&screen.labelled("rule", &page.rule));
    if let Some(other) = &page.compared_with {
        let heading = match page.verdict {
            Decided::Exact | Decided::Near => "A duplicate of",
            Decided::Kept => "Compared with",
        };
        out.push_str(&screen.heading(heading));
        out.push_str(&one(other, screen));
    }
    if page.nearest.is_empty() {
        if page.verdict == Decided::Kept && page.notes.is_empty() {
            out.push_str(&screen.heading("No other kept page is near it"));
        }
    } else {
        nearest(out, page, screen);
    }
    blocks(out, page, screen);
    features(out, page, screen);
    if page.history.len() > 1 {
        out.push_str(&screen.heading("History"));
        for event in &page.history {
            let at = event.at.as_ref().map_or_else(String::new, |at| format!("{at}  "));
            let to = event
                .url
                .as_ref()
                .map_or_else(String::new, |to| format!(": {}", url(to)));
            out.push_str(&screen.indented(2, &format!("{at}{}{to}", shown(&event.what))));
        }
    }
    if let Some(difference) = &page.diff {
        let diff = &difference.diff;
        let unlike = diff.removed + diff.added;
        let heading = match unlike {
            0 if diff.is_cut => format!(
                "The two texts do not differ as far as they were compared ({})",
                Diff::CUT
            ),
            0 => "The two texts do not differ".to_owned(),
            _ => format!(
                "What differs, in words and marks: {} only there, {} only here, {} in both",
                diff.removed, diff.added, diff.same
            ),
        };
        out.push_str(&screen.heading(&heading));
        if unlike > 0 {
            out.push_str(&diff_text::render(diff, (&difference.from, &difference.to), screen));
        }
    }
    for note in &page.notes {
        out.push('\n');
        out.push_str(&screen.indented(0, &terminal_text(note, URL_CHARS)));
    }
}

/// The kept pages that it was a candidate beside, without the one that is shown already.
fn nearest(out: &mut String, page: &Page, screen: Screen) {
    let shown = page.compared_with.as_ref().map(|other| other.link.id);
    let others: Vec<&Other> = page
        .nearest
        .iter()
        .filter(|other| Some(other.link.id) != shown)
        .collect();
    if others.is_empty() {
        return;
    }
    let heading = if shown.is_some() {
        "Other kept pages near it"
    } else {
        "Nearest kept pages"
    };
    out.push_str(&screen.heading(heading));
    for other in others.iter().take(NEAREST_SHOWN) {
        out.push_str(&one(other, screen));
    }
    if others.len() > NEAREST_SHOWN {
        let rest = format!("… and {} more", others.len() - NEAREST_SHOWN);
        out.push_str(&screen.indented(2, &rest));
    }
}

fn one(other: &Other, screen: Screen) -> String {
    let mut out = screen.indented(2, &title(&other.link.title));
    out.push_str(&screen.indented(4, &url(&other.link.url)));
    let text = other.likeness.as_ref().map_or_else(
        || "not compared: both are too short for anything but equality".to_owned(),
        likeness,
    );
    out.push_str(&screen.indented(4, &text));
    out
}

fn features(out: &mut String, page: &Page, screen: Screen) {
    if page.features.is_empty() {
        return;
    }
    out.push_str(&screen.heading("Features that weigh most"));
    let features = page.features.iter();
    let features = features.map(|feature| match feature.count {
        1 => format!("{} ({:.1})", terminal_text(&feature.feature, 40), feature.weight),
        count => format!(
            "{} ({:.1}, {count} times)",
            terminal_text(&feature.feature, 40),
            feature.weight
        ),
    });
    out.push_str(&screen.indented(2, &features.collect::<Vec<_>>().join(", ")));
}

fn blocks(out: &mut String, page: &Page, screen: Screen) {
    if page.blocks.is_empty() {
        return;
    }
    let with = if page.compared_with.is_some() {
        "that page's"
    } else {
        "that of the nearest"
    };
    let heading = format!("Fingerprint against {with}: block by block, · for the same bit");
    out.push_str(&screen.heading(&heading));
    for block in page.blocks.iter().rev() {
        let bits = binary(block.values.0, block.bits);
        let found = match (block.finds, block.radius) {
            (true, Some(0)) => "found by it".to_owned(),
            (true, Some(radius)) => format!("found by it: {radius} may differ"),
            (false, Some(radius)) => format!("{radius} may differ"),
            (_, None) => "not searched".to_owned(),
        };
        let line = format!(
            "{:>3}  {bits}  {}  {:>2} differ  {found}",
            block.low_bit,
            differing(block),
            block.differing
        );
        out.push_str(&screen.indented(2, &line));
    }
}

fn binary(value: u128, bits: u32) -> String {
    format!("{value:0width$b}", width = bits as usize)
}

/// The other fingerprint's bits where they differ.
fn differing(block: &Block) -> String {
    let (this, other) = (binary(block.values.0, block.bits), binary(block.values.1, block.bits));
    let bits = this.chars().zip(other.chars());
    bits.map(|(this, other)| if this == other { '·' } else { other })
        .collect()
}
