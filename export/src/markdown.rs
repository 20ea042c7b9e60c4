//! Markdown with front matter: between two lines `---` every field but the text as YAML, then the text.
//!
//! A line of the text is a block of the page, so it becomes a paragraph. What Markdown would take for markup at the beginning of
//! a line (headings, lists, quotes, code, rules), `<` where it could begin a tag, and a backslash that would be an escape, are
//! escaped with a backslash (CommonMark 0.31, section 2.4); other markup within a line (`*`, `_`) is left as it stands.

use std::fmt::Write;

use crate::field::{FIELDS, TEXT, Value, shown_real, shown_time};
use crate::page::Page;
use crate::yaml;

const FENCE: &str = "---\n";

/// The file of a page.
pub(crate) fn render(page: &Page) -> String {
    let text = page.text.as_deref().unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1024);
    out.push_str(FENCE);
    for field in FIELDS.iter().filter(|field| field.name != TEXT) {
        out.push_str(field.name);
        out.push_str(": ");
        push_value(field.of(page), &mut out);
        out.push('\n');
    }
    out.push_str(FENCE);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        out.push('\n');
        push_paragraph(line, &mut out);
        out.push('\n');
    }
    out
}

fn push_value(value: Option<Value<'_>>, out: &mut String) {
    let _ = match value {
        None => out.write_str("null"),
        Some(Value::Text(text)) => {
            yaml::push_quoted(text, out);
            Ok(())
        }
        Some(Value::Time(unix_ms)) => write!(out, "\"{}\"", shown_time(unix_ms)),
        Some(Value::Int32(number)) => write!(out, "{number}"),
        Some(Value::Int64(number)) => write!(out, "{number}"),
        Some(Value::Real(number)) => out.write_str(&shown_real(number)),
        Some(Value::Fingerprint(bits)) => write!(out, "\"{bits}\""),
    };
}

fn push_paragraph(line: &str, out: &mut String) {
    // White space at its beginning would make it code.
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (before, rest) = match line[digits..].chars().next() {
        Some('.' | ')') if digits > 0 => line.split_at(digits),
        Some('#' | '>' | '-' | '+' | '*' | '_' | '=' | '`' | '~' | '|' | ':') if digits == 0 => ("", line),
        _ => {
            push_inline(line, out);
            return;
        }
    };
    out.push_str(before);
    out.push('\\');
    push_inline(rest, out);
}

fn push_inline(text: &str, out: &mut String) {
    let mut rest = text;
    while let Some(at) = rest.find(['<', '\\']) {
        let (before, from) = rest.split_at(at);
        out.push_str(before);
        let next = from[1..].chars().next();
        let means_something = if from.starts_with('<') {
            next.is_some_and(|c| c.is_ascii_alphabetic() || "/!?".contains(c))
        } else {
            next.is_none_or(|c| c.is_ascii_punctuation())
        };
        if means_something {
            out.push('\\');
        }
        out.push_str(&from[..1]);
        rest = &from[1..];
    }
    out.push_str(rest);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn body(text: &str) -> String {
        let page = Page {
            text: Some(text.to_owned()),
            ..Page::default()
        };
        let file = render(&page);
        file.split_once("\n---\n").unwrap().1.to_owned()
    }

    #[test]
    fn the_front_matter_has_every_field_but_the_text() {
        let file = render(&Page::default());
        let names: Vec<&str> = file
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, _)| name)
            .collect();
        let fields: Vec<&str> = FIELDS
            .iter()
            .map(|field| field.name)
            .filter(|name| *name != TEXT)
            .collect();
        assert_eq!(names, fields);
        assert!(file.starts_with("---\n") && file.ends_with("\n---\n"), "{file}");
    }

    #[test]
    fn a_line_is_a_paragraph_and_no_markup() {
        for (text, file) in [
            ("one\ntwo", "\none\n\ntwo\n"),
            ("# one", "\n\\# one\n"),
            ("1. one", "\n1\\. one\n"),
            ("```\nx", "\n\\```\n\nx\n"),
            ("---", "\n\\---\n"),
            ("    code", "\ncode\n"),
            ("a <script>x</script> < b", "\na \\<script>x\\</script> < b\n"),
            ("a \\<b> c:\\dir \\", "\na \\\\\\<b> c:\\dir \\\\\n"),
            ("<!-- x", "\n\\<!-- x\n"),
            ("2026 was", "\n2026 was\n"),
            ("", ""),
        ] {
            assert_eq!(body(text), file);
        }
    }
}
