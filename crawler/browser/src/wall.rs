//! The proxy that refuses everything.
//!
//! The browser believes that this proxy is its only way to the network. The proxy listens on loopback, reads the first line of each
//! request, answers 403, and counts. It never opens a connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::Semaphore;
use tokio::task::JoinHandle;
use tokio::time::timeout;

/// Connections that are read at one time. Others wait.
const MAX_CONNECTIONS: usize = 64;

/// Time that a connection may take.
const PATIENCE: Duration = Duration::from_secs(2);

/// The wall. It stands until it is dropped.
#[derive(Debug)]
pub struct Wall {
    /// Where it listens.
    pub address: SocketAddr,
    refused: Arc<AtomicU64>,
    task: JoinHandle<()>,
}

impl Wall {
    /// Puts up a wall on loopback.
    ///
    /// # Errors
    /// No port is free.
    pub async fn start() -> std::io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let refused = Arc::new(AtomicU64::new(0));
        let task = tokio::spawn(refuse_all(listener, refused.clone()));
        Ok(Self { address, refused, task })
    }

    /// The number of connections that were refused.
    #[must_use]
    pub fn refused(&self) -> u64 {
        self.refused.load(Ordering::Relaxed)
    }
}

impl Drop for Wall {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn refuse_all(listener: TcpListener, refused: Arc<AtomicU64>) {
    let places = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(place) = places.clone().acquire_owned().await else {
            return;
        };
        match listener.accept().await {
            Ok((stream, _)) => {
                refused.fetch_add(1, Ordering::Relaxed);
                tokio::spawn(async move {
                    let line = timeout(PATIENCE, refuse(stream)).await;
                    tracing::debug!(request = ?line.ok().flatten(), "refused a request that the browser made by itself");
                    drop(place);
                });
            }
            // Too many open files, for example. The browser waits, which does no harm.
            Err(error) => {
                tracing::debug!(%error, "the wall could not accept a connection");
                tokio::time::sleep(Duration::from_millis(100)).await;
            }
        }
    }
}

/// Refuses one request. Returns its first line.
async fn refuse(mut stream: TcpStream) -> Option<String> {
    let mut head = [0; 1024];
    let read = stream.read(&mut head).await.ok()?;
    let answer = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
    stream.write_all(answer).await.ok()?;
    stream.shutdown().await.ok()?;
    let head = String::from_utf8_lossy(&head[..read]);
    head.lines().next().map(str::to_owned)
}
