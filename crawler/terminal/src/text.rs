//! Text from the web, made safe for a terminal or a log line.

/// `text` in one line of at most `width` characters. U+FFFD replaces control characters, directional marks and invisible
/// characters; a run of white space becomes one space.
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

/// `text` with `***` in each word in place of a possible user and password of a URL. The text need not be a URL: the function also hides
/// a password in a word that a mistake makes unreadable as a URL.
#[must_use]
pub fn without_user_info(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for word in text.split_inclusive(char::is_whitespace) {
        match user_info(word) {
            Some((start, end)) => out.extend([&word[..start], "***", &word[end..]]),
            None => out.push_str(word),
        }
    }
    out
}

/// The begin and the end of the user info in a word: after the scheme, up to the `@`. If a colon shows that a password precedes, the user
/// info ends at the last `@`, because a password may contain a slash.
fn user_info(word: &str) -> Option<(usize, usize)> {
    let start = match (word.find("//"), word.find(":/")) {
        (Some(slashes), _) => slashes + 2,
        (None, Some(colon)) => colon + 2,
        (None, None) => 0,
    };
    let rest = &word[start..];
    let path = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let last = rest.rfind('@')?;
    let end = match rest[..last].find(':') {
        Some(_) => last,
        None => rest[..path].rfind('@')?,
    };
    Some((start, start + end))
}

/// `c`, or U+FFFD if a terminal must not receive it.
#[must_use]
pub fn harmless(c: char) -> char {
    if is_hidden(c) { char::REPLACEMENT_CHARACTER } else { c }
}

/// Whether a reader cannot see `c` although it changes the text: control characters; directional marks, embeddings, overrides and
/// isolates (UAX #9); characters without width (zero width space, word joiner, invisible operators, byte order mark); line and
/// paragraph separators. The joiners U+200C and U+200D belong to the spelling of some scripts and are not hidden.
pub fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{61c}' | '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_title_cannot_control_the_terminal() {
        assert_eq!(terminal_text("a\u{1b}[31mred\u{7}", 80), "a\u{fffd}[31mred\u{fffd}");
        assert_eq!(terminal_text("abc\u{202e}txt", 80), "abc\u{fffd}txt");
        for hidden in ['\u{200b}', '\u{2060}', '\u{2065}', '\u{feff}'] {
            assert_eq!(terminal_text(&format!("a{hidden}b"), 80), "a\u{fffd}b");
        }
        assert_eq!([harmless('\u{2028}'), harmless('\u{2029}')], ['\u{fffd}'; 2]);
        assert_eq!(terminal_text("می‌خواهم", 80), "می‌خواهم");
        assert_eq!(terminal_text("  two\r\nlines\t here ", 80), "two lines here");
    }

    #[test]
    fn a_password_is_not_shown() {
        for (text, shown) in [
            ("http://user:secret@host/x", "http://***@host/x"),
            ("http://secret@host/x", "http://***@host/x"),
            ("see htp:/user:sec/ret@host now", "see htp:/***@host now"),
            ("user:sec@ret@host", "***@host"),
            ("http://host/@name", "http://host/@name"),
            ("host/@name", "host/@name"),
            ("two words", "two words"),
        ] {
            assert_eq!(without_user_info(text), shown);
        }
    }

    #[test]
    fn long_text_is_cut_by_characters() {
        assert_eq!(terminal_text("标题标题标题", 4), "标题标…");
        assert_eq!(terminal_text("abcd", 4), "abcd");
    }
}
