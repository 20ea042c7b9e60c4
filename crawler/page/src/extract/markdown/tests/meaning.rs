//! What Markdown means, by another program.

use pulldown_cmark::{Event, Options, Parser, Tag, TagEnd};

/// What a program reads in Markdown.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Meaning {
    /// The text, with white space between blocks.
    pub text: String,
    pub links: Vec<String>,
    pub images: Vec<String>,
    pub codes: Vec<String>,
    pub headings: usize,
    pub tables: usize,
    pub has_html: bool,
    /// Deepest nesting of lists and quotes.
    pub depth: usize,
}

impl Meaning {
    pub(super) fn of(markdown: &str) -> Self {
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_FOOTNOTES;
        let mut meaning = Self::default();
        let mut depth = 0;
        let mut code = None;
        for event in Parser::new_ext(markdown, options) {
            match event {
                Event::Text(text) => {
                    meaning.text.push_str(&text);
                    if let Some(code) = &mut code {
                        String::push_str(code, &text);
                    }
                }
                Event::Code(text) => meaning.text.push_str(&text),
                Event::SoftBreak | Event::HardBreak | Event::Rule => meaning.text.push(' '),
                Event::Html(_) | Event::InlineHtml(_) => meaning.has_html = true,
                Event::Start(tag) => match tag {
                    Tag::Link { dest_url, .. } => meaning.links.push(dest_url.into_string()),
                    Tag::Image { dest_url, .. } => meaning.images.push(dest_url.into_string()),
                    Tag::CodeBlock(_) => code = Some(String::new()),
                    Tag::Heading { .. } => meaning.headings += 1,
                    Tag::Table(_) => meaning.tables += 1,
                    Tag::BlockQuote(_) | Tag::Item => {
                        depth += 1;
                        meaning.depth = meaning.depth.max(depth);
                        meaning.text.push(' ');
                    }
                    Tag::HtmlBlock | Tag::FootnoteDefinition(_) => meaning.has_html = true,
                    _ => {}
                },
                Event::End(tag) => match tag {
                    TagEnd::Link | TagEnd::Image | TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {}
                    TagEnd::CodeBlock => meaning.codes.extend(code.take()),
                    TagEnd::BlockQuote(_) | TagEnd::Item => depth -= 1,
                    _ => meaning.text.push(' '),
                },
                other => panic!("{other:?} in {markdown}"),
            }
        }
        meaning
    }

    pub(super) fn words(&self) -> Vec<&str> {
        self.text.split_whitespace().collect()
    }
}
