//! White space between and within words.

/// The length of the words at the start of a text, up to white space that is more than a space between two of them.
pub(super) fn words(text: &str) -> usize {
    let bytes = text.as_bytes();
    let mut at = 0;
    while let Some(&byte) = bytes.get(at) {
        match byte {
            b'!'..=b'~' => at += 1,
            b' ' if matches!(bytes.get(at + 1), Some(b'!'..=b'~')) => at += 1,
            b' ' => break,
            _ => match text[at..].chars().next() {
                Some(c) if !is_space(c) => at += c.len_utf8(),
                _ => break,
            },
        }
    }
    at
}

pub(super) fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// Whether two words would become one. Scripts without spaces need none.
pub(super) fn joins_words(before: &str, after: &str) -> bool {
    let is_of_word = |c: char| c.is_alphanumeric() && !is_without_spaces(c);
    before.chars().next_back().is_some_and(is_of_word) && after.chars().next().is_some_and(is_of_word)
}

/// Whether the text after a word looks like another word: it begins with a capital, a digit or a sign of money, and the word before is longer than
/// the large first letter of a text.
pub(super) fn begins_another_word(before: &str, after: &str) -> bool {
    let mut last = before.chars().rev();
    let (Some(end), Some(next)) = (last.next(), after.chars().next()) else {
        return false;
    };
    let is_single_letter = end.is_alphabetic() && !last.next().is_some_and(char::is_alphanumeric);
    let ends_word = (end.is_alphanumeric() && !is_single_letter || end == '%') && !is_without_spaces(end);
    let begins_word = next.is_uppercase() || next.is_numeric() || matches!(next, '$' | '€' | '£' | '¥' | '₹' | '₽');
    ends_word && begins_word
}

/// Whether a character is of a script that writes words without spaces: Chinese, Japanese, Thai, Lao, Khmer, Burmese.
fn is_without_spaces(c: char) -> bool {
    matches!(c, '\u{e00}'..='\u{eff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{f900}'..='\u{faff}' | '\u{ff66}'..='\u{ff9f}' | '\u{20000}'..='\u{3ffff}')
}
