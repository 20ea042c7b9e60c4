//! Leases: which worker owns which partition, under which epoch, until when by the clock of Redis.
//!
//! A worker owns a partition while the partition's row names its incarnation. Every grant has an epoch that no other grant has, so a
//! write under an earlier one is refused. A grant is on a replica before the call returns.
//!
//! # One lease a worker
//! An *incarnation* is a process of a worker, from its joining until its end or the loss of its lease. It has one lease for all its
//! partitions, which each heartbeat renews by one command. A lease for each partition would take a command for each of 1,024 partitions
//! every few seconds, and most of what a slow crawl costs Redis.
//!
//! ```text
//! registry    incarnation: lives until T ──heartbeat──▶ lives until T'
//!                            └──somebody asks after T (lua/ended.lua)──▶ ended for ever: its heartbeat is refused
//! partition   owner: nobody, or incarnation and epoch ──claim (lua/claim.lua)──▶ another incarnation, a higher epoch
//! ```
//!
//! The lease and the rows of the partitions are on different servers of a cluster, so no script sees both. Two steps take a partition from
//! its owner: first the owner's incarnation is ended, atomically, and a replica knows it; then the row changes its owner, if it still
//! names the ended one. An ended incarnation never lives again, so it does not matter how much time lies between the two. The worker
//! learns it by its next heartbeat, and joins as a new incarnation, which owns nothing.
//!
//! A claim whose answer does not come may have been granted. Its row would name a living incarnation that does not know of it, so the
//! heartbeats take it back.

use std::collections::{HashMap, HashSet};
use std::sync::PoisonError;
use std::time::Instant;

use redis::Value;

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list, text};
use crate::partition::{Epoch, Partition};
use crate::servers::Safety;

static CLAIM: Lua = script!("claim.lua");
static UNCLAIM: Lua = script!("unclaim.lua");
static OWNED: Lua = script!("owned.lua");
static OWNER: Lua = script!("owner.lua");
static RELEASE: Lua = script!("release.lua");
static ENDED: Lua = script!("ended.lua");
static FREE: Lua = script!("free.lua");
static NOTE: Lua = script!("note.lua");

/// In place of an incarnation: none.
const NONE: &str = "-";

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
    /// Where its queue ends: 0 if there has never been a row.
    pub queue_end: u64,
    /// Whether its owners have left states of hosts.
    pub has_hosts: bool,
}

/// Whether a worker still owns a partition.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LeaseState {
    /// It does, if its own lease lasts.
    Held {
        /// Where the partition's queue ends: there is something to read if that is beyond what was read.
        queue_end: u64,
    },
    /// Another worker has it, or the servers have lost it.
    Lost,
}

/// The owner of a partition, as its row names it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Owner {
    /// Empty without an owner.
    pub(crate) incarnation: String,
    /// Its worker, or that of the last owner; 0 if there has been none.
    pub(crate) worker: u64,
    /// Whether it has read the queue to its end.
    pub(crate) is_read: bool,
}

/// A partition to claim, and the incarnation that has ended and may be its owner.
type Candidate = (Partition, Option<String>);

impl Fleet {
    /// Takes up to `at_most` partitions that have no owner, those in `prefer` first. What was granted before a server failed is returned.
    ///
    /// # Errors
    /// Nothing was granted, and no server answers within the bound, or one refuses.
    pub async fn acquire(&self, at_most: usize, prefer: &[Partition]) -> Result<Vec<Grant>, FleetError> {
        let mut granted = Vec::new();
        let ended = self.claim_free(at_most, prefer, &mut granted).await;
        self.noted(ended, granted).await
    }

    /// Takes those of these partitions that have no owner, or an earlier process of this worker.
    ///
    /// # Errors
    /// As [`acquire`](Self::acquire).
    pub async fn reclaim(&self, partitions: &[Partition]) -> Result<Vec<Grant>, FleetError> {
        let mut granted = Vec::new();
        let candidates = partitions.iter().map(|partition| (*partition, None));
        let claimed = self.claim(partitions.len(), candidates, &mut granted).await;
        self.noted(claimed.map(drop), granted).await
    }

    /// Notes whose the partitions are. What was granted before a server failed is returned.
    async fn noted(&self, mut ended: Result<(), FleetError>, granted: Vec<Grant>) -> Result<Vec<Grant>, FleetError> {
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
        let candidates = self.candidates(&noted, prefer).into_iter();
        let owned = self
            .claim(at_most, candidates.map(|partition| (partition, None)), granted)
            .await?;
        let orphans = self.orphans(owned).await?;
        self.claim(at_most, orphans.into_iter(), granted).await?;
        if granted.len() < at_most && self.may_survey() {
            // A note may name a worker that lives and knows nothing of it: the answer to its claim did not come.
            let owners = self.owners().await?;
            let all: Vec<bool> = vec![true; owners.len()];
            let held = self.candidates(&all, &[]).into_iter().filter_map(|partition| {
                let owner = owners.get(usize::from(partition.0))?;
                Some((partition, owner.incarnation.clone()))
            });
            let (owned, free): (Vec<_>, Vec<_>) = held.partition(|(_, owner)| !owner.is_empty());
            let mut candidates: Vec<Candidate> = free.into_iter().map(|(partition, _)| (partition, None)).collect();
            candidates.extend(self.orphans(owned).await?);
            self.claim(at_most, candidates.into_iter(), granted).await?;
        }
        Ok(())
    }

    /// Claims candidates until there are `at_most` grants. Returns the candidates that others own, with the owners.
    async fn claim(
        &self,
        at_most: usize,
        mut candidates: impl Iterator<Item = Candidate>,
        granted: &mut Vec<Grant>,
    ) -> Result<Vec<(Partition, String)>, FleetError> {
        let mut owned = Vec::new();
        while granted.len() < at_most {
            let tried: Vec<Candidate> = candidates.by_ref().take(at_most - granted.len()).collect();
            if tried.is_empty() {
                break;
            }
            let mut commands = Vec::with_capacity(tried.len());
            for (partition, ended) in &tried {
                commands.push(
                    Command::script(&CLAIM, self.tag(*partition)?)
                        .number(u64::from(self.worker().0))
                        .arg(self.incarnation())
                        .arg(ended.as_deref().unwrap_or(NONE)),
                );
            }
            self.unanswered()
                .extend(tried.iter().map(|(partition, _)| (*partition, None)));
            let answers = self.inner.servers.all(&commands, Safety::Replicated).await?;
            for ((partition, _), answer) in tried.into_iter().zip(answers) {
                self.unanswered().remove(&partition);
                match list(answer)?.as_slice() {
                    [_, owner] => owned.push((partition, text(owner.clone())?)),
                    [epoch, since, inherits, queue_end, has_hosts] => {
                        let grant = Grant {
                            partition,
                            epoch: Epoch(integer(epoch)?),
                            since: Epoch(integer(since)?),
                            inherits: integer(inherits)? == 1,
                            queue_end: integer(queue_end)?,
                            has_hosts: integer(has_hosts)? == 1,
                        };
                        self.held().insert(partition, grant.epoch);
                        granted.push(grant);
                    }
                    _ => return Err(FleetError::Damaged("an answer to a claim".to_owned())),
                }
            }
        }
        Ok(owned)
    }

    /// Those of the partitions whose owners have ended. An owner whose lease has run out ends here.
    async fn orphans(&self, owned: Vec<(Partition, String)>) -> Result<Vec<Candidate>, FleetError> {
        // What this worker's row names is this incarnation's, or that of an earlier process.
        let owners: HashSet<&str> = owned.iter().map(|(_, owner)| owner.as_str()).collect();
        let owners: Vec<String> = owners.into_iter().map(str::to_owned).collect();
        if owners.is_empty() {
            return Ok(Vec::new());
        }
        let command = Command::script(&ENDED, &self.inner.registry)
            .arg(self.incarnation())
            // Twice the time in which each worker renews its lease, and a little more.
            .number(self.lease().as_millis() as u64 * 3 / 4)
            .args(owners.iter().map(|owner| owner.clone().into_bytes()));
        let answer = bytes(self.inner.servers.one(command, Safety::Replicated).await?)?;
        let ended: HashMap<String, bool> = owners
            .into_iter()
            .zip(answer.into_iter().map(|digit| digit == b'1'))
            .collect();
        let mine = self.incarnation();
        let orphans = owned
            .into_iter()
            .filter(|(_, owner)| *owner == mine || ended.get(owner).copied().unwrap_or_default());
        Ok(orphans.map(|(partition, owner)| (partition, Some(owner))).collect())
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

    /// The owners of all partitions, as their rows name them.
    pub(crate) async fn owners(&self) -> Result<Vec<Owner>, FleetError> {
        let commands: Vec<Command> = self.inner.tags.iter().map(|tag| Command::script(&OWNER, tag)).collect();
        let answers = self.inner.servers.all(&commands, Safety::Primary).await?;
        let owners = answers.into_iter().map(|answer| {
            let [incarnation, worker, is_read] = <[Value; 3]>::try_from(list(answer)?)
                .map_err(|_| FleetError::Damaged("an answer about a partition".to_owned()))?;
            Ok(Owner {
                incarnation: text(incarnation)?,
                worker: integer(&worker)?,
                is_read: integer(&is_read)? == 1,
            })
        });
        owners.collect()
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
        let salt = self.inner.place.salt ^ self.traffic().commands;
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
        let mut seen = HashSet::new();
        candidates.retain(|partition| {
            usize::from(partition.0) < is_free.len() && !held.contains_key(partition) && seen.insert(*partition)
        });
        candidates
    }

    /// Whether the worker still owns partitions, in the given order. Their writes find that out, too; this is for partitions in which it
    /// writes nothing.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn check_leases(&self, held: &[(Partition, Epoch)]) -> Result<Vec<LeaseState>, FleetError> {
        let mut commands = Vec::with_capacity(held.len());
        for (partition, epoch) in held {
            commands.push(self.under_epoch(&OWNED, *partition, *epoch)?);
        }
        let answers = self.inner.servers.all(&commands, Safety::Primary).await?;
        let mut states = Vec::with_capacity(held.len());
        let mut lost = Vec::new();
        for ((partition, epoch), answer) in held.iter().zip(answers) {
            let answer = list(answer)?;
            let [is_held, queue_end] = answer.as_slice() else {
                return Err(FleetError::Damaged("an answer about a lease".to_owned()));
            };
            if integer(is_held)? == 1 {
                states.push(LeaseState::Held {
                    queue_end: integer(queue_end)?,
                });
            } else {
                self.gone(*partition, *epoch);
                lost.push(*partition);
                states.push(LeaseState::Lost);
            }
        }
        self.note(&lost, false).await?;
        Ok(states)
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
        // Replicated: a row that names a living worker again after a failover would wait for its end.
        self.inner.servers.all(&commands, Safety::Replicated).await?;
        for (partition, epoch) in held {
            self.gone(*partition, *epoch);
        }
        let partitions: Vec<Partition> = held.iter().map(|(partition, _)| *partition).collect();
        self.note(&partitions, false).await
    }

    /// Takes back the claims that had no answer, again and again for the time of a lease: the server may still have one before it.
    pub(crate) async fn take_back(&self) -> Result<(), FleetError> {
        let partitions: Vec<Partition> = self.unanswered().keys().copied().collect();
        if partitions.is_empty() {
            return Ok(());
        }
        let mut commands = Vec::with_capacity(partitions.len());
        for partition in &partitions {
            let held = self.held().get(partition).copied().unwrap_or(Epoch(0));
            commands.push(
                Command::script(&UNCLAIM, self.tag(*partition)?)
                    .arg(self.incarnation())
                    .number(held.0),
            );
        }
        self.inner.servers.all(&commands, Safety::Replicated).await?;
        let lease = self.lease();
        let mut unanswered = self.unanswered();
        for partition in partitions {
            if let Some(since) = unanswered.get_mut(&partition) {
                since.get_or_insert_with(Instant::now);
            }
        }
        unanswered.retain(|_, since| since.is_none_or(|since| since.elapsed() < lease));
        Ok(())
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
        let packed: Vec<u8> = packed(partitions);
        let command = Command::script(&NOTE, &self.inner.registry)
            .number(u64::from(self.worker().0))
            .number(u64::from(owned))
            .arg(packed);
        self.inner.servers.one(command, Safety::Primary).await.map(drop)
    }
}

/// Two bytes each.
pub(crate) fn packed(partitions: &[Partition]) -> Vec<u8> {
    partitions
        .iter()
        .flat_map(|partition| partition.0.to_be_bytes())
        .collect()
}
