//! From text to tree: one parse for each page, in time bounded by the page's size.
//!
//! HTML parsing by the standard is linear only for well-behaved pages. Half a megabyte of nested lists, thousands of unclosed
//! formatting elements, or a hundred thousand attributes on one element each take minutes. The parser therefore gets the page in
//! pieces. It counts its work, and does not time it, so that the same page always gives the same tree. When a page passes a
//! limit, the parse stops: the tree of the part before stays, and [`Document::truncated`] has the reason.

#[cfg(any(test, feature = "stages"))]
pub mod agreement;
mod attributes;
mod base;
mod date;
mod embedded;
mod facts;
mod header_links;
mod html_redirect;
mod limits;
mod line;
mod outlinks;
mod read_attributes;
mod references;
mod refresh;
mod robots_meta;
mod shadow;
mod simple;
mod sink;
mod site_signs;
mod style;
mod tree;
mod xhtml;

use std::borrow::Cow;

use encoding_rs::{Encoding, UTF_8};
use html5ever::buffer_queue::BufferQueue;
use html5ever::tokenizer::{TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{LocalName, TokenizerResult, local_name};
use memchr::memchr;

use self::attributes::AttributeFlood;
use self::limits::ParseLimits;
use self::simple::Source;
use self::sink::{CountingSink, TokenCount};

pub(crate) use self::base::Base;
pub(crate) use self::embedded::embedded;
pub(crate) use self::facts::{base, facts, live_elements};
pub(crate) use self::header_links::header_refresh;
pub use self::header_links::{HeaderLinks, header_links};
pub use self::html_redirect::{HtmlRedirect, HtmlRedirectKind};
pub(crate) use self::html_redirect::{html_redirect, text_redirect};
pub use self::limits::{most_reading_bytes, reading_bytes};
pub(crate) use self::line::is_unseen;
pub use self::outlinks::{LinkKind, Outlink};
pub use self::refresh::parse_refresh;
pub use self::robots_meta::RobotsDirectives;
pub(crate) use self::shadow::displayed;
pub(crate) use self::site_signs::SiteSigns;
pub(crate) use self::tree::{Element, Node, NodeId, NodeRef, Tree, Visit};
pub(crate) use self::xhtml::NotXhtml;

/// Deepest nesting. Deeper elements end the parse after the current piece of a few kilobytes. Browsers stop nesting at the same
/// depth.
const MAX_DEPTH: usize = 512;

/// Most attributes of an element.
const MAX_ATTRIBUTES: usize = 1024;

/// Approximate number of bytes between two checks of the counters.
const CHUNK_BYTES: usize = 4096;

/// The permitted work of any page, in steps: one look at an open element, one comparison of two attributes, ...
const BASE_STEPS: u64 = 4_000_000;

/// Further permitted steps for each byte. None of 3,500 real pages needed 2.
const STEPS_PER_BYTE: u64 = 24;

/// Largest tree, in bytes without its texts: about 350,000 nodes. Its processing needs about the same memory again.
const MAX_TREE_BYTES: usize = 48 * 1024 * 1024;

/// Most `<noscript>` of a page that are parsed.
const MAX_UNSCRIPTED: usize = 64;

/// A parsed page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    /// The tree.
    pub html: Tree,
    /// The limit that the page passed; the tree holds the part before.
    pub truncated: Option<Truncation>,
    /// The trees of the `<noscript>` elements, in order. The main tree holds each of them as one text, as in a browser with
    /// scripts.
    pub unscripted: Vec<Tree>,
    /// The encoding of the source, in which the queries of references are.
    pub encoding: &'static Encoding,
}

/// Why a page was parsed only in part.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Truncation {
    /// Elements are nested deeper than 512.
    TooDeep,
    /// An element has more than 1,024 attributes.
    TooManyAttributes,
    /// The page causes more work than its size allows.
    TooMuchWork,
    /// The tree is larger than the size of the page allows, or than 48 MiB.
    TooLarge,
}

impl Truncation {
    /// The reason in words.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::TooDeep => "too deep",
            Self::TooManyAttributes => "too many attributes",
            Self::TooMuchWork => "too much work",
            Self::TooLarge => "too large a tree",
        }
    }
}

/// Which attributes the tree of a page has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Attributes {
    /// Those that are read of every page.
    Read,
    /// Also those that Markdown and metadata read.
    Requested,
    /// All, for the rules of users.
    All,
}

/// Parses a page in HTML.
pub(crate) fn parse(html: &str, attributes: Attributes) -> Document {
    let tree = parse_tree(html, ParseLimits::of(html, BASE_STEPS), attributes);
    Document::of(tree, attributes)
}

/// Parses a page in XHTML.
///
/// # Errors
/// The text is not well-formed XML, or its root is no page.
pub(crate) fn parse_xhtml(xml: &str, attributes: Attributes) -> Result<Document, NotXhtml> {
    let tree = xhtml::parse(xml, ParseLimits::of(xml, BASE_STEPS), attributes)?;
    Ok(Document::of(tree, attributes))
}

impl Document {
    fn of((html, truncated): (Tree, Option<Truncation>), attributes: Attributes) -> Self {
        let parts = noscripts(&html).take(MAX_UNSCRIPTED);
        let unscripted = parts.map(|part| parse_part(part, attributes)).collect();
        Self {
            html,
            truncated,
            unscripted,
            encoding: UTF_8,
        }
    }

    /// The document, decoded from this encoding. Without it, the encoding is UTF-8.
    pub(crate) fn decoded_from(self, encoding: &'static Encoding) -> Self {
        Self { encoding, ..self }
    }
}

/// Parses a part of a page that is a document of its own.
fn parse_part(html: &str, attributes: Attributes) -> Tree {
    let limits = ParseLimits::of(html, BASE_STEPS / MAX_UNSCRIPTED as u64);
    parse_tree(html, limits, attributes).0
}

/// The texts inside `<noscript>`, in order.
fn noscripts(html: &Tree) -> impl Iterator<Item = &str> {
    let elements = html.nodes().filter(|node| {
        node.value()
            .as_element()
            .is_some_and(|element| element.name.local == local_name!("noscript"))
    });
    elements.filter_map(|node| node.first_child()?.value().as_text())
}

fn parse_tree(html: &str, limits: ParseLimits, attributes: Attributes) -> (Tree, Option<Truncation>) {
    let html = with_line_feeds(html.strip_prefix('\u{feff}').unwrap_or(html));
    let builder = TreeBuilder::new(CountingSink::with_capacity(limits.capacity), TreeBuilderOpts::default());
    let options = TokenizerOpts {
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let mut feed = Feed {
        source: Source::new(&html, attributes),
        at: 0,
        tokenizer: Tokenizer::new(TokenCount::new(builder), options),
        queue: BufferQueue::default(),
        in_data: true,
        raw_misses: 0,
        quiet_from: 0,
        followed_to: 0,
        flood: AttributeFlood::default(),
    };
    let end = html.len();
    let mut truncated = None;
    while feed.at < end && truncated.is_none() {
        let goal = end.min(feed.at + CHUNK_BYTES);
        while feed.at < goal {
            feed.step();
        }
        truncated = feed.tokenizer.sink.truncation(limits);
        truncated = truncated.or(feed.is_flooded().then_some(Truncation::TooManyAttributes));
    }
    if truncated.is_none() {
        feed.tokenizer.end();
        truncated = feed.tokenizer.sink.truncation(limits);
    }
    (feed.tokenizer.sink.into_builder().sink.finish(), truncated)
}

/// A page with a line feed at the end of each line (WHATWG HTML, section 13.2.3.5).
fn with_line_feeds(html: &str) -> Cow<'_, str> {
    if memchr(b'\r', html.as_bytes()).is_none() {
        return Cow::Borrowed(html);
    }
    let mut lines = String::with_capacity(html.len());
    let mut rest = html;
    while let Some(at) = memchr(b'\r', rest.as_bytes()) {
        lines.push_str(&rest[..at]);
        lines.push('\n');
        let behind = &rest[at + 1..];
        rest = behind.strip_prefix('\n').unwrap_or(behind);
    }
    lines.push_str(rest);
    Cow::Owned(lines)
}

/// Most elements in which only text may be that are tried in vain. Each try may read the rest of the page.
const MAX_RAW_MISSES: u32 = 64;

/// Feeds a page to the tree builder: simple tokens directly, all others through the tokenizer.
struct Feed<'a> {
    source: Source<'a>,
    /// Number of bytes fed so far.
    at: usize,
    tokenizer: Tokenizer<TokenCount>,
    queue: BufferQueue,
    /// Whether the tokenizer holds nothing and is in its data state, so that simple tokens may bypass it.
    in_data: bool,
    raw_misses: u32,
    /// Start of the piece that brought the last token. An open tag began there or later.
    quiet_from: usize,
    /// End of the text since then that has been searched for attributes.
    followed_to: usize,
    flood: AttributeFlood,
}

impl Feed<'_> {
    fn step(&mut self) {
        if !self.in_data {
            return self.tokenize();
        }
        if let Some(simple) = self.source.token(self.at) {
            self.tokenizer.sink.count_left_out(simple.left_out);
            // A simple token leaves the tokenizer in its data state. Other results concern scripts.
            let _ = self.tokenizer.sink.process_token(simple.token, 1);
            self.at = simple.end;
            self.heard_from(self.at);
        } else if !self.take_raw_element() {
            self.tokenize();
        }
    }

    /// Takes an element in which only text may be, or its start tag where the tree builder lets more be in it.
    fn take_raw_element(&mut self) -> bool {
        if self.raw_misses == MAX_RAW_MISSES || !self.source.begins_raw_element(self.at) {
            return false;
        }
        let Some(raw) = self.source.raw_element(self.at) else {
            self.raw_misses += 1;
            return false;
        };
        let sink = &self.tokenizer.sink;
        sink.count_left_out(raw.start.left_out);
        if let TokenSinkResult::RawData(_) = sink.process_token(raw.start.token, 1) {
            let _ = sink.process_token(raw.text, 1);
            let _ = sink.process_token(raw.end_tag, 1);
            self.at = raw.end;
        } else {
            self.raw_misses += 1;
            self.at = raw.start.end;
        }
        self.heard_from(self.at);
        true
    }

    /// Feeds the tokenizer up to the next `>`, where tags, comments and doctypes end.
    fn tokenize(&mut self) {
        let rest = &self.source.html()[self.at..];
        let bound = rest.floor_char_boundary(CHUNK_BYTES);
        let end = memchr(b'>', &rest.as_bytes()[..bound]).map_or(bound, |at| at + 1);
        let tokens = self.tokenizer.sink.tokens();
        self.queue.push_back(self.source.slice(self.at, self.at + end));
        drain(&self.tokenizer, &self.queue);
        let brought_token = self.tokenizer.sink.tokens() != tokens;
        self.in_data = brought_token && self.tokenizer.sink.ended_in_data();
        if brought_token {
            self.heard_from(self.at);
        }
        self.at += end;
    }

    fn heard_from(&mut self, at: usize) {
        (self.quiet_from, self.followed_to) = (at, at);
        self.flood.reset();
    }

    /// Whether the tokenizer is inside a tag with too many attributes.
    fn is_flooded(&mut self) -> bool {
        if self.at - self.quiet_from <= CHUNK_BYTES {
            return false;
        }
        let unread = &self.source.html()[self.followed_to..self.at];
        self.followed_to = self.at;
        self.flood.follow(unread)
    }
}

/// Runs the tokenizer on the whole queue. Scripts and late encoding declarations interrupt it without a consequence.
fn drain(tokenizer: &Tokenizer<TokenCount>, queue: &BufferQueue) {
    while !matches!(tokenizer.feed(queue), TokenizerResult::Done) {}
}

/// The value of an attribute, whatever its namespace.
pub(crate) fn attribute<'a>(element: &'a Element, name: &LocalName) -> Option<&'a str> {
    element.attribute(name)
}

#[cfg(test)]
mod facts_tests;
#[cfg(test)]
mod tests;
#[cfg(test)]
mod tokenizer_cases;
