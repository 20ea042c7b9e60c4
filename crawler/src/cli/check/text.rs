//! The answer of `crawler check` as text.

use dedup::DuplicateRule;

use crate::cli::screen::{Paint, Screen};
use study::check::{Answer, CONTAINED, ComparedBy, IN_PART, NearPage, TextVerdict};
use study::in_words::{fingerprint_floor, likeness, percent, rule_in_words, short_rule_in_words, text_size};
use terminal::text::terminal_text;
use terminal::units::counted;

/// Upper bound on the passages of a page that are shown.
const PASSAGES_SHOWN: usize = 5;

/// Further pages that are less similar and share no passage are only counted.
const MIN_SIMILARITY_SHOWN: f32 = 0.1;

/// Upper bound on the characters of a passage.
const PASSAGE_CHARS: usize = 240;

/// Upper bound on the characters of a title or URL.
const SHOWN_CHARS: usize = 300;

pub(super) fn render(answer: &Answer, rule: &DuplicateRule, screen: Screen) -> String {
    let mut out = format!("{}\n", screen.paint(verdict(answer), Paint::Strong));
    out.push_str(&screen.prose(0, &terminal_text(&answer.reason, 4 * SHOWN_CHARS)));
    out.push('\n');
    facts(&mut out, answer, rule, screen);
    if !answer.nearest.is_empty() {
        let share = format!(
            "{}{} of the text, in passages of at least eight words",
            at_least(answer.is_cut),
            percent(answer.covered)
        );
        out.push_str(&screen.labelled("in the store", &share));
        out.push_str(&screen.heading("Nearest pages"));
        nearest(&mut out, answer, screen);
    }
    out
}

fn verdict(answer: &Answer) -> &'static str {
    match answer.verdict {
        TextVerdict::New if answer.covered >= CONTAINED => "NEW ONLY AS A WHOLE",
        TextVerdict::New if answer.covered >= IN_PART => "NEW IN PART",
        TextVerdict::New => "NEW",
        TextVerdict::Contained => "CONTAINED IN ANOTHER PAGE",
        TextVerdict::Near => "NEAR-DUPLICATE",
        TextVerdict::Exact => "EXACT DUPLICATE",
        TextVerdict::TooShort => "TOO SHORT TO SAY",
    }
}

fn facts(out: &mut String, answer: &Answer, rule: &DuplicateRule, screen: Screen) {
    out.push_str(&screen.labelled("source", &terminal_text(&answer.source, SHOWN_CHARS)));
    if !answer.title.is_empty() {
        out.push_str(&screen.labelled("title", &terminal_text(&answer.title, SHOWN_CHARS)));
    }
    out.push_str(&screen.labelled("text", &text_size(answer.words, answer.characters)));
    out.push_str(&screen.labelled("compared by", &compared_by(answer, rule)));
    out.push_str(&screen.labelled("with", &compared_with(answer, rule)));
    if let Some(same) = &answer.same_url {
        let kept = if same.kept { "kept" } else { "not kept" };
        let text = format!(
            "the store has a page of this URL, {kept}: {}",
            terminal_text(&same.title, SHOWN_CHARS)
        );
        out.push_str(&screen.labelled("same URL", &text));
    }
}

fn nearest(out: &mut String, answer: &Answer, screen: Screen) {
    let mut by_chance = 0;
    for (number, near) in answer.nearest.iter().enumerate() {
        if number > 0 && near.passages.is_empty() && near.likeness.similarity < MIN_SIMILARITY_SHOWN {
            by_chance += 1;
            continue;
        }
        if number > 0 {
            out.push('\n');
        }
        let is_same_url = near.worker.is_none() && answer.same_url.as_ref().is_some_and(|same| same.id == near.id);
        out.push_str(&page(near, is_same_url, screen));
    }
    if by_chance > 0 {
        let text = format!(
            "… and {} with a near fingerprint and almost no common text",
            counted(by_chance, "page")
        );
        out.push('\n');
        out.push_str(&screen.indented(0, &text));
    }
}

fn at_least(is_cut: bool) -> &'static str {
    if is_cut { "at least " } else { "" }
}

/// The pages with which the text was compared.
fn compared_with(answer: &Answer, rule: &DuplicateRule) -> String {
    match (answer.texts_compared, answer.compared_by) {
        (Some(texts @ 1..), _) => format!("the texts of all {}", counted(texts, "kept page")),
        (_, ComparedBy::Fingerprint) => format!(
            "the kept pages whose fingerprints differ in at most {} bits; --thorough: the texts of all kept pages",
            rule.max_distance
        ),
        (_, ComparedBy::Shingles) => "short kept pages only; --thorough: the texts of all kept pages".to_owned(),
        (_, ComparedBy::Digest) => "all kept pages, as a whole".to_owned(),
        (_, ComparedBy::Nothing) => "nothing".to_owned(),
    }
}

fn compared_by(answer: &Answer, rule: &DuplicateRule) -> String {
    let too_short = fingerprint_floor(answer.min_words);
    match answer.compared_by {
        ComparedBy::Fingerprint => {
            let fingerprint = answer.fingerprint.as_deref().unwrap_or_default();
            format!("fingerprint {fingerprint}; {}", rule_in_words(rule))
        }
        ComparedBy::Shingles => format!("{}; {too_short}", short_rule_in_words(rule)),
        ComparedBy::Digest => format!("the digest of the whole text: {too_short}"),
        ComparedBy::Nothing => "nothing".to_owned(),
    }
}

fn page(near: &NearPage, is_same_url: bool, screen: Screen) -> String {
    let title = match (near.worker, near.title.as_str()) {
        (Some(worker), _) => format!("page of worker {worker} of the fleet"),
        (None, "") => "(no title)".to_owned(),
        (None, title) => terminal_text(title, SHOWN_CHARS),
    };
    let mut out = screen.indented(0, &title);
    let note = if is_same_url { "  (the same URL)" } else { "" };
    out.push_str(&screen.indented(2, &format!("{}{note}", terminal_text(&near.url, 4_096))));
    out.push_str(&screen.indented(2, &likeness(&near.likeness)));
    let Some((covered, of_page)) = near.covered.zip(near.covered_of_page) else {
        let why = match &near.unreadable {
            Some(why) if near.worker.is_some() => why.clone(),
            Some(error) => format!("its text cannot be read: {}", terminal_text(error, 4_096)),
            None => "its text is not in the archive".to_owned(),
        };
        out.push_str(&screen.indented(2, &why));
        return out;
    };
    if let Some(jaccard) = near.jaccard {
        let exact = format!("exact Jaccard index of the runs of five words: {jaccard:.3}");
        out.push_str(&screen.indented(2, &exact));
    }
    if near.is_cut {
        let text = "the search for passages was cut short: the texts are too long or too repetitive";
        out.push_str(&screen.indented(2, text));
    }
    out.push_str(&passages(near, covered, of_page, screen));
    out
}

/// The longest passages, with the shares of both texts that all of them cover.
fn passages(near: &NearPage, covered: f64, of_page: f64, screen: Screen) -> String {
    let all = near.passages.len() + near.passages_left_out;
    if all == 0 {
        return screen.indented(2, "no passage of eight words in common");
    }
    let text = format!(
        "{} in common: {least}{} of this text, {least}{} of that page",
        counted(all as u64, "passage"),
        percent(covered),
        percent(of_page),
        least = at_least(near.is_cut)
    );
    let mut out = screen.indented(2, &text);
    for passage in near.passages.iter().take(PASSAGES_SHOWN) {
        let words = format!("{:>5}  ", passage.tokens);
        let text = terminal_text(&passage.text, PASSAGE_CHARS);
        let lines = screen.indented(words.len(), &format!("“{text}”"));
        out.push_str(&screen.paint(&words, Paint::Faint));
        out.push_str(&lines[words.len()..]);
    }
    if all > PASSAGES_SHOWN {
        let rest = format!("… and {} shorter ones", all - PASSAGES_SHOWN);
        out.push_str(&screen.indented(7, &rest));
    }
    out
}
