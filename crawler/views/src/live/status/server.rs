//! The HTTP server of the status: three read-only paths.

use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, Method, Response, StatusCode};

use super::figures::Figures;
use super::{View, guard, metrics, page};
use crate::live::http;
use error::RunError;

/// Time between two samples for the rates.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// The media type of OpenMetrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct Server(http::Server);

impl Server {
    /// Serves `view` at the listener's address. With `is_public` it accepts any Host header.
    ///
    /// # Errors
    /// The thread of the server cannot be started.
    pub fn start(listener: TcpListener, view: View, is_public: bool) -> Result<Self, RunError> {
        let site = Arc::new(Site { view, is_public });
        let sampled = site.clone();
        let server = http::Server::start(
            "status",
            listener,
            move |request| {
                let response = site.answer(request.method(), request.uri().path(), request.headers());
                async move { response }
            },
            async move { sample_rates(&sampled.view).await },
        )?;
        Ok(Self(server))
    }

    /// The address, with the selected port if port 0 was requested.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.0.address()
    }
}

struct Site {
    view: View,
    is_public: bool,
}

/// Samples the figures at regular times, which the rates need with or without requests.
async fn sample_rates(view: &View) {
    let mut ticks = tokio::time::interval(SAMPLE_INTERVAL);
    loop {
        ticks.tick().await;
        view.look();
    }
}

impl Site {
    fn answer(&self, method: &Method, path: &str, headers: &HeaderMap) -> Response<Body> {
        if !self.is_public && !guard::is_for_this_machine(headers) {
            return plain(
                StatusCode::MISDIRECTED_REQUEST,
                "Use an IP address or localhost in the URL.\n",
            );
        }
        let answer = match path {
            "/" | "/status.json" | "/metrics" if !matches!(*method, Method::GET | Method::HEAD) => {
                let response = plain(StatusCode::METHOD_NOT_ALLOWED, "Only GET and HEAD are allowed.\n");
                return with(response, ALLOW, "GET, HEAD");
            }
            "/" => {
                let nonce = page::nonce();
                page::render(&Figures::of(&self.view), &nonce).map(|html| {
                    let policy = page::content_security_policy(&nonce);
                    with(
                        response(StatusCode::OK, "text/html; charset=utf-8", html),
                        CONTENT_SECURITY_POLICY,
                        &policy,
                    )
                })
            }
            "/status.json" => terminal::json::to_string(&Figures::of(&self.view))
                .map(|json| response(StatusCode::OK, "application/json", json))
                .map_err(|error| error.to_string()),
            "/metrics" => metrics::render(&self.view)
                .map(|text| response(StatusCode::OK, OPEN_METRICS, text))
                .map_err(|error| error.to_string()),
            _ => Ok(plain(
                StatusCode::NOT_FOUND,
                "The paths are / (a page), /status.json and /metrics.\n",
            )),
        };
        answer.unwrap_or_else(|error| plain(StatusCode::INTERNAL_SERVER_ERROR, &format!("{error}\n")))
    }
}

fn plain(status: StatusCode, text: &str) -> Response<Body> {
    response(status, "text/plain; charset=utf-8", text.to_owned())
}

fn response(status: StatusCode, media_type: &str, body: String) -> Response<Body> {
    let mut response = Response::new(Body::from(body));
    *response.status_mut() = status;
    for (name, value) in [
        (CONTENT_TYPE, media_type),
        (CACHE_CONTROL, "no-store"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (REFERRER_POLICY, "no-referrer"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
    ] {
        response = with(response, name, value);
    }
    response
}

/// Sets a header. Every value in this file is a valid header value.
fn with(mut response: Response<Body>, name: HeaderName, value: &str) -> Response<Body> {
    if let Ok(value) = value.parse() {
        response.headers_mut().insert(name, value);
    }
    response
}
