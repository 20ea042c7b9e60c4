//! The workers of a crawl: who takes part, how each is doing, and when all is done.
//!
//! ```text
//! {name/fleet}m      identity of the crawl (id), terms, last number of a worker (last), drain
//! {name/fleet}f      data folder to worker number
//! {name/fleet}b      worker number to its last sign of life: ms|nonce of the process|idle|moves
//! {name/fleet}w      worker number to its last report
//! {name/fleet}o      two bytes a partition: who noted that it owns it. A hint for those who look for a free one
//! {name/fleet}e      how far the end of the crawl has been proved; see lua/beat.lua
//! ```

use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::Ordering;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::address::{Address, checked_name};
use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, Place, bytes, integer, list, registry_tag, text};
use crate::log::Position;
use crate::partition::{Epoch, Partition, WorkerNumber};
use crate::servers::{Manner, Safety, Servers};
use crate::terms::Terms;

static JOIN: Lua = script!("join.lua");
static BEAT: Lua = script!("beat.lua");
static COUNTED: Lua = script!("counted.lua");
static QUIET: Lua = script!("quiet.lua");
static LEAVE: Lua = script!("leave.lua");

/// The length of a lease, unless the options say otherwise.
const LEASE: Duration = Duration::from_secs(15);

/// How long a call tries, unless the options say otherwise.
const PATIENCE: Duration = Duration::from_secs(20);

/// The name of a crawl that has no other.
pub const DEFAULT_NAME: &str = "crawl";

/// How a worker joins.
#[derive(Debug, Clone)]
pub struct JoinOptions {
    /// `redis://[user:password@]host:port[,host:port…][?name=crawl]`; servers of a cluster need not all be named.
    pub address: String,
    /// The crawl, unless the address names it: several can use the same servers.
    pub name: String,
    /// Random identity of the data folder, kept there: it gets the same worker number whenever it joins.
    pub folder: u64,
    /// The crawl for which the folder has worked, from [`Fleet::crawl`]; `None` for a new folder.
    pub crawl: Option<u64>,
    /// Name of the machine, for the status.
    pub host: String,
    /// What all workers must agree on.
    pub terms: Terms,
    /// How long a partition stays with a worker that is silent.
    pub lease: Duration,
    /// Whether calls return only when a replica has what they wrote, if there are replicas.
    pub wait_for_replicas: bool,
    /// How long a call tries before it fails.
    pub patience: Duration,
}

impl JoinOptions {
    /// Defaults for everything but the address: folder, host and terms have to be set.
    #[must_use]
    pub fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            name: DEFAULT_NAME.to_owned(),
            folder: 0,
            crawl: None,
            host: String::new(),
            terms: Terms {
                scheme: String::new(),
                rule: String::new(),
                partitions: crate::partition::DEFAULT_PARTITIONS,
            },
            lease: LEASE,
            wait_for_replicas: true,
            patience: PATIENCE,
        }
    }
}

/// What a worker says of itself with each heartbeat.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct WorkerReport {
    /// Name of the machine; [`Fleet::heartbeat`] fills it in.
    pub host: String,
    /// Nothing is queued, in process or unsent here, and the log is applied to its end. The end of the crawl rests on this.
    pub idle: bool,
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
}

/// How the fleet is doing, as a heartbeat's answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Pulse {
    /// Workers that live.
    pub live: u16,
    /// How many partitions this worker should hold, so that all of them have an owner and none has many more than another.
    pub share: usize,
    /// The user wants the fleet to finish what is under way and stop.
    pub drain: bool,
    /// No worker has anything to do. URLs that the workers hold back may still wait.
    pub finished: bool,
    /// Writes are on one server only: the replicas of a primary are gone.
    pub unprotected: bool,
}

impl Fleet {
    /// Joins the crawl, or begins it.
    ///
    /// # Errors
    /// [`FleetError::Address`], [`FleetError::Terms`], [`FleetError::OtherCrawl`] and [`FleetError::Forgotten`] for a worker that does
    /// not fit; else no server answers within the bound, or one refuses.
    pub async fn join(options: JoinOptions) -> Result<Self, FleetError> {
        let (servers, name) = connected(&options)?;
        let (nonce, new_id) = (random(), random());
        let tag = registry_tag(&name);
        let command = Command::script(&JOIN, &tag)
            .arg(format!("{:016x}", options.folder))
            .arg(options.terms.stored())
            .arg(options.crawl.map_or("-".to_owned(), |crawl| format!("{crawl:016x}")))
            .arg(format!("{new_id:016x}"))
            .arg(format!("{nonce:016x}"));
        let answer = list(servers.one(command, Safety::Replicated).await?)?;
        let [number, id, terms] = <[_; 3]>::try_from(answer)
            .map_err(|_| FleetError::Damaged("the answer to a worker that joins".to_owned()))?;
        let (number, id, terms) = (integer(&number)?, text(id)?, text(terms)?);
        if id.is_empty() {
            return Err(FleetError::Forgotten { name });
        }
        let id = u64::from_str_radix(&id, 16).map_err(|_| FleetError::Damaged(format!("the id {id} of the crawl")))?;
        if let Some(ours) = options.crawl.filter(|ours| *ours != id) {
            return Err(FleetError::OtherCrawl { name, theirs: id, ours });
        }
        options.terms.agree(&Terms::read(&terms)?, &name)?;
        let number = u16::try_from(number)
            .ok()
            .filter(|number| *number > 0)
            .ok_or(FleetError::NoNumber)?;
        let place = Place {
            worker: WorkerNumber(number),
            host: options.host,
            crawl: id,
            nonce,
            lease: options.lease,
        };
        Ok(Self::new(servers, &name, place, options.terms.partitions))
    }

    /// Says that this worker lives, and what it does. Call it every third of the lease, whatever else happens.
    ///
    /// # Errors
    /// [`FleetError::Forgotten`] and [`FleetError::Replaced`] end the run. Else no server answers within the bound, or one refuses.
    pub async fn heartbeat(&self, report: &WorkerReport) -> Result<Pulse, FleetError> {
        let moves = self.inner.moves.load(Ordering::Relaxed);
        let mut report = report.clone();
        report.host.clone_from(&self.inner.place.host);
        report.partitions = self.held().len() as u64;
        let packed = postcard::to_stdvec(&report).map_err(|error| FleetError::Damaged(error.to_string()))?;
        let command = Command::script(&BEAT, &self.inner.registry)
            .number(u64::from(self.worker().0))
            .arg(format!("{:016x}", self.inner.place.nonce))
            .number(self.silence().as_millis() as u64)
            .number(u64::from(report.idle))
            .number(moves)
            .arg(packed);
        let answer = list(self.inner.servers.one(command, Safety::Primary).await?)?;
        match answer.first().map(integer).transpose()? {
            Some(0) => {
                return Err(FleetError::Forgotten {
                    name: self.inner.name.clone(),
                });
            }
            Some(1) => {
                return Err(FleetError::Replaced {
                    worker: self.worker().0,
                });
            }
            _ => {}
        }
        let [_, live, rank, drain, finished, picture, numbers] =
            <[_; 7]>::try_from(answer).map_err(|_| FleetError::Damaged("the answer to a heartbeat".to_owned()))?;
        let picture = text(picture)?;
        if !picture.is_empty() && self.is_quiet(&bytes(numbers)?).await? {
            let command = Command::script(&COUNTED, &self.inner.registry).arg(picture);
            self.inner.servers.one(command, Safety::Primary).await?;
        }
        let live = integer(&live)?.max(1);
        let partitions = self.inner.tags.len() as u64;
        // The shares of all workers add up to the number of partitions.
        let share = partitions / live + u64::from(integer(&rank)? < partitions % live);
        Ok(Pulse {
            live: u16::try_from(live).unwrap_or(u16::MAX),
            share: share as usize,
            drain: integer(&drain)? == 1,
            finished: integer(&finished)? == 1,
            unprotected: self.inner.servers.unprotected(),
        })
    }

    /// Releases everything that this process holds, and leaves. The data folder can join again.
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses. The leases run out then.
    pub async fn leave(&self) -> Result<(), FleetError> {
        let held: Vec<(Partition, Epoch)> = self
            .held()
            .iter()
            .map(|(partition, epoch)| (*partition, *epoch))
            .collect();
        self.release(&held).await?;
        let command = Command::script(&LEAVE, &self.inner.registry)
            .number(u64::from(self.worker().0))
            .arg(format!("{:016x}", self.inner.place.nonce));
        self.inner.servers.one(command, Safety::Primary).await.map(drop)
    }

    /// Whether every partition has one of the live workers (two bytes each) as its owner, which has read the queue to its end.
    async fn is_quiet(&self, live: &[u8]) -> Result<bool, FleetError> {
        let live: HashSet<u64> = live
            .chunks_exact(2)
            .map(|pair| u64::from(u16::from_be_bytes([pair[0], pair[1]])))
            .collect();
        let owners = self.owners().await?;
        Ok(owners.iter().all(|(owner, is_read)| *is_read && live.contains(owner)))
    }

    /// For each partition its owner, 0 without one, and whether that has read the queue to its end.
    pub(crate) async fn owners(&self) -> Result<Vec<(u64, bool)>, FleetError> {
        let commands: Vec<Command> = self.inner.tags.iter().map(|tag| Command::script(&QUIET, tag)).collect();
        let answers = self.inner.servers.all(&commands, Safety::Primary).await?;
        let owners = answers.into_iter().map(|answer| {
            let answer = list(answer)?;
            let [owner, is_read] = answer.as_slice() else {
                return Err(FleetError::Damaged("an answer about a partition".to_owned()));
            };
            Ok((integer(owner)?, integer(is_read)? == 1))
        });
        owners.collect()
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

/// The servers of the options, not yet asked anything, and the name of the crawl.
pub(crate) fn connected(options: &JoinOptions) -> Result<(Servers, String), FleetError> {
    let address: Address = options.address.parse()?;
    let name = match &address.name {
        Some(name) => name.clone(),
        None => checked_name(&options.name)?,
    };
    let manner = Manner {
        patience: options.patience,
        lonely: options.lease,
        wait: options.wait_for_replicas,
    };
    Ok((Servers::new(address, manner), name))
}

/// Says to all workers of a crawl that they shall finish what is under way and stop, or that they shall go on.
///
/// # Errors
/// [`FleetError::Forgotten`], if there is no such crawl; else no server answers within the bound, or one refuses.
pub async fn drain(address: &str, name: &str, on: bool) -> Result<(), FleetError> {
    let (servers, name) = connected(&JoinOptions {
        name: name.to_owned(),
        ..JoinOptions::new(address)
    })?;
    let tag = registry_tag(&name);
    let id = servers
        .one(Command::plain("HGET", &tag, "m").arg("id"), Safety::Primary)
        .await?;
    if text(id)?.is_empty() {
        return Err(FleetError::Forgotten { name });
    }
    let command = Command::plain("HSET", &tag, "m").arg("drain").number(u64::from(on));
    servers.one(command, Safety::Replicated).await.map(std::mem::drop)
}

/// A random number: the keys of the standard library's hasher come from the system.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
