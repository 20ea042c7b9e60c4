//! A page or a text that was found whole: from bytes to document.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use page::Page;
use page::sniff::{is_binary, looks_like_html};
use reqwest::header::{CONTENT_TYPE, HeaderMap, HeaderValue};
use storage::warc::{payload_digest, shown_digest};
use url::Url;
use web::fetch::{FetchError, content_encoding};

use super::Limits;
use super::batch::{Body, Codings};
use super::document::{Document, json_string};
use super::http::unchunked;
use super::place::Fault;

/// The URL of a document of which nobody says where it is from. `.invalid` leads nowhere (RFC 6761, section 6.4).
pub const PLACEHOLDER: &str = "http://file.invalid/";

/// Shows the document that `body` is, or why it is none.
pub(super) fn document(body: &Body, limits: Limits, each: &mut dyn FnMut(Result<Document<'_>, Fault>)) {
    let refused = |reason: String| Err(Fault::new(body.place.clone(), reason));
    if let Err(reason) = check_digest(body) {
        return each(refused(reason));
    }
    let bytes = match uncoded(body, limits.max_document_bytes) {
        Ok(bytes) => bytes,
        Err(FetchError::BodyTooLarge { limit }) => return each(Err(Fault::too_long(body.place.clone(), limit))),
        Err(error) => return each(refused(error.to_string())),
    };
    // What a file's name says is a guess; a header is not.
    if body.codings.is_none() && is_binary(&bytes) {
        return each(refused("it is not text".into()));
    }
    let page = match read(&bytes, body, limits) {
        Ok(page) => page,
        Err(reason) => return each(refused(reason)),
    };
    let id = json_string(&body.id.clone().unwrap_or_else(|| body.place.to_string()));
    each(Ok(Document {
        id: &id,
        text: &page.text,
        title: Some(page.title.as_str()).filter(|title| !title.is_empty()),
        url: body.url.as_deref(),
        line: None,
    }));
}

fn read(bytes: &[u8], body: &Body, limits: Limits) -> Result<Page, String> {
    let mut headers = HeaderMap::new();
    if let Ok(value) = HeaderValue::from_str(&body.content_type) {
        headers.insert(CONTENT_TYPE, value);
    }
    let url = body.url.as_deref().and_then(|url| Url::parse(url).ok());
    let url = url.or_else(|| Url::parse(PLACEHOLDER).ok()).ok_or("it has no URL")?;
    let options = page::Options {
        agent: "",
        embedded: false,
        max_text_bytes: limits.max_document_bytes / 2 * 3,
    };
    // No input is known to make a parser panic; if one does, it costs that page and not the run.
    let page = catch_unwind(AssertUnwindSafe(|| page::read(bytes, &headers, &url, &options)));
    match page {
        Ok(page) => page.map_err(|error| error.to_string()),
        Err(_panic) => Err("a parser panicked on it; please report it".into()),
    }
}

/// Compares a record's block with its digest, where that is of the one form that all crawlers agree on: SHA-1 in base 32.
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
    Err(format!("its block digest is {found}, its header says {expected}"))
}

/// The body without the codings of HTTP.
///
/// Archives often hold bodies whose codings were undone while their heads still name them. A page that can be read as it
/// stands is therefore left so; and so is, after a coding could not be undone, what is UTF-8 as it stands.
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
