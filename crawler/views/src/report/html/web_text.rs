//! Text from the web for the page: cut, and with hidden characters made visible. The template escapes it.

use std::fmt::Write;

use serde_json::{Value, json};

use terminal::text::is_hidden;
use terminal::units::grouped;

/// `text` with each hidden character ([`is_hidden`]) as its code point, such as `[U+202E]`; line ends and tabs become spaces.
pub(crate) fn visible(text: &str) -> String {
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
pub(crate) fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        None => visible(text),
        Some((end, _)) => {
            let all = grouped(text.chars().count() as u64);
            format!("{}… ({all} characters)", visible(&text[..end]))
        }
    }
}

/// A URL as the page shows it, and as a link opens it.
#[derive(Debug, Clone)]
pub(crate) struct WebUrl {
    pub shown: String,
    /// `None` where the page shows text only: another scheme than http and https, or a URL that no crawl made.
    pub href: Option<String>,
}

impl WebUrl {
    /// Longest URL that becomes a link, in bytes.
    const MAX_LINKED: usize = 2_000;

    /// A URL, shown up to `chars` characters. Text that is no URL stays text.
    pub fn of(text: &str, chars: usize) -> Self {
        let is_web = ["http://", "https://"].iter().any(|scheme| text.starts_with(scheme));
        // A canonical URL has no other characters; the address of a link is not visible, so it must not hide any.
        let is_plain = text.bytes().all(|byte| byte.is_ascii_graphic());
        Self {
            shown: cut(text, chars),
            href: (is_web && is_plain && text.len() <= Self::MAX_LINKED).then(|| text.to_owned()),
        }
    }

    /// For the script: the text, `[text]` for a link to what it says, or `[text, URL]`.
    pub fn json(&self) -> Value {
        match &self.href {
            None => json!(self.shown),
            Some(href) if *href == self.shown => json!([href]),
            Some(href) => json!([self.shown, href]),
        }
    }

    /// Bytes of [`json`](Self::json), about.
    pub fn bytes(&self) -> usize {
        let href = self.href.as_ref().filter(|href| **href != self.shown);
        self.shown.len() + href.map_or(0, String::len) + 5
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_plain_web_url_is_a_link() {
        let json = |text: &str| WebUrl::of(text, 20).json();
        assert_eq!(json("http://a.example/"), json!(["http://a.example/"]));
        let long = format!("https://a.example/{}", "x".repeat(30));
        assert_eq!(json(&long), json!(["https://a.example/xx… (48 characters)", long]));
        for text in [
            "javascript:alert(1)",
            "data:text/html,x",
            "//a.example/",
            "a seed",
            "http://a.example/\u{202e}",
            "http://a.example/ x",
        ] {
            assert!(json(text).is_string(), "{text}");
        }
        assert!(json(&format!("http://a.example/{}", "x".repeat(3_000))).is_string());
    }

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
