//! Whether a rendered page says more than its response.
//!
//! Both texts are at hand, so the comparison is exact: it counts the words of the rendered text that the other text does not have, each as often
//! as it occurs. A character of Chinese, Japanese or Korean counts as a word.

use std::collections::HashMap;

use xxhash_rust::xxh3::xxh3_64;

/// So many new words are more than a clock, a counter or a greeting.
const MIN_NEW_WORDS: usize = 10;

/// The part of a text that must be new: one word in so many.
const NEW_SHARE: usize = 10;

/// Whether the rendered text says more: at least ten words and a tenth of the text are new, or most of it.
#[must_use]
pub fn says_more(plain: &str, rendered: &str) -> bool {
    let mut counts: HashMap<u64, usize> = HashMap::new();
    for word in words(plain) {
        *counts.entry(word).or_default() += 1;
    }
    let (mut all, mut new) = (0, 0);
    for word in words(rendered) {
        all += 1;
        match counts.get_mut(&word) {
            Some(count) if *count > 0 => *count -= 1,
            _ => new += 1,
        }
    }
    new > 0 && (new >= MIN_NEW_WORDS && new * NEW_SHARE >= all || new * 2 > all)
}

/// The hashes of the words, in lower case.
fn words(text: &str) -> impl Iterator<Item = u64> + '_ {
    text.split(|c: char| !c.is_alphanumeric())
        .filter(|part| !part.is_empty())
        .flat_map(|part| {
            let part = part.to_lowercase();
            let pieces: Vec<u64> = if part.chars().any(is_ideographic) {
                part.chars().map(|c| u64::from(u32::from(c))).collect()
            } else {
                vec![xxh3_64(part.as_bytes())]
            };
            pieces
        })
}

/// Han, Hiragana, Katakana, Hangul.
fn is_ideographic(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}' | '\u{20000}'..='\u{3ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_words_are_a_gain_if_they_are_many_or_most() {
        let text = "word ".repeat(100) + "and some more that both have";
        for (plain, rendered, expected) in [
            (text.as_str(), text.clone(), false),
            ("", String::new(), false),
            ("", "Lamp 40 W".to_owned(), true),
            ("Enable JavaScript", "The lamp is back in stock".to_owned(), true),
            (&text, format!("{text} 12:41:07 Hello Ada"), false),
            (
                &text,
                format!(
                    "{text} {}",
                    "comment by a reader, which a script has loaded; it says ten new things or so"
                ),
                true,
            ),
            // Nine words of a hundred and more: less than a tenth.
            (
                &text,
                format!("{text} one two three four five six seven eight nine"),
                false,
            ),
            (&text, "word and".to_owned(), false),
            ("首页", "这款台灯重新上架，数量有限，欲购从速。".to_owned(), true),
        ] {
            assert_eq!(says_more(plain, &rendered), expected, "{rendered}");
        }
    }
}
