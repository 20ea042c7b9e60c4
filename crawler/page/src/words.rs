//! The number of words of a short text in any language.

/// Chinese, Japanese or Korean characters that count as one word.
const CJK_CHARACTERS_A_WORD: usize = 2;

/// The number of words: runs of letters and digits, and two Chinese, Japanese or Korean characters for one.
pub(crate) fn words(text: &str) -> usize {
    let mut cjk = 0;
    let mut words = 0;
    let mut in_word = false;
    for c in text.chars().filter(|c| !is_ignorable(*c)) {
        let is_cjk = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        cjk += usize::from(is_cjk);
        words += usize::from(!is_cjk && c.is_alphanumeric() && !in_word);
        in_word = !is_cjk && c.is_alphanumeric();
    }
    words + cjk / CJK_CHARACTERS_A_WORD
}

/// Whether a character is invisible within a word: a soft hyphen, a joiner, a mark of direction, a variation selector, a filler of Hangul. These
/// are the characters of the Unicode property `Default_Ignorable_Code_Point` that pages use.
pub(crate) fn is_ignorable(c: char) -> bool {
    c >= '\u{ad}'
        && matches!(c, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' | '\u{feff}' | '\u{ffa0}')
}

#[cfg(test)]
mod tests {
    use super::words;

    #[test]
    fn words_are_counted_in_any_script_and_with_invisible_characters() {
        for (text, count) in [
            ("", 0),
            ("one, two", 2),
            ("Fisher\u{ad}men in the north\u{ad}ern bay", 5),
            ("می\u{200c}روم", 1),
            ("数据去重", 2),
        ] {
            assert_eq!(words(text), count, "{text:?}");
        }
    }
}
