//! The embedded resources of a page: images, scripts, style sheets, media, and what a browser is told to load early. They have no
//! text, so a crawl follows them only on request. Objects may be PDF files, feeds or pages.
//!
//! The documents in `srcdoc` attributes belong to the page, and so do their links.

use std::borrow::Cow;

use html5ever::{LocalName, local_name, ns};
use url::Url;

use super::base::Base;
use super::facts::live_elements;
use super::outlinks::{MAX_OUTLINKS, Reference, Resolver, has_token, relation_kind};
use super::{Attributes, Document, Element, LinkKind, NodeRef, Outlink, Tree, attribute, parse_part, style};

/// Most references of a page before repeated ones are removed. Later ones are ignored.
const MAX_REFERENCES: usize = 8 * MAX_OUTLINKS;

/// Most documents in `srcdoc` attributes.
const MAX_FRAMES: usize = 64;

/// Deepest nesting of documents in `srcdoc` attributes.
const MAX_FRAME_DEPTH: usize = 4;

/// The embedded resources of a page fetched from `page_url`, each URL once, in order of appearance; those of frames with a `srcdoc`
/// come last, with their links to documents. Other frames belong to the page's outlinks.
pub(crate) fn embedded(doc: &Document, page_url: &Url) -> Vec<Outlink> {
    let frames = frames(doc);
    let mut found = Found::default();
    found.take_tree(&doc.html);
    let base = Base::new(found.base, page_url, doc.encoding);
    doc.unscripted.iter().for_each(|html| found.take_tree(html));
    for html in &frames {
        found.take_tree(html);
        found.take_links(html);
    }
    let mut resolver = Resolver::new(&base, page_url);
    for Embedded { target, kind, nofollow } in &found.references {
        resolver.add(Reference::new(target, *kind).with_nofollow(*nofollow));
    }
    resolver.finish()
}

/// The documents in the `srcdoc` attributes of a page and of these documents.
fn frames(doc: &Document) -> Vec<Tree> {
    let part = |html: &str| parse_part(html, Attributes::Read);
    let outer = std::iter::once(&doc.html).chain(&doc.unscripted);
    let mut level: Vec<Tree> = outer.flat_map(srcdocs).take(MAX_FRAMES).map(part).collect();
    let mut frames = Vec::new();
    for _depth in 1..MAX_FRAME_DEPTH {
        let room = MAX_FRAMES - frames.len() - level.len();
        let next: Vec<Tree> = level.iter().flat_map(srcdocs).take(room).map(part).collect();
        frames.append(&mut std::mem::replace(&mut level, next));
    }
    frames.append(&mut level);
    frames
}

fn srcdocs(html: &Tree) -> impl Iterator<Item = &str> {
    let frames = live_elements(html).filter(|(_, element)| element.name.local == local_name!("iframe"));
    frames.filter_map(|(_, element)| attribute(element, &local_name!("srcdoc")))
}

/// A reference before the base URL is known.
struct Embedded<'a> {
    target: Cow<'a, str>,
    kind: LinkKind,
    nofollow: bool,
}

#[derive(Default)]
struct Found<'a> {
    /// The `href` of the first `<base>`.
    base: Option<&'a str>,
    references: Vec<Embedded<'a>>,
}

impl<'a> Found<'a> {
    fn take_tree(&mut self, html: &'a Tree) {
        for (node, element) in live_elements(html) {
            let is_base = element.name.local == local_name!("base") && element.name.ns == ns!(html);
            if is_base && self.base.is_none() {
                self.base = attribute(element, &local_name!("href"));
            }
            self.take(node, element);
        }
    }

    /// Takes the links to documents.
    fn take_links(&mut self, html: &'a Tree) {
        for (node, element) in live_elements(html) {
            if let Some(link) = Reference::of(node, element) {
                self.push(Cow::Borrowed(link.target()), link.kind(), link.nofollow());
            }
        }
    }

    fn take(&mut self, node: NodeRef<'a>, element: &'a Element) {
        self.take_attributes(element);
        if let Some(style) = attribute(element, &local_name!("style")) {
            self.take_style(style);
        }
        if element.name.local == local_name!("style") && is_css(element) {
            let texts = node.children().filter_map(|child| child.value().as_text());
            texts.for_each(|text| self.take_style(text));
        }
    }

    fn take_attributes(&mut self, element: &'a Element) {
        let (src, href) = (local_name!("src"), local_name!("href"));
        let svg = element.name.ns == ns!(svg);
        match element.name.local {
            local_name!("image") | local_name!("feImage") | local_name!("use") if svg => {
                self.take_attribute(element, &href, LinkKind::Image);
            }
            local_name!("script") if svg => self.take_attribute(element, &href, LinkKind::Script),
            local_name!("script") => self.take_attribute(element, &src, LinkKind::Script),
            local_name!("input") if !is(element, "image") => {}
            local_name!("img") | local_name!("input") => self.take_attribute(element, &src, LinkKind::Image),
            local_name!("audio") | local_name!("video") | local_name!("source") | local_name!("track") => {
                self.take_attribute(element, &src, LinkKind::Media);
            }
            local_name!("object") => self.take_attribute(element, &local_name!("data"), LinkKind::Object),
            local_name!("embed") => self.take_attribute(element, &src, LinkKind::Object),
            local_name!("link") => self.take_link(element),
            _ => {}
        }
        match element.name.local {
            local_name!("video") => self.take_attribute(element, &local_name!("poster"), LinkKind::Image),
            local_name!("img") | local_name!("source") => self.take_candidates(element, &local_name!("srcset")),
            local_name!("body")
            | local_name!("table")
            | local_name!("thead")
            | local_name!("tbody")
            | local_name!("tfoot")
            | local_name!("tr")
            | local_name!("td")
            | local_name!("th") => self.take_attribute(element, &local_name!("background"), LinkKind::Image),
            _ => {}
        }
    }

    fn take_link(&mut self, element: &'a Element) {
        let rel = attribute(element, &local_name!("rel")).unwrap_or_default();
        let media_type = attribute(element, &local_name!("type")).unwrap_or_default();
        let Some(kind) = resource_kind(rel, media_type) else {
            return;
        };
        self.take_attribute(element, &local_name!("href"), kind);
        if kind == LinkKind::Preload {
            self.take_candidates(element, &local_name!("imagesrcset"));
        }
    }

    fn take_attribute(&mut self, element: &'a Element, name: &LocalName, kind: LinkKind) {
        if let Some(target) = attribute(element, name) {
            self.push(Cow::Borrowed(target), kind, false);
        }
    }

    fn take_candidates(&mut self, element: &'a Element, name: &LocalName) {
        let candidates = candidates(attribute(element, name).unwrap_or_default());
        let room = MAX_REFERENCES - self.references.len();
        for target in candidates.take(room) {
            self.push(Cow::Borrowed(target), LinkKind::Image, false);
        }
    }

    fn take_style(&mut self, style: &str) {
        style::urls(style, &mut |url, kind| {
            self.push(Cow::Owned(url.to_owned()), kind, false);
            self.references.len() < MAX_REFERENCES
        });
    }

    fn push(&mut self, target: Cow<'a, str>, kind: LinkKind, nofollow: bool) {
        if self.references.len() < MAX_REFERENCES {
            self.references.push(Embedded { target, kind, nofollow });
        }
    }
}

fn is(element: &Element, input_type: &str) -> bool {
    attribute(element, &local_name!("type")).is_some_and(|kind| kind.eq_ignore_ascii_case(input_type))
}

/// Whether a `<style>` holds CSS and not a language that a script translates.
fn is_css(element: &Element) -> bool {
    attribute(element, &local_name!("type")).is_none_or(|kind| kind.is_empty() || kind.eq_ignore_ascii_case("text/css"))
}

/// The kind of a link with the relations `rel`, if it leads to a resource of the page and not to a document.
pub(super) fn resource_kind(rel: &str, media_type: &str) -> Option<LinkKind> {
    const KINDS: [(&str, LinkKind); 11] = [
        ("stylesheet", LinkKind::Stylesheet),
        ("icon", LinkKind::Icon),
        ("apple-touch-icon", LinkKind::Icon),
        ("apple-touch-icon-precomposed", LinkKind::Icon),
        ("apple-touch-startup-image", LinkKind::Icon),
        ("mask-icon", LinkKind::Icon),
        ("manifest", LinkKind::Manifest),
        ("preload", LinkKind::Preload),
        ("modulepreload", LinkKind::Preload),
        ("prefetch", LinkKind::Preload),
        ("prerender", LinkKind::Preload),
    ];
    if relation_kind(rel, media_type).is_some() {
        return None;
    }
    KINDS
        .iter()
        .find(|(token, _)| has_token(rel, token))
        .map(|(_, kind)| *kind)
}

/// The URLs of a `srcset`: `a.png, b.png 2x, c,d.png 100w` (WHATWG HTML, section 4.8.4.3.10). A comma within a URL is
/// part of it, a comma behind the URL ends it, and a comma within the parentheses of a descriptor does not count.
fn candidates(srcset: &str) -> impl Iterator<Item = &str> {
    let mut rest = srcset;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches(|c: char| c.is_ascii_whitespace() || c == ',');
        if rest.is_empty() {
            return None;
        }
        let end = rest.find(|c: char| c.is_ascii_whitespace()).unwrap_or(rest.len());
        let (url, behind) = rest.split_at(end);
        rest = behind;
        if url.ends_with(',') {
            return Some(url.trim_end_matches(','));
        }
        let mut depth = 0_u32;
        let end = rest.find(|c: char| {
            match c {
                '(' => depth = 1,
                ')' => depth = 0,
                _ => {}
            }
            c == ',' && depth == 0
        });
        rest = end.map_or("", |end| &rest[end..]);
        Some(url)
    })
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;

    /// Kinds and URLs, those below the base without it.
    fn found(html: &str) -> Vec<String> {
        let found = embedded(
            &parse(html, crate::parse::Attributes::Read),
            &Url::parse("https://example.org/a/page").unwrap(),
        );
        let shown = |link: &Outlink| {
            let nofollow = if link.nofollow { " nofollow" } else { "" };
            let url = link.url.as_str().trim_start_matches("https://example.org");
            format!("{} {url}{nofollow}", link.kind.name())
        };
        found.iter().map(shown).collect()
    }

    #[test]
    fn everything_that_a_page_embeds_is_named_once_and_with_its_kind() {
        let html = "<head><base href=/b/><link rel='alternate stylesheet' href=s.css><link rel='shortcut icon' href=i.ico>\
            <link rel=next href=no><script src=x.js></script><script>1</script></head><img src=1.png srcset='1.png 1x,2.png 2x'>\
            <picture><source srcset='3.png, 4.png 2x'></picture><video src=v.mp4 poster=5.png><track src=t.vtt></video>\
            <audio><source src=a.ogg></audio><object data=o.pdf></object><embed src=e.swf><input type=IMAGE src=6.png>\
            <input src=no><a href=no>no</a><iframe src=no></iframe><img src='data:,x'><noscript><img src=7.png></noscript>";
        let expected = [
            "link:stylesheet /b/s.css",
            "link:icon /b/i.ico",
            "script /b/x.js",
            "img /b/1.png",
            "img /b/2.png",
            "img /b/3.png",
            "img /b/4.png",
            "media /b/v.mp4",
            "img /b/5.png",
            "media /b/t.vtt",
            "media /b/a.ogg",
            "object /b/o.pdf",
            "object /b/e.swf",
            "img /b/6.png",
            "img /b/7.png",
        ];
        assert_eq!(found(html), expected);
    }

    #[test]
    fn each_form_of_a_resource_is_found() {
        let cases: &[(&str, &[&str])] = &[
            (
                "<svg><image href=1 /><image xlink:href=2 /><use href=3.svg#icon /><use href=#own /><script xlink:href=4></script>\
                 <image href=5 xlink:href=no /><feImage href=6 /></svg><image src=7><p href=no xlink:href=no>",
                &[
                    "img /a/1",
                    "img /a/2",
                    "img /a/3.svg",
                    "script /a/4",
                    "img /a/5",
                    "img /a/6",
                    "img /a/7",
                ],
            ),
            (
                "<body background=1><table background=2><tr background=3><td background=4><th background=5></table><p background=no>",
                &["img /a/1", "img /a/2", "img /a/3", "img /a/4", "img /a/5"],
            ),
            (
                "<link rel=preload as=image href=1 imagesrcset='2 1x, 3 2x'><link rel=modulepreload href=4><link rel=Prefetch href=5>\
                 <link rel=manifest href=6><link rel=mask-icon href=7><link rel='next prefetch' href=no><link rel=preconnect href=no>",
                &[
                    "link:preload /a/1",
                    "img /a/2",
                    "img /a/3",
                    "link:preload /a/4",
                    "link:preload /a/5",
                    "link:manifest /a/6",
                    "link:icon /a/7",
                ],
            ),
            (
                "<style>@import '1.css'; p { background: url(2.png) }</style><style type=text/less>url(no)</style>\
                 <p style='background: url(&quot;3.png&quot;), url(data:,x)'><svg><style>a{b:url(4)}</style></svg>\
                 <style type='TEXT/CSS'>a{b:url(#own) url(5)}</style><template><p style='a:url(no)'></template>",
                &[
                    "css:import /a/1.css",
                    "css:url /a/2.png",
                    "css:url /a/3.png",
                    "css:url /a/4",
                    "css:url /a/5",
                ],
            ),
        ];
        for (html, expected) in cases {
            assert_eq!(found(html), *expected, "{html}");
        }
    }

    #[test]
    fn the_links_of_a_document_in_the_page_have_the_base_of_the_page() {
        let html = "<base href=/b/><iframe srcdoc=\"<base href=/no/><a rel=nofollow href=1>a</a><img src=2>\
            <p style='a:url(3)'><iframe srcdoc='&lt;a href=4>a&lt;/a>'></iframe>\"></iframe><img src=5>\
            <noscript><iframe srcdoc='<a href=6>a</a>'></iframe></noscript>";
        let expected = [
            "img /b/5",
            "img /b/2",
            "css:url /b/3",
            "a /b/1 nofollow",
            "a /b/6",
            "a /b/4",
        ];
        assert_eq!(found(html), expected);
    }

    #[test]
    fn documents_in_documents_are_bounded() {
        let escaped = |html: &str| html.replace('&', "&amp;").replace('"', "&quot;");
        let mut html = "<a href=0></a>".to_owned();
        for depth in 1..8 {
            html = format!("<a href={depth}></a><iframe srcdoc=\"{}\"></iframe>", escaped(&html));
        }
        assert_eq!(found(&html), ["a /a/6", "a /a/5", "a /a/4", "a /a/3"]);
        let many: String = (0..200)
            .map(|n| format!("<iframe srcdoc='<a href={n}></a>'></iframe>"))
            .collect();
        assert_eq!(found(&many).len(), MAX_FRAMES);
        let twice = format!("<iframe srcdoc=\"{}\"></iframe>", escaped(&many));
        assert_eq!(found(&twice).len(), MAX_FRAMES - 1);
    }

    #[test]
    fn the_references_of_a_page_are_bounded() {
        let style: String = (0..2 * MAX_REFERENCES).map(|n| format!("url({n})")).collect();
        let srcset: String = (0..2 * MAX_REFERENCES).map(|n| format!("{n}, ")).collect();
        for html in [format!("<style>{style}"), format!("<img srcset='{srcset}'>")] {
            let document = parse(&html, Attributes::Read);
            let mut found = Found::default();
            found.take_tree(&document.html);
            assert_eq!(found.references.len(), MAX_REFERENCES);
        }
    }

    proptest::proptest! {
        #[test]
        fn any_srcset_is_taken_apart(srcset in "([, ()\téa]|1x|100w){0,40}") {
            for url in candidates(&srcset) {
                proptest::prop_assert!(!url.is_empty() && !url.contains(' ') && !url.ends_with(','), "{url:?}");
            }
        }
    }

    #[test]
    fn a_srcset_is_taken_apart_as_the_standard_says() {
        let cases: &[(&str, &[&str])] = &[
            ("", &[]),
            (" , ,", &[]),
            ("a", &["a"]),
            ("a,b", &["a,b"]),
            ("a, b", &["a", "b"]),
            ("a 1x,b 2x", &["a", "b"]),
            ("a,,, b\t100w , c", &["a", "b", "c"]),
            ("a x(1,2), b", &["a", "b"]),
            ("data:,x 1x, é 2x", &["data:,x", "é"]),
        ];
        for (srcset, expected) in cases {
            assert_eq!(candidates(srcset).collect::<Vec<_>>(), *expected, "{srcset:?}");
        }
    }
}
