//! Notices: pages that say little, lead almost nowhere, and do not belong to the template of a site.
//!
//! A wall that no rule knows is such a page, and a host answers many URLs with it. One page alone proves nothing: the caller counts the URLs
//! under which a notice is the same. What changes with each request is left out: identifiers, times of day, the name of the host.

use std::net::IpAddr;

use memchr::{memchr_iter, memchr2};

use super::Answer;
use super::look::MAX_MARKUP_BYTES;
use crate::Page;
use crate::parse::LinkKind;
use crate::words::words;

/// Most words of main text: an error page has fewer too ([`soft_404`](crate::soft_404)), and a page with content has mostly more.
const MOST_WORDS: usize = 100;

/// Longest main text, in bytes: more than [`MOST_WORDS`] words of any language.
const MAX_TEXT_BYTES: usize = 4 * 1024;

/// Most links to other pages: to try again, to the home page, to the maker of a product. The template of a site has more.
const MOST_LINKS: usize = 3;

/// Bytes of a tag in which its source is looked for.
const MAX_TAG_BYTES: usize = 2 * 1024;

/// Elements that show something which is not text.
const SHOWN: &[&str] = &["img", "iframe", "video", "audio", "source", "object", "embed"];

/// Fewest characters of an identifier that has the digits of hexadecimal numbers: a ray id of Cloudflare has 16, a UUID 36.
const MIN_HEX_CHARS: usize = 12;

/// Fewest characters of another identifier: more than a number of a book (13), a phone or a product.
const MIN_ID_CHARS: usize = 16;

/// What a notice shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Notice {
    /// Title, heading, main text, links and pictures, without what changes with each request. It is equal for equal notices.
    pub shown: String,
    /// Words of main text.
    pub words: usize,
}

/// The notice that a page is; `None` for every other page, and for one without a word.
#[must_use]
pub fn notice(answer: &Answer<'_>, page: &Page) -> Option<Notice> {
    if page.kind.is_some() || page.text.len() > MAX_TEXT_BYTES || answer.body.len() > MAX_MARKUP_BYTES {
        return None;
    }
    let links = links(answer, page)?;
    let words = words(&page.text);
    if !(1..=MOST_WORDS).contains(&words) {
        return None;
    }
    let host = answer.url.host_str().unwrap_or_default();
    let mut shown = String::new();
    let texts = [
        page.title.as_str(),
        page.heading.as_deref().unwrap_or_default(),
        page.text.as_str(),
    ];
    for text in texts {
        push_lasting(text, host, &mut shown);
    }
    for link in links {
        push_lasting(&link, host, &mut shown);
    }
    for source in sources(answer.body) {
        push_lasting(&source, host, &mut shown);
    }
    Some(Notice { shown, words })
}

/// The links of a page to others, without their queries; `None` if they are those of the template of a site. A site alone knows the canonical
/// URL, the feeds, the translations and the neighbours of a page.
fn links(answer: &Answer<'_>, page: &Page) -> Option<Vec<String>> {
    let names_canonical = page.canonical.document.is_some() || page.canonical.header.is_some();
    let of_site = page.outlinks.iter().any(|link| {
        matches!(
            link.kind,
            LinkKind::Alternate | LinkKind::Feed | LinkKind::Canonical | LinkKind::Next | LinkKind::Prev
        )
    });
    if names_canonical || page.canonical.is_conflict || of_site {
        return None;
    }
    let mut links: Vec<String> = Vec::new();
    for link in page.outlinks.iter().filter(|link| link.url != *answer.url) {
        let mut url = link.url.clone();
        url.set_query(None);
        let url = String::from(url);
        if !links.contains(&url) {
            if links.len() == MOST_LINKS {
                return None;
            }
            links.push(url);
        }
    }
    links.sort_unstable();
    Some(links)
}

/// The sources of pictures and frames in the markup, without their queries. A picture within the markup itself has none.
fn sources(body: &[u8]) -> Vec<String> {
    let mut sources = Vec::new();
    for at in memchr_iter(b'<', body) {
        let tag = &body[at + 1..body.len().min(at + 1 + MAX_TAG_BYTES)];
        let is_shown = |name: &&&str| {
            tag.get(..name.len())
                .is_some_and(|start| start.eq_ignore_ascii_case(name.as_bytes()))
                && tag.get(name.len()).is_some_and(|next| !next.is_ascii_alphanumeric())
        };
        if let Some(name) = SHOWN.iter().find(is_shown) {
            // No two tags share bytes.
            let end = memchr2(b'>', b'<', tag).unwrap_or(tag.len());
            let source = source(&String::from_utf8_lossy(&tag[name.len()..end]));
            sources.push(format!("{name} {source}"));
        }
    }
    sources
}

/// The value of the attribute `src` or `data`, without a query.
fn source(attributes: &str) -> String {
    let lower = attributes.to_ascii_lowercase();
    let named = ["src=", "data="].iter().find_map(|name| {
        let at = lower.find(name)?;
        let value = lower[at + name.len()..].trim_start_matches(['"', '\'']);
        value.split(['"', '\'', '?', '#', ' ', '>']).next()
    });
    match named {
        Some(value) if value.starts_with("data:") => String::new(),
        Some(value) => value.replace('/', " "),
        None => String::new(),
    }
}

/// Appends the words of a text in lower case, without those that change with each request, and the end of a line.
fn push_lasting(text: &str, host: &str, shown: &mut String) {
    for part in text.split_whitespace().filter(|part| !is_moment(part)) {
        let words = part.split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.' | '%')));
        for word in words.map(|word| word.trim_matches(['-', '_', '.'])) {
            if !(word.is_empty() || word.eq_ignore_ascii_case(host) || is_identifier(word)) {
                shown.extend(word.chars().flat_map(char::to_lowercase));
                shown.push(' ');
            }
        }
    }
    shown.push('\n');
}

/// Whether a word is a time of day to the second, with or without a date before it.
fn is_moment(word: &str) -> bool {
    let time = word.rsplit('T').next().unwrap_or(word);
    let time = time.split(['.', ',', '+', 'Z']).next().unwrap_or(time);
    let is_number = |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    time.matches(':').count() >= 2 && time.rsplit(':').take(3).all(is_number)
}

/// Whether a word names a request or a client: an address, or a long mixture of letters and digits. In the name of a page, as in
/// `top-10-of-2024`, letters and digits do not touch.
fn is_identifier(word: &str) -> bool {
    if word.parse::<IpAddr>().is_ok() {
        return true;
    }
    let bytes = word.as_bytes();
    let is_of = |is_allowed: fn(&u8) -> bool| bytes.iter().all(is_allowed);
    let touches = |pair: &&[u8]| pair[0].is_ascii_digit() && pair[1].is_ascii_alphabetic();
    let mixtures = bytes.windows(2).filter(touches).count();
    let digits = bytes.iter().filter(|byte| byte.is_ascii_digit()).count();
    let is_hex = is_of(|byte| byte.is_ascii_hexdigit() || *byte == b'-');
    let is_long_number = digits >= MIN_ID_CHARS && is_of(|byte| byte.is_ascii_digit() || *byte == b'-');
    let is_name = is_of(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'));
    is_long_number
        || is_hex && bytes.len() >= MIN_HEX_CHARS && mixtures >= 2
        || is_name && bytes.len() >= MIN_ID_CHARS && mixtures >= 3
}

#[cfg(test)]
mod tests;
