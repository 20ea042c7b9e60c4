//! The page as nested boxes with runs of text, from one walk over the tree.
//!
//! A *box* is a block-level element. A *run* is inline text between two block boundaries, roughly one paragraph of a browser. One
//! string holds all runs, with collapsed white space, in document order; each box has the range of its runs. All later steps
//! work on the two lists.

use std::collections::HashSet;
use std::ops::Range;

use ego_tree::{NodeId, NodeRef};
use html5ever::{LocalName, local_name};
use scraper::node::Element;
use scraper::{Html, Node};

use super::display::Display;
use super::hints::{self, Role};

/// A block-level element.
#[derive(Debug, Clone)]
pub(super) struct LayoutBox {
    /// The index of the enclosing box; the first box encloses itself.
    pub parent: usize,
    pub name: LocalName,
    pub role: Role,
    /// Its runs, with those of inner boxes.
    pub runs: Range<usize>,
    /// The index of the first later box that is not inside.
    pub end: usize,
}

impl LayoutBox {
    /// Whether its marks exclude it from the content of `root`.
    pub(super) fn is_left_out(&self, root: usize) -> bool {
        match self.role {
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
    /// Lays out a page without `dropped` elements and invisible parts such as scripts, hidden elements and controls.
    pub(super) fn of(html: &Html, dropped: &HashSet<NodeId>) -> Self {
        Self::of_elements(html, &[html.tree.root().id()], dropped)
    }

    /// Lays out elements of a page, each as a box of its own and shown in any case, as [`Layout::of`] does the whole page.
    pub(super) fn of_elements(html: &Html, elements: &[NodeId], dropped: &HashSet<NodeId>) -> Self {
        let mut walk = Walk::without(dropped);
        let elements = elements.iter().filter_map(|id| html.tree.get(*id));
        for element in elements {
            walk.preformatted = usize::from(is_pre(element));
            walk.tree(element);
        }
        walk.layout
    }
}

struct Walk<'d> {
    layout: Layout,
    dropped: &'d HashSet<NodeId>,
    /// The innermost open box.
    open: usize,
    /// Number of open links.
    links: usize,
    /// Number of open `<pre>`.
    preformatted: usize,
    /// Start of the open run in the text.
    run_start: usize,
    /// Bytes of the open run inside links.
    run_link_bytes: usize,
    /// White space due before the next word.
    gap: Option<u8>,
    /// The next run continues a table row.
    in_row: bool,
}

impl<'d> Walk<'d> {
    fn without(dropped: &'d HashSet<NodeId>) -> Self {
        Self {
            layout: Layout::default(),
            dropped,
            open: 0,
            links: 0,
            preformatted: 0,
            run_start: 0,
            run_link_bytes: 0,
            gap: None,
            in_row: false,
        }
    }

    /// Visits all nodes without recursion, because trees may be deep.
    fn tree(&mut self, root: NodeRef<'_, Node>) {
        self.open_box(&LocalName::from(""), Role::None);
        let mut next = root.first_child();
        while let Some(mut node) = next {
            let entered = self.enter(node);
            next = node.first_child().filter(|_| entered);
            if entered && next.is_none() {
                self.leave(node);
            }
            while next.is_none() {
                next = node.next_sibling();
                if next.is_none() {
                    match node.parent().filter(|parent| parent.id() != root.id()) {
                        Some(parent) => node = parent,
                        None => break,
                    }
                    self.leave(node);
                }
            }
        }
        self.close_box();
    }

    /// Enters a node. False if the walk skips it; otherwise [`Walk::leave`] follows after its children.
    fn enter(&mut self, node: NodeRef<'_, Node>) -> bool {
        match node.value() {
            Node::Text(text) => self.push_text(text),
            Node::Element(element) => return self.enter_element(node, element),
            _ => {}
        }
        false
    }

    fn enter_element(&mut self, node: NodeRef<'_, Node>, element: &Element) -> bool {
        if self.dropped.contains(&node.id()) {
            return false;
        }
        let display = Display::of(node, element);
        match display {
            Display::None => return false,
            _ if hints::is_hidden(node, element) => return false,
            Display::Block | Display::Cell => {
                let follows = display == Display::Cell && self.follows_cell(node);
                self.open_box(&element.name.local, hints::role(node, element));
                self.in_row |= follows;
                self.preformatted += usize::from(element.name.local == local_name!("pre"));
            }
            Display::Break => self.gap = Some(b'\n'),
            Display::Link if is_symbol(node) => return false,
            Display::Link => self.links += 1,
            Display::Inline => {}
        }
        true
    }

    fn leave(&mut self, node: NodeRef<'_, Node>) {
        let Some(element) = node.value().as_element() else {
            return;
        };
        match Display::of(node, element) {
            Display::Block | Display::Cell => {
                self.close_box();
                self.preformatted -= usize::from(element.name.local == local_name!("pre"));
            }
            Display::Link => self.links -= 1,
            Display::Break | Display::Inline | Display::None => {}
        }
    }

    /// Whether an earlier cell of the row has text.
    fn follows_cell(&self, node: NodeRef<'_, Node>) -> bool {
        let row_start = self.layout.boxes[self.open].runs.start;
        node.prev_sibling().is_some() && self.layout.runs.len() + usize::from(self.has_run()) > row_start
    }

    fn open_box(&mut self, name: &LocalName, role: Role) {
        self.end_run();
        let runs = self.layout.runs.len();
        let parent = self.open;
        self.open = self.layout.boxes.len();
        self.layout.boxes.push(LayoutBox {
            parent,
            name: name.clone(),
            role,
            runs: runs..runs,
            end: 0,
        });
    }

    fn close_box(&mut self) {
        self.end_run();
        let (runs, end) = (self.layout.runs.len(), self.layout.boxes.len());
        let closed = &mut self.layout.boxes[self.open];
        (closed.runs.end, closed.end) = (runs, end);
        self.open = closed.parent;
    }

    fn has_run(&self) -> bool {
        self.layout.text.len() > self.run_start
    }

    fn end_run(&mut self) {
        self.gap = None;
        if self.has_run() {
            let text = self.run_start..self.layout.text.len();
            let (link_bytes, owner, in_row) = (self.run_link_bytes, self.open, self.in_row);
            self.layout.runs.push(Run {
                text,
                link_bytes,
                owner,
                in_row,
            });
            self.run_start = self.layout.text.len();
        }
        self.run_link_bytes = 0;
        self.in_row = false;
    }

    /// Appends text with each run of white space as one space; in `<pre>` as one newline if it contains one.
    fn push_text(&mut self, text: &str) {
        let before = self.layout.text.len();
        let mut rest = text;
        while !rest.is_empty() {
            let space = rest.len() - rest.trim_start_matches(is_space).len();
            if space > 0 {
                let newline = self.preformatted > 0 && rest[..space].contains('\n');
                self.gap = self.gap.max(Some(if newline { b'\n' } else { b' ' }));
                rest = &rest[space..];
            }
            let word = rest.find(is_space).unwrap_or(rest.len());
            self.push_word(&rest[..word]);
            rest = &rest[word..];
        }
        if self.links > 0 {
            self.run_link_bytes += self.layout.text.len() - before;
        }
    }

    fn push_word(&mut self, word: &str) {
        if word.is_empty() {
            return;
        }
        if let Some(gap) = self.gap.take()
            && self.has_run()
        {
            self.layout.text.push(char::from(gap));
        }
        self.layout.text.push_str(word);
    }
}

fn is_pre(node: NodeRef<'_, Node>) -> bool {
    let element = node.value().as_element();
    element.is_some_and(|element| element.name.local == local_name!("pre"))
}

fn is_space(c: char) -> bool {
    c.is_whitespace()
}

/// A link whose text is one symbol (¶, #, ⚓): a handle for the heading beside it.
fn is_symbol(link: NodeRef<'_, Node>) -> bool {
    let Some(Node::Text(text)) = link.first_child().map(|child| child.value()) else {
        return false;
    };
    let mut characters = text.trim().chars();
    let symbol = characters.next().is_some_and(|c| !c.is_alphanumeric());
    symbol && characters.all(|c| c == '\u{fe0f}') && link.children().count() == 1
}
