//! A small HTTP server on a thread of its own, with bounds on connections, header bytes and time. It ends when it is dropped.

use std::convert::Infallible;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::sync::{Semaphore, oneshot};

use error::RunError;

/// Upper bound on open connections; further ones wait in the system's queue.
const MAX_CONNECTIONS: usize = 32;

/// Time for a client to send the head of a request, or of the next one. Idle connections can make another client wait this long.
const HEAD_TIMEOUT: Duration = Duration::from_secs(2);

/// Upper bound on the time of a connection, which also ends connections of slow readers.
const CONNECTION_TIMEOUT: Duration = Duration::from_secs(60);

/// Upper bound on the bytes of a request's head.
const MAX_HEAD_BYTES: usize = 16 * 1024;

/// Pause after a failed accept: a missing resource, such as a file descriptor, needs time to return.
const ACCEPT_PAUSE: Duration = Duration::from_millis(500);

/// A running server; dropping it ends it.
#[derive(Debug)]
pub struct Server {
    name: &'static str,
    address: SocketAddr,
    end: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Server {
    /// Answers requests at the listener's address. `beside` runs on the same thread, and never completes. `name` names the thread and
    /// the server in messages.
    ///
    /// # Errors
    /// The thread of the server cannot be started.
    pub fn start<A, F>(
        name: &'static str,
        listener: TcpListener,
        answer: A,
        beside: impl Future<Output = ()> + Send + 'static,
    ) -> Result<Self, RunError>
    where
        A: Fn(Request<Incoming>) -> F + Send + Sync + 'static,
        F: Future<Output = Response<Body>> + Send + 'static,
    {
        let failed = |source| RunError::io("start", format!("the {name} server"), source);
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
        let answer = Arc::new(answer);
        let thread = std::thread::Builder::new()
            .name(name.into())
            .spawn(move || {
                runtime.block_on(async {
                    tokio::select! {
                        () = accept(name, listener, &answer) => {}
                        () = beside => {}
                        // The drop of the sender is the signal; it never sends a value.
                        _dropped = ended => {}
                    }
                });
                // Ends open connections without waiting for them.
                runtime.shutdown_background();
            })
            .map_err(failed)?;
        Ok(Self {
            name,
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
            tracing::warn!("the {} server ended early", self.name);
        }
    }
}

async fn accept<A, F>(name: &'static str, listener: tokio::net::TcpListener, answer: &Arc<A>)
where
    A: Fn(Request<Incoming>) -> F + Send + Sync + 'static,
    F: Future<Output = Response<Body>> + Send + 'static,
{
    let free = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(permit) = free.clone().acquire_owned().await else {
            return; // Nothing closes the semaphore.
        };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            Err(error) => {
                tracing::debug!(%error, "cannot accept a connection to the {name} server");
                tokio::time::sleep(ACCEPT_PAUSE).await;
                continue;
            }
        };
        let answer = answer.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request: Request<Incoming>| {
                let response = answer(request);
                async move { Ok::<_, Infallible>(response.await) }
            });
            let mut http = http1::Builder::new();
            http.timer(TokioTimer::new())
                .header_read_timeout(HEAD_TIMEOUT)
                .max_buf_size(MAX_HEAD_BYTES);
            let served = tokio::time::timeout(CONNECTION_TIMEOUT, http.serve_connection(TokioIo::new(stream), service));
            if let Ok(Err(error)) = served.await {
                tracing::debug!(%error, "a connection to the {name} server ended");
            }
            drop(permit);
        });
    }
}
