//! The role of an element by the marks of the template: its name, ARIA role, `itemprop`, classes and id.

use std::sync::LazyLock;

use html5ever::{LocalName, local_name};

use super::marks::{MAX_NAMES, RELATIONS};
use crate::map::Set;
use crate::parse::{Element, attribute};

/// The role of an element in the page. The model knows roles by their numbers: after a change, make the model again.
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

/// The role of a block-level element. `named` returns what its classes and its id say, and is called only if they count.
pub(super) fn role(element: &Element, named: impl FnOnce() -> Role) -> Role {
    let named = || {
        let counts = is_container(&element.name.local);
        if counts { named() } else { Role::None }
    };
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
        _ => match (named(), &element.name.local) {
            (Role::Boilerplate, _) => Role::Boilerplate,
            (_, &local_name!("article")) => Role::Article,
            (_, &local_name!("aside")) => Role::Aside,
            (_, &local_name!("header")) => Role::Header,
            (named, _) => named,
        },
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

/// The role that the names in an attribute say.
pub(super) fn role_of_names(names: &str) -> Role {
    let mut role = Role::None;
    for name in names.split_ascii_whitespace().take(MAX_NAMES) {
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
    if KNOWN.content_names.contains(&*lower) {
        return Role::Content;
    }
    let words = || lower.split(|b| !b.is_ascii_alphanumeric());
    let boilerplate = holds_boilerplate_part(lower) || words().any(|word| KNOWN.boilerplate_words.contains(word));
    let is_relation = |first: &[u8]| RELATIONS.iter().any(|relation| relation.as_bytes() == first);
    if boilerplate && !words().next().is_some_and(is_relation) {
        Role::Boilerplate
    } else {
        Role::None
    }
}

fn holds_boilerplate_part(name: &[u8]) -> bool {
    let begins = |at: usize| {
        let mut parts = BOILERPLATE_PARTS.iter().map(|part| part.as_bytes());
        KNOWN.begins_part[usize::from(name[at])] && parts.any(|part| name[at..].starts_with(part))
    };
    (0..name.len()).any(begins)
}

/// The lists below, to look up.
struct Known {
    content_names: Set<&'static [u8]>,
    boilerplate_words: Set<&'static [u8]>,
    /// Whether a part of boilerplate begins with this byte.
    begins_part: [bool; 256],
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| Known {
    content_names: CONTENT_NAMES.iter().map(|name| name.as_bytes()).collect(),
    boilerplate_words: BOILERPLATE_WORDS.iter().map(|word| word.as_bytes()).collect(),
    begins_part: std::array::from_fn(|byte| {
        BOILERPLATE_PARTS
            .iter()
            .any(|part| usize::from(part.as_bytes()[0]) == byte)
    }),
});

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
