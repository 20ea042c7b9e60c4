//! Where the status is served.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::str::FromStr;
use std::{fmt, io};

/// `127.0.0.1:9100`, `[::1]:9100`, `localhost:9100`; port 0 takes a free one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Address(SocketAddr);

impl FromStr for Address {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let local = text
            .strip_prefix("localhost:")
            .map(|port| format!("{}:{port}", Ipv4Addr::LOCALHOST));
        let parsed = local.as_deref().unwrap_or(text).parse();
        parsed.map(Self).map_err(|_| {
            "must be an IP address and a port, such as 127.0.0.1:9100 or [::1]:9100; port 0 takes a free one".to_owned()
        })
    }
}

impl Address {
    /// Whether the port is any that is free.
    #[must_use]
    pub fn takes_any_port(&self) -> bool {
        self.0.port() == 0
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(formatter)
    }
}

/// Why the status is not served, and what to do about it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotListening(String);

/// Takes the address.
///
/// # Errors
/// It can be reached from other machines and that was not asked for, or it is not to be had.
pub fn listen(address: Address, is_public: bool) -> Result<TcpListener, NotListening> {
    let Address(address) = address;
    if !is_public && !is_loopback(address.ip()) {
        return Err(NotListening(format!(
            "--status {address}: other machines can reach this address, and the status names hosts and failures to whoever \
             asks: use 127.0.0.1:{}, or add --status-public if that is what you want",
            address.port()
        )));
    }
    TcpListener::bind(address)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => "something else listens there: name another port, or port 0 for a free one",
                io::ErrorKind::AddrNotAvailable => "this machine does not have that address: use 127.0.0.1",
                io::ErrorKind::PermissionDenied => "ports below 1024 are for the system: name one from 1024 to 65535",
                _ => "name another address or port",
            };
            NotListening(format!("--status {address}: {error}; {advice}"))
        })
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_loopback_is_taken_unasked() {
        for local in ["127.0.0.1:0", "localhost:0", "[::ffff:127.0.0.1]:0"] {
            let taken = listen(local.parse().unwrap(), false);
            assert!(taken.is_ok(), "{local}: {taken:?}");
        }
        for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9100"] {
            let refused = listen(open.parse().unwrap(), false).unwrap_err().to_string();
            assert!(refused.contains("--status-public"), "{refused}");
        }
        assert!(listen("0.0.0.0:0".parse().unwrap(), true).is_ok());
    }

    #[test]
    fn a_port_in_use_is_told_with_what_to_do() {
        let taken = listen("127.0.0.1:0".parse().unwrap(), false).unwrap();
        let again = Address(taken.local_addr().unwrap());
        let refused = listen(again, false).unwrap_err().to_string();
        assert!(refused.contains("port 0 for a free one"), "{refused}");
    }

    #[test]
    fn what_is_no_address_is_refused_with_an_example() {
        for text in ["", "9100", "example.org:80", "127.0.0.1", "localhost:x"] {
            assert!(
                text.parse::<Address>().unwrap_err().contains("127.0.0.1:9100"),
                "{text}"
            );
        }
    }
}
