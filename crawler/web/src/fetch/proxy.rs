//! A proxy, and its effect on the address policy.
//!
//! HTTP proxies and `socks5h` proxies resolve names themselves, so the policy can check only addresses written in URLs. For a
//! `socks5` proxy the crawler resolves names under the policy, as without a proxy.

use std::fmt;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::Url;

use super::FetchError;
use crate::address_policy::GuardedResolver;

/// The proxy of all requests.
#[derive(Clone)]
pub struct Proxy {
    url: Url,
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
            Ok(Self { url })
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
        reqwest::Proxy::all(self.url.clone()).map_err(|error| FetchError::from_reqwest(&error))
    }

    /// A resolver that guards all names but the proxy's own, which the operator chose and which may lead into a private network.
    pub(super) fn resolver(&self, guarded: GuardedResolver) -> ProxyResolver {
        ProxyResolver {
            proxy_host: self.url.host_str().unwrap_or_default().to_owned(),
            guarded,
        }
    }
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
    proxy_host: String,
    guarded: GuardedResolver,
}

impl Resolve for ProxyResolver {
    fn resolve(&self, name: Name) -> Resolving {
        if name.as_str() != self.proxy_host {
            return self.guarded.resolve(name);
        }
        Box::pin(async move {
            let found: Vec<_> = tokio::net::lookup_host((name.as_str(), 0)).await?.collect();
            Ok(Box::new(found.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
