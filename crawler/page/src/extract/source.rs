//! What a layout is of, so that a second walk can follow the first.

use std::collections::HashSet;

use super::context::{Context, Dialogues};
use super::layout::Layout;
use crate::parse::{NodeId, Tree, displayed};

/// Elements of a tree, and what does not take part.
#[derive(Debug)]
pub(super) struct Source<'d> {
    tree: &'d Tree,
    /// The tree with its shadow trees, if it has any.
    displayed: Option<Tree>,
    /// The elements that are laid out, outermost only, in document order.
    pub elements: Vec<NodeId>,
    pub dropped: HashSet<NodeId>,
    pub context: Context,
}

impl<'d> Source<'d> {
    pub(super) fn new(tree: &'d Tree, elements: Vec<NodeId>, dropped: HashSet<NodeId>, dialogues: Dialogues) -> Self {
        let displayed = displayed(tree);
        let context = Context::of(displayed.as_ref().unwrap_or(tree), dialogues);
        Self {
            tree,
            displayed,
            elements,
            dropped,
            context,
        }
    }

    /// The tree as it is displayed.
    pub(super) fn tree(&self) -> &Tree {
        self.displayed.as_ref().unwrap_or(self.tree)
    }

    /// Lays the elements out.
    pub(super) fn layout(&self) -> Layout {
        Layout::of_elements(self.tree(), &self.elements, &self.dropped, &self.context)
    }
}
