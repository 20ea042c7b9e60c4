//! From the body of a page or a text to a document.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use page::sniff::{is_binary, looks_like_html};
use page::{Answer, Page, Wall};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use storage::stored_text;
use storage::warc::{payload_digest, shown_digest};
use url::Url;
use web::fetch::{FetchError, content_encoding};

use super::body::{Body, Codings};
use super::document::{Document, json_string};
use super::http::{Head, unchunked};
use super::place::Fault;
use super::reading::Reading;

/// The URL of a document without one. The domain `.invalid` never resolves (RFC 6761, section 6.4).
pub const PLACEHOLDER: &str = "http://file.invalid/";

/// Calls `each` with the document in `body`, or with the reason for none.
pub(super) fn document(body: &Body, reading: &Reading, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
    let refused = |reason: String| Err(Fault::new(body.place.clone(), reason));
    if let Err(reason) = check_digest(body) {
        return each(refused(reason));
    }
    let bytes = match uncoded(body, reading.limits.max_document_bytes) {
        Ok(bytes) => bytes,
        Err(FetchError::BodyTooLarge { limit }) => return each(Err(Fault::too_long(body.place.clone(), limit))),
        Err(error) => return each(refused(error.to_string())),
    };
    // A file's ending may be wrong about its type; a header is trusted. Packed documents have marks of their own.
    if body.codings.is_none() && body.is_text() && is_binary(&bytes) {
        return each(refused("it is not text".into()));
    }
    let (url, page) = match read(&bytes, body, reading) {
        Ok(read) => read,
        Err(reason) => return each(refused(reason)),
    };
    let wall = reading.walls.then(|| wall(&url, &bytes, body, &page)).flatten();
    let id = json_string(&body.id.clone().unwrap_or_else(|| body.place.to_string()));
    each(Ok(Document {
        id: &id,
        text: &page.text,
        title: Some(page.title.as_str()).filter(|title| !title.is_empty()),
        heading: Some(page.telling_heading().as_str()).filter(|heading| !heading.is_empty()),
        group: None,
        score: None,
        url: body.url.as_deref(),
        line: None,
        row: None,
        wall: wall.as_ref(),
    }));
}

/// The wall that a page is. Only the head of a response in an archive has header fields.
fn wall(url: &Url, bytes: &[u8], body: &Body, page: &Page) -> Option<Wall> {
    let head = &body.bytes[..body.head_bytes.min(body.bytes.len())];
    let headers = Head::read(head).map(|head| head.headers()).unwrap_or_default();
    let answer = Answer {
        url,
        headers: &headers,
        body: bytes,
    };
    page::wall(&answer, page)
}

/// The page, and the URL that it has.
fn read(bytes: &[u8], body: &Body, reading: &Reading) -> Result<(Url, Page), String> {
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(&body.content_type) {
        headers.insert(CONTENT_TYPE, value);
    }
    let url = body.url.as_deref().and_then(|url| Url::parse(url).ok());
    let url = url.or_else(|| Url::parse(PLACEHOLDER).ok()).ok_or("it has no URL")?;
    let named = reading.extract.of_page(&url);
    let options = page::Options {
        agent: "",
        embedded: false,
        max_text_bytes: reading.limits.max_document_bytes / 2 * 3,
        extract: named.and_then(|named| named.rule.as_ref()),
        favor: named.map(|named| named.favor).unwrap_or_default(),
        documents: page::Documents::all(),
        markdown: None,
        metadata: None,
    };
    // No input is known to make a parser panic. A panic would lose this page, not the run.
    let page = catch_unwind(AssertUnwindSafe(|| page::read(bytes, &headers, &url, &options)));
    match page {
        Ok(page) => page
            .inspect(|page| {
                if !reading.is_again {
                    warn_of_missing_parts(body, page);
                }
            })
            .map(|page| (url, page))
            .map_err(|error| error.to_string()),
        Err(_panic) => Err("a parser panicked on it; please report it".into()),
    }
}

/// A book without one of its chapters is read, but its text is not whole.
fn warn_of_missing_parts(body: &Body, page: &Page) {
    if let Some(parts) = page::missing_in_words(&page.missing_parts) {
        let place = stored_text(&body.place.to_string());
        let parts = stored_text(&parts);
        tracing::warn!("{place}: it lacks parts that it names: {parts}; the others are read");
    }
}

/// Compares a record's block with its digest if the digest has the common form, SHA-1 in base 32.
fn check_digest(body: &Body) -> Result<(), String> {
    const LENGTH: usize = "sha1:".len() + 32;
    let Some(expected) = &body.digest else {
        return Ok(());
    };
    if expected.len() != LENGTH || !expected.starts_with("sha1:") {
        return Ok(());
    }
    let found = shown_digest(&payload_digest(&body.bytes));
    if found.eq_ignore_ascii_case(expected) {
        return Ok(());
    }
    Err(format!("its block digest is {found}, but its header has {expected}"))
}

/// The body without its HTTP codings.
///
/// In many archives the body is already decoded although its head still names the coding. This function therefore does not decode a
/// body that looks like HTML, and returns a UTF-8 body unchanged if the decoding fails.
fn uncoded(body: &Body, limit: usize) -> Result<Bytes, FetchError> {
    let payload = body.bytes.slice(body.head_bytes.min(body.bytes.len())..);
    let Some(Codings {
        is_chunked,
        content_encoding,
    }) = &body.codings
    else {
        return Ok(payload);
    };
    let payload = match is_chunked.then(|| unchunked(&payload)).flatten() {
        Some(whole) => whole.into(),
        None => payload,
    };
    if content_encoding.is_none() || looks_like_html(&payload) {
        return Ok(payload);
    }
    match content_encoding::decode(payload.clone(), content_encoding.as_deref(), limit) {
        Err(FetchError::ContentEncoding(_)) if std::str::from_utf8(&payload).is_ok() => Ok(payload),
        decoded => decoded,
    }
}
