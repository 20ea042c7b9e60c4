//! A page or a text that was found whole: from bytes to document.

use std::borrow::Cow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use bytes::Bytes;
use storage::warc::record::digest;

use super::Limits;
use super::batch::{Body, BodyKind, Codings};
use super::document::{Document, json_string};
use super::format::looks_like_html;
use super::http::unchunked;
use super::place::Fault;
use crate::fetch::FetchError;
use crate::interpret::is_binary;
use crate::{content_encoding, decode, extract, parse};

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
    if is_binary(&bytes) {
        return each(refused("it is not text".into()));
    }
    // No input is known to make a parser panic; if one does, it costs that page and not the run.
    let page = catch_unwind(AssertUnwindSafe(|| {
        Page::read(&bytes, body.kind, body.charset.as_deref())
    }));
    let Ok(page) = page else {
        return each(refused("a parser panicked on it; please report it".into()));
    };
    let id = json_string(&body.id.clone().unwrap_or_else(|| body.place.to_string()));
    each(Ok(Document {
        id: &id,
        text: &page.text,
        title: page.title.as_deref(),
        url: body.url.as_deref(),
        line: None,
    }));
}

/// What a page says.
struct Page<'a> {
    text: Cow<'a, str>,
    title: Option<String>,
}

impl<'a> Page<'a> {
    fn read(bytes: &'a [u8], kind: BodyKind, charset: Option<&str>) -> Self {
        let decoded = decode::decode(bytes, charset);
        match kind {
            BodyKind::Text => Self {
                text: decoded.text,
                title: None,
            },
            BodyKind::Html => {
                let page = parse::parse(&decoded.text);
                Self {
                    text: extract::main_text(&page).text.into(),
                    title: Some(parse::title(&page)).filter(|title| !title.is_empty()),
                }
            }
        }
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
    let found = digest(&[&body.bytes[..]]);
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
