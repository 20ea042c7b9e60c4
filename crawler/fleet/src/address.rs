//! Where the servers of a fleet are.

use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

use redis::{ClientTlsConfig, TlsCertificates};

use crate::error::FleetError;

/// How an address begins, without and with encryption.
const PLAIN: &str = "redis://";
const TLS: &str = "rediss://";

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

/// The address of a fleet: `redis://[user:password@]host[:port][,host[:port]…][?name=crawl]`. Connections of `rediss://` are encrypted,
/// with `ca`, `cert` and `key` for certificates: `rediss://host?ca=FILE`.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// `user:password@` as the user wrote it, or nothing.
    credentials: String,
    /// At least one server. The others of a cluster are found through these.
    pub nodes: Vec<Node>,
    /// The crawl that `?name=` chose.
    pub name: Option<String>,
    /// Of encrypted connections.
    pub(crate) tls: Option<Tls>,
}

/// Files in PEM.
#[derive(Clone, PartialEq, Eq, Default)]
pub(crate) struct Tls {
    /// The authority that signed the certificates of the servers; without it, those that the system trusts.
    ca: Option<String>,
    /// The certificate of this worker and its key, for servers that demand one.
    cert: Option<String>,
    key: Option<String>,
}

impl Tls {
    fn certificates(&self) -> Result<TlsCertificates, FleetError> {
        let read = |path: &String| {
            std::fs::read(path).map_err(|error| FleetError::Address(format!("{path} cannot be read: {error}")))
        };
        let client_tls = match (&self.cert, &self.key) {
            (Some(cert), Some(key)) => Some(ClientTlsConfig {
                client_cert: read(cert)?,
                client_key: read(key)?,
            }),
            (None, None) => None,
            _ => return Err(FleetError::Address("cert and key belong together".to_owned())),
        };
        Ok(TlsCertificates {
            client_tls,
            root_cert: self.ca.as_ref().map(read).transpose()?,
        })
    }
}

impl Address {
    /// The address that redis-rs reads for one server.
    pub(crate) fn url(&self, node: &Node) -> String {
        format!("{}{}{node}/", self.scheme(), self.credentials)
    }

    fn scheme(&self) -> &'static str {
        if self.tls.is_some() { TLS } else { PLAIN }
    }

    /// What encrypted connections need, from the files of the address.
    ///
    /// # Errors
    /// [`FleetError::Address`], if a file cannot be read.
    pub(crate) fn certificates(&self) -> Result<Option<TlsCertificates>, FleetError> {
        let Some(tls) = &self.tls else { return Ok(None) };
        // redis-rs takes the provider of the process. Whoever came first has chosen the same.
        let _chosen = rustls::crypto::ring::default_provider().install_default();
        tls.certificates().map(Some)
    }
}

/// Without the password: the address appears in messages.
impl Display for Address {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(self.scheme())?;
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
        let (mut tls, rest) = match (text.strip_prefix(PLAIN), text.strip_prefix(TLS)) {
            (Some(rest), _) => (None, rest),
            (_, Some(rest)) => (Some(Tls::default()), rest),
            _ => return Err(wrong("it must begin with redis://, or with rediss:// for TLS")),
        };
        let (rest, query) = rest.split_once('?').unwrap_or((rest, ""));
        let mut name = None;
        for pair in query.split('&').filter(|pair| !pair.is_empty()) {
            match (pair.split_once('='), &mut tls) {
                (Some(("name", value)), _) => name = Some(checked_name(value)?),
                (Some(("ca", file)), Some(tls)) => tls.ca = Some(file.to_owned()),
                (Some(("cert", file)), Some(tls)) => tls.cert = Some(file.to_owned()),
                (Some(("key", file)), Some(tls)) => tls.key = Some(file.to_owned()),
                (Some(("ca" | "cert" | "key", _)), None) => {
                    return Err(wrong("certificates need rediss:// instead of redis://"));
                }
                _ => {
                    return Err(wrong(
                        "after the question mark only name=NAME is known, and with rediss:// ca=FILE, cert=FILE and key=FILE",
                    ));
                }
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
            tls,
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
    fn an_address_names_certificates() {
        let address: Address = "rediss://a:1?ca=/etc/ca.pem&name=de".parse().unwrap();
        assert_eq!(address.to_string(), "rediss://a:1");
        assert_eq!(address.url(&address.nodes[0]), "rediss://a:1/");
        assert_eq!(address.name.as_deref(), Some("de"));
        let error = address.certificates().unwrap_err().to_string();
        assert!(error.contains("/etc/ca.pem"), "{error}");
        assert!("redis://a?ca=x".parse::<Address>().is_err());
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
