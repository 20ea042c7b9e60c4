//! The URLs of a partition: which are known, which wait, which are finished.
//!
//! ```text
//! {name/17}m         row of the partition: worker (w) and incarnation (o) of the owner, epoch (e), known URLs and hashes of them (n, N),
//!                    finished and sets of them (c, C), waiting (a), rows that have left the front of the queue (b),
//!                    position up to which the owner has read it (p), and up to which any owner has (f), first epoch since which no other worker has owned it (s),
//!                    whether URLs were finished before (i)
//! {name/17}q         list of rows (url.rs); position of a row = b + its index
//! {name/17}k0 …      known URLs: hashes from the hash of a URL to its smallest depth so far; see lua/sets.lua
//! {name/17}d0 …      finished URLs: sets of integers; see there
//! {name/17}h         state of each host, as its owner wrote it
//! {name/17}x3 …      finished URLs that were queued again because worker 3 was forgotten
//! ```
//!
//! A known URL that comes with a smaller depth has a second row, which tells the owner of the partition of the depth. The URL does not count
//! as waiting a second time. The rows of a finished URL are left out, but for such a row, and for rows that no owner has read: their depths may be
//! news. They stay in the queue until the owner has read them.
//!
//! Every change may be repeated: a known URL is not queued again with the same depth, and a finished one stays finished. So a caller whose call failed
//! makes it again, and a server that took over without the last writes gets them again from the callers' outboxes.

use std::collections::HashMap;

use crate::command::{Command, Lua, Tag, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, bytes, integer, list, text};
use crate::partition::{Epoch, Partition, WorkerNumber};
use crate::servers::Safety;
use crate::url::{UrlHash, WaitingUrl};

static FINISHED: Lua = script!("sets.lua", "finished.lua");
static REOPEN: Lua = script!("sets.lua", "reopen.lua");
static ENQUEUE: Lua = script!("sets.lua", "enqueue.lua");
static COMMIT: Lua = script!("sets.lua", "commit.lua");
static READ: Lua = script!("sets.lua", "read.lua");
static DONE: Lua = script!("sets.lua", "done.lua");

/// The most URLs in one call of a script, so that none holds its server up for longer than about a millisecond.
const URLS_A_CALL: usize = 500;

/// A URL that a data folder has finished, and its depth, if the folder knows it.
pub type FinishedUrl = (UrlHash, Option<u16>);

/// In a call, the depth of a finished URL that nobody knows.
const NO_DEPTH: u16 = u16::MAX;

/// A part of a partition's queue.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QueueSlice {
    /// Those that are not finished. A URL can come again at a later position, also with a smaller depth. The smallest one counts.
    pub urls: Vec<WaitingUrl>,
    /// Finished URLs whose depths may have sunk. They are not to be fetched.
    pub lowered: Vec<WaitingUrl>,
    /// Where to read on. It can be smaller than what was asked for: a server without replicas has lost the end of its queue.
    pub next: u64,
    /// Where the queue ends.
    pub end: u64,
}

/// What an owner has done in its partition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PartitionChanges {
    /// URLs that have their outcome.
    pub done: Vec<UrlHash>,
    /// URLs that were found.
    pub new: Vec<WaitingUrl>,
    /// Whether the owner has all these URLs in a queue of its own, so that it need not read them.
    pub are_stored: bool,
    /// Hosts with their state, opaque here.
    pub hosts: Vec<(String, Vec<u8>)>,
}

impl PartitionChanges {
    fn is_empty(&self) -> bool {
        self.done.is_empty() && self.new.is_empty() && self.hosts.is_empty()
    }
}

/// Changes with the lease under which they were made.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Commit {
    /// The partition.
    pub partition: Partition,
    /// The lease.
    pub epoch: Epoch,
    /// The changes.
    pub changes: PartitionChanges,
}

/// What became of a commit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Committed {
    /// The servers have it.
    Done {
        /// Where the queue ends now.
        queue_end: u64,
        /// Whether the owner has read the queue up to there, or has the rest in its own.
        is_read: bool,
    },
    /// Nothing was written: another worker owns the partition, or has owned it.
    Stale,
}

impl Fleet {
    /// Makes URLs known, and queues those that are new. A URL that is known with a larger depth gets the smaller one. Any worker may do this for any partition. When it returns, a replica has them, and
    /// their owners learn of them with their next heartbeats.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. Some of the URLs may be queued then; the call can be repeated.
    pub async fn enqueue(&self, urls: &[(Partition, Vec<WaitingUrl>)]) -> Result<(), FleetError> {
        self.enqueue_new(urls).await.map(drop)
    }

    /// [`enqueue`](Self::enqueue), with the number of URLs that were new.
    ///
    /// # Errors
    /// As there.
    pub async fn enqueue_new(&self, urls: &[(Partition, Vec<WaitingUrl>)]) -> Result<u64, FleetError> {
        self.queue_rows(urls, |tag| Command::script(&ENQUEUE, tag)).await
    }

    /// Queues finished URLs again: what they brought is lost. With the number of the worker whose pages are lost, a URL is queued again once,
    /// whoever asks for it and however often. Otherwise as [`enqueue`](Self::enqueue).
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue).
    pub async fn reopen(
        &self,
        lost: Option<WorkerNumber>,
        urls: &[(Partition, Vec<WaitingUrl>)],
    ) -> Result<u64, FleetError> {
        let lost = lost.map_or(0, |worker| u64::from(worker.0));
        self.queue_rows(urls, |tag| Command::script(&REOPEN, tag).number(lost))
            .await
    }

    /// Marks URLs as finished that this worker's data folder has finished, without a lease: for a crawl that the servers had lost. Their depths come
    /// back, too, so that a shorter path lowers them, and a longer one does not.
    ///
    /// # Errors
    /// As [`enqueue`](Self::enqueue).
    pub async fn bring_back(&self, finished: &[(Partition, Vec<FinishedUrl>)]) -> Result<(), FleetError> {
        let mut commands = Vec::new();
        for (partition, urls) in finished {
            for some in urls.chunks(URLS_A_CALL) {
                let hashes: Vec<UrlHash> = some.iter().map(|(hash, _)| *hash).collect();
                let depths = some
                    .iter()
                    .flat_map(|(_, depth)| depth.unwrap_or(NO_DEPTH).to_be_bytes());
                let command = Command::script(&FINISHED, self.tag(*partition)?);
                commands.push(command.arg(packed(&hashes)).arg(depths.collect::<Vec<u8>>()));
            }
        }
        self.inner.servers.all(&commands, Safety::Replicated).await.map(drop)
    }

    /// Sends rows by a script that may queue them.
    async fn queue_rows(
        &self,
        urls: &[(Partition, Vec<WaitingUrl>)],
        script: impl Fn(&Tag) -> Command,
    ) -> Result<u64, FleetError> {
        let mut commands = Vec::new();
        let mut whose = Vec::new();
        for (partition, urls) in urls {
            for some in urls.chunks(URLS_A_CALL) {
                whose.push(*partition);
                commands.push(script(self.tag(*partition)?).args(some.iter().map(WaitingUrl::row)));
            }
        }
        if commands.is_empty() {
            return Ok(0);
        }
        self.moves();
        let answers = self.inner.servers.all(&commands, Safety::Replicated).await?;
        let mut unread: HashMap<u64, Vec<Partition>> = HashMap::new();
        let mut new = 0;
        for (partition, answer) in whose.into_iter().zip(answers) {
            let answer = list(answer)?;
            let [owner, queued] = answer.as_slice() else {
                return Err(FleetError::Damaged("an answer about queued URLs".to_owned()));
            };
            new += integer(queued)?;
            let owner = integer(owner)?;
            if owner > 0 {
                unread.entry(owner).or_default().push(partition);
            }
        }
        self.tell_news(&unread).await?;
        Ok(new)
    }

    /// The URLs of a partition's queue from a position on that are not finished, or whose depths have sunk; looks at up to `at_most` rows. What it returns is on
    /// a replica, so the position stays right when a server takes over. The owner names the `epoch` of the lease under which it has read so far:
    /// the end of the crawl rests on what it has read.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn read_queue(
        &self,
        partition: Partition,
        epoch: Option<Epoch>,
        from: u64,
        at_most: usize,
    ) -> Result<QueueSlice, FleetError> {
        let command = Command::script(&READ, self.tag(partition)?)
            .number(u64::from(self.worker().0))
            .number(from)
            .number(at_most.clamp(1, URLS_A_CALL) as u64)
            .number(epoch.map_or(0, |epoch| epoch.0));
        let answer = list(self.inner.servers.one(command, Safety::Replicated).await?)?;
        let mut values = answer.into_iter();
        let next = integer(&values.next().unwrap_or_default())?;
        let end = integer(&values.next().unwrap_or_default())?;
        let (mut urls, mut lowered) = (Vec::new(), Vec::new());
        for row in values {
            let row = bytes(row)?;
            let of_kind = if WaitingUrl::is_finished(&row) {
                &mut lowered
            } else {
                &mut urls
            };
            of_kind.push(WaitingUrl::of_row(&row)?);
        }
        Ok(QueueSlice {
            urls,
            lowered,
            next,
            end,
        })
    }

    /// [`Fleet::commit_all`] of one partition.
    ///
    /// # Errors
    /// As there.
    pub async fn commit(
        &self,
        partition: Partition,
        epoch: Epoch,
        changes: &PartitionChanges,
    ) -> Result<Committed, FleetError> {
        let answers = self.commit_changes(&[(partition, epoch, changes)]).await?;
        answers
            .first()
            .copied()
            .ok_or_else(|| FleetError::Damaged("no answer to a commit".to_owned()))
    }

    /// Writes what the owner of partitions has done: URLs that are finished, URLs that were found, states of hosts. Those of one
    /// partition are written together or not at all, except that more than some hundred URLs are written in several steps. When it
    /// returns, a replica has them.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. Some of the changes may be written then; the call can be repeated.
    pub async fn commit_all(&self, commits: &[Commit]) -> Result<Vec<Committed>, FleetError> {
        let commits: Vec<_> = commits
            .iter()
            .map(|commit| (commit.partition, commit.epoch, &commit.changes))
            .collect();
        self.commit_changes(&commits).await
    }

    async fn commit_changes(
        &self,
        commits: &[(Partition, Epoch, &PartitionChanges)],
    ) -> Result<Vec<Committed>, FleetError> {
        let mut commands = Vec::with_capacity(commits.len());
        let mut whose = Vec::with_capacity(commits.len());
        for (index, (partition, epoch, changes)) in commits.iter().enumerate() {
            // New URLs before the finished one that named them, should the call be cut into several.
            let mut new = changes.new.chunks(URLS_A_CALL).peekable();
            let mut done = changes.done.chunks(URLS_A_CALL).peekable();
            let mut hosts = changes.hosts.chunks(URLS_A_CALL / 2).peekable();
            // Of a commit without changes, only the answer counts.
            loop {
                let rows = new.next().unwrap_or_default();
                let is_last = new.peek().is_none();
                let finished = done.next_if(|_| is_last).unwrap_or_default();
                let treated = hosts.next_if(|_| is_last).unwrap_or_default();
                let states = treated
                    .iter()
                    .flat_map(|(host, state)| [host.clone().into_bytes(), state.clone()]);
                commands.push(
                    self.under_epoch(&COMMIT, *partition, *epoch)?
                        .arg(packed(finished))
                        .number(u64::from(changes.are_stored))
                        .number(treated.len() as u64)
                        .args(states)
                        .args(rows.iter().map(WaitingUrl::row)),
                );
                whose.push(index);
                if is_last && done.peek().is_none() && hosts.peek().is_none() {
                    break;
                }
            }
        }
        if commits.iter().any(|(_, _, changes)| !changes.is_empty()) {
            self.moves();
        }
        let answers = self.inner.servers.all(&commands, Safety::Replicated).await?;
        let mut committed: Vec<Option<Committed>> = vec![None; commits.len()];
        for (index, answer) in whose.into_iter().zip(answers) {
            let answer = list(answer)?;
            let [is_owner, queue_end, is_read] = answer.as_slice() else {
                return Err(FleetError::Damaged("an answer to a commit".to_owned()));
            };
            if integer(is_owner)? == 0 {
                committed[index] = Some(Committed::Stale);
            } else if committed[index] != Some(Committed::Stale) {
                committed[index] = Some(Committed::Done {
                    queue_end: integer(queue_end)?,
                    is_read: integer(is_read)? == 1,
                });
            }
        }
        // Each commit has had at least one command.
        Ok(committed.into_iter().flatten().collect())
    }

    /// Whether each URL of a partition is finished.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn done(&self, partition: Partition, urls: &[UrlHash]) -> Result<Vec<bool>, FleetError> {
        let tag = self.tag(partition)?;
        let commands: Vec<Command> = urls
            .chunks(URLS_A_CALL)
            .map(|some| Command::script(&DONE, tag).arg(packed(some)))
            .collect();
        let mut done = Vec::with_capacity(urls.len());
        for answer in self.inner.servers.all(&commands, Safety::Primary).await? {
            done.extend(bytes(answer)?.into_iter().map(|digit| digit == b'1'));
        }
        if done.len() == urls.len() {
            Ok(done)
        } else {
            Err(FleetError::Damaged("an answer about finished URLs".to_owned()))
        }
    }

    /// The hosts of a partition with the states that its owners have committed.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn host_states(&self, partition: Partition) -> Result<Vec<(String, Vec<u8>)>, FleetError> {
        let tag = self.tag(partition)?;
        let mut states = Vec::new();
        let mut cursor = "0".to_owned();
        // Not in one answer: a partition may have thousands of hosts.
        loop {
            let command = Command::plain("HSCAN", tag, "h").arg(cursor).arg("COUNT").number(500);
            let answer = list(self.inner.servers.one(command, Safety::Primary).await?)?;
            let mut answer = answer.into_iter();
            cursor = text(answer.next().unwrap_or_default())?;
            let mut pairs = list(answer.next().unwrap_or_default())?.into_iter();
            while let (Some(host), Some(state)) = (pairs.next(), pairs.next()) {
                states.push((text(host)?, bytes(state)?));
            }
            if cursor == "0" {
                break;
            }
        }
        states.sort();
        states.dedup_by(|later, earlier| later.0 == earlier.0);
        Ok(states)
    }

    fn moves(&self) {
        self.inner.moves.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
    }
}

fn packed(hashes: &[UrlHash]) -> Vec<u8> {
    hashes.iter().flat_map(|hash| hash.packed()).collect()
}
