//! What a layout is of, so that a second walk can follow the first.

use std::collections::HashSet;

use super::context::Dialogues;
use super::layout::Layout;
use crate::parse::{NodeId, Tree};

/// Elements of a tree, and what does not take part.
#[derive(Debug)]
pub(super) struct Source<'d> {
    pub tree: &'d Tree,
    /// The elements that are laid out, outermost only, in document order.
    pub elements: Vec<NodeId>,
    pub dropped: HashSet<NodeId>,
    pub dialogues: Dialogues,
}

impl Source<'_> {
    /// Lays the elements out.
    pub(super) fn layout(&self) -> Layout {
        Layout::of_elements(self.tree, &self.elements, &self.dropped, self.dialogues)
    }
}
