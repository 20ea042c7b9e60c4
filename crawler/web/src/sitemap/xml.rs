//! Sitemaps in XML: the sitemap protocol, RSS and Atom.

use quick_xml::escape::resolve_xml_entity;
use quick_xml::events::{BytesRef, BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::source::Source;
use super::{Locations, SitemapFormat};

/// Deepest nesting. Sitemaps and feeds have five levels.
const MAX_DEPTH: usize = 64;

/// Longest name of an element, in bytes. It bounds the memory for the names of all open elements.
const MAX_NAME_BYTES: usize = 256;

/// Reads locations until the end, the limit, or the first error, which it returns.
pub(super) fn read(source: Source<'_>, locations: &mut Locations) -> Result<(), String> {
    let mut reader = Reader::from_reader(source);
    let config = reader.config_mut();
    config.expand_empty_elements = true;
    // A raw `&`, as in `?a=1&b=2`, is the most common mistake and harmless.
    config.allow_dangling_amp = true;
    let mut document = Document::default();
    let mut buffer = Vec::new();
    while !locations.is_full() {
        buffer.clear();
        let event = reader.read_event_into(&mut buffer).map_err(|error| reason(&error))?;
        match event {
            Event::Start(start) => document.open(&start, locations)?,
            Event::End(_) => document.close(locations),
            Event::Text(text) => document.add(&text),
            Event::CData(text) => document.add(&text),
            Event::GeneralRef(reference) => document.add_reference(&reference),
            Event::Eof => return document.end(),
            // The document type declares entities. It is not read, so no entity is ever expanded.
            Event::DocType(_) | Event::Decl(_) | Event::PI(_) | Event::Comment(_) | Event::Empty(_) => {}
        }
        reader.get_mut().end_token();
    }
    Ok(())
}

/// The message of an error. For a failure to read, the source's own message is complete.
fn reason(error: &quick_xml::Error) -> String {
    match error {
        quick_xml::Error::Io(error) => error.to_string(),
        error => error.to_string(),
    }
}

/// The meaning of an open element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Role {
    /// Stands for one page: `url`, `sitemap`, `item`, `entry`.
    Entry,
    /// Its text is the URL of the page.
    Location,
    Other,
}

/// The open elements, and the URL that is being read.
#[derive(Default)]
struct Document {
    format: Option<SitemapFormat>,
    /// The role and the namespace prefix of each open element.
    open: Vec<(Role, String)>,
    address: String,
}

impl Document {
    fn open(&mut self, start: &BytesStart<'_>, locations: &mut Locations) -> Result<(), String> {
        let name = start.name();
        if name.0.len() > MAX_NAME_BYTES {
            return Err(format!(
                "<{}…> has a name longer than {MAX_NAME_BYTES} bytes",
                shortened(name.0)
            ));
        }
        let (local, prefix) = (name.local_name(), name.prefix());
        let prefix = prefix.map(|prefix| prefix.as_ref().to_owned()).unwrap_or_default();
        let Some(format) = self.format else {
            let format =
                format_of_root(local.as_ref()).ok_or_else(|| format!("<{}> is not a sitemap", shortened(name.0)))?;
            self.format = Some(format);
            locations.format = Some(format);
            self.open.push((Role::Other, prefix));
            return Ok(());
        };
        if self.open.len() == MAX_DEPTH {
            return Err(format!("elements more than {MAX_DEPTH} deep"));
        }
        if format == SitemapFormat::UrlSet
            && local.as_ref() == "link"
            && matches!(self.open.last(), Some((Role::Entry, _)))
            && let Some(alternate) = href(start)
        {
            locations.add_alternate(&alternate);
        }
        let role = self.role(format, local.as_ref(), &prefix);
        self.open.push((role, prefix));
        if role == Role::Location {
            self.address.clear();
            if format == SitemapFormat::Atom {
                self.address = href(start).unwrap_or_default();
            }
        }
        Ok(())
    }

    /// `image:loc` beside `loc`, and `atom:link` beside `link`, are not locations. A file may also give all its elements one
    /// prefix. A location therefore has the prefix of its entry.
    fn role(&self, format: SitemapFormat, name: &str, prefix: &str) -> Role {
        let (entry, location) = names(format);
        let inside = self.open.last();
        if inside.is_some_and(|(role, outer)| *role == Role::Entry && outer == prefix) && name == location {
            Role::Location
        } else if name == entry && inside.is_some_and(|(role, _)| *role == Role::Other) {
            Role::Entry
        } else {
            Role::Other
        }
    }

    fn is_in_location(&self) -> bool {
        self.format != Some(SitemapFormat::Atom) && matches!(self.open.last(), Some((Role::Location, _)))
    }

    fn add(&mut self, text: &str) {
        if self.is_in_location() && !super::is_too_long(&self.address) {
            self.address.push_str(if self.address.is_empty() {
                text.trim_start()
            } else {
                text
            });
        }
    }

    /// Adds one of the five entities of XML, or a character by its number. Other references stay as written.
    fn add_reference(&mut self, reference: &BytesRef<'_>) {
        // An invalid character number is no reason to reject the file; it stays as written too.
        match (reference.resolve_char_ref(), resolve_xml_entity(reference)) {
            (Ok(Some(character)), _) => self.add(character.encode_utf8(&mut [0; 4])),
            (_, Some(text)) => self.add(text),
            _ => self.add(&format!("&{};", &**reference)),
        }
    }

    fn close(&mut self, locations: &mut Locations) {
        if let Some((Role::Location, _)) = self.open.pop() {
            // Feeds have other links too (comments, the feed itself). Those have no URL here.
            if self.format != Some(SitemapFormat::Atom) || !self.address.is_empty() {
                locations.add(&self.address);
            }
        }
    }

    fn end(&self) -> Result<(), String> {
        match (self.format, self.open.len()) {
            (None, _) => Err("it contains no element".to_owned()),
            (Some(_), 0) => Ok(()),
            (Some(_), open) => Err(format!("it ends with unclosed elements: {open}")),
        }
    }
}

fn format_of_root(name: &str) -> Option<SitemapFormat> {
    Some(match name {
        "urlset" => SitemapFormat::UrlSet,
        "sitemapindex" => SitemapFormat::Index,
        "rss" | "RDF" => SitemapFormat::Rss,
        "feed" => SitemapFormat::Atom,
        _ => return None,
    })
}

/// The names of the element for a page and of the element for its URL.
fn names(format: SitemapFormat) -> (&'static str, &'static str) {
    match format {
        SitemapFormat::Index => ("sitemap", "loc"),
        SitemapFormat::Rss => ("item", "link"),
        SitemapFormat::Atom => ("entry", "link"),
        SitemapFormat::UrlSet | SitemapFormat::Text => ("url", "loc"),
    }
}

/// The target of an Atom link to the page itself, or of an `xhtml:link` to the page in another language (Google's extension). An Atom link without `rel` is `alternate` (RFC 4287, section 4.2.7.2).
fn href(link: &BytesStart<'_>) -> Option<String> {
    let value = |name: &str| {
        let attribute = link
            .attributes()
            .flatten()
            .find(|attribute| attribute.key.as_ref() == name)?;
        attribute
            .normalized_value(XmlVersion::Implicit1_0)
            .ok()
            .map(|value| value.into_owned())
    };
    value("rel")
        .is_none_or(|rel| rel.trim() == "alternate")
        .then(|| value("href"))
        .flatten()
}

/// A name from the file, for a message.
fn shortened(name: &str) -> String {
    name.chars().take(40).collect()
}
