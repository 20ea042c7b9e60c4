//! Texts cut to a number of terminal columns. A Chinese character takes two columns.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use terminal::text::terminal_text;

/// A text from the web in at most `width` columns: its beginning and its end, which distinguish URLs.
pub(super) fn shorten(text: &str, width: usize) -> String {
    let text = terminal_text(text, usize::MAX);
    if text.width() <= width {
        return text;
    }
    let (head, tail) = (width.saturating_sub(1) * 3 / 5, width.saturating_sub(1) * 2 / 5);
    let mut end: Vec<char> = Vec::new();
    let mut room = tail;
    for c in text.chars().rev() {
        let columns = c.width().unwrap_or(0);
        if columns > room {
            break;
        }
        room -= columns;
        end.push(c);
    }
    let end: String = end.into_iter().rev().collect();
    format!("{}…{end}", within(&text, head))
}

/// Columns of a line.
pub(super) fn columns(line: &str) -> usize {
    line.width()
}

/// The line cut to `width` columns.
pub(super) fn cut(line: &str, width: usize) -> String {
    if line.width() <= width {
        return line.to_owned();
    }
    format!("{}…", within(line, width.saturating_sub(1)))
}

/// The longest beginning of `text` that fits into `width` columns.
fn within(text: &str, width: usize) -> &str {
    let mut room = width;
    for (at, c) in text.char_indices() {
        let columns = c.width().unwrap_or(0);
        if columns > room {
            return &text[..at];
        }
        room -= columns;
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shortened_in_the_middle() {
        let url = "http://a.example/some/long/folder/and/a/page.html";
        let short = shorten(url, 20);
        assert_eq!(short.width(), 19);
        assert!(
            short.starts_with("http://a.ex") && short.ends_with("ge.html"),
            "{short}"
        );
        assert_eq!(shorten(url, 60), url);
        assert!(shorten(&"漢字".repeat(20), 20).width() <= 20);
    }
}
