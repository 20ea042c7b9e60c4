//! The keys of a crawl on all primaries, for its deletion.

use std::time::Instant;

use redis::{Cmd, Pipeline, Value};

use super::{PIPELINE_COMMANDS, Servers};
use crate::address::Node;
use crate::error::FleetError;
use crate::servers::primary::{Primary, Trouble};

impl Servers {
    /// Removes the keys that begin in this way from all primaries, but for one of them. Returns how many there were. What is left after an error,
    /// another call removes.
    ///
    /// # Errors
    /// [`FleetError::Unreachable`]: a server does not answer, or refuses.
    pub(crate) async fn remove_keys(&self, beginning: &str, spared: &str) -> Result<u64, FleetError> {
        let began = Instant::now();
        let unreachable = |reason: String| FleetError::Unreachable {
            address: self.address.to_string(),
            waited: began.elapsed(),
            reason,
        };
        let topology = self.topology(began + self.manner.patience).await;
        let topology = topology.map_err(|trouble| unreachable(trouble.reason))?;
        let mut removed = 0;
        for node in topology.primaries() {
            let of_node = self.remove_keys_of(&node, beginning, spared).await;
            removed += of_node.map_err(|trouble| {
                self.forget(&node);
                unreachable(trouble.reason)
            })?;
        }
        Ok(removed)
    }

    async fn remove_keys_of(&self, node: &Node, beginning: &str, spared: &str) -> Result<u64, Trouble> {
        let primary = self.primary(node).await?;
        let (mut cursor, mut removed) = (b"0".to_vec(), 0);
        loop {
            let mut scan = Cmd::new();
            scan.arg("SCAN").arg(&cursor).arg("MATCH").arg(format!("{beginning}*"));
            scan.arg("COUNT").arg(1_000);
            let answer = asked(&primary, vec![scan]).await?.pop();
            let Some((next, keys)) = answer.and_then(page) else {
                return Err("an answer to SCAN".to_owned().into());
            };
            // In a cluster, a command has the keys of one slot.
            let unlinked = keys
                .iter()
                .filter(|key| key.as_slice() != spared.as_bytes())
                .map(|key| {
                    let mut unlink = Cmd::new();
                    unlink.arg("UNLINK").arg(key);
                    unlink
                });
            let unlinked: Vec<Cmd> = unlinked.collect();
            for some in unlinked.chunks(PIPELINE_COMMANDS) {
                for answer in asked(&primary, some.to_vec()).await? {
                    removed += u64::from(answer == Value::Int(1));
                }
            }
            if next == b"0" {
                return Ok(removed);
            }
            cursor = next;
        }
    }
}

/// The answers to commands, all of which the server has carried out.
async fn asked(primary: &Primary, commands: Vec<Cmd>) -> Result<Vec<Value>, Trouble> {
    let mut pipeline = Pipeline::new();
    let width = commands.len();
    for command in commands {
        pipeline.add_command(command);
    }
    let answers = primary.plain(pipeline, width).await?;
    match answers.iter().find(|answer| matches!(answer, Value::ServerError(_))) {
        Some(error) => Err(format!("{}: {error:?}", primary.node).into()),
        None => Ok(answers),
    }
}

/// The next cursor and the keys in an answer to `SCAN`.
fn page(answer: Value) -> Option<(Vec<u8>, Vec<Vec<u8>>)> {
    let Value::Array(parts) = answer else { return None };
    let [Value::BulkString(next), Value::Array(keys)] = <[Value; 2]>::try_from(parts).ok()? else {
        return None;
    };
    let keys = keys.into_iter().map(|key| match key {
        Value::BulkString(key) => Some(key),
        _ => None,
    });
    Some((next, keys.collect::<Option<_>>()?))
}
