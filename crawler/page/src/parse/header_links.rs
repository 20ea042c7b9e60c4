//! The links in the header of a response.

use std::borrow::Cow;

use http::header::{CONTENT_LOCATION, HeaderMap, HeaderName, LINK, LOCATION, REFRESH};
use percent_encoding::{CONTROLS, percent_encode};
use url::Url;

use super::base::Base;
use super::embedded::resource_kind;
use super::outlinks::{Reference, Resolver, has_token, relation_kind, resolve};
use super::{LinkKind, Outlink, parse_refresh};

/// Most fields of one name that are read.
const MAX_FIELDS: usize = 100;

/// The links in the header of a response.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct HeaderLinks {
    /// The `canonical` of the `Link` header; `None` if several differ.
    pub canonical: Option<Url>,
    /// Whether several `Link` headers name different canonical URLs.
    pub canonical_conflict: bool,
    /// The links to documents, and to embedded resources if they are wanted, each URL once.
    pub outlinks: Vec<Outlink>,
}

/// Reads the `Link` (RFC 8288), `Location`, `Content-Location` (RFC 9110) and `Refresh` headers of a response fetched from
/// `page_url`. References are resolved against that URL; the `<base>` of a page does not count. `Link` counts with the same
/// relations as `<link>`, unless its `anchor` is another page; with `embedded` also those of embedded resources.
pub fn header_links(headers: &HeaderMap, page_url: &Url, embedded: bool) -> HeaderLinks {
    let [of_link, of_location, of_content_location, of_refresh] =
        [LINK, LOCATION, CONTENT_LOCATION, REFRESH].map(|name| values(headers, &name).collect::<Vec<_>>());
    let base = Base::of_header(page_url);
    let mut resolver = Resolver::new(&base, page_url);
    let mut canonicals = Vec::new();
    for value in &of_link {
        for link in links(value) {
            if link.anchor.is_some_and(|anchor| !is_same(&base, anchor)) {
                continue;
            }
            match relation_kind(link.rel, link.media_type) {
                Some(LinkKind::Canonical) => canonicals.extend(resolve(&base, link.target)),
                Some(_) => {}
                None if embedded && resource_kind(link.rel, link.media_type).is_some() => {}
                None => continue,
            }
            let nofollow = has_token(link.rel, "nofollow");
            resolver.add(Reference::new(link.target, LinkKind::HeaderLink).with_nofollow(nofollow));
        }
    }
    for (values, kind) in [
        (&of_location, LinkKind::HeaderLocation),
        (&of_content_location, LinkKind::HeaderContentLocation),
    ] {
        values
            .iter()
            .for_each(|target| resolver.add(Reference::new(target, kind)));
    }
    for value in &of_refresh {
        if let Some((_, Some(target))) = parse_refresh(value) {
            resolver.add(Reference::new(target, LinkKind::HeaderRefresh));
        }
    }
    canonicals.dedup();
    let canonical_conflict = canonicals.len() > 1;
    HeaderLinks {
        canonical: canonicals.pop().filter(|_| !canonical_conflict),
        canonical_conflict,
        outlinks: resolver.finish(),
    }
}

/// The value of the header `Refresh`; of several, the first.
pub(crate) fn header_refresh(headers: &HeaderMap) -> Option<Cow<'_, str>> {
    values(headers, &REFRESH).next()
}

/// The values of the fields of a name. URLs stand in raw UTF-8 or in the encoding of the site's pages: where a value is not UTF-8, each byte
/// beyond ASCII is percent-encoded, as Chrome does for `Location`.
fn values<'a>(headers: &'a HeaderMap, name: &HeaderName) -> impl Iterator<Item = Cow<'a, str>> {
    let values = headers.get_all(name).iter().take(MAX_FIELDS);
    values.map(|value| match std::str::from_utf8(value.as_bytes()) {
        Ok(text) => Cow::Borrowed(text),
        Err(_) => Cow::Owned(percent_encode(value.as_bytes(), CONTROLS).to_string()),
    })
}

fn is_same(base: &Base, anchor: &str) -> bool {
    resolve(base, anchor).is_some_and(|url| url[..] == base.url()[..url::Position::AfterQuery])
}

/// One link of a `Link` header.
#[derive(Debug, PartialEq, Eq)]
struct Link<'a> {
    target: &'a str,
    rel: &'a str,
    media_type: &'a str,
    anchor: Option<&'a str>,
}

/// `<target>; rel="next prev"; type=text/html, <other>; rel=…` by the algorithm of RFC 8288, appendix B.2. The links before
/// an error count.
fn links(value: &str) -> impl Iterator<Item = Link<'_>> {
    let mut rest = value;
    std::iter::from_fn(move || {
        rest = rest.trim_start_matches([' ', '\t', ',']).strip_prefix('<')?;
        let (target, behind) = rest.split_once('>')?;
        rest = behind;
        let mut link = Link {
            target,
            rel: "",
            media_type: "",
            anchor: None,
        };
        let mut has_rel = false;
        while let Some((name, value, behind)) = parameter(rest) {
            rest = behind;
            // The first `rel` counts.
            if name.eq_ignore_ascii_case("rel") && !has_rel {
                (link.rel, has_rel) = (value, true);
            } else if name.eq_ignore_ascii_case("type") {
                link.media_type = value;
            } else if name.eq_ignore_ascii_case("anchor") {
                link.anchor = Some(value);
            }
        }
        rest = rest.find(',').map_or("", |at| &rest[at..]);
        Some(link)
    })
}

/// The parameter at the start of `text`, `; name=value` or `; name="value"`, and the text behind it. Escapes in quotes stay as
/// written: relations and URLs contain no character that needs one.
fn parameter(text: &str) -> Option<(&str, &str, &str)> {
    let text = text.trim_start_matches([' ', '\t']).strip_prefix(';')?;
    let text = text.trim_start_matches([' ', '\t']);
    let end = text.find(['=', ';', ',']).unwrap_or(text.len());
    let (name, behind) = text.split_at(end);
    let Some(value) = behind.strip_prefix('=') else {
        return Some((name.trim(), "", behind));
    };
    let value = value.trim_start_matches([' ', '\t']);
    if let Some(quoted) = value.strip_prefix('"') {
        let mut escaped = false;
        let end = quoted.find(|c: char| {
            let ends = c == '"' && !escaped;
            escaped = c == '\\' && !escaped;
            ends
        });
        return match end {
            Some(end) => Some((name.trim(), &quoted[..end], &quoted[end + 1..])),
            None => Some((name.trim(), quoted, "")),
        };
    }
    let end = value.find([';', ',']).unwrap_or(value.len());
    Some((name.trim(), value[..end].trim_end(), &value[end..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(fields: &[(&'static str, &str)]) -> HeaderLinks {
        let mut headers = HeaderMap::new();
        for (name, value) in fields {
            headers.append(*name, http::HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        header_links(
            &headers,
            &Url::parse("https://example.org/docs/page?q=1").unwrap(),
            false,
        )
    }

    fn outlinks(fields: &[(&'static str, &str)]) -> Vec<(&'static str, String, bool)> {
        let found = of(fields).outlinks.into_iter();
        found
            .map(|link| (link.kind.name(), link.url.to_string(), link.nofollow))
            .collect()
    }

    #[test]
    fn every_header_that_names_a_document_is_read() {
        let fields = [
            ("link", "<n>; rel=next, </c>; rel=\"canonical\""),
            ("link", "<//other.org/p>; rel=\"PREV nofollow\"; title=\"a, <b>; c\""),
            ("link", "<s.css>; rel=stylesheet, <z>; rel=alternate; hreflang=zh"),
            ("content-location", "page.en.html"),
            ("location", "/made"),
            ("refresh", "5; url=later"),
        ];
        let expected = [
            ("header:link", "https://example.org/docs/n", false),
            ("header:link", "https://example.org/c", false),
            ("header:link", "https://other.org/p", true),
            ("header:link", "https://example.org/docs/z", false),
            ("header:location", "https://example.org/made", false),
            (
                "header:content-location",
                "https://example.org/docs/page.en.html",
                false,
            ),
            ("header:refresh", "https://example.org/docs/later", false),
        ];
        let found = outlinks(&fields);
        let found: Vec<_> = found.iter().map(|(kind, url, no)| (*kind, url.as_str(), *no)).collect();
        assert_eq!(found, expected);
        assert_eq!(of(&fields).canonical.unwrap().as_str(), "https://example.org/c");
    }

    #[test]
    fn link_headers_are_taken_apart_as_the_standard_says() {
        for (value, expected) in [
            ("<a>;rel=next", &["a"][..]),
            ("<a> ; rel = next", &["a"]),
            ("<a>; rel=\"x next\"", &["a"]),
            ("<a>; rel=x; rel=next", &[]),
            ("<a>; rel", &[]),
            ("<a>", &[]),
            ("<a,b;c>; rel=next", &["a,b;c"]),
            ("<a>; title=\"\\\", <x>; rel=next\"; rel=next", &["a"]),
            ("<a>; rel=next; title=\"open", &["a"]),
            (",, <a>; rel=next,, <b>; rel=prev;", &["a", "b"]),
            ("<a>; rel=next x, <b>; rel=next", &["a", "b"]),
            ("<a>; rel=\"next\" junk, <b>; rel=next", &["a", "b"]),
            ("<a>; rel=next; anchor=\"#part\"", &["a"]),
            ("<a>; rel=next; anchor=\"/other\"", &[]),
            ("a; rel=next", &[]),
            ("<a", &[]),
            ("", &[]),
            ("<javascript:x>; rel=next, <#x>; rel=next", &[]),
            ("<é>; rel=next", &["%C3%A9"]),
        ] {
            let found: Vec<String> = outlinks(&[("link", value)])
                .into_iter()
                .map(|(_, url, _)| url)
                .collect();
            let expected: Vec<String> = expected
                .iter()
                .map(|path| format!("https://example.org/docs/{path}"))
                .collect();
            assert_eq!(found, expected, "{value}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_header_is_read(value in "([<>;,=\"' \t\\\\éa:/#]|rel|next|canonical|anchor|type){0,40}") {
            let found = of(&[("link", &value), ("refresh", &value), ("content-location", &value)]);
            proptest::prop_assert!(found.outlinks.iter().all(|link| link.url.scheme() == "https" || link.url.scheme() == "http"));
        }
    }

    #[test]
    fn embedded_resources_are_read_on_request() {
        let mut headers = HeaderMap::new();
        let value = "<a>; rel=preload; as=font, <b>; rel=stylesheet, <c>; rel=\"next prefetch\", <d>; rel=preconnect, \
                     <e>; rel=modulepreload, <f>; rel=manifest, <g>; rel=icon, <h>; rel=prefetch; anchor=\"/other\"";
        headers.insert("link", value.parse().unwrap());
        let page_url = Url::parse("https://example.org/").unwrap();
        let found = |embedded| -> String {
            let found = header_links(&headers, &page_url, embedded).outlinks;
            found.iter().map(|link| link.url.path().trim_matches('/')).collect()
        };
        assert_eq!((found(false), found(true)), ("c".to_owned(), "abcefg".to_owned()));
    }

    #[test]
    fn two_canonicals_that_differ_are_none() {
        let canonical = |values: &[&str]| {
            let fields: Vec<_> = values.iter().map(|value| ("link", *value)).collect();
            let found = of(&fields);
            (found.canonical.map(String::from), found.canonical_conflict)
        };
        let same = canonical(&["<a>; rel=canonical", "<./a#x>; rel=canonical"]);
        assert_eq!(same, (Some("https://example.org/docs/a".into()), false));
        assert_eq!(canonical(&["<a>; rel=canonical, <b>; rel=canonical"]), (None, true));
        assert_eq!(canonical(&["<mailto:x>; rel=canonical"]), (None, false));
    }
}
