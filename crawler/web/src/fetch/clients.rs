//! HTTP clients, one a host, so that the connections of all hosts together stay within a bound.
//!
//! A client keeps the connections of its host open between two requests. The HTTP library bounds them per host, but a crawl has as many hosts
//! as it finds, and each open connection is an open file. So every host has a client of its own, and when all clients together could hold
//! more connections than [`max_connections`](Clients::new), the client that was used longest ago is dropped, which closes its connections.
//! A client in use is never dropped: the open requests have a bound of their own (`fetch.parallel`).

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use url::Url;

use super::FetchError;

/// Makes the client of a host. The client connects only to these addresses; with `None`, it looks the name up.
pub(super) type Build = dyn Fn(Option<&Arc<[IpAddr]>>, Reuse) -> Result<reqwest::Client, FetchError> + Send + Sync;

/// Whether a client keeps its connections for later requests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reuse {
    Kept,
    Never,
}

/// Closed connections in a row after which a host is asked over a new connection each time.
const MAX_CLOSED: u8 = 3;

/// The clients of all hosts.
pub(super) struct Clients {
    build: Box<Build>,
    max_connections: usize,
    kept: Mutex<Kept>,
}

impl std::fmt::Debug for Clients {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Clients")
            .field("max_connections", &self.max_connections)
            .finish_non_exhaustive()
    }
}

#[derive(Default)]
struct Kept {
    /// By scheme, host and port.
    clients: HashMap<String, Client>,
    /// The clients that no request uses, by when the last request ended.
    idle: BTreeMap<u64, String>,
    /// The connections that all clients may hold open.
    connections: usize,
    /// Counts the requests that have ended.
    ended: u64,
}

struct Client {
    client: reqwest::Client,
    addresses: Option<Arc<[IpAddr]>>,
    /// Requests that use it.
    requests: usize,
    /// The most requests that used it at one time, and so the connections that it may hold open.
    connections: usize,
    /// Its place in [`Kept::idle`].
    idle_since: Option<u64>,
    /// How many of its connections in a row were closed when a request used them again.
    closed: u8,
}

/// The client of a host for one request; dropped when the request has ended.
pub(super) struct Lent {
    pub client: reqwest::Client,
    origin: String,
    addresses: Option<Arc<[IpAddr]>>,
    /// The same field of [`Client`] at the time when the request began.
    closed: u8,
    clients: Arc<Clients>,
}

impl Clients {
    pub fn new(build: Box<Build>, max_connections: usize) -> Self {
        Self {
            build,
            max_connections,
            kept: Mutex::default(),
        }
    }

    /// The client for a request to `url`, whose host has these addresses. If the addresses have changed, a new client replaces the old
    /// one. The connections of the old client close when their requests have ended.
    pub fn lend(self: &Arc<Self>, url: &Url, addresses: Option<&Arc<[IpAddr]>>) -> Result<Lent, FetchError> {
        let origin = url[..url::Position::BeforePath].to_owned();
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        match kept.clients.get_mut(&origin) {
            Some(kept) if kept.addresses.as_ref() == addresses => {}
            Some(kept) => {
                kept.client = (self.build)(addresses, Reuse::Kept)?;
                kept.addresses = addresses.cloned();
                kept.closed = 0;
            }
            None => {
                let client = Client {
                    client: (self.build)(addresses, Reuse::Kept)?,
                    addresses: addresses.cloned(),
                    requests: 0,
                    connections: 0,
                    idle_since: None,
                    closed: 0,
                };
                kept.clients.insert(origin.clone(), client);
            }
        }
        let client = kept.begin(&origin);
        kept.drop_idle(self.max_connections);
        client.map(|(client, closed)| Lent {
            client,
            origin,
            addresses: addresses.cloned(),
            closed,
            clients: Arc::clone(self),
        })
    }
}

impl Kept {
    fn begin(&mut self, origin: &str) -> Result<(reqwest::Client, u8), FetchError> {
        let lost = || FetchError::Protocol("the client of the host is gone".to_owned());
        let client = self.clients.get_mut(origin).ok_or_else(lost)?;
        if let Some(since) = client.idle_since.take() {
            self.idle.remove(&since);
        }
        client.requests += 1;
        if client.requests > client.connections {
            client.connections += 1;
            self.connections += 1;
        }
        Ok((client.client.clone(), client.closed))
    }

    fn end(&mut self, origin: &str) {
        let Some(client) = self.clients.get_mut(origin) else {
            return;
        };
        client.requests -= 1;
        if client.requests == 0 {
            self.ended += 1;
            client.idle_since = Some(self.ended);
            self.idle.insert(self.ended, origin.to_owned());
        }
    }

    /// Drops clients that no request uses, the one used longest ago first, while all together may hold more than `most` connections.
    fn drop_idle(&mut self, most: usize) {
        while self.connections > most
            && let Some((_, origin)) = self.idle.pop_first()
        {
            if let Some(client) = self.clients.remove(&origin) {
                self.connections -= client.connections;
            }
        }
    }
}

impl Lent {
    /// A client for one request to the host, which opens a new connection.
    pub fn unpooled(&self) -> Result<reqwest::Client, FetchError> {
        (self.clients.build)(self.addresses.as_ref(), Reuse::Never)
    }

    /// A connection has served another request.
    pub fn served_again(&self) {
        if self.closed > 0 {
            self.change(|client| client.closed = 0);
        }
    }

    /// A connection was closed when the request used it again. If this has happened `MAX_CLOSED` times in a row, the host gets a client that
    /// keeps no connections from now on.
    pub fn found_closed(&self) {
        self.change(|client| {
            client.closed = client.closed.saturating_add(1);
            if client.closed >= MAX_CLOSED
                && let Ok(unpooled) = self.unpooled()
            {
                client.client = unpooled;
            }
        });
    }

    fn change(&self, change: impl FnOnce(&mut Client)) {
        let mut kept = self.clients.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(client) = kept.clients.get_mut(&self.origin) {
            change(client);
        }
    }
}

impl Drop for Lent {
    fn drop(&mut self) {
        let mut kept = self.clients.kept.lock().unwrap_or_else(PoisonError::into_inner);
        kept.end(&self.origin);
        kept.drop_idle(self.clients.max_connections);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn clients(max_connections: usize) -> Arc<Clients> {
        let build = |_: Option<&Arc<[IpAddr]>>, _: Reuse| {
            reqwest::Client::builder()
                .tls_backend_preconfigured(super::super::tls::config(&[])?)
                .build()
                .map_err(|error| FetchError::from_reqwest(&error))
        };
        Arc::new(Clients::new(Box::new(build), max_connections))
    }

    fn lend(clients: &Arc<Clients>, host: usize) -> Lent {
        clients
            .lend(&Url::parse(&format!("http://h{host}/")).unwrap(), None)
            .unwrap()
    }

    fn held(clients: &Clients) -> Vec<String> {
        let kept = clients.kept.lock().unwrap();
        assert_eq!(
            kept.connections,
            kept.clients.values().map(|client| client.connections).sum::<usize>()
        );
        let mut origins: Vec<String> = kept.clients.keys().cloned().collect();
        origins.sort();
        origins
    }

    #[test]
    fn the_client_used_longest_ago_is_dropped_first() {
        let clients = clients(2);
        (1..=2).for_each(|host| drop(lend(&clients, host)));
        drop(lend(&clients, 1));
        drop(lend(&clients, 3));
        assert_eq!(held(&clients), ["http://h1", "http://h3"]);
    }

    #[test]
    fn a_client_in_use_is_kept_and_counts_each_connection() {
        let clients = clients(2);
        let both = [lend(&clients, 1), lend(&clients, 1)];
        let other = lend(&clients, 2);
        assert_eq!(held(&clients), ["http://h1", "http://h2"]);
        drop(both);
        assert_eq!(held(&clients), ["http://h2"]);
        drop(other);
        assert_eq!(held(&clients), ["http://h2"]);
    }
}
