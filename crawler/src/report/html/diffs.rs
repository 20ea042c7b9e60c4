//! What differs between two pages, compared once however often it is shown.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::{Texts, Waiting};
use super::assets::island;
use super::budget::Budget;
use super::web_text::visible;
use crate::study::diff::{self, Diff, Row, Span};

/// Pairs that are compared at most: each takes two texts from the archive.
const MAX_DIFFS: usize = 2_000;
/// Bytes of all diffs as JSON.
const JSON_BYTES: usize = 4_500_000;
/// Bytes of the diffs that are there without JavaScript too.
const STATIC_BYTES: usize = 1_500_000;
/// Bytes of texts that are compared at most, all together: their number alone would not bound the time.
const TEXT_BYTES: usize = 100_000_000;

/// What is shown of a diff: a pair that differs in more is for a command that shows one.
const SHOWN: diff::Options = diff::Options {
    context: 1,
    max_rows: 40,
    max_line_chars: 400,
};

/// See the module's text.
pub(super) struct Diffs<'a> {
    texts: &'a dyn Texts,
    shown: Vec<Value>,
    by_pair: HashMap<(u64, u64), Compared>,
    /// The text that was read last, of many pages that are compared with one.
    last: Option<(u64, String)>,
    compared: usize,
    json: Budget,
    html: Budget,
    text: Budget,
    waiting: &'a Waiting,
}

/// What can be shown of a pair.
#[derive(Debug, Clone)]
pub(super) enum Compared {
    /// Its number among those shown.
    Diff(usize),
    /// Why there is none.
    Nothing(Why),
}

impl Compared {
    /// As JSON: the number; below zero, why there is none, -1 for the first reason.
    pub fn json(&self) -> Value {
        match self {
            Self::Diff(number) => json!(number),
            Self::Nothing(why) => json!(-1 - *why as i64),
        }
    }
}

/// Why there is nothing to be shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Why {
    Same,
    NoRoom,
    NoText,
    Unreadable,
    SameBeginning,
}

impl Why {
    const ALL: [Self; 5] = [
        Self::Same,
        Self::NoRoom,
        Self::NoText,
        Self::Unreadable,
        Self::SameBeginning,
    ];

    pub fn words(self) -> &'static str {
        match self {
            Self::Same => "The same text, but for spelling that makes no difference.",
            Self::NoRoom => {
                "Not compared here, to bound the size of this page: crawler explain URL shows what differs."
            }
            Self::NoText => {
                "The text of one of them is not in the store, as in crawls of older versions: what differs cannot be shown."
            }
            Self::Unreadable => {
                "The archive cannot be read at the place of one of the texts: crawler verify says more."
            }
            Self::SameBeginning => {
                "As far as they were compared, a megabyte or 50,000 lines of each, they are the same but for spelling."
            }
        }
    }

    /// All reasons in words, as the script reads them.
    pub fn island() -> String {
        island(&json!(Self::ALL.map(Self::words)))
    }
}

impl<'a> Diffs<'a> {
    pub fn new(texts: &'a dyn Texts, waiting: &'a Waiting) -> Self {
        Self {
            texts,
            shown: Vec::new(),
            by_pair: HashMap::new(),
            last: None,
            compared: 0,
            json: Budget::of(JSON_BYTES),
            html: Budget::of(STATIC_BYTES),
            text: Budget::of(TEXT_BYTES),
            waiting,
        }
    }

    /// Compares two pages, the kept one first, unless that was done before or there is no room for more.
    pub fn compare(&mut self, kept: u64, other: u64) -> Compared {
        if let Some(compared) = self.by_pair.get(&(kept, other)) {
            return compared.clone();
        }
        let compared = self.make(kept, other);
        self.by_pair.insert((kept, other), compared.clone());
        compared
    }

    fn make(&mut self, kept: u64, other: u64) -> Compared {
        if self.compared == MAX_DIFFS {
            return Compared::Nothing(Why::NoRoom);
        }
        self.compared += 1;
        self.waiting.at("comparing texts: pairs", self.compared, MAX_DIFFS);
        let right = self.texts.text_of(other);
        if self.last.as_ref().is_none_or(|(page, _)| *page != kept) {
            self.last = match self.texts.text_of(kept) {
                Ok(text) => text.map(|text| (kept, text)),
                Err(_) => return Compared::Nothing(Why::Unreadable),
            };
        }
        let (Some((_, left)), Ok(right)) = (&self.last, right) else {
            return Compared::Nothing(if self.last.is_some() {
                Why::Unreadable
            } else {
                Why::NoText
            });
        };
        let Some(right) = right else {
            return Compared::Nothing(Why::NoText);
        };
        if !self.text.take(left.len() + right.len()) {
            return Compared::Nothing(Why::NoRoom);
        }
        let diff = diff::diff(left, &right, &SHOWN);
        if !diff.rows.iter().any(|row| matches!(row, Row::Changed { .. })) {
            return Compared::Nothing(match diff.is_cut {
                true => Why::SameBeginning,
                false => Why::Same,
            });
        }
        let value = json_of(&diff);
        if !self.json.take(value.to_string().len()) {
            return Compared::Nothing(Why::NoRoom);
        }
        self.shown.push(value);
        Compared::Diff(self.shown.len() - 1)
    }

    /// A diff as HTML, where there is room for it; what is none is said in words, and what has found no room is filled in by the
    /// script.
    pub fn html(&mut self, compared: &Compared) -> StaticDiff {
        let Compared::Diff(number) = compared else {
            return StaticDiff {
                why: match compared {
                    Compared::Nothing(why) => why.words(),
                    Compared::Diff(_) => "",
                },
                ..StaticDiff::default()
            };
        };
        let value = self.shown.get(*number).unwrap_or(&Value::Null);
        let fits = self.html.take(3 * value.to_string().len());
        StaticDiff {
            number: Some(*number),
            summary: value["n"].as_str().unwrap_or_default().to_owned(),
            rows: if fits { rows(value) } else { Vec::new() },
            left_out: if fits {
                value["more"].as_u64().unwrap_or_default()
            } else {
                0
            },
            why: "",
        }
    }

    /// All of them, as the script reads them.
    pub fn into_json(self) -> String {
        island(&Value::Array(self.shown))
    }
}

/// A diff that is there without JavaScript.
#[derive(Debug, Default)]
pub(super) struct StaticDiff {
    /// Its number for the script; `None` where there is none.
    pub number: Option<usize>,
    pub summary: String,
    pub rows: Vec<StaticRow>,
    pub left_out: u64,
    /// Why there is none.
    pub why: &'static str,
}

/// A row of it.
#[derive(Debug)]
pub(super) enum StaticRow {
    /// Both sides have it.
    Same(String),
    /// Lines that are not shown.
    Skipped(u64),
    /// Pieces of the two sides, every second of which is changed; without a piece where the side lacks the line.
    Changed([Vec<String>; 2]),
}

/// `{n: in words, more: rows left out, r: rows}`; a row is the line that both have, the number of lines skipped, or the two sides,
/// each null or its pieces, of which the second, the fourth, … are changed.
fn json_of(diff: &Diff) -> Value {
    let rows: Vec<Value> = diff
        .rows
        .iter()
        .map(|row| match row {
            Row::Same { text } => json!(visible(text)),
            Row::Skipped { lines } => json!(lines),
            Row::Changed { left, right } => json!([pieces(left.as_deref()), pieces(right.as_deref())]),
        })
        .collect();
    let words = |count: usize| super::summary::grouped(count as u64);
    let counts = [diff.removed, diff.added, diff.same].map(words);
    let mut summary = format!(
        "{} words removed, {} added, {} the same",
        counts[0], counts[1], counts[2]
    );
    if diff.is_cut {
        summary.push_str("; ");
        summary.push_str(Diff::CUT);
    }
    json!({
        "n": summary,
        "more": diff.rows_left_out,
        "r": rows,
    })
}

fn pieces(spans: Option<&[Span]>) -> Value {
    let Some(spans) = spans else { return Value::Null };
    let mut pieces: Vec<String> = vec![String::new()];
    for span in spans {
        let is_changed_now = pieces.len().is_multiple_of(2);
        if span.is_changed != is_changed_now {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(&visible(&span.text));
        }
    }
    json!(pieces)
}

fn rows(value: &Value) -> Vec<StaticRow> {
    let side = |side: &Value| -> Vec<String> {
        let pieces = side.as_array().into_iter().flatten();
        pieces.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let rows = value["r"].as_array().into_iter().flatten();
    rows.map(|row| match row {
        Value::String(text) => StaticRow::Same(text.clone()),
        Value::Number(lines) => StaticRow::Skipped(lines.as_u64().unwrap_or_default()),
        sides => StaticRow::Changed([side(&sides[0]), side(&sides[1])]),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::RunError;

    struct Two(&'static str, &'static str);

    impl Texts for Two {
        fn text_of(&self, page: u64) -> Result<Option<String>, RunError> {
            Ok(match page {
                1 => Some(self.0.to_owned()),
                2 => Some(self.1.to_owned()),
                _ => None,
            })
        }
    }

    #[test]
    fn every_second_piece_is_changed() {
        let texts = Two("one two three\nend", "one 2 three\nend");
        let quiet = Waiting::new(true);
        let mut diffs = Diffs::new(&texts, &quiet);
        let compared = diffs.compare(1, 2);
        assert!(matches!(compared, Compared::Diff(0)), "{compared:?}");
        assert!(matches!(diffs.compare(1, 2), Compared::Diff(0)), "compared once");
        let shown = diffs.html(&compared);
        let StaticRow::Changed([left, right]) = &shown.rows[0] else {
            panic!("{shown:?}")
        };
        assert_eq!((left[1].as_str(), right[1].as_str()), ("two", "2"));
        assert_eq!(
            (left.concat(), right.concat()),
            ("one two three".into(), "one 2 three".into())
        );
        assert!(diffs.into_json().contains("1 words removed"));
    }

    #[test]
    fn a_text_that_was_compared_in_part_is_told() {
        let long = |end: &str| -> &'static str { format!("{}{end}", "line\n".repeat(diff::MAX_LINES)).leak() };
        let texts = Two(long("one"), long("two"));
        let quiet = Waiting::new(true);
        let mut diffs = Diffs::new(&texts, &quiet);
        let compared = diffs.compare(1, 2);
        assert!(
            matches!(compared, Compared::Nothing(Why::SameBeginning)),
            "{compared:?}"
        );
        let texts = Two(long("one"), "another");
        let mut diffs = Diffs::new(&texts, &quiet);
        let compared = diffs.compare(1, 2);
        let summary = diffs.html(&compared).summary;
        assert!(summary.ends_with(Diff::CUT), "{summary}");
    }

    #[test]
    fn a_text_that_is_not_there_is_told() {
        let texts = Two("a", "b");
        let quiet = Waiting::new(true);
        let mut diffs = Diffs::new(&texts, &quiet);
        for (kept, other) in [(1, 3), (3, 2)] {
            let Compared::Nothing(why) = diffs.compare(kept, other) else {
                panic!()
            };
            assert_eq!(why, Why::NoText);
        }
    }

    #[test]
    fn texts_that_turn_the_direction_are_neutralised() {
        let texts = Two("good \u{202e}text", "bad \u{202e}text");
        let quiet = Waiting::new(true);
        let mut diffs = Diffs::new(&texts, &quiet);
        diffs.compare(1, 2);
        let json = diffs.into_json();
        assert!(!json.contains('\u{202e}') && json.contains("[U+202E]"), "{json}");
    }
}
