//! A proxy, and its effect on the address policy.
//!
//! HTTP proxies and `socks5h` proxies resolve names themselves, so the policy can check only addresses written in URLs. For a
//! `socks5` proxy the crawler resolves names under the policy, as without a proxy.

use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::net::IpAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use super::FetchError;
use crate::address_policy::GuardedResolver;

/// The proxy of all requests.
#[derive(Clone)]
pub struct Proxy {
    url: Url,
    /// The name by which the client asks for the proxy: see [`alias_of`].
    alias: Option<String>,
}

impl Proxy {
    /// The proxy at a URL, which may contain `user:password@`.
    ///
    /// # Errors
    /// The form that the URL must have.
    pub fn new(url: &str) -> Result<Self, &'static str> {
        let wrong = "must be http://host:port, https://host:port, socks5://host:port (the crawler resolves names) or \
            socks5h://host:port (the proxy resolves names)";
        let url = Url::parse(url).map_err(|_| wrong)?;
        let is_known = matches!(url.scheme(), "http" | "https" | "socks5" | "socks5h");
        let is_bare = matches!(url.path(), "" | "/") && url.query().is_none() && url.fragment().is_none();
        if is_known && is_bare && url.host_str().is_some_and(|host| !host.is_empty()) {
            Ok(Self {
                alias: alias_of(&url),
                url,
            })
        } else {
            Err(wrong)
        }
    }

    /// Whether the proxy resolves names, which the address policy then cannot check.
    #[must_use]
    pub(super) fn resolves_names(&self) -> bool {
        self.url.scheme() != "socks5"
    }

    pub(super) fn to_reqwest(&self) -> Result<reqwest::Proxy, FetchError> {
        let mut url = self.url.clone();
        if let Some(alias) = &self.alias
            && url.set_host(Some(alias)).is_err()
        {
            return Err(FetchError::Protocol("the proxy cannot be named".to_owned()));
        }
        reqwest::Proxy::all(url).map_err(|error| FetchError::from_reqwest(&error))
    }

    /// A resolver that guards all names but the proxy's own, which the operator chose and which may lead into a private network.
    pub(super) fn resolver(&self, guarded: GuardedResolver) -> ProxyResolver {
        let host = self.url.host_str().unwrap_or_default().to_owned();
        ProxyResolver {
            asked_by: self.alias.clone().unwrap_or_else(|| host.clone()),
            proxy_host: host,
            guarded,
        }
    }
}

/// A name for a `socks5` proxy that nobody else knows. Through such a proxy, the client looks up the names of servers and that of the proxy
/// in the same way, and any page can name the proxy's host as a server. `None` if no look-up needs it: the proxy is an address, or it is
/// of another kind, so that the client looks up no other name.
fn alias_of(url: &Url) -> Option<String> {
    let host = url.host_str()?.trim_matches(['[', ']']);
    if url.scheme() != "socks5" || host.parse::<IpAddr>().is_ok() {
        return None;
    }
    // Keyed by the system's random numbers. No server has a name below `invalid` (RFC 6761, section 6.4).
    let [first, second] = [0, 1].map(|part| RandomState::new().hash_one(part));
    Some(format!("proxy-{first:016x}{second:016x}.invalid"))
}

/// The URL without its password.
impl fmt::Display for Proxy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{}://{}",
            self.url.scheme(),
            self.url.host_str().unwrap_or_default()
        )?;
        self.url.port().map_or(Ok(()), |port| write!(formatter, ":{port}"))
    }
}

impl fmt::Debug for Proxy {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Proxy({self})")
    }
}

/// The resolver behind a proxy: see [`Proxy::resolver`].
#[derive(Debug, Clone)]
pub(super) struct ProxyResolver {
    /// The name by which the client asks for the proxy.
    asked_by: String,
    proxy_host: String,
    guarded: GuardedResolver,
}

impl Resolve for ProxyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        if name.as_str() != self.asked_by {
            return self.guarded.resolve(name);
        }
        let host = self.proxy_host.clone();
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((host, 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Read, Write};
    use std::net::{Ipv4Addr, TcpListener, TcpStream};

    use super::super::route::tests::settings;
    use super::*;
    use crate::fetch::{FetchSettings, Fetcher, Wanted};
    use crate::memory_budget::MemoryBudget;

    /// The port of a proxy (RFC 1928) that answers itself, whichever server is asked for.
    fn socks_proxy() -> u16 {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
        let port = listener.local_addr().unwrap().port();
        std::thread::spawn(move || {
            listener.incoming().map_while(Result::ok).for_each(|stream| {
                // A client may hang up.
                let _ended = answer(stream);
            });
        });
        port
    }

    fn answer(mut stream: TcpStream) -> std::io::Result<()> {
        let mut greeting = [0; 2];
        stream.read_exact(&mut greeting)?;
        stream.read_exact(&mut vec![0; greeting[1].into()])?;
        stream.write_all(&[5, 0])?;
        let mut request = [0; 4];
        stream.read_exact(&mut request)?;
        let address = if request[3] == 4 { 16 } else { 4 };
        stream.read_exact(&mut vec![0; address + 2])?;
        stream.write_all(&[5, 0, 0, 1, 0, 0, 0, 0, 0, 0])?;
        let (mut head, mut byte) = (Vec::new(), [0]);
        while !head.ends_with(b"\r\n\r\n") {
            stream.read_exact(&mut byte)?;
            head.push(byte[0]);
        }
        stream.write_all(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
    }

    #[tokio::test]
    async fn a_server_with_the_name_of_the_proxy_is_under_the_policy() {
        for (allow_private, host, is_asked) in [
            (false, "localhost", false),
            (false, "8.8.8.8", true),
            (true, "localhost", true),
        ] {
            let settings = FetchSettings {
                proxy: Some(Proxy::new(&format!("socks5://localhost:{}", socks_proxy())).unwrap()),
                ..settings(allow_private)
            };
            let fetcher = Fetcher::new(&settings, MemoryBudget::new(1 << 20)).unwrap();
            let url = Url::parse(&format!("http://{host}:8080/robots.txt")).unwrap();
            let got = fetcher.get(&url, Wanted::Robots).await;
            match got {
                Ok(response) => assert!(is_asked && response.status == 200, "{host}"),
                Err(error) => assert!(
                    !is_asked && matches!(error, FetchError::ForbiddenAddress(_)),
                    "{host}: {error}"
                ),
            }
        }
    }

    #[test]
    fn a_proxy_is_shown_without_its_password() {
        let proxy = Proxy::new("http://me:secret@proxy.example:3128/").unwrap();
        assert_eq!(
            format!("{proxy} {proxy:?}"),
            "http://proxy.example:3128 Proxy(http://proxy.example:3128)"
        );
        assert!(proxy.resolves_names() && !Proxy::new("socks5://[::1]:1080").unwrap().resolves_names());
        for wrong in [
            "",
            "proxy.example:3128",
            "ftp://proxy.example",
            "http://",
            "http://proxy.example/path",
        ] {
            assert!(Proxy::new(wrong).is_err(), "{wrong}");
        }
    }
}
