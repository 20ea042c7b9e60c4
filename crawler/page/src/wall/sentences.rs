//! The sentences of a text.

use super::vocabulary::VOCABULARY;
use crate::phrase::fold;
use crate::words::words;

/// A sentence, or a line without the mark that ends one.
#[derive(Debug)]
pub(super) struct Sentence<'a> {
    pub text: &'a str,
    pub folded: String,
    pub words: usize,
    /// The phrases of the rules in it.
    pub phrases: Vec<&'static str>,
}

/// The sentences of a text.
pub(super) fn sentences(text: &str) -> Vec<Sentence<'_>> {
    let lines = text.lines().flat_map(split);
    lines.filter(|part| !part.trim().is_empty()).map(Sentence::of).collect()
}

/// The parts of a line that end with a full stop, a question mark or an exclamation mark. A full stop inside a word, as in the name of a
/// host, ends nothing.
fn split(line: &str) -> impl Iterator<Item = &str> {
    let mut rest = line;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (part, behind) = rest.split_at(end_of_sentence(rest));
        rest = behind;
        Some(part)
    })
}

fn end_of_sentence(text: &str) -> usize {
    let mut chars = text.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let next = chars.peek().map(|(_, next)| *next);
        let ends = match c {
            '。' | '！' | '？' => true,
            '.' | '!' | '?' => next.is_none_or(char::is_whitespace),
            _ => false,
        };
        if ends {
            return at + c.len_utf8();
        }
    }
    text.len()
}

impl<'a> Sentence<'a> {
    fn of(text: &'a str) -> Self {
        let folded = fold(text);
        Self {
            text: text.trim(),
            words: words(text),
            phrases: VOCABULARY.phrases_of(&folded),
            folded,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sentences_end_at_marks_and_lines_and_not_inside_the_name_of_a_host() {
        for (text, expected) in [
            ("", &[][..]),
            ("One. Two!\nThree", &["One.", "Two!", "Three"]),
            ("www.example.org is slow. Why?", &["www.example.org is slow.", "Why?"]),
            (
                "访问过于频繁，请稍后再试。谢谢！",
                &["访问过于频繁，请稍后再试。", "谢谢！"],
            ),
            ("...", &["..."]),
        ] {
            let found: Vec<&str> = sentences(text).iter().map(|sentence| sentence.text).collect();
            assert_eq!(found, expected, "{text:?}");
        }
    }
}
