//! The base of the references of a document: a URL, and the encoding of queries.

use std::borrow::Cow;

use encoding_rs::{EncoderResult, Encoding, ISO_2022_JP, UTF_8};
use url::Url;

/// Resolves the references of a document.
///
/// The query of a reference is in the encoding of the document, and its path in UTF-8 (WHATWG URL, section 4.4, "query state"; WHATWG HTML,
/// "encoding-parsing a URL"). So `?q=中文` in a page in GBK is `?q=%D6%D0%CE%C4`.
#[derive(Debug, Clone)]
pub(crate) struct Base {
    url: Url,
    /// UTF-8 for documents in UTF-16 ("get an output encoding").
    encoding: &'static Encoding,
}

impl Base {
    /// The base of a document in this encoding, fetched from `page_url`: the `href` of its first `<base>` (WHATWG HTML, section 4.2.3), else
    /// the URL of the page.
    pub(crate) fn new(href: Option<&str>, page_url: &Url, encoding: &'static Encoding) -> Self {
        let of_page = Self {
            url: page_url.clone(),
            encoding: encoding.output_encoding(),
        };
        let named = href.and_then(|href| of_page.join(href));
        match named.filter(|base| !matches!(base.scheme(), "data" | "javascript")) {
            Some(url) => Self { url, ..of_page },
            None => of_page,
        }
    }

    /// The base of the references in a header, which are in UTF-8.
    pub(crate) fn of_header(page_url: &Url) -> Self {
        Self::new(None, page_url, UTF_8)
    }

    pub(crate) fn url(&self) -> &Url {
        &self.url
    }

    /// Resolves a reference; `None` if it is no URL.
    pub(crate) fn join(&self, reference: &str) -> Option<Url> {
        let reference = if matches!(self.url.scheme(), "http" | "https") {
            without_further_slashes(reference)
        } else {
            reference
        };
        // All other encodings have the bytes of ASCII.
        if self.encoding == UTF_8 || self.encoding != ISO_2022_JP && reference.is_ascii() {
            return self.url.join(reference).ok();
        }
        let encode: &dyn Fn(&str) -> Cow<'_, [u8]> = &|query| Cow::Owned(encoded(query, self.encoding));
        let options = Url::options().base_url(Some(&self.url));
        options.encoding_override(Some(encode)).parse(reference).ok()
    }
}

/// The reference with two slashes where it begins with more: they lead to the same host ("special authority ignore slashes state").
fn without_further_slashes(reference: &str) -> &str {
    let trimmed = reference.trim_start_matches(|c: char| c <= ' ');
    let slashes = trimmed.len() - trimmed.trim_start_matches(['/', '\\']).len();
    match slashes {
        0..=2 => reference,
        _ => &trimmed[slashes - 2..],
    }
}

/// The bytes of a query in an encoding. A character that the encoding does not have becomes a percent-encoded character reference ("percent-encode
/// after encoding").
fn encoded(query: &str, encoding: &'static Encoding) -> Vec<u8> {
    let mut encoder = encoding.new_encoder();
    let mut bytes = Vec::new();
    let mut rest = query;
    loop {
        let room = encoder.max_buffer_length_from_utf8_without_replacement(rest.len());
        bytes.reserve(room.unwrap_or(rest.len()));
        let (result, read) = encoder.encode_from_utf8_to_vec_without_replacement(rest, &mut bytes, true);
        rest = &rest[read..];
        match result {
            EncoderResult::InputEmpty => return bytes,
            EncoderResult::OutputFull => {}
            EncoderResult::Unmappable(c) => bytes.extend(format!("%26%23{}%3B", u32::from(c)).bytes()),
        }
    }
}

#[cfg(test)]
mod tests;
