//! The role of an element by the marks of the template: its name, ARIA role, `itemprop`, classes and id.

use ego_tree::NodeRef;
use html5ever::{LocalName, local_name};
use scraper::Node;
use scraper::node::Element;

use super::display::is_heading;
use crate::parse::attribute;

/// The role of an element in the page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Role {
    /// Unknown.
    None,
    /// The main content: `<main>`, `role=main`, `itemprop=articleBody`.
    Main,
    /// A self-contained piece of content: `<article>`.
    Article,
    /// Content, by the name of its class or id.
    Content,
    /// A heading area: `<header>`, `role=banner`.
    Header,
    /// Secondary content: `<aside>`, `role=complementary`.
    Aside,
    /// A footer: `<footer>`, `role=contentinfo`.
    Footer,
    /// Navigation: `<nav>`, `role=navigation`, menus, search.
    Navigation,
    /// Boilerplate, by the name of its class or id.
    Boilerplate,
}

/// The role of a block-level element.
pub(super) fn role(node: NodeRef<'_, Node>, element: &Element) -> Role {
    match attribute(element, &local_name!("role")).map(str::trim) {
        Some("main") => return Role::Main,
        Some("navigation" | "menu" | "menubar" | "toolbar" | "search") => {
            return Role::Navigation;
        }
        Some("banner") => return Role::Header,
        Some("contentinfo") => return Role::Footer,
        Some("complementary") => return Role::Aside,
        Some("dialog" | "alertdialog" | "alert" | "status" | "tooltip") => return Role::Boilerplate,
        _ => {}
    }
    match attribute(element, &local_name!("itemprop")) {
        Some(property) if property.contains("articleBody") => return Role::Main,
        Some("author") => return Role::Boilerplate,
        _ => {}
    }
    match element.name.local {
        local_name!("main") => Role::Main,
        local_name!("nav") | local_name!("menu") => Role::Navigation,
        local_name!("footer") => Role::Footer,
        local_name!("dialog") => Role::Boilerplate,
        local_name!("html") | local_name!("body") => Role::None,
        _ => match (named(node, element), &element.name.local) {
            (Role::Boilerplate, _) => Role::Boilerplate,
            (_, &local_name!("article")) => Role::Article,
            (_, &local_name!("aside")) => Role::Aside,
            (_, &local_name!("header")) => Role::Header,
            (named, _) => named,
        },
    }
}

/// The role of an element by the names of its classes and its id.
///
/// Generators make ids from headings (`<section id="license-and-copyright">`), so the id of a box that begins with a heading
/// does not count.
fn named(node: NodeRef<'_, Node>, element: &Element) -> Role {
    if !is_container(&element.name.local) {
        return Role::None;
    }
    let class = attribute(element, &local_name!("class")).map_or(Role::None, names_role);
    if class == Role::Boilerplate {
        return class;
    }
    let id = attribute(element, &local_name!("id")).map_or(Role::None, names_role);
    if id == Role::None || begins_with_heading(node) {
        class
    } else {
        id
    }
}

/// Whether templates are built of such elements. Elements of paragraphs and definitions are named after their text.
fn is_container(name: &LocalName) -> bool {
    matches!(
        *name,
        local_name!("div")
            | local_name!("section")
            | local_name!("article")
            | local_name!("aside")
            | local_name!("header")
            | local_name!("ul")
            | local_name!("ol")
            | local_name!("li")
            | local_name!("form")
            | local_name!("table")
    )
}

fn begins_with_heading(node: NodeRef<'_, Node>) -> bool {
    let mut elements = node.children().filter_map(|child| child.value().as_element());
    elements
        .find(|element| element.name.local != local_name!("span"))
        .is_some_and(|first| is_heading(&first.name.local))
}

fn names_role(names: &str) -> Role {
    let mut role = Role::None;
    for name in names.split_ascii_whitespace() {
        match word_role(name) {
            Role::Boilerplate => return Role::Boilerplate,
            Role::None => {}
            content => role = content,
        }
    }
    role
}

/// The role of one class name or id.
fn word_role(name: &str) -> Role {
    let mut lower = [0u8; 48];
    if name.len() > lower.len() {
        return Role::None;
    }
    let bytes = name.as_bytes();
    let lower = &mut lower[..bytes.len()];
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    if CONTENT_NAMES.iter().any(|content| content.as_bytes() == lower) {
        return Role::Content;
    }
    let words = || lower.split(|b| !b.is_ascii_alphanumeric());
    let is_in = |list: &[&str], word: &[u8]| list.iter().any(|listed| listed.as_bytes() == word);
    let relation = words().next().is_some_and(|first| is_in(RELATIONS, first));
    let boilerplate = BOILERPLATE_PARTS.iter().any(|part| contains(lower, part.as_bytes()))
        || words().any(|word| is_in(BOILERPLATE_WORDS, word));
    if boilerplate && !relation {
        Role::Boilerplate
    } else {
        Role::None
    }
}

fn contains(text: &[u8], part: &[u8]) -> bool {
    text.len() >= part.len() && text.windows(part.len()).any(|w| w == part)
}

/// Common names of the box around the content.
const CONTENT_NAMES: &[&str] = &[
    "content",
    "main",
    "article",
    "body",
    "post",
    "entry",
    "page-content",
    "main-content",
    "maincontent",
    "article-body",
    "article-content",
    "post-content",
    "post-body",
    "entry-content",
    "markdown-body",
    "story-body",
    "content-body",
    "page-body",
    "text-content",
    "document",
    "content-main",
    "primary",
    "page__content",
    "mw-content-text",
];

/// Words that mark boilerplate anywhere in a name.
const BOILERPLATE_PARTS: &[&str] = &[
    "breadcrumb",
    "cookie",
    "dropdown",
    "lightbox",
    "masthead",
    "megamenu",
    "navbar",
    "navigation",
    "newsletter",
    "pagination",
    "popover",
    "sidebar",
    "submenu",
    "subscribe",
    "toolbar",
    "tooltip",
    "userinfo",
];

/// Words that mark boilerplate as a whole word of a name.
const BOILERPLATE_WORDS: &[&str] = &[
    "ad",
    "ads",
    "advert",
    "advertisement",
    "announcement",
    "author",
    "basket",
    "cart",
    "colophon",
    "consent",
    "copyright",
    "drawer",
    "facet",
    "facets",
    "filter",
    "filters",
    "flyout",
    "form",
    "footer",
    "gdpr",
    "legal",
    "login",
    "menu",
    "modal",
    "nav",
    "overlay",
    "pager",
    "popup",
    "privacy",
    "products",
    "promo",
    "recommendations",
    "recommended",
    "related",
    "reviews",
    "search",
    "share",
    "sharing",
    "signature",
    "signup",
    "skip",
    "social",
    "sponsored",
    "toc",
    "user",
];

/// Words by which a name describes other boxes: `has-sidebar`, `no-menu`.
const RELATIONS: &[&str] = &["has", "is", "no", "with", "without"];

/// Whether an element is invisible, or visible only to screen readers.
pub(super) fn is_hidden(node: NodeRef<'_, Node>, element: &Element) -> bool {
    let root = matches!(element.name.local, local_name!("html") | local_name!("body"));
    !root
        && element.attrs.iter().any(|(name, value)| match name.local {
            // Folded content, which the browser's search finds.
            local_name!("hidden") => !value.eq_ignore_ascii_case("until-found") && !holds_main(node),
            local_name!("style") => hides(value),
            local_name!("class") => value
                .split_ascii_whitespace()
                .any(|class| UNSEEN_CLASSES.contains(&class)),
            local_name!("aria-hidden") => value.eq_ignore_ascii_case("true"),
            _ => false,
        })
}

/// Whether a hidden child of the body holds the main content: frameworks that stream pages append it there for a script.
fn holds_main(node: NodeRef<'_, Node>) -> bool {
    let parent = node.parent().and_then(|parent| parent.value().as_element());
    let mut inner = node.descendants().filter_map(|node| node.value().as_element());
    parent.is_some_and(|parent| parent.name.local == local_name!("body"))
        && inner.any(|inner| inner.name.local == local_name!("main"))
}

/// Classes of text for screen readers only.
const UNSEEN_CLASSES: &[&str] = &[
    "sr-only",
    "visually-hidden",
    "visuallyhidden",
    "screen-reader-text",
    "screen-reader",
];

fn hides(style: &str) -> bool {
    style
        .split(';')
        .filter_map(|declaration| declaration.split_once(':'))
        .any(|(property, value)| {
            let (property, value) = (property.trim(), value.trim());
            let is = |name: &str, hidden: &str| {
                property.eq_ignore_ascii_case(name)
                    && value
                        .get(..hidden.len())
                        .is_some_and(|value| value.eq_ignore_ascii_case(hidden))
            };
            is("display", "none") || is("visibility", "hidden")
        })
}
