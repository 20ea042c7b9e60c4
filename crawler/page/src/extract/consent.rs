//! Dialogues that ask for consent to cookies, and modal dialogues. Their text is no text of the page: it is the same on all pages of a
//! site, and on a short page it is longer than the text.
//!
//! A dialogue is known by what it is and by what it says. A name of a consent tool, a role, or a button that agrees makes an element a candidate;
//! words of consent in its text decide. An element around the content of the page is none, whatever its name.

mod words;

use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use html5ever::local_name;

use self::words::{Answer, Said, answer, said};
use super::marks::{MAX_NAMES, MAX_VALUE_BYTES};
use super::scan::{Budget, Way, is_content, scan};
use crate::map::{Map, Set};
use crate::parse::{Element, Node, NodeId, NodeRef, attribute};

/// Longest text of a dialogue that no consent tool made, in bytes.
const MAX_DIALOGUE_BYTES: usize = 8_000;

/// Longest and shortest text of a dialogue that is known by its button alone, in bytes.
const MAX_PLAIN_BYTES: usize = 1_500;
const MIN_PLAIN_BYTES: usize = 20;

/// Text for each word of consent, in bytes. A text with fewer such words speaks of something else, too.
const BYTES_A_WORD: usize = 300;

/// Most elements between a button and its dialogue.
const MAX_LEVELS: usize = 6;

/// Longest text of a button, in bytes.
const MAX_BUTTON_BYTES: usize = 60;

/// A part of a page that is not the page's own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Apart {
    /// It asks for consent.
    Consent,
    /// A modal dialogue that asks for something else.
    Dialogue,
}

/// Finds the dialogues of a page.
#[derive(Debug, Default)]
pub(super) struct Consent<'t> {
    names: Map<&'t str, Named>,
    /// The elements around buttons that were looked at.
    seen: Set<NodeId>,
}

/// What a name says of an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Named {
    Nothing,
    /// Cookies, consent.
    Consent,
    /// A box that asks for consent: a banner, a notice.
    Box,
    /// It is a part of a consent tool.
    Tool,
}

/// The text of an element.
struct Content {
    /// In small letters, with the labels of its controls. Not more than a few kilobytes.
    text: String,
    is_cut: bool,
    holds_content: bool,
    /// It has a button that agrees or refuses.
    agrees: bool,
}

impl<'t> Consent<'t> {
    /// What an element is, and the outermost element that is the same; `None` if it is a part of the page.
    pub(super) fn apart(
        &mut self,
        node: NodeRef<'t>,
        element: &'t Element,
        budget: &mut Budget,
    ) -> Option<(Apart, NodeId)> {
        match element.name.local {
            local_name!("html") | local_name!("body") | local_name!("main") | local_name!("article") => return None,
            local_name!("button") | local_name!("a") | local_name!("input") => {
                let top = self.around_answer(node, element, budget)?;
                return Some((Apart::Consent, top));
            }
            _ => {}
        }
        let named = self.name_of(element);
        let is_dialogue = is_dialogue(element);
        if named == Named::Nothing && !is_dialogue {
            return None;
        }
        let content = Content::of(node, budget);
        if content.holds_content || content.is_cut && (named != Named::Tool || may_hold_content(node, budget)) {
            return None;
        }
        let said = content.said(budget);
        let asks = match named {
            Named::Tool => said.is_asked(),
            _ if is_dialogue => said.is_asked(),
            // A name alone may be a tag of a post, or of what people bake.
            Named::Box => said.is_certain() && content.is_about(said) && !is_in_content(node, budget),
            _ => content.agrees && said.is_certain() && content.is_about(said) && !is_in_content(node, budget),
        };
        if asks {
            Some((Apart::Consent, node.id()))
        } else if is_modal(element) {
            Some((Apart::Dialogue, node.id()))
        } else {
            None
        }
    }

    fn name_of(&mut self, element: &'t Element) -> Named {
        let values = [local_name!("id"), local_name!("class")];
        let values = values.iter().filter_map(|name| attribute(element, name));
        let values = values.filter(|value| value.len() <= MAX_VALUE_BYTES);
        let named = values.map(|value| *self.names.entry(value).or_insert_with(|| named(value)));
        named.max().unwrap_or(Named::Nothing)
    }

    /// The box around a button that agrees or refuses, if the box asks for consent and has not much more text.
    fn around_answer(&mut self, node: NodeRef<'t>, element: &Element, budget: &mut Budget) -> Option<NodeId> {
        let answer = answer_of(node, element, budget)?;
        let mut found: Option<(NodeId, usize)> = None;
        for around in node.ancestors().take(MAX_LEVELS) {
            let element = around.value().as_element()?;
            let is_page = matches!(element.name.local, local_name!("body") | local_name!("html"));
            if is_page || is_content(element) {
                break;
            }
            // Another button of the same dialogue.
            if found.is_none() && self.seen.contains(&around.id()) {
                continue;
            }
            self.seen.insert(around.id());
            let content = Content::of(around, budget);
            let bytes = content.text.len();
            if content.is_cut || content.holds_content || bytes > MAX_PLAIN_BYTES {
                break;
            }
            match found {
                None => {
                    let said = content.said(budget);
                    let is_asked = said.cookies
                        && match answer {
                            Answer::Consent => said.consent > 0,
                            Answer::Any => said.consent >= 2,
                        };
                    if bytes >= MIN_PLAIN_BYTES && is_asked {
                        found = Some((around.id(), bytes));
                    }
                }
                // A box around it that says nothing else.
                Some((_, before)) if bytes == before => found = Some((around.id(), bytes)),
                Some(_) => break,
            }
        }
        let (top, _) = found?;
        (!is_in_content(node, budget)).then_some(top)
    }
}

impl Content {
    fn of(node: NodeRef<'_>, budget: &mut Budget) -> Self {
        let mut content = Self {
            text: String::new(),
            is_cut: false,
            holds_content: false,
            agrees: false,
        };
        let mut button = None;
        let is_whole = scan(node, budget, |inner| {
            match inner.value() {
                Node::Text(text) => {
                    content.push(text);
                    let parent = inner.parent().map(NodeRef::id);
                    content.agrees |=
                        button.is_some() && parent == button && answer(text.trim()) == Some(Answer::Consent);
                }
                Node::Element(element) => {
                    content.holds_content |= is_content(element);
                    match element.name.local {
                        local_name!("script")
                        | local_name!("style")
                        | local_name!("noscript")
                        | local_name!("template") => {
                            return Way::Over;
                        }
                        local_name!("button") | local_name!("a") => button = Some(inner.id()),
                        local_name!("span") if inner.parent().map(NodeRef::id) == button => button = Some(inner.id()),
                        local_name!("input") => {
                            let label = attribute(element, &local_name!("value")).unwrap_or_default();
                            content.push(label);
                            content.agrees |= answer(label) == Some(Answer::Consent);
                        }
                        _ => {}
                    }
                }
                _ => return Way::Over,
            }
            if content.is_cut { Way::End } else { Way::Into }
        });
        content.is_cut |= !is_whole;
        content
    }

    /// Adds the words of a text, up to the longest dialogue.
    fn push(&mut self, text: &str) {
        for word in text.split_whitespace() {
            if self.text.len() + word.len() > MAX_DIALOGUE_BYTES {
                self.is_cut = true;
                return;
            }
            self.text.extend(word.chars().flat_map(char::to_lowercase));
            self.text.push(' ');
        }
    }

    fn said(&self, budget: &mut Budget) -> Said {
        if budget.take_text(self.text.len() * PRICE_OF_SEARCH) {
            said(&self.text)
        } else {
            Said::NOTHING
        }
    }

    /// Whether so much of the text speaks of consent that it speaks of nothing else.
    fn is_about(&self, said: Said) -> bool {
        self.text.len() <= BYTES_A_WORD * (said.consent + usize::from(said.cookies))
    }
}

/// Whether a large element holds the content of the page, or is too large to tell.
fn may_hold_content(node: NodeRef<'_>, budget: &mut Budget) -> bool {
    let mut found = false;
    let is_whole = scan(node, budget, |inner| {
        found = inner.value().as_element().is_some_and(is_content);
        if found { Way::End } else { Way::Into }
    });
    found || !is_whole
}

/// Whether a node stands in `<main>`, in an article or in a heading.
fn is_in_content(node: NodeRef<'_>, budget: &mut Budget) -> bool {
    let mut around = node.ancestors().filter_map(|around| around.value().as_element());
    // Without a budget, nothing is left out.
    around.any(|around| !budget.take() || is_content(around))
}

/// Whether an element is a dialogue by its name or its role.
fn is_dialogue(element: &Element) -> bool {
    element.name.local == local_name!("dialog") || has_role_of_dialogue(element) || is_aria_modal(element)
}

/// Whether an element is a dialogue that covers the page, or one that is not open.
fn is_modal(element: &Element) -> bool {
    match element.name.local {
        local_name!("dialog") => attribute(element, &local_name!("open")).is_none(),
        _ => has_role_of_dialogue(element) && is_aria_modal(element),
    }
}

fn has_role_of_dialogue(element: &Element) -> bool {
    let role = attribute(element, &local_name!("role")).map(str::trim);
    role.is_some_and(|role| role.eq_ignore_ascii_case("dialog") || role.eq_ignore_ascii_case("alertdialog"))
}

fn is_aria_modal(element: &Element) -> bool {
    attribute(element, &local_name!("aria-modal")).is_some_and(|modal| modal.trim().eq_ignore_ascii_case("true"))
}

/// The answer of a button, or of a link that leads nowhere.
fn answer_of(node: NodeRef<'_>, element: &Element, budget: &mut Budget) -> Option<Answer> {
    if element.name.local == local_name!("input") {
        let is_button = attribute(element, &local_name!("type")).is_some_and(|kind| {
            ["button", "submit"]
                .iter()
                .any(|button| kind.eq_ignore_ascii_case(button))
        });
        return answer(attribute(element, &local_name!("value")).filter(|_| is_button)?);
    }
    if element.name.local == local_name!("a") && attribute(element, &local_name!("href")).is_some_and(leads_to_a_page) {
        return None;
    }
    let mut label = String::new();
    scan(node, budget, |inner| {
        if let Some(text) = inner.value().as_text() {
            label.extend(text.chars().take(2 * MAX_BUTTON_BYTES));
        }
        if label.len() > 2 * MAX_BUTTON_BYTES {
            Way::End
        } else {
            Way::Into
        }
    });
    let label = label.split_whitespace().collect::<Vec<_>>().join(" ");
    answer(&label).filter(|_| label.len() <= MAX_BUTTON_BYTES)
}

/// Whether a reference leads to another page: links of dialogues run a script.
fn leads_to_a_page(href: &str) -> bool {
    let href = href.trim_start();
    let script = href.get(.."javascript:".len());
    !href.is_empty()
        && !href.starts_with('#')
        && !script.is_some_and(|script| script.eq_ignore_ascii_case("javascript:"))
}

/// What the names in the value of an attribute say.
fn named(names: &str) -> Named {
    if !may_be_of_consent(names) {
        return Named::Nothing;
    }
    let names = names.split_ascii_whitespace().take(MAX_NAMES);
    names
        .map(|name| named_by_one(&name.to_ascii_lowercase()))
        .max()
        .unwrap_or(Named::Nothing)
}

/// Whether one of the names may be of consent. Nearly none is, and one pass over the value tells it for all.
fn may_be_of_consent(names: &str) -> bool {
    static PARTS: LazyLock<Option<AhoCorasick>> = LazyLock::new(|| {
        AhoCorasick::builder()
            .ascii_case_insensitive(true)
            .build(TOOLS.iter().chain(&SUBJECTS))
            .ok()
    });
    PARTS.as_ref().is_none_or(|parts| parts.is_match(names))
}

fn named_by_one(name: &str) -> Named {
    if TOOLS.iter().any(|tool| name.starts_with(tool)) {
        return Named::Tool;
    }
    let is_of_consent = SUBJECTS.iter().any(|subject| name.contains(subject));
    let is_other = NO_DIALOGUES.iter().any(|part| name.contains(part))
        || KINDS_AND_STATES.iter().any(|prefix| name.starts_with(prefix))
        || STATES.iter().any(|state| name.ends_with(state));
    if !is_of_consent || is_other {
        Named::Nothing
    } else if BOXES.iter().any(|part| name.contains(part)) {
        Named::Box
    } else {
        Named::Consent
    }
}

/// How many times as much as a look at a text the search for the words of consent in it costs.
const PRICE_OF_SEARCH: usize = 4;

/// The beginnings of ids and classes that consent tools give to their dialogues. The tables of cookies that they put into a page have others.
const TOOLS: &[&str] = &[
    "axeptio",
    "borlabs-cookie",
    "borlabscookie",
    "brlbs-cmpnt",
    "catapult-cookie",
    "cc-banner",
    "cc-window",
    "cc_banner",
    "cc_container",
    "ch2-container",
    "ch2-dialog",
    "cky-consent",
    "cky-modal",
    "cky-overlay",
    "cli-modal",
    "cmpbox",
    "cmplz-cookiebanner",
    "cmpwrapper",
    "coi-banner",
    "consent_blackbar",
    "cookie-law-info",
    "cookie-script",
    "cookiebotwidget",
    "cookiefirst",
    "cookiehub",
    "cookiescript",
    "cybotcookiebot",
    "didomi-",
    "eu-cookie-compliance",
    "evidon-banner",
    "evidon-notice",
    "evidon-prefdiag",
    "fc-consent-root",
    "fc-dialog",
    "hs-eu-cookie",
    "iubenda-cs-",
    "ketch-banner",
    "ketch-consent",
    "ketch-modal",
    "klaro-cookie",
    "moove-gdpr",
    "moove_gdpr",
    "onetrust-",
    "osano-cm",
    "ot-sdk-container",
    "pandectes",
    "ppms_cm",
    "qc-cmp",
    "real-cookie-banner",
    "shopify-pc__banner",
    "snigel-cmp",
    "sp_message",
    "tarteaucitron",
    "termly-consent",
    "truendo",
    "truste-",
    "truste_",
    "uc-banner",
    "usercentrics-cmp",
    "usercentrics-root",
];

/// Parts of names that speak of consent.
const SUBJECTS: [&str; 6] = ["ccpa", "consent", "cookie", "gdpr", "lgpd", "privacy-banner"];

/// Parts of names of boxes.
const BOXES: [&str; 15] = [
    "alert",
    "banner",
    "bar",
    "box",
    "cookieconsent",
    "cookie-consent",
    "cookie_consent",
    "dialog",
    "law",
    "layer",
    "message",
    "modal",
    "notice",
    "overlay",
    "popup",
];

/// Beginnings of names that say of which kind or in which state an element is.
const KINDS_AND_STATES: [&str; 12] = [
    "cat-",
    "category-",
    "format-",
    "has-",
    "is-",
    "no-",
    "not-",
    "post-",
    "tag-",
    "tax-",
    "topic-",
    "type-",
];

/// Ends of names that say in which state an element is.
const STATES: [&str; 10] = [
    "-accepted",
    "-allowed",
    "-denied",
    "-enabled",
    "-given",
    "-granted",
    "-loaded",
    "-ready",
    "-required",
    "-set",
];

/// Parts of names of elements that are no dialogues: a page about cookies, and content that waits for consent.
const NO_DIALOGUES: [&str; 8] = [
    "declaration",
    "opt-in",
    "optin",
    "page",
    "placeholder",
    "policy",
    "recipe",
    "table",
];

#[cfg(test)]
mod tests;
