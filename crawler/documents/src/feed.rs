//! RSS (0.9x, 1.0, 2.0) and Atom (0.3, and RFC 4287): the entries, as HTML.
//!
//! The writers of feeds seldom check them, so the reader is as lenient as feedparser. [`tidied`] makes the text XML; here, an end tag ends
//! what is open within its element, one that ends nothing is ignored, and an element that begins where it cannot be ends what is open.
//!
//! Why not a library for feeds: `feed-rs` gives up a feed at its first element without an end tag, reads everything that feeds can say, and
//! needs ten more crates. The tokenizer of `xml5ever` is lenient, but its time is quadratic in the attributes of a tag, and a hostile
//! feed is read in a thread that reads pages.

mod capture;
mod entry;

use quick_xml::events::BytesStart;

use crate::loose::tidied;
use crate::xml::{Token, Tokens, attribute, local_name};
use crate::{Content, Document, Fault};
use capture::{Capture, Form};
use entry::{Entry, joined, title};

/// Most entries of a feed.
const MAX_ENTRIES: usize = 10_000;

/// Most links that no entry names.
const MAX_LINKS: usize = 20_000;

/// Most elements around an element of a feed. Deeper ones are ignored.
const MAX_DEPTH: usize = 64;

/// Elements that describe something else than the feed or the entry, although they have a title or a link.
const OTHERS: [&str; 5] = ["image", "textinput", "source", "author", "contributor"];

/// Elements of feeds that HTML does not have. One of them ends an element that lacks its end tag.
const OF_FEEDS: [&str; 10] = [
    "item",
    "entry",
    "guid",
    "pubdate",
    "description",
    "encoded",
    "enclosure",
    "category",
    "comments",
    "published",
];

/// Vocabularies whose elements describe a file.
const MEDIA: [&str; 4] = ["media", "itunes", "podcast", "googleplay"];

/// Reads a feed.
///
/// # Errors
/// It has no root of a feed, or breaks off before its first entry.
pub(crate) fn read(text: &str) -> Result<Document, Fault> {
    let text = tidied(text);
    let mut tokens = Tokens::new(&text);
    let mut feed = Feed::default();
    while feed.entries.len() < MAX_ENTRIES {
        match tokens.next() {
            Ok(Some(token)) => feed.take(&token),
            // The entries before the fault are whole.
            Ok(None) | Err(_) => break,
        }
    }
    if feed.root.is_none() {
        return Err(Fault::Broken("it is no feed".into()));
    }
    let is_whole = feed.open.is_empty();
    feed.break_off();
    if feed.entries.is_empty() && !is_whole {
        return Err(Fault::Broken("it breaks off before its first entry".into()));
    }
    Ok(Document {
        title: title(&feed.title).chars().take(300).collect(),
        language: feed.language,
        content: Content::Html(feed.entries),
        links: feed.links,
        pages: None,
        missing: Vec::new(),
    })
}

/// What an element says about the feed or the entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Field {
    Title,
    Link,
    /// A link that is never the one of the entry.
    Further,
    Guid {
        is_permalink: bool,
    },
    Language,
    Content,
    Summary,
    Description,
}

impl Field {
    /// Whether it may hold elements.
    fn is_markup(self) -> bool {
        matches!(self, Self::Content | Self::Summary | Self::Description)
    }
}

#[derive(Debug, Default)]
struct Feed {
    /// Its element: `rss`, `feed` or `rdf`.
    root: Option<String>,
    title: String,
    language: Option<String>,
    links: Vec<String>,
    entries: Vec<String>,
    /// The entry that is being read, and the number of elements around it.
    entry: Option<(Entry, usize)>,
    /// The elements that are open, with prefixes, and `xml:base` of each that has one.
    open: Vec<(String, Option<String>)>,
    capture: Option<Capture<Field>>,
    /// The last element was an empty `link`: its text may follow it, as where a program for HTML wrote the feed.
    after_empty_link: Option<String>,
}

impl Feed {
    fn take(&mut self, token: &Token<'_>) {
        match token {
            Token::Open(start) => self.open(start, token),
            Token::Close(end) => self.close(&end.name().as_ref().to_ascii_lowercase(), token),
            Token::Text(_) | Token::CData(_) | Token::Entity(_) => match (&mut self.capture, token) {
                (Some(capture), token) => capture.write(token),
                (None, Token::Text(text)) => {
                    if let Some(link) = &mut self.after_empty_link {
                        link.push_str(text);
                    }
                }
                _ => {}
            },
        }
    }

    fn open(&mut self, start: &BytesStart<'_>, token: &Token<'_>) {
        let name = start.name().as_ref().to_ascii_lowercase();
        let local = local_name(start).to_ascii_lowercase();
        if let Some(capture) = &mut self.capture {
            let is_of_feeds = OF_FEEDS.contains(&local.as_str());
            let ends_field = if capture.field.is_markup() {
                is_of_feeds && name != capture.name && self.root.as_deref() != Some("feed")
            } else {
                is_of_feeds || local == "link" || local == "title"
            };
            let ends_entry = local == "item" || local == "entry";
            if !ends_field && !ends_entry {
                capture.nested += usize::from(name == capture.name);
                return capture.write(token);
            }
            self.end_capture();
        }
        self.end_text_after_link();
        if self.root.is_none() {
            // Messages of a program may precede.
            if !matches!(local.as_str(), "rss" | "feed" | "rdf") {
                return;
            }
            self.language = attribute(start, "lang");
            self.root = Some(local.clone());
        }
        let base = self.open.last().and_then(|(_, base)| base.as_deref());
        let base = match attribute(start, "base") {
            Some(inner) => Some(joined(base, &inner)),
            None => base.map(str::to_owned),
        };
        let is_media = name.split_once(':').is_some_and(|(prefix, _)| MEDIA.contains(&prefix));
        if matches!(local.as_str(), "item" | "entry") && !is_media {
            self.end_entry();
            let about = attribute(start, "about").filter(|about| is_web(about));
            let entry = Entry {
                permalink: about,
                base: base.clone(),
                ..Entry::default()
            };
            self.entry = Some((entry, self.open.len()));
        }
        self.read_element(start, name.clone(), &local, is_media, base.as_deref());
        if self.capture.is_none() && self.open.len() < MAX_DEPTH {
            self.open.push((name, base));
        }
    }

    /// Reads what the attributes of an element say, or begins to read its content.
    fn read_element(&mut self, start: &BytesStart<'_>, name: String, local: &str, is_media: bool, base: Option<&str>) {
        if local == "source" {
            self.add_link(attribute(start, "url").filter(|_| !is_media));
        }
        if self
            .open
            .iter()
            .any(|(name, _)| OTHERS.contains(&name.rsplit(':').next().unwrap_or_default()))
        {
            return;
        }
        let field = match (&mut self.entry, local) {
            (Some(_), "description" | "summary" | "subtitle") if is_media => Field::Description,
            _ if is_media => return,
            (_, "title") => Field::Title,
            (_, "link") => return self.link(start, name),
            (Some(_), "guid" | "id") => Field::Guid {
                is_permalink: attribute(start, "isPermaLink").is_none_or(|is| !is.trim().eq_ignore_ascii_case("false")),
            },
            (Some(_), "comments" | "origlink") => Field::Further,
            (Some(_), "enclosure") => return self.file(start, "url"),
            (None, "language") => Field::Language,
            (Some((entry, _)), "encoded" | "content") => {
                entry.content_base = base.map(str::to_owned);
                if attribute(start, "src").is_some() {
                    self.file(start, "src");
                }
                Field::Content
            }
            (Some(_), "description" | "summary") => Field::Summary,
            _ => return,
        };
        let form = match field {
            Field::Title | Field::Content | Field::Summary => Form::of(start),
            _ => Form::Html,
        };
        self.capture = Some(Capture::new(field, name, form));
    }

    /// A link of Atom, or the begin of one of RSS.
    fn link(&mut self, start: &BytesStart<'_>, name: String) {
        let Some(href) = attribute(start, "href") else {
            self.capture = Some(Capture::new(Field::Link, name, Form::Html));
            return;
        };
        let relation = attribute(start, "rel").unwrap_or_default().to_ascii_lowercase();
        let kind = attribute(start, "type").unwrap_or_default();
        let is_for_programs = kind.contains("xml") && !kind.contains("xhtml") || kind.contains("json");
        match (&self.entry, relation.as_str()) {
            (Some((entry, _)), "" | "alternate") if entry.link.is_none() => self.set_link(href),
            (_, "enclosure") => self.file(start, "href"),
            // Other relations lead to the feed itself, or to what is for programs (RFC 4287, section 4.2.7.2; RFC 5005; RFC 4685).
            (Some(_), "" | "alternate" | "related" | "via" | "replies") if !is_for_programs => {
                self.add_link(Some(href))
            }
            (
                None,
                "" | "alternate" | "next" | "previous" | "prev" | "last" | "prev-archive" | "next-archive" | "current",
            ) => {
                self.add_link(Some(href));
            }
            _ => {}
        }
    }

    /// A file that belongs to the entry, if it may be a document.
    fn file(&mut self, start: &BytesStart<'_>, name: &str) {
        let kind = attribute(start, "type").unwrap_or_default().to_ascii_lowercase();
        let is_media = ["audio/", "video/", "image/", "font/"]
            .iter()
            .any(|media| kind.starts_with(media));
        self.add_link(attribute(start, name).filter(|_| !is_media));
    }

    fn set_link(&mut self, link: String) {
        let link = link.trim().to_owned();
        match &mut self.entry {
            _ if link.is_empty() => {}
            Some((entry, _)) => drop(entry.link.get_or_insert(link)),
            None => self.add_link(Some(link)),
        }
    }

    /// Adds a link that no text names.
    fn add_link(&mut self, link: Option<String>) {
        let link = link.map(|link| link.trim().to_owned()).filter(|link| !link.is_empty());
        match &mut self.entry {
            Some((entry, _)) if entry.further.len() < MAX_LINKS => entry.further.extend(link),
            None if self.links.len() < MAX_LINKS => {
                let base = self.open.last().and_then(|(_, base)| base.as_deref());
                self.links.extend(link.map(|link| match base {
                    Some(base) => joined(Some(base), &link),
                    None => link,
                }));
            }
            _ => {}
        }
    }

    fn close(&mut self, name: &str, token: &Token<'_>) {
        let local = name.rsplit(':').next().unwrap_or_default();
        let is_structure = matches!(local, "item" | "entry" | "channel" | "feed" | "rss" | "rdf");
        if let Some(capture) = &mut self.capture {
            if name == capture.name && capture.nested == 0 {
                return self.end_capture();
            }
            if name == capture.name {
                capture.nested -= 1;
                return capture.write(token);
            }
            if !is_structure {
                return capture.write(token);
            }
            self.end_capture();
        }
        self.end_text_after_link();
        // An element of an entry does not end what is around it.
        let from = self
            .entry
            .as_ref()
            .map_or(0, |(_, around)| *around)
            .min(self.open.len());
        let from = if is_structure { 0 } else { from };
        if let Some(at) = self.open[from..].iter().rposition(|(open, _)| open == name) {
            self.open.truncate(from + at);
        }
        if self
            .entry
            .as_ref()
            .is_some_and(|(_, around)| self.open.len() <= *around)
        {
            self.end_entry();
        }
    }

    fn end_capture(&mut self) {
        let Some(capture) = self.capture.take() else { return };
        let (field, html) = capture.finish();
        let text = html.trim();
        self.after_empty_link = (field == Field::Link && text.is_empty()).then(String::new);
        match (field, &mut self.entry) {
            (_, _) if text.is_empty() => {}
            (Field::Title, None) if self.title.is_empty() => self.title = html,
            (Field::Title, Some((entry, _))) if entry.title.is_empty() => entry.title = html,
            (Field::Content, Some((entry, _))) if entry.content.trim().is_empty() => entry.content = html,
            (Field::Summary, Some((entry, _))) if entry.summary.trim().is_empty() => entry.summary = html,
            (Field::Description, Some((entry, _))) if entry.description.is_empty() => entry.description = html,
            (Field::Link, _) => self.set_link(unescaped(text)),
            (Field::Further, _) => self.add_link(Some(unescaped(text))),
            (Field::Guid { is_permalink: true }, Some((entry, _))) if is_web(text) => {
                entry.permalink = Some(unescaped(text))
            }
            (Field::Language, None) if text.len() <= 64 => self.language = Some(text.to_owned()),
            _ => {}
        }
    }

    /// The text behind an empty `link` has ended.
    fn end_text_after_link(&mut self) {
        if let Some(link) = self.after_empty_link.take().filter(|link| is_web(link.trim())) {
            self.set_link(link);
        }
    }

    fn end_entry(&mut self) {
        self.end_capture();
        let Some((entry, around)) = self.entry.take() else {
            return;
        };
        self.open.truncate(around);
        if entry.is_empty() {
            return;
        }
        self.entries.push(entry.html());
        let room = MAX_LINKS.saturating_sub(self.links.len());
        self.links.extend(entry.into_further().take(room));
    }

    /// The feed has no more, although it may not be at its end. A title or link that was cut would be another one.
    fn break_off(&mut self) {
        self.capture.take_if(|capture| !capture.field.is_markup());
        self.end_entry();
    }
}

/// Whether `text` is a URL that leads to a page.
fn is_web(text: &str) -> bool {
    let begins = |scheme: &str| {
        text.get(..scheme.len())
            .is_some_and(|begin| begin.eq_ignore_ascii_case(scheme))
    };
    (begins("http://") || begins("https://")) && !text.contains(char::is_whitespace)
}

/// A URL from the text of an element, which may be HTML.
fn unescaped(text: &str) -> String {
    html_escape::decode_html_entities(text.trim()).into_owned()
}

#[cfg(test)]
mod tests;
