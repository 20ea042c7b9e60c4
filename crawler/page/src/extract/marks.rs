//! What the markup says of an element by itself: its mark, and whether it is shown.

use std::sync::LazyLock;

use html5ever::local_name;

use crate::map::Map;
use crate::parse::{Element, attribute};

/// The kinds of boxes whose distance to a run is a feature of the run. The model knows them by their numbers: after a change of a mark
/// or of a topic, make the model again.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(super) enum Mark {
    /// `<main>`, `role=main`, `itemprop=articleBody`.
    Main,
    /// `<article>`, `role=article`.
    Article,
    /// `<aside>`, `role=complementary`.
    Aside,
    /// `<nav>`, `<menu>`, `role=navigation`, menus, search.
    Navigation,
    /// `<header>`, `role=banner`.
    Header,
    /// `<footer>`, `role=contentinfo`.
    Footer,
    /// `<form>`, `<dialog>`, and their roles.
    Form,
    /// `<figure>`.
    Figure,
    /// `<table>`.
    Table,
    /// `<ul>`, `<ol>`, `<dl>`.
    List,
    /// `<section>`.
    Section,
    /// `<pre>`.
    Pre,
    /// `<blockquote>`.
    Quote,
}

/// Number of [`Mark`]s.
pub(super) const MARKS: usize = Mark::Quote as usize + 1;

/// The mark of an element, if it has one. The role comes before the name.
pub(super) fn mark(element: &Element) -> Option<Mark> {
    let role = attribute(element, &local_name!("role")).map(str::trim);
    if let Some(mark) = role.and_then(mark_of_role) {
        return Some(mark);
    }
    if attribute(element, &local_name!("itemprop")).is_some_and(|property| property.contains("articleBody")) {
        return Some(Mark::Main);
    }
    Some(match element.name.local {
        local_name!("main") => Mark::Main,
        local_name!("article") => Mark::Article,
        local_name!("aside") => Mark::Aside,
        local_name!("nav") | local_name!("menu") => Mark::Navigation,
        local_name!("header") => Mark::Header,
        local_name!("footer") => Mark::Footer,
        local_name!("form") | local_name!("dialog") => Mark::Form,
        local_name!("figure") => Mark::Figure,
        local_name!("table") => Mark::Table,
        local_name!("ul") | local_name!("ol") | local_name!("dl") => Mark::List,
        local_name!("section") => Mark::Section,
        local_name!("pre") => Mark::Pre,
        local_name!("blockquote") => Mark::Quote,
        _ => return None,
    })
}

fn mark_of_role(role: &str) -> Option<Mark> {
    Some(match role {
        "main" => Mark::Main,
        "article" => Mark::Article,
        "navigation" | "menu" | "menubar" | "toolbar" | "search" | "tablist" => Mark::Navigation,
        "banner" => Mark::Header,
        "contentinfo" => Mark::Footer,
        "complementary" => Mark::Aside,
        "dialog" | "alertdialog" | "alert" | "status" | "tooltip" | "form" => Mark::Form,
        _ => return None,
    })
}

/// What the names of an element say of its part in the page. A name may say several things.
#[rustfmt::skip]
pub(super) const TOPICS: [&str; 16] = [
    "comment comments reply replies respond disqus commentlist discussion kommentar kommentare comentario comentarios commentaire
     commentaires commenti komentarze reacties",
    "review reviews rating ratings testimonial testimonials feedback stars",
    "related recommended recommendations recommendation similar suggestions popular trending upsell carousel also relatedposts
     yarpp crp mostread latest recent recommend teaser teasers readmore recirculation outbrain taboola zergnet verwandt verwandte
     aehnliche relacionadas relacionados relacionada similaires correlati powiazane linked",
    "author authors byline bio contributor avatar username profile user autor autoren auteur autore redaktion writer",
    "meta date published timestamp tag tags category categories breadcrumb breadcrumbs crumbs datum fecha time pubdate postmeta
     postinfo byline dateline updated posted info infos kicker source filed taxonomy tagcloud taglist schlagworte rubrik kategorie
     etiquetas",
    "caption credit copyright figure gallery image photo video",
    "share sharing social follow print icons sharedaddy addthis addtoany socials sharebar shares bookmarks facebook twitter
     whatsapp teilen partage partager compartir condividi udostepnij delen",
    "price prices cart buy quantity shipping stock variant swatch wishlist",
    "product products item items card cards tile tiles grid listing listings result results teaser",
    "description desc details spec specs specification specifications features summary excerpt overview tab tabs accordion panel",
    "post posts message messages topic thread answer answers question forum reply",
    "content body article entry story text main copy prose markdown richtext rte wysiwyg",
    "promo banner hero ad ads advertisement sponsor sponsored newsletter subscribe cta signup cookie consent popup modal overlay
     werbung anzeige anzeigen publicidad publicite pubblicita reklama advert adv adsense dfp adslot adunit teads paywall abo
     donate donation donations premium partner partners affiliate subscription promotion commercial",
    "menu nav navigation navbar dropdown mega megamenu toolbar sidebar widget footer header skip search filter filters facets
     pagination pager login",
    "legal disclaimer impressum imprint terms license licence colophon notice rights",
    "aside rail sidebox marginalia side secondary right left column col block module box",
];

/// The bit of the topic of menus, and of other parts of a template beside its content.
pub(super) const MENU: u16 = 1 << 13;

/// The bit of the topic of the content.
pub(super) const CONTENT: u16 = 1 << 11;

/// The bit of the topic of boxes with teasers of other pages.
pub(super) const RELATED: u16 = 1 << 2;

/// The bits of the topics that say where a box stands.
pub(super) const PLACE: u16 = 1 << 15;

/// The topics of the names in an attribute as a set of bits.
///
/// A name is split where it has no letter and where a capital follows a small letter. A name that describes other boxes
/// (`has-sidebar`) says nothing.
pub(super) fn topics(names: &str) -> u16 {
    let names = names.split_ascii_whitespace().take(MAX_NAMES);
    names.fold(0, |topics, name| topics | topics_of_name(name))
}

/// Least text of a hidden box, in bytes. Less is a message or the label of a control. Folded sections and tabs have more.
pub(super) const MIN_BYTES_OF_HIDDEN: usize = 100;

/// Longest value that is read, in bytes. The parser may repeat an element with a long one in each paragraph.
pub(super) const MAX_VALUE_BYTES: usize = 4096;

/// Most names of an attribute that are read.
pub(super) const MAX_NAMES: usize = 24;

/// Longest name that is read, in bytes. Longer ones are made by programs.
const MAX_NAME_BYTES: usize = 64;

/// Words by which a name describes other boxes: `has-sidebar`, `no-menu`.
pub(super) const RELATIONS: &[&str] = &["has", "is", "no", "with", "without"];

/// The topics of each word.
static TOPICS_OF_WORDS: LazyLock<Map<&[u8], u16>> = LazyLock::new(|| {
    let mut topics = Map::default();
    for (topic, words) in TOPICS.iter().enumerate() {
        words
            .split_ascii_whitespace()
            .for_each(|word| *topics.entry(word.as_bytes()).or_insert(0) |= 1 << topic);
    }
    topics
});

fn topics_of_name(name: &str) -> u16 {
    if name.len() > MAX_NAME_BYTES {
        return 0;
    }
    let (mut topics, mut start, mut first) = (0, 0, true);
    let bytes = name.as_bytes();
    let mut lower = [0; MAX_NAME_BYTES];
    let lower = &mut lower[..bytes.len()];
    lower.copy_from_slice(bytes);
    lower.make_ascii_lowercase();
    for end in 1..=bytes.len() {
        let joins = end < bytes.len()
            && bytes[end].is_ascii_alphabetic() == bytes[end - 1].is_ascii_alphabetic()
            && !(bytes[end - 1].is_ascii_lowercase() && bytes[end].is_ascii_uppercase());
        if joins {
            continue;
        }
        let word = &lower[start..end];
        start = end;
        if std::mem::take(&mut first) && RELATIONS.iter().any(|relation| relation.as_bytes() == word) {
            return 0;
        }
        topics |= TOPICS_OF_WORDS.get(word).copied().unwrap_or(0);
    }
    topics
}

/// Why an element is not shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Hidden {
    /// By a style or by the attribute `hidden`. A script may show it, as it does with folded sections and tabs.
    Folded,
    /// By `aria-hidden`, or for screen readers only.
    Unseen,
}

/// Why an element is not shown; `None` if it is.
pub(super) fn hidden(element: &Element) -> Option<Hidden> {
    if matches!(element.name.local, local_name!("html") | local_name!("body")) {
        return None;
    }
    let mut attributes = element
        .attributes
        .iter()
        .filter(|attribute| attribute.value.len() <= MAX_VALUE_BYTES);
    attributes.find_map(|attribute| {
        let value = &attribute.value;
        let (is_hidden, why) = match attribute.name.local {
            // The search of a browser finds such text and shows it.
            local_name!("hidden") => (!value.eq_ignore_ascii_case("until-found"), Hidden::Folded),
            local_name!("style") => (hides(value), Hidden::Folded),
            local_name!("class") => (
                value
                    .split_ascii_whitespace()
                    .any(|class| UNSEEN_CLASSES.contains(&class)),
                Hidden::Unseen,
            ),
            local_name!("aria-hidden") => (value.eq_ignore_ascii_case("true"), Hidden::Unseen),
            _ => return None,
        };
        is_hidden.then_some(why)
    })
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn topics_are_known_by_their_bits() {
        assert_eq!(topics("navbar"), MENU);
        assert_eq!(topics("prose"), CONTENT);
        assert_eq!(topics("main-menu"), MENU | CONTENT);
    }
}
