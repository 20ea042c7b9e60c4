//! Markdown (CommonMark, and the tables and footnotes of GitHub), as HTML.

use pulldown_cmark::{Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};

use crate::{Content, Document};

/// Reads a Markdown text. The title is that of the metadata at the beginning, else the first heading of the first level.
pub(crate) fn read(text: &str) -> Document {
    let (metadata, text) = metadata(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_FOOTNOTES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let mut title = metadata
        .iter()
        .find_map(|line| value(line, "title"))
        .unwrap_or_default();
    let language = metadata
        .iter()
        .find_map(|line| value(line, "lang").or_else(|| value(line, "language")));
    let mut heading = (title.is_empty()).then(String::new);
    let mut is_in_heading = false;
    let events = Parser::new_ext(text, options).inspect(|event| match event {
        Event::Start(Tag::Heading {
            level: HeadingLevel::H1,
            ..
        }) => is_in_heading = true,
        Event::End(TagEnd::Heading(HeadingLevel::H1)) if is_in_heading => {
            is_in_heading = false;
            if let Some(heading) = heading.take() {
                title = heading;
            }
        }
        Event::Text(text) | Event::Code(text) if is_in_heading => {
            if let Some(heading) = &mut heading {
                heading.push_str(text);
            }
        }
        _ => {}
    });
    let mut body = String::with_capacity(text.len() * 3 / 2);
    html::push_html(&mut body, events);
    Document {
        title: title
            .split_whitespace()
            .collect::<Vec<_>>()
            .join(" ")
            .chars()
            .take(300)
            .collect(),
        language,
        content: Content::Html(vec![body]),
        links: Vec::new(),
        pages: None,
        missing: Vec::new(),
    }
}

/// The lines of a YAML block at the beginning, and the text after it.
fn metadata(text: &str) -> (Vec<&str>, &str) {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let none = (Vec::new(), text);
    let Some(rest) = text.strip_prefix("---\n").or_else(|| text.strip_prefix("---\r\n")) else {
        return none;
    };
    let mut bytes = 0;
    let mut lines = Vec::new();
    for line in rest.split_inclusive('\n').take(200) {
        bytes += line.len();
        match line.trim_end() {
            "---" | "..." => return (lines, &rest[bytes..]),
            line => lines.push(line),
        }
    }
    none
}

/// The value of a line `key: value`.
fn value(line: &str, key: &str) -> Option<String> {
    let value = line.strip_prefix(key)?.trim_start().strip_prefix(':')?.trim();
    let value = value.trim_matches(['"', '\'']);
    (!value.is_empty() && value.len() <= 300).then(|| value.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn html(text: &str) -> (String, String) {
        let Document {
            title,
            content: Content::Html(parts),
            ..
        } = read(text)
        else {
            panic!("no HTML")
        };
        (title, parts.concat())
    }

    #[test]
    fn the_title_is_that_of_the_metadata_or_of_the_first_heading() {
        assert_eq!(html("---\ntitle: \"A b\"\n---\n# Other\n").0, "A b");
        assert_eq!(html("intro\n\n## Small\n\nThe `one`\n=========\n\n# Two").0, "The one");
        assert_eq!(html("--- no metadata").0, "");
    }

    #[test]
    fn tables_and_links_become_html() {
        let (_, html) = html("| a | b |\n|---|---|\n| 1 | 2 |\n\n[x](y.md)");
        assert!(
            html.contains("<td>1</td><td>2</td>") && html.contains("href=\"y.md\""),
            "{html}"
        );
    }
}
