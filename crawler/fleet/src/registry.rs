//! The workers of a crawl: who takes part, how each is doing, and when all is done.
//!
//! ```text
//! {name/fleet}m      identity of the crawl (id), terms, rules of the live workers (rules), those of them that the user has changed
//!                since (changed: they hold instead, see orders.rs), last number of a worker (last), orders of the
//!                user (drain, pause), workers that were forgotten (forgotten); of a crawl that the servers had lost, its life, and the
//!                workers that have brought back their folders (back), until all have
//! {name/fleet}f      data folder to worker number
//! {name/fleet}l      incarnation to its lease: end in ms|since when it was renewed in time|worker number; see lease.rs
//! {name/fleet}b      worker number to its last sign of life: ms|incarnation|idle|moves
//! {name/fleet}w      worker number to its last report
//! {name/fleet}o      two bytes a partition: who noted that it owns it. A hint for those who look for a free one
//! {name/fleet}n1 …   queues with rows that worker 1 has not been told of: partition to number of the news
//! {name/fleet}e      how far the end of the crawl has been proved; see lua/beat.lua
//! ```
//!
//! A worker does not look at all its queues for what others have put there. Who puts a URL into a queue learns from its row whether the
//! owner has something to read, and leaves word for it here; the owner gets that with its next heartbeat.

use std::collections::{HashMap, HashSet};
use std::sync::atomic::Ordering;
use std::time::Duration;

use redis::Value;
use serde::{Deserialize, Serialize};

use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, integer, list, text};
use crate::joining::numbers;
use crate::lease::packed;
use crate::log::Position;
use crate::partition::Partition;
use crate::rules;
use crate::servers::Safety;

static BEAT: Lua = script!("beat.lua");
static COUNTED: Lua = script!("counted.lua");
static NEWS: Lua = script!("news.lua");
static LEAVE: Lua = script!("leave.lua");

/// The least time that a heartbeat tries, however short the lease is.
const SHORTEST_BEAT: Duration = Duration::from_secs(1);

/// What a worker says of itself with each heartbeat. Fields are only ever added, at the end: see [`WorkerReport::read`].
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Name of the machine; [`Fleet::heartbeat`] fills it in.
    pub host: String,
    /// Nothing is queued, in process or unsent here, and the log is applied to its end. The end of the crawl rests on this.
    pub idle: bool,
    /// It reads the log for the first time since it joined, and takes no partitions yet.
    pub catches_up: bool,
    /// URLs in the queue of this worker.
    pub queued: u64,
    /// Pages kept.
    pub kept: u64,
    /// Pages that were duplicates.
    pub duplicates: u64,
    /// Hosts whose URLs are in its queue.
    pub hosts: u64,
    /// Rows of the outbox.
    pub outbox: u64,
    /// Partitions held.
    pub partitions: u64,
    /// Requests of the last seconds.
    pub requests_per_second: f32,
    /// How far it has applied the log.
    pub applied: Position,
    /// One line for the reader of the status.
    pub note: String,
    /// URLs that finally failed.
    pub failed: u64,
    /// Pages decided per second, in the last seconds.
    pub pages_per_second: f32,
    /// The changes of rules that this worker has taken over: see [`Pulse::changes`].
    pub changes: u64,
}

/// The fields that were added to a report, all zero, as postcard writes them: `failed` (a varint of one byte), `pages_per_second`, and `changes` (a
/// varint of one byte).
const ADDED: [u8; 6] = [0; 6];

impl WorkerReport {
    /// A stored report. One of a version without the last fields has zeros for them.
    ///
    /// # Errors
    /// It is no report.
    pub(crate) fn read(stored: &[u8]) -> Result<Self, postcard::Error> {
        match postcard::from_bytes(stored) {
            Err(postcard::Error::DeserializeUnexpectedEnd) => postcard::from_bytes(&[stored, &ADDED].concat()),
            read => read,
        }
    }
}

/// How the fleet is doing, as a heartbeat's answer.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Pulse {
    /// Workers that live.
    pub live: u16,
    /// How many partitions this worker should hold, so that all of them have an owner and none has many more than another.
    pub share: usize,
    /// The user wants the fleet to finish what is under way and stop.
    pub drain: bool,
    /// The user wants the fleet to make no requests until further notice.
    pub pause: bool,
    /// No worker has anything to do. URLs that the workers hold back may still wait.
    pub finished: bool,
    /// Writes are on one server only: the replicas of a primary are gone.
    pub unprotected: bool,
    /// Queues of this worker that it has not read to the end, as far as that is news.
    pub news: Vec<Partition>,
    /// The servers had lost the crawl, and these workers have not brought back their data folders. Until they have, nobody takes a partition.
    pub awaited: Vec<u16>,
    /// The workers that were forgotten.
    pub forgotten: Vec<u16>,
    /// The highest number of a worker.
    pub last: u16,
    /// The rules that the user has changed for all workers, with their values.
    pub changed: Vec<(String, String)>,
    /// Which changes these are: a number that no others have; 0 for none.
    pub changes: u64,
    /// The lease had run out, and another worker has ended it: every partition of this worker is lost. It has joined again.
    pub lapsed: bool,
}

impl Fleet {
    /// Says that this worker lives, and what it does, and renews its lease: for [`Fleet::lease`] from the time before this call. Call it
    /// every third of the lease, whatever else happens. It tries for no longer than that.
    ///
    /// # Errors
    /// [`FleetError::Forgotten`], [`FleetError::Dismissed`] and [`FleetError::Replaced`] end the run. Else no server answers within the bound, or one refuses.
    pub async fn heartbeat(&self, report: &WorkerReport) -> Result<Pulse, FleetError> {
        let mut pulse = match self.beat(report).await? {
            Some(pulse) => pulse,
            None => {
                self.rejoin().await?;
                Pulse {
                    lapsed: true,
                    ..self.beat(report).await?.unwrap_or_default()
                }
            }
        };
        match self.take_back().await {
            Err(error) if error.is_transient() => tracing::debug!(%error, "claims without an answer wait"),
            ended => ended?,
        }
        pulse.unprotected = self.inner.servers.unprotected();
        Ok(pulse)
    }

    /// A heartbeat; `None` if the incarnation has ended.
    async fn beat(&self, report: &WorkerReport) -> Result<Option<Pulse>, FleetError> {
        let moves = self.inner.moves.load(Ordering::Relaxed);
        let mut report = report.clone();
        report.host.clone_from(&self.inner.place.host);
        report.partitions = self.held().len() as u64;
        let packed = postcard::to_stdvec(&report).map_err(|error| FleetError::Damaged(error.to_string()))?;
        let command = Command::script(&BEAT, &self.inner.registry)
            .number(u64::from(self.worker().0))
            .arg(self.incarnation())
            .number(self.lease().as_millis() as u64)
            .number(if report.catches_up { 2 } else { u64::from(report.idle) })
            .number(moves)
            .arg(packed)
            .number(self.inner.news.load(Ordering::Relaxed));
        let within = (self.lease() / 3).max(SHORTEST_BEAT);
        let answer = self
            .inner
            .servers
            .one_within(command, Safety::Replicated, within)
            .await?;
        let answer = list(answer)?;
        match answer.first().map(integer).transpose()? {
            Some(0) => {
                return Err(FleetError::Forgotten {
                    name: self.inner.name.clone(),
                });
            }
            // The worker has replaced itself: the answer to its last try to join was lost.
            Some(1) if self.inner.place.next_incarnation.load(Ordering::Acquire) != 0 => return Ok(None),
            Some(1) => {
                return Err(FleetError::Replaced {
                    worker: self.worker().0,
                });
            }
            Some(3) => return Ok(None),
            Some(4) => {
                return Err(FleetError::Dismissed {
                    name: self.inner.name.clone(),
                    worker: self.worker().0,
                });
            }
            _ => {}
        }
        let [
            _,
            live,
            sharing,
            rank,
            orders,
            finished,
            picture,
            incarnations,
            news,
            awaited,
            forgotten,
            last,
            changed,
        ] = <[_; 13]>::try_from(answer).map_err(|_| FleetError::Damaged("the answer to a heartbeat".to_owned()))?;
        let picture = text(picture)?;
        if !picture.is_empty() && self.is_quiet(&text(incarnations)?).await? {
            let command = Command::script(&COUNTED, &self.inner.registry).arg(picture);
            self.inner.servers.one(command, Safety::Primary).await?;
        }
        let changed = text(changed)?;
        let sharing = integer(&sharing)?.max(1);
        let orders = integer(&orders)?;
        let partitions = self.inner.tags.len() as u64;
        // The shares of all workers add up to the number of partitions.
        let share = partitions / sharing + u64::from(integer(&rank)? < partitions % sharing);
        Ok(Some(Pulse {
            live: u16::try_from(integer(&live)?).unwrap_or(u16::MAX),
            share: share as usize,
            drain: orders & 1 != 0,
            pause: orders & 2 != 0,
            finished: integer(&finished)? == 1,
            news: self.take_news(news)?,
            awaited: numbers(&text(awaited)?),
            forgotten: numbers(&text(forgotten)?),
            last: u16::try_from(integer(&last)?).unwrap_or(u16::MAX),
            changes: rules::number_of(&changed),
            changed: rules::read(&changed),
            ..Pulse::default()
        }))
    }

    /// The partitions of the news. The next heartbeat says that they have come.
    fn take_news(&self, news: Value) -> Result<Vec<Partition>, FleetError> {
        let mut values = list(news)?.into_iter();
        let mut partitions = Vec::new();
        while let (Some(partition), Some(number)) = (values.next(), values.next()) {
            let partition =
                u16::try_from(integer(&partition)?).map_err(|_| FleetError::Damaged("news of a queue".to_owned()))?;
            partitions.push(Partition(partition));
            self.inner.news.fetch_max(integer(&number)?, Ordering::Relaxed);
        }
        Ok(partitions)
    }

    /// Leaves word for workers that their queues have rows which they have not read.
    pub(crate) async fn tell_news(&self, unread: &HashMap<u64, Vec<Partition>>) -> Result<(), FleetError> {
        if unread.is_empty() {
            return Ok(());
        }
        let mut command = Command::script(&NEWS, &self.inner.registry);
        for (worker, partitions) in unread {
            command = command.number(*worker).arg(packed(partitions));
        }
        self.inner.servers.one(command, Safety::Replicated).await.map(drop)
    }

    /// Leaves: everyone can have the partitions of this process at once. The data folder can join again.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. The lease runs out then.
    pub async fn leave(&self) -> Result<(), FleetError> {
        let command = Command::script(&LEAVE, &self.inner.registry)
            .number(u64::from(self.worker().0))
            .arg(self.incarnation());
        self.inner.servers.one(command, Safety::Replicated).await?;
        self.held().clear();
        Ok(())
    }

    /// Whether every partition has one of the live incarnations as its owner, which has read the queue to its end.
    async fn is_quiet(&self, live: &str) -> Result<bool, FleetError> {
        let live: HashSet<&str> = live.split(',').collect();
        let owners = self.owners().await?;
        // Their owners may not know, if a server has lost the word that was left for them.
        let mut unread: HashMap<u64, Vec<Partition>> = HashMap::new();
        for (partition, owner) in (0..).map(Partition).zip(&owners) {
            if !owner.is_read && live.contains(owner.incarnation.as_str()) {
                unread.entry(owner.worker).or_default().push(partition);
            }
        }
        self.tell_news(&unread).await?;
        Ok(owners
            .iter()
            .all(|owner| owner.is_read && live.contains(owner.incarnation.as_str())))
    }

    /// How many URLs wait in all partitions.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn waiting(&self) -> Result<u64, FleetError> {
        let commands: Vec<Command> = self
            .inner
            .tags
            .iter()
            .map(|tag| Command::plain("HGET", tag, "m").arg("a"))
            .collect();
        let mut waiting = 0;
        for answer in self.inner.servers.all(&commands, Safety::Primary).await? {
            waiting += integer(&answer)?;
        }
        Ok(waiting)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_without_the_fields_that_were_added_is_read_and_half_of_one_is_not() {
        let report = WorkerReport {
            host: "machine".to_owned(),
            kept: 300,
            note: "paused".to_owned(),
            ..WorkerReport::default()
        };
        let stored = postcard::to_stdvec(&report).unwrap();
        let before = stored.strip_suffix(&ADDED).unwrap();
        assert_eq!(WorkerReport::read(before), Ok(report.clone()));
        // One that lacks the last field only.
        assert_eq!(WorkerReport::read(&stored[..stored.len() - 1]), Ok(report.clone()));
        assert_eq!(WorkerReport::read(&stored), Ok(report));
        assert!(WorkerReport::read(&before[..6]).is_err());
    }
}
