//! The requests to the collector, on the thread of the export.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use opentelemetry_http::{HttpClient, HttpError, Request, Response};
use reqwest::header::RETRY_AFTER;
use tokio::runtime::{Builder, Runtime};

use crate::Fault;
use crate::delivery::Deliveries;

/// The time of a request, as the specification has it (`OTEL_EXPORTER_OTLP_TIMEOUT`).
const REQUEST_TIME: Duration = Duration::from_secs(10);

/// Longest answer that is read. A collector answers with some bytes, or with one sentence on what it refuses.
const MAX_ANSWER_BYTES: usize = 64 * 1024;

/// An HTTP client that blocks the thread that calls it, which is that of the export.
#[derive(Debug)]
pub(crate) struct Client {
    http: reqwest::Client,
    runtime: Runtime,
    deliveries: Arc<Deliveries>,
}

impl Client {
    pub fn new(deliveries: Arc<Deliveries>) -> Result<Self, Fault> {
        // Another part of the program may have chosen the same before.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        let http = reqwest::Client::builder()
            .timeout(REQUEST_TIME)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            // The runtime sleeps between requests, so it would not see that the collector closes a connection.
            .pool_max_idle_per_host(0)
            .build()?;
        let runtime = Builder::new_current_thread().enable_all().build()?;
        Ok(Self {
            http,
            runtime,
            deliveries,
        })
    }

    async fn send(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let received = self.http.execute(request.try_into()?).await;
        // A query of the URL may be a secret, and the warning names the collector.
        let mut received = received.map_err(reqwest::Error::without_url)?;
        let mut answer = Response::builder().status(received.status());
        if let Some(time) = received.headers().get(RETRY_AFTER) {
            answer = answer.header(RETRY_AFTER, time);
        }
        let mut body = Vec::new();
        while let Some(chunk) = received.chunk().await.map_err(reqwest::Error::without_url)? {
            if body.len() + chunk.len() > MAX_ANSWER_BYTES {
                return Err(format!("the answer has more than {MAX_ANSWER_BYTES} bytes").into());
            }
            body.extend_from_slice(&chunk);
        }
        Ok(answer.body(body.into())?)
    }
}

#[async_trait]
impl HttpClient for Client {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        // The thread of the export has no runtime of its own.
        let answer = self.runtime.block_on(self.send(request));
        if let Err(error) = &answer {
            // The exporter replaces it by "network error".
            self.deliveries.remember(reasons(error.as_ref()));
        }
        answer
    }
}

/// An error and its causes.
fn reasons(error: &(dyn std::error::Error + 'static)) -> String {
    let causes = std::iter::successors(Some(error), |error| error.source());
    causes.map(ToString::to_string).collect::<Vec<_>>().join(": ")
}
