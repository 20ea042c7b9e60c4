//! The comparison of pages: each pair once, within bounds on number, time and size.

use std::collections::HashMap;

use serde_json::{Value, json};

use super::super::Waiting;
use super::super::texts::Texts;
use super::assets::island;
use super::budget::Budget;
use super::diff_view::{StaticDiff, json_of, rows};
use study::diff::{self, Row};
use study::named_page::worker_of;

/// Upper bound on the pairs compared; each reads two texts from the archive.
const MAX_DIFFS: usize = 2_000;
/// Upper bound on the bytes of all diffs as JSON.
const JSON_BYTES: usize = 4_500_000;
/// Upper bound on the bytes of the diffs that the page shows without JavaScript.
const STATIC_BYTES: usize = 1_500_000;
/// Upper bound on the bytes of all compared texts. A bound on their number alone would not limit the time.
const TEXT_BYTES: usize = 100_000_000;

/// The size of a diff in the page; `crawler explain` shows longer ones.
const SHOWN: diff::Options = diff::Options {
    context: 1,
    max_rows: 40,
    max_line_chars: 400,
};

/// The diffs so far.
pub(super) struct Diffs<'a> {
    texts: &'a dyn Texts,
    shown: Vec<Value>,
    by_pair: HashMap<(u64, u64), Compared>,
    /// The last kept page and its text: many duplicates are compared with one kept page.
    last: Option<(u64, String)>,
    compared: usize,
    json: Budget,
    html: Budget,
    text: Budget,
    waiting: &'a Waiting,
}

/// The result of comparing a pair.
#[derive(Debug, Clone)]
pub(super) enum Compared {
    /// The number of its diff.
    Diff(usize),
    /// There is no diff.
    Nothing(NoDiff),
}

impl Compared {
    /// The number of the diff, or the reason for none as a negative number, -1 for the first reason.
    pub fn json(&self) -> Value {
        match self {
            Self::Diff(number) => json!(number),
            Self::Nothing(reason) => json!(-1 - *reason as i64),
        }
    }
}

/// The reason for a missing diff.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum NoDiff {
    /// The texts are equal after normalisation.
    Same,
    /// A bound of the page was reached.
    NoRoom,
    /// The store does not have one of the texts.
    NoText,
    /// The archive cannot be read.
    Unreadable,
    /// The compared beginnings are equal.
    SameBeginning,
    /// Another worker has the text of the kept page.
    Elsewhere,
}

impl NoDiff {
    const ALL: [Self; 6] = [
        Self::Same,
        Self::NoRoom,
        Self::NoText,
        Self::Unreadable,
        Self::SameBeginning,
        Self::Elsewhere,
    ];

    pub fn words(self) -> &'static str {
        match self {
            Self::Same => "The same text after normalisation.",
            Self::NoRoom => "Not compared, to limit the size of this page. The command explain shows the differences.",
            Self::NoText => {
                "The store does not have the text of one of the pages, so that the differences cannot be shown."
            }
            Self::Unreadable => {
                "The archive has an unreadable record for one of the pages. The command verify shows the details."
            }
            Self::Elsewhere => {
                "The text of the kept page is in the folder of another worker. The command merge makes one folder of all."
            }
            Self::SameBeginning => {
                "The first megabyte or 50,000 lines of each text were compared, and they are the same after normalisation."
            }
        }
    }

    /// All reasons in words, as JSON for the script.
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

    /// Compares two pages, the kept one first, unless they were compared before or there is no room.
    pub fn compare(&mut self, kept: u64, other: u64) -> Compared {
        if let Some(compared) = self.by_pair.get(&(kept, other)) {
            return compared.clone();
        }
        let compared = match worker_of(kept) {
            Some(_) => Compared::Nothing(NoDiff::Elsewhere),
            None => self.make(kept, other),
        };
        self.by_pair.insert((kept, other), compared.clone());
        compared
    }

    fn make(&mut self, kept: u64, other: u64) -> Compared {
        if self.compared == MAX_DIFFS {
            return Compared::Nothing(NoDiff::NoRoom);
        }
        self.compared += 1;
        self.waiting.at("comparing texts: pairs", self.compared, MAX_DIFFS);
        let right = self.texts.text_of(other);
        if self.last.as_ref().is_none_or(|(page, _)| *page != kept) {
            self.last = match self.texts.text_of(kept) {
                Ok(text) => text.map(|text| (kept, text)),
                Err(_) => return Compared::Nothing(NoDiff::Unreadable),
            };
        }
        let (Some((_, left)), Ok(right)) = (&self.last, right) else {
            return Compared::Nothing(if self.last.is_some() {
                NoDiff::Unreadable
            } else {
                NoDiff::NoText
            });
        };
        let Some(right) = right else {
            return Compared::Nothing(NoDiff::NoText);
        };
        if !self.text.take(left.len() + right.len()) {
            return Compared::Nothing(NoDiff::NoRoom);
        }
        let diff = diff::diff(left, &right, &SHOWN);
        if !diff.rows.iter().any(|row| matches!(row, Row::Changed { .. })) {
            return Compared::Nothing(if diff.is_cut {
                NoDiff::SameBeginning
            } else {
                NoDiff::Same
            });
        }
        let value = json_of(&diff);
        if !self.json.take(value.to_string().len()) {
            return Compared::Nothing(NoDiff::NoRoom);
        }
        self.shown.push(value);
        Compared::Diff(self.shown.len() - 1)
    }

    /// The title of a page, for the pairs that the page shows; empty if it cannot be read.
    pub fn title(&self, page: u64) -> String {
        self.texts.title_of(page).unwrap_or_default()
    }

    /// A diff for the template. Without room its rows are empty, and the script adds them.
    pub fn html(&mut self, compared: &Compared) -> StaticDiff {
        let Compared::Diff(number) = compared else {
            return StaticDiff {
                reason: match compared {
                    Compared::Nothing(reason) => reason.words(),
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
            reason: "",
        }
    }

    /// All diffs, as JSON for the script.
    pub fn into_json(self) -> String {
        island(&Value::Array(self.shown))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::html::diff_view::StaticRow;
    use error::RunError;
    use study::diff::Diff;

    struct Two(&'static str, &'static str);

    impl Texts for Two {
        fn title_of(&self, page: u64) -> Result<String, RunError> {
            Ok(format!("Title {page}"))
        }

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
    fn a_partial_comparison_is_named() {
        let long = |end: &str| -> &'static str { format!("{}{end}", "line\n".repeat(diff::MAX_LINES)).leak() };
        let texts = Two(long("one"), long("two"));
        let quiet = Waiting::new(true);
        let mut diffs = Diffs::new(&texts, &quiet);
        let compared = diffs.compare(1, 2);
        assert!(
            matches!(compared, Compared::Nothing(NoDiff::SameBeginning)),
            "{compared:?}"
        );
        let texts = Two(long("one"), "another");
        let mut diffs = Diffs::new(&texts, &quiet);
        let compared = diffs.compare(1, 2);
        let summary = diffs.html(&compared).summary;
        assert!(summary.ends_with(Diff::CUT), "{summary}");
    }

    #[test]
    fn a_missing_text_is_named() {
        let texts = Two("a", "b");
        let quiet = Waiting::new(true);
        let mut diffs = Diffs::new(&texts, &quiet);
        for (kept, other) in [(1, 3), (3, 2)] {
            let Compared::Nothing(reason) = diffs.compare(kept, other) else {
                panic!()
            };
            assert_eq!(reason, NoDiff::NoText);
        }
    }

    #[test]
    fn directional_marks_in_texts_are_visible() {
        let texts = Two("good \u{202e}text", "bad \u{202e}text");
        let quiet = Waiting::new(true);
        let mut diffs = Diffs::new(&texts, &quiet);
        diffs.compare(1, 2);
        let json = diffs.into_json();
        assert!(!json.contains('\u{202e}') && json.contains("[U+202E]"), "{json}");
    }
}
