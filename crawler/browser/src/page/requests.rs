//! The requests of a page: who answers them, and within which bounds.

use std::sync::Arc;
use std::time::{Duration, Instant};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};
use url::Url;

use super::Page;
use crate::error::RenderError;
use crate::refusal::Refusal;
use crate::resources::{Kind, Request, Resource, Resources, Unanswered};
use crate::session::{self, Asked};

/// A page that has asked so often for the same data will ask again.
const POLLS: u32 = 3;

/// An answer for a paused request.
pub(super) struct Answered {
    session: String,
    id: String,
    asked: Instant,
    resource: Result<Resource, Unanswered>,
}

impl<R: Resources> Page<'_, R> {
    /// Decides on a request.
    pub(super) async fn paused(&mut self, session: String, params: &Value) -> Result<(), RenderError> {
        let id = params["requestId"].as_str().unwrap_or_default();
        let request = &params["request"];
        let is_document = params["resourceType"] == "Document";
        if is_document && session == self.session && params["frameId"] == self.target.as_str() {
            if !self.is_served {
                self.is_served = true;
                let document = self.document;
                self.fulfill(&session, id, document.status, &document.headers, &document.body)
                    .await?;
                return self.run_clock().await;
            }
            self.refuse(Refusal::Navigation);
            self.link(request["url"].as_str());
            return self.fulfill(&session, id, 204, &[], &[]).await;
        }
        let refusal = match session::asked(params) {
            Asked::Local => {
                let allow = json!({ "requestId": id });
                return self.connection.send(&session, "Fetch.continueRequest", allow).await;
            }
            Asked::Preflight => return self.fulfill(&session, id, 204, &allowing(request), &[]).await,
            Asked::Refused(refusal) => refusal,
            Asked::Resource(kind) => match self.request(kind, request) {
                Ok(request) => {
                    self.open.asked(Instant::now());
                    if kind == Kind::Data {
                        self.note_data(&request.url);
                    }
                    let (resources, id, asked) = (Arc::clone(&self.resources), id.to_owned(), Instant::now());
                    self.answers.spawn(async move {
                        let resource = resources.get(request).await;
                        Answered {
                            session,
                            id,
                            asked,
                            resource,
                        }
                    });
                    return Ok(());
                }
                Err(refusal) => refusal,
            },
        };
        self.fail(&session, id, refusal).await
    }

    /// The request for the caller, if the budget of the page allows it.
    fn request(&self, kind: Kind, request: &Value) -> Result<Request, Refusal> {
        let url = Url::parse(request["url"].as_str().unwrap_or_default());
        let url = url.map_err(|_invalid| Refusal::Scheme)?;
        let asked = self.rendered.requests as usize + self.open.requests();
        if asked >= self.settings.max_requests || self.rendered.bytes >= self.settings.max_bytes as u64 {
            return Err(Refusal::Budget);
        }
        let mut headers = session::passed_on(request);
        // The browser adds it behind the pause; without it, a server does not allow a request from another origin.
        if kind == Kind::Data && url.origin() != self.document.url.origin() {
            headers.retain(|(name, _)| name != "origin");
            headers.push(("origin".into(), self.document.url.origin().ascii_serialization()));
        }
        Ok(Request {
            page: self.document.url.clone(),
            url,
            kind,
            headers,
        })
    }

    /// The caller's answer has come. `None` if its code panicked.
    pub(super) async fn answered(&mut self, answered: Option<Answered>) -> Result<(), RenderError> {
        let Some(Answered {
            session,
            id,
            asked,
            resource,
        }) = answered
        else {
            let now = Instant::now();
            self.open.answered(now, Duration::ZERO, now);
            return Ok(());
        };
        let now = Instant::now();
        let waited = match &resource {
            Ok(resource) => resource.waited,
            Err(Unanswered::NoTurn) => now - asked,
            Err(Unanswered::Never) => Duration::ZERO,
        };
        self.open.answered(asked, waited, now);
        let resource = match resource {
            Ok(resource) => resource,
            Err(unanswered) => {
                self.rendered.requests += 1;
                let refusal = match unanswered {
                    Unanswered::Never => Refusal::Unfetched,
                    Unanswered::NoTurn => Refusal::NoTurn,
                };
                return self.fail(&session, &id, refusal).await;
            }
        };
        if resource.is_cached {
            self.rendered.cached += 1;
        } else {
            self.rendered.requests += 1;
        }
        self.rendered.bytes += resource.body.len() as u64;
        if self.rendered.bytes > self.settings.max_bytes as u64 {
            return self.fail(&session, &id, Refusal::Budget).await;
        }
        self.fulfill(&session, &id, resource.status, &resource.headers, &resource.body)
            .await
    }

    async fn fulfill(
        &self,
        session: &str,
        id: &str,
        status: u16,
        headers: &[(String, String)],
        body: &[u8],
    ) -> Result<(), RenderError> {
        let answer = json!({
            "requestId": id,
            "responseCode": status,
            "responseHeaders": session::shown(headers),
            "body": BASE64_STANDARD.encode(body),
        });
        self.connection.send(session, "Fetch.fulfillRequest", answer).await
    }

    async fn fail(&mut self, session: &str, id: &str, refusal: Refusal) -> Result<(), RenderError> {
        self.refuse(refusal);
        let answer = json!({ "requestId": id, "errorReason": "BlockedByClient" });
        self.connection.send(session, "Fetch.failRequest", answer).await
    }

    /// Counts the requests for data that differ in nothing but numbers of their queries.
    fn note_data(&mut self, url: &Url) {
        let mut key = url.clone();
        let query: Option<String> = url.query().map(|query| query.replace(|c: char| c.is_ascii_digit(), ""));
        key.set_query(query.as_deref());
        let times = self.asked.entry(key).or_default();
        *times += 1;
        self.polls |= *times >= POLLS;
    }
}

/// The fields that allow a request from another origin. The request itself is only ever a GET, which changes nothing.
fn allowing(request: &Value) -> Vec<(String, String)> {
    let field = |name: &str| session::field(request, name).unwrap_or("*").to_owned();
    vec![
        ("access-control-allow-origin".into(), field("origin")),
        (
            "access-control-allow-headers".into(),
            field("access-control-request-headers"),
        ),
        ("access-control-allow-methods".into(), "GET".into()),
        ("access-control-allow-credentials".into(), "true".into()),
    ]
}
