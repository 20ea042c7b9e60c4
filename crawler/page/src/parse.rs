//! From text to tree: one parse a page, in time that the page's size bounds, whatever the page holds.
//!
//! HTML parsing as browsers do it is linear only for pages that mean well. Half a megabyte of nested lists, thousands of
//! unclosed formatting elements or a hundred thousand attributes on one element each take minutes. So the parser is fed
//! in pieces, its work is counted (never timed, so the same page always gives the same tree), and once a page passes a
//! limit the parser is fed no more: the tree of what came before is kept, and [`Document::truncated`] says why.

mod attributes;
mod date;
mod embedded;
mod facts;
mod header_links;
mod limits;
mod outlinks;
mod refresh;
mod robots_meta;
mod simple;
mod sink;

use html5ever::buffer_queue::BufferQueue;
use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{TokenSink, Tokenizer, TokenizerOpts};
use html5ever::tree_builder::{TreeBuilder, TreeBuilderOpts, TreeSink};
use html5ever::{LocalName, TokenizerResult, local_name};
use scraper::Html;
use scraper::node::Element;

use self::attributes::AttributeFlood;
use self::limits::ParseLimits;
use self::sink::{CountingSink, TokenCount};

pub(crate) use self::embedded::embedded;
pub(crate) use self::facts::facts;
pub use self::header_links::{HeaderLinks, header_links};
pub use self::outlinks::{LinkKind, Outlink};
pub use self::refresh::parse_refresh;
pub use self::robots_meta::RobotsDirectives;

/// Elements nested deeper than this end the parse, at the end of the piece of a few kilobytes that is being fed.
/// Browsers stop nesting at the same depth.
const MAX_DEPTH: usize = 512;

/// The most attributes that an element may have.
const MAX_ATTRIBUTES: usize = 1024;

/// How many bytes the parser is fed between two looks at its counters, about.
const CHUNK_BYTES: usize = 4096;

/// The work that every page may cause, in steps (a look at an open element, a pair of attributes compared, ...).
const BASE_STEPS: u64 = 4_000_000;

/// The further steps for each byte. None of 3,500 real pages needed 2.
const STEPS_PER_BYTE: u64 = 24;

/// The largest tree, in bytes without its texts: some 350,000 nodes. What is made of it takes about as much again.
const MAX_TREE_BYTES: usize = 48 * 1024 * 1024;

/// The most `<noscript>` of a page that are parsed.
const MAX_UNSCRIPTED: usize = 64;

/// A parsed page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Document {
    /// The tree.
    pub html: Html,
    /// Set if the page passed a limit and only what came before is in the tree.
    pub truncated: Option<Truncation>,
    /// What the page holds for browsers without scripts: the inside of each `<noscript>`, in order, which the tree has
    /// as one text. The tree that a page gets with scripts on is the one that its author has seen.
    pub unscripted: Vec<Html>,
}

/// Why a page was not parsed to its end.
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
    /// The reason in a few words.
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

/// Parses a page.
pub(crate) fn parse(html: &str) -> Document {
    let (html, truncated) = parse_tree(html, ParseLimits::of(html, BASE_STEPS));
    let unscripted = noscripts(&html)
        .take(MAX_UNSCRIPTED)
        .map(|text| parse_tree(text, ParseLimits::of(text, BASE_STEPS / MAX_UNSCRIPTED as u64)).0)
        .collect();
    Document {
        html,
        truncated,
        unscripted,
    }
}

/// The texts inside `<noscript>`, in order.
fn noscripts(html: &Html) -> impl Iterator<Item = &str> {
    let elements = html.tree.nodes().filter(|node| {
        node.value()
            .as_element()
            .is_some_and(|element| element.name.local == local_name!("noscript"))
    });
    elements.filter_map(|node| Some(&**node.first_child()?.value().as_text()?))
}

fn parse_tree(html: &str, limits: ParseLimits) -> (Html, Option<Truncation>) {
    let builder = TreeBuilder::new(CountingSink::with_capacity(limits.capacity), TreeBuilderOpts::default());
    let options = TokenizerOpts {
        discard_bom: false,
        ..TokenizerOpts::default()
    };
    let mut feed = Feed {
        html: html.strip_prefix('\u{feff}').unwrap_or(html),
        at: 0,
        tokenizer: Tokenizer::new(TokenCount::new(builder), options),
        queue: BufferQueue::default(),
        in_data: true,
        quiet_from: 0,
        followed_to: 0,
        flood: AttributeFlood::default(),
    };
    let mut truncated = None;
    while feed.at < feed.html.len() && truncated.is_none() {
        let goal = feed.at + CHUNK_BYTES;
        while feed.at < feed.html.len() && feed.at < goal {
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

/// A page on its way into the tree builder: simple tokens directly, all others through the tokenizer.
struct Feed<'a> {
    html: &'a str,
    /// How far it has been fed.
    at: usize,
    tokenizer: Tokenizer<TokenCount>,
    queue: BufferQueue,
    /// The tokenizer holds nothing and is in its data state, so simple tokens may pass it by.
    in_data: bool,
    /// Where the piece begins that brought the last token: an open tag began there or later.
    quiet_from: usize,
    /// How far the text since then has been searched for attributes.
    followed_to: usize,
    flood: AttributeFlood,
}

impl Feed<'_> {
    fn step(&mut self) {
        let rest = &self.html[self.at..];
        if let Some((token, len)) = self.in_data.then(|| simple::token(rest)).flatten() {
            // A simple token leaves the tokenizer in its data state; what else the answer may be is for scripts.
            let _ = self.tokenizer.sink.process_token(token, 1);
            self.at += len;
            self.heard_from(self.at);
        } else {
            self.tokenize(rest);
        }
    }

    /// Feeds the tokenizer up to the next `>`: tags, comments and doctypes end there, and their tokens come.
    fn tokenize(&mut self, rest: &str) {
        let bound = rest.floor_char_boundary(CHUNK_BYTES);
        let end = rest.as_bytes()[..bound]
            .iter()
            .position(|&b| b == b'>')
            .map_or(bound, |at| at + 1);
        let tokens = self.tokenizer.sink.tokens();
        self.queue.push_back(StrTendril::from_slice(&rest[..end]));
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

    /// True if the tokenizer is inside a tag with too many attributes.
    fn is_flooded(&mut self) -> bool {
        if self.at - self.quiet_from <= CHUNK_BYTES {
            return false;
        }
        let unread = &self.html[self.followed_to..self.at];
        self.followed_to = self.at;
        self.flood.follow(unread)
    }
}

/// Lets the tokenizer take all that is queued; scripts and late encoding declarations interrupt it, and mean nothing here.
fn drain(tokenizer: &Tokenizer<TokenCount>, queue: &BufferQueue) {
    while !matches!(tokenizer.feed(queue), TokenizerResult::Done) {}
}

/// The value of an attribute, whatever its namespace.
pub(crate) fn attribute<'a>(element: &'a Element, name: &LocalName) -> Option<&'a str> {
    element
        .attrs
        .iter()
        .find(|(key, _)| key.local == *name)
        .map(|(_, value)| &**value)
}

#[cfg(test)]
mod facts_tests;
#[cfg(test)]
mod tests;
