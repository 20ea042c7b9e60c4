//! The verdict of `crawler check` in sentences.

use dedup::DuplicateRule;

use super::IN_PART;
use super::answer::{Answer, ComparedBy, NearPage, TextVerdict};
use crate::in_words::{percent, text_size};
use terminal::commands::command;
use terminal::units::counted;

/// The verdict in a few sentences. If the check did not compare the text with all pages, they say so.
pub(super) fn reason(answer: &Answer, rule: &DuplicateRule) -> String {
    let first = answer.nearest.first();
    let name = first.map_or("", |near| near.url.as_str());
    let mut said = match answer.verdict {
        TextVerdict::Exact => return format!("{} exactly this text: {name}", holder(first)),
        TextVerdict::Near => return format!("{} a near-duplicate of this text: {name}", holder(first)),
        TextVerdict::TooShort if answer.tokens == 0 => {
            return "The text has no words, so there is nothing to compare.".to_owned();
        }
        TextVerdict::Contained | TextVerdict::TooShort | TextVerdict::New => part(answer),
    };
    if answer.verdict != TextVerdict::Contained {
        said.push(nothing_else(answer, rule));
    }
    if answer.texts_unread > 0 {
        said.push(format!(
            "The texts of {} could not be read; find the damage: `{}`",
            counted(answer.texts_unread, "kept page"),
            command("verify", &[])
        ));
    }
    if answer.texts_elsewhere > 0 {
        said.push(format!(
            "The texts of {} of other workers were not read, because they are in the folders of these workers; crawler merge makes one \
             folder of all.",
            counted(answer.texts_elsewhere, "kept page")
        ));
    }
    said.join(" ")
}

/// Who has a page, at the beginning of a sentence.
fn holder(page: Option<&NearPage>) -> String {
    match page.and_then(|page| page.worker) {
        Some(worker) => format!("Worker {worker} of the fleet holds"),
        None => "The store holds".to_owned(),
    }
}

/// The share of the text that each page contains, if it is large.
fn part(answer: &Answer) -> Vec<String> {
    let mut said = Vec::new();
    let Some(first) = answer.nearest.first() else {
        return said;
    };
    let most = first.covered.unwrap_or_default();
    if most >= IN_PART {
        let amount = amount(most, first.is_cut);
        said.push(format!("{amount} of it is in {}.", first.url));
    }
    if answer.covered >= IN_PART && answer.covered > most {
        let amount = amount(answer.covered, answer.is_cut);
        said.push(format!("{amount} of it is in the pages below together."));
    }
    said
}

/// A share at the beginning of a sentence.
fn amount(share: f64, is_cut: bool) -> String {
    match percent(share).as_str() {
        "all" => "All".to_owned(),
        share if is_cut => format!("At least {share}"),
        "over 99 %" => "Over 99 %".to_owned(),
        share => share.to_owned(),
    }
}

/// The statement that no page has the same text, and how far the check looked.
fn nothing_else(answer: &Answer, rule: &DuplicateRule) -> String {
    let size = text_size(answer.words, answer.characters);
    let not_sought = "The check did not look for longer pages that contain it";
    match (answer.verdict, answer.compared_by) {
        (TextVerdict::TooShort, ComparedBy::Digest | ComparedBy::Nothing) => format!(
            "No kept page has exactly this text, and with {size} it is too short for any other comparison. {not_sought}: any long \
             page may contain fewer than five words, or Chinese characters, by chance."
        ),
        (TextVerdict::TooShort, _) => format!(
            "With {size} this text is too short for a fingerprint, so it was compared with short pages only; none of them is a \
             near-duplicate. {not_sought}; --thorough compares it with the text of every kept page."
        ),
        _ if answer.thorough && answer.nearest.iter().all(shares_nothing) => {
            "No kept page shares a run of five words with this text.".to_owned()
        }
        _ if answer.thorough && answer.covered >= IN_PART => "No kept page as a whole is a near-duplicate.".to_owned(),
        _ if answer.thorough => {
            "No kept page is a near-duplicate or contains a large part of it; the nearest pages are below.".to_owned()
        }
        _ => format!(
            "No kept page as a whole is a near-duplicate. It was compared with the pages whose fingerprints differ in at most {} bits. \
             The check did not look for pages that contain parts of it; --thorough compares it with the text of every kept page.",
            rule.max_distance
        ),
    }
}

/// The pages that share most runs are always among the nearest.
fn shares_nothing(near: &NearPage) -> bool {
    near.jaccard.is_some_and(|jaccard| jaccard <= 0.0)
}
