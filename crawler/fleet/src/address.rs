//! Where the servers of a fleet are.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use crate::error::FleetError;

/// A server's host and port.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Node {
    /// A name or an address, IPv6 without brackets.
    pub host: String,
    /// The TCP port.
    pub port: u16,
}

impl Display for Node {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if self.host.contains(':') {
            write!(f, "[{}]:{}", self.host, self.port)
        } else {
            write!(f, "{}:{}", self.host, self.port)
        }
    }
}

impl FromStr for Node {
    type Err = ();

    fn from_str(text: &str) -> Result<Self, ()> {
        let (host, port) = if let Some(rest) = text.strip_prefix('[') {
            let (host, port) = rest.split_once(']').ok_or(())?;
            (
                host,
                port.strip_prefix(':').or(port.is_empty().then_some("")).ok_or(())?,
            )
        } else {
            text.split_once(':').unwrap_or((text, ""))
        };
        let port = if port.is_empty() {
            6_379
        } else {
            port.parse().map_err(|_| ())?
        };
        if host.is_empty() || host.contains(|c: char| c.is_whitespace() || "/?#@".contains(c)) {
            return Err(());
        }
        Ok(Self {
            host: host.to_owned(),
            port,
        })
    }
}

/// The address of a fleet: `redis://[user:password@]host[:port][,host[:port]…][?name=crawl]`.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// `user:password@` as the user wrote it, or nothing.
    credentials: String,
    /// At least one server. The others of a cluster are found through these.
    pub nodes: Vec<Node>,
    /// The crawl that `?name=` chose.
    pub name: Option<String>,
}

impl Address {
    /// The address that redis-rs reads for one server.
    pub(crate) fn url(&self, node: &Node) -> String {
        format!("redis://{}{node}/", self.credentials)
    }
}

/// Without the password: the address appears in messages.
impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str("redis://")?;
        for (index, node) in self.nodes.iter().enumerate() {
            write!(f, "{}{node}", if index > 0 { "," } else { "" })?;
        }
        Ok(())
    }
}

impl fmt::Debug for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        Display::fmt(self, f)
    }
}

impl FromStr for Address {
    type Err = FleetError;

    fn from_str(text: &str) -> Result<Self, FleetError> {
        // The text may hold a password, so the message does not repeat it.
        let wrong = |what: &str| FleetError::Address(what.to_owned());
        let rest = text
            .strip_prefix("redis://")
            .ok_or_else(|| wrong("it must begin with redis:// (TLS, rediss://, is not supported)"))?;
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut name = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match pair.split_once('=') {
                Some(("name", value)) => name = Some(checked_name(value)?),
                _ => return Err(wrong("after the question mark only name=NAME is known")),
            }
        }
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (credentials, hosts) = match rest.rsplit_once('@') {
            Some((credentials, hosts)) => (format!("{credentials}@"), hosts),
            None => (String::new(), rest),
        };
        let nodes = hosts
            .split(',')
            .map(|node| {
                node.parse()
                    .map_err(|()| wrong("a server is HOST or HOST:PORT, several are separated by commas"))
            })
            .collect::<Result<Vec<Node>, _>>()?;
        Ok(Self {
            credentials,
            nodes,
            name,
        })
    }
}

/// The name of a crawl: it is a part of every key, so braces and spaces are not allowed.
pub(crate) fn checked_name(name: &str) -> Result<String, FleetError> {
    let allowed = |c: char| c.is_ascii_alphanumeric() || "._-".contains(c);
    if name.is_empty() || name.len() > 64 || !name.chars().all(allowed) {
        return Err(FleetError::Address(format!(
            "the name {name:?} must have 1 to 64 letters, digits, dots, hyphens or underscores"
        )));
    }
    Ok(name.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_names_servers_and_a_crawl() {
        let address: Address = "redis://me:s3cr@t@a,b:7001,[::1]:7002?name=de-2026".parse().unwrap();
        let nodes: Vec<String> = address.nodes.iter().map(Node::to_string).collect();
        assert_eq!(nodes, ["a:6379", "b:7001", "[::1]:7002"]);
        assert_eq!(address.name.as_deref(), Some("de-2026"));
        assert_eq!(address.to_string(), "redis://a:6379,b:7001,[::1]:7002");
        assert_eq!(address.url(&address.nodes[1]), "redis://me:s3cr@t@b:7001/");
    }

    #[test]
    fn a_wrong_address_is_told_without_its_password() {
        for wrong in [
            "http://a",
            "redis://",
            "redis://u:pw@a:x",
            "redis://a?db=1",
            "redis://a?name={x}",
            "redis://a,,b",
        ] {
            let message = wrong.parse::<Address>().unwrap_err().to_string();
            assert!(!message.contains("pw"), "{message}");
        }
    }
}
