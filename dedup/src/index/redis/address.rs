//! The address of an index.

use std::fmt;
use std::str::FromStr;

use redis::{ConnectionInfo, IntoConnectionInfo};

/// Name of an index whose address gives none.
const DEFAULT_NAME: &str = "default";
/// Upper bound on the characters of a name.
const LONGEST_NAME: usize = 100;

/// Where an index is: `redis://[[USER]:PASSWORD@]HOST[:PORT][/DATABASE][?name=NAME]`.
///
/// The port is 6379, the database 0, and the name `default`, if they are missing. All keys of an index begin with
/// `dedup:{NAME}:`; the braces keep them in one slot of a Redis Cluster. `Display` and `Debug` leave out user and password.
#[derive(Clone)]
pub struct RedisAddress {
    info: ConnectionInfo,
    shown: String,
    name: String,
}

/// A text that is not the address of an index. The message does not quote the text, which may hold a password.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{reason}: an index has the address redis://HOST[:PORT][/DATABASE][?name=NAME], with USER:PASSWORD@ before the host if the server \
     wants a password"
)]
pub struct InvalidAddress {
    reason: String,
}

fn invalid(reason: impl Into<String>) -> InvalidAddress {
    InvalidAddress { reason: reason.into() }
}

impl RedisAddress {
    /// Whether a text is meant as an address of a server, right or wrong, and not as the name of a folder.
    #[must_use]
    pub fn is_meant_by(text: &str) -> bool {
        text.split_once("://").is_some_and(|(scheme, _)| {
            ["redis", "rediss", "valkey", "valkeys"].contains(&scheme.to_ascii_lowercase().as_str())
        })
    }

    /// The name of the index.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Whether the address has a password.
    #[must_use]
    pub fn has_password(&self) -> bool {
        self.info.redis_settings().password().is_some()
    }

    /// The address with another password, for example from the environment.
    #[must_use]
    pub fn with_password(self, password: &str) -> Self {
        let settings = self.info.redis_settings().clone().set_password(password);
        Self {
            info: self.info.set_redis_settings(settings),
            ..self
        }
    }

    pub(super) fn connection(&self) -> &ConnectionInfo {
        &self.info
    }

    /// The begin of every key.
    pub(super) fn prefix(&self) -> String {
        format!("dedup:{{{}}}:", self.name)
    }
}

impl FromStr for RedisAddress {
    type Err = InvalidAddress;

    fn from_str(text: &str) -> Result<Self, InvalidAddress> {
        let mut url = redis::parse_redis_url(text).ok_or_else(|| invalid("this is not an address"))?;
        if !["redis", "valkey"].contains(&url.scheme()) {
            return Err(invalid(
                "only unencrypted connections are supported (for another machine, use a tunnel)",
            ));
        }
        let host = url.host_str().filter(|host| !host.is_empty());
        let host = host.ok_or_else(|| invalid("the host is missing"))?.to_owned();
        if host.contains(',') {
            return Err(invalid("the address has more than one host"));
        }
        let database = url.path().trim_matches('/').to_owned();
        if !database.is_empty() && database.parse::<u32>().is_err() {
            return Err(invalid("the database is not a number"));
        }
        let mut name = DEFAULT_NAME.to_owned();
        for (key, value) in url.query_pairs() {
            match &*key {
                "name" => name = value.into_owned(),
                other => return Err(invalid(format!("{other:?} is not a part of an address"))),
            }
        }
        let is_valid = |letter: char| letter.is_ascii_alphanumeric() || "._-".contains(letter);
        if name.is_empty() || name.len() > LONGEST_NAME || !name.chars().all(is_valid) {
            return Err(invalid(format!(
                "the name is not 1 to {LONGEST_NAME} letters, digits, dots, hyphens and underscores"
            )));
        }
        url.set_query(None);
        url.set_fragment(None);
        let port = url.port().unwrap_or(6379);
        let database = if database.is_empty() { "0".to_owned() } else { database };
        let shown = format!("redis://{host}:{port}/{database}?name={name}");
        // The message of the client may quote the text.
        let info = url
            .into_connection_info()
            .map_err(|_| invalid("this is not an address"))?;
        Ok(Self { info, shown, name })
    }
}

impl fmt::Display for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.shown)
    }
}

impl fmt::Debug for RedisAddress {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RedisAddress({})", self.shown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_shown_whole_and_without_its_password() {
        for (text, shown) in [
            ("redis://example.org", "redis://example.org:6379/0?name=default"),
            ("redis://u:secret@h:7000/3?name=news", "redis://h:7000/3?name=news"),
            ("valkey://:secret@[::1]:7000", "redis://[::1]:7000/0?name=default"),
        ] {
            let address: RedisAddress = text.parse().unwrap();
            assert_eq!(address.to_string(), shown);
            assert_eq!(address.has_password(), text.contains("secret"));
            assert!(!format!("{address:?}").contains("secret"));
        }
    }

    #[test]
    fn what_is_no_address_is_refused_without_a_quotation() {
        for text in [
            "",
            "folder",
            "redis://",
            "redis://:secret@h/x",
            "rediss://:secret@h",
            "redis://:secret@h?names=a",
            "redis://:secret@h?name=",
            "redis://:secret@h?name={a}",
            "redis://:secret@a:1,b:2",
            "redis://:secret@h:99999",
        ] {
            let error = text.parse::<RedisAddress>().unwrap_err().to_string();
            assert!(
                error.contains("redis://HOST[:PORT]") && !error.contains("secret"),
                "{text}: {error}"
            );
        }
    }

    #[test]
    fn a_folder_is_not_meant_as_an_address() {
        assert!(RedisAddress::is_meant_by("redis://h") && RedisAddress::is_meant_by("REDISS://h"));
        assert!(!RedisAddress::is_meant_by("redis") && !RedisAddress::is_meant_by("/a/redis:/b"));
    }
}
