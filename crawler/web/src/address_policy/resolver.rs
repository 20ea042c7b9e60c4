//! The name resolver of the HTTP client: the system's, less every address that the policy forbids.

use std::collections::BTreeMap;
use std::error::Error;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::{AddressPolicy, Forbidden};

/// Resolves names for [`reqwest`] and hands on only the addresses that the policy permits, so that a name which points into
/// a private network cannot be connected to, not even when its answer changes between two look-ups.
///
/// Use `ClientBuilder::dns_resolver`, and not `ClientBuilder::resolve`: fixed answers given there pass this by. Fixed answers
/// given to [`GuardedResolver::with_hosts`] do not.
#[derive(Debug, Clone)]
pub struct GuardedResolver {
    policy: AddressPolicy,
    hosts: Arc<BTreeMap<String, Vec<IpAddr>>>,
}

impl GuardedResolver {
    /// A resolver that asks the system and answers under the policy.
    #[must_use]
    pub fn new(policy: AddressPolicy) -> Self {
        Self {
            policy,
            hosts: Arc::default(),
        }
    }

    /// Answers for these names (in lower case) with these addresses, as a hosts file would, still under the policy.
    #[must_use]
    pub fn with_hosts(self, hosts: BTreeMap<String, Vec<IpAddr>>) -> Self {
        Self {
            hosts: Arc::new(hosts),
            ..self
        }
    }

    /// The permitted addresses of a name, in the order of preference of the system.
    ///
    /// # Errors
    ///
    /// [`Forbidden`] (boxed; see [`Forbidden::find_in`]) if the name has addresses and the policy permits none of them, else the
    /// [`io::Error`] of the look-up.
    pub async fn lookup(&self, host: &str) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
        let name = host.trim_end_matches('.').to_ascii_lowercase();
        let found: Vec<SocketAddr> = match self.hosts.get(&name) {
            Some(addresses) => addresses.iter().map(|address| SocketAddr::new(*address, 0)).collect(),
            // Port 0 stands for the port of the URL, which the client fills in.
            None => tokio::net::lookup_host((host, 0)).await?.collect(),
        };
        self.permitted(host, found)
    }

    fn permitted(&self, host: &str, found: Vec<SocketAddr>) -> Result<Vec<SocketAddr>, Box<dyn Error + Send + Sync>> {
        let mut permitted = Vec::with_capacity(found.len());
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
            let addresses = resolver.lookup(name.as_str()).await?;
            Ok(Box::new(addresses.into_iter()) as Addrs)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::AddressKind;
    use super::*;

    fn resolver(allow_private: bool) -> GuardedResolver {
        let addresses = |list: &[&str]| {
            list.iter()
                .map(|address| address.parse().unwrap())
                .collect::<Vec<IpAddr>>()
        };
        GuardedResolver::new(AddressPolicy::new(allow_private)).with_hosts(BTreeMap::from([
            ("inside.test".to_owned(), addresses(&["10.0.0.1", "fd00::1"])),
            ("both.test".to_owned(), addresses(&["10.0.0.1", "8.8.8.8"])),
            ("empty.test".to_owned(), Vec::new()),
        ]))
    }

    #[tokio::test]
    async fn a_name_with_only_forbidden_addresses_is_refused_by_name() {
        let error = resolver(false).lookup("Inside.test.").await.unwrap_err();
        let forbidden = Forbidden::find_in(error.as_ref()).unwrap();
        assert_eq!(forbidden.kind, AddressKind::Private);
        assert!(
            forbidden
                .to_string()
                .starts_with("10.0.0.1 is a private address (of Inside.test.); to crawl it, ")
        );
    }

    #[tokio::test]
    async fn of_a_name_with_both_only_the_public_address_remains() {
        let found = resolver(false).lookup("both.test").await.unwrap();
        assert_eq!(found, ["8.8.8.8:0".parse().unwrap()]);
        assert_eq!(resolver(true).lookup("both.test").await.unwrap().len(), 2);
    }

    #[tokio::test]
    async fn a_name_without_an_address_is_a_failed_look_up_and_no_refusal() {
        let error = resolver(false).lookup("empty.test").await.unwrap_err();
        assert!(Forbidden::find_in(error.as_ref()).is_none());
        assert!(error.downcast_ref::<io::Error>().is_some());
    }

    #[tokio::test]
    async fn localhost_is_judged_by_the_address_it_resolves_to() {
        let error = resolver(false).lookup("localhost").await.unwrap_err();
        assert_eq!(Forbidden::find_in(error.as_ref()).unwrap().kind, AddressKind::Loopback);
        assert!(resolver(true).lookup("localhost").await.is_ok());
    }

    #[tokio::test]
    async fn a_refusal_is_found_in_the_error_of_the_http_client() {
        // Preconfigured, as the client would otherwise look for a crypto provider installed for the whole process.
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
        let request = client.build().unwrap().get("http://inside.test:1/");
        let error = request.send().await.unwrap_err();
        assert_eq!(Forbidden::find_in(&error).unwrap().address, IpAddr::from([10, 0, 0, 1]));
    }
}
