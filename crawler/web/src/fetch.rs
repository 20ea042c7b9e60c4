//! One HTTP request, bounded in time and size, with a named failure.
//!
//! The fetcher follows no redirects: they go through the frontier like any link. It does not decompress bodies: the parse
//! threads do that with [`content_encoding`], under a second bound.

mod body;
mod certificate;
mod clients;
pub mod content_encoding;
mod cookies;
mod credentials;
mod error;
mod fields;
mod framing;
mod location;
mod login;
mod proxy;
mod retry_after;
mod reuse;
mod route;
mod settings;
mod tls;

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use encoding_rs::Encoding;
use reqwest::header::{
    CONTENT_LENGTH, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue, ORIGIN, RANGE, REFERER, RETRY_AFTER,
};
use tokio::time::{timeout, timeout_at};
use url::Url;

use crate::address_policy::{AddressPolicy, GuardedResolver};
use crate::memory_budget::{Claim, MemoryBudget};
use crate::robots::MAX_ROBOTS_BYTES;
use crate::sitemap::MAX_SITEMAP_BYTES;
use clients::{Build, Clients, Reuse};
use fields::HostFields;
use route::PinnedResolver;

pub use certificate::CertificateFault;
pub use cookies::{BadLine, CookieMarks, CookiesFile, MAX_COOKIES_FILE_BYTES};
pub use credentials::Credentials;
pub use error::FetchError;
pub use fields::{extra_field, fields_of_every_request, host_field};
pub use location::{reference_in, references_in_line};
pub use login::{FROM_ENVIRONMENT, Login};
pub use proxy::Proxy;
pub use retry_after::retry_after;
pub use route::Route;
pub use settings::{FetchSettings, HostHeaders};

/// A response, with its body if the caller wanted it.
#[derive(Debug)]
pub struct Response {
    /// HTTP status code.
    pub status: u16,
    /// `HTTP/1.1`, `HTTP/2.0`.
    pub version: &'static str,
    /// The header fields as received.
    pub headers: HeaderMap,
    /// The body as received, still in its Content-Encoding. `None` if it was not read.
    pub body: Option<Bytes>,
    /// Length of the body as received.
    pub wire_bytes: u64,
    /// The address of the server; `None` behind a proxy.
    pub remote: Option<SocketAddr>,
    /// The time at which the request was sent.
    pub fetched_at: SystemTime,
    /// Time from the request to the head of the response.
    pub latency: Duration,
    /// Time from the request to the last byte read.
    pub elapsed: Duration,
    /// The body's claim on the budget of arriving bodies.
    pub claim: Claim,
    /// Whether the request had the cookies of a user: of a log-in, or from the file of the operator.
    pub logged_in: bool,
    /// The cookies of the request, and those of the next one if this is a redirect.
    pub cookies: CookieMarks,
}

impl Response {
    /// A header's value as text; `None` if it is missing or not text.
    #[must_use]
    pub fn header(&self, name: &HeaderName) -> Option<&str> {
        self.headers.get(name)?.to_str().ok()
    }

    /// The wait that the server asks for: `Retry-After` in seconds or as a date (RFC 9110, section 10.2.3).
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        retry_after(self.header(&RETRY_AFTER)?, self.fetched_at + self.elapsed)
    }

    /// The target of the redirect that this response to a request for `url` is; `None` for another response, `Some(Err)` if it names no URL.
    #[must_use]
    pub fn redirect_target(&self, url: &Url) -> Option<Result<Url, String>> {
        location::redirect_target(url, self.status, &self.headers)
    }

    /// Whether a response with this status has content (RFC 9110, sections 15.3.5 and 15.3.6).
    #[must_use]
    pub fn has_content(&self) -> bool {
        !matches!(self.status, 204 | 205)
    }

    /// Whether the status is one of success (2xx).
    #[must_use]
    pub fn is_success(&self) -> bool {
        (200..300).contains(&self.status)
    }
}

/// Whether a successful response with these header fields is a page.
#[derive(Clone)]
pub struct IsPage(pub Arc<dyn Fn(&HeaderMap) -> bool + Send + Sync>);

impl std::fmt::Debug for IsPage {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("IsPage")
    }
}

/// The purpose of a request, which decides how much of the body is read.
#[derive(Debug, Clone)]
pub enum Wanted {
    /// The body of a page, at most `fetch.max_body_bytes`; for any other response, only the head.
    Page {
        /// Whether a successful response with these header fields is a page.
        is_page: IsPage,
    },
    /// A robots.txt: only the first bytes, which count (RFC 9309, section 2.5).
    Robots,
    /// A sitemap, within the size limit of sitemaps.org.
    Sitemap,
    /// A script, a style sheet or data that a page needs, at most `fetch.max_body_bytes`.
    Resource,
}

/// Makes requests. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Fetcher {
    clients: Arc<Clients>,
    policy: AddressPolicy,
    fields: Arc<HostFields>,
    /// Whether a proxy opens the connections: then the visible address is the proxy's.
    has_proxy: bool,
    connect_timeout: Duration,
    timeout: Duration,
    max_body_bytes: usize,
    arriving: MemoryBudget,
    /// Requests sent again since the last [`take_repeats`](Fetcher::take_repeats).
    repeats: Arc<AtomicU64>,
}

impl Fetcher {
    /// A fetcher with these settings. Its bodies claim memory from `arriving` as they arrive.
    ///
    /// # Errors
    /// The TLS machinery cannot be set up.
    pub fn new(settings: &FetchSettings, arriving: MemoryBudget) -> Result<Self, FetchError> {
        let policy = AddressPolicy::new(settings.allow_private_addresses);
        if let Some(proxy) = &settings.proxy
            && proxy.resolves_names()
            && !settings.allow_private_addresses
        {
            tracing::warn!(
                "{proxy} resolves names itself, so the address policy checks only addresses written in URLs; with a \
                 socks5:// proxy the crawler resolves and checks names (fetch.proxy)"
            );
        }
        for bad in &settings.cookies_file.bad_lines {
            tracing::warn!("fetch.cookies_file, line {}, is no cookie: {}", bad.number, bad.reason);
        }
        let clients = Clients::new(builder_of(settings, policy.clone())?, settings.max_connections);
        Ok(Self {
            clients: Arc::new(clients),
            policy,
            fields: Arc::new(HostFields::new(settings)),
            has_proxy: settings.proxy.is_some(),
            connect_timeout: settings.connect_timeout,
            timeout: settings.timeout,
            max_body_bytes: settings.max_body_bytes,
            arriving,
            repeats: Arc::default(),
        })
    }

    /// How many requests were sent again since the last call, because their connection was closed.
    #[must_use]
    pub fn take_repeats(&self) -> u64 {
        self.repeats.swap(0, Ordering::Relaxed)
    }

    /// Whether a proxy opens the connections.
    #[must_use]
    pub fn has_proxy(&self) -> bool {
        self.has_proxy
    }

    /// Fetches `url`, with its body if it is `wanted`.
    ///
    /// # Errors
    /// No complete response arrived, or the address policy forbids the request; see [`FetchError`].
    pub async fn get(&self, url: &Url, wanted: Wanted) -> Result<Response, FetchError> {
        self.get_by(&Route::Direct, url, wanted, HeaderMap::new()).await
    }

    /// Looks up the name of a host key, such as `example.org:8080`. The route holds only addresses that the address policy permits.
    pub async fn look_up(&self, host: &str) -> Route {
        let name = host.split_once(':').map_or(host, |(name, _port)| name);
        let resolver = GuardedResolver::new(self.policy.clone());
        match timeout(self.connect_timeout, resolver.look_up(name)).await {
            Ok(Ok(found)) => Route::Addresses(found.iter().map(SocketAddr::ip).take(MAX_ADDRESSES).collect()),
            Ok(Err(error)) => Route::Unresolved(FetchError::from_look_up(error.as_ref())),
            Err(_elapsed) => Route::Unresolved(FetchError::Timeout),
        }
    }

    /// As [`get`](Self::get), over the route to the URL's host, and with header fields that make the request conditional.
    ///
    /// # Errors
    /// As [`get`](Self::get).
    pub async fn get_by(
        &self,
        route: &Route,
        url: &Url,
        wanted: Wanted,
        conditions: HeaderMap,
    ) -> Result<Response, FetchError> {
        let request = |client: &reqwest::Client, url| client.get(url).headers(conditions);
        self.exchange(route, url, wanted, request).await
    }

    /// Sends the form of a log-in to `action`, over the route to its host: the fields of the log-in, and the `other` fields of the form
    /// on the page `form`, in the encoding of that form. Reads the answer as a page.
    ///
    /// # Errors
    /// As [`get`](Self::get). A URL of another origin than those of the log-in is refused before a connection is opened.
    pub async fn log_in_by(
        &self,
        route: &Route,
        login: &Login,
        (form, action): (&Url, &Url),
        (other, encoding): (&[(String, String)], &'static Encoding),
        wanted: Wanted,
    ) -> Result<Response, FetchError> {
        if !login.is_for(action) || !login.is_for(form) {
            return Err(FetchError::Protocol(
                "a log-in is never sent to another origin".to_owned(),
            ));
        }
        // Some servers compare these fields with their own address, against forms on other sites.
        let origin = HeaderValue::from_str(&form.origin().ascii_serialization()).ok();
        let referer = HeaderValue::from_str(form.as_str()).ok();
        let fields = [(ORIGIN, origin), (REFERER, referer)].into_iter();
        let mut headers: HeaderMap = fields.filter_map(|(name, value)| Some((name, value?))).collect();
        headers.insert(
            CONTENT_TYPE,
            HeaderValue::from_static("application/x-www-form-urlencoded"),
        );
        let body = login.body(other, encoding);
        let request = |client: &reqwest::Client, url| client.post(url).headers(headers).body(body);
        self.exchange(route, action, wanted, request).await
    }

    /// Counts the changes of the cookies so far.
    #[must_use]
    pub fn cookie_changes(&self) -> u64 {
        self.fields.cookies().changes()
    }

    /// All cookies as a text that [`restore_cookies`](Self::restore_cookies) reads. It holds sessions, and so do its copies.
    #[must_use]
    pub fn cookies_as_text(&self) -> String {
        self.fields.cookies().to_text()
    }

    /// Takes the cookies back that an earlier run had at the time `kept_at`. The cookies of the operator's file replace them if the file
    /// is newer.
    ///
    /// # Errors
    /// The text is not one of [`cookies_as_text`](Self::cookies_as_text).
    pub fn restore_cookies(&self, text: &str, kept_at: SystemTime) -> Result<(), String> {
        self.fields.cookies().restore(text, kept_at)
    }

    async fn exchange(
        &self,
        route: &Route,
        url: &Url,
        wanted: Wanted,
        request: impl FnOnce(&reqwest::Client, Url) -> reqwest::RequestBuilder,
    ) -> Result<Response, FetchError> {
        let addresses = match route {
            Route::Direct => None,
            Route::Addresses(addresses) => Some(addresses),
            Route::Unresolved(error) => return Err(error.clone()),
        };
        self.policy.check_literal(url)?;
        let fetched_at = SystemTime::now();
        let start = Instant::now();
        let deadline = tokio::time::Instant::from_std(start) + self.timeout;
        let lent = self.clients.lend(url, addresses)?;
        let request = self
            .fields
            .apply(request(&lent.client, self.fields.request_url(url)), url);
        let sent_cookies = self.fields.cookies().mark(url);
        let logged_in = self.fields.cookies().are_of_user(url) && sent_cookies.is_some();
        let request = request.build().map_err(|error| FetchError::from_reqwest(&error))?;
        let asks_for_part = request.headers().contains_key(RANGE);
        let note_repeat = || {
            self.repeats.fetch_add(1, Ordering::Relaxed);
        };
        let sent = timeout_at(deadline, reuse::send(&lent, request, note_repeat)).await;
        let mut answer = sent.map_err(|_elapsed| FetchError::Timeout)??;
        self.fields.learn(url, answer.headers_mut());
        let mut response = Response {
            status: answer.status().as_u16(),
            version: version(answer.version()),
            headers: std::mem::take(answer.headers_mut()),
            body: None,
            remote: answer.remote_addr().filter(|_| !self.has_proxy),
            fetched_at,
            latency: start.elapsed(),
            elapsed: Duration::ZERO,
            wire_bytes: 0,
            claim: Claim::default(),
            logged_in,
            cookies: CookieMarks::default(),
        };
        if response.status == 206 && !asks_for_part && !framing::is_whole(&response.headers) {
            return Err(FetchError::Partial);
        }
        let target = response.redirect_target(url).and_then(Result::ok);
        response.cookies = CookieMarks {
            sent: sent_cookies,
            for_target: self.fields.cookies().mark(target.as_ref().unwrap_or(url)),
        };
        let ends_at = framing::end_of_body(&response.headers)?;
        if is_wanted(&response, &wanted) {
            let body = self
                .body(&mut answer, &mut response, &wanted, (ends_at, deadline))
                .await?;
            response.wire_bytes = body.len() as u64;
            response.body = Some(body);
        }
        response.elapsed = start.elapsed();
        Ok(response)
    }

    async fn body(
        &self,
        answer: &mut reqwest::Response,
        response: &mut Response,
        wanted: &Wanted,
        (ends_at, deadline): (Option<u64>, tokio::time::Instant),
    ) -> Result<Bytes, FetchError> {
        let (limit, is_cut) = match wanted {
            Wanted::Page { .. } | Wanted::Resource => (self.max_body_bytes, false),
            // One more byte shows the parser that the last line is cut.
            Wanted::Robots => (MAX_ROBOTS_BYTES + 1, true),
            Wanted::Sitemap => (MAX_SITEMAP_BYTES, false),
        };
        let declared = response
            .header(&CONTENT_LENGTH)
            .and_then(|text| text.parse::<usize>().ok());
        if !is_cut && declared.is_some_and(|length| length > limit) {
            return Err(FetchError::BodyTooLarge { limit });
        }
        let bounds = body::Bounds {
            limit,
            is_cut,
            ends_at,
            deadline,
        };
        body::read(answer, bounds, &self.arriving, &mut response.claim).await
    }
}

/// Most header fields of a response over HTTP/1. Browsers bound only their bytes; the library bounds these too, at 400 kB.
const MAX_HEADERS: usize = 500;

/// Bound on the addresses of one name. A name server may return thousands.
const MAX_ADDRESSES: usize = 16;

/// Makes the client of a host. If `addresses` are known, the client connects only to them. All clients share one set of certificates and
/// one cache of TLS sessions.
fn builder_of(settings: &FetchSettings, policy: AddressPolicy) -> Result<Box<Build>, FetchError> {
    let tls = tls::config(&settings.extra_roots)?;
    let headers = fields::of_every_request(settings);
    let (user_agent, connect_timeout) = (settings.user_agent.clone(), settings.connect_timeout);
    let proxy = settings.proxy.clone();
    Ok(Box::new(move |addresses: Option<&Arc<[IpAddr]>>, reuse: Reuse| {
        let resolver = GuardedResolver::new(policy.clone());
        let builder = reqwest::Client::builder()
            .tls_backend_preconfigured(tls.clone())
            .user_agent(&user_agent)
            .default_headers(headers.clone())
            .redirect(reqwest::redirect::Policy::none())
            .referer(false)
            // A proxy from the environment would bypass the address policy unnoticed.
            .no_proxy()
            .connect_timeout(connect_timeout)
            // Response heads as browsers read them; the module `framing` names what stays refused.
            .http1_ignore_invalid_headers_in_responses(true)
            .http1_allow_spaces_after_header_name_in_responses(true)
            .http1_allow_obsolete_multiline_headers_in_responses(true)
            .http1_max_headers(MAX_HEADERS)
            // Bounds the data that a server sends while its body waits for memory; the defaults are megabytes.
            .http2_initial_stream_window_size(HTTP2_WINDOW)
            .http2_initial_connection_window_size(HTTP2_WINDOW)
            .pool_idle_timeout(Duration::from_secs(30))
            .pool_max_idle_per_host(if reuse == Reuse::Kept { usize::MAX } else { 0 });
        let builder = reuse::observe_connections(builder);
        let builder = match (&proxy, addresses) {
            (None, None) => builder.dns_resolver(resolver),
            (None, Some(addresses)) => builder.dns_resolver(PinnedResolver(Arc::clone(addresses))),
            (Some(proxy), _) => builder
                .proxy(proxy.to_reqwest()?)
                .dns_resolver(proxy.resolver(resolver)),
        };
        builder.build().map_err(|error| FetchError::from_reqwest(&error))
    }))
}

/// Bytes that an HTTP/2 server may send before the crawler reads them.
const HTTP2_WINDOW: u32 = 512 * 1024;

fn is_wanted(response: &Response, wanted: &Wanted) -> bool {
    response.is_success()
        && match wanted {
            Wanted::Page { is_page } => (is_page.0)(&response.headers),
            Wanted::Robots | Wanted::Sitemap | Wanted::Resource => true,
        }
}

fn version(version: reqwest::Version) -> &'static str {
    match version {
        reqwest::Version::HTTP_09 => "HTTP/0.9",
        reqwest::Version::HTTP_10 => "HTTP/1.0",
        reqwest::Version::HTTP_2 => "HTTP/2.0",
        reqwest::Version::HTTP_3 => "HTTP/3.0",
        _ => "HTTP/1.1",
    }
}

#[cfg(test)]
mod heads;
#[cfg(test)]
mod tests {
    use super::*;

    fn response(status: u16, content_type: &str) -> Response {
        let mut headers = HeaderMap::new();
        if !content_type.is_empty() {
            headers.insert(CONTENT_TYPE, content_type.parse().unwrap());
        }
        Response {
            status,
            version: "HTTP/1.1",
            headers,
            body: None,
            remote: None,
            fetched_at: SystemTime::UNIX_EPOCH,
            latency: Duration::ZERO,
            elapsed: Duration::ZERO,
            wire_bytes: 0,
            claim: Claim::default(),
            logged_in: false,
            cookies: CookieMarks::default(),
        }
    }

    #[test]
    fn only_bodies_of_successful_pages_are_read() {
        let is_page = IsPage(Arc::new(|headers: &HeaderMap| {
            headers.get(CONTENT_TYPE).is_some_and(|kind| kind == "text/html")
        }));
        let page = Wanted::Page { is_page };
        let wanted = |status, media| is_wanted(&response(status, media), &page);
        assert!(wanted(200, "text/html") && wanted(203, "text/html"));
        assert!(!wanted(200, "application/pdf") && !wanted(404, "text/html"));
        assert!(is_wanted(&response(200, "application/xml"), &Wanted::Sitemap));
    }
}
