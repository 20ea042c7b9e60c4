//! Names in Chinese, Japanese and Korean, which are written without capitals and often without separators.

use super::{Certainty, MAX_AUTHORS, is_around_name, is_name};

/// Longest name, in characters. A team of editors has a long one.
const MAX_NAME: usize = 12;

/// Whether a character is Chinese, Japanese or Korean.
pub(in crate::metadata) fn is_wide(c: char) -> bool {
    matches!(c, '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}')
}

/// The names at the start of a text, up to the next label. Only spaces and commas separate them.
pub(super) fn names(text: &str) -> Vec<String> {
    let text = match text.split_once(['：', ':', '。', '！', '？']) {
        // The last word before a colon is the next label.
        Some((before, _)) => before
            .trim_end()
            .rsplit_once(char::is_whitespace)
            .map_or("", |(names, _)| names),
        None => text,
    };
    let parts = text.split(|c: char| c.is_whitespace() || matches!(c, '、' | '，' | ',' | '/' | '；' | ';' | '・'));
    let names = parts.map(|part| {
        part.trim_end_matches("기자")
            .trim_end_matches("記者")
            .trim_matches(is_around_name)
    });
    let is_good = |name: &&str| (2..=MAX_NAME).contains(&name.chars().count()) && is_name(name, Certainty::Shown);
    let names = names
        .take_while(|name| name.is_empty() || is_good(name))
        .filter(is_good);
    names.map(str::to_owned).take(MAX_AUTHORS).collect()
}
