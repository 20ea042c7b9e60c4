//! Lists of words that are looked for in many texts, in one pass over each text.

use std::ops::Range;

use aho_corasick::{AhoCorasick, MatchKind};

use crate::map::Map;

/// Words of which one may be anywhere in a text.
pub(super) struct AnyOf {
    words: &'static [&'static str],
    /// `None` if the words are too many for an automaton, which no list is.
    automaton: Option<AhoCorasick>,
}

impl AnyOf {
    pub(super) fn new(words: &'static [&'static str]) -> Self {
        Self {
            words,
            automaton: AhoCorasick::new(words).ok(),
        }
    }

    /// Whether a text has one of the words.
    pub(super) fn is_in(&self, text: &str) -> bool {
        match &self.automaton {
            Some(automaton) => automaton.is_match(text),
            None => self.words.iter().any(|word| text.contains(word)),
        }
    }
}

/// Words of several lists that are looked for in one pass. The longest word at a place is found.
pub(super) struct Lists<T: 'static> {
    words: Vec<(&'static str, T)>,
    /// `None` if the words are too many for an automaton, which no list is.
    automaton: Option<AhoCorasick>,
}

impl<T: Copy> Lists<T> {
    pub(super) fn new(lists: &[(&[&'static str], T)]) -> Self {
        let words: Vec<(&'static str, T)> = lists
            .iter()
            .flat_map(|(words, list)| words.iter().map(|word| (*word, *list)))
            .collect();
        let automaton = AhoCorasick::builder()
            .match_kind(MatchKind::LeftmostLongest)
            .build(words.iter().map(|(word, _)| word));
        Self {
            automaton: automaton.ok(),
            words,
        }
    }

    /// The words in a text, from left to right without overlap: where they are, and of which list.
    pub(super) fn find_in<'a>(&'a self, text: &'a str) -> impl Iterator<Item = (Range<usize>, T)> + 'a {
        let found = self
            .automaton
            .iter()
            .flat_map(move |automaton| automaton.find_iter(text));
        found.map(|found| (found.range(), self.words[found.pattern().as_usize()].1))
    }
}

/// Words in lower case, by their first letters.
pub(super) struct ByFirstLetter(Map<char, Vec<&'static str>>);

impl ByFirstLetter {
    pub(super) fn new(words: &[&'static str]) -> Self {
        let mut by_first: Map<char, Vec<&'static str>> = Map::default();
        for word in words {
            if let Some(first) = word.chars().next() {
                by_first.entry(first).or_default().push(word);
            }
        }
        Self(by_first)
    }

    /// The words that a text may begin with in any case, in the order of the list.
    pub(super) fn of(&self, text: &str) -> &[&'static str] {
        let first = text.chars().next().map(|first| {
            let mut lower = first.to_lowercase();
            let only = lower.next().filter(|_| lower.next().is_none());
            only.unwrap_or(first)
        });
        first.and_then(|first| self.0.get(&first)).map_or(&[], Vec::as_slice)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_anywhere_and_by_their_first_letters() {
        let words = AnyOf::new(&["by ", "veröffentlicht"]);
        for (text, expected) in [
            ("", false),
            ("wurde veröffentlicht", true),
            ("by", false),
            ("by us", true),
        ] {
            assert_eq!(words.is_in(text), expected, "{text:?}");
        }
        let words = ByFirstLetter::new(&["by", "автор", "blog", "作者"]);
        let expected: [(&str, &[&str]); 5] = [
            ("", &[]),
            ("Byline", &["by", "blog"]),
            ("Автор", &["автор"]),
            ("作者：", &["作者"]),
            ("İ", &[]),
        ];
        for (text, expected) in expected {
            assert_eq!(words.of(text), expected, "{text:?}");
        }
    }
}
