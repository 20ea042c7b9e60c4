//! The guard against other web pages in the same browser.
//!
//! A foreign page can send requests to this server, and after a DNS rebinding also read the answers under its own host name. So the Host
//! header must name this server. A write must come from a page of this server: the browser says so in Origin and Sec-Fetch-Site, and the
//! page proves it with a token that stands only in the pages of this process.

use std::net::{IpAddr, SocketAddr};

use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderMap, HeaderName};
use ring::rand::{SecureRandom, SystemRandom};

use error::RunError;

/// The header with the token of a write.
pub(super) const TOKEN: HeaderName = HeaderName::from_static("x-crawler-token");

const FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");

/// The port of an `http` URL without one.
const HTTP_PORT: u16 = 80;

/// Decides on requests by their headers.
#[derive(Debug)]
pub(super) struct Guard {
    address: SocketAddr,
    is_public: bool,
    /// 128 random bits in hexadecimal digits.
    token: String,
}

impl Guard {
    /// A guard for the server at `address`, with a new token. With `is_public`, the Host header may have any IP address.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(address: SocketAddr, is_public: bool) -> Result<Self, RunError> {
        let mut bytes = [0_u8; 16];
        SystemRandom::new().fill(&mut bytes).map_err(|_| {
            let none = std::io::Error::other("the system has no random numbers");
            RunError::io("start", "the report server", none)
        })?;
        Ok(Self {
            address,
            is_public,
            token: bytes.iter().map(|byte| format!("{byte:02x}")).collect(),
        })
    }

    /// The token for the pages of this server.
    pub fn token(&self) -> &str {
        &self.token
    }

    /// The address to open in a browser.
    pub fn url(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Whether the one Host header names this server.
    pub fn is_for_us(&self, headers: &HeaderMap) -> bool {
        let mut hosts = headers.get_all(HOST).iter();
        let (Some(host), None) = (hosts.next(), hosts.next()) else {
            return false;
        };
        let authority = host.to_str().ok().and_then(|text| text.parse::<Authority>().ok());
        authority.is_some_and(|authority| self.is_named_by(&authority))
    }

    fn is_named_by(&self, authority: &Authority) -> bool {
        if authority.as_str().contains('@') || authority.port_u16().unwrap_or(HTTP_PORT) != self.address.port() {
            return false;
        }
        let host = authority.host();
        let literal = host.strip_prefix('[').and_then(|rest| rest.strip_suffix(']'));
        match literal.unwrap_or(host).parse::<IpAddr>() {
            Ok(ip) => self.is_public || ip.to_canonical() == self.address.ip().to_canonical(),
            Err(_) => host.eq_ignore_ascii_case("localhost"),
        }
    }

    /// Why a write is refused; `None` if a page of this server sends it. The caller has checked the Host header.
    pub fn refuses_write(&self, headers: &HeaderMap) -> Option<&'static str> {
        let text = |name: &HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let own = text(&HOST).map(|host| format!("http://{host}"));
        if headers.contains_key(ORIGIN) && text(&ORIGIN) != own.as_deref() {
            return Some("another web page sent this request (Origin)");
        }
        if headers.contains_key(&FETCH_SITE) && text(&FETCH_SITE) != Some("same-origin") {
            return Some("another web page sent this request (Sec-Fetch-Site)");
        }
        match text(&TOKEN) {
            Some(token) if token == self.token => None,
            Some(_) => Some("the header X-Crawler-Token has the token of another process; reload the page"),
            None => Some("the header X-Crawler-Token is missing; the token is in the meta tag of every page"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    fn guard(address: &str, is_public: bool) -> Guard {
        Guard::new(address.parse().unwrap(), is_public).unwrap()
    }

    fn headers(pairs: &[(HeaderName, &str)]) -> HeaderMap {
        let mut headers = HeaderMap::new();
        for (name, value) in pairs {
            headers.append(name, HeaderValue::from_str(value).unwrap());
        }
        headers
    }

    #[test]
    fn only_the_address_and_localhost_with_the_port_pass() {
        let is_for = |guard: &Guard, host: &str| guard.is_for_us(&headers(&[(HOST, host)]));
        let local = guard("127.0.0.1:8800", false);
        for host in [
            "127.0.0.1:8800",
            "localhost:8800",
            "LOCALHOST:8800",
            "[::ffff:127.0.0.1]:8800",
        ] {
            assert!(is_for(&local, host), "{host}");
        }
        for host in [
            "127.0.0.1",
            "127.0.0.1:8801",
            "localhost",
            "127.0.0.2:8800",
            "192.0.2.7:8800",
            "rebound.example:8800",
            "localhost.example:8800",
            "user@localhost:8800",
            "",
            "a b",
        ] {
            assert!(!is_for(&local, host), "{host}");
        }
        assert!(!local.is_for_us(&HeaderMap::new()));
        assert!(!local.is_for_us(&headers(&[(HOST, "localhost:8800"), (HOST, "localhost:8800")])));
        let open = guard("0.0.0.0:8800", true);
        assert!(is_for(&open, "192.0.2.7:8800") && !is_for(&open, "rebound.example:8800"));
        assert!(is_for(&guard("[::1]:80", false), "[::1]"));
    }

    #[test]
    fn a_write_needs_the_own_origin_and_the_token() {
        let guard = guard("127.0.0.1:8800", false);
        let token = guard.token().to_owned();
        let refuses = |pairs: &[(HeaderName, &str)]| {
            let with_host = [&[(HOST, "localhost:8800")], pairs].concat();
            guard.refuses_write(&headers(&with_host)).is_some()
        };
        let own = (ORIGIN, "http://localhost:8800");
        assert!(!refuses(&[(TOKEN, &token)]));
        assert!(!refuses(&[own.clone(), (FETCH_SITE, "same-origin"), (TOKEN, &token)]));
        assert!(refuses(std::slice::from_ref(&own)));
        assert!(refuses(&[own.clone(), (TOKEN, "0")]));
        for origin in [
            "http://127.0.0.1:8800",
            "https://localhost:8800",
            "http://localhost:3000",
            "null",
        ] {
            assert!(refuses(&[(ORIGIN, origin), (TOKEN, &token)]), "{origin}");
        }
        for site in ["cross-site", "same-site", "none"] {
            assert!(refuses(&[own.clone(), (FETCH_SITE, site), (TOKEN, &token)]), "{site}");
        }
    }

    #[test]
    fn each_server_has_its_own_token() {
        let tokens = [1, 2].map(|_| guard("127.0.0.1:1", false).token().to_owned());
        assert!(tokens[0] != tokens[1] && tokens[0].len() == 32);
    }
}
