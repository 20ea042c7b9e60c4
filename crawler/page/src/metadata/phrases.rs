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

/// Words in lower case of two letters or more, by the first two.
pub(super) struct ByFirstLetters {
    by_first: Map<[char; 2], Vec<&'static str>>,
    /// For each first letter the second letters, as bits: of letters in ASCII the last five bits in their codes. Most texts begin with none.
    in_ascii: [u32; 32],
}

impl ByFirstLetters {
    pub(super) fn new(words: &[&'static str]) -> Self {
        let mut by_first: Map<[char; 2], Vec<&'static str>> = Map::default();
        let mut in_ascii = [0; 32];
        for word in words {
            if let Some(first) = first_letters(word) {
                by_first.entry(first).or_default().push(word);
            }
            if let [first, second, ..] = word.as_bytes() {
                in_ascii[usize::from(first & 31)] |= 1 << (second & 31);
            }
        }
        Self { by_first, in_ascii }
    }

    /// The words that a text may begin with in any case, in the order of the list.
    pub(super) fn of(&self, text: &str) -> &[&'static str] {
        if let [first @ 0..128, second @ 0..128, ..] = text.as_bytes()
            && self.in_ascii[usize::from(first & 31)] & 1 << (second & 31) == 0
        {
            return &[];
        }
        let first = first_letters(text);
        first
            .and_then(|first| self.by_first.get(&first))
            .map_or(&[], Vec::as_slice)
    }
}

/// The first two letters of a text in lower case.
fn first_letters(text: &str) -> Option<[char; 2]> {
    let mut letters = text.chars().map(|letter| {
        let mut lower = letter.to_lowercase();
        let only = lower.next().filter(|_| lower.next().is_none());
        only.unwrap_or(letter)
    });
    Some([letters.next()?, letters.next()?])
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
        let words = ByFirstLetters::new(&["by", "автор", "blog", "作者", "byline"]);
        let expected: [(&str, &[&str]); 8] = [
            ("", &[]),
            ("B", &[]),
            ("Byline", &["by", "byline"]),
            ("BLOG", &["blog"]),
            ("Bad", &[]),
            ("Автор", &["автор"]),
            ("作者：", &["作者"]),
            ("İ", &[]),
        ];
        for (text, expected) in expected {
            assert_eq!(words.of(text), expected, "{text:?}");
        }
    }
}
