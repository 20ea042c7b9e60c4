//! The number of words of a short text in any language.

/// Chinese, Japanese or Korean characters that count as one word.
const CJK_CHARACTERS_A_WORD: usize = 2;

/// The number of words: runs of letters and digits, and two Chinese, Japanese or Korean characters for one.
pub(crate) fn words(text: &str) -> usize {
    let mut cjk = 0;
    let mut words = 0;
    let mut in_word = false;
    for c in text.chars() {
        let is_cjk = matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}');
        cjk += usize::from(is_cjk);
        words += usize::from(!is_cjk && c.is_alphanumeric() && !in_word);
        in_word = !is_cjk && c.is_alphanumeric();
    }
    words + cjk / CJK_CHARACTERS_A_WORD
}
