//! A second walk over the elements of a layout, which says of each text where it is in the layout. It passes over boxes on demand, so it costs
//! only what it looks at.

use std::collections::HashSet;

use html5ever::local_name;

use super::super::display::Display;
use super::line::{Line, Place};
use super::{Layout, LayoutBox};
use crate::parse::{Element, NodeId, NodeRef};

/// The walk. It opens the boxes of the layout in their order.
pub(in super::super) struct Retrace<'t> {
    layout: &'t Layout,
    dropped: &'t HashSet<NodeId>,
    line: Line<'t>,
    /// The innermost open box, and the next one to open.
    open: usize,
    next: usize,
    /// The run that the next text belongs to.
    run: usize,
    /// Bytes of the text that was passed over.
    passed: usize,
    /// Start of the last text.
    last_start: usize,
}

impl<'t> Retrace<'t> {
    /// A walk over the elements of this layout. `bytes` is a guess of the length of the text that it comes to.
    pub(in super::super) fn new(layout: &'t Layout, dropped: &'t HashSet<NodeId>, bytes: usize) -> Self {
        Self {
            layout,
            dropped,
            line: Line::with_capacity(bytes),
            open: 0,
            next: 0,
            run: 0,
            passed: 0,
            last_start: 0,
        }
    }

    /// Begins with an element that is laid out.
    pub(in super::super) fn begin(&mut self, root: NodeRef<'_>) {
        self.line.begin(root);
        self.open_box();
    }

    /// Enters an element with this display. `false` if nothing in it is laid out.
    pub(in super::super) fn enter(&mut self, node: NodeRef<'_>, element: &Element, display: Display) -> bool {
        if self.is_dropped(node) {
            return false;
        }
        match Place::of(node, element, display) {
            Place::Nowhere => return false,
            Place::Box => {
                self.open_box();
                self.line.enter_box(element);
            }
            Place::Run => {
                let is_term = self.is_in_term();
                self.line.enter_inline(element, display, is_term);
            }
        }
        true
    }

    /// Leaves an element with this display, which it has entered.
    pub(in super::super) fn leave(&mut self, element: &'t Element, display: Display) {
        match display {
            Display::Block | Display::Cell | Display::Caption => {
                self.end();
                self.line.leave_box(element);
            }
            _ => self.line.leave_inline(element, display),
        }
    }

    /// Ends the innermost box.
    pub(in super::super) fn end(&mut self) {
        self.end_run();
        self.open = self.layout.boxes.get(self.open).map_or(0, |this| this.parent);
    }

    /// Takes a text of the tree, and returns its words with the white space before the first.
    pub(in super::super) fn text(&mut self, text: &str) -> &str {
        self.last_start = self.line.text.len();
        self.line.push(text);
        self.last_text()
    }

    /// The last text that it has taken.
    pub(in super::super) fn last_text(&self) -> &str {
        &self.line.text[self.last_start..]
    }

    /// The innermost open box.
    pub(in super::super) fn innermost(&self) -> Option<&'t LayoutBox> {
        self.layout.boxes.get(self.open)
    }

    /// Passes over what is in the innermost box, which was opened last.
    pub(in super::super) fn pass(&mut self) {
        let Some(this) = self.innermost() else {
            return;
        };
        let runs = &self.layout.runs[this.runs.clone()];
        self.passed += runs.iter().map(|run| run.text.len()).sum::<usize>();
        (self.run, self.next) = (this.runs.end, this.end);
    }

    /// The index of the run that the next text belongs to.
    pub(in super::super) fn run(&self) -> usize {
        self.run
    }

    /// Whether this run has text.
    pub(in super::super) fn is_in_run(&self) -> bool {
        self.line.has_run()
    }

    /// Whether white space stands before the next word of the run.
    pub(in super::super) fn has_gap(&self) -> bool {
        self.line.has_gap()
    }

    /// Length of the text so far, in bytes.
    pub(in super::super) fn text_bytes(&self) -> usize {
        self.passed + self.line.text.len()
    }

    /// Whether a rule of the user drops a node.
    pub(in super::super) fn is_dropped(&self, node: NodeRef<'_>) -> bool {
        !self.dropped.is_empty() && self.dropped.contains(&node.id())
    }

    fn is_in_term(&self) -> bool {
        self.innermost().is_some_and(|this| this.name == local_name!("dt"))
    }

    fn open_box(&mut self) {
        self.end_run();
        self.open = self.next;
        self.next += 1;
    }

    fn end_run(&mut self) {
        self.run += usize::from(self.line.end_run());
    }
}
