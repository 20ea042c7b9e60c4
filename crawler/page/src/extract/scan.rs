//! Looks into elements before the walk: how much text they have, and of which kind.

use html5ever::{local_name, ns};

use super::display::Display;
use crate::parse::{Element, Node, NodeId, NodeRef, attribute};

/// Most nodes that one look reads. More than this is no part of a form and no dialogue, but a page.
const MAX_NODES: usize = 2_000;

/// Nodes that all looks at a page of any size may read, and further ones for each node of the page. So hostile nesting costs no more than
/// a second walk.
const BASE_NODES: usize = 50_000;
const NODES_PER_NODE: usize = 4;

/// Bytes of text that cost as much as a node.
const BYTES_A_NODE: usize = 64;

/// Most elements between a text and the link or the label around it.
const MAX_INLINE_DEPTH: usize = 6;

/// The nodes that may still be read.
#[derive(Debug)]
pub(super) struct Budget(usize);

impl Budget {
    /// The budget for a page with so many nodes.
    pub(super) fn of_page(nodes: usize) -> Self {
        Self(BASE_NODES + NODES_PER_NODE * nodes)
    }

    /// Takes one node; false if none is left.
    pub(super) fn take(&mut self) -> bool {
        self.take_nodes(1)
    }

    /// Takes what a look at so many bytes of text costs; false if not so much is left.
    pub(super) fn take_text(&mut self, bytes: usize) -> bool {
        self.take_nodes(bytes / BYTES_A_NODE)
    }

    fn take_nodes(&mut self, nodes: usize) -> bool {
        let has = self.0 >= nodes;
        self.0 = self.0.saturating_sub(nodes);
        has
    }
}

/// Where a look goes on behind a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Into,
    Over,
    End,
}

/// Reads the nodes below `top` in the order of the document. False if there are too many.
pub(super) fn scan<'t>(top: NodeRef<'t>, budget: &mut Budget, mut each: impl FnMut(NodeRef<'t>) -> Way) -> bool {
    let mut next = top.first_child();
    let mut left = MAX_NODES;
    while let Some(node) = next {
        let text = node.value().as_text().map_or(0, |text| text.len());
        if left == 0 || !budget.take() || !budget.take_text(text) {
            return false;
        }
        left -= 1;
        next = match each(node) {
            Way::End => return true,
            Way::Into => node.first_child(),
            Way::Over => None,
        };
        next = next.or_else(|| {
            let up = std::iter::successors(Some(node), |node| node.parent());
            let mut up = up.take_while(|above| above.id() != top.id());
            up.find_map(NodeRef::next_sibling)
        });
    }
    true
}

/// What is in an element.
#[derive(Debug, Default, Clone, Copy)]
pub(super) struct Inside {
    /// Bytes of text outside of links, labels and controls, without white space at the ends of its pieces.
    pub bytes: usize,
    /// Bytes of text in links.
    pub link_bytes: usize,
    /// Fields to type in.
    pub fields: usize,
    /// Controls of any kind.
    pub controls: usize,
    /// Whether an element is a block.
    pub has_blocks: bool,
    /// Whether an element is `<main>`, `<article>` or `<h1>`.
    pub holds_content: bool,
    /// Whether there are more nodes than a look reads.
    pub is_cut: bool,
}

impl Inside {
    /// Looks into an element.
    pub(super) fn of(top: NodeRef<'_>, budget: &mut Budget) -> Self {
        let mut inside = Self::default();
        let (mut link, mut label) = (None, None);
        let is_whole = scan(top, budget, |node| match node.value() {
            Node::Text(text) => {
                let is_in = |element: Option<NodeId>| {
                    element.is_some_and(|element| {
                        node.ancestors()
                            .take(MAX_INLINE_DEPTH)
                            .any(|above| above.id() == element)
                    })
                };
                let bytes = text.trim().len();
                if is_in(link) {
                    inside.link_bytes += bytes;
                } else if !is_in(label) {
                    inside.bytes += bytes;
                }
                Way::Over
            }
            Node::Element(element) => {
                let display = Display::of(node, element);
                inside.take(element, display);
                match element.name.local {
                    local_name!("label") => label = Some(node.id()),
                    local_name!("fieldset") => {}
                    _ if display == Display::None => return Way::Over,
                    _ if display == Display::Link => link = Some(node.id()),
                    _ => {}
                }
                Way::Into
            }
            _ => Way::Over,
        });
        inside.is_cut = !is_whole;
        inside
    }

    fn take(&mut self, element: &Element, display: Display) {
        self.has_blocks |= matches!(display, Display::Block | Display::Cell);
        self.holds_content |= is_content(element);
        if let Some(control) = Control::of(element) {
            self.controls += 1;
            self.fields += usize::from(control == Control::Field);
        }
    }
}

/// Whether an element holds the content of a page.
pub(super) fn is_content(element: &Element) -> bool {
    matches!(
        element.name.local,
        local_name!("main") | local_name!("article") | local_name!("h1")
    ) || attribute(element, &local_name!("role")).is_some_and(|role| role.trim() == "main")
}

/// A control of a form that is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Control {
    /// Something to type in or to choose from.
    Field,
    /// A checkbox or a radio button.
    Check,
    /// A button.
    Button,
}

impl Control {
    pub(super) fn of(element: &Element) -> Option<Self> {
        if element.name.ns != ns!(html) {
            return None;
        }
        match element.name.local {
            local_name!("select") | local_name!("textarea") => Some(Self::Field),
            local_name!("button") => Some(Self::Button),
            local_name!("input") => {
                let kind = attribute(element, &local_name!("type")).unwrap_or_default();
                match kind.trim().to_ascii_lowercase().as_str() {
                    "hidden" => None,
                    "checkbox" | "radio" => Some(Self::Check),
                    "submit" | "button" | "reset" | "image" => Some(Self::Button),
                    _ => Some(Self::Field),
                }
            }
            _ => None,
        }
    }
}
