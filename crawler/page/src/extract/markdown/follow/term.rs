//! Terms and their definitions. A term whose definition is text stands on the line before it, in one paragraph.

use html5ever::{LocalName, local_name};

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

/// Whether text is the definition of a term, without a block around it, or in the paragraphs of a list with other terms: these may be written with
/// and without a paragraph. A single term is a part of an interface, and its definition a section with several paragraphs.
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
        Node::Element(element) if element.name.local == local_name!("p") => Some(is_listed(term)),
        Node::Element(element) => Some(Display::of(node, element) != Display::Block),
        Node::Text(text) if !text.trim().is_empty() => Some(true),
        _ => None,
    });
    first.unwrap_or(false)
}

/// Whether a list has other terms than those of the same definition. Each may stand with its definition in a `<div>`.
fn is_listed(term: NodeRef<'_>) -> bool {
    let is = |node: &NodeRef<'_>, name: &LocalName| {
        node.value()
            .as_element()
            .is_some_and(|element| element.name.local == *name)
    };
    let before = std::iter::successors(term.previous_sibling(), |node| node.previous_sibling());
    let behind = std::iter::successors(term.next_sibling(), |node| node.next_sibling());
    let mut behind = behind
        .take(MAX_NODES_BETWEEN)
        .skip_while(|node| !is(node, &local_name!("dd")));
    let is_of_list = |node: &NodeRef<'_>| is(node, &local_name!("dl"));
    before.take(MAX_NODES_BETWEEN).any(|node| is(&node, &local_name!("dd")))
        || behind.any(|node| is(&node, &local_name!("dt")))
        || term.parent().is_some_and(|parent| {
            let around = parent.parent().filter(is_of_list);
            let beside = around.into_iter().flat_map(NodeRef::children).take(MAX_NODES_BETWEEN);
            beside.filter(|node| is(node, &local_name!("div"))).count() > 1
        })
}
