//! How far a walk has come, for a walk that follows it.

use std::collections::HashSet;

use super::super::context::Context;
use super::Walk;
use crate::parse::{NodeId, NodeRef};

impl<'t> Walk<'t> {
    /// A walk that another one follows.
    pub(in super::super) fn new(dropped: &'t HashSet<NodeId>, context: &'t Context) -> Self {
        Self::without(dropped, context)
    }

    /// Begins with an element that is laid out.
    pub(in super::super) fn start(&mut self, root: NodeRef<'t>) {
        self.begin(root);
    }

    /// Ends with the element.
    pub(in super::super) fn end(&mut self) {
        self.close_box();
    }

    /// The index of the run that the next text belongs to.
    pub(in super::super) fn run(&self) -> usize {
        self.layout.runs.len()
    }

    /// Whether this run has text.
    pub(in super::super) fn is_in_run(&self) -> bool {
        self.has_run()
    }

    /// Whether white space stands before the next word of the run.
    pub(in super::super) fn has_gap(&self) -> bool {
        self.has_run() && self.gap.is_some()
    }

    /// Length of the text so far, in bytes.
    pub(in super::super) fn text_bytes(&self) -> usize {
        self.layout.text.len()
    }

    /// The text since it had so many bytes, with the white space before its first word.
    pub(in super::super) fn text_since(&self, bytes: usize) -> &str {
        &self.layout.text[bytes..]
    }

    /// Whether a rule of the user drops a node.
    pub(in super::super) fn is_dropped(&self, node: NodeRef<'_>) -> bool {
        self.dropped.contains(&node.id())
    }
}
