//! The request and the response of a page as the archive records them.
//!
//! The parse threads compress the records, because the recorder has only one thread. They do it before the verdict: the records of a
//! page that turns out to be a duplicate are dropped, except the `request` record.

use std::net::IpAddr;

use bytes::Bytes;
use reqwest::StatusCode;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT,
};
use storage::warc::{Capture, Compression, EncodedCapture, EncodedRequest};
use storage::{PageDraft, QueuedUrl, Validators};
use url::{Position, Url};
use web::fetch::{Response, fields_of_every_request};
use web::host_key::HostKey;

use super::revisits::conditions;
use config::settings::{HostRules, Settings};
use error::RunError;

/// The archive records of a page that waits for its verdict, as far as they can be made before it.
#[derive(Debug)]
pub(crate) enum Prepared {
    /// All records of a kept page. The body is not needed any more.
    Kept(EncodedCapture),
    /// The page is probably a duplicate, so only the request is compressed.
    Request(EncodedRequest, Bytes),
}

impl Prepared {
    /// Compresses the records of a page, or of its request alone if it `is_probably_duplicate`.
    ///
    /// # Errors
    /// The compressor failed, which it never does.
    pub fn new(
        exchange: &Exchange<'_>,
        body: Bytes,
        is_probably_duplicate: bool,
        compression: Compression,
    ) -> Result<Self, RunError> {
        let capture = exchange.capture(&body);
        let request = capture.encode_request(compression).map_err(RunError::Encode)?;
        if is_probably_duplicate {
            return Ok(Self::Request(request, body));
        }
        let kept = capture.encode_after(request, exchange.draft.payload_digest);
        Ok(Self::Kept(kept.map_err(RunError::Encode)?))
    }

    /// The records of a kept page. Compresses those that are missing.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn kept(self, exchange: &Exchange<'_>) -> Result<EncodedCapture, RunError> {
        match self {
            Self::Kept(capture) => Ok(capture),
            Self::Request(request, body) => {
                let capture = exchange.capture(&body);
                let capture = capture.encode_after(request, exchange.draft.payload_digest);
                capture.map_err(RunError::Encode)
            }
        }
    }

    /// The record of the request alone.
    pub fn request(self) -> Option<EncodedRequest> {
        match self {
            Self::Kept(capture) => capture.into_request(),
            Self::Request(request, _) => Some(request),
        }
    }

    /// The bytes that it holds.
    pub fn held_bytes(&self) -> usize {
        match self {
            Self::Kept(capture) => capture.held_bytes(),
            Self::Request(request, body) => request.held_bytes() + body.len(),
        }
    }
}

/// A page with its response, and the head of its request.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Exchange<'a> {
    pub queued: &'a QueuedUrl,
    pub draft: &'a PageDraft,
    pub response: &'a Response,
    /// The rendered page, if the text comes from there.
    pub rendered: Option<&'a str>,
    pub text: &'a str,
    /// `None` if the request is compressed already, or unknown.
    pub request: Option<&'a [u8]>,
}

impl<'a> Exchange<'a> {
    fn capture(&self, payload: &'a [u8]) -> Capture<'a> {
        Capture {
            url: &self.queued.url,
            fetched_at: self.draft.fetched_at,
            ip: address(self.response),
            request: self.request,
            status: self.draft.status,
            reason: reason(self.draft.status),
            headers: headers(self.response),
            payload,
            // An incomplete body is a failure, not a page.
            truncated: None,
            rendered: self.rendered,
            text: self.text,
        }
    }
}

/// The requests of a crawl in the form that the archive keeps.
///
/// It keeps only fields with known names: those that every crawler sends, with the values of this one. Any other field may be a secret
/// (`Authorization`, `Cookie`, the operator's own fields), and archives are shared.
#[derive(Debug)]
pub(crate) struct ArchivedRequests {
    fields: HeaderMap,
    hosts: HostRules,
}

impl ArchivedRequests {
    /// The requests of a crawl with these settings.
    pub fn new(settings: &Settings) -> Self {
        let mut fields = HeaderMap::new();
        // In the order in which the client sends them.
        let own = fields_of_every_request();
        let user_agent = HeaderValue::from_str(&settings.fetch.user_agent).ok();
        let value_of = |name| own.get(name).cloned();
        for (name, value) in [
            (ACCEPT, value_of(&ACCEPT)),
            (USER_AGENT, user_agent),
            (ACCEPT_ENCODING, value_of(&ACCEPT_ENCODING)),
        ] {
            // A field that the operator sets is the operator's own.
            if let Some(value) = value.filter(|_| !settings.fetch.headers.contains_key(&name)) {
                fields.insert(name, value);
            }
        }
        let hosts = settings.hosts.clone();
        Self { fields, hosts }
    }

    /// The head of the request for a URL of the frontier. `asked` is the spelling that was asked for, if it
    /// differs. `None` if the text of the row is not a URL.
    pub fn of(&self, queued: &QueuedUrl, asked: Option<&Url>) -> Option<Vec<u8>> {
        let url = match asked {
            Some(asked) => asked.clone(),
            None => Url::parse(&queued.url).ok()?,
        };
        Some(self.head(&url, conditions(queued, &url)))
    }

    /// The head of the request for `url`, conditional by these validators.
    pub fn head(&self, url: &Url, conditions: Option<&Validators>) -> Vec<u8> {
        let mut head = Vec::with_capacity(512);
        let target = &url[Position::BeforePath..Position::AfterQuery];
        head.extend_from_slice(format!("GET {target} HTTP/1.1\r\n").as_bytes());
        let mut field = |name: &str, value: &[u8]| {
            for part in [name.as_bytes(), b": ", value, b"\r\n"] {
                head.extend_from_slice(part);
            }
        };
        let conditions = conditions.map_or([None, None], |validators| {
            [
                validators.etag.as_deref().map(|etag| (IF_NONE_MATCH, etag)),
                validators
                    .last_modified
                    .as_deref()
                    .map(|date| (IF_MODIFIED_SINCE, date)),
            ]
        });
        for (name, value) in conditions.into_iter().flatten() {
            field(name.as_str(), value.as_bytes());
        }
        let host = HostKey::from_url(url);
        let own = host.and_then(|host| self.hosts.of(host.as_str()));
        for (name, value) in &self.fields {
            if own.is_none_or(|own| !own.headers.contains_key(name)) {
                field(name.as_str(), value.as_bytes());
            }
        }
        field(HOST.as_str(), url[Position::BeforeHost..Position::AfterPort].as_bytes());
        head.extend_from_slice(b"\r\n");
        head
    }
}

pub(crate) fn address(response: &Response) -> Option<IpAddr> {
    response.remote.map(|address| address.ip())
}

/// The standard reason phrase. HTTP/2 has none, and in HTTP/1.1 it has no meaning (RFC 9112, section 4).
pub(crate) fn reason(status: u16) -> &'static str {
    let status = StatusCode::from_u16(status).ok();
    status.and_then(|status| status.canonical_reason()).unwrap_or_default()
}

pub(crate) fn headers(response: &Response) -> Vec<(&str, &[u8])> {
    let headers = response.headers.iter();
    headers.map(|(name, value)| (name.as_str(), value.as_bytes())).collect()
}
