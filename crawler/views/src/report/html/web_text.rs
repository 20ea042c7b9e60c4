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

    /// Text without a link.
    pub fn text(shown: String) -> Self {
        Self { shown, href: None }
    }

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

/// `2026-03-21T09:30:00Z` as `2026-03-21 09:30:00 UTC`; `None` for another text.
pub(crate) fn utc(stamp: &str) -> Option<String> {
    humantime::parse_rfc3339(stamp).ok()?;
    Some(format!("{} {} UTC", stamp.get(..10)?, stamp.get(11..19)?))
}

/// Filters for text from the web. What they return is HTML whose text is escaped.
pub(crate) mod filters {
    use askama::filters::{Html, Safe, escape};

    /// A time for people. Another text stays as it is.
    #[askama::filter_fn]
    pub fn utc<T: std::fmt::Display>(stamp: T, _: &dyn askama::Values) -> askama::Result<String> {
        let stamp = stamp.to_string();
        Ok(super::utc(&stamp).unwrap_or(stamp))
    }

    /// A URL that may break after its separators. Other text has spaces, at which it breaks.
    #[askama::filter_fn]
    pub fn breaks<T: std::fmt::Display>(text: T, _: &dyn askama::Values) -> askama::Result<Safe<String>> {
        let text = text.to_string();
        let parts = super::parts(&text).into_iter();
        let parts: Result<Vec<String>, _> = parts.map(|part| Ok(escape(part, Html)?.to_string())).collect();
        parts.map(|parts| Safe(parts.join("<wbr>")))
    }

    /// A sentence in which commands and keys stand between backticks.
    #[askama::filter_fn]
    pub fn prose<T: std::fmt::Display>(text: T, _: &dyn askama::Values) -> askama::Result<Safe<String>> {
        let text = text.to_string();
        let parts: Vec<&str> = text.split('`').collect();
        let is_paired = parts.len() % 2 == 1;
        let mut html = String::with_capacity(text.len());
        for (at, part) in parts.iter().enumerate() {
            let escaped = escape(part, Html)?.to_string();
            match (is_paired, at % 2) {
                (true, 1) => html.extend(["<code>", &escaped, "</code>"]),
                (false, _) if at > 0 => html.extend(["`", &escaped]),
                _ => html.push_str(&escaped),
            }
        }
        Ok(Safe(html))
    }
}

/// The parts of a URL between which a line may end: each ends with a separator. A text with spaces is one part.
fn parts(text: &str) -> Vec<&str> {
    const SEPARATORS: [char; 4] = ['/', '?', '&', '='];
    if text.contains(' ') && !text.contains("://") {
        return vec![text];
    }
    let mut parts = Vec::new();
    let mut from = 0;
    for (at, separator) in text.match_indices(SEPARATORS) {
        let end = at + separator.len();
        // A line does not end after the scheme, between separators, and at the end of the text.
        let is_inside =
            text[..end].ends_with("//") || text[end..].chars().next().is_none_or(|next| SEPARATORS.contains(&next));
        if !is_inside {
            parts.push(&text[from..end]);
            from = end;
        }
    }
    parts.push(&text[from..]);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(askama::Template)]
    #[template(source = "{{ url|breaks }} {{ said|prose }}", ext = "html")]
    struct Shown<'a> {
        url: &'a str,
        said: &'a str,
    }

    #[test]
    fn a_url_breaks_after_its_separators_and_stays_text() {
        let shown = |url, said| askama::Template::render(&Shown { url, said }).unwrap();
        assert_eq!(
            shown("http://a.example/<b>/x?q=1&r=/", "Use `a <b>` now."),
            "http://a.example/<wbr>&#60;b&#62;/<wbr>x?<wbr>q=<wbr>1&#38;<wbr>r=/ Use <code>a &#60;b&#62;</code> now."
        );
        assert_eq!(shown("and/or this", "a ` <b>"), "and/or this a ` &#60;b&#62;");
    }

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
