//! The name resolver of the HTTP client: the system's, without the addresses that the policy forbids.

use std::error::Error;
use std::io;
use std::net::SocketAddr;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{AddressPolicy, Forbidden};

/// Resolves names for [`reqwest`] and passes on only the addresses that the policy permits. A name that points into a
/// private network is therefore never connected to, even if its answer changes between two look-ups.
///
/// It needs `ClientBuilder::dns_resolver`: the fixed answers of `ClientBuilder::resolve` bypass it.
#[derive(Debug, Clone)]
pub struct GuardedResolver {
    policy: AddressPolicy,
}

impl GuardedResolver {
    /// A resolver that asks the system and filters the answer by `policy`.
    #[must_use]
    pub fn new(policy: AddressPolicy) -> Self {
        Self { policy }
    }

    /// The permitted addresses of a name, in the system's order of preference. A name below `localhost` has the addresses of `localhost`
    /// (RFC 6761, section 6.3). Not every system follows this rule.
    ///
    /// # Errors
    /// [`Forbidden`] (boxed) if the name has addresses and the policy permits none; otherwise the [`io::Error`] of the look-up.
    pub(crate) async fn look_up(&self, host: &str) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
        // Port 0 stands for the port of the URL, which the client fills in.
        let asked = if host.ends_with(".localhost") {
            "localhost"
        } else {
            host
        };
        let found = tokio::net::lookup_host((asked, 0)).await?;
        self.permitted(host, found)
    }

    fn permitted(
        &self,
        host: &str,
        found: impl Iterator<Item = SocketAddr>,
    ) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
        let mut permitted = Vec::new();
        let mut refusal = None;
        for address in found {
            match self.policy.check(address.ip()) {
                Ok(()) => permitted.push(address),
                Err(forbidden) => refusal = refusal.or(Some(forbidden)),
            }
        }
        match refusal {
            _ if !permitted.is_empty() => Ok(permitted),
            Some(forbidden) => Err(Forbidden {
                host: Some(host.to_owned()),
                ..forbidden
            }
            .into()),
            None => Err(io::Error::new(io::ErrorKind::NotFound, format!("{host} has no address")).into()),
        }
    }
}

impl Resolve for GuardedResolver {
    fn resolve(&self, name: Name) -> Resolving {
        let resolver = self.clone();
        Box::pin(async move {
            let addresses = resolver.look_up(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::super::AddressKind;
    use super::*;
    use crate::fetch::FetchError;

    fn resolver(allow_private: bool) -> GuardedResolver {
        GuardedResolver::new(AddressPolicy::new(allow_private))
    }

    /// The answer for a name that has these addresses.
    fn answer(
        allow_private: bool,
        host: &str,
        addresses: &[&str],
    ) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
        let addresses = addresses
            .iter()
            .map(|address| SocketAddr::new(address.parse().unwrap(), 0));
        resolver(allow_private).permitted(host, addresses)
    }

    #[test]
    fn a_name_with_only_forbidden_addresses_is_refused_by_name() {
        let error = answer(false, "inside.test", &["10.0.0.1", "fd00::1"]).unwrap_err();
        let forbidden = error.downcast_ref::<Forbidden>().unwrap();
        assert_eq!(forbidden.kind, AddressKind::Private);
        assert!(
            forbidden
                .to_string()
                .starts_with("10.0.0.1 is a private address (of inside.test); to crawl it, ")
        );
    }

    #[test]
    fn of_a_name_with_both_only_the_public_address_remains() {
        let both = ["10.0.0.1", "8.8.8.8"];
        let found = answer(false, "both.test", &both).unwrap();
        assert_eq!(found, ["8.8.8.8:0".parse().unwrap()]);
        assert_eq!(answer(true, "both.test", &both).unwrap().len(), 2);
    }

    #[test]
    fn a_name_without_an_address_is_a_failed_look_up_and_no_refusal() {
        let error = answer(false, "empty.test", &[]).unwrap_err();
        assert!(error.downcast_ref::<Forbidden>().is_none());
        assert!(error.downcast_ref::<io::Error>().is_some());
    }

    #[tokio::test]
    async fn localhost_and_the_names_below_it_are_judged_by_the_address_they_resolve_to() {
        for name in ["localhost", "a.b.localhost"] {
            let error = resolver(false).look_up(name).await.unwrap_err();
            assert_eq!(error.downcast_ref::<Forbidden>().unwrap().kind, AddressKind::Loopback);
            let found = resolver(true).look_up(name).await.unwrap();
            assert!(found.iter().all(|address| address.ip().is_loopback()));
        }
    }

    #[tokio::test]
    async fn a_refusal_is_found_in_the_error_of_the_http_client() {
        // Preconfigured: otherwise the client looks for a crypto provider that is installed for the whole process.
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let tls = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap();
        let tls = tls
            .with_root_certificates(rustls::RootCertStore::empty())
            .with_no_client_auth();
        let client = reqwest::Client::builder()
            .no_proxy()
            .tls_backend_preconfigured(tls)
            .dns_resolver(resolver(false));
        let request = client.build().unwrap().get("http://localhost:1/");
        let error = request.send().await.unwrap_err();
        let FetchError::ForbiddenAddress(forbidden) = FetchError::from_reqwest(&error) else {
            panic!("{error}");
        };
        assert!(forbidden.address.is_loopback());
    }
}
