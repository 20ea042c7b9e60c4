//! What begins with an element.

use html5ever::{LocalName, local_name};

use super::super::super::display::{Display, heading_level};
use super::super::blocks::Leaf;
use super::super::code::{self, Code};
use super::super::line::{Raise, Raised, Style};
use super::super::table::Rows;
use super::super::{formula, target};
use super::{Follow, Mode, Opened, term};
use crate::parse::{Element, NodeRef};

impl<'t> Follow<'t, '_> {
    /// Begins what an element is written as.
    pub(super) fn open(&mut self, node: NodeRef<'t>, element: &'t Element, display: Display) -> Opened {
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
        if let Some(formula) = formula::of_delimited(node, element) {
            (self.formula, self.unwritten) = (Some(formula), 1);
            return Opened::Unwritten;
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
        let reference = element.plain_attribute(&local_name!("href")).filter(|reference| {
            let is_handle = target::fragment(reference).is_some_and(|id| is_in_heading || target::is_around(node, id));
            self.ink.link.is_none() && !is_handle && self.has_room_for_targets()
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
                self.ink.raised = Some(Raise {
                    to: if is_sub { Raised::Sub } else { Raised::Super },
                    style: self.ink().style,
                    is_in_link: self.ink.link.is_some(),
                });
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
            (Some(Mode::Strong | Mode::Term), Mode::Heading(_)) => self.end_mode(),
            (Some(_), _) => return Opened::Nothing,
            (None, _) => {}
        }
        if mode != Mode::Term {
            self.end_term();
        }
        Opened::Mode(self.mode.replace(mode))
    }

    fn open_code(&mut self, node: NodeRef<'t>) -> Opened {
        self.end_term();
        self.code = Some(Code::of(node));
        Opened::Code
    }

    fn open_block(&mut self, node: NodeRef<'t>, element: &Element) -> Opened {
        let name = &element.name.local;
        let level = level(element);
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
        if matches!(
            *name,
            local_name!("ul")
                | local_name!("ol")
                | local_name!("menu")
                | local_name!("dir")
                | local_name!("li")
                | local_name!("blockquote")
                | local_name!("pre")
                | local_name!("table")
        ) {
            self.end_term();
        }
        let number = |name: &LocalName| {
            element
                .plain_attribute(name)
                .and_then(|number| number.trim().parse().ok())
        };
        match *name {
            local_name!("dt") if term::has_text(node) => return self.open_mode(Mode::Term),
            local_name!("dt") | local_name!("summary") => return self.open_mode(Mode::Strong),
            local_name!("td") | local_name!("th") if self.table.is_some() => return self.open_mode(Mode::Cell),
            local_name!("ul") | local_name!("menu") | local_name!("dir") => {
                return Opened::Levels(self.writer.open_list(None));
            }
            local_name!("ol") => {
                return Opened::Levels(self.writer.open_list(Some(number(&local_name!("start")).unwrap_or(1))));
            }
            local_name!("li") => return Opened::Levels(self.writer.open_item(number(&local_name!("value")))),
            local_name!("blockquote") => return Opened::Levels(self.writer.open_quote()),
            local_name!("pre") => return self.open_code(node),
            local_name!("div") if code::is_box_of_lines(node, element) => return self.open_code(node),
            local_name!("table") if self.data_tables.has(node) => {
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
}

/// The level of a heading, by its name or its role (WAI-ARIA 1.2, section 5.4, "heading"); 0 for other elements.
fn level(element: &Element) -> u8 {
    if element
        .plain_attribute(&local_name!("role"))
        .is_some_and(|role| role.trim().eq_ignore_ascii_case("heading"))
    {
        let level = element
            .plain_attribute(&local_name!("aria-level"))
            .and_then(|level| level.trim().parse::<u8>().ok());
        return level.unwrap_or(2).clamp(1, 6);
    }
    heading_level(&element.name.local)
}

/// Whether a row stands in the head of its table.
fn is_in_head(row: NodeRef<'_>) -> bool {
    let parent = row.parent().and_then(|parent| parent.value().as_element());
    parent.is_some_and(|parent| parent.name.local == local_name!("thead"))
}
