//! XHTML: from XML to the same tree that HTML gives (WHATWG HTML, chapter 14, "the XML syntax").
//!
//! In XML, every element may be empty (`<script/>`, `<title/>`), and names have namespaces. The tree gets HTML, SVG and MathML by their
//! namespaces, whatever their prefixes. An element of another namespace has a name with its prefix, so that nothing takes a
//! `<dc:title>` for a title.
//!
//! Browsers show an error for what is not well-formed. The text is what a crawl wants, so this reader accepts what cannot be understood
//! in two ways: a bare `&`, entities of HTML without their document type, prefixes that nothing declares, a root without a
//! namespace, and a missing end. Everything else is an error, and the caller reads the page as HTML.

mod entities;

use std::borrow::Cow;

use html5ever::tendril::StrTendril;
use html5ever::tree_builder::{ElementFlags, NodeOrText, TreeSink};
use html5ever::{Attribute, LocalName, Namespace, Prefix, QualName, local_name, ns};
use quick_xml::errors::SyntaxError;
use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use self::entities::Entities;
use super::limits::ParseLimits;
use super::sink::CountingSink;
use super::{Attributes, MAX_ATTRIBUTES, NodeId, Tree, Truncation, read_attributes};

/// Why a text is not a page in XHTML.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NotXhtml {
    /// It is not well-formed.
    #[error("not well-formed XML: {0}")]
    Malformed(String),
    /// The root is another element.
    #[error("the root is not html")]
    OtherRoot,
}

/// Parses XHTML.
///
/// # Errors
/// See [`NotXhtml`].
pub(super) fn parse(
    xml: &str,
    limits: ParseLimits,
    attributes: Attributes,
) -> Result<(Tree, Option<Truncation>), NotXhtml> {
    let xml = xml.strip_prefix('\u{feff}').unwrap_or(xml);
    if memchr::memchr(0, xml.as_bytes()).is_some() {
        return Err(malformed("it contains U+0000"));
    }
    let mut reader = Reader::from_str(xml);
    reader.config_mut().allow_dangling_amp = true;
    let mut builder = Builder::new(limits, attributes);
    let mut truncated = None;
    while truncated.is_none() {
        let event = reader.read_event().or_else(|error| match error {
            // The body was cut.
            quick_xml::Error::Syntax(SyntaxError::InvalidBangMarkup) => Err(malformed(error)),
            quick_xml::Error::Syntax(_) if builder.has_root => Ok(Event::Eof),
            error => Err(malformed(error)),
        })?;
        match event {
            Event::Eof => break,
            Event::Start(start) => {
                let opened = builder.open(&start)?;
                if opened == Opened::Unscripted {
                    // It is a document of its own, as in HTML.
                    let source = reader.read_text(start.name()).map_err(malformed)?;
                    builder.text(&source.into_inner())?;
                    builder.close();
                }
                truncated = builder.truncation();
            }
            Event::Empty(start) => {
                builder.open(&start)?;
                builder.close();
                truncated = builder.truncation();
            }
            Event::End(_) => builder.close(),
            Event::Text(text) => builder.text(&text.xml_content(XmlVersion::Implicit1_0))?,
            Event::CData(text) => builder.text(&text.xml_content(XmlVersion::Implicit1_0))?,
            Event::GeneralRef(reference) => builder.reference(&reference)?,
            Event::DocType(declared) => builder.entities = Entities::declared(&declared),
            Event::Decl(_) | Event::PI(_) | Event::Comment(_) => {}
        }
    }
    if !builder.has_root {
        return Err(NotXhtml::OtherRoot);
    }
    Ok((builder.sink.finish(), truncated))
}

fn malformed(why: impl ToString) -> NotXhtml {
    NotXhtml::Malformed(why.to_string())
}

/// What an element is that has just been opened.
#[derive(Debug, PartialEq, Eq)]
enum Opened {
    /// `<noscript>`, whose content browsers with scripts do not show.
    Unscripted,
    Other,
}

/// An open element.
struct Open {
    /// The node that gets its content.
    content: NodeId,
    /// Number of the prefixes that were declared before it.
    declared: usize,
}

struct Builder {
    sink: CountingSink,
    limits: ParseLimits,
    attributes: Attributes,
    open: Vec<Open>,
    /// The prefixes that the open elements declare, the innermost last. The default namespace has an empty one.
    declared: Vec<(String, Namespace)>,
    entities: Entities,
    has_root: bool,
    too_many_attributes: bool,
}

impl Builder {
    fn new(limits: ParseLimits, attributes: Attributes) -> Self {
        Self {
            sink: CountingSink::with_capacity(limits.capacity),
            limits,
            attributes,
            open: Vec::new(),
            declared: Vec::new(),
            entities: Entities::default(),
            has_root: false,
            too_many_attributes: false,
        }
    }

    fn truncation(&self) -> Option<Truncation> {
        let too_many = self.too_many_attributes.then_some(Truncation::TooManyAttributes);
        too_many.or_else(|| self.sink.truncation(self.limits))
    }

    fn open(&mut self, start: &BytesStart<'_>) -> Result<Opened, NotXhtml> {
        let declared = self.declared.len();
        let found = self.attributes_of(start)?;
        if !self.has_root && self.namespace("").is_none() {
            self.declared.insert(declared, (String::new(), ns!(html)));
        }
        let name = self.element_name(start.name().into_inner())?;
        let is_page = name.ns == ns!(html) && name.local == local_name!("html");
        if self.open.is_empty() && (self.has_root || !is_page) {
            return Err(NotXhtml::OtherRoot);
        }
        self.has_root = true;
        let is_unscripted = name.ns == ns!(html) && name.local == local_name!("noscript");
        let in_source = found.len();
        let kept: Vec<Attribute> = found
            .into_iter()
            .filter_map(|(attribute, value)| self.attribute(&name, attribute, &value))
            .collect();
        self.sink.count_attributes(in_source - kept.len());
        let parent = self
            .open
            .last()
            .map_or_else(|| self.sink.get_document(), |open| open.content);
        let element = self.sink.create_element(name, kept, ElementFlags::default());
        self.sink.append(&parent, NodeOrText::AppendNode(element));
        let content = self.sink.get_template_contents(&element);
        self.open.push(Open { content, declared });
        Ok(if is_unscripted {
            Opened::Unscripted
        } else {
            Opened::Other
        })
    }

    fn close(&mut self) {
        if let Some(open) = self.open.pop() {
            self.declared.truncate(open.declared);
        }
    }

    fn text(&mut self, text: &str) -> Result<(), NotXhtml> {
        match self.open.last() {
            Some(open) => {
                let text = NodeOrText::AppendText(StrTendril::from_slice(text));
                self.sink.append(&open.content, text);
                Ok(())
            }
            // Text before the root is no XML; what follows the root does not change the page.
            None if self.has_root || text.trim_ascii().is_empty() => Ok(()),
            None => Err(malformed("text before the root")),
        }
    }

    fn reference(&mut self, name: &str) -> Result<(), NotXhtml> {
        let resolved = self.entities.resolve(name);
        self.text(&resolved.unwrap_or_else(|| format!("&{name};")))
    }

    /// The attributes of an element that are no declarations of prefixes, which are noted.
    fn attributes_of<'s>(&mut self, start: &'s BytesStart<'_>) -> Result<Vec<(&'s str, Cow<'s, str>)>, NotXhtml> {
        let mut found: Vec<(&str, Cow<'_, str>)> = Vec::new();
        let mut attributes = start.attributes();
        for (number, attribute) in attributes.with_checks(false).enumerate() {
            let attribute = attribute.map_err(malformed)?;
            if number == MAX_ATTRIBUTES {
                self.too_many_attributes = true;
                break;
            }
            let name = attribute.key.into_inner();
            self.sink.count(1 + found.len() as u64 / 8);
            if found.iter().any(|(known, _)| *known == name) {
                return Err(malformed("an attribute is there twice"));
            }
            let prefix = match name.strip_prefix("xmlns") {
                Some("") => Some(""),
                Some(prefix) => prefix.strip_prefix(':'),
                None => None,
            };
            if let Some(prefix) = prefix {
                let namespace = self.entities.value(&attribute.value);
                self.declared.push((prefix.to_owned(), Namespace::from(&*namespace)));
                self.sink.count_attributes(1);
            } else {
                found.push((name, attribute.value));
            }
        }
        Ok(found)
    }

    /// The namespace of a prefix; `None` if nothing declares it.
    fn namespace(&self, prefix: &str) -> Option<Namespace> {
        self.sink.count(self.declared.len() as u64 / 4);
        let declared = self.declared.iter().rev().find(|(known, _)| known == prefix);
        match declared {
            Some((_, namespace)) => Some(namespace.clone()),
            None if prefix == "xml" => Some(ns!(xml)),
            None if prefix == "xlink" => Some(ns!(xlink)),
            None => None,
        }
    }

    fn element_name(&self, name: &str) -> Result<QualName, NotXhtml> {
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.' | ':') || !c.is_ascii();
        let begins = |c: char| c.is_ascii_alphabetic() || c == '_' || !c.is_ascii();
        if !name.chars().all(is_name) || !name.starts_with(begins) {
            return Err(malformed("a tag without a name"));
        }
        let (prefix, local) = name.split_once(':').unwrap_or(("", name));
        let namespace = self.namespace(prefix).unwrap_or_default();
        let is_shown = [ns!(html), ns!(svg), ns!(mathml)].contains(&namespace);
        let local = if is_shown {
            LocalName::from(local)
        } else {
            LocalName::from(format!("{prefix}:{local}"))
        };
        Ok(QualName::new(None, namespace, local))
    }

    /// The attribute, if the tree keeps it.
    fn attribute(&self, element: &QualName, name: &str, value: &str) -> Option<Attribute> {
        let is_kept = |known: &str| read_attributes::is_held(&element.local, known, self.attributes);
        let name = match name.split_once(':') {
            None if is_kept(name) => QualName::new(None, ns!(), LocalName::from(name)),
            Some((prefix, local)) if self.namespace(prefix) == Some(ns!(xlink)) => {
                let is_kept = is_kept(&format!("xlink:{local}"));
                is_kept.then(|| QualName::new(Some(Prefix::from("xlink")), ns!(xlink), LocalName::from(local)))?
            }
            Some(_) if is_kept(name) => QualName::new(None, ns!(), LocalName::from(name)),
            _ => return None,
        };
        let value = StrTendril::from_slice(&self.entities.value(value));
        Some(Attribute { name, value })
    }
}

#[cfg(test)]
mod tests;
