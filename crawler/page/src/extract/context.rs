//! How elements take part in the layout whose names do not say it: by their style, by the elements around them, and by what is in them.
//!
//! | element | takes part |
//! |---|---|
//! | `<fieldset>` | if it has no controls, or text besides the labels of its controls |
//! | `<label>` of a checkbox that a style folds a text with | as the heading of this text |
//! | `<label>` of a checkbox that nobody can change, or of nothing | as a line of text |
//! | `<label>` of another control | not: it is a part of the form |
//! | `<button>` that shows the text behind it | as the heading of this text |
//! | an element that HTML does not know, within text | within the words around it, as browsers show it |
//! | a block that its style puts within a line | within the words around it, if it is one letter |
//! | an inline element that its style makes a block | as lines of its own |
//! | a control of a wiki (`[edit]`) | not |
//! | a dialogue that asks for consent | as a part that is not the page's own |
//! | a modal dialogue | as such a part, if the page has other text |

use html5ever::{LocalName, local_name, ns};

use super::blocks::{display_by_style, is_block, makes_block};
use super::consent::{Apart, Consent};
use super::display::{Display, is_heading};
use super::marks::MIN_BYTES_OF_HIDDEN;
use super::scan::{Budget, Control, Inside, Way, scan};
use super::wiki;
use crate::map::Map;
use crate::parse::{Element, Node, NodeId, NodeRef, Tree, attribute};

/// Least text of a panel that a label or a button unfolds, in bytes outside of links.
const MIN_PANEL_BYTES: usize = 60;

/// Text that makes a panel of a box with fields, in bytes.
const MIN_PANEL_BYTES_BESIDE_FIELDS: usize = 300;

/// Most elements between a label and its panel, upwards.
const MAX_LEVELS: usize = 4;

/// The elements that take part otherwise than their names say.
#[derive(Debug, Default)]
pub(super) struct Context {
    exceptions: Map<NodeId, Display>,
    /// The parts that are not the page's own.
    apart: Map<NodeId, Apart>,
}

/// What becomes of the parts that are not the page's own: dialogues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Dialogues {
    /// They are marked.
    Marked,
    /// They do not take part.
    LeftOut,
    /// Those that ask for consent do not take part.
    OnlyConsentLeftOut,
    /// They take part as all other parts.
    Shown,
}

impl Context {
    /// Looks at the elements of a page.
    pub(super) fn of(html: &Tree, dialogues: Dialogues) -> Self {
        let mut look = Look {
            html,
            context: Self::default(),
            consent: Consent::default(),
            budget: Budget::of_page(html.len()),
            controls: None,
            forms: Map::default(),
            is_wiki: false,
        };
        for node in html.nodes() {
            if let Some(element) = node.value().as_element().filter(|element| element.name.ns == ns!(html)) {
                look.at(node, element, dialogues);
            }
        }
        look.context
    }

    /// Why an element is not a part of the page's own.
    pub(super) fn apart(&self, node: NodeRef<'_>) -> Option<Apart> {
        // Few pages have such parts, and most look-ups are for nothing.
        if self.apart.is_empty() {
            None
        } else {
            self.apart.get(&node.id()).copied()
        }
    }

    /// How an element takes part.
    pub(super) fn display(&self, node: NodeRef<'_>, element: &Element) -> Display {
        let exception = if self.exceptions.is_empty() {
            None
        } else {
            self.exceptions.get(&node.id()).copied()
        };
        exception.unwrap_or_else(|| Display::of(node, element))
    }
}

struct Look<'t> {
    html: &'t Tree,
    context: Context,
    consent: Consent<'t>,
    budget: Budget,
    /// The controls by their ids, made when the first label needs them.
    controls: Option<Map<&'t str, NodeRef<'t>>>,
    /// Whether a form has fields to type in.
    forms: Map<NodeId, bool>,
    /// Whether the page is one of a wiki.
    is_wiki: bool,
}

impl<'t> Look<'t> {
    fn at(&mut self, node: NodeRef<'t>, element: &'t Element, dialogues: Dialogues) {
        if dialogues != Dialogues::Shown
            && let Some((apart, top)) = self.consent.apart(node, element, &mut self.budget)
            && (apart == Apart::Consent || dialogues != Dialogues::OnlyConsentLeftOut)
        {
            self.context.apart.insert(top, apart);
            if dialogues != Dialogues::Marked {
                self.context.exceptions.insert(top, Display::None);
            }
        }
        self.is_wiki |= wiki::is_body(element);
        if self.is_wiki && wiki::is_control(element) {
            self.context.exceptions.insert(node.id(), Display::None);
        }
        let display = match element.name.local {
            local_name!("fieldset") => self.fieldset(node),
            local_name!("label") => self.label(node, element),
            local_name!("button") => self.button(node, element),
            _ => match Display::of(node, element) {
                Display::Block if !is_block(&element.name.local) => self.unknown(node),
                Display::Block if element.name.local == local_name!("div") => self.letter(node, element),
                Display::Inline if makes_block(element) => Some(Display::Line),
                _ => None,
            },
        };
        if let Some(display) = display {
            self.context.exceptions.entry(node.id()).or_insert(display);
        }
    }

    /// A fieldset is a frame around text, unless it is the frame around the controls of a form.
    fn fieldset(&mut self, node: NodeRef<'t>) -> Option<Display> {
        let inside = Inside::of(node, &mut self.budget);
        let is_frame = inside.controls == 0 && inside.bytes > 0 && inside.bytes >= inside.link_bytes;
        // What is too large to look at is no form.
        let reads_as_content = is_frame || inside.is_cut || inside.bytes >= MIN_BYTES_OF_HIDDEN;
        reads_as_content.then_some(Display::Block)
    }

    fn label(&mut self, node: NodeRef<'t>, element: &'t Element) -> Option<Display> {
        let inside = Inside::of(node, &mut self.budget);
        if inside.bytes + inside.link_bytes == 0 {
            return None;
        }
        let has_content = inside.has_blocks && inside.bytes >= MIN_BYTES_OF_HIDDEN;
        let control = self.control_of(node, element);
        match control.and_then(|control| Some((control, Control::of(control.value().as_element()?)?))) {
            _ if has_content => Some(Display::Block),
            Some((control, Control::Check)) => {
                if has(control, &local_name!("disabled")) {
                    Some(line_or_words(node))
                } else if !self.is_choice(control) && self.has_panel(node) {
                    Some(Display::Caption)
                } else {
                    None
                }
            }
            Some((_, Control::Field | Control::Button)) => None,
            None => {
                let is_of_form = self.is_beside_control(node) || self.form_has_fields(node);
                (!is_of_form).then(|| line_or_words(node))
            }
        }
    }

    /// The control of a label: the one that it names, else the first one inside (WHATWG HTML, section 4.10.4).
    fn control_of(&mut self, node: NodeRef<'t>, element: &'t Element) -> Option<NodeRef<'t>> {
        if let Some(id) = attribute(element, &local_name!("for")) {
            let html = self.html;
            let controls = self.controls.get_or_insert_with(|| controls(html));
            return controls.get(id).copied();
        }
        let mut found = None;
        scan(node, &mut self.budget, |inner| {
            found = inner.value().as_element().and_then(Control::of).map(|_| inner);
            if found.is_some() { Way::End } else { Way::Into }
        });
        found
    }

    /// Whether a checkbox is a choice that a form sends, beside fields to type in: "remember me".
    fn is_choice(&mut self, control: NodeRef<'t>) -> bool {
        let element = control.value().as_element();
        let kind = element.and_then(|element| attribute(element, &local_name!("type")));
        let is_checkbox = kind.is_some_and(|kind| kind.trim().eq_ignore_ascii_case("checkbox"));
        is_checkbox && has(control, &local_name!("name")) && self.form_has_fields(control)
    }

    /// Whether the form around a node has fields to type in.
    fn form_has_fields(&mut self, node: NodeRef<'t>) -> bool {
        let form = node.ancestors().find(|above| is_named(*above, &local_name!("form")));
        form.is_some_and(|form| match self.forms.get(&form.id()) {
            Some(known) => *known,
            None => {
                let has_fields = Inside::of(form, &mut self.budget).fields > 0;
                self.forms.insert(form.id(), has_fields);
                has_fields
            }
        })
    }

    /// Whether a control stands in the same box.
    fn is_beside_control(&mut self, node: NodeRef<'t>) -> bool {
        node.parent().is_some_and(|parent| {
            let mut left = MAX_BESIDE;
            let mut found = false;
            scan(parent, &mut self.budget, |inner| {
                left -= 1;
                found = inner.value().as_element().and_then(Control::of).is_some();
                if found || left == 0 { Way::End } else { Way::Into }
            });
            found
        })
    }

    /// Whether the next box is a text that the label or button unfolds: beside it, or beside a box that has only such labels and controls.
    fn has_panel(&mut self, node: NodeRef<'t>) -> bool {
        let mut at = node;
        for _ in 0..MAX_LEVELS {
            let mut next = at.next_sibling();
            while let Some(sibling) = next {
                match self.beside(sibling) {
                    Beside::Nothing => next = sibling.next_sibling(),
                    Beside::Panel => return true,
                    Beside::Other => return false,
                }
            }
            let mut before = std::iter::successors(at.previous_sibling(), |node| node.previous_sibling());
            let Some(parent) = at.parent() else { return false };
            if is_named(parent, &local_name!("body")) || !before.all(|node| self.beside(node) == Beside::Nothing) {
                return false;
            }
            at = parent;
        }
        false
    }

    fn beside(&mut self, node: NodeRef<'t>) -> Beside {
        let nothing = |is_nothing: bool| if is_nothing { Beside::Nothing } else { Beside::Other };
        if !self.budget.take() {
            return Beside::Other;
        }
        match node.value() {
            Node::Text(text) => nothing(text.trim().is_empty()),
            Node::Element(element) if element.name.local == local_name!("button") => Beside::Other,
            Node::Element(element) if Display::of(node, element) == Display::None => Beside::Nothing,
            Node::Element(_) => {
                let inside = Inside::of(node, &mut self.budget);
                let is_page = inside.holds_content || inside.is_cut;
                let needed = match inside.fields {
                    0 => MIN_PANEL_BYTES,
                    _ => MIN_PANEL_BYTES_BESIDE_FIELDS,
                };
                if !is_page && inside.bytes >= needed && inside.link_bytes <= inside.bytes {
                    return Beside::Panel;
                }
                nothing(inside.bytes + inside.link_bytes == 0)
            }
            _ => Beside::Nothing,
        }
    }

    /// A button is the heading of a text that it unfolds: it says so, or it is one of several that stand each before a text.
    fn button(&mut self, node: NodeRef<'t>, element: &'t Element) -> Option<Display> {
        if in_heading(node) || !has_letters(node, &mut self.budget) {
            return None;
        }
        let says_so = ["aria-expanded", "aria-controls"]
            .iter()
            .any(|name| attribute(element, &LocalName::from(*name)).is_some());
        let unfolds = if says_so {
            self.has_panel(node)
        } else {
            self.is_one_of_captions(node, element)
        };
        unfolds.then_some(Display::Caption)
    }

    /// Whether a button stands before a text, and another one like it before the next text or the previous one.
    fn is_one_of_captions(&mut self, node: NodeRef<'t>, element: &'t Element) -> bool {
        let is_no_button = |node: &NodeRef<'t>| !is_named(*node, &local_name!("button"));
        let is_alike = |other: NodeRef<'t>| {
            let other = other.value().as_element();
            other.is_some_and(|other| {
                other.name == element.name
                    && attribute(other, &local_name!("class")) == attribute(element, &local_name!("class"))
            })
        };
        let Some(panel) = next_element(node).filter(is_no_button) else {
            return false;
        };
        let before = previous_element(node).filter(is_no_button);
        let is_repeated =
            next_element(panel).is_some_and(is_alike) || before.and_then(previous_element).is_some_and(is_alike);
        is_repeated && self.beside(panel) == Beside::Panel
    }

    /// Elements that HTML does not know are inline (CSS 2.2, section 9.2.4, the initial value of `display`). Their sites make blocks of most.
    /// One within text, or with a single letter, is not made a block.
    fn unknown(&mut self, node: NodeRef<'t>) -> Option<Display> {
        let is_within_text = [node.previous_sibling(), node.next_sibling()]
            .into_iter()
            .flatten()
            .any(is_text);
        let text = self.inline_text(node)?;
        (is_within_text || text == Text::Letters).then_some(Display::Inline)
    }

    /// Scripts that move the letters of a heading put each into a box of its own, which its style keeps within the line.
    fn letter(&mut self, node: NodeRef<'t>, element: &Element) -> Option<Display> {
        match display_by_style(element)? {
            "inline" => self.inline_text(node).map(|_| Display::Inline),
            display if display.starts_with("inline") => {
                (self.inline_text(node)? == Text::Letters).then_some(Display::Inline)
            }
            _ => None,
        }
    }

    /// The text of an element that has no blocks in it; `None` if it has blocks.
    fn inline_text(&mut self, node: NodeRef<'t>) -> Option<Text> {
        let (mut left, mut is_inline, mut longest) = (MAX_INLINE_NODES, true, 0);
        scan(node, &mut self.budget, |inner| {
            left -= 1;
            let element = inner.value().as_element();
            let is_block = element.is_some_and(|element| {
                let display = Display::of(inner, element);
                let is_known = is_block(&element.name.local);
                let by_style = display_by_style(element).is_some_and(|display| display.starts_with("inline"));
                matches!(display, Display::Cell) || display == Display::Block && is_known && !by_style
            });
            if let Some(text) = inner.value().as_text() {
                longest = longest.max(text.trim().chars().take(2).count());
            }
            is_inline = !is_block && left > 0;
            if is_inline { Way::Into } else { Way::End }
        });
        is_inline.then_some(match longest {
            1 => Text::Letters,
            _ => Text::Words,
        })
    }
}

/// Most nodes that are searched for a control beside a label.
const MAX_BESIDE: usize = 48;

/// Most nodes of an element within text.
const MAX_INLINE_NODES: usize = 64;

/// What stands beside a label.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Beside {
    /// Nothing that is shown as text, or a control with its label.
    Nothing,
    Panel,
    Other,
}

/// The text of an inline element.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Text {
    /// Single letters.
    Letters,
    Words,
}

/// Within the words around it, or a line of its own.
fn line_or_words(node: NodeRef<'_>) -> Display {
    let beside = [node.previous_sibling(), node.next_sibling()];
    if beside.into_iter().flatten().any(is_text) {
        Display::Inline
    } else {
        Display::Line
    }
}

fn is_text(node: NodeRef<'_>) -> bool {
    node.value().as_text().is_some_and(|text| !text.trim().is_empty())
}

fn is_named(node: NodeRef<'_>, name: &LocalName) -> bool {
    node.value()
        .as_element()
        .is_some_and(|element| element.name.local == *name)
}

fn has(node: NodeRef<'_>, name: &LocalName) -> bool {
    node.value()
        .as_element()
        .is_some_and(|element| attribute(element, name).is_some())
}

fn in_heading(node: NodeRef<'_>) -> bool {
    let parent = node.parent().and_then(|parent| parent.value().as_element());
    parent.is_some_and(|parent| is_heading(&parent.name.local))
}

fn has_letters(node: NodeRef<'_>, budget: &mut Budget) -> bool {
    let mut found = false;
    scan(node, budget, |inner| {
        let text = inner.value().as_text();
        found = text.is_some_and(|text| text.chars().any(char::is_alphabetic));
        if found { Way::End } else { Way::Into }
    });
    found
}

fn next_element(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let next = node.next_sibling()?;
    let mut behind = std::iter::successors(Some(next), |node| node.next_sibling()).take(3);
    behind.find(|node| node.value().as_element().is_some())
}

fn previous_element(node: NodeRef<'_>) -> Option<NodeRef<'_>> {
    let previous = node.previous_sibling()?;
    let mut ahead = std::iter::successors(Some(previous), |node| node.previous_sibling()).take(3);
    ahead.find(|node| node.value().as_element().is_some())
}

/// The controls of a page by their ids, the first of each id.
fn controls(html: &Tree) -> Map<&str, NodeRef<'_>> {
    let mut controls = Map::default();
    for node in html.nodes() {
        let element = node.value().as_element();
        if let Some(element) = element.filter(|element| Control::of(element).is_some())
            && let Some(id) = attribute(element, &local_name!("id"))
        {
            controls.entry(id).or_insert(node);
        }
    }
    controls
}
