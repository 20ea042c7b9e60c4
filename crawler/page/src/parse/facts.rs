//! The facts of a page besides its text: title, language, links, and robots directives.

use encoding_rs::Encoding;
use html5ever::{local_name, ns};
use url::Url;

use super::base::Base;
use super::line::{push_collapsed, text_of};
use super::outlinks::{Reference, Resolver, resolve};
use super::refresh::parse_refresh;
use super::shadow::shadow_roots;
use super::site_signs::{SiteReader, SiteSigns};
use super::{Document, Element, LinkKind, NodeId, NodeRef, Outlink, RobotsDirectives, Tree, attribute};
use crate::map::Set;

/// Most canonical URLs that are compared.
const MAX_CANONICALS: usize = 64;

/// Most keywords.
const MAX_KEYWORDS: usize = 64;

/// The facts of a page.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct PageFacts {
    /// The text of `<title>` with collapsed white space; empty without a title.
    pub title: String,
    /// The text of the first `<h1>` with collapsed white space; `None` if it is empty.
    pub first_heading: Option<String>,
    /// What tells the name of the site from that heading.
    pub site: SiteSigns,
    /// `<meta name=keywords>`, split at commas.
    pub keywords: Vec<String>,
    /// The declared language, as written (`en-US`): `<html lang>`, else `<meta http-equiv=content-language>`.
    pub lang: Option<String>,
    /// `<link rel=canonical>` in the head, resolved. `None` if several name different URLs, because then none can be trusted. A
    /// link in the body may come from a visitor and does not count.
    pub canonical: Option<Url>,
    /// Whether several `<link rel=canonical>` in the head name different URLs.
    pub canonical_conflict: bool,
    /// Robots metas for all crawlers and for this one.
    pub robots: RobotsDirectives,
    /// The links to documents, each URL once, in order of appearance; those inside `<noscript>` come last.
    pub outlinks: Vec<Outlink>,
}

/// Reads the facts of a page fetched from `page_url`, for the crawler with the user agent `agent`.
pub(crate) fn facts(doc: &Document, page_url: &Url, agent: &str) -> PageFacts {
    let mut found = Found {
        site: SiteReader::of(page_url),
        ..Found::default()
    };
    // Nodes are in order of creation, which is the order of the source.
    for (node, element) in live_elements(&doc.html) {
        found.take(node, element, agent);
    }
    doc.unscripted.iter().for_each(|html| found.take_links(html));
    found.resolve(page_url, doc.encoding)
}

/// The base of the references of a page fetched from `page_url`.
pub(crate) fn base(doc: &Document, page_url: &Url) -> Base {
    let mut hrefs = live_elements(&doc.html).filter_map(|(_, element)| {
        let is_base = element.name.ns == ns!(html) && element.name.local == local_name!("base");
        is_base.then(|| attribute(element, &local_name!("href"))).flatten()
    });
    Base::new(hrefs.next(), page_url, doc.encoding)
}

/// The facts before `<base>` is known.
#[derive(Default)]
struct Found<'a> {
    facts: PageFacts,
    site: SiteReader,
    base: Option<&'a str>,
    canonicals: Vec<&'a str>,
    /// The first well-formed refresh counts.
    has_refresh: bool,
    references: Vec<Reference<'a>>,
}

impl<'a> Found<'a> {
    fn take(&mut self, node: NodeRef<'a>, element: &'a Element, agent: &str) {
        let html = element.name.ns == ns!(html);
        match element.name.local {
            local_name!("title") if html && self.facts.title.is_empty() => self.facts.title = text_of(node),
            local_name!("h1") if self.facts.first_heading.is_none() => self.take_heading(node),
            local_name!("h2") => self.site.take_subheading(node),
            local_name!("html") if self.facts.lang.is_none() => {
                let lang = attribute(element, &local_name!("lang"));
                self.facts.lang = lang.or_else(|| named(element, "xml:lang")).and_then(non_empty);
            }
            local_name!("base") if html && self.base.is_none() => self.base = attribute(element, &local_name!("href")),
            local_name!("meta") => {
                self.take_meta(element, agent);
                self.site.take_meta(element);
            }
            _ => {
                self.site.take_link(node, element);
                self.take_reference(node, element);
            }
        }
    }

    fn take_heading(&mut self, node: NodeRef<'a>) {
        let heading = Some(text_of(node)).filter(|text| !text.is_empty());
        if let Some(heading) = &heading {
            self.site.take_heading(node, heading);
        }
        self.facts.first_heading = heading;
    }

    /// Takes the links of a `<noscript>`, and no other facts.
    fn take_links(&mut self, html: &'a Tree) {
        for (node, element) in live_elements(html) {
            match element.name.local {
                local_name!("meta") => self.take_pragma(element),
                _ => self.references.extend(Reference::of(node, element)),
            }
        }
    }

    fn take_reference(&mut self, node: NodeRef<'a>, element: &'a Element) {
        if let Some(reference) = Reference::of(node, element) {
            if reference.is_canonical() && self.canonicals.len() < MAX_CANONICALS && is_in_head(node) {
                self.canonicals.push(reference.target());
            }
            self.references.push(reference);
        }
    }

    fn take_meta(&mut self, element: &'a Element, agent: &str) {
        let content = attribute(element, &local_name!("content")).unwrap_or_default();
        if let Some(name) = attribute(element, &local_name!("name")) {
            self.facts.robots.add_meta(name, content, agent);
            if name.eq_ignore_ascii_case("keywords") && self.facts.keywords.is_empty() {
                self.facts.keywords = content
                    .split([',', '，', '、'])
                    .filter_map(non_empty)
                    .take(MAX_KEYWORDS)
                    .collect();
            }
        }
        self.take_pragma(element);
    }

    fn take_pragma(&mut self, element: &'a Element) {
        let content = attribute(element, &local_name!("content")).unwrap_or_default();
        let pragma = attribute(element, &local_name!("http-equiv")).unwrap_or_default();
        if pragma.eq_ignore_ascii_case("refresh") && !self.has_refresh {
            let refresh = parse_refresh(content);
            self.has_refresh = refresh.is_some();
            let target = refresh.and_then(|(_, target)| target);
            self.references
                .extend(target.map(|target| Reference::new(target, LinkKind::Refresh)));
        } else if pragma.eq_ignore_ascii_case("content-language") && self.facts.lang.is_none() {
            self.facts.lang = content.split(',').next().and_then(non_empty);
        }
    }

    fn resolve(self, page_url: &Url, encoding: &'static Encoding) -> PageFacts {
        let base = Base::new(self.base, page_url, encoding);
        let mut resolver = Resolver::new(&base, page_url);
        self.references
            .into_iter()
            .for_each(|reference| resolver.add(reference));
        let mut canonicals: Vec<Url> = self
            .canonicals
            .into_iter()
            .filter_map(|canonical| resolve(&base, canonical))
            .collect();
        canonicals.dedup();
        let canonical_conflict = canonicals.len() > 1;
        PageFacts {
            canonical: canonicals.pop().filter(|_| !canonical_conflict),
            canonical_conflict,
            outlinks: resolver.finish(),
            site: self.site.signs,
            ..self.facts
        }
    }
}

/// The elements in order, without those in [`inert_nodes`].
pub(crate) fn live_elements(html: &Tree) -> impl Iterator<Item = (NodeRef<'_>, &Element)> {
    let inert = inert_nodes(html);
    let elements = html.nodes().filter_map(|node| Some((node, node.value().as_element()?)));
    elements.filter(move |(node, _)| !inert.contains(&node.id()))
}

/// The nodes inside `<template>` elements, which are inactive without a script. A template that declares a shadow root is part
/// of the page.
fn inert_nodes(html: &Tree) -> Set<NodeId> {
    let mut inert = Set::default();
    let live: Set<NodeId> = shadow_roots(html).into_iter().collect();
    for fragment in html.fragments() {
        if !live.contains(&fragment.id()) && !inert.contains(&fragment.id()) {
            inert.extend(fragment.descendants().map(|node| node.id()));
        }
    }
    inert
}

fn is_in_head(node: NodeRef<'_>) -> bool {
    let mut elements = node.ancestors().filter_map(|ancestor| ancestor.value().as_element());
    elements.any(|element| element.name.local == local_name!("head"))
}

/// The value of an attribute by its name, such as `xml:lang`, which is one name in HTML.
fn named<'a>(element: &'a Element, name: &str) -> Option<&'a str> {
    element
        .attributes
        .iter()
        .find(|attribute| &*attribute.name.local == name)
        .map(|attribute| &*attribute.value)
}

fn non_empty(text: &str) -> Option<String> {
    let mut collapsed = String::new();
    push_collapsed(&mut collapsed, text);
    Some(collapsed.trim_end().to_owned()).filter(|text| !text.is_empty())
}
