//! What the user should know of the servers before the crawl relies on them.

use redis::Value;

use crate::error::FleetError;
use crate::fleet::Fleet;

impl Fleet {
    /// Settings of the servers with which a crawl can lose data, each in words with what to do. A server that does not tell its settings
    /// to this user counts as well set.
    ///
    /// # Errors
    /// No server answers within the bound.
    pub async fn cautions(&self) -> Result<Vec<String>, FleetError> {
        let servers = &self.inner.servers;
        let mut cautions = Vec::new();
        for (node, answer) in servers.every_primary(&["INFO", "memory"]).await? {
            let policy = field(&answer, "maxmemory_policy").unwrap_or_default();
            let has_limit = field(&answer, "maxmemory").is_some_and(|limit| limit != "0");
            if has_limit && !policy.is_empty() && policy != "noeviction" {
                cautions.push(format!(
                    "Redis at {node} may throw away data of the crawl when its memory is full (maxmemory-policy {policy}): set maxmemory-policy noeviction"
                ));
            }
        }
        let appends = servers.every_primary(&["INFO", "persistence"]).await?;
        let saves = servers.every_primary(&["CONFIG", "GET", "save"]).await?;
        for (node, answer) in appends {
            let is_appended = field(&answer, "aof_enabled");
            let is_saved = saves
                .iter()
                .find(|(of, _)| *of == node)
                .and_then(|(_, save)| setting(save));
            if is_appended.as_deref() == Some("0") && is_saved.as_deref() == Some("") {
                cautions.push(format!(
                    "Redis at {node} keeps the crawl in memory only, and loses it when it ends: set appendonly yes"
                ));
            }
        }
        Ok(cautions)
    }
}

/// A field in the answer to `INFO`.
fn field(answer: &Value, name: &str) -> Option<String> {
    let text = match answer {
        Value::BulkString(bytes) => std::str::from_utf8(bytes).ok()?,
        Value::VerbatimString { text, .. } => text,
        _ => return None,
    };
    let value = text
        .lines()
        .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))?;
    Some(value.trim().to_owned())
}

/// The value in the answer to `CONFIG GET` of one name.
fn setting(answer: &Value) -> Option<String> {
    match answer {
        Value::Array(parts) => match parts.get(1)? {
            Value::BulkString(value) => String::from_utf8(value.clone()).ok(),
            _ => None,
        },
        Value::Map(pairs) => match &pairs.first()?.1 {
            Value::BulkString(value) => String::from_utf8(value.clone()).ok(),
            _ => None,
        },
        _ => None,
    }
}
