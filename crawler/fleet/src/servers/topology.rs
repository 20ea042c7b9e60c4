//! Which server owns which slots.

use redis::{Pipeline, Value};

use crate::address::Node;
use crate::servers::primary::{Primary, Trouble};
use crate::slot::SLOTS;

/// The primaries and their slots.
pub(crate) struct Topology {
    /// First slot, last slot, owner; ascending.
    ranges: Vec<(u16, u16, Node)>,
    /// All servers, replicas too.
    pub(super) servers: Vec<Node>,
}

impl Topology {
    /// The primary of a slot.
    pub(super) fn node(&self, slot: u16) -> Option<Node> {
        self.ranges
            .iter()
            .find(|(first, last, _)| (*first..=*last).contains(&slot))
            .map(|(_, _, node)| node.clone())
    }

    /// Each primary once.
    pub(super) fn primaries(&self) -> Vec<Node> {
        let mut nodes: Vec<Node> = self.ranges.iter().map(|(_, _, node)| node.clone()).collect();
        nodes.sort();
        nodes.dedup();
        nodes
    }
}

/// Asks a server. A server that is no part of a cluster owns all slots.
pub(super) async fn ask(server: &Primary, several_named: bool) -> Result<Topology, Trouble> {
    let mut pipeline = Pipeline::new();
    let mut cmd = redis::cmd("CLUSTER");
    cmd.arg("SLOTS");
    pipeline.add_command(cmd);
    let answer = server.plain(pipeline, 1).await?.pop().unwrap_or_default();
    match answer {
        Value::ServerError(error) if error.to_string().contains("cluster support disabled") => {
            if several_named {
                return Err(format!(
                    "{} is no part of a cluster: the address may name only one such server",
                    server.node
                )
                .into());
            }
            Ok(Topology {
                ranges: vec![(0, SLOTS - 1, server.node.clone())],
                servers: Vec::new(),
            })
        }
        Value::ServerError(_) => Err(Trouble::of_answer(answer, &server.node)),
        Value::Array(answer) => {
            let mut ranges = Vec::new();
            let mut servers = Vec::new();
            for range in &answer {
                let Value::Array(parts) = range else { continue };
                let (Some(first), Some(last)) = (parts.first().and_then(small), parts.get(1).and_then(small)) else {
                    continue;
                };
                let nodes: Vec<Node> = parts
                    .iter()
                    .skip(2)
                    .filter_map(|part| named(part, &server.node))
                    .collect();
                if let Some(owner) = nodes.first() {
                    ranges.push((first, last, owner.clone()));
                }
                servers.extend(nodes);
            }
            ranges.sort();
            if ranges.is_empty() {
                return Err(format!("{}: the cluster has given its slots to no server yet", server.node).into());
            }
            Ok(Topology { ranges, servers })
        }
        _ => Err(format!("{}: its answer to CLUSTER SLOTS is not known", server.node).into()),
    }
}

/// `[host, port, …]`. A server that does not know its own address is the one that was asked.
fn named(part: &Value, asked: &Node) -> Option<Node> {
    let Value::Array(parts) = part else { return None };
    let host = match parts.first() {
        Some(Value::BulkString(host)) if !host.is_empty() => String::from_utf8(host.clone()).ok()?,
        _ => asked.host.clone(),
    };
    let port = small(parts.get(1)?)?;
    Some(Node { host, port })
}

fn small(value: &Value) -> Option<u16> {
    match value {
        Value::Int(number) => u16::try_from(*number).ok(),
        _ => None,
    }
}
