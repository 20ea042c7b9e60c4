//! The addresses that the crawler may connect to: none inside the operator's own network, unless the operator permits it.
//!
//! Anybody can put `http://169.254.169.254/` into a page, or let their own name resolve to `10.0.0.1`. The policy therefore
//! checks the address and not the name. It does so in two places, because an IP literal is never resolved:
//!
//! - [`AddressPolicy::check_literal`] before every request, and before every hop of a redirect;
//! - [`GuardedResolver`] on the answer of every name look-up. A connection uses only addresses from a checked answer: the answer of the
//!   look-up before the request ([`Route`](crate::fetch::Route)), or the answer of the look-up of the connection itself. So a second
//!   look-up with another answer cannot evade the check.
//!
//! A proxy resolves names itself. Behind a proxy, only the first check holds.

mod kind;
mod resolver;

use std::net::IpAddr;

use url::{Host, Url};

pub use kind::AddressKind;
pub use resolver::GuardedResolver;

/// Decides which addresses the crawler may connect to.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AddressPolicy {
    allow_private: bool,
}

/// An address that the policy forbids.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{address} is a {kind} address{}; {}", Self::named(host.as_deref()), Self::remedy(*kind))]
pub struct Forbidden {
    /// The forbidden address.
    pub address: IpAddr,
    /// Its kind.
    pub kind: AddressKind,
    /// The name that resolved to it; `None` for an IP literal.
    pub host: Option<String>,
}

impl Forbidden {
    fn named(host: Option<&str>) -> String {
        host.map(|host| format!(" (of {host})")).unwrap_or_default()
    }

    fn remedy(kind: AddressKind) -> &'static str {
        if kind.is_private_network() {
            "to crawl it, pass --allow-private or set fetch.allow_private_addresses = true"
        } else {
            "no setting permits such an address"
        }
    }
}

impl AddressPolicy {
    /// A policy that permits public addresses and, if `allow_private` is set, the addresses of
    /// [private networks](AddressKind::is_private_network), such as loopback, private and link-local ones.
    ///
    /// It never permits the addresses of cloud metadata services, because those serve credentials.
    #[must_use]
    pub fn new(allow_private: bool) -> Self {
        Self { allow_private }
    }

    /// Checks an address.
    ///
    /// # Errors
    /// [`Forbidden`] for an address that is not public, unless it belongs to a private network and the policy permits those.
    pub fn check(&self, address: IpAddr) -> Result<(), Forbidden> {
        match AddressKind::of(address) {
            None => Ok(()),
            Some(kind) if self.allow_private && kind.is_private_network() => Ok(()),
            Some(kind) => Err(Forbidden {
                address,
                kind,
                host: None,
            }),
        }
    }

    /// Checks a URL whose host is an IP literal, in any spelling: the URL parser turns `0x7f.1`, `2130706433` and
    /// `0177.0.0.1` into `127.0.0.1` (WHATWG URL, host parsing). A host that is a name passes, because [`GuardedResolver`]
    /// checks its addresses.
    ///
    /// # Errors
    /// As [`AddressPolicy::check`].
    pub fn check_literal(&self, url: &Url) -> Result<(), Forbidden> {
        match url.host() {
            Some(Host::Ipv4(address)) => self.check(address.into()),
            Some(Host::Ipv6(address)) => self.check(address.into()),
            Some(Host::Domain(_)) | None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn literal(policy: &AddressPolicy, url: &str) -> Result<(), Forbidden> {
        policy.check_literal(&Url::parse(url).unwrap())
    }

    #[test]
    fn every_spelling_of_a_loopback_literal_is_refused() {
        for host in [
            "127.0.0.1",
            "127.1",
            "0x7f.1",
            "0x7f000001",
            "2130706433",
            "0177.0.0.1",
            "017700000001",
            "127.0.0.1.",
            "%31%32%37.0.0.1",
            "１２７.０.０.１",
            "127。0。0。1",
            "[::1]",
            "[0:0:0:0:0:0:0:1]",
            "[::ffff:127.0.0.1]",
            "[::ffff:7f00:1]",
            "[64:ff9b::7f00:1]",
            "[2002:7f00:1::]",
            "0",
            "0.0.0.0",
            "[::]",
        ] {
            let url = format!("http://{host}:8080/x");
            assert!(literal(&AddressPolicy::default(), &url).is_err(), "{url}");
        }
    }

    #[test]
    fn public_literals_and_names_pass() {
        for url in [
            "http://8.8.8.8/",
            "http://[2606:4700::1111]/",
            "http://localhost/",
            "http://example.com/",
            "data:,x",
        ] {
            assert_eq!(literal(&AddressPolicy::default(), url), Ok(()), "{url}");
        }
    }

    #[test]
    fn permitting_private_networks_does_not_permit_cloud_metadata() {
        let policy = AddressPolicy::new(true);
        for url in [
            "http://127.0.0.1/",
            "http://10.1.2.3/",
            "http://[fd12::1]/",
            "http://169.254.1.1/",
            "http://100.64.0.1/",
        ] {
            assert_eq!(literal(&policy, url), Ok(()), "{url}");
        }
        for url in [
            "http://169.254.169.254/",
            "http://[::ffff:a9fe:a9fe]/",
            "http://0.0.0.0/",
            "http://255.255.255.255/",
        ] {
            assert!(literal(&policy, url).is_err(), "{url}");
        }
    }

    #[test]
    fn the_refusal_names_the_address_its_kind_and_the_way_out() {
        let refusal = |url| literal(&AddressPolicy::default(), url).unwrap_err().to_string();
        assert_eq!(
            refusal("http://0x7f.1/"),
            "127.0.0.1 is a loopback address; to crawl it, pass --allow-private or set fetch.allow_private_addresses = true"
        );
        assert_eq!(
            refusal("http://169.254.169.254/"),
            "169.254.169.254 is a cloud metadata address; no setting permits such an address"
        );
    }
}
