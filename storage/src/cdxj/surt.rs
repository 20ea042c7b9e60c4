//! The key of a URL in CDX and CDXJ files: its SURT form after the canonicalization of replay tools. It differs from the crawl's
//! canonical URL: it merges many more spellings, and two pages may have the same key.
//!
//! Source: Internet Archive's `WaybackURLKeyMaker`, by its Python form `surt.surt(url)` (package surt 0.3.1), which pywb and
//! cdxj-indexer use: the URL rules of Google's Safe Browsing API, then the Archive's own rules. `tests/open_archive` compares
//! `surt_cases.txt` with that package.

use std::borrow::Cow;
use std::fmt::Write;

/// `org,example)/a?b=1` of `https://www.example.org:443/A/?B=1#c`. A URL without a host is its own key.
#[must_use]
pub fn surt(url: &str) -> String {
    let url = url.split('#').next().unwrap_or_default();
    let Some((scheme, rest)) = url.split_once("://") else {
        return url.to_owned();
    };
    let (authority, path_and_query) = rest.split_at(rest.find(['/', '?']).unwrap_or(rest.len()));
    let (path, query) = path_and_query.split_once('?').unwrap_or((path_and_query, ""));
    let mut key = host_and_port(scheme, authority);
    key.push(')');
    key.push_str(&path_key(path));
    if !query.is_empty() {
        let query = without_session(escaped(&unescaped(query)).to_ascii_lowercase());
        let query = in_order(&query);
        if !query.is_empty() {
            key.push('?');
            key.push_str(&query);
        }
    }
    key
}

fn host_and_port(scheme: &str, authority: &str) -> String {
    let authority = authority.rsplit('@').next().unwrap_or_default();
    // The colons of an IPv6 address are within brackets.
    let (host, port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.contains(']') => (host, port),
        _ => (authority, ""),
    };
    let host = host.trim_matches(['[', ']']).to_ascii_lowercase().replace("..", ".");
    let host = host.trim_matches('.');
    let host = without_www(host);
    let mut key = host.rsplit('.').collect::<Vec<_>>().join(",");
    let is_default = matches!((scheme, port), ("http", "80") | ("https", "443") | (_, ""));
    if !is_default {
        key.push(':');
        key.push_str(port);
    }
    key
}

/// The host without `www.`, `www2.`, ….
fn without_www(host: &str) -> &str {
    let rest = host.strip_prefix("www");
    let rest = rest.map(|rest| rest.trim_start_matches(|c: char| c.is_ascii_digit()));
    rest.and_then(|rest| rest.strip_prefix('.')).unwrap_or(host)
}

fn path_key(path: &str) -> String {
    let path = without_dots(&unescaped(path));
    let mut path = escaped(&path).to_ascii_lowercase();
    for is_session in [is_nested_session, is_plain_session] {
        path = without_session_segment(path, is_session);
    }
    if path.len() > 1 && path.ends_with('/') {
        path.pop();
    }
    path
}

/// Decodes percent escapes until none remain, also those that a decoded byte completes. No byte belongs to two escapes, so the order of decoding
/// does not matter. One pass is enough, so a link to `%252525…` takes little time.
fn unescaped(text: &str) -> Vec<u8> {
    let mut decoded = Vec::with_capacity(text.len());
    for &byte in text.as_bytes() {
        decoded.push(byte);
        while let [before @ .., b'%', high, low] = &*decoded
            && let Some(byte) = hex(*high, *low)
        {
            let length = before.len();
            decoded.truncate(length);
            decoded.push(byte);
        }
    }
    decoded
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

/// Escapes `#`, `%` and all bytes except visible ASCII.
fn escaped(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len());
    for &byte in bytes {
        if byte.is_ascii_graphic() && !matches!(byte, b'#' | b'%') {
            text.push(char::from(byte));
        } else {
            // Writing to a string cannot fail.
            let _ = write!(text, "%{byte:02X}");
        }
    }
    text
}

/// Resolves `.`, `..` and empty segments. A `..` that leads out of the path stays.
fn without_dots(path: &[u8]) -> Vec<u8> {
    let mut kept: Vec<&[u8]> = Vec::new();
    for segment in path.split(|&byte| byte == b'/').skip(1) {
        match segment {
            b"." => {}
            b".." if !kept.is_empty() => {
                kept.pop();
            }
            _ => kept.push(segment),
        }
    }
    let mut resolved = vec![b'/'];
    if let Some((last, before)) = kept.split_last() {
        for segment in before.iter().filter(|segment| !segment.is_empty()) {
            resolved.extend_from_slice(segment);
            resolved.push(b'/');
        }
        resolved.extend_from_slice(last);
    }
    resolved
}

/// Removes the segment with an ASP.NET session from the path of an `.aspx` page.
fn without_session_segment(path: String, is_session: fn(&str) -> bool) -> String {
    let slashes: Vec<usize> = path.match_indices('/').map(|(at, _)| at).collect();
    for pair in slashes.windows(2).rev() {
        let (before, segment, page) = (&path[..=pair[0]], &path[pair[0] + 1..pair[1]], &path[pair[1] + 1..]);
        let named = page.split('?').next().unwrap_or_default();
        // The name of a page must not be empty.
        let is_page = named
            .char_indices()
            .skip(1)
            .any(|(at, _)| named[at..].starts_with(".aspx"));
        if is_page && is_session(segment) {
            return [before, page].concat();
        }
    }
    path
}

/// `(24 letters and digits)`
fn is_plain_session(segment: &str) -> bool {
    let id = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    id.is_some_and(is_session_id)
}

/// `(a(24 letters and digits)b(…))`
fn is_nested_session(segment: &str) -> bool {
    let ids = segment.strip_prefix('(').and_then(|rest| rest.strip_suffix(')'));
    let Some(ids) = ids.filter(|ids| !ids.is_empty() && ids.is_ascii() && ids.len() % 27 == 0) else {
        return false;
    };
    (0..ids.len()).step_by(27).all(|at| {
        let (name, id) = ids[at..at + 27].split_at(1);
        name.bytes().all(|b| b.is_ascii_lowercase()) && is_plain_session(id)
    })
}

fn is_session_id(id: &str) -> bool {
    id.len() == 24 && id.bytes().all(|b| b.is_ascii_alphanumeric())
}

/// Removes the session parameters of common servers from a query in lower case.
fn without_session(query: String) -> String {
    let rules: [fn(&str) -> Option<usize>; 5] = [
        |rest| named(rest, "jsessionid="),
        |rest| named(rest, "phpsessid="),
        |rest| named(rest, "sid="),
        asp_session,
        coldfusion_session,
    ];
    rules.into_iter().fold(query, |query, length| {
        for at in (0..query.len()).rev() {
            let Some(rest) = length(&query[at..]).map(|length| &query[at + length..]) else {
                continue;
            };
            if rest.is_empty() || rest.starts_with('&') {
                return [&query[..at], rest.get(1..).unwrap_or_default()].concat();
            }
        }
        query
    })
}

/// Length of `name` and 32 letters and digits behind it, if `rest` begins with them.
fn named(rest: &str, name: &str) -> Option<usize> {
    let id = rest.strip_prefix(name)?.as_bytes().get(..32)?;
    id.iter().all(u8::is_ascii_alphanumeric).then_some(name.len() + 32)
}

/// `aspsessionid` with 8 letters, `=` and 24 letters.
fn asp_session(rest: &str) -> Option<usize> {
    const NAME: &str = "aspsessionid";
    let rest = rest.strip_prefix(NAME)?.as_bytes().get(..33)?;
    let (name, id) = rest.split_at(8);
    let are_letters = |bytes: &[u8]| bytes.iter().all(u8::is_ascii_alphabetic);
    (are_letters(name) && id[0] == b'=' && are_letters(&id[1..])).then_some(NAME.len() + 33)
}

/// `cfid=…&cftoken=…`
fn coldfusion_session(rest: &str) -> Option<usize> {
    let (id, token) = rest.strip_prefix("cfid=")?.split_once('&')?;
    let value = token.strip_prefix("cftoken=")?.split('&').next()?;
    let length = "cfid=&cftoken=".len() + id.len() + value.len();
    (!id.is_empty() && !value.is_empty()).then_some(length)
}

/// Sorts the parameters by name and value. A parameter without a value comes before one with an empty value.
fn in_order(query: &str) -> Cow<'_, str> {
    let mut parameters: Vec<&str> = query.split('&').collect();
    let parts = |parameter: &&str| -> (String, Option<String>) {
        match parameter.split_once('=') {
            Some((name, value)) => (name.to_owned(), Some(value.to_owned())),
            None => ((*parameter).to_owned(), None),
        }
    };
    if parameters.is_sorted_by_key(parts) {
        return query.into();
    }
    parameters.sort_by_key(parts);
    parameters.join("&").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// URL, tab, key: made by Python's `surt.surt` (0.3.1).
    const CASES: &str = include_str!("surt_cases.txt");

    #[test]
    fn keys_are_those_of_the_replay_tools() {
        for case in CASES.lines() {
            let (url, key) = case.split_once('\t').unwrap();
            assert_eq!(surt(url), key, "{url}");
        }
    }

    /// The definition of the result: decoding goes in rounds from the left, until a round changes nothing.
    fn unescaped_in_rounds(text: &[u8]) -> Vec<u8> {
        let mut once = Vec::new();
        let mut rest = text;
        while let Some((&first, behind)) = rest.split_first() {
            let escaped = match behind {
                [high, low, ..] if first == b'%' => hex(*high, *low),
                _ => None,
            };
            once.push(escaped.unwrap_or(first));
            rest = if escaped.is_some() { &behind[2..] } else { behind };
        }
        if once == text { once } else { unescaped_in_rounds(&once) }
    }

    proptest::proptest! {
        #[test]
        fn nested_escapes_are_decoded_as_by_rounds(text in "[%2-5a4b]{0,60}") {
            proptest::prop_assert_eq!(unescaped(&text), unescaped_in_rounds(text.as_bytes()));
        }

        #[test]
        fn any_text_has_a_key_in_one_word(url in "(https?://|[a-z.]{0,9}|[/?&=%#;()]|[0-9a-f]{2}|\\PC){0,30}") {
            let key = surt(&url);
            proptest::prop_assert!(!url.contains("://") || !key.contains([' ', '\n']) || url.contains([' ', '\n']));
        }
    }
}
