//! The addresses to which the requests to a host connect.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::FetchError;

/// The result of looking up the name of a host, for the requests that follow.
#[derive(Debug, Clone, Default)]
pub enum Route {
    /// The crawler made no look-up: the host is an address, a proxy opens the connection, or the client looks the name up when it
    /// connects.
    #[default]
    Direct,
    /// The permitted addresses of the name, in order of preference. The request connects to no other.
    Addresses(Arc<[IpAddr]>),
    /// The look-up failed. Every request fails with this error, without a connection.
    Unresolved(FetchError),
}

impl Route {
    /// The address that a request tries first, if it is known.
    #[must_use]
    pub fn address(&self) -> Option<IpAddr> {
        match self {
            Self::Addresses(addresses) => addresses.first().copied(),
            Self::Direct | Self::Unresolved(_) => None,
        }
    }
}

/// Resolves the name of one host to the addresses of its route, so that a connection cannot use an address that another look-up found.
#[derive(Debug, Clone)]
pub(super) struct PinnedResolver(pub Arc<[IpAddr]>);

impl Resolve for PinnedResolver {
    fn resolve(&self, _name: Name) -> Resolving {
        // Port 0 stands for the port of the URL, which the client fills in.
        let addresses: Vec<_> = self.0.iter().map(|address| SocketAddr::new(*address, 0)).collect();
        Box::pin(async move { Ok(Box::new(addresses.into_iter()) as Addrs) })
    }
}

#[cfg(test)]
pub(super) mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpListener};
    use std::time::Duration;

    use reqwest::header::HeaderMap;
    use url::Url;

    use super::*;
    use crate::fetch::{CookiesFile, FetchSettings, Fetcher, Wanted};
    use crate::memory_budget::MemoryBudget;

    /// Settings for a test.
    pub(in crate::fetch) fn settings(allow_private_addresses: bool) -> FetchSettings {
        FetchSettings {
            user_agent: "test/1".into(),
            parallel: 4,
            max_connections: 4,
            connect_timeout: Duration::from_secs(10),
            timeout: Duration::from_secs(10),
            max_body_bytes: 1_000,
            memory_bytes: 1 << 20,
            max_redirects: 1,
            allow_private_addresses,
            cookies: false,
            cookies_file: CookiesFile::default(),
            keep_cookies: false,
            logins: Arc::default(),
            proxy: None,
            extra_roots: Vec::new(),
            headers: HeaderMap::new(),
            host_headers: Vec::new(),
            credentials: Vec::new(),
        }
    }

    fn fetcher(allow_private_addresses: bool) -> Fetcher {
        Fetcher::new(&settings(allow_private_addresses), MemoryBudget::new(1 << 20)).unwrap()
    }

    /// The port of a server at 127.0.0.1 that answers every request with an empty robots.txt.
    fn server() -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            for mut stream in listener.incoming().map_while(Result::ok) {
                let mut head = Vec::new();
                let mut byte = [0];
                while !head.ends_with(b"\r\n\r\n") && stream.read_exact(&mut byte).is_ok() {
                    head.push(byte[0]);
                }
                let answer = b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
                stream.write_all(answer).unwrap();
            }
        });
        port
    }

    fn addresses(last: &[u8]) -> Route {
        Route::Addresses(last.iter().map(|last| IpAddr::from([127, 0, 0, *last])).collect())
    }

    #[tokio::test]
    async fn a_request_connects_to_the_addresses_of_its_route_in_turn_and_to_no_other() {
        let fetcher = fetcher(true);
        // No look-up finds this name (RFC 6761, section 6.4).
        let url = Url::parse(&format!("http://name.invalid:{}/robots.txt", server())).unwrap();
        let get = |route| {
            let (fetcher, url) = (fetcher.clone(), url.clone());
            async move { fetcher.get_by(&route, &url, Wanted::Robots, HeaderMap::new()).await }
        };
        let first = IpAddr::from([127, 0, 0, 1]);
        assert_eq!(get(addresses(&[1])).await.unwrap().remote.unwrap().ip(), first);
        assert!(
            get(addresses(&[2])).await.is_err(),
            "no server is there, and the old client is not used"
        );
        assert_eq!(get(addresses(&[2, 1])).await.unwrap().remote.unwrap().ip(), first);
        assert!(matches!(get(Route::Direct).await, Err(FetchError::Dns(_))));
        let failed = Route::Unresolved(FetchError::Timeout);
        assert!(matches!(get(failed).await, Err(FetchError::Timeout)));
    }

    #[tokio::test]
    async fn a_look_up_finds_only_addresses_that_the_policy_permits() {
        let route = fetcher(true).look_up("a.localhost:8080").await;
        assert!(route.address().unwrap().is_loopback(), "{route:?}");
        let route = fetcher(false).look_up("a.localhost:8080").await;
        assert!(
            matches!(route, Route::Unresolved(FetchError::ForbiddenAddress(_))),
            "{route:?}"
        );
        let route = fetcher(true).look_up("name.invalid").await;
        assert!(matches!(route, Route::Unresolved(FetchError::Dns(_))), "{route:?}");
    }
}
