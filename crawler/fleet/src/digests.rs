//! The table of digests: which page was the first of the crawl with a text. Workers that decide near-duplicates among their own pages find
//! the exact duplicates of other workers by it, without a log that each of them reads.
//!
//! ```text
//! claim: digest (16 bytes), page ──▶ shard: digest mod 256 ──▶ small hash of the shard ──▶ the page whose claim was the first
//!
//! {name/t17}t        shard 17: its digests (n), its small hashes (N), calls that changed nothing (r)
//! {name/t17}t0 …     small hashes: digest to page. The page is the number of its worker, 2 bytes, and its sequence number without leading
//!                    zeros
//! ```
//!
//! A row of a small hash lies in a listpack, without a pointer: some 30 bytes. The small hashes grow by linear hashing, as the sets of
//! known URLs do (`lua/sets.lua`): a shard of n digests has n / 64 of them, and splits one at a time. The shards spread over the servers of
//! a cluster.
//!
//! A claim never leaves the table and never changes, so a claim may be repeated: the page that has the digest is told so each time.

use crate::command::{Command, Lua, Tag, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list};
use crate::partition::{PageId, WorkerNumber};
use crate::servers::{Safety, Servers};

static CLAIM: Lua = script!("sets.lua", "claim_digests.lua");

/// The last of the 256 shards. More of them would be more calls for the claims of a worker, fewer would burden the servers of a cluster unevenly.
const LAST_SHARD: u8 = 255;

/// The most claims in one call of a script, so that none holds its server up for longer than about a millisecond.
const CLAIMS_A_CALL: usize = 200;

/// The claim of a page that its worker wants to keep.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct DigestClaim {
    /// The digest of its normalised text.
    pub digest: u128,
    /// The page.
    pub page: PageId,
}

impl Fleet {
    /// Claims digests. Answers for each claim, in order, which page has the digest: the page of the first claim, for good. When it returns,
    /// a replica has the claims.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. Some of the claims may be in the table then; the call can be repeated.
    pub async fn claim_digests(&self, claims: &[DigestClaim]) -> Result<Vec<PageId>, FleetError> {
        let mut by_shard = vec![Vec::new(); usize::from(LAST_SHARD) + 1];
        for (at, claim) in claims.iter().enumerate() {
            by_shard[usize::from(shard_of(claim.digest))].push(at);
        }
        let (mut commands, mut whose) = (Vec::new(), Vec::new());
        for (shard, all) in (0..=LAST_SHARD).zip(&by_shard) {
            for some in all.chunks(CLAIMS_A_CALL) {
                let rows = some.iter().map(|at| &claims[*at]);
                let rows = rows.flat_map(|claim| [claim.digest.to_be_bytes().to_vec(), packed(claim.page)]);
                commands.push(Command::script(&CLAIM, &shard_tag(&self.inner.name, shard)).args(rows));
                whose.push(some);
            }
        }
        if commands.is_empty() {
            return Ok(Vec::new());
        }
        self.inner.moves.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let answers = self.inner.servers.all(&commands, Safety::Replicated).await?;
        let mut keepers = vec![None; claims.len()];
        for (some, answer) in whose.into_iter().zip(answers) {
            for (at, keeper) in some.iter().zip(list(answer)?) {
                keepers[*at] = Some(unpacked(&bytes(keeper)?)?);
            }
        }
        let keepers: Option<Vec<PageId>> = keepers.into_iter().collect();
        keepers.ok_or_else(|| FleetError::Damaged("an answer about claimed digests".to_owned()))
    }

    /// The number of digests that all workers have claimed.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn claimed_digests(&self) -> Result<u64, FleetError> {
        count(&self.inner.servers, &self.inner.name).await
    }
}

/// The number of digests in the table.
///
/// # Errors
/// No server answers within the bound, or one refuses.
pub(crate) async fn count(servers: &Servers, name: &str) -> Result<u64, FleetError> {
    let count = |shard| Command::plain("HGET", &shard_tag(name, shard), "t").arg("n");
    let commands: Vec<Command> = (0..=LAST_SHARD).map(count).collect();
    let counts = servers.all(&commands, Safety::Primary).await?;
    counts.iter().map(integer).sum()
}

/// Its last byte: the first ones decide on the small hash.
fn shard_of(digest: u128) -> u8 {
    digest.to_be_bytes()[15]
}

fn shard_tag(name: &str, shard: u8) -> Tag {
    Tag::new(name, &format!("t{shard}"))
}

/// A page as the table has it.
fn packed(page: PageId) -> Vec<u8> {
    let zeros = (page.sequence.leading_zeros() / 8) as usize;
    let sequence = page.sequence.to_be_bytes();
    [&page.worker.0.to_be_bytes(), &sequence[zeros..]].concat()
}

fn unpacked(row: &[u8]) -> Result<PageId, FleetError> {
    match row.split_first_chunk::<2>() {
        Some((worker, sequence)) if sequence.len() <= 8 => Ok(PageId {
            worker: WorkerNumber(u16::from_be_bytes(*worker)),
            sequence: sequence.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)),
        }),
        _ => Err(FleetError::Damaged("a page in the table of digests".to_owned())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_read_as_it_was_written() {
        for (worker, sequence) in [(1, 0), (1, 1), (300, 255), (u16::MAX, (1 << 48) - 1)] {
            let page = PageId {
                worker: WorkerNumber(worker),
                sequence,
            };
            assert_eq!(unpacked(&packed(page)), Ok(page));
        }
        assert!(unpacked(&[1]).is_err() && unpacked(&[0; 11]).is_err());
    }
}
