//! The validated settings of requests.

use std::sync::Arc;
use std::time::Duration;

use reqwest::header::HeaderMap;
use rustls::pki_types::CertificateDer;

use super::cookies::CookiesFile;
use super::credentials::Credentials;
use super::login::Login;
use super::proxy::Proxy;
use crate::host_pattern::HostPattern;

/// The settings of requests.
#[derive(Debug, Clone)]
pub struct FetchSettings {
    /// The User-Agent header: `product/version (+contact)`.
    pub user_agent: String,
    /// Most open requests, over all hosts.
    pub parallel: usize,
    /// Most open connections, over all hosts, including idle ones.
    pub max_connections: usize,
    /// Time limit for opening a connection.
    pub connect_timeout: Duration,
    /// Time limit from the start of the request to the last byte of the body.
    pub timeout: Duration,
    /// Longest body, in bytes as sent and again after decompression.
    pub max_body_bytes: usize,
    /// Most bytes of bodies and pages in memory; see [`crate::memory_budget`].
    pub memory_bytes: usize,
    /// Most redirects from one URL.
    pub max_redirects: u8,
    /// Whether to connect to loopback, private and other special addresses.
    pub allow_private_addresses: bool,
    /// Whether to store cookies and send them back.
    pub cookies: bool,
    /// Cookies that the operator gives.
    pub cookies_file: CookiesFile,
    /// Whether the cookies outlive the run.
    pub keep_cookies: bool,
    /// The log-ins, in the order of their sections. Of several for one origin, the first one holds.
    pub logins: Arc<[Arc<Login>]>,
    /// The proxy of all requests.
    pub proxy: Option<Proxy>,
    /// Trusted certificate authorities besides Mozilla's.
    pub extra_roots: Vec<CertificateDer<'static>>,
    /// Header fields that every request carries.
    pub headers: HeaderMap,
    /// Header fields of requests to some hosts. The first entry that takes a host holds.
    pub host_headers: Vec<HostHeaders>,
    /// Basic authentication, at most one entry for each origin.
    pub credentials: Vec<Credentials>,
}

/// Header fields that the operator adds to the requests to some hosts.
#[derive(Debug, Clone)]
pub struct HostHeaders {
    /// The hosts.
    pub hosts: HostPattern,
    /// The fields, which may be secrets.
    pub headers: HeaderMap,
}
