//! An entry of a feed, as HTML.

use url::Url;

use crate::loose;
use crate::xml::push_escaped;

/// Longest title, in bytes of HTML.
const MAX_TITLE_BYTES: usize = 4_096;

/// What is known of an entry.
#[derive(Debug, Default)]
pub(super) struct Entry {
    pub title: String,
    /// Of Atom, the first alternate; of RSS, the text of `link`.
    pub link: Option<String>,
    /// The id, if it is a URL that a reader may open.
    pub permalink: Option<String>,
    /// Further documents: files, comments, other editions.
    pub further: Vec<String>,
    /// The full text.
    pub content: String,
    pub summary: String,
    /// The text of an element of another vocabulary, which some feeds have instead.
    pub description: String,
    /// `xml:base` of the entry, and of its text.
    pub base: Option<String>,
    pub content_base: Option<String>,
}

impl Entry {
    /// Whether it says nothing.
    pub(super) fn is_empty(&self) -> bool {
        [&self.title, &self.content, &self.summary, &self.description]
            .iter()
            .all(|text| text.trim().is_empty())
            && self.link.is_none()
            && self.permalink.is_none()
    }

    /// The full text if it is there; else the summary.
    fn text(&self) -> &str {
        let texts = [&self.content, &self.summary, &self.description];
        texts
            .into_iter()
            .find(|text| !text.trim().is_empty())
            .map_or("", |text| text)
    }

    /// The entry as a document: its title, which is a link, its text, and further links.
    pub(super) fn html(&self) -> String {
        let mut html = String::new();
        let base = self.content_base.as_ref().or(self.base.as_ref());
        if let Some(base) = base {
            html.push_str("<base href=\"");
            push_escaped(&mut html, base);
            html.push_str("\">");
        }
        html.push_str("<article><h2>");
        let title = title(&self.title);
        match self.link.as_ref().or(self.permalink.as_ref()) {
            Some(link) => push_link(&mut html, &self.absolute(link), &title),
            None => push_escaped(&mut html, &title),
        }
        html.push_str("</h2><div>");
        html.push_str(self.text());
        html.push_str("</div></article>");
        html
    }

    /// The links that no text names.
    pub(super) fn into_further(mut self) -> impl Iterator<Item = String> {
        let further = std::mem::take(&mut self.further);
        further.into_iter().map(move |link| self.absolute(&link))
    }

    /// A link of the entry itself, whose base may be another than that of its text.
    fn absolute(&self, link: &str) -> String {
        let base = self.base.as_deref().and_then(|base| Url::parse(base).ok());
        base.and_then(|base| base.join(link).ok())
            .map_or_else(|| link.to_owned(), String::from)
    }
}

fn push_link(html: &mut String, link: &str, text: &str) {
    html.push_str("<a href=\"");
    push_escaped(html, link);
    html.push_str("\">");
    push_escaped(html, text);
    html.push_str("</a>");
}

/// HTML of a title as text.
pub(super) fn title(html: &str) -> String {
    loose::plain(&html[..html.floor_char_boundary(MAX_TITLE_BYTES)])
}

/// `base` seen from the document at `outer` (XML Base, section 4).
pub(super) fn joined(outer: Option<&str>, base: &str) -> String {
    let absolute = outer
        .and_then(|outer| Url::parse(outer).ok())
        .and_then(|outer| outer.join(base).ok());
    match (absolute, outer) {
        (Some(absolute), _) => absolute.into(),
        (None, Some(outer)) if !base.starts_with('/') && Url::parse(base).is_err() => {
            let folder = outer.rfind('/').map_or("", |end| &outer[..=end]);
            format!("{folder}{base}")
        }
        _ => base.to_owned(),
    }
}
