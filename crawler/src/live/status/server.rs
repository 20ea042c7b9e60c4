//! The HTTP server of the status: three read-only paths, with bounds on connections, header bytes and time.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::Body;
use axum::http::header::{
    ALLOW, CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, REFERRER_POLICY, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, HeaderName, Method, Request, Response, StatusCode};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Semaphore, oneshot};

use super::figures::Figures;
use super::{View, guard, metrics, page};
use crate::error::RunError;

/// Upper bound on open connections; further ones wait in the system's queue.
const MAX_CONNECTIONS: usize = 32;

/// Time for a client to send the head of a request, or of the next one. Idle connections can make another client wait this long.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Upper bound on the time of a connection, which also ends connections of slow readers.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// Upper bound on the bytes of a request's head.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Time between two samples for the rates.
const SAMPLE_INTERVAL: Duration = Duration::from_secs(1);

/// Pause after a failed accept: a missing resource, such as a file descriptor, needs time to return.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// The media type of OpenMetrics.
const OPEN_METRICS: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct Server {
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Serves `view` at the listener's address. With `is_public` it accepts any Host header.
    ///
    /// # Errors
    /// The thread of the server cannot be started.
    pub fn start(listener: TcpListener, view: View, is_public: bool) -> Result<Self, RunError> {
        let failed = |source| RunError::io("start", "the status server", source);
        let address = listener.local_addr().map_err(failed)?;
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .map_err(failed)?;
        let listener = {
            let _entered = runtime.enter();
            tokio::net::TcpListener::from_std(listener).map_err(failed)?
        };
        let (end, ended) = oneshot::channel();
        let site = Arc::new(Site { view, is_public });
        let thread = std::thread::Builder::new()
            .name("status".into())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = accept(listener, &site) => {}
                        () = sample_rates(&site.view) => {}
                        // The drop of the sender is the signal; it never sends a value.
                        _dropped = ended => {}
                    }
                });
                // Ends open connections without waiting for them.
                runtime.shutdown_background();
            })
            .map_err(failed)?;
        Ok(Self {
            address,
            end: Some(end),
            thread: Some(thread),
        })
    }

    /// The address, with the selected port if port 0 was requested.
    #[must_use]
    pub fn address(&self) -> SocketAddr {
        self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        drop(self.end.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::warn!("the status server ended early");
        }
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

async fn accept(listener: tokio::net::TcpListener, site: &Arc<Site>) {
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = free.clone().acquire_owned().await else {
            return; // Nothing closes the semaphore.
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "cannot accept a connection to the status server");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let site = site.clone();
        tokio::spawn(async move {
            let answer = service_fn(move |request: Request<Incoming>| {
                let response = site.answer(request.method(), request.uri().path(), request.headers());
                async move { Ok::<_, Infallible>(response) }
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_buf_size(MAX_HEAD_BYTES);
            let served = tokio::time::timeout(CONNECTION_TIMEOUT, http.serve_connection(TokioIo::new(stream), answer));
            if let Ok(Err(error)) = served.await {
                tracing::debug!(%error, "a connection to the status server ended");
            }
            drop(permit);
        });
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
            "/status.json" => crate::terminal::json::to_string(&Figures::of(&self.view))
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
