//! What the operator sets about requests, validated.

use std::time::Duration;

use reqwest::header::HeaderMap;
use rustls::pki_types::CertificateDer;

use super::credentials::Credentials;
use super::proxy::Proxy;

/// How a response is fetched.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// The User-Agent header: `product/version (+contact)`.
    pub user_agent: String,
    /// Requests open at all hosts together.
    pub parallel: usize,
    /// Connections of all hosts that may be open, those included that wait for the next request to their host.
    pub max_connections: usize,
    /// To open a connection.
    pub connect_timeout: Duration,
    /// From the request's start to the last byte of the body.
    pub timeout: Duration,
    /// Bytes of body accepted, as sent and again after decompression.
    pub max_body_bytes: usize,
    /// Bytes of bodies and pages held between the network and the disk; see [`web::memory_budget`].
    pub memory_bytes: usize,
    /// Redirects followed from one URL.
    pub max_redirects: u8,
    /// Connect to loopback, private and other special addresses.
    pub allow_private_addresses: bool,
    /// Keep and send back cookies.
    pub cookies: bool,
    /// What all requests go through.
    pub proxy: Option<Proxy>,
    /// Authorities trusted besides Mozilla's.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Header fields added to every request.
    pub headers: HeaderMap,
    /// Basic authentication, each origin once.
    pub credentials: Vec<Credentials>,
}
