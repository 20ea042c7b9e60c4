//! The answers of the server, with the headers that keep a page from doing anything but its task.

use axum::body::Body;
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_DISPOSITION, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, RETRY_AFTER,
    X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderName, HeaderValue, Response, StatusCode};
use serde::Serialize;

use super::file::File;

/// Scripts, styles and requests of this server alone; nothing inline, no frame around the page.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; base-uri 'none'; \
                      form-action 'self'; frame-ancestors 'none'";

const RESOURCE_POLICY: HeaderName = HeaderName::from_static("cross-origin-resource-policy");
const OPENER_POLICY: HeaderName = HeaderName::from_static("cross-origin-opener-policy");

/// Seconds after which a client asks again for what is being prepared.
const ASK_AGAIN_SECONDS: &str = "1";

/// An answer.
#[derive(Debug)]
pub(super) enum Reply {
    Page(StatusCode, String),
    Json(StatusCode, String),
    Asset(&'static str, &'static str),
    /// Comma-separated values, to be saved.
    File(File),
    Nothing,
}

/// A request without the answer that it asks for.
#[derive(Debug)]
pub(super) struct Refusal {
    pub status: StatusCode,
    /// What is wrong and what to do, as a sentence.
    pub reason: String,
}

impl Refusal {
    pub fn new(status: StatusCode, reason: impl ToString) -> Self {
        Self {
            status,
            reason: reason.to_string(),
        }
    }

    pub fn bad(reason: impl ToString) -> Self {
        Self::new(StatusCode::BAD_REQUEST, reason)
    }
}

impl From<error::RunError> for Refusal {
    fn from(error: error::RunError) -> Self {
        let status = match error {
            error::RunError::Storage(storage::StorageError::Locked { .. }) => StatusCode::CONFLICT,
            _ => StatusCode::INTERNAL_SERVER_ERROR,
        };
        Self::new(status, error)
    }
}

impl From<storage::StorageError> for Refusal {
    fn from(error: storage::StorageError) -> Self {
        error::RunError::from(error).into()
    }
}

impl Reply {
    /// An answer of the API, as the commands print it.
    pub fn json(value: &impl Serialize) -> Result<Self, Refusal> {
        match terminal::json::to_string(value) {
            Ok(json) => Ok(Self::Json(StatusCode::OK, json)),
            Err(error) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error)),
        }
    }

    /// A page of the site.
    pub fn page(template: &impl askama::Template) -> Result<Self, Refusal> {
        match template.render() {
            Ok(html) => Ok(Self::Page(StatusCode::OK, html)),
            Err(error) => Err(Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error)),
        }
    }

    /// The answer with its headers.
    pub fn into_response(self) -> Response<Body> {
        let mut saved_as = None;
        let (status, media_type, body) = match self {
            Self::Page(status, html) => (status, "text/html; charset=utf-8", Body::from(html)),
            Self::Json(status, json) => (status, "application/json", Body::from(json)),
            Self::Asset(media_type, text) => (StatusCode::OK, media_type, Body::from(text)),
            Self::File(file) => {
                saved_as = Some(file.name);
                (StatusCode::OK, "text/csv; charset=utf-8", file.into_body())
            }
            Self::Nothing => (StatusCode::NO_CONTENT, "text/plain", Body::empty()),
        };
        let mut response = Response::new(body);
        *response.status_mut() = status;
        let headers = response.headers_mut();
        for (name, value) in [
            (CONTENT_TYPE, media_type),
            (CACHE_CONTROL, "no-store"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
            (REFERRER_POLICY, "no-referrer"),
            (CONTENT_SECURITY_POLICY, POLICY),
            (RESOURCE_POLICY, "same-origin"),
            (OPENER_POLICY, "same-origin"),
        ] {
            headers.insert(name, HeaderValue::from_static(value));
        }
        if let Some(name) = saved_as.and_then(|name| HeaderValue::try_from(format!("attachment; filename={name}")).ok())
        {
            headers.insert(CONTENT_DISPOSITION, name);
        }
        if matches!(status, StatusCode::SERVICE_UNAVAILABLE | StatusCode::ACCEPTED) {
            headers.insert(RETRY_AFTER, HeaderValue::from_static(ASK_AGAIN_SECONDS));
        }
        if status == StatusCode::METHOD_NOT_ALLOWED {
            headers.insert(ALLOW, HeaderValue::from_static("GET, HEAD, POST"));
        }
        response
    }
}
