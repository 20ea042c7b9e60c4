//! The embedded resources of a page: images, scripts, style sheets, media. They have no text, so a crawl follows them only on
//! request. Objects may be PDF files, feeds or pages.

use html5ever::{local_name, ns};
use scraper::node::Element;
use url::Url;

use super::facts::{base_url, live_elements};
use super::outlinks::{Reference, Resolver, has_token};
use super::{Document, LinkKind, Outlink, attribute};

/// The embedded resources of a page fetched from `page_url`, each URL once, in order of appearance. Frames are documents and
/// belong to the page's outlinks.
pub(crate) fn embedded(doc: &Document, page_url: &Url) -> Vec<Outlink> {
    let mut base = None;
    let mut references = Vec::new();
    let trees = std::iter::once((&doc.html, true)).chain(doc.unscripted.iter().map(|html| (html, false)));
    for (html, has_base) in trees {
        for (_, element) in live_elements(html) {
            if has_base && base.is_none() && element.name.local == local_name!("base") && element.name.ns == ns!(html) {
                base = attribute(element, &local_name!("href"));
            }
            take(element, &mut references);
        }
    }
    let base = base_url(base, page_url);
    let mut resolver = Resolver::new(&base, page_url);
    references.into_iter().for_each(|reference| resolver.add(reference));
    resolver.finish()
}

fn take<'a>(element: &'a Element, references: &mut Vec<Reference<'a>>) {
    let src = local_name!("src");
    let (name, kind) = match element.name.local {
        local_name!("img") => (src, LinkKind::Image),
        local_name!("input") if is(element, "image") => (src, LinkKind::Image),
        local_name!("script") => (src, LinkKind::Script),
        local_name!("audio") | local_name!("video") | local_name!("source") | local_name!("track") => {
            (src, LinkKind::Media)
        }
        local_name!("object") => (local_name!("data"), LinkKind::Object),
        local_name!("embed") => (src, LinkKind::Object),
        local_name!("link") => match link_kind(element) {
            Some(kind) => (local_name!("href"), kind),
            None => return,
        },
        _ => return,
    };
    let mut add = |target, kind| references.push(Reference::new(target, kind));
    if let Some(target) = attribute(element, &name) {
        add(target, kind);
    }
    if element.name.local == local_name!("video")
        && let Some(poster) = attribute(element, &local_name!("poster"))
    {
        add(poster, LinkKind::Image);
    }
    if matches!(element.name.local, local_name!("img") | local_name!("source"))
        && let Some(srcset) = attribute(element, &local_name!("srcset"))
    {
        candidates(srcset).for_each(|target| add(target, LinkKind::Image));
    }
}

fn is(element: &Element, input_type: &str) -> bool {
    attribute(element, &local_name!("type")).is_some_and(|kind| kind.eq_ignore_ascii_case(input_type))
}

fn link_kind(element: &Element) -> Option<LinkKind> {
    let rel = attribute(element, &local_name!("rel"))?;
    if has_token(rel, "stylesheet") {
        Some(LinkKind::Stylesheet)
    } else if has_token(rel, "icon") || has_token(rel, "apple-touch-icon") {
        Some(LinkKind::Icon)
    } else {
        None
    }
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

    #[test]
    fn everything_that_a_page_embeds_is_named_once_and_with_its_kind() {
        let html = "<head><base href=/b/><link rel='alternate stylesheet' href=s.css><link rel='shortcut icon' href=i.ico>\
            <link rel=next href=no><script src=x.js></script><script>1</script></head><img src=1.png srcset='1.png 1x,2.png 2x'>\
            <picture><source srcset='3.png, 4.png 2x'></picture><video src=v.mp4 poster=5.png><track src=t.vtt></video>\
            <audio><source src=a.ogg></audio><object data=o.pdf></object><embed src=e.swf><input type=IMAGE src=6.png>\
            <input src=no><a href=no>no</a><iframe src=no></iframe><img src='data:,x'><noscript><img src=7.png></noscript>";
        let found = embedded(&parse(html), &Url::parse("https://example.org/a/page").unwrap());
        let found: Vec<_> = found.iter().map(|link| (link.kind.name(), link.url.as_str())).collect();
        let expected = [
            ("link:stylesheet", "s.css"),
            ("link:icon", "i.ico"),
            ("script", "x.js"),
            ("img", "1.png"),
            ("img", "2.png"),
            ("img", "3.png"),
            ("img", "4.png"),
            ("media", "v.mp4"),
            ("img", "5.png"),
            ("media", "t.vtt"),
            ("media", "a.ogg"),
            ("object", "o.pdf"),
            ("object", "e.swf"),
            ("img", "6.png"),
            ("img", "7.png"),
        ]
        .map(|(kind, name)| (kind, format!("https://example.org/b/{name}")));
        let found: Vec<(&str, String)> = found.into_iter().map(|(kind, url)| (kind, url.to_owned())).collect();
        assert_eq!(found, expected);
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
