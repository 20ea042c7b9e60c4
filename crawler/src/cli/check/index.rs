//! `crawler check --index`: whether an index of documents has a text already.
//!
//! An index has signatures and no texts, so the answer has no shared passages.

use dedup::DuplicateRule;
use serde::Serialize;
use serde_json::value::RawValue;

use crate::cli::index::{DocumentIndex, json_of_id};
use crate::cli::screen::{Paint, Screen};
use config::settings::Settings;
use error::RunError;
use study::check::{ComparedBy, Subject, TextVerdict, compared_by};
use study::in_words::{TextSize, likeness, rule_in_words, short_rule_in_words, text_size};
use study::nearest::Likeness;
use terminal::text::terminal_text;
use terminal::units::counted;

/// Upper bound on the characters of an id, a title or a URL.
const SHOWN_CHARS: usize = 300;

/// The answer. Its fields are those of the JSON; versions only add fields.
#[derive(Debug, Serialize)]
pub(super) struct Answer {
    source: String,
    url: Option<String>,
    title: String,
    pub verdict: TextVerdict,
    reason: String,
    tokens: u32,
    words: usize,
    characters: usize,
    min_words: usize,
    compared_by: ComparedBy,
    fingerprint: Option<String>,
    digest: Option<String>,
    scheme: String,
    /// The folder, or the address without its password.
    index: String,
    /// Number of documents in the index, duplicates included.
    documents: usize,
    nearest: Vec<NearDocument>,
}

#[derive(Debug, Serialize)]
struct NearDocument {
    id: Box<RawValue>,
    #[serde(flatten)]
    likeness: Likeness,
}

/// Compares a text with the unique documents of an index.
pub(super) fn check(
    index: &DocumentIndex,
    settings: &Settings,
    subject: Subject,
    top: usize,
) -> Result<Answer, RunError> {
    let mut nearest = Vec::new();
    for candidate in index.nearest(settings, &subject.signature)?.into_iter().take(top) {
        let Some(id) = index.id(dedup::DocId(candidate.id))? else {
            continue;
        };
        nearest.push(NearDocument {
            id: RawValue::from_string(json_of_id(&id)).map_err(|error| RunError::Render(error.to_string()))?,
            likeness: candidate.likeness,
        });
    }
    let compared_by = compared_by(&subject.signature);
    let verdict = match nearest.first() {
        Some(first) if first.likeness.is_exact => TextVerdict::Exact,
        Some(first) if first.likeness.is_duplicate => TextVerdict::Near,
        _ if compared_by == ComparedBy::Fingerprint => TextVerdict::New,
        _ => TextVerdict::TooShort,
    };
    let size = TextSize::of(&subject.text);
    let mut answer = Answer {
        verdict,
        reason: String::new(),
        tokens: subject.signature.tokens,
        words: size.words,
        characters: size.characters,
        min_words: settings.scheme.min_words,
        compared_by,
        scheme: settings.scheme.id(),
        index: index.name(),
        documents: index.len()?,
        nearest,
        source: subject.source,
        url: subject.url,
        title: subject.title,
        fingerprint: subject.fingerprint,
        digest: subject.digest,
    };
    answer.reason = reason(&answer, &settings.rule);
    Ok(answer)
}

fn reason(answer: &Answer, rule: &DuplicateRule) -> String {
    let first = answer.nearest.first().map_or("", |near| near.id.get());
    let size = text_size(answer.words, answer.characters);
    match (answer.verdict, answer.compared_by) {
        (TextVerdict::Exact, _) => format!("The index has exactly this text: {first}"),
        (TextVerdict::Near, _) => format!("The index has a near-duplicate of this text: {first}"),
        (_, ComparedBy::Nothing) => "The text has no words, so there is nothing to compare.".to_owned(),
        (_, ComparedBy::Fingerprint) => format!(
            "No document of the index as a whole is a near-duplicate. It was compared with those whose fingerprints differ in at most \
             {} bits.",
            rule.max_distance
        ),
        (_, ComparedBy::Shingles) => format!(
            "With {size} this text is too short for a fingerprint, so it was compared with short documents only; none of them is a \
             near-duplicate."
        ),
        (_, ComparedBy::Digest) => format!(
            "No document of the index has exactly this text, and with {size} it is too short for any other comparison."
        ),
    }
}

/// The answer as text.
pub(super) fn render(answer: &Answer, rule: &DuplicateRule, screen: Screen) -> String {
    let verdict = match answer.verdict {
        TextVerdict::New | TextVerdict::Contained => "NEW",
        TextVerdict::Near => "NEAR-DUPLICATE",
        TextVerdict::Exact => "EXACT DUPLICATE",
        TextVerdict::TooShort => "TOO SHORT TO SAY",
    };
    let mut out = format!("{}\n", screen.paint(verdict, Paint::Strong));
    out.push_str(&screen.prose(0, &terminal_text(&answer.reason, 4 * SHOWN_CHARS)));
    out.push('\n');
    out.push_str(&screen.labelled("source", &terminal_text(&answer.source, SHOWN_CHARS)));
    if !answer.title.is_empty() {
        out.push_str(&screen.labelled("title", &terminal_text(&answer.title, SHOWN_CHARS)));
    }
    out.push_str(&screen.labelled("text", &text_size(answer.words, answer.characters)));
    let by = match (answer.compared_by, &answer.fingerprint) {
        (ComparedBy::Fingerprint, Some(fingerprint)) => format!("fingerprint {fingerprint}; {}", rule_in_words(rule)),
        (ComparedBy::Shingles, _) => short_rule_in_words(rule),
        (ComparedBy::Digest, _) => "the digest of the whole text".to_owned(),
        (ComparedBy::Nothing | ComparedBy::Fingerprint, _) => "nothing".to_owned(),
    };
    out.push_str(&screen.labelled("compared by", &by));
    let with = format!(
        "{}, {}",
        terminal_text(&answer.index, SHOWN_CHARS),
        counted(answer.documents as u64, "document")
    );
    out.push_str(&screen.labelled("index", &with));
    if !answer.nearest.is_empty() {
        out.push_str(&screen.heading("Nearest documents"));
        for near in &answer.nearest {
            out.push_str(&screen.indented(0, &terminal_text(near.id.get(), SHOWN_CHARS)));
            out.push_str(&screen.indented(2, &likeness(&near.likeness)));
        }
    }
    out
}
