//! From a request to its answer: the guard, the body, and the view on a thread of its own.

use std::sync::Arc;

use axum::body::Body;
use axum::http::{HeaderMap, Method, Request, Response, StatusCode};
use bytes::Bytes;
use hyper::body::Incoming;
use serde_json::json;
use url::form_urlencoded;

use super::asked::Asked;
use super::guard::Guard;
use super::reply::{Refusal, Reply};
use super::served::Served;
use super::views;

/// Upper bound on the bytes of a request's body, as for a page in a file.
const MAX_BODY_BYTES: usize = files::DEFAULT_MAX_DOCUMENT_BYTES;

/// Answers a request.
pub(super) async fn answer(served: Arc<Served>, request: Request<Incoming>) -> Response<Body> {
    let (head, body) = request.into_parts();
    let query = form_urlencoded::parse(head.uri.query().unwrap_or_default().as_bytes());
    let mut asked = Asked {
        path: head.uri.path().to_owned(),
        is_write: head.method == Method::POST,
        query: query.into_owned().collect(),
        body: Bytes::new(),
    };
    if let Err(refusal) = admit(&served.guard, &head.method, &head.headers) {
        return refused(&served, &asked, &refusal).into_response();
    }
    if asked.is_write {
        asked.body = match axum::body::to_bytes(Body::new(body), MAX_BODY_BYTES).await {
            Ok(body) => body,
            Err(error) => {
                let reason = format!("the body is longer than {MAX_BODY_BYTES} bytes, or not complete: {error}");
                let refusal = Refusal::new(StatusCode::PAYLOAD_TOO_LARGE, reason);
                return refused(&served, &asked, &refusal).into_response();
            }
        };
    }
    let seen = match &served.fleet {
        Some(fleet) if views::is_of_fleet(&served, &asked) => Some(fleet.look().await),
        _ => None,
    };
    let done = tokio::task::spawn_blocking(move || {
        let reply = match (seen, &served.crawl) {
            (Some(seen), _) => views::of_fleet(&served, &asked, seen),
            (None, Some(site)) => views::reply(site, &asked),
            (None, None) => views::without_crawl(&asked),
        };
        reply.unwrap_or_else(|refusal| refused(&served, &asked, &refusal))
    });
    let panicked = |_| {
        let reason = "the answer failed; the program's messages say why, and the command verify finds damage";
        Reply::Json(StatusCode::INTERNAL_SERVER_ERROR, error_json(reason))
    };
    done.await.unwrap_or_else(panicked).into_response()
}

fn admit(guard: &Guard, method: &Method, headers: &HeaderMap) -> Result<(), Refusal> {
    if !guard.is_for_us(headers) {
        let reason = format!("The Host header does not name this server. Open {}", guard.url());
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, reason));
    }
    match *method {
        Method::GET | Method::HEAD => Ok(()),
        Method::POST => match guard.refuses_write(headers) {
            None => Ok(()),
            Some(reason) => Err(Refusal::new(StatusCode::FORBIDDEN, reason)),
        },
        _ => Err(Refusal::new(
            StatusCode::METHOD_NOT_ALLOWED,
            "Only GET, HEAD and POST are allowed.",
        )),
    }
}

/// The reason as a page, or as JSON for a program and for a request that names another server.
fn refused(served: &Served, asked: &Asked, refusal: &Refusal) -> Reply {
    let is_page = !asked.is_for_programs() && !asked.is_write && refusal.status != StatusCode::MISDIRECTED_REQUEST;
    match is_page.then(|| views::problem(served.frame("", None), refusal)) {
        Some(Ok(html)) => Reply::Page(refusal.status, html),
        _ if refusal.status == StatusCode::ACCEPTED => {
            let json = json!({ "preparing": refusal.reason }).to_string();
            Reply::Json(refusal.status, terminal::json::escaped(json))
        }
        _ => Reply::Json(refusal.status, error_json(&refusal.reason)),
    }
}

fn error_json(reason: &str) -> String {
    terminal::json::escaped(json!({ "error": reason }).to_string())
}
