//! Markdown with front matter: all fields except the text as YAML between two lines `---`, then the text.
//!
//! The text is the Markdown of the page. Where the page has none, a line of its text is a block, so it becomes a paragraph: a
//! backslash escapes all markup of CommonMark 0.31 (section 2.4), so that no link, image or HTML of a page is active. The markup of GFM (`~`,
//! tables, footnotes) and common extensions at the beginning of a line (`:`) are escaped too. A viewer may still turn bare URLs into links.

//!
//! In one file, a line with a form feed is between two pages, as between two plain texts. A form feed within a page becomes a line end, so that
//! the file splits into the files that a folder has.

use std::fmt::Write;
use std::io;

use crate::columns::Columns;
use crate::field::{MARKDOWN, TEXT, Value, shown_real, shown_time};
use crate::page::ExportedPage;
use crate::plain_text::PAGE_BREAK;
use crate::yaml;

const FENCE: &str = "---\n";

/// The file of a page.
pub(crate) fn render(page: &ExportedPage, columns: &Columns) -> String {
    let text = page.text.as_deref().unwrap_or_default();
    let mut out = String::with_capacity(text.len() + 1024);
    out.push_str(FENCE);
    for field in columns.fields().filter(|field| ![TEXT, MARKDOWN].contains(&field.name)) {
        out.push_str(field.name);
        out.push_str(": ");
        push_value(field.of(page), &mut out);
        out.push('\n');
    }
    out.push_str(FENCE);
    if let Some(markdown) = &page.markdown {
        if !markdown.is_empty() {
            out.push('\n');
        }
        return out + markdown;
    }
    // Lines end as in CommonMark (section 2.1), also in CR alone.
    for line in text.split(['\n', '\r']).filter(|line| !line.trim().is_empty()) {
        out.push('\n');
        push_paragraph(line, &mut out);
        out.push('\n');
    }
    out
}

/// Writes a page, after a separator unless it is the first.
pub(crate) fn write_next(
    page: &ExportedPage,
    columns: &Columns,
    is_first: bool,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    if !is_first {
        out.write_all(PAGE_BREAK)?;
    }
    let file = render(page, columns).replace('\x0c', "\n");
    out.write_all(file.as_bytes())?;
    if file.ends_with('\n') {
        Ok(())
    } else {
        out.write_all(b"\n")
    }
}

fn push_value(value: Option<Value<'_>>, out: &mut String) {
    let _ = match value {
        None => out.write_str("null"),
        Some(Value::Text(text)) => {
            yaml::push_quoted(text, out);
            Ok(())
        }
        Some(Value::Texts(texts)) => {
            push_list(texts, out);
            Ok(())
        }
        Some(Value::Time(unix_ms)) => write!(out, "\"{}\"", shown_time(unix_ms)),
        Some(Value::Int32(number)) => write!(out, "{number}"),
        Some(Value::Int64(number)) => write!(out, "{number}"),
        Some(Value::Bool(is)) => write!(out, "{is}"),
        Some(Value::Real(number)) => out.write_str(&shown_real(number)),
        Some(Value::Fingerprint(bits)) => write!(out, "\"{bits}\""),
    };
}

/// A list in one line: JSON is YAML.
fn push_list(texts: &[String], out: &mut String) {
    for (at, text) in texts.iter().enumerate() {
        out.push_str(if at == 0 { "[" } else { ", " });
        yaml::push_quoted(text, out);
    }
    out.push(']');
}

fn push_paragraph(line: &str, out: &mut String) {
    // Leading white space would make it code.
    let line = line.trim_start();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let begins_block = match line[digits..].chars().next() {
        Some('.' | ')') => digits > 0,
        Some('#' | '>' | '-' | '+' | '=' | '|' | ':') => digits == 0,
        _ => false,
    };
    let mut before = None;
    let mut chars = line.char_indices().peekable();
    while let Some((at, c)) = chars.next() {
        let after = chars.peek().map(|(_, c)| *c);
        if (begins_block && at == digits) || is_markup(before, c, after) {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
}

/// Whether a character is markup anywhere in a line.
fn is_markup(before: Option<char>, c: char, after: Option<char>) -> bool {
    match c {
        '*' | '`' | '[' | ']' | '~' => true,
        // Within a word it is not emphasis (section 6.2), and it is frequent in names.
        '_' => !(before.is_some_and(char::is_alphanumeric) && after.is_some_and(char::is_alphanumeric)),
        '<' => after.is_some_and(|c| !c.is_whitespace()),
        '&' => after.is_some_and(|c| c == '#' || c.is_ascii_alphanumeric()),
        '\\' => after.is_none_or(|c| c.is_ascii_punctuation()),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

    use super::*;
    use crate::field::Group;
    use crate::page::Metadata;

    fn body(text: &str) -> String {
        let page = ExportedPage {
            text: Some(text.to_owned()),
            ..ExportedPage::default()
        };
        let file = render(&page, &Columns::new(64, &[]));
        file.split_once("\n---\n").unwrap().1.to_owned()
    }

    #[test]
    fn the_front_matter_has_every_field_but_the_text() {
        let columns = Columns::new(64, &[Group::Markdown, Group::Metadata]);
        let file = render(&ExportedPage::default(), &columns);
        let names: Vec<&str> = file
            .lines()
            .filter_map(|line| line.split_once(": "))
            .map(|(name, _)| name)
            .collect();
        let fields: Vec<&str> = columns
            .fields()
            .map(|field| field.name)
            .filter(|name| ![TEXT, MARKDOWN].contains(name))
            .collect();
        assert_eq!(names, fields);
        assert!(file.starts_with("---\n") && file.ends_with("\n---\n"), "{file}");
    }

    #[test]
    fn a_page_with_markdown_is_written_with_its_structure() {
        let page = ExportedPage {
            text: Some("Title\nOne".to_owned()),
            markdown: Some("# Title\n\n- One\n".to_owned()),
            metadata: Metadata {
                authors: vec!["Ida \"I\" Holm".to_owned(), "B".to_owned()],
                ..Metadata::default()
            },
            ..ExportedPage::default()
        };
        let file = render(&page, &Columns::new(64, &[Group::Markdown, Group::Metadata]));
        assert!(file.contains("\nauthors: [\"Ida \\\"I\\\" Holm\", \"B\"]\n"), "{file}");
        assert!(file.ends_with("\n---\n\n# Title\n\n- One\n"), "{file}");
    }

    #[test]
    fn one_file_splits_into_the_files_of_a_folder() {
        let page = |text: &str| ExportedPage {
            text: Some(text.to_owned()),
            ..ExportedPage::default()
        };
        let pages = [page("One\n---\nurl: x"), page(""), page("Three")];
        let columns = Columns::new(64, &[]);
        let mut out = Vec::new();
        for (at, page) in pages.iter().enumerate() {
            write_next(page, &columns, at == 0, &mut out).unwrap();
        }
        let file = String::from_utf8(out).unwrap();
        let parts: Vec<&str> = file.split("\x0c\n").collect();
        assert_eq!(parts, pages.map(|page| render(&page, &columns)));
        let mut out = Vec::new();
        write_next(&page("a\x0cb"), &columns, true, &mut out).unwrap();
        assert!(!out.contains(&0x0c));
    }

    #[test]
    fn a_line_is_a_paragraph_without_markup() {
        for (text, file) in [
            ("one\ntwo", "\none\n\ntwo\n"),
            ("# one", "\n\\# one\n"),
            ("1. one", "\n1\\. one\n"),
            ("```\nx", "\n\\`\\`\\`\n\nx\n"),
            ("---", "\n\\---\n"),
            ("    code", "\ncode\n"),
            ("a <script>x</script> < b", "\na \\<script>x\\</script> < b\n"),
            ("a \\<b> c:\\dir \\", "\na \\\\\\<b> c:\\dir \\\\\n"),
            ("<!-- x", "\n\\<!-- x\n"),
            ("2026 was", "\n2026 was\n"),
            ("one\r# two\r\n3) x", "\none\n\n\\# two\n\n3\\) x\n"),
            ("snake_case _x_ 2*3", "\nsnake_case \\_x\\_ 2\\*3\n"),
            ("AT&T &copy; & &#169;", "\nAT\\&T \\&copy; & \\&#169;\n"),
            ("![i](h)", "\n!\\[i\\](h)\n"),
            ("", ""),
        ] {
            assert_eq!(body(text), file);
        }
    }

    /// The text of the paragraphs that a renderer shows. Anything else is an error.
    fn rendered(markdown: &str, options: Options) -> Result<String, String> {
        let mut text = String::new();
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(part) => text.push_str(&part),
                Event::SoftBreak | Event::End(TagEnd::Paragraph) => text.push('\n'),
                Event::Start(Tag::Paragraph) => {}
                other => return Err(format!("{other:?} in {markdown:?}")),
            }
        }
        Ok(text)
    }

    fn words(text: &str) -> Vec<&str> {
        text.split_whitespace().collect()
    }

    fn is_rendered_as_text(text: &str) -> Result<(), String> {
        let gfm = Options::ENABLE_TABLES
            | Options::ENABLE_FOOTNOTES
            | Options::ENABLE_STRIKETHROUGH
            | Options::ENABLE_TASKLISTS
            | Options::ENABLE_GFM
            | Options::ENABLE_DEFINITION_LIST;
        let markdown = body(text);
        for options in [Options::empty(), gfm] {
            let out = rendered(&markdown, options)?;
            if words(&out) != words(text) {
                return Err(format!("{text:?} became {out:?} by {markdown:?}"));
            }
        }
        Ok(())
    }

    #[test]
    fn markdown_in_a_page_is_text() {
        for text in [
            "[ref]: http://evil/ \"t\"",
            "[^1]: foot",
            "see [ref] and [^1]",
            "![img](http://evil/pixel.png)",
            "[x](javascript:alert(1))",
            "<http://evil/> <a@b.c> <1@b.c>",
            "&copy; &#169; &#xa9; AT&T",
            "a\r# b\r\r    c",
            "| a | b |\n|---|---|\n| 1 | 2 |",
            "term\n: definition",
            "- [x] done",
            "**b** __b__ ~~s~~ `c` \\[x](y)",
            "title\n===\ntitle\n---\n***\n+++\n~~~",
        ] {
            is_rendered_as_text(text).unwrap();
        }
    }

    proptest! {
        #[test]
        fn any_text_is_shown_as_text(
            text in r#"([-\[\]()<>!&;#*_~`=+|:^"'\\/@.$ \n\r\t0-9a-cx]|http://e/|&copy;|    |\PC){0,40}"#
        ) {
            prop_assert_eq!(is_rendered_as_text(&text), Ok(()));
        }
    }
}
