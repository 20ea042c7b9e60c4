//! Text from the web, made harmless for a terminal or a log line.

/// `text` in one line of at most `width` characters: control characters, which a terminal would obey, and marks that
/// turn the direction of what follows become a visible replacement; runs of white space become one space.
#[must_use]
pub fn terminal_text(text: &str, width: usize) -> String {
    let mut out = String::new();
    let mut length = 0;
    let mut words = text.split_whitespace().peekable();
    while let Some(word) = words.next() {
        for c in word.chars().chain(words.peek().map(|_| ' ')) {
            if length == width {
                out.pop();
                out.push('…');
                return out;
            }
            out.push(harmless(c));
            length += 1;
        }
    }
    out
}

/// A character as it may be shown on a terminal.
#[must_use]
pub fn harmless(c: char) -> char {
    if is_harmful(c) { char::REPLACEMENT_CHARACTER } else { c }
}

/// Control characters and the directional marks, embeddings, overrides and isolates of Unicode (UAX #9).
fn is_harmful(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_is_told_nothing_by_a_title() {
        assert_eq!(terminal_text("a\u{1b}[31mred\u{7}", 80), "a\u{fffd}[31mred\u{fffd}");
        assert_eq!(terminal_text("abc\u{202e}txt", 80), "abc\u{fffd}txt");
        assert_eq!(terminal_text("  two\r\nlines\t here ", 80), "two lines here");
    }

    #[test]
    fn long_text_is_cut_by_characters() {
        assert_eq!(terminal_text("标题标题标题", 4), "标题标…");
        assert_eq!(terminal_text("abcd", 4), "abcd");
    }
}
