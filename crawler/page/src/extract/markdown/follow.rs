//! The walk that writes: elements become blocks, and the texts of chosen runs become their words.

use html5ever::local_name;

use super::super::context::Context;
use super::super::display::{Display, heading_level};
use super::super::layout::Walk;
use super::super::marks;
use super::super::scan::Budget;
use super::super::source::Source;
use super::blocks::{Leaf, Writer};
use super::code::{self, Code};
use super::escape::Place;
use super::line::{Gap, Ink, Line, Raised, Style};
use super::raised;
use super::table::{Rows, data_tables};
use super::target::{self, Targets};
use super::{MarkdownOptions, formula, value};
use crate::map::Set;
use crate::parse::{Element, Node, NodeId, NodeRef, Tree, Visit};

/// What the runs within an element are written as, in one line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    Heading(u8),
    Cell,
    /// A term or a summary, which is strong.
    Strong,
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

/// The walk that writes.
pub(super) struct Follow<'t, 'o> {
    walk: Walk<'t>,
    context: &'t Context,
    is_chosen: &'o [bool],
    targets: Targets<'o>,
    images: bool,
    data_tables: Set<NodeId>,
    budget: Budget,
    writer: Writer,
    line: Line,
    ink: Ink,
    /// For each open element what ends with it, and how it takes part.
    opened: Vec<(Opened, Display)>,
    mode: Option<Mode>,
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
        html: &Tree,
        source: &'t Source<'_>,
        context: &'t Context,
        is_chosen: &'o [bool],
        (targets, options): (Targets<'o>, &MarkdownOptions),
    ) -> Self {
        Self {
            walk: Walk::new(&source.dropped, context),
            context,
            is_chosen,
            targets,
            images: options.images,
            data_tables: data_tables(html),
            budget: Budget::of_page(html.len()),
            writer: Writer::new(options.max_bytes),
            line: Line::default(),
            ink: Ink::default(),
            opened: Vec::new(),
            mode: None,
            code: None,
            table: None,
            unwritten: 0,
            formula: None,
            breaks: 0,
        }
    }

    /// Writes what is in an element.
    pub(super) fn element(&mut self, element: NodeRef<'t>) {
        self.walk.start(element);
        let top = element.value().as_element();
        let opened = top.map_or(Opened::Nothing, |top| self.open(element, top, Display::Block));
        element.walk(self);
        self.walk.end();
        self.end_line();
        self.close(opened, top);
    }

    pub(super) fn into_markdown(self) -> String {
        self.writer.into_markdown()
    }

    fn is_chosen(&self, run: usize) -> bool {
        self.is_chosen.get(run).copied().unwrap_or(false)
    }

    /// Whether something without words is content here: in a chosen run, or between two.
    fn is_amid_chosen(&self) -> bool {
        let run = self.walk.run();
        let follows = self.walk.is_in_run() || run.checked_sub(1).is_some_and(|before| self.is_chosen(before));
        follows && self.is_chosen(run)
    }

    fn text(&mut self, node: NodeRef<'t>, text: &str) {
        let before = self.walk.text_bytes();
        self.walk.enter(node);
        let has_words = self.walk.text_bytes() > before;
        let is_chosen = has_words && self.is_chosen(self.walk.run());
        if let Some(code) = &mut self.code {
            if self.unwritten == 0 && (is_chosen || !has_words) {
                let is_apart = self.walk.text_since(before).starts_with([' ', '\n']);
                code.push(text, is_apart);
            }
            return;
        }
        if !has_words {
            return;
        }
        let formula = self.formula.take();
        let is_written = is_chosen && (self.unwritten == 0 || formula.is_some());
        if is_written {
            if self.breaks > 1 && self.mode.is_none() {
                self.end_line();
            }
            let text = self.walk.text_since(before);
            let words = text.trim_start_matches([' ', '\n']);
            let gap = match (words.len() < text.len(), self.breaks) {
                (false, _) => Gap::None,
                (true, 0) => Gap::Space,
                (true, _) => Gap::Break,
            };
            let ink = ink_in(&self.ink, self.mode);
            match formula {
                Some(formula) => self.line.push_formula(&formula, gap, &ink),
                None => self.line.push_words(&raised::written(words, &ink), gap, &ink),
            }
        }
        if is_chosen && !is_written && self.walk.text_since(before).starts_with([' ', '\n']) {
            self.line.space();
        }
        self.breaks = 0;
    }

    fn enter_element(&mut self, node: NodeRef<'t>, element: &'t Element) -> bool {
        let display = self.context.display(node, element);
        if is_block(display) {
            self.end_line();
        }
        if !self.walk.enter(node) {
            self.left_out(node, element);
            return false;
        }
        let opened = self.open(node, element, display);
        self.opened.push((opened, display));
        true
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
        let ink = ink_in(&self.ink, self.mode);
        let gap = if self.walk.has_gap() { Gap::Space } else { Gap::None };
        let formula = if is_image {
            formula::of_image(element)
        } else {
            formula::of_script(node, element)
        };
        if let Some(formula) = formula {
            self.line.push_formula(&formula, gap, &ink);
        } else if is_image && self.images && marks::hidden(element).is_none() {
            let target = value(element, "src").and_then(|source| self.targets.of_image(source));
            let description = value(element, "alt").unwrap_or_default();
            let description = description.split_whitespace().collect::<Vec<_>>().join(" ");
            if let Some(target) = target {
                self.line.push_image(&description, target, gap, &ink);
            }
        }
    }

    fn open(&mut self, node: NodeRef<'t>, element: &'t Element, display: Display) -> Opened {
        if self.unwritten > 0 {
            return Opened::Nothing;
        }
        let is_in_code = self.code.is_some();
        if code::is_beside_code(node, element, is_in_code, &mut self.budget) || formula::is_shown_twice(node, element) {
            self.unwritten = 1;
            return Opened::Unwritten;
        }
        if let Some(code) = &mut self.code {
            match display {
                Display::Break => code.push("\n", false),
                Display::Inline | Display::Link | Display::None => {}
                Display::Line | Display::Block | Display::Cell | Display::Caption => code.end_line(),
            }
            return Opened::Nothing;
        }
        match display {
            Display::Break => {
                self.breaks += 1;
                Opened::Nothing
            }
            Display::Link => self.open_link(node, element),
            Display::Inline => self.open_inline(node, element),
            Display::Line => {
                self.breaks = self.breaks.max(1);
                self.open_inline(node, element)
            }
            Display::Caption => self.open_mode(Mode::Strong),
            Display::Block | Display::Cell => self.open_block(node, element),
            Display::None => Opened::Nothing,
        }
    }

    fn open_link(&mut self, node: NodeRef<'t>, element: &Element) -> Opened {
        let is_in_heading = matches!(self.mode, Some(Mode::Heading(_)));
        let reference = value(element, "href").filter(|reference| {
            let is_handle = target::fragment(reference).is_some_and(|id| is_in_heading || target::is_around(node, id));
            self.ink.link.is_none() && !is_handle
        });
        match reference.and_then(|reference| self.targets.of_link(reference)) {
            Some(target) => {
                self.ink.link = Some(target);
                Opened::Link
            }
            None => Opened::Nothing,
        }
    }

    fn open_inline(&mut self, node: NodeRef<'t>, element: &Element) -> Opened {
        let style = match element.name.local {
            local_name!("b") | local_name!("strong") => Style::STRONG,
            local_name!("i") | local_name!("em") | local_name!("cite") | local_name!("dfn") | local_name!("var") => {
                Style::EMPHASIS
            }
            local_name!("del") | local_name!("s") | local_name!("strike") => Style::STRUCK,
            local_name!("code") | local_name!("kbd") | local_name!("samp") | local_name!("tt")
                if self.ink.code.is_none() =>
            {
                self.ink.code = Some(node.id());
                return Opened::InlineCode;
            }
            local_name!("sub") | local_name!("sup") if self.ink.raised.is_none() => {
                let is_sub = element.name.local == local_name!("sub");
                self.ink.raised = Some(if is_sub { Raised::Sub } else { Raised::Super });
                return Opened::Raised;
            }
            local_name!("math") => {
                self.formula = formula::of_math(node, element, &mut self.budget);
                if self.formula.is_none() {
                    return Opened::Nothing;
                }
                self.unwritten = 1;
                return Opened::Unwritten;
            }
            _ => return Opened::Nothing,
        };
        let outer = self.ink.style;
        self.ink.style = outer.with(style);
        Opened::Style(outer)
    }

    fn open_mode(&mut self, mode: Mode) -> Opened {
        match (self.mode, mode) {
            // A heading within a summary or a term is one.
            (Some(Mode::Strong), Mode::Heading(_)) => self.end_mode(),
            (Some(_), _) => return Opened::Nothing,
            (None, _) => {}
        }
        Opened::Mode(self.mode.replace(mode))
    }

    fn open_block(&mut self, node: NodeRef<'t>, element: &Element) -> Opened {
        let name = &element.name.local;
        let level = heading_level(name);
        if level > 0 {
            return self.open_mode(Mode::Heading(level));
        }
        if self.mode.is_some() {
            if *name == local_name!("pre") && self.ink.code.is_none() {
                self.ink.code = Some(node.id());
                return Opened::InlineCode;
            }
            return Opened::Nothing;
        }
        let number = |name: &str| value(element, name).and_then(|number| number.trim().parse().ok());
        match *name {
            local_name!("dt") | local_name!("summary") => return self.open_mode(Mode::Strong),
            local_name!("td") | local_name!("th") if self.table.is_some() => return self.open_mode(Mode::Cell),
            local_name!("ul") | local_name!("menu") | local_name!("dir") => {
                return Opened::Levels(self.writer.open_list(None));
            }
            local_name!("ol") => return Opened::Levels(self.writer.open_list(Some(number("start").unwrap_or(1)))),
            local_name!("li") => return Opened::Levels(self.writer.open_item(number("value"))),
            local_name!("blockquote") => return Opened::Levels(self.writer.open_quote()),
            local_name!("pre") => {
                self.code = Some(Code::of(node));
                return Opened::Code;
            }
            local_name!("table") if self.data_tables.contains(&node.id()) => {
                self.table = Some(Rows::default());
                return Opened::Table;
            }
            local_name!("hr") if self.is_amid_chosen() => self.block("***", Leaf::Other),
            _ => {}
        }
        match &mut self.table {
            Some(rows) if *name == local_name!("tr") => {
                rows.begin_row(is_in_head(node));
                Opened::Row
            }
            _ => Opened::Nothing,
        }
    }

    /// Writes a block. The rows of a table that it interrupts come before it.
    fn block(&mut self, text: &str, leaf: Leaf) {
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
        } else if !self.line.is_empty() {
            let text = self.line.take(Place::Paragraph);
            self.block(&text, Leaf::Paragraph);
        }
    }

    /// Ends the line of a heading, a term or a summary.
    fn end_mode(&mut self) {
        match self.mode {
            Some(Mode::Heading(level)) => {
                let text = self.line.take(Place::Heading);
                if !text.is_empty() {
                    let heading = format!("{} {text}", "#".repeat(usize::from(level)));
                    self.block(&heading, Leaf::Other);
                }
            }
            Some(Mode::Cell) => {}
            Some(Mode::Strong) | None => {
                let text = self.line.take(Place::Paragraph);
                self.block(&text, Leaf::Paragraph);
            }
        }
    }

    fn close(&mut self, opened: Opened, element: Option<&Element>) {
        match opened {
            Opened::Nothing => {}
            Opened::Levels(levels) => self.writer.close(levels),
            Opened::Mode(outer) => {
                if let (Some(Mode::Cell), Some(rows), Some(cell)) = (self.mode, &mut self.table, element) {
                    rows.push(cell, &self.line.take(Place::Cell));
                } else {
                    self.end_mode();
                }
                self.mode = outer;
            }
            Opened::Style(outer) => self.ink.style = outer,
            Opened::InlineCode => self.ink.code = None,
            Opened::Raised => self.ink.raised = None,
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
            Node::Text(text) => {
                self.text(node, text);
                false
            }
            Node::Element(element) => self.enter_element(node, element),
            _ => self.walk.enter(node),
        }
    }

    fn leave(&mut self, node: NodeRef<'t>) {
        self.walk.leave(node);
        let Some((opened, display)) = self.opened.pop() else {
            return;
        };
        let is_line = display == Display::Line;
        if let Some(code) = self.code.as_mut().filter(|_| is_line || is_block(display)) {
            code.end_line();
        }
        if is_line {
            self.breaks = self.breaks.max(1);
        }
        if is_block(display) {
            self.end_line();
        }
        self.close(opened, node.value().as_element());
    }
}

/// How words in this mode are written. What is in a strong line is strong, and only that.
fn ink_in(ink: &Ink, mode: Option<Mode>) -> Ink {
    match mode {
        Some(Mode::Strong) => Ink {
            style: Style::STRONG,
            ..ink.clone()
        },
        _ => ink.clone(),
    }
}

fn is_block(display: Display) -> bool {
    matches!(display, Display::Block | Display::Cell | Display::Caption)
}

/// Whether a row stands in the head of its table.
fn is_in_head(row: NodeRef<'_>) -> bool {
    let parent = row.parent().and_then(|parent| parent.value().as_element());
    parent.is_some_and(|parent| parent.name.local == local_name!("thead"))
}
