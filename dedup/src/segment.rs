//! Cuts normalised text into tokens: words, numbers, and single characters of scripts without spaces.
//!
//! A word is a run of letters and digits with their marks, and with invisible characters in a text that is not normalised. A number is a run of digits with the points and commas
//! inside it. Each Chinese, Japanese, Korean, Thai, Lao, Khmer or Burmese character is a token; the
//! [`Segmenter`](crate::Segmenter) of the scheme makes words of them.

use crate::ignorable::is_ignorable;

/// The kind of a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TokenKind {
    /// Letters, possibly with digits.
    Word,
    /// Digits, possibly with points and commas inside.
    Number,
    /// One character of a script without spaces.
    Character,
}

/// A word, number or character of a normalised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Token<'a> {
    /// The text of the token.
    pub text: &'a str,
    /// Position of its first byte in the text.
    pub start: usize,
    /// Its kind.
    pub kind: TokenKind,
}

/// The tokens of a normalised text, in order.
pub fn tokens(text: &str) -> impl Iterator<Item = Token<'_>> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        let (start, first) = text[rest..]
            .char_indices()
            .map(|(at, c)| (rest + at, c))
            .find(|&(_, c)| starts(c))?;
        let (end, kind) = if is_spaceless(first) {
            (end_of_character(text, start, first), TokenKind::Character)
        } else if first.is_numeric() {
            number(text, start)
        } else {
            (end_of_word(text, start), TokenKind::Word)
        };
        rest = end;
        Some(Token {
            text: &text[start..end],
            start,
            kind,
        })
    })
}

fn starts(c: char) -> bool {
    match c {
        '\0'..='\u{7f}' => c.is_ascii_alphanumeric(),
        // Ideographs, kana and Hangul syllables, without a search in the tables.
        '\u{4e00}'..='\u{9fff}' | '\u{3041}'..='\u{3096}' | '\u{30a1}'..='\u{30fa}' | '\u{ac00}'..='\u{d7a3}' => true,
        // Dashes, quotation marks and CJK punctuation, also without one.
        '\u{2010}'..='\u{206f}' | '\u{3008}'..='\u{3011}' | '\u{3001}'..='\u{3003}' => false,
        _ => c.is_alphanumeric(),
    }
}

/// The end of a number, which may have `.` and `,` between ASCII digits. Letters directly after it make it a word
/// (`3rd`, `200x`).
fn number(text: &str, start: usize) -> (usize, TokenKind) {
    let mut end = start;
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_digit);
    for c in text[start..].chars() {
        let inside = matches!(c, '.' | ',') && end > start && digit(end - 1) && digit(end + 1);
        if !c.is_numeric() && !inside {
            break;
        }
        end += c.len_utf8();
    }
    let word_end = end_of_word(text, end);
    if word_end > end {
        (word_end, TokenKind::Word)
    } else {
        (end, TokenKind::Number)
    }
}

fn end_of_word(text: &str, start: usize) -> usize {
    let bytes = text.as_bytes();
    let mut end = start;
    while end < bytes.len() && bytes[end].is_ascii_alphanumeric() {
        end += 1;
    }
    if end == bytes.len() || bytes[end].is_ascii() {
        return end;
    }
    // A normalised text has no invisible characters.
    let inside = |c: char| (starts(c) || is_mark(c) || is_ignorable(c)) && !is_spaceless(c);
    let length = text[end..].find(|c| !inside(c)).unwrap_or(text.len() - end);
    end + length
}

/// The end of a character with its marks (Thai vowels and tones, kana voicing).
fn end_of_character(text: &str, start: usize, first: char) -> usize {
    let after = start + first.len_utf8();
    let marks = text[after..].find(|c: char| !is_mark(c)).unwrap_or(text.len() - after);
    after + marks
}

/// Whether a character belongs to a script without spaces between words. Includes Korean, whose words have changing
/// endings.
fn is_spaceless(c: char) -> bool {
    c >= '\u{e00}'
        && matches!(c,
        '\u{0e00}'..='\u{0eff}' // Thai, Lao
        | '\u{1000}'..='\u{109f}' // Myanmar
        | '\u{1100}'..='\u{11ff}' // Hangul Jamo
        | '\u{1780}'..='\u{17ff}' // Khmer
        | '\u{3005}'..='\u{3007}' // ideographic iteration mark, closing mark, zero
        | '\u{3040}'..='\u{30ff}' // Hiragana, Katakana
        | '\u{31f0}'..='\u{31ff}' // Katakana extensions
        | '\u{3400}'..='\u{4dbf}' // CJK extension A
        | '\u{4e00}'..='\u{9fff}' // CJK unified ideographs
        | '\u{ac00}'..='\u{d7af}' // Hangul syllables
        | '\u{f900}'..='\u{faff}' // CJK compatibility ideographs
        | '\u{20000}'..='\u{323af}') // CJK extensions B to H
}

/// Whether a character is a mark on the character before it and not alphabetic in Unicode.
fn is_mark(c: char) -> bool {
    ('\u{300}'..='\u{309a}').contains(&c)
        && matches!(c,
        '\u{0300}'..='\u{036f}' | '\u{0483}'..='\u{0487}' | '\u{0591}'..='\u{05c7}' | '\u{0610}'..='\u{061a}'
        | '\u{064b}'..='\u{065f}' | '\u{0670}' | '\u{06d6}'..='\u{06ed}' | '\u{0900}'..='\u{0903}'
        | '\u{093a}'..='\u{094f}' | '\u{0962}'..='\u{0963}' | '\u{0981}'..='\u{0983}' | '\u{09bc}'..='\u{09cd}'
        | '\u{0e31}' | '\u{0e34}'..='\u{0e3a}' | '\u{0e47}'..='\u{0e4e}' | '\u{0eb1}' | '\u{0eb4}'..='\u{0ebc}'
        | '\u{0ec8}'..='\u{0ece}' | '\u{102b}'..='\u{103e}' | '\u{17b4}'..='\u{17d3}' | '\u{200c}'..='\u{200d}'
        | '\u{3099}'..='\u{309a}')
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::normalize::normalize;
    use proptest::prelude::*;

    fn cut(text: &str) -> Vec<(&str, TokenKind)> {
        tokens(text).map(|token| (token.text, token.kind)).collect()
    }

    #[test]
    fn words_numbers_and_characters_are_distinguished() {
        use TokenKind::{Character, Number, Word};
        assert_eq!(
            cut("the x200 costs 1,299.00, really."),
            [
                ("the", Word),
                ("x200", Word),
                ("costs", Word),
                ("1,299.00", Number),
                ("really", Word),
            ]
        );
        assert_eq!(
            cut("3rd 美国51区"),
            [
                ("3rd", Word),
                ("美", Character),
                ("国", Character),
                ("51", Number),
                ("区", Character),
            ]
        );
    }

    #[test]
    fn scripts_without_spaces_are_cut_by_character_with_their_marks() {
        let texts = |text| cut(text).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
        assert_eq!(texts("ที่นี่"), ["ที่", "นี่"]);
        assert_eq!(texts("ひらがな"), ["ひ", "ら", "が", "な"]);
        assert_eq!(texts("한국어"), ["한", "국", "어"]);
    }

    #[test]
    fn words_of_other_scripts_stay_whole() {
        let texts = |text| cut(text).into_iter().map(|(text, _)| text).collect::<Vec<_>>();
        assert_eq!(texts("привет мир"), ["привет", "мир"]);
        assert_eq!(texts("हिन्दी भाषा"), ["हिन्दी", "भाषा"]);
        assert_eq!(texts("café naïve"), ["café", "naïve"]);
        assert_eq!(texts("Fisher\u{ad}men \u{2060}go"), ["Fisher\u{ad}men", "go"]);
    }

    #[test]
    fn the_shortcut_for_letters_agrees_with_the_tables() {
        for c in '\0'..=char::MAX {
            assert_eq!(starts(c), c.is_alphanumeric(), "{c:?}");
        }
    }

    proptest! {
        #[test]
        fn tokens_are_in_order_and_contain_every_letter_and_digit(text in any::<String>()) {
            let text = normalize(&text);
            let mut end = 0;
            for token in tokens(&text) {
                prop_assert!(token.start >= end && !token.text.is_empty());
                prop_assert!(!text[end..token.start].chars().any(starts));
                end = token.start + token.text.len();
                prop_assert_eq!(&text[token.start..end], token.text);
            }
            prop_assert!(!text[end..].chars().any(starts));
        }
    }
}
