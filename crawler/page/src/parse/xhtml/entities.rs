//! The references to entities in XHTML: those of XML and HTML, and those that the document itself declares. Nothing is fetched.

use std::borrow::Cow;
use std::cell::Cell;
use std::collections::HashMap;

use html5ever::data::NAMED_ENTITIES;

/// Longest text of an entity that a document declares, in bytes. A longer one is not expanded.
const MAX_ENTITY_BYTES: usize = 256;

/// Most entities that a document declares.
const MAX_ENTITIES: usize = 512;

/// Most bytes into which the declared entities of a document expand. Later ones stay as they are written.
const MAX_EXPANDED_BYTES: usize = 256 * 1024;

/// The entities of a document.
#[derive(Debug, Default)]
pub(super) struct Entities {
    declared: HashMap<String, String>,
    expanded: Cell<usize>,
}

impl Entities {
    /// Those of a document type declaration (XML 1.0, section 4.2). An entity whose text is markup, refers to other entities or is in a file
    /// is left out.
    pub(super) fn declared(document_type: &str) -> Self {
        let mut entities = Self::default();
        let mut rest = document_type;
        while let Some((_, after)) = rest.split_once("<!ENTITY") {
            rest = after;
            if entities.declared.len() == MAX_ENTITIES {
                break;
            }
            let Some((name, text)) = declaration(after) else {
                continue;
            };
            let text = entities.value(text).into_owned();
            let is_plain = text.len() <= MAX_ENTITY_BYTES && !text.contains(['<', '&', '%']);
            if is_plain {
                // The first declaration counts.
                entities.declared.entry(name.to_owned()).or_insert(text);
            }
        }
        entities
    }

    /// The text of the reference with this name, such as `nbsp` or `#160`; `None` if it is unknown.
    pub(super) fn resolve(&self, name: &str) -> Option<String> {
        if let Some(number) = name.strip_prefix('#') {
            let number = match number.strip_prefix(['x', 'X']) {
                Some(digits) => u32::from_str_radix(digits, 16),
                None => number.parse(),
            };
            let c = char::from_u32(number.ok()?).filter(|c| *c != '\0')?;
            return Some(c.to_string());
        }
        if let Some(text) = self.declared.get(name) {
            let expanded = self.expanded.get() + text.len();
            self.expanded.set(expanded);
            return (expanded <= MAX_EXPANDED_BYTES).then(|| text.clone());
        }
        let &(first, second) = NAMED_ENTITIES
            .get(&format!("{name};")[..])
            .filter(|(first, _)| *first != 0)?;
        let codes = [first, second].into_iter().filter(|code| *code != 0);
        Some(codes.filter_map(char::from_u32).collect())
    }

    /// The value of an attribute: its references resolved, and its white space as spaces (XML 1.0, section 3.3.3).
    pub(super) fn value<'v>(&self, source: &'v str) -> Cow<'v, str> {
        if !source.contains(['&', '\t', '\n', '\r']) {
            return Cow::Borrowed(source);
        }
        let mut value = String::with_capacity(source.len());
        let mut rest = source;
        while let Some(at) = rest.find(['&', '\t', '\n', '\r']) {
            value.push_str(&rest[..at]);
            rest = &rest[at..];
            let known = rest.strip_prefix('&').and_then(|rest| {
                let (name, _) = rest[..rest.floor_char_boundary(MAX_NAME_BYTES)].split_once(';')?;
                Some((self.resolve(name)?, name.len() + 2))
            });
            let len = match known {
                Some((text, len)) => {
                    value.push_str(&text);
                    len
                }
                None => {
                    value.push(if rest.starts_with('&') { '&' } else { ' ' });
                    if rest.starts_with("\r\n") { 2 } else { 1 }
                }
            };
            rest = &rest[len..];
        }
        value.push_str(rest);
        Cow::Owned(value)
    }
}

/// Longest name of an entity in an attribute, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// The name and the text of an entity, after `<!ENTITY`.
fn declaration(after: &str) -> Option<(&str, &str)> {
    let after = after
        .strip_prefix(|c: char| c.is_ascii_whitespace())?
        .trim_ascii_start();
    let (name, after) = after.split_once(|c: char| c.is_ascii_whitespace())?;
    let after = after.trim_ascii_start();
    let quote = after.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    let (text, _) = after[1..].split_once(quote)?;
    (name != "%").then_some((name, text))
}
