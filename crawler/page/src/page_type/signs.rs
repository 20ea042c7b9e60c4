//! The signs of the type of a page, from one walk over its tree: sums over the page, and over its largest row of siblings that look
//! alike.

use std::ops::{AddAssign, Sub};

use html5ever::{LocalName, local_name};
use url::Url;

use super::declared::{self, Address, GROUPS, PROGRAMS};
use super::names::{MAX_VALUE_BYTES, Names, PEOPLE, TOPICS, Topics};
use crate::extract::kind::for_each_type;
use crate::parse::{Element, Node, NodeRef, Tree, Visit, attribute};

/// Fewest siblings that are a row of items.
const MIN_ITEMS: usize = 3;

/// Sums over a part of a page.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    /// Characters that are no white space, in bytes.
    pub bytes: u32,
    pub link_bytes: u32,
    pub links: u32,
    pub paragraph_bytes: u32,
    pub code_bytes: u32,
    pub images: u32,
    pub headings: u32,
    pub times: u32,
    pub prices: u32,
    /// Elements whose names tell of authors or users.
    pub people: u32,
    /// Signs of the ends of sentences.
    pub sentences: u32,
}

/// What a page shows of its type.
#[derive(Debug, Default)]
pub(super) struct Signs {
    pub page: Sums,
    /// Outside of navigation, headers, footers and asides.
    pub inner: Sums,
    /// The largest row of siblings that look alike, outside of those.
    pub items: Sums,
    pub item_count: u32,
    /// The largest number of siblings that look alike and have text.
    pub most_alike: u32,
    pub topics: [u32; TOPICS.len()],
    /// The topics of `<html>` and `<body>`.
    pub body_topics: Topics,
    pub groups: [u32; GROUPS.len()],
    pub programs: [bool; PROGRAMS.len()],
    pub tags: [u32; TAGS.len()],
    /// Paragraphs of 200 bytes and more.
    pub long_paragraphs: u32,
    pub longest_paragraph: u32,
    pub address: Address,
}

/// The elements that are counted.
pub(super) const TAGS: [&str; 16] = [
    "article",
    "h1",
    "h2",
    "h3",
    "li",
    "tr",
    "dt",
    "pre",
    "code",
    "form",
    "input",
    "textarea",
    "button",
    "select",
    "blockquote",
    "section",
];

/// The place of an element in [`TAGS`].
fn tag(name: &LocalName) -> Option<usize> {
    Some(match *name {
        local_name!("article") => 0,
        local_name!("h1") => 1,
        local_name!("h2") => 2,
        local_name!("h3") => 3,
        local_name!("li") => 4,
        local_name!("tr") => 5,
        local_name!("dt") => 6,
        local_name!("pre") => 7,
        local_name!("code") => 8,
        local_name!("form") => 9,
        local_name!("input") => 10,
        local_name!("textarea") => 11,
        local_name!("button") => 12,
        local_name!("select") => 13,
        local_name!("blockquote") => 14,
        local_name!("section") => 15,
        _ => return None,
    })
}

/// An open element.
struct Open<'t> {
    element: &'t Element,
    class: &'t str,
    /// The sums of the walk when it was opened.
    before: Sums,
    /// The row of alike children that is being read.
    row: Row<'t>,
}

/// Siblings that look alike, one after another.
#[derive(Clone, Copy, Default)]
struct Row<'t> {
    of: Option<(&'t LocalName, &'t str)>,
    count: u32,
    sums: Sums,
}

/// How deep the walk is in elements of a kind.
#[derive(Default)]
struct Depths {
    link: u32,
    paragraph: u32,
    code: u32,
    /// Navigation, headers, footers and asides.
    outer: u32,
    unread: u32,
}

struct Walk<'t> {
    signs: Signs,
    names: Names<'t>,
    open: Vec<Open<'t>>,
    depths: Depths,
}

impl Signs {
    /// Reads the tree of a page with this URL.
    pub(super) fn of(html: &Tree, url: &Url) -> Self {
        let mut walk = Walk {
            signs: Self::default(),
            names: Names::default(),
            open: Vec::new(),
            depths: Depths::default(),
        };
        html.root().walk(&mut walk);
        walk.signs.address = Address::of(url);
        walk.signs
    }
}

impl<'t> Visit<'t> for Walk<'t> {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        match node.value() {
            Node::Element(element) => {
                for_each_type(node, element, |name| {
                    if let Some(group) = declared::group(name) {
                        self.signs.groups[group] += 1;
                    }
                });
                self.open(element);
            }
            Node::Text(text) if self.depths.unread == 0 => self.text(text),
            _ => {}
        }
        true
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        if node.value().as_element().is_some() {
            self.close();
        }
    }
}

impl<'t> Walk<'t> {
    fn open(&mut self, element: &'t Element) {
        // The parser may repeat an element with a long value in each paragraph.
        let is_short = |value: &&str| value.len() <= MAX_VALUE_BYTES;
        let class = attribute(element, &local_name!("class"))
            .filter(is_short)
            .unwrap_or_default();
        let id = attribute(element, &local_name!("id"))
            .filter(is_short)
            .unwrap_or_default();
        let topics = self.names.topics(class) | self.names.topics(id);
        self.open.push(Open {
            element,
            class,
            before: self.signs.page,
            row: Row::default(),
        });
        match element.name.local {
            local_name!("html") | local_name!("body") => self.signs.body_topics |= topics,
            _ => {
                let mut rest = topics;
                while rest != 0 {
                    self.signs.topics[rest.trailing_zeros() as usize] += 1;
                    rest &= rest - 1;
                }
                self.signs.page.people += u32::from(topics & PEOPLE != 0);
            }
        }
        if let Some(tag) = tag(&element.name.local) {
            self.signs.tags[tag] += 1;
        }
        self.count(element);
        self.depths.add(element, 1);
    }

    fn count(&mut self, element: &Element) {
        match element.name.local {
            local_name!("a") => self.signs.page.links += 1,
            local_name!("img") | local_name!("picture") => self.signs.page.images += 1,
            local_name!("time") => self.signs.page.times += 1,
            local_name!("h1") | local_name!("h2") | local_name!("h3") | local_name!("h4") => {
                self.signs.page.headings += 1;
            }
            local_name!("meta") => {
                let name = attribute(element, &local_name!("name")).unwrap_or_default();
                if name.eq_ignore_ascii_case("generator")
                    && let Some(program) = attribute(element, &local_name!("content")).and_then(declared::program)
                {
                    self.signs.programs[program] = true;
                }
            }
            _ => {}
        }
    }

    fn text(&mut self, text: &str) {
        let Letters {
            bytes,
            prices,
            sentences,
        } = Letters::of(text);
        let sums = &mut self.signs.page;
        let within = |depth| if depth > 0 { bytes } else { 0 };
        sums.bytes += bytes;
        sums.link_bytes += within(self.depths.link);
        sums.paragraph_bytes += within(self.depths.paragraph);
        sums.code_bytes += within(self.depths.code);
        sums.prices += prices;
        sums.sentences += sentences;
    }

    fn close(&mut self) {
        let Some(Open {
            element,
            class,
            before,
            row,
        }) = self.open.pop()
        else {
            return;
        };
        self.depths.add(element, -1);
        self.end(&row);
        let own = self.signs.page - before;
        if self.depths.outer == 0 && is_outer(element) {
            // Until the end of the walk, `inner` is what is outside of the content.
            self.signs.inner += own;
        }
        if element.name.local == local_name!("p") {
            self.signs.long_paragraphs += u32::from(own.bytes >= 200);
            self.signs.longest_paragraph = self.signs.longest_paragraph.max(own.bytes);
        }
        let look = (&element.name.local, class);
        match self.open.last_mut() {
            None => self.signs.inner = self.signs.page - self.signs.inner,
            Some(_) if own.bytes == 0 => {}
            Some(around) if around.row.of == Some(look) => {
                around.row.count += 1;
                around.row.sums += own;
            }
            Some(around) => {
                let row = Row {
                    of: Some(look),
                    count: 1,
                    sums: own,
                };
                let ended = std::mem::replace(&mut around.row, row);
                self.end(&ended);
            }
        }
    }

    /// Ends a row of alike siblings.
    fn end(&mut self, row: &Row<'t>) {
        let is_row = row.count >= MIN_ITEMS as u32 && row.of.is_some_and(|(name, _)| is_item(name));
        if is_row && self.depths.outer == 0 {
            self.signs.most_alike = self.signs.most_alike.max(row.count);
            if row.sums.bytes > self.signs.items.bytes {
                (self.signs.items, self.signs.item_count) = (row.sums, row.count);
            }
        }
    }
}

/// What a text says by its characters.
struct Letters {
    bytes: u32,
    prices: u32,
    sentences: u32,
}

impl Letters {
    fn of(text: &str) -> Self {
        // The counts over bytes are made of vector instructions.
        let count = |is: fn(u8) -> bool| text.bytes().filter(|&byte| is(byte)).count() as u32;
        let mut letters = Self {
            bytes: count(|byte| !matches!(byte, b' ' | b'\t'..=b'\r')),
            prices: count(|byte| byte == b'$'),
            sentences: count(|byte| matches!(byte, b'.' | b'!' | b'?')),
        };
        if !text.is_ascii() {
            for c in text.chars() {
                match c {
                    '€' | '£' | '¥' | '₹' | '₽' | '₩' | '元' => letters.prices += 1,
                    '。' | '！' | '？' => letters.sentences += 1,
                    _ => {}
                }
            }
        }
        letters
    }
}

impl Depths {
    fn add(&mut self, element: &Element, by: i32) {
        let depth = match element.name.local {
            local_name!("a") => &mut self.link,
            local_name!("p") => &mut self.paragraph,
            local_name!("pre") | local_name!("code") => &mut self.code,
            local_name!("script")
            | local_name!("style")
            | local_name!("noscript")
            | local_name!("template")
            | local_name!("title") => &mut self.unread,
            _ if is_outer(element) => &mut self.outer,
            _ => return,
        };
        *depth = depth.wrapping_add_signed(by);
    }
}

/// Whether an element holds what surrounds the content.
fn is_outer(element: &Element) -> bool {
    matches!(
        element.name.local,
        local_name!("nav") | local_name!("header") | local_name!("footer") | local_name!("aside")
    )
}

/// Whether an element may be an item of a list. Paragraphs that follow one another are no items.
fn is_item(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("div")
            | local_name!("li")
            | local_name!("article")
            | local_name!("section")
            | local_name!("tr")
            | local_name!("a")
            | local_name!("tbody")
            | local_name!("table")
    )
}

macro_rules! by_field {
    ($self:ident, $other:ident, $with:ident) => {
        Sums {
            bytes: $self.bytes.$with($other.bytes),
            link_bytes: $self.link_bytes.$with($other.link_bytes),
            links: $self.links.$with($other.links),
            paragraph_bytes: $self.paragraph_bytes.$with($other.paragraph_bytes),
            code_bytes: $self.code_bytes.$with($other.code_bytes),
            images: $self.images.$with($other.images),
            headings: $self.headings.$with($other.headings),
            times: $self.times.$with($other.times),
            prices: $self.prices.$with($other.prices),
            people: $self.people.$with($other.people),
            sentences: $self.sentences.$with($other.sentences),
        }
    };
}

impl Sub for Sums {
    type Output = Self;

    fn sub(self, other: Self) -> Self {
        by_field!(self, other, wrapping_sub)
    }
}

impl AddAssign for Sums {
    fn add_assign(&mut self, other: Self) {
        let this = *self;
        *self = by_field!(this, other, wrapping_add);
    }
}
