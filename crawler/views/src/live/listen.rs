//! The address of a server for people and programs: loopback, unless the user allows another one.

use std::net::{IpAddr, Ipv4Addr, SocketAddr, TcpListener};
use std::str::FromStr;
use std::{fmt, io};

/// `127.0.0.1:9100`, `[::1]:9100` or `localhost:9100`; port 0 selects a free port.
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
            "must be an IP address and a port, such as 127.0.0.1:9100 or [::1]:9100; port 0 selects a free port"
                .to_owned()
        })
    }
}

impl Address {
    /// Whether the port is 0, which selects a free port.
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

/// The flags of a server, for its messages.
#[derive(Debug, Clone, Copy)]
pub struct Flags {
    /// The flag with the address.
    pub address: &'static str,
    /// The flag that allows an address which other machines can reach.
    pub public: &'static str,
    /// What the server does for other machines.
    pub risk: &'static str,
}

/// Why a server cannot listen, with advice.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct NotListening(String);

/// Binds the address.
///
/// # Errors
/// Other machines can reach the address and `is_public` is false, or the system refuses the address.
pub fn listen(address: Address, flags: Flags, is_public: bool) -> Result<TcpListener, NotListening> {
    let Address(address) = address;
    if !is_public && !is_loopback(address.ip()) {
        return Err(NotListening(format!(
            "{} {address}: other machines can reach this address, and {}; use 127.0.0.1:{}, or add {} to allow it",
            flags.address,
            flags.risk,
            address.port(),
            flags.public
        )));
    }
    TcpListener::bind(address)
        .and_then(|listener| listener.set_nonblocking(true).map(|()| listener))
        .map_err(|error| {
            let advice = match error.kind() {
                io::ErrorKind::AddrInUse => "another process listens there; use another port, or port 0 for a free one",
                io::ErrorKind::AddrNotAvailable => "this machine does not have that address; use 127.0.0.1",
                io::ErrorKind::PermissionDenied => "ports below 1024 need privileges; use a port from 1024 to 65535",
                _ => "use another address or port",
            };
            NotListening(format!("{} {address}: {error}; {advice}", flags.address))
        })
}

fn is_loopback(ip: IpAddr) -> bool {
    ip.to_canonical().is_loopback()
}

#[cfg(test)]
mod tests {
    use super::*;

    const FLAGS: Flags = Flags {
        address: "--status",
        public: "--status-public",
        risk: "the status shows them hosts and failures",
    };

    #[test]
    fn only_loopback_needs_no_permission() {
        for local in ["127.0.0.1:0", "localhost:0", "[::ffff:127.0.0.1]:0"] {
            let taken = listen(local.parse().unwrap(), FLAGS, false);
            assert!(taken.is_ok(), "{local}: {taken:?}");
        }
        for open in ["0.0.0.0:0", "[::]:0", "192.0.2.1:9100"] {
            let refused = listen(open.parse().unwrap(), FLAGS, false).unwrap_err().to_string();
            assert!(refused.contains("--status-public"), "{refused}");
        }
        assert!(listen("0.0.0.0:0".parse().unwrap(), FLAGS, true).is_ok());
    }

    #[test]
    fn the_error_for_a_port_in_use_has_advice() {
        let taken = listen("127.0.0.1:0".parse().unwrap(), FLAGS, false).unwrap();
        let again = Address(taken.local_addr().unwrap());
        let refused = listen(again, FLAGS, false).unwrap_err().to_string();
        assert!(refused.contains("port 0 for a free one"), "{refused}");
    }

    #[test]
    fn an_invalid_address_is_refused_with_an_example() {
        for text in ["", "9100", "example.org:80", "127.0.0.1", "localhost:x"] {
            assert!(
                text.parse::<Address>().unwrap_err().contains("127.0.0.1:9100"),
                "{text}"
            );
        }
    }
}
