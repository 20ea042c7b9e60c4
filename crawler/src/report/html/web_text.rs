//! Text from the web for the page: cut, and with hidden characters made visible. The template escapes it.

use std::fmt::Write;

use crate::terminal::text::is_hidden;
use crate::terminal::units::grouped;

/// `text` with each hidden character ([`is_hidden`]) as its code point, such as `[U+202E]`; line ends and tabs become spaces.
pub(super) fn visible(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' | '\t' => out.push(' '),
            _ if is_hidden(c) => {
                // Writing to a string cannot fail.
                let _ = write!(out, "[U+{:04X}]", u32::from(c));
            }
            _ => out.push(c),
        }
    }
    out
}

/// As [`visible`], cut to `chars` characters; a cut text ends with its full length.
pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => visible(text),
        Some((end, _)) => {
            let all = grouped(text.chars().count() as u64);
            format!("{}… ({all} characters)", visible(&text[..end]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hidden_characters_are_visible_and_letters_of_every_script_stay() {
        assert_eq!(visible("a\u{202e}b\u{1b}[31m"), "a[U+202E]b[U+001B][31m");
        assert_eq!(visible("漢字 العربية می‌خواهم"), "漢字 العربية می‌خواهم");
    }

    #[test]
    fn a_cut_text_ends_with_its_length() {
        assert_eq!(cut(&"標".repeat(10_000), 3), "標標標… (10,000 characters)");
        assert_eq!(cut("abc", 3), "abc");
    }
}
