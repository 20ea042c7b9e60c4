//! Terms and their definitions. A term whose definition is text stands on the line before it, in one paragraph.

use html5ever::local_name;

use super::super::super::display::Display;
use super::super::blocks::Leaf;
use super::super::escape::Block;
use super::Follow;
use super::Mode;
use crate::parse::{Node, NodeRef};

/// A term at the end of the line.
#[derive(Debug, Clone, Copy)]
pub(super) struct Term {
    /// Number of pieces of the line behind it.
    pieces: usize,
    /// Number of open elements around it.
    depth: usize,
}

impl Follow<'_, '_> {
    /// Ends a term. The next line of its definition, or the next term, continues the paragraph.
    pub(super) fn wait_for_definition(&mut self) {
        self.end_raised();
        if !self.line.is_empty() {
            self.line.break_line();
            self.term = Some(Term {
                pieces: self.line.len(),
                depth: self.opened.len(),
            });
        }
    }

    /// Whether the line ends with a term.
    pub(super) fn has_waiting_term(&self) -> bool {
        self.term.is_some_and(|term| term.pieces == self.line.len())
    }

    /// Writes the term that waits, because something else than a line of its definition comes.
    pub(super) fn end_term(&mut self) {
        if self.has_waiting_term() {
            let text = self.take_line(Block::Paragraph);
            self.block(&text, Leaf::Paragraph);
        }
    }

    /// Leaves a block. The term waits until the definition beside it ends, or the list around both.
    pub(super) fn leave_term(&mut self) {
        let is_beside = self.term.is_some_and(|term| self.opened.len() <= term.depth);
        if is_beside && self.mode != Some(Mode::Term) {
            self.end_term();
        }
    }
}

/// Most nodes between a term and its definition: further terms, white space and comments.
const MAX_NODES_BETWEEN: usize = 32;

/// Whether text is the definition of a term, without a paragraph or another block around it. A paragraph stays one, and the parts of an interface
/// have several.
pub(super) fn has_text(term: NodeRef<'_>) -> bool {
    let behind = std::iter::successors(term.next_sibling(), |node| node.next_sibling());
    let is_other = |node: &NodeRef<'_>| match node.value() {
        Node::Element(element) => element.name.local != local_name!("dt"),
        Node::Text(text) => !text.trim().is_empty(),
        _ => false,
    };
    let definition = behind.take(MAX_NODES_BETWEEN).find(is_other);
    let is_definition = |node: &NodeRef<'_>| {
        let element = node.value().as_element();
        element.is_some_and(|element| element.name.local == local_name!("dd"))
    };
    let mut inside = definition.filter(is_definition).into_iter().flat_map(NodeRef::children);
    let first = inside.find_map(|node| match node.value() {
        Node::Element(element) => Some(Display::of(node, element) != Display::Block),
        Node::Text(text) if !text.trim().is_empty() => Some(true),
        _ => None,
    });
    first.unwrap_or(false)
}
