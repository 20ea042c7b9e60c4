//! The answer of `crawler explain` as text.

use crate::cli::diff_text;
use crate::cli::screen::{Paint, Screen};
use storage::VerdictKind;
use study::diff::Diff;
use study::explain::{Answer, BlockComparison, ComparedPage, FailureAnswer, PageAnswer, QueueAnswer, State};
use study::in_words::{fingerprint_floor, likeness, text_size};
use study::said::Said;
use terminal::commands::command;
use terminal::text::terminal_text;
use terminal::units::{bytes, counted};

/// Upper bound on the characters of a title or a note.
const SHOWN_CHARS: usize = 400;

/// Upper bound on the characters of a URL.
const URL_CHARS: usize = 4_096;

/// Upper bound on the nearest pages that are shown.
const NEAREST_SHOWN: usize = 3;

pub(super) fn render(answer: &Answer, screen: Screen) -> String {
    let mut out = String::new();
    for line in screen.indented(0, &url(&answer.url)).lines() {
        out.push_str(&screen.paint(line, Paint::Strong));
        out.push('\n');
    }
    out.push_str(&screen.prose(0, &terminal_text(&answer.summary, 3 * URL_CHARS)));
    match &answer.state {
        State::Page(answer) => page(&mut out, answer, screen),
        State::Queued(answer) => queued(&mut out, answer, screen),
        State::Failed(answer) => failed(&mut out, answer, screen),
        State::Excluded { .. } | State::Elsewhere { .. } => {}
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
                out.push_str("Known URLs with a similar spelling:\n");
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

fn queued(out: &mut String, queued: &QueueAnswer, screen: Screen) {
    out.push('\n');
    if let Some(place) = queued.place {
        let priority = queued.priority.unwrap_or_default();
        let text = format!("{place} in the queue of its host, priority {priority}");
        out.push_str(&screen.labelled("place", &text));
        via(out, queued.via.as_deref(), screen);
    }
    if let Some(attempts) = queued.attempts.filter(|attempts| *attempts > 0) {
        out.push_str(&screen.labelled("tried", &counted(attempts.into(), "time")));
    }
    if let Some(steering) = &queued.steering {
        out.push_str(&screen.labelled("because", &shown(steering)));
        let evidence = format!("The rules with their evidence: `{}`", command("rules", &[]));
        out.push_str(&screen.prose(0, &evidence));
    }
}

fn failed(out: &mut String, failed: &FailureAnswer, screen: Screen) {
    out.push('\n');
    out.push_str(&screen.labelled("kind", &shown(&failed.kind)));
    if let Some(status) = failed.status {
        out.push_str(&screen.labelled("status", &status.to_string()));
    }
    via(out, failed.via.as_deref(), screen);
    if let Some(advice) = failed.advice {
        out.push_str(&screen.labelled("what to do", advice));
    }
}

fn page(out: &mut String, page: &PageAnswer, screen: Screen) {
    facts(out, page, screen);
    if let Some(other) = &page.compared_with {
        let heading = match page.verdict {
            VerdictKind::Exact | VerdictKind::Near => "Duplicate of",
            VerdictKind::Kept => "Compared with",
        };
        out.push_str(&screen.heading(heading));
        out.push_str(&one(other, screen));
    }
    nearest(out, page, screen);
    blocks(out, page, screen);
    features(out, page, screen);
    history(out, page, screen);
    difference(out, page, screen);
    remedy(out, page, screen);
    for note in &page.notes {
        out.push('\n');
        out.push_str(&screen.prose(0, &terminal_text(note, URL_CHARS)));
    }
}

fn facts(out: &mut String, page: &PageAnswer, screen: Screen) {
    out.push('\n');
    out.push_str(&screen.labelled("title", &title(&page.title)));
    let fetched = page.fetched_at.as_deref().unwrap_or("at an unknown time");
    let content_type = match page.content_type.trim() {
        "" => "no content type".to_owned(),
        content_type => shown(content_type),
    };
    let as_user = if page.logged_in { ", logged in" } else { "" };
    let status = format!("{fetched}, status {}, {content_type}{as_user}", page.status);
    out.push_str(&screen.labelled("fetched", &status));
    let language = page
        .language
        .as_ref()
        .map_or_else(String::new, |language| format!(", language {language}"));
    let size = format!(
        "{}, with {} of text{language}",
        bytes(page.body_bytes),
        counted(page.text_chars, "character"),
    );
    out.push_str(&screen.labelled("size", &size));
    via(out, page.via.as_deref(), screen);
    for (name, value) in page.metadata.iter().flat_map(Said::explained) {
        out.push_str(&screen.labelled(name, &shown(&value)));
    }
    let fingerprint = match &page.fingerprint {
        Some(fingerprint) => format!(
            "{fingerprint}, from {}",
            counted(page.distinct_features as u64, "distinct feature")
        ),
        None => format!("none: {}", too_short(page)),
    };
    out.push_str(&screen.labelled("fingerprint", &fingerprint));
    out.push_str(&screen.labelled("rule", &page.rule));
}

/// Why the page has no fingerprint.
fn too_short(page: &PageAnswer) -> String {
    let floor = fingerprint_floor(page.min_words);
    match page.words.zip(page.characters) {
        Some((words, characters)) => format!("{floor}, the text has {}", text_size(words, characters)),
        None => floor,
    }
}

fn history(out: &mut String, page: &PageAnswer, screen: Screen) {
    if page.history.len() <= 1 {
        return;
    }
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

fn difference(out: &mut String, page: &PageAnswer, screen: Screen) {
    let Some(difference) = &page.diff else { return };
    let diff = &difference.diff;
    let changed = diff.removed + diff.added;
    let heading = match changed {
        0 if diff.is_cut => "The compared parts of the two texts are the same".to_owned(),
        0 => "The two texts are the same".to_owned(),
        _ => format!(
            "Difference in words and marks: {} only there, {} only here, {} in both",
            diff.removed, diff.added, diff.same
        ),
    };
    out.push_str(&screen.heading(&heading));
    if changed > 0 {
        let names = (difference.from.as_str(), difference.to.as_str());
        out.push_str(&diff_text::render(diff, names, diff_text::JSON_HAS_MORE, screen));
    } else if diff.is_cut {
        out.push_str(&screen.indented(2, Diff::CUT));
    }
}

/// What keeps a dropped page.
fn remedy(out: &mut String, page: &PageAnswer, screen: Screen) {
    let Some(remedy) = &page.remedy else { return };
    out.push_str(&screen.heading("If it should have been kept"));
    for step in remedy.steps() {
        out.push_str(&screen.prose(2, &terminal_text(&step, SHOWN_CHARS)));
    }
}

/// The nearest kept pages, except the page that the verdict names.
fn nearest(out: &mut String, page: &PageAnswer, screen: Screen) {
    if page.nearest.is_empty() {
        if page.verdict == VerdictKind::Kept && page.notes.is_empty() {
            let bits = counted(page.max_distance.into(), "bit");
            out.push_str(&screen.heading(&format!("No other kept page is within the {bits} of the rule in force")));
        }
        return;
    }
    let shown = page.compared_with.as_ref().map(|other| other.page.number);
    let others: Vec<&ComparedPage> = page
        .nearest
        .iter()
        .filter(|other| Some(other.page.number) != shown)
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

fn one(other: &ComparedPage, screen: Screen) -> String {
    let mut out = match other.page.worker {
        Some(worker) => screen.indented(2, &format!("page of worker {worker} of the fleet")),
        None => screen.indented(2, &title(&other.page.title)),
    };
    out.push_str(&screen.indented(4, &url(&other.page.url)));
    let text = other.likeness.as_ref().map_or_else(
        || "not compared: both texts are too short for any comparison except equality".to_owned(),
        likeness,
    );
    out.push_str(&screen.indented(4, &text));
    out
}

fn features(out: &mut String, page: &PageAnswer, screen: Screen) {
    if page.features.is_empty() {
        return;
    }
    out.push_str(&screen.heading("Features with the highest weights"));
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

fn blocks(out: &mut String, page: &PageAnswer, screen: Screen) {
    if page.blocks.is_empty() {
        return;
    }
    let other = if page.compared_with.is_some() {
        "the kept page"
    } else {
        "the nearest page"
    };
    let heading = format!("Fingerprint blocks of this page and {other} (· marks an equal bit)");
    out.push_str(&screen.heading(&heading));
    for block in page.blocks.iter().rev() {
        let bits = binary(block.values.0, block.bits);
        let found = match (block.finds, block.radius) {
            (true, Some(0)) => "finds it".to_owned(),
            (true, Some(radius)) => format!("finds it: {radius} may differ"),
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

/// The differing bits of the other fingerprint, with · for each equal bit.
fn differing(block: &BlockComparison) -> String {
    let (this, other) = (binary(block.values.0, block.bits), binary(block.values.1, block.bits));
    let bits = this.chars().zip(other.chars());
    bits.map(|(this, other)| if this == other { '·' } else { other })
        .collect()
}
