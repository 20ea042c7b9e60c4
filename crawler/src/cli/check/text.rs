//! What `crawler check` answers, for people.

use dedup::DuplicateRule;

use super::answer::{Answer, ComparedBy, Near, Verdict};
use super::{CONTAINED, IN_PART};
use crate::cli::in_words::{counted, likeness, percent, rule_in_words, short_rule_in_words, text_size};
use crate::cli::screen::{Paint, Screen};
use crate::terminal::text::terminal_text;

/// Passages shown of a page.
const PASSAGES_SHOWN: usize = 5;

/// Pages further down the list that are less alike, and have no passage in common, are only counted.
const MIN_SIMILARITY_SHOWN: f32 = 0.1;

/// Characters of a passage in one look.
const PASSAGE_CHARS: usize = 240;

/// Characters of a title or URL.
const SHOWN_CHARS: usize = 300;

/// The verdict in a few sentences, with what it was compared with where that was not everything.
pub(super) fn reason(answer: &Answer, rule: &DuplicateRule) -> String {
    let first = answer.nearest.first();
    let name = first.map_or("", |near| near.url.as_str());
    let mut said = match answer.verdict {
        Verdict::Exact => return format!("The store holds this very text: {name}"),
        Verdict::Near => return format!("The store holds nearly this text: {name}"),
        Verdict::TooShort if answer.tokens == 0 => {
            return "There is no word in this text, so there is nothing to compare.".to_owned();
        }
        Verdict::Contained | Verdict::TooShort | Verdict::New => part(answer),
    };
    if answer.verdict != Verdict::Contained {
        said.push(nothing_else(answer, rule));
    }
    if answer.texts_unread > 0 {
        said.push(format!(
            "Of {} the text could not be read; crawler verify says more.",
            counted(usize::try_from(answer.texts_unread).unwrap_or(usize::MAX), "kept page")
        ));
    }
    said.join(" ")
}

/// How much of the text stands in which page, if it is a good part.
fn part(answer: &Answer) -> Vec<String> {
    let mut said = Vec::new();
    let Some(first) = answer.nearest.first() else {
        return said;
    };
    let most = first.covered.unwrap_or_default();
    if most >= IN_PART {
        let amount = amount(most, first.is_cut);
        said.push(format!("{amount} of it stands in {}.", first.url));
    }
    if answer.covered >= IN_PART && answer.covered > most {
        let amount = amount(answer.covered, answer.is_cut);
        said.push(format!("{amount} of it stands in the pages below together."));
    }
    said
}

/// At the beginning of a sentence.
fn amount(share: f64, is_cut: bool) -> String {
    match percent(share).as_str() {
        "all" => "All".to_owned(),
        share if is_cut => format!("At least {share}"),
        "over 99 %" => "Over 99 %".to_owned(),
        share => share.to_owned(),
    }
}

/// That no page says the same, as far as was looked.
fn nothing_else(answer: &Answer, rule: &DuplicateRule) -> String {
    let size = text_size(answer.words, answer.characters);
    let is_longer_page = "Whether it stands in a longer page was not looked at";
    match (answer.verdict, answer.compared_by) {
        (Verdict::TooShort, ComparedBy::Digest | ComparedBy::Nothing) => format!(
            "With {size} this text is too short to say more than that no kept page is exactly this text. {is_longer_page}: \
             fewer than five words, or characters of Chinese, stand anywhere by chance."
        ),
        (Verdict::TooShort, _) => format!(
            "With {size} this text is too short for a fingerprint, so it was compared with short pages only, exactly: none of \
             them says nearly the same. {is_longer_page}: --thorough compares it with the text of every kept page."
        ),
        _ if answer.thorough && answer.nearest.iter().all(shares_nothing) => {
            "No kept page shares a run of five words with this text.".to_owned()
        }
        _ if answer.thorough && answer.covered >= IN_PART => "No kept page says nearly the same as a whole.".to_owned(),
        _ if answer.thorough => {
            "No kept page says nearly the same, or holds a good part of it; the nearest are below.".to_owned()
        }
        _ => format!(
            "No kept page says nearly the same as a whole: compared were the pages whose fingerprint is within {} bits of this \
             one. Whether parts of it stand in other pages was not looked at: --thorough compares it with the text of every \
             kept page.",
            rule.max_distance
        ),
    }
}

/// Of pages that share runs the first are always among the nearest.
fn shares_nothing(near: &Near) -> bool {
    near.jaccard.is_some_and(|jaccard| jaccard <= 0.0)
}

pub(super) fn render(answer: &Answer, rule: &DuplicateRule, screen: Screen) -> String {
    let verdict = match answer.verdict {
        Verdict::New if answer.covered >= CONTAINED => "NEW ONLY AS A WHOLE",
        Verdict::New if answer.covered >= IN_PART => "NEW IN PART",
        Verdict::New => "NEW",
        Verdict::Contained => "CONTAINED IN ANOTHER PAGE",
        Verdict::Near => "NEAR-DUPLICATE",
        Verdict::Exact => "EXACT DUPLICATE",
        Verdict::TooShort => "TOO SHORT TO SAY",
    };
    let mut out = format!("{}\n", screen.paint(verdict, Paint::Strong));
    out.push_str(&screen.indented(0, &terminal_text(&answer.reason, 4 * SHOWN_CHARS)));
    out.push('\n');
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
    if !answer.nearest.is_empty() {
        out.push_str(&screen.labelled(
            "found again",
            &format!(
                "{}{} of the text, in passages of eight words or more",
                at_least(answer.is_cut),
                percent(answer.covered)
            ),
        ));
        out.push_str(&screen.heading("Nearest pages"));
    }
    let mut by_chance = 0;
    for (number, near) in answer.nearest.iter().enumerate() {
        if number > 0 && near.passages.is_empty() && near.likeness.similarity < MIN_SIMILARITY_SHOWN {
            by_chance += 1;
            continue;
        }
        if number > 0 {
            out.push('\n');
        }
        let is_same_url = answer.same_url.as_ref().is_some_and(|same| same.id == near.id);
        out.push_str(&page(near, is_same_url, screen));
    }
    if by_chance > 0 {
        let text = format!(
            "… and {} with next to nothing in common but bits of the fingerprint",
            counted(by_chance, "page")
        );
        out.push('\n');
        out.push_str(&screen.indented(0, &text));
    }
    out
}

fn at_least(is_cut: bool) -> &'static str {
    if is_cut { "at least " } else { "" }
}

/// The pages that it was compared with.
fn compared_with(answer: &Answer, rule: &DuplicateRule) -> String {
    match (answer.texts_compared, answer.compared_by) {
        (Some(texts @ 1..), _) => format!(
            "the texts of all {}",
            counted(usize::try_from(texts).unwrap_or(usize::MAX), "kept page")
        ),
        (_, ComparedBy::Fingerprint) => format!(
            "the kept pages whose fingerprint is within {} bits; --thorough: with the texts of all",
            rule.max_distance
        ),
        (_, ComparedBy::Shingles) => "short kept pages only; --thorough: with the texts of all".to_owned(),
        (_, ComparedBy::Digest) => "all kept pages, as a whole".to_owned(),
        (_, ComparedBy::Nothing) => "nothing".to_owned(),
    }
}

fn compared_by(answer: &Answer, rule: &DuplicateRule) -> String {
    let too_short = format!(
        "it takes {} words (or {} characters of Chinese) for a fingerprint",
        answer.min_words,
        6 * answer.min_words
    );
    match answer.compared_by {
        ComparedBy::Fingerprint => {
            let fingerprint = answer.fingerprint.as_deref().unwrap_or_default();
            format!("fingerprint {fingerprint}; {}", rule_in_words(rule))
        }
        ComparedBy::Shingles => format!(
            "its runs of five words, exactly, with other short texts: {}; {too_short}",
            short_rule_in_words(rule)
        ),
        ComparedBy::Digest => format!("the digest of the whole text: {too_short}"),
        ComparedBy::Nothing => "nothing".to_owned(),
    }
}

fn page(near: &Near, is_same_url: bool, screen: Screen) -> String {
    let title = match near.title.as_str() {
        "" => "(no title)".to_owned(),
        title => terminal_text(title, SHOWN_CHARS),
    };
    let mut out = screen.indented(0, &title);
    let note = if is_same_url { "  (the same URL)" } else { "" };
    out.push_str(&screen.indented(2, &format!("{}{note}", terminal_text(&near.url, 4_096))));
    out.push_str(&screen.indented(2, &likeness(&near.likeness)));
    let Some((covered, of_page)) = near.covered.zip(near.covered_of_page) else {
        let why = match &near.unreadable {
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
    let passages = near.passages.len() + near.passages_left_out;
    if near.is_cut {
        let text = "not all passages were looked for: the texts are too long, or repeat themselves too often";
        out.push_str(&screen.indented(2, text));
    }
    if passages == 0 {
        out.push_str(&screen.indented(2, "no passage of eight words in common"));
        return out;
    }
    let text = format!(
        "{} in common: {least}{} of this text, {least}{} of that page",
        counted(passages, "passage"),
        percent(covered),
        percent(of_page),
        least = at_least(near.is_cut)
    );
    out.push_str(&screen.indented(2, &text));
    for passage in near.passages.iter().take(PASSAGES_SHOWN) {
        let words = format!("{:>5}  ", passage.tokens);
        let text = terminal_text(&passage.text, PASSAGE_CHARS);
        let lines = screen.indented(words.len(), &format!("“{text}”"));
        out.push_str(&screen.paint(&words, Paint::Faint));
        out.push_str(&lines[words.len()..]);
    }
    if passages > PASSAGES_SHOWN {
        let rest = format!("… and {} shorter ones", passages - PASSAGES_SHOWN);
        out.push_str(&screen.indented(7, &rest));
    }
    out
}
