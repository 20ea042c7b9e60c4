//! The attributes that later steps read. The tree holds no others, unless a rule of the user needs them.

use html5ever::{LocalName, local_name};

use super::Attributes;

/// Whether all attributes of such elements matter, because the tree builder compares them (WHATWG HTML, section 13.2.4.3, "the list of
/// active formatting elements").
pub(super) fn matter_all(element: &str) -> bool {
    matches!(
        element,
        "a" | "b" | "big" | "code" | "em" | "font" | "i" | "nobr" | "s" | "small" | "strike" | "strong" | "tt" | "u"
    )
}

/// The name of an attribute that the tree holds; `None` for others.
pub(super) fn name(element: &str, attribute: &str, attributes: Attributes) -> Option<LocalName> {
    match attributes {
        Attributes::Read => read(element, attribute),
        Attributes::Requested => read(element, attribute).or_else(|| requested(element, attribute)),
        Attributes::All => Some(LocalName::from(attribute)),
    }
}

/// The name of an attribute that the tree builder reads, or a step for every page.
fn read(element: &str, attribute: &str) -> Option<LocalName> {
    Some(match attribute {
        "class" => local_name!("class"),
        "id" => local_name!("id"),
        "href" => local_name!("href"),
        "src" => local_name!("src"),
        "style" => local_name!("style"),
        "rel" => local_name!("rel"),
        "type" => local_name!("type"),
        "name" => local_name!("name"),
        "role" => local_name!("role"),
        "content" => local_name!("content"),
        "property" => local_name!("property"),
        "http-equiv" => local_name!("http-equiv"),
        "hidden" => local_name!("hidden"),
        "aria-hidden" => local_name!("aria-hidden"),
        "itemprop" => local_name!("itemprop"),
        "itemtype" => local_name!("itemtype"),
        "action" => local_name!("action"),
        "method" => local_name!("method"),
        "data" => local_name!("data"),
        "poster" => local_name!("poster"),
        "srcset" => local_name!("srcset"),
        "imagesrcset" => local_name!("imagesrcset"),
        "background" => local_name!("background"),
        "srcdoc" => local_name!("srcdoc"),
        "encoding" => local_name!("encoding"),
        "shadowrootmode" => local_name!("shadowrootmode"),
        "slot" => local_name!("slot"),
        "aria-modal" => local_name!("aria-modal"),
        "aria-label" => local_name!("aria-label"),
        "for" if element == "label" => local_name!("for"),
        "disabled" if element == "input" => local_name!("disabled"),
        "value" if element == "input" => local_name!("value"),
        "open" if element == "dialog" => local_name!("open"),
        "aria-expanded" | "aria-controls" if element == "button" => LocalName::from(attribute),
        "onload" if matches!(element, "body" | "frameset") => LocalName::from(attribute),
        "lang" | "xml:lang" if element == "html" => LocalName::from(attribute),
        "xlink:href" | "xlink:type" | "xlink:role" => LocalName::from(attribute),
        _ => return None,
    })
}

/// The name of a further attribute that Markdown or metadata read.
fn requested(element: &str, attribute: &str) -> Option<LocalName> {
    Some(match attribute {
        "title" => local_name!("title"),
        "datetime" => local_name!("datetime"),
        "itemscope" => local_name!("itemscope"),
        "aria-level" => local_name!("aria-level"),
        "typeof" | "data-lang" | "data-language" | "data-code-language" => LocalName::from(attribute),
        "alt" if element == "img" => local_name!("alt"),
        "value" if matches!(element, "li" | "meta") => local_name!("value"),
        "start" if element == "ol" => local_name!("start"),
        "colspan" | "rowspan" | "scope" if matches!(element, "td" | "th") => LocalName::from(attribute),
        "alttext" | "display" if element == "math" => LocalName::from(attribute),
        _ => return None,
    })
}

/// Whether a tree with these attributes holds this one of such elements. Nothing may read another one: it would always be missing.
pub(super) fn is_held(element: &str, attribute: &str, attributes: Attributes) -> bool {
    matter_all(element) || name(element, attribute, attributes).is_some()
}
