//! Leases: which worker owns which partition, under which epoch, until when by the clock of Redis.
//!
//! A worker owns a partition while the partition's row names it and its epoch. Every grant has an epoch that no other grant has, so a
//! write under an earlier one is refused. A grant, and the end that a renewal sets, are on a replica before the call returns: a
//! server that takes over does not give the partition to another worker before its time.

use std::sync::PoisonError;
use std::time::Instant;

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list};
use crate::partition::{Epoch, Partition};
use crate::servers::Safety;

static CLAIM: Lua = script!("claim.lua");
static RENEW: Lua = script!("renew.lua");
static RELEASE: Lua = script!("release.lua");
static FREE: Lua = script!("free.lua");
static NOTE: Lua = script!("note.lua");

/// A partition that the worker owns from now on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grant {
    /// The partition.
    pub partition: Partition,
    /// What the worker's writes carry.
    pub epoch: Epoch,
    /// The first epoch since which no other worker has owned it. What this worker did under an earlier one counts no more.
    pub since: Epoch,
    /// Whether URLs were finished in it before `since`, so that the servers know more of it than this worker.
    pub inherits: bool,
}

/// What became of a lease that was to be renewed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Renewal {
    /// The partition.
    pub partition: Partition,
    /// Of the lease.
    pub state: LeaseState,
}

/// Whether a lease goes on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseState {
    /// It lasts from the time before the call.
    Held {
        /// Where the partition's queue ends: there is something to read if that is beyond what was read.
        queue_end: u64,
    },
    /// Another worker has it, or the servers have lost it.
    Lost,
}

impl Fleet {
    /// Takes up to `at_most` partitions that have no owner, those in `prefer` first. What was granted before a server failed is returned;
    /// a grant in an answer that did not come runs out.
    ///
    /// # Errors
    /// Nothing was granted, and no server answers within the bound, or one refuses.
    pub async fn acquire(&self, at_most: usize, prefer: &[Partition]) -> Result<Vec<Grant>, FleetError> {
        let mut granted = Vec::new();
        let mut ended = self.claim_free(at_most, prefer, &mut granted).await;
        if ended.is_ok() {
            let partitions: Vec<Partition> = granted.iter().map(|grant| grant.partition).collect();
            ended = self.note(&partitions, true).await;
        }
        match ended {
            Err(error) if granted.is_empty() || !error.is_transient() => Err(error),
            _ => Ok(granted),
        }
    }

    async fn claim_free(
        &self,
        at_most: usize,
        prefer: &[Partition],
        granted: &mut Vec<Grant>,
    ) -> Result<(), FleetError> {
        let noted = self.noted_as_free().await?;
        self.claim(at_most, self.candidates(&noted, prefer), granted).await?;
        if granted.len() < at_most && self.may_survey() {
            // A note may name a worker that lives and knows nothing of it: the answer to its claim did not come.
            let owners = self.owners().await?;
            let free: Vec<bool> = owners.iter().map(|(owner, _)| *owner == 0).collect();
            self.claim(at_most, self.candidates(&free, &[]), granted).await?;
        }
        Ok(())
    }

    async fn claim(
        &self,
        at_most: usize,
        candidates: Vec<Partition>,
        granted: &mut Vec<Grant>,
    ) -> Result<(), FleetError> {
        let mut candidates = candidates.into_iter();
        while granted.len() < at_most {
            let tried: Vec<Partition> = candidates.by_ref().take(at_most - granted.len()).collect();
            if tried.is_empty() {
                break;
            }
            let mut commands = Vec::with_capacity(tried.len());
            for partition in &tried {
                commands.push(
                    Command::script(&CLAIM, self.tag(*partition)?)
                        .number(u64::from(self.worker().0))
                        .number(self.inner.place.lease.as_millis() as u64),
                );
            }
            let answers = self.inner.servers.all(&commands, Safety::Replicated).await?;
            for (partition, answer) in tried.into_iter().zip(answers) {
                let answer = list(answer)?;
                let [epoch, since, inherits] = answer.as_slice() else {
                    return Err(FleetError::Damaged("an answer to a claim".to_owned()));
                };
                let epoch = Epoch(integer(epoch)?);
                if epoch.0 > 0 {
                    granted.push(Grant {
                        partition,
                        epoch,
                        since: Epoch(integer(since)?),
                        inherits: integer(inherits)? == 1,
                    });
                    self.held().insert(partition, epoch);
                }
            }
        }
        Ok(())
    }

    /// Whether the rows of all partitions may be looked at now: once in the time of a lease.
    fn may_survey(&self) -> bool {
        let mut surveyed = self.inner.surveyed.lock().unwrap_or_else(PoisonError::into_inner);
        let may = surveyed.is_none_or(|at| at.elapsed() >= self.lease());
        if may {
            *surveyed = Some(Instant::now());
        }
        may
    }

    /// Which partitions are free by the notes of the owners.
    async fn noted_as_free(&self) -> Result<Vec<bool>, FleetError> {
        let command = Command::script(&FREE, &self.inner.registry)
            .number(u64::from(self.worker().0))
            .number(self.silence().as_millis() as u64)
            .number(u64::from(self.partitions()));
        let free = bytes(self.inner.servers.one(command, Safety::Primary).await?)?;
        let mut is_free = vec![false; self.inner.tags.len()];
        for pair in free.chunks_exact(2) {
            if let Some(place) = is_free.get_mut(usize::from(u16::from_be_bytes([pair[0], pair[1]]))) {
                *place = true;
            }
        }
        Ok(is_free)
    }

    /// The partitions to try, in order: those in `prefer`, then those that are free.
    fn candidates(&self, is_free: &[bool], prefer: &[Partition]) -> Vec<Partition> {
        // Another order for each worker and call, so that workers that start at once do not all want the same.
        let salt = self.inner.place.nonce ^ self.traffic().commands;
        let mut order: Vec<u16> = (0..self.partitions()).collect();
        order.sort_by_cached_key(|partition| xxhash_rust::xxh3::xxh3_64_with_seed(&partition.to_be_bytes(), salt));
        let held = self.held();
        let mut candidates: Vec<Partition> = prefer.to_vec();
        candidates.extend(
            order
                .iter()
                .filter(|partition| is_free[usize::from(**partition)])
                .map(|p| Partition(*p)),
        );
        let mut seen = std::collections::HashSet::new();
        candidates.retain(|partition| {
            usize::from(partition.0) < is_free.len() && !held.contains_key(partition) && seen.insert(*partition)
        });
        candidates
    }

    /// Makes the leases last longer, from the time before this call. Call it often enough, for example every third of the lease.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn renew(&self, held: &[(Partition, Epoch)]) -> Result<Vec<Renewal>, FleetError> {
        let mut commands = Vec::with_capacity(held.len());
        for (partition, epoch) in held {
            commands.push(
                self.under_epoch(&RENEW, *partition, *epoch)?
                    .number(self.inner.place.lease.as_millis() as u64),
            );
        }
        let answers = self.inner.servers.all(&commands, Safety::Replicated).await?;
        let mut renewals = Vec::with_capacity(held.len());
        let mut lost = Vec::new();
        for ((partition, epoch), answer) in held.iter().zip(answers) {
            let answer = list(answer)?;
            let [is_held, queue_end] = answer.as_slice() else {
                return Err(FleetError::Damaged("an answer to a renewal".to_owned()));
            };
            let state = if integer(is_held)? == 1 {
                LeaseState::Held {
                    queue_end: integer(queue_end)?,
                }
            } else {
                self.gone(*partition, *epoch);
                lost.push(*partition);
                LeaseState::Lost
            };
            renewals.push(Renewal {
                partition: *partition,
                state,
            });
        }
        self.note(&lost, false).await?;
        Ok(renewals)
    }

    /// Gives partitions up: another worker can have them at once. A lease that is not held any more is passed over.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn release(&self, held: &[(Partition, Epoch)]) -> Result<(), FleetError> {
        let mut commands = Vec::with_capacity(held.len());
        for (partition, epoch) in held {
            commands.push(self.under_epoch(&RELEASE, *partition, *epoch)?);
        }
        self.inner.servers.all(&commands, Safety::Primary).await?;
        for (partition, epoch) in held {
            self.gone(*partition, *epoch);
        }
        let partitions: Vec<Partition> = held.iter().map(|(partition, _)| *partition).collect();
        self.note(&partitions, false).await
    }

    /// A call of a script by the owner of a partition.
    pub(crate) fn under_epoch(
        &self,
        lua: &'static Lua,
        partition: Partition,
        epoch: Epoch,
    ) -> Result<Command, FleetError> {
        Ok(Command::script(lua, self.tag(partition)?)
            .number(u64::from(self.worker().0))
            .number(epoch.0))
    }

    /// Forgets a lease, unless a later one of the same partition is held.
    fn gone(&self, partition: Partition, epoch: Epoch) {
        let mut held = self.held();
        if held.get(&partition).is_some_and(|newest| *newest <= epoch) {
            held.remove(&partition);
        }
    }

    async fn note(&self, partitions: &[Partition], owned: bool) -> Result<(), FleetError> {
        if partitions.is_empty() {
            return Ok(());
        }
        let packed: Vec<u8> = partitions
            .iter()
            .flat_map(|partition| partition.0.to_be_bytes())
            .collect();
        let command = Command::script(&NOTE, &self.inner.registry)
            .number(u64::from(self.worker().0))
            .number(u64::from(owned))
            .arg(packed);
        self.inner.servers.one(command, Safety::Primary).await.map(drop)
    }
}
