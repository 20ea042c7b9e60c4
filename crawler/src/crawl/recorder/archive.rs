//! The archive records of a page: a response record for a kept page, a revisit record for a duplicate.

use std::net::IpAddr;

use reqwest::StatusCode;
use reqwest::header::{
    ACCEPT, ACCEPT_ENCODING, HOST, HeaderMap, HeaderValue, IF_MODIFIED_SINCE, IF_NONE_MATCH, USER_AGENT,
};
use storage::warc::{Capture, DuplicateText, EncodedCapture, RefersTo, RevisitCapture, RevisitProfile};
use storage::{PageRecord, QueuedUrl, Store, Validators, Verdict};
use url::{Position, Url};
use web::fetch::{Response, fields_of_every_request};

use super::kept_texts::KeptTexts;
use crate::config::settings::Settings;
use crate::crawl::messages::UndecidedPage;
use crate::crawl::revisits::conditions;
use crate::error::RunError;

/// The requests of a crawl in the form that the archive keeps.
///
/// It keeps only fields with known names: those that every crawler sends, with the values of this one. Any other field may be a secret
/// (`Authorization`, `Cookie`, the operator's own fields), and archives are shared.
#[derive(Debug)]
pub(crate) struct ArchivedRequests {
    fields: HeaderMap,
}

impl ArchivedRequests {
    /// The requests of a crawl with these settings.
    pub(crate) fn new(settings: &Settings) -> Self {
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
        Self { fields }
    }

    /// The head of the request for a URL of the frontier. `asked` is the spelling that was asked for, if it
    /// differs. `None` if the text of the row is not a URL.
    pub(super) fn of(&self, queued: &QueuedUrl, asked: Option<&Url>) -> Option<Vec<u8>> {
        let url = match asked {
            Some(asked) => asked.clone(),
            None => Url::parse(&queued.url).ok()?,
        };
        Some(self.head(&url, conditions(queued, &url)))
    }

    /// The head of the request for `url`, conditional by these validators.
    fn head(&self, url: &Url, conditions: Option<&Validators>) -> Vec<u8> {
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
        for (name, value) in &self.fields {
            field(name.as_str(), value.as_bytes());
        }
        field(HOST.as_str(), url[Position::BeforeHost..Position::AfterPort].as_bytes());
        head.extend_from_slice(b"\r\n");
        head
    }
}

/// The records of a decided page.
pub(super) fn encoded(
    page: &UndecidedPage,
    store: &Store,
    requests: &ArchivedRequests,
    texts: &mut KeptTexts,
) -> Result<Option<EncodedCapture>, RunError> {
    let request = requests.of(&page.queued, Some(&page.asked));
    let encoded = match page.draft.verdict.of() {
        None => capture(page, request.as_deref()).encode(),
        Some(of) => match store.latest_page(of)? {
            Some(kept) => {
                let base = texts.of(store, of, &kept)?;
                let text = base.map(|base| DuplicateText {
                    of,
                    base,
                    text: &page.text,
                });
                revisit(page, &kept, text, request.as_deref()).encode()
            }
            None => return Ok(None),
        },
    };
    encoded.map(Some).map_err(RunError::Encode)
}

fn capture<'a>(page: &'a UndecidedPage, request: Option<&'a [u8]>) -> Capture<'a> {
    Capture {
        url: &page.queued.url,
        fetched_at: page.draft.fetched_at,
        ip: address(&page.response),
        request,
        status: page.draft.status,
        reason: reason(page.draft.status),
        headers: headers(&page.response),
        payload: &page.body,
        // An incomplete body is a failure, not a page.
        truncated: None,
        text: &page.text,
    }
}

fn revisit<'a>(
    page: &'a UndecidedPage,
    kept: &'a PageRecord,
    text: Option<DuplicateText<'a>>,
    request: Option<&'a [u8]>,
) -> RevisitCapture<'a> {
    let is_identical = page.draft.payload_digest == kept.payload_digest;
    let profile = match page.draft.verdict {
        _ if is_identical => RevisitProfile::IdenticalPayload,
        Verdict::Near {
            distance, similarity, ..
        } => RevisitProfile::NearDuplicate { distance, similarity },
        Verdict::Exact { .. } | Verdict::Unique => RevisitProfile::SameText,
    };
    RevisitCapture {
        url: &page.queued.url,
        fetched_at: page.draft.fetched_at,
        ip: address(&page.response),
        request,
        status: page.draft.status,
        reason: reason(page.draft.status),
        headers: headers(&page.response),
        payload_bytes: Some(page.draft.body_bytes),
        payload_digest: page.draft.payload_digest,
        profile,
        refers_to: RefersTo {
            url: &kept.url,
            fetched_at: kept.fetched_at,
        },
        text,
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
