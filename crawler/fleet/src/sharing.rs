//! Which addresses several workers ask: hosts of several partitions can be one server.
//!
//! ```text
//! {name/s3}s192.0.2.1    numbers of the workers that ask the address, each with the time until which that counts
//! ```
//!
//! The workers divide the rate of such an address. So the servers say only how many they are, and no request waits for an answer of a server.
//! What is lost here comes again: every worker says so once more while it asks.

use std::time::Duration;

use xxhash_rust::xxh3::xxh3_64;

use crate::command::{Command, Lua, Tag, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, integer, list};
use crate::servers::Safety;

static SHARE: Lua = script!("share.lua");

/// The addresses spread over so many tags, and so over the servers of a cluster. More would be more calls.
const SHARDS: u64 = 16;

/// The most addresses in one call of a script, so that none holds its server up for longer than about a millisecond.
const ADDRESSES_A_CALL: usize = 200;

impl Fleet {
    /// Says that this worker asks these addresses, which counts for so long. Answers for each address how many workers ask it, this one included.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn share(&self, addresses: &[String], lasts: Duration) -> Result<Vec<u32>, FleetError> {
        let mut by_shard = vec![Vec::new(); SHARDS as usize];
        for (at, address) in addresses.iter().enumerate() {
            by_shard[shard_of(address)].push(at);
        }
        let (mut commands, mut whose) = (Vec::new(), Vec::new());
        for (shard, all) in by_shard.iter().enumerate() {
            let tag = Tag::new(&self.inner.name, &format!("s{shard}"));
            for some in all.chunks(ADDRESSES_A_CALL) {
                let command = Command::script(&SHARE, &tag)
                    .number(self.worker().0.into())
                    .number(lasts.as_millis() as u64);
                commands.push(command.args(some.iter().map(|at| addresses[*at].clone().into_bytes())));
                whose.push(some);
            }
        }
        let answers = self.inner.servers.all(&commands, Safety::Primary).await?;
        let mut sharers = vec![1; addresses.len()];
        for (some, answer) in whose.into_iter().zip(answers) {
            for (at, workers) in some.iter().zip(list(answer)?) {
                sharers[*at] = integer(&workers)?.try_into().unwrap_or(u32::MAX);
            }
        }
        Ok(sharers)
    }
}

/// The same on every machine.
fn shard_of(address: &str) -> usize {
    (xxh3_64(address.as_bytes()) % SHARDS) as usize
}
