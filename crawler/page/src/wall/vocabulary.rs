//! All words of the rules, in automata that find them in one pass (Aho and Corasick 1975).

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::LazyLock;

use aho_corasick::{AhoCorasick, BuildError};

use super::rules::{self, Clue};
use crate::phrase::{fold, is_whole};

/// The words of the rules.
pub(super) static VOCABULARY: LazyLock<Vocabulary> = LazyLock::new(|| {
    // The patterns are the constants of the rules: a few hundred, far below the limits of an automaton.
    Vocabulary::new().unwrap_or_else(|error| unreachable!("{error}"))
});

/// The words of the rules.
#[derive(Debug)]
pub(super) struct Vocabulary {
    /// In folded sentences.
    phrases: Patterns,
    /// In markup, whatever the case of its ASCII letters.
    marks: Patterns,
    /// The titles and their folded forms.
    titles: HashMap<&'static str, String>,
}

/// Patterns, and the constants that they are made of.
#[derive(Debug)]
struct Patterns {
    automaton: AhoCorasick,
    constants: Vec<&'static str>,
}

impl Vocabulary {
    fn new() -> Result<Self, BuildError> {
        let mut phrases: BTreeSet<&str> = BTreeSet::new();
        let mut marks: BTreeSet<&str> = BTreeSet::new();
        let mut titles = HashMap::new();
        for clue in rules::all().flat_map(|rule| rule.clues) {
            match clue {
                Clue::Says(list) | Clue::SaysNone(list) => phrases.extend(*list),
                Clue::Mark(list) | Clue::MarkNone(list) => marks.extend(*list),
                Clue::Title(list) | Clue::TitleBegins(list) => {
                    titles.extend(list.iter().map(|title| (*title, fold(title))))
                }
                Clue::NotAt(_) => {}
            }
        }
        let phrases: Vec<_> = phrases.into_iter().collect();
        let marks: Vec<_> = marks.into_iter().collect();
        Ok(Self {
            phrases: Patterns {
                automaton: AhoCorasick::new(phrases.iter().map(|phrase| fold(phrase)))?,
                constants: phrases,
            },
            marks: Patterns {
                automaton: AhoCorasick::builder().ascii_case_insensitive(true).build(&marks)?,
                constants: marks,
            },
            titles,
        })
    }

    /// The phrases of a folded sentence, as the rules write them.
    pub(super) fn phrases_of(&self, folded: &str) -> Vec<&'static str> {
        let found = self.phrases.automaton.find_overlapping_iter(folded);
        let whole = found.filter(|found| is_whole(folded, found.start(), found.end()));
        whole.map(|found| self.phrases.constants[found.pattern()]).collect()
    }

    /// The marks in a part of the markup.
    pub(super) fn marks_of(&self, markup: &[u8]) -> HashSet<&'static str> {
        let found = self.marks.automaton.find_overlapping_iter(markup);
        found.map(|found| self.marks.constants[found.pattern()]).collect()
    }

    /// The folded form of a title of a rule.
    pub(super) fn title(&self, title: &'static str) -> &str {
        self.titles.get(title).map_or(title, String::as_str)
    }
}
