//! The content of a page by the CSS selectors of the user.
//!
//! A selector such as `main > .post p` has three *steps*, joined by combinators. Browsers match it from the right, and look for each
//! element at its ancestors and siblings. On a page that is made for it, this takes time quadratic in the page. Here one walk from
//! the top decides all selectors of a rule: a set of bits holds the steps that an element completes, and follows from the sets of its
//! parent and of its earlier siblings.
//!
//! ```text
//! main > .post p        step 0: main    step 1: > .post    step 2: p, which ends the selector
//!
//! <main>                {0}
//!   <div class=post>    {1}       its parent completes step 0, and it is .post
//!     <section>         {}
//!       <p>             {2}       an ancestor completes step 1, and it is p: the selector matches
//! ```
//!
//! Each element is compared at most once with each step, so the time is bounded by the size of the page times the number of steps. On
//! pages of 350,000 elements, a rule of eight selectors takes less time than the parse, and 128 steps take about a second in a build
//! of the profile dev. (The library computes each index of `:nth-child()` again to verify its cache if its debug assertions are on.)

use std::collections::HashSet;
use std::fmt;

use cssparser::{ParseErrorKind, Parser as CssParser, ToCss};
use ego_tree::{NodeId, NodeRef};
use scraper::selector::{Parser, Simple};
use scraper::{ElementRef, Html, Node};
use selectors::SelectorList;
use selectors::context::{
    MatchingContext, MatchingForInvalidation, MatchingMode, NeedsSelectorFlags, QuirksMode, SelectorCaches,
};
use selectors::matching::{CompoundSelectorMatchingResult, matches_compound_selector_from};
use selectors::parser::{Combinator, Component, ParseRelative, Selector, SelectorParseErrorKind};

/// Most steps of the selectors of a rule.
const MAX_STEPS: usize = u128::BITS as usize;

/// A set of steps.
type Steps = u128;

/// What the user declares to be the content of a page.
#[derive(Clone)]
pub struct ExtractRule {
    steps: Vec<Step>,
    /// The steps that begin a selector.
    first: Steps,
    /// The steps that a combinator joins to the previous step.
    child: Steps,
    descendant: Steps,
    next_sibling: Steps,
    later_sibling: Steps,
    /// The last steps of the selectors of content.
    content: Steps,
    /// The last steps of the selectors of elements to drop.
    drop: Steps,
}

/// A part of a selector without a combinator.
#[derive(Clone)]
struct Step {
    selector: Selector<Simple>,
    /// The index of its first component in the selector.
    start: usize,
}

impl Step {
    fn matches(&self, element: &ElementRef<'_>, context: &mut MatchingContext<'_, Simple>) -> bool {
        let result = matches_compound_selector_from(&self.selector, self.start, context, element);
        !matches!(result, CompoundSelectorMatchingResult::NotMatched)
    }
}

/// How the rule of a page took part in its main text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RuleEffect {
    /// The main text is the text of the elements that the rule declares to be content.
    Content,
    /// The rule removed elements, and the main text was found in the others.
    Drop,
    /// No element matches, so the page was read as without the rule.
    Nothing,
}

impl RuleEffect {
    /// The name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Content => "content",
            Self::Drop => "drop",
            Self::Nothing => "nothing",
        }
    }
}

/// A text that is no selector of an [`ExtractRule`].
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidSelector(String);

impl ExtractRule {
    /// A rule without selectors, which matches no element.
    #[must_use]
    pub fn new() -> Self {
        Self {
            steps: Vec::new(),
            first: 0,
            child: 0,
            descendant: 0,
            next_sibling: 0,
            later_sibling: 0,
            content: 0,
            drop: 0,
        }
    }

    /// Declares that the elements that match are content.
    ///
    /// Selectors are those of Selectors Level 4 with types, `*`, `#id`, `.class`, attributes, `:is()`, `:where()`, `:not()`,
    /// `:root`, `:empty`, `:nth-child()` and its relatives, and all combinators. Within parentheses no combinator is accepted. The
    /// pseudo-classes that count elements of a type, and `:has()`, are not accepted, because a page can make them slow.
    ///
    /// # Errors
    /// The text is not such a selector, or the rule has too many.
    pub fn content(&mut self, selectors: &str) -> Result<(), InvalidSelector> {
        self.content |= self.add(selectors)?;
        Ok(())
    }

    /// Declares that the elements that match are no content. The syntax is that of [`ExtractRule::content`].
    ///
    /// # Errors
    /// The text is not such a selector, or the rule has too many.
    pub fn drop(&mut self, selectors: &str) -> Result<(), InvalidSelector> {
        self.drop |= self.add(selectors)?;
        Ok(())
    }

    /// Whether the rule says what is content, and not only what is none.
    pub(super) fn names_content(&self) -> bool {
        self.content != 0
    }

    /// Adds the steps of a list of selectors, and returns the last step of each.
    fn add(&mut self, text: &str) -> Result<Steps, InvalidSelector> {
        let list = parsed(text)?;
        let mut last = 0;
        for selector in list.slice() {
            last |= self.add_selector(selector)?;
        }
        Ok(last)
    }

    fn add_selector(&mut self, selector: &Selector<Simple>) -> Result<Steps, InvalidSelector> {
        let (mut start, mut joined_by) = (0, None);
        for (at, component) in selector.iter_raw_parse_order_from(0).enumerate() {
            if let Component::Combinator(combinator) = component {
                self.add_step(selector, start, joined_by)?;
                (start, joined_by) = (at + 1, Some(*combinator));
            } else {
                check(component)?;
            }
        }
        self.add_step(selector, start, joined_by)
    }

    fn add_step(
        &mut self,
        selector: &Selector<Simple>,
        start: usize,
        joined_by: Option<Combinator>,
    ) -> Result<Steps, InvalidSelector> {
        if self.steps.len() == MAX_STEPS {
            return Err(InvalidSelector(format!(
                "the rule has more than {MAX_STEPS} parts of selectors, such as the two of `main > p`"
            )));
        }
        let step = 1 << self.steps.len();
        let joined = match joined_by {
            None => &mut self.first,
            Some(Combinator::Child) => &mut self.child,
            Some(Combinator::Descendant) => &mut self.descendant,
            Some(Combinator::NextSibling) => &mut self.next_sibling,
            Some(Combinator::LaterSibling) => &mut self.later_sibling,
            Some(Combinator::PseudoElement | Combinator::SlotAssignment | Combinator::Part) => {
                return Err(unsupported("a pseudo-element"));
            }
        };
        *joined |= step;
        self.steps.push(Step {
            selector: selector.clone(),
            start,
        });
        Ok(step)
    }

    /// The elements of a tree that the rule is about.
    pub(super) fn choose(&self, html: &Html) -> Choice {
        let mut caches = SelectorCaches::default();
        let mut walk = Walk {
            rule: self,
            context: MatchingContext::new(
                MatchingMode::Normal,
                None,
                &mut caches,
                QuirksMode::NoQuirks,
                NeedsSelectorFlags::No,
                MatchingForInvalidation::No,
            ),
            open: vec![Open::default()],
            choice: Choice::default(),
        };
        walk.tree(html.tree.root());
        walk.choice
    }
}

impl Default for ExtractRule {
    fn default() -> Self {
        Self::new()
    }
}

impl fmt::Debug for ExtractRule {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps.iter().filter(|step| step.start == 0);
        let selectors = steps.map(|step| step.selector.to_css_string());
        formatter.debug_list().entries(selectors).finish()
    }
}

fn parsed(text: &str) -> Result<SelectorList<Simple>, InvalidSelector> {
    SelectorList::parse(&Parser, &mut CssParser::new(text), ParseRelative::No).map_err(|error| {
        let detail = match error.kind {
            ParseErrorKind::Custom(SelectorParseErrorKind::EmptySelector) => ": it, or a part of it, is empty",
            ParseErrorKind::Custom(SelectorParseErrorKind::DanglingCombinator) => ": nothing follows a combinator",
            ParseErrorKind::Custom(SelectorParseErrorKind::UnsupportedPseudoClassOrElement) => {
                " for pages without a browser: it has a pseudo-class of a browser, or a pseudo-element"
            }
            _ => "",
        };
        InvalidSelector(format!("it is not a CSS selector{detail}"))
    })
}

/// Checks that the time of a comparison does not depend on how the page is nested.
fn check(component: &Component<Simple>) -> Result<(), InvalidSelector> {
    match component {
        Component::LocalName(_)
        | Component::ID(_)
        | Component::Class(_)
        | Component::AttributeInNoNamespaceExists { .. }
        | Component::AttributeInNoNamespace { .. }
        | Component::AttributeOther(_)
        | Component::ExplicitUniversalType
        | Component::ExplicitAnyNamespace
        | Component::ExplicitNoNamespace
        | Component::Root
        | Component::Empty => Ok(()),
        Component::Nth(nth) if !nth.ty.is_of_type() => Ok(()),
        Component::Negation(list) | Component::Is(list) | Component::Where(list) => {
            let mut inner = list.slice().iter().flat_map(Selector::iter_raw_match_order);
            inner.try_for_each(check)
        }
        Component::Combinator(_) => Err(unsupported("a combinator within parentheses")),
        Component::Has(_) => Err(unsupported(":has()")),
        Component::Nth(_) => Err(unsupported("a pseudo-class that counts elements of a type")),
        other => Err(unsupported(&format!("`{}`", other.to_css_string()))),
    }
}

fn unsupported(what: &str) -> InvalidSelector {
    InvalidSelector(format!("{what} is not accepted in these selectors"))
}

/// The elements of a tree that a rule is about.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// The elements of the content, outermost only, in document order; none within dropped ones.
    pub content: Vec<NodeId>,
    /// The dropped elements, outermost only.
    pub dropped: HashSet<NodeId>,
}

/// What an open element tells its children.
#[derive(Default)]
struct Open {
    /// The steps that it completes.
    completed: Steps,
    /// The steps that it or its ancestors complete.
    above: Steps,
    /// The steps that the last of its children so far completes.
    previous: Steps,
    /// The steps that its children so far complete.
    earlier: Steps,
    /// Whether it is content, or within content.
    is_content: bool,
}

struct Walk<'r, 'c> {
    rule: &'r ExtractRule,
    context: MatchingContext<'c, Simple>,
    /// The document and the open elements.
    open: Vec<Open>,
    choice: Choice,
}

impl Walk<'_, '_> {
    /// Visits all nodes without recursion, because trees may be deep.
    fn tree(&mut self, root: NodeRef<'_, Node>) {
        let mut next = root.first_child();
        while let Some(mut node) = next {
            next = if self.enter(node) { node.first_child() } else { None };
            while next.is_none() {
                next = node.next_sibling();
                if next.is_none() {
                    match node.parent().filter(|parent| parent.id() != root.id()) {
                        Some(parent) => node = parent,
                        None => break,
                    }
                    self.open.pop();
                }
            }
        }
    }

    /// Enters a node. False if the walk skips what is below it; otherwise the node has children, and [`Walk::open`] one entry more.
    fn enter(&mut self, node: NodeRef<'_, Node>) -> bool {
        // The content of a template hangs from a fragment. It is not part of the page.
        let Some(element) = ElementRef::wrap(node) else {
            return false;
        };
        let completed = self.completed(&element);
        let Some(parent) = self.open.last_mut() else {
            return false;
        };
        parent.previous = completed;
        parent.earlier |= completed;
        if completed & self.rule.drop != 0 {
            self.choice.dropped.insert(node.id());
            return false;
        }
        let mut is_content = parent.is_content;
        if !is_content && completed & self.rule.content != 0 {
            self.choice.content.push(node.id());
            is_content = true;
        }
        if !node.has_children() {
            return false;
        }
        let above = parent.above | completed;
        self.open.push(Open {
            completed,
            above,
            previous: 0,
            earlier: 0,
            is_content,
        });
        true
    }

    /// The steps that an element completes.
    fn completed(&mut self, element: &ElementRef<'_>) -> Steps {
        let Some(parent) = self.open.last() else {
            return 0;
        };
        let rule = self.rule;
        let mut possible = rule.first
            | (parent.completed << 1) & rule.child
            | (parent.above << 1) & rule.descendant
            | (parent.previous << 1) & rule.next_sibling
            | (parent.earlier << 1) & rule.later_sibling;
        let mut completed = 0;
        while possible != 0 {
            let step = possible.trailing_zeros();
            possible &= possible - 1;
            if rule.steps[step as usize].matches(element, &mut self.context) {
                completed |= 1 << step;
            }
        }
        completed
    }
}

#[cfg(test)]
mod tests;
