//! JSON-LD (W3C JSON-LD 1.1) in the vocabulary of schema.org.
//!
//! Only what templates write is read: no remote contexts, no expansion. A node is an object; `@graph` and arrays are lists of nodes;
//! `{"@id": …}` stands for the node of the page with this id. The blocks are read as leniently as the tools of search engines read them:
//! comments and CDATA around them, line feeds within strings, and commas before a closing bracket do not matter.

use std::borrow::Cow;

use serde_json::{Map, Value};
use url::Url;

use super::claims::Field::{
    self, Author, Description, Image, Language, Licence, Modified, Published, Section, SiteName, Tag, Tags, Title, Type,
};
use super::claims::{Claims, Source};
use super::kinds::{Kind, kind};
use super::text::folded;
use crate::map;

/// Longest block, in bytes. Its values need up to ten times as much memory.
const MAX_BLOCK_BYTES: usize = 512 * 1024;

/// Most blocks of a page.
const MAX_BLOCKS: usize = 64;

/// Longest text of all blocks together, in bytes.
const MAX_BYTES: usize = 2 * 1024 * 1024;

/// Most objects that are looked at.
const MAX_NODES: usize = 20_000;

/// Most nodes of which one is the page's.
const MAX_CANDIDATES: usize = 64;

/// Most references and levels between a node and a name: an article, its author, the id of the author, the name.
const MAX_STEPS: usize = 6;

/// Most values of a list that are taken.
const MAX_VALUES: usize = 64;

type Object = Map<String, Value>;

/// The blocks of a page.
#[derive(Debug, Default)]
pub(super) struct JsonLd {
    blocks: Vec<Value>,
    bytes: usize,
}

impl JsonLd {
    /// Takes the text of a `<script type=application/ld+json>`. What is no JSON is ignored.
    pub(super) fn take(&mut self, text: &str) {
        let is_within = text.len() <= MAX_BLOCK_BYTES && self.bytes + text.len() <= MAX_BYTES;
        if self.blocks.len() < MAX_BLOCKS && is_within {
            self.bytes += text.len();
            self.blocks.extend(parse(text));
        }
    }

    /// Adds what the blocks say about the page with this URL. `headings` are its title and headings: a node with one of them as headline
    /// is about the page.
    pub(super) fn claim(&self, url: &Url, headings: &[String], claims: &mut Claims) {
        let nodes = Nodes::of(&self.blocks);
        let page = Page {
            url,
            headings: headings.iter().map(|heading| folded(heading)).collect(),
        };
        if let Some(node) = nodes.main(&page) {
            nodes.claim_main(node, claims);
        }
        for node in &nodes.all {
            if kind_of(node) == Some(Kind::WebSite) {
                nodes.add(SiteName, node.get("name"), claims);
            }
        }
    }
}

/// The value of a block.
fn parse(text: &str) -> Option<Value> {
    let text = without_wrapping(text);
    serde_json::from_str(text)
        .or_else(|_| serde_json::from_str(&repaired(text)))
        .ok()
}

/// A block without a comment or CDATA around it.
fn without_wrapping(text: &str) -> &str {
    const CDATA: &str = "[CDATA[";
    let text = match text.find(CDATA) {
        Some(at) if text.find(['{', '[']) == Some(at) => {
            let inner = &text[at + CDATA.len()..];
            inner.rfind("]]>").map_or(inner, |end| &inner[..end])
        }
        _ => text,
    };
    let start = text.find(['{', '[']).unwrap_or(text.len());
    let end = text.rfind(['}', ']']).map_or(start, |at| at + 1);
    text.get(start..end).unwrap_or_default()
}

/// A block with spaces for control characters, without commas before closing brackets. One pass.
fn repaired(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut in_string, mut escaped) = (false, false);
    for c in text.chars() {
        match c {
            _ if escaped => escaped = false,
            '\\' if in_string => escaped = true,
            '"' => in_string = !in_string,
            '}' | ']' if !in_string => {
                let end = out.trim_end().trim_end_matches(',').len();
                out.truncate(end);
            }
            _ => {}
        }
        out.push(if c.is_control() { ' ' } else { c });
    }
    out
}

/// What is known of the page.
struct Page<'a> {
    url: &'a Url,
    headings: Vec<String>,
}

/// The nodes of all blocks.
struct Nodes<'a> {
    /// The nodes that are not values of others, in order.
    all: Vec<&'a Object>,
    by_id: map::Map<&'a str, &'a Object>,
}

impl<'a> Nodes<'a> {
    fn of(blocks: &'a [Value]) -> Self {
        let mut nodes = Self {
            all: Vec::new(),
            by_id: map::Map::default(),
        };
        nodes.find_all(blocks);
        nodes.find_ids(blocks);
        nodes
    }

    /// Finds the nodes at the top, in lists, in graphs, and those that a page names as its main entity.
    fn find_all(&mut self, blocks: &'a [Value]) {
        let mut open: Vec<&Value> = blocks.iter().rev().collect();
        while let Some(value) = open.pop().filter(|_| self.all.len() < MAX_NODES) {
            match value {
                Value::Array(values) => open.extend(values.iter().rev()),
                Value::Object(node) => {
                    self.all.push(node);
                    open.extend(["mainEntity", "@graph"].iter().filter_map(|key| node.get(*key)));
                }
                _ => {}
            }
        }
    }

    /// Finds the nodes with an id, at any level. The parser has bounded the levels.
    fn find_ids(&mut self, blocks: &'a [Value]) {
        let mut open: Vec<&Value> = blocks.iter().collect();
        let mut seen = 0;
        while let Some(value) = open.pop().filter(|_| seen < MAX_NODES) {
            seen += 1;
            match value {
                Value::Array(values) => open.extend(values),
                Value::Object(node) => {
                    let id = node.get("@id").and_then(Value::as_str).filter(|_| node.len() > 1);
                    if let Some(id) = id {
                        self.by_id.entry(id).or_insert(node);
                    }
                    open.extend(node.values().filter(|value| value.is_array() || value.is_object()));
                }
                _ => {}
            }
        }
    }

    /// The node that the page is about: of the best kind; among several, the one with the URL or a heading of the page.
    fn main(&self, page: &Page<'_>) -> Option<&'a Object> {
        let mut best: Vec<&Object> = Vec::new();
        let mut best_kind = None;
        for node in &self.all {
            let Some(kind) = kind_of(node).filter(|kind| kind.is_about_page()) else {
                continue;
            };
            if best_kind.is_none_or(|best| kind > best) {
                (best_kind, best) = (Some(kind), Vec::new());
            }
            if best_kind == Some(kind) && best.len() < MAX_CANDIDATES {
                best.push(node);
            }
        }
        match best[..] {
            [] => None,
            [only] => Some(only),
            _ => {
                let same = || best.iter().find(|node| is_at(node, page.url));
                let named = || best.iter().find(|node| has_heading(node, &page.headings));
                same().or_else(named).copied()
            }
        }
    }

    fn claim_main(&self, node: &'a Object, claims: &mut Claims) {
        let first = |keys: &[&str]| keys.iter().find_map(|key| node.get(*key));
        self.add(Title, first(&["headline", "name"]), claims);
        self.add(Author, first(&["author", "creator"]), claims);
        self.add(
            Published,
            first(&["datePublished", "dateCreated", "uploadDate"]),
            claims,
        );
        self.add(Modified, node.get("dateModified"), claims);
        self.add(Description, node.get("description"), claims);
        self.claim_publisher(node, claims);
        self.add(Language, node.get("inLanguage"), claims);
        self.add(Section, node.get("articleSection"), claims);
        self.add(Licence, node.get("license"), claims);
        self.add(Image, first(&["image", "thumbnailUrl"]), claims);
        self.add(Type, node.get("@type"), claims);
        match node.get("keywords") {
            Some(Value::Array(keywords)) => keywords.iter().for_each(|word| self.add(Tag, Some(word), claims)),
            keywords => self.add(Tags, keywords, claims),
        }
    }

    /// A publisher that is a person is no site: many authors publish their own pages.
    fn claim_publisher(&self, node: &'a Object, claims: &mut Claims) {
        let publisher = node.get("publisher");
        let of_id = || self.by_id.get(publisher?.get("@id")?.as_str()?).copied();
        let found = publisher
            .and_then(Value::as_object)
            .filter(|node| node.contains_key("@type"));
        if !found.or_else(of_id).is_some_and(is_person) {
            self.add(SiteName, publisher, claims);
        }
    }

    /// Adds the texts of a value.
    fn add(&self, field: Field, value: Option<&'a Value>, claims: &mut Claims) {
        let mut texts = Vec::new();
        if let Some(value) = value {
            self.texts(field, value, MAX_STEPS, &mut texts);
        }
        texts.iter().for_each(|text| claims.add(field, Source::JsonLd, text));
    }

    /// The texts of a value: the text itself, those of a list, or the name or URL of a node.
    fn texts(&self, field: Field, value: &'a Value, steps: usize, texts: &mut Vec<Cow<'a, str>>) {
        if steps == 0 || texts.len() >= MAX_VALUES {
            return;
        }
        match value {
            Value::String(text) => texts.push(Cow::Borrowed(text)),
            // Seconds or milliseconds since 1970.
            Value::Number(number) if matches!(field, Published | Modified) => {
                texts.push(Cow::Owned(number.to_string()));
            }
            Value::Array(values) => values
                .iter()
                .take(MAX_VALUES)
                .for_each(|value| self.texts(field, value, steps - 1, texts)),
            Value::Object(node) => {
                let named = keys(field).iter().find_map(|key| node.get(*key));
                let referred = || self.by_id.get(node.get("@id")?.as_str()?).copied();
                let named = named.or_else(|| keys(field).iter().find_map(|key| referred()?.get(*key)));
                if let Some(value) = named {
                    self.texts(field, value, steps - 1, texts);
                }
            }
            _ => {}
        }
    }
}

/// The keys of a node that say what it is, for each field.
fn keys(field: Field) -> &'static [&'static str] {
    match field {
        Image => &["url", "contentUrl", "@id"],
        Licence => &["url", "@id", "name"],
        Language => &["alternateName", "name", "@value"],
        Published | Modified => &["@value"],
        _ => &["name", "@value"],
    }
}

/// The best kind of the types of a node.
fn kind_of(node: &Object) -> Option<Kind> {
    match node.get("@type")? {
        Value::String(name) => kind(name),
        Value::Array(names) => names.iter().filter_map(Value::as_str).filter_map(kind).max(),
        _ => None,
    }
}

fn is_person(node: &Object) -> bool {
    match node.get("@type") {
        Some(Value::String(name)) => name == "Person",
        Some(Value::Array(names)) => names.iter().any(|name| name == "Person"),
        _ => false,
    }
}

/// Whether a node says that it is at this URL.
fn is_at(node: &Object, url: &Url) -> bool {
    let of = |value: &Value| match value {
        Value::String(text) => is_same_page(text, url),
        Value::Object(page) => page
            .get("@id")
            .and_then(Value::as_str)
            .is_some_and(|id| is_same_page(id, url)),
        _ => false,
    };
    ["url", "@id", "mainEntityOfPage"]
        .iter()
        .any(|key| node.get(*key).is_some_and(of))
}

/// Whether a reference leads to the page, whatever its scheme and fragment.
fn is_same_page(reference: &str, url: &Url) -> bool {
    let path = |url: &Url| url.path().trim_end_matches('/').to_owned();
    url.join(reference).is_ok_and(|other| {
        other.host_str() == url.host_str() && path(&other) == path(url) && other.query() == url.query()
    })
}

fn has_heading(node: &Object, headings: &[String]) -> bool {
    let name = ["headline", "name"].iter().find_map(|key| node.get(*key)?.as_str());
    let name = name.map(folded).filter(|name| !name.is_empty());
    name.is_some_and(|name| headings.iter().any(|heading| heading.contains(&name)))
}
