//! The page as nested boxes with runs of text, from one walk over the tree.
//!
//! A *box* is a block-level element. A *run* is inline text between two block boundaries, roughly one paragraph of a browser. One
//! string holds all runs, with collapsed white space, in document order; each box has the range of its runs. All later steps
//! work on the two lists.

mod line;
mod links;
pub(super) mod retrace;

use std::collections::{HashMap, HashSet};
use std::hash::BuildHasher;
use std::ops::Range;

use foldhash::fast::RandomState;
use html5ever::{LocalName, local_name};

use self::line::{Line, Place};
use self::links::leads_outward;
use super::consent::Apart;
use super::context::Context;
use super::display::{Display, is_heading};
use super::hints::{self, Role};
use super::marks::{self, Hidden, MAX_VALUE_BYTES, Mark};
use super::names::NameCache;
use crate::parse::{Element, Node, NodeId, NodeRef, Tree, Visit, attribute};

/// A block-level element.
#[derive(Debug, Clone)]
pub(super) struct LayoutBox {
    /// The index of the enclosing box; the first box encloses itself.
    pub parent: usize,
    pub name: LocalName,
    pub role: Role,
    pub mark: Option<Mark>,
    /// The [topics](marks::TOPICS) of its names.
    pub topics: u16,
    /// Why its own element is not shown.
    pub hidden: Option<Hidden>,
    /// Why it is not a part of the page's own.
    pub apart: Option<Apart>,
    /// A hash of its name and classes. Siblings of the same signature are alike, such as the products of a list.
    pub signature: u64,
    /// Its runs, with those of inner boxes.
    pub runs: Range<usize>,
    /// The index of the first later box that is not inside.
    pub end: usize,
}

impl LayoutBox {
    /// Whether its names are of a menu, such as `main-menu`. `search-results` names a list, too.
    pub(super) fn is_named_menu(&self) -> bool {
        self.topics & !(marks::CONTENT | marks::PLACE) == marks::MENU
    }

    /// Whether its marks exclude it from the content of `root`.
    pub(super) fn is_left_out(&self, root: usize) -> bool {
        self.hidden.is_some()
            || match self.role {
                Role::Navigation | Role::Boilerplate | Role::Aside | Role::Footer => true,
                Role::Header => root == 0,
                Role::None | Role::Main | Role::Article | Role::Content => false,
            }
    }
}

/// Inline text between two block boundaries.
#[derive(Debug, Clone)]
pub(super) struct Run {
    /// Its range in [`Layout::text`].
    pub text: Range<usize>,
    /// Bytes inside links.
    pub link_bytes: usize,
    /// Number of links.
    pub links: usize,
    /// Bytes inside links to other pages.
    pub outward_bytes: usize,
    /// Whether it begins with a link to another page.
    pub begins_outward: bool,
    /// The [topics](marks::TOPICS) of its inline elements.
    pub topics: u16,
    /// The index of the innermost enclosing box.
    pub owner: usize,
    /// Whether it follows the previous run in the same table row.
    pub in_row: bool,
}

/// A page as boxes and runs.
#[derive(Debug, Default)]
pub(super) struct Layout {
    pub text: String,
    pub boxes: Vec<LayoutBox>,
    pub runs: Vec<Run>,
}

impl Layout {
    /// Lays out elements of a page as it is displayed, each as a box of its own and shown in any case: without `dropped` elements, scripts,
    /// controls and hidden inline elements. Hidden boxes are part of the layout, because a script may show them: the texts of tabs and folded
    /// sections are hidden boxes.
    pub(super) fn of_elements(
        displayed: &Tree,
        elements: &[NodeId],
        dropped: &HashSet<NodeId>,
        context: &Context,
    ) -> Self {
        let mut walk = Walk::without(dropped, context);
        for element in elements.iter().map(|id| displayed.get(*id)) {
            walk.begin(element);
            element.walk(&mut walk);
            walk.close_box();
        }
        Self {
            text: walk.line.text,
            ..walk.layout
        }
    }
}

impl Layout {
    /// The text of a run.
    pub(super) fn text_of(&self, run: &Run) -> &str {
        &self.text[run.text.clone()]
    }

    /// For each run whether it is in a part that is not the page's own.
    pub(super) fn is_apart(&self) -> Vec<bool> {
        let mut apart = vec![false; self.runs.len()];
        for this in self.boxes.iter().filter(|this| this.apart.is_some()) {
            apart[this.runs.clone()].fill(true);
        }
        apart
    }

    /// For each run, the bytes of the outermost hidden box around it, together with those of the boxes like it; `None` if the run is shown. On a
    /// page of questions, each answer is short and has a hidden box of its own.
    ///
    /// A box counts for others only if its text is new, and if shown text stands between it and the hidden box before it. Messages of controls
    /// ("Copied to the clipboard!") repeat, and those of a shop stand side by side.
    pub(super) fn hidden_bytes(&self) -> Vec<Option<usize>> {
        let mut outermost = Vec::new();
        let mut bytes_of_like: HashMap<(u64, u64), usize> = HashMap::new();
        let mut texts = HashSet::new();
        let mut end = 0;
        for this in self.boxes.iter().filter(|this| this.hidden.is_some()) {
            if this.runs.start >= end && !this.runs.is_empty() {
                let runs = &self.runs[this.runs.clone()];
                let bytes: usize = runs.iter().map(|run| run.text.len()).sum();
                let kind = (this.signature, self.boxes[this.parent].signature);
                let text = &self.text[runs[0].text.start..runs[runs.len() - 1].text.end];
                if this.runs.start > end && texts.insert((kind, text)) {
                    *bytes_of_like.entry(kind).or_default() += bytes;
                }
                outermost.push((this.runs.clone(), kind, bytes));
                end = this.runs.end;
            }
        }
        let mut hidden = vec![None; self.runs.len()];
        for (runs, kind, own) in outermost {
            let of_like = bytes_of_like.get(&kind).copied().unwrap_or_default();
            hidden[runs].fill(Some(own.max(of_like)));
        }
        hidden
    }
}

/// The walk that makes a layout.
struct Walk<'t> {
    /// Its boxes and runs.
    layout: Layout,
    /// Their text.
    line: Line<'t>,
    dropped: &'t HashSet<NodeId>,
    context: &'t Context,
    names: NameCache<'t>,
    /// Makes the signatures of the boxes.
    hashes: RandomState,
    /// The innermost open box.
    open: usize,
    /// Number of open links.
    links: usize,
    /// Number of open links to other pages.
    outward: usize,
    /// Bytes of the open run inside links.
    run_link_bytes: usize,
    /// Links of the open run.
    run_links: usize,
    /// Bytes of the open run inside links to other pages.
    run_outward_bytes: usize,
    /// Whether the open run begins with such a link.
    begins_outward: bool,
    /// Topics of the open run.
    run_topics: u16,
    /// The next run continues a table row.
    in_row: bool,
}

impl<'t> Visit<'t> for Walk<'t> {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        match node.value() {
            Node::Text(text) => self.push_text(text),
            Node::Element(element) => return self.enter_element(node, element),
            _ => {}
        }
        false
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        let Some(element) = node.value().as_element() else {
            return;
        };
        let display = self.context.display(node, element);
        match display {
            Display::Block | Display::Cell | Display::Caption => {
                self.close_box();
                self.line.leave_box(element);
            }
            _ => {
                if display == Display::Link {
                    self.links -= 1;
                    self.outward -= usize::from(leads_outward(element));
                }
                self.line.leave_inline(element, display);
            }
        }
    }
}

impl<'t> Walk<'t> {
    fn without(dropped: &'t HashSet<NodeId>, context: &'t Context) -> Self {
        Self {
            layout: Layout::default(),
            line: Line::default(),
            dropped,
            context,
            names: NameCache::default(),
            hashes: RandomState::default(),
            open: 0,
            links: 0,
            outward: 0,
            run_link_bytes: 0,
            run_links: 0,
            run_outward_bytes: 0,
            begins_outward: false,
            run_topics: 0,
            in_row: false,
        }
    }

    /// Begins the box around `root`.
    fn begin(&mut self, root: NodeRef<'t>) {
        self.line.begin(root);
        self.open_box(None);
    }

    fn enter_element(&mut self, node: NodeRef<'t>, element: &'t Element) -> bool {
        if self.dropped.contains(&node.id()) {
            return false;
        }
        let display = self.context.display(node, element);
        match Place::of(node, element, display) {
            Place::Nowhere => return false,
            Place::Box => {
                let follows = display == Display::Cell && self.follows_cell(node);
                self.open_box(Some((node, element)));
                if display == Display::Caption {
                    self.layout.boxes[self.open].name = local_name!("summary");
                }
                self.in_row |= follows;
                self.line.enter_box(element);
            }
            Place::Run => {
                if display == Display::Link {
                    self.links += 1;
                    self.outward += usize::from(leads_outward(element));
                    self.run_links += 1;
                }
                self.run_topics |= self.topics(node, element);
                let is_term = self.layout.boxes[self.open].name == local_name!("dt");
                self.line.enter_inline(element, display, is_term);
            }
        }
        true
    }

    /// Whether an earlier cell of the row has text.
    fn follows_cell(&self, node: NodeRef<'_>) -> bool {
        let row_start = self.layout.boxes[self.open].runs.start;
        node.previous_sibling().is_some() && self.layout.runs.len() + usize::from(self.line.has_run()) > row_start
    }

    /// The id of an element, if it counts. Generators make ids from headings (`<section id="license-and-copyright">`), so the id of a
    /// box that begins with a heading does not.
    fn id(node: NodeRef<'t>, element: &'t Element) -> Option<&'t str> {
        attribute(element, &local_name!("id")).filter(|_| first_heading(node).is_none())
    }

    /// The role that the id of an element names. Before a heading, only an id that names the content counts (`<div id="content"><h1>`), and only
    /// if it was not made from the heading.
    fn role_of_id(&mut self, node: NodeRef<'t>, element: &'t Element) -> Role {
        let id = attribute(element, &local_name!("id"));
        let role = self.names.role(id);
        let Some(heading) = first_heading(node).filter(|_| role != Role::None) else {
            return role;
        };
        match role {
            Role::Content if !id.is_some_and(|id| is_made_from(id, heading)) => role,
            _ => Role::None,
        }
    }

    /// The topics of the classes, the id and the `itemprop` of an element.
    fn topics(&mut self, node: NodeRef<'t>, element: &'t Element) -> u16 {
        self.names.topics(attribute(element, &local_name!("class")))
            | self.names.topics(Self::id(node, element))
            | self.names.topics(attribute(element, &local_name!("itemprop")))
    }

    /// The role of an element.
    fn role(&mut self, node: NodeRef<'t>, element: &'t Element) -> Role {
        hints::role(element, || {
            let class = self.names.role(attribute(element, &local_name!("class")));
            match class {
                Role::Boilerplate => class,
                _ => match self.role_of_id(node, element) {
                    Role::None => class,
                    id => id,
                },
            }
        })
    }

    /// Opens a box for an element, or the box of the page.
    fn open_box(&mut self, opened: Option<(NodeRef<'t>, &'t Element)>) {
        self.end_run();
        let element = opened.map(|(_, element)| element);
        let role = opened.map_or(Role::None, |(node, element)| self.role(node, element));
        let topics = opened.map_or(0, |(node, element)| self.topics(node, element));
        let runs = self.layout.runs.len();
        let parent = self.open;
        self.open = self.layout.boxes.len();
        self.layout.boxes.push(LayoutBox {
            parent,
            name: element.map_or(LocalName::from(""), |element| element.name.local.clone()),
            role,
            topics,
            mark: element.and_then(marks::mark),
            hidden: element.and_then(marks::hidden),
            apart: opened.and_then(|(node, _)| self.context.apart(node)),
            signature: element.map_or(0, |element| self.signature(element)),
            runs: runs..runs,
            end: 0,
        });
    }

    fn signature(&self, element: &Element) -> u64 {
        let class = attribute(element, &local_name!("class"));
        let class = class.filter(|class| class.len() <= MAX_VALUE_BYTES);
        self.hashes.hash_one((&element.name.local, class))
    }

    fn close_box(&mut self) {
        self.end_run();
        let (runs, end) = (self.layout.runs.len(), self.layout.boxes.len());
        let closed = &mut self.layout.boxes[self.open];
        (closed.runs.end, closed.end) = (runs, end);
        self.open = closed.parent;
    }

    fn end_run(&mut self) {
        let start = self.line.run_start;
        if self.line.end_run() {
            self.layout.runs.push(Run {
                text: start..self.line.run_start,
                link_bytes: self.run_link_bytes,
                links: self.run_links,
                outward_bytes: self.run_outward_bytes,
                begins_outward: self.begins_outward,
                topics: self.run_topics,
                owner: self.open,
                in_row: self.in_row,
            });
        }
        self.run_link_bytes = 0;
        self.run_links = 0;
        self.run_outward_bytes = 0;
        self.run_topics = 0;
        self.in_row = false;
    }

    fn push_text(&mut self, text: &str) {
        if !self.line.has_run() {
            self.begins_outward = self.outward > 0;
        }
        let before = self.line.text.len();
        self.line.push(text);
        if self.links > 0 {
            self.run_link_bytes += self.line.text.len() - before;
        }
        if self.outward > 0 {
            self.run_outward_bytes += self.line.text.len() - before;
        }
    }
}

/// The heading that a box begins with.
fn first_heading(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let is = |child: &NodeRef<'_>, wanted: fn(&LocalName) -> bool| {
        child
            .value()
            .as_element()
            .is_some_and(|element| wanted(&element.name.local))
    };
    let mut elements = node
        .children()
        .filter(|child| is(child, |name| *name != local_name!("span")));
    elements.next().filter(|first| is(first, is_heading))
}

/// Whether an id has the letters and digits of a heading, as generators make ids. A heading with more nodes than an id has letters is another one.
fn is_made_from(id: &str, heading: NodeRef<'_>) -> bool {
    let texts = heading
        .descendants()
        .take(MAX_NODES_OF_HEADING)
        .filter_map(|node| match node.value() {
            Node::Text(text) => Some(&**text),
            _ => None,
        });
    let letters = texts
        .flat_map(str::chars)
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase);
    letters.eq(id
        .chars()
        .filter(|letter| letter.is_alphanumeric())
        .flat_map(char::to_lowercase))
}

/// Most nodes of a heading that are compared with an id.
const MAX_NODES_OF_HEADING: usize = 256;
