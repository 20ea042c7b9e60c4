//! Where the requests to a host connect to.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;

use reqwest::dns::{Addrs, Name, Resolve, Resolving};

use super::FetchError;

/// The result of looking up the name of a host, for the requests that follow.
#[derive(Debug, Clone, Default)]
pub enum Route {
    /// No look-up was made: the host is an address, a proxy opens the connection, or the client looks the name up when it connects.
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
