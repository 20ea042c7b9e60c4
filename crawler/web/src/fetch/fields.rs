//! The header fields of a request: the crawler's own, the operator's, and those for one host alone.

use std::fmt::Write;

use reqwest::RequestBuilder;
use reqwest::header::{ACCEPT, ACCEPT_ENCODING, AUTHORIZATION, COOKIE, HeaderMap, HeaderName, HeaderValue};
use url::Url;

use super::content_encoding;
use super::cookies::Cookies;
use super::credentials::Credentials;
use super::settings::{FetchSettings, HostHeaders};
use crate::host_key::HostKey;

/// The media types that the crawler prefers. It reads no body of another type.
const ACCEPTED: &str = "text/html,application/xhtml+xml,text/plain;q=0.8,*/*;q=0.1";

/// The fields of every request that are the same in every crawl.
#[must_use]
pub fn fields_of_every_request() -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(ACCEPT, HeaderValue::from_static(ACCEPTED));
    headers.insert(ACCEPT_ENCODING, HeaderValue::from_static(content_encoding::ACCEPTED));
    headers
}

/// The fields of every request of a crawl.
pub(super) fn of_every_request(settings: &FetchSettings) -> HeaderMap {
    let mut headers = fields_of_every_request();
    headers.extend(settings.headers.clone());
    headers
}

/// The fields of requests to one host.
#[derive(Debug)]
pub(super) struct HostFields {
    cookies: Cookies,
    credentials: Vec<Credentials>,
    own: Vec<HostHeaders>,
}

impl HostFields {
    pub(super) fn new(settings: &FetchSettings) -> Self {
        Self {
            cookies: Cookies::new(settings),
            credentials: settings.credentials.clone(),
            own: settings.host_headers.clone(),
        }
    }

    /// The URL of the request. Configured credentials replace the userinfo that a page wrote into the URL.
    pub(super) fn request_url(&self, url: &Url) -> Url {
        let mut url = url.clone();
        if super::credentials::has_userinfo(&url) && self.credentials_for(&url).is_some() {
            // Neither call fails for a URL with a host.
            let _ = url.set_username("");
            let _ = url.set_password(None);
        }
        url
    }

    /// Adds the cookies, the operator's own fields for the host, and the credentials for `url`.
    pub(super) fn apply(&self, mut request: RequestBuilder, url: &Url) -> RequestBuilder {
        if let Some(cookies) = self.cookies.header(url) {
            request = request.header(COOKIE, cookies);
        }
        let own = self.own_for(url);
        let has_authorization = own.is_some_and(|own| own.contains_key(AUTHORIZATION));
        if let Some(own) = own {
            // These replace fields of the same name.
            request = request.headers(own.clone());
        }
        match self.credentials_for(url) {
            Some(credentials) if !has_authorization => credentials.apply(request),
            _ => request,
        }
    }

    /// The operator's own fields for the host of `url`. Anybody on the path can read a field sent over http, so they go over https,
    /// unless the operator names the port.
    fn own_for(&self, url: &Url) -> Option<&HeaderMap> {
        let host = HostKey::from_url(url)?;
        let own = self.own.iter().find(|own| own.hosts.takes(host.as_str()))?;
        (url.scheme() == "https" || own.hosts.names_port()).then_some(&own.headers)
    }

    /// Stores the cookies that a response from `url` sets.
    pub(super) fn learn(&self, url: &Url, headers: &mut HeaderMap) {
        self.cookies.take(url, headers);
    }

    /// The cookies.
    pub(super) fn cookies(&self) -> &Cookies {
        &self.cookies
    }

    fn credentials_for(&self, url: &Url) -> Option<&Credentials> {
        self.credentials.iter().find(|credentials| credentials.are_for(url))
    }
}

/// A header field that the operator adds to every request.
///
/// # Errors
/// Why the crawler refuses it, and the alternative.
pub fn extra_field(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    field(name, value, taken)
}

/// A header field that the operator adds to the requests to one host. It may be a secret, such as `Cookie` or `Authorization`.
///
/// # Errors
/// Why the crawler refuses it, and the alternative.
pub fn host_field(name: &str, value: &str) -> Result<(HeaderName, HeaderValue), String> {
    let may_be_secret = |name: &str| matches!(name, "cookie" | "authorization");
    let (name, mut value) = field(name, value, |name| taken(name).filter(|_| !may_be_secret(name)))?;
    value.set_sensitive(true);
    Ok((name, value))
}

fn field(
    name: &str,
    value: &str,
    taken: impl Fn(&str) -> Option<&'static str>,
) -> Result<(HeaderName, HeaderValue), String> {
    let name = HeaderName::from_bytes(name.as_bytes()).map_err(|_| format!("{name:?} is not a valid header name"))?;
    if let Some(instead) = taken(name.as_str()) {
        return Err(format!("{name} cannot be set here: {instead}"));
    }
    let mut wrong = String::new();
    let value = HeaderValue::from_str(value);
    if value.is_err() {
        // The message leaves the value out, because it may be a secret.
        let _ = write!(
            wrong,
            "the value of {name} contains a character that headers cannot have, such as a line break"
        );
    }
    value.map(|value| (name, value)).map_err(|_| wrong)
}

/// Why the operator cannot set a field; `None` for one that the operator can.
fn taken(name: &str) -> Option<&'static str> {
    Some(match name {
        "host" => "the URL decides it",
        "user-agent" => "use identity.product and identity.contact_url",
        "cookie" => "use fetch.cookies = true",
        "authorization" => "use fetch.credentials",
        "proxy-authorization" => "use user:password@ in fetch.proxy",
        "accept-encoding" => "the crawler asks for the codings that it supports",
        "connection" | "keep-alive" | "proxy-connection" | "te" | "trailer" | "transfer-encoding" | "upgrade"
        | "http2-settings" => "the HTTP client sets it for each connection",
        "content-length" | "content-type" | "content-encoding" | "expect" => "requests have no body",
        "range" | "if-range" | "if-match" | "if-none-match" | "if-modified-since" | "if-unmodified-since" => {
            "the response would not be a whole page"
        }
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_of_the_connection_and_of_other_settings_are_refused_with_advice() {
        for (name, advice) in [
            ("Host", "the URL decides"),
            ("USER-AGENT", "identity.product"),
            ("Cookie", "fetch.cookies"),
            ("authorization", "fetch.credentials"),
            ("Connection", "each connection"),
            ("Transfer-Encoding", "each connection"),
            ("If-None-Match", "whole page"),
            ("no name", "not a valid header name"),
            ("", "not a valid header name"),
        ] {
            let error = extra_field(name, "secret").unwrap_err();
            assert!(error.contains(advice) && !error.contains("secret"), "{error}");
        }
        let error = extra_field("X-Key", "secret\r\nHost: x").unwrap_err();
        assert!(error.contains("x-key") && !error.contains("secret"), "{error}");
        let (name, value) = extra_field("Accept-Language", "de, en;q=0.5").unwrap();
        assert_eq!(
            (name.as_str(), value.to_str().unwrap()),
            ("accept-language", "de, en;q=0.5")
        );
    }
}
