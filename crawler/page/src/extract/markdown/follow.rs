//! The walk that writes: elements become blocks, and the texts of chosen runs become their words.

mod open;
mod raise;
mod term;

use html5ever::local_name;

use self::term::Term;
use super::super::display::Display;
use super::super::layout::Layout;
use super::super::layout::retrace::Retrace;
use super::super::marks;
use super::super::scan::Budget;
use super::super::source::Source;
use super::blocks::{Leaf, Writer};
use super::code::Code;
use super::escape::Block;
use super::line::{Gap, Ink, Line, Raise, Style};
use super::table::{DataTables, Rows};
use super::target::Targets;
use super::{MarkdownOptions, formula};
use crate::parse::{Element, Node, NodeRef, Visit};

/// What the runs within an element are written as, in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Heading(u8),
    Cell,
    /// A term or a summary, which is strong.
    Strong,
    /// A term whose definition is text, which is strong too.
    Term,
}

/// What ends with an element.
enum Opened {
    Nothing,
    /// Levels of lists and quotes.
    Levels(usize),
    /// A line, which stands within another one.
    Mode(Option<Mode>),
    Style(Style),
    InlineCode,
    Raised,
    Link,
    Code,
    Table,
    Row,
    Unwritten,
}

/// Most bytes of the targets of a page, and further ones for each byte of its text. The parser may repeat an element with a long target before each
/// letter.
const BASE_TARGET_BYTES: usize = 1 << 20;
const TARGET_BYTES_PER_BYTE: usize = 16;

/// The walk that writes.
pub(super) struct Follow<'t, 'o> {
    source: &'t Source<'t>,
    walk: Retrace<'t>,
    is_chosen: &'o [bool],
    /// For each run the number of chosen runs before it.
    chosen_before: Vec<usize>,
    targets: Targets<'o>,
    images: bool,
    data_tables: DataTables,
    budget: Budget,
    writer: Writer,
    line: Line,
    ink: Ink,
    /// For each open element what ends with it, and how it takes part.
    opened: Vec<(Opened, Display)>,
    mode: Option<Mode>,
    /// The term at the end of the line, which waits for its definition.
    term: Option<Term>,
    /// The text above or below the line whose parenthesis is open.
    parenthesis: Option<Raise>,
    /// The open block of code.
    code: Option<Code>,
    /// The open table of data.
    table: Option<Rows>,
    /// Number of open elements whose text is not written.
    unwritten: usize,
    /// The formula that the next text stands for.
    formula: Option<String>,
    /// Number of breaks of the line since the last text.
    breaks: usize,
}

impl<'t, 'o> Follow<'t, 'o> {
    pub(super) fn new(
        source: &'t Source<'t>,
        layout: &'t Layout,
        is_chosen: &'o [bool],
        (targets, options): (Targets<'o>, &MarkdownOptions),
    ) -> Self {
        let chosen_before = is_chosen.iter().scan(0, |chosen, is_chosen| {
            let before = *chosen;
            *chosen += usize::from(*is_chosen);
            Some(before)
        });
        let chosen = layout.runs.iter().zip(is_chosen).filter(|(_, is_chosen)| **is_chosen);
        let bytes: usize = chosen.map(|(run, _)| run.text.len()).sum();
        Self {
            source,
            walk: Retrace::new(layout, &source.dropped, bytes),
            is_chosen,
            chosen_before: chosen_before.collect(),
            targets,
            images: options.images,
            data_tables: DataTables::default(),
            budget: Budget::of_page(source.tree().len()),
            writer: Writer::new(options.max_bytes, bytes + bytes / 4),
            line: Line::default(),
            ink: Ink::default(),
            opened: Vec::new(),
            mode: None,
            term: None,
            parenthesis: None,
            code: None,
            table: None,
            unwritten: 0,
            formula: None,
            breaks: 0,
        }
    }

    /// Writes what is in an element.
    pub(super) fn element(&mut self, element: NodeRef<'t>) {
        self.walk.begin(element);
        let top = element.value().as_element();
        let opened = top.map_or(Opened::Nothing, |top| self.open(element, top, Display::Block));
        element.walk(self);
        self.walk.end();
        self.end_line();
        if let Some(top) = top {
            self.close(opened, top);
        }
        self.end_term();
    }

    pub(super) fn into_markdown(self) -> String {
        self.writer.into_markdown()
    }

    fn is_chosen(&self, run: usize) -> bool {
        self.is_chosen.get(run).copied().unwrap_or(false)
    }

    /// Whether the innermost box has text, and none of it is written. An element without words is not written there either, because no chosen
    /// run is around it. An item of a list takes a number, and a cell a place, if they are empty, too.
    fn is_passed(&self, opened: &Opened) -> bool {
        let Some(this) = self.walk.innermost().filter(|this| !this.runs.is_empty()) else {
            return false;
        };
        let chosen = |run: usize| self.chosen_before.get(run).copied();
        let is_unwritten = match (chosen(this.runs.start), chosen(this.runs.end - 1)) {
            (Some(before), Some(after)) => before == after && !self.is_chosen(this.runs.end - 1),
            _ => true,
        };
        let is_within = match opened {
            Opened::Levels(_) => self.code.is_some() || self.table.is_some(),
            Opened::Code | Opened::Table => false,
            _ => self.code.is_some() || self.table.is_some() || self.writer.takes_items(),
        };
        is_unwritten && !is_within
    }

    /// Whether something without words is content here: in a chosen run, or between two.
    fn is_amid_chosen(&self) -> bool {
        let run = self.walk.run();
        let follows = self.walk.is_in_run() || run.checked_sub(1).is_some_and(|before| self.is_chosen(before));
        follows && self.is_chosen(run)
    }

    /// How words are written here. What is in a strong line is strong, and only that.
    fn ink(&self) -> Ink {
        let mut ink = self.ink.clone();
        if matches!(self.mode, Some(Mode::Strong | Mode::Term)) {
            ink.style = Style::STRONG;
        }
        if !self.has_room_for_targets() {
            ink.link = None;
        }
        ink
    }

    fn has_room_for_targets(&self) -> bool {
        self.line.target_bytes() <= BASE_TARGET_BYTES + TARGET_BYTES_PER_BYTE * self.walk.text_bytes()
    }

    fn text(&mut self, text: &str, node: NodeRef<'_>) {
        let run = self.walk.run();
        let shown = self.walk.text(text);
        let (has_words, is_apart) = (!shown.is_empty(), shown.starts_with([' ', '\n']));
        let is_chosen = has_words && self.is_chosen.get(run).copied().unwrap_or(false);
        if let Some(code) = &mut self.code {
            if self.unwritten == 0 && is_chosen {
                code.push(text, is_apart);
            } else if self.unwritten == 0 && !has_words && !code.is_between_lines(node) {
                code.push_space(text);
            }
            return;
        }
        if !has_words {
            return;
        }
        let formula = self.formula.take();
        if is_chosen && (self.unwritten == 0 || formula.is_some()) {
            self.words(formula, is_apart);
        } else if is_chosen && is_apart {
            self.line.space();
        }
        self.breaks = 0;
    }

    /// Writes the words of the last text, or the formula that stands for them. `is_apart` says whether white space stands before them.
    fn words(&mut self, formula: Option<String>, is_apart: bool) {
        if self.breaks > 1 && self.mode.is_none() {
            self.end_line();
        }
        let gap = match (is_apart, self.breaks) {
            (false, _) => Gap::None,
            (true, 0) => Gap::Space,
            (true, _) => Gap::Break,
        };
        let ink = self.ink();
        match formula {
            Some(formula) => self.line.push_formula(&formula, gap, &ink),
            None => {
                let words = self.walk.last_text().trim_start_matches([' ', '\n']);
                raise::push(&mut self.line, &mut self.parenthesis, words, gap, &ink);
            }
        }
    }

    fn enter_element(&mut self, node: NodeRef<'t>, element: &'t Element) -> bool {
        let display = self.source.context.display(node, element);
        if is_block(display) {
            self.end_line();
        }
        if !self.walk.enter(node, element, display) {
            self.left_out(node, element);
            return false;
        }
        let opened = self.open(node, element, display);
        let is_passed = is_block(display) && self.is_passed(&opened);
        self.opened.push((opened, display));
        if is_passed {
            self.walk.pass();
            self.leave_element(element);
        }
        !is_passed
    }

    fn leave_element(&mut self, element: &'t Element) {
        let Some((opened, display)) = self.opened.pop() else {
            return;
        };
        self.walk.leave(element, display);
        let is_line = display == Display::Line;
        if let Some(code) = self.code.as_mut().filter(|_| is_line || is_block(display)) {
            code.end_line();
        }
        if is_line {
            self.breaks = self.breaks.max(1);
        }
        if is_block(display) {
            self.end_line();
            self.leave_term();
        }
        self.close(opened, element);
    }

    /// Writes an element without words: an image, or the script of a formula.
    fn left_out(&mut self, node: NodeRef<'t>, element: &Element) {
        let name = &element.name.local;
        let is_image = *name == local_name!("img");
        let may_be = is_image || *name == local_name!("script");
        let is_amid = may_be && self.code.is_none() && self.unwritten == 0 && self.is_amid_chosen();
        if !is_amid || self.walk.is_dropped(node) {
            return;
        }
        let ink = self.ink();
        let gap = if self.walk.has_gap() { Gap::Space } else { Gap::None };
        let formula = if is_image {
            formula::of_image(element)
        } else {
            formula::of_script(node, element)
        };
        if let Some(formula) = formula {
            self.line.push_formula(&formula, gap, &ink);
        } else if is_image && self.images && marks::hidden(element).is_none() {
            let target = element
                .plain_attribute(&local_name!("src"))
                .and_then(|source| self.targets.of_image(source));
            let description = element.plain_attribute(&local_name!("alt")).unwrap_or_default();
            let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some(target) = target {
                self.line.push_image(&description, target, gap, &ink);
            }
        }
    }

    /// Writes a block. The rows of a table that it interrupts come before it.
    fn block(&mut self, text: &str, leaf: Leaf) {
        if !text.is_empty() {
            self.end_term();
        }
        if let Some(rows) = self.table.as_mut().filter(|_| !text.is_empty()) {
            let rows = std::mem::take(rows).into_markdown();
            self.writer.block(&rows, Leaf::Other);
        }
        self.writer.block(text, leaf);
    }

    /// Ends a line at the boundary of a block.
    fn end_line(&mut self) {
        self.breaks = 0;
        if self.mode.is_some() {
            self.line.space();
        } else if !self.line.is_empty() && !self.has_waiting_term() {
            let text = self.take_line(Block::Paragraph);
            self.block(&text, Leaf::Paragraph);
        }
    }

    /// The line, which ends here.
    fn take_line(&mut self, block: Block) -> String {
        self.end_raised();
        self.term = None;
        self.line.take(block)
    }

    /// Ends the line of a heading, a term or a summary.
    fn end_mode(&mut self) {
        match self.mode {
            Some(Mode::Heading(level)) => {
                let text = self.take_line(Block::Heading);
                if !text.is_empty() {
                    let heading = format!("{} {text}", "#".repeat(usize::from(level)));
                    self.block(&heading, Leaf::Other);
                }
            }
            Some(Mode::Cell) => {}
            Some(Mode::Term) => self.wait_for_definition(),
            Some(Mode::Strong) | None => {
                let text = self.take_line(Block::Paragraph);
                self.block(&text, Leaf::Paragraph);
            }
        }
    }

    fn close(&mut self, opened: Opened, element: &Element) {
        match opened {
            Opened::Nothing => {}
            Opened::Levels(levels) => self.writer.close(levels),
            Opened::Mode(outer) => {
                if self.mode == Some(Mode::Cell) && self.table.is_some() {
                    let text = self.take_line(Block::Cell);
                    self.table.iter_mut().for_each(|rows| rows.push(element, &text));
                } else {
                    self.end_mode();
                }
                self.mode = outer;
            }
            Opened::Style(outer) => self.ink.style = outer,
            Opened::InlineCode => self.ink.code = None,
            Opened::Raised => {
                self.end_raised();
                self.ink.raised = None;
            }
            Opened::Link => self.ink.link = None,
            Opened::Code => {
                if let Some(code) = self.code.take() {
                    self.block(&code.into_fenced(), Leaf::Other);
                }
            }
            Opened::Table => {
                if let Some(rows) = self.table.take() {
                    self.block(&rows.into_markdown(), Leaf::Other);
                }
            }
            Opened::Row => {
                if let Some(rows) = &mut self.table {
                    rows.end_row();
                }
            }
            Opened::Unwritten => (self.unwritten, self.formula) = (0, None),
        }
    }
}

impl<'t> Visit<'t> for Follow<'t, '_> {
    fn enter(&mut self, node: NodeRef<'t>) -> bool {
        match node.value() {
            Node::Text(text) => self.text(text, node),
            Node::Element(element) => return self.enter_element(node, element),
            _ => {}
        }
        false
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        if let Some(element) = node.value().as_element() {
            self.leave_element(element);
        }
    }
}

fn is_block(display: Display) -> bool {
    matches!(display, Display::Block | Display::Cell | Display::Caption)
}
