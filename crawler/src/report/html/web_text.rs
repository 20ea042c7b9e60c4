//! Text from the web for the page: the template escapes it, here it is cut, and what would turn its direction is made visible.

use std::fmt::Write;

use crate::terminal::text::is_hidden;

/// `text` with what a reader would not see ([`is_hidden`]) named in brackets, `[U+202E]`; line ends and tabs become spaces.
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

/// As [`visible`], at most `chars` characters of it, with the whole length where it is cut.
pub(super) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => visible(text),
        Some((end, _)) => {
            let all = super::summary::grouped(text.chars().count() as u64);
            format!("{}… ({all} characters)", visible(&text[..end]))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_turns_the_direction_is_seen_and_letters_of_every_script_stay() {
        assert_eq!(visible("a\u{202e}b\u{1b}[31m"), "a[U+202E]b[U+001B][31m");
        assert_eq!(visible("漢字 العربية می‌خواهم"), "漢字 العربية می‌خواهم");
    }

    #[test]
    fn long_text_is_cut_and_its_length_told() {
        assert_eq!(cut(&"標".repeat(10_000), 3), "標標標… (10,000 characters)");
        assert_eq!(cut("abc", 3), "abc");
    }
}
