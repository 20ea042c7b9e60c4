//! The guard against DNS rebinding.
//!
//! A foreign web page can resolve its own host name to 127.0.0.1, make a browser on this machine request that name, and read the
//! answer as its own. The Host header of such requests has the foreign name.

use std::net::IpAddr;

use axum::http::HeaderMap;
use axum::http::header::HOST;
use axum::http::uri::Authority;

/// Whether the Host header has an IP address or localhost. A request without the header does not come from a browser.
#[must_use]
pub fn is_for_this_machine(headers: &HeaderMap) -> bool {
    let mut hosts = headers.get_all(HOST).iter();
    let Some(first) = hosts.next() else { return true };
    if hosts.next().is_some() {
        return false;
    }
    let authority = first.to_str().ok().and_then(|text| text.parse::<Authority>().ok());
    authority.is_some_and(|authority| {
        let host = authority.host();
        let literal = host
            .strip_prefix('[')
            .and_then(|rest| rest.strip_suffix(']'))
            .unwrap_or(host);
        literal.parse::<IpAddr>().is_ok() || host.eq_ignore_ascii_case("localhost")
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    #[test]
    fn only_ip_addresses_and_localhost_pass() {
        let allowed = |host: &'static str| {
            let mut headers = HeaderMap::new();
            headers.append(HOST, HeaderValue::from_static(host));
            is_for_this_machine(&headers)
        };
        for host in [
            "127.0.0.1",
            "127.0.0.1:9100",
            "[::1]:9100",
            "localhost:9100",
            "LocalHost",
            "192.0.2.7:9100",
        ] {
            assert!(allowed(host), "{host}");
        }
        for host in [
            "rebound.example:9100",
            "localhost.example",
            "127.0.0.1.example",
            "",
            "a b",
            "localhost:9100:1",
        ] {
            assert!(!allowed(host), "{host}");
        }
        let mut two = HeaderMap::new();
        two.append(HOST, HeaderValue::from_static("localhost"));
        two.append(HOST, HeaderValue::from_static("rebound.example"));
        assert!(!is_for_this_machine(&two));
    }
}
