//! The workers of a crawl: who takes part, how each is doing, and when all is done.
//!
//! ```text
//! {name/fleet}m      identity of the crawl (id), terms, rules of the live workers (rules), last number of a worker (last), orders of the
//!                user (drain, pause)
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
use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::Value;
use serde::{Deserialize, Serialize};

use crate::address::{Address, checked_name};
use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, Place, incarnation_text, integer, list, registry_tag, text};
use crate::lease::packed;
use crate::log::Position;
use crate::partition::{Partition, WorkerNumber};
use crate::rules;
use crate::servers::{Manner, Safety, Servers};
use crate::terms::Terms;

static JOIN: Lua = script!("join.lua");
static BEAT: Lua = script!("beat.lua");
static COUNTED: Lua = script!("counted.lua");
static NEWS: Lua = script!("news.lua");
static LEAVE: Lua = script!("leave.lua");

/// The length of a lease, unless the options say otherwise.
const LEASE: Duration = Duration::from_secs(15);

/// How long a call tries, unless the options say otherwise.
const PATIENCE: Duration = Duration::from_secs(20);

/// The least time that a heartbeat tries, however short the lease is.
const SHORTEST_BEAT: Duration = Duration::from_secs(1);

/// The name of a crawl that has no other.
pub const DEFAULT_NAME: &str = "crawl";

/// How a worker joins.
#[derive(Debug, Clone)]
pub struct JoinOptions {
    /// `redis://[user:password@]host:port[,host:port…][?name=crawl]`, or `rediss://…` for TLS, see [`crate::address::Address`]; servers of
    /// a cluster need not all be named.
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
    /// How the workers fetch: keys of the configuration and their values, which all live workers must share. Another run can change them.
    pub rules: Vec<(String, String)>,
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
            rules: Vec::new(),
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
    /// The lease had run out, and another worker has ended it: every partition of this worker is lost. It has joined again.
    pub lapsed: bool,
}

impl Fleet {
    /// Joins the crawl, or begins it.
    ///
    /// # Errors
    /// [`FleetError::Address`], [`FleetError::Terms`], [`FleetError::OtherCrawl`] and [`FleetError::Forgotten`] for a worker that does
    /// not fit; else no server answers within the bound, or one refuses.
    pub async fn join(options: JoinOptions) -> Result<Self, FleetError> {
        let (servers, name) = connected(&options)?;
        let (incarnation, terms) = (random(), options.terms.stored());
        let rules = rules::stored(&options.rules);
        let call = joining(
            &name,
            options.folder,
            (&terms, &rules),
            options.crawl,
            incarnation,
            options.lease,
        );
        let answer = list(servers.one(call, Safety::Replicated).await?)?;
        let [number, id, theirs, their_rules] = <[_; 4]>::try_from(answer)
            .map_err(|_| FleetError::Damaged("the answer to a worker that joins".to_owned()))?;
        let (number, id, theirs) = (integer(&number)?, text(id)?, text(theirs)?);
        if id.is_empty() {
            return Err(FleetError::Forgotten { name });
        }
        let id = u64::from_str_radix(&id, 16).map_err(|_| FleetError::Damaged(format!("the id {id} of the crawl")))?;
        if let Some(ours) = options.crawl.filter(|ours| *ours != id) {
            return Err(FleetError::OtherCrawl { name, theirs: id, ours });
        }
        options.terms.agree(&Terms::read(&theirs)?, &name)?;
        rules::agree(&rules, &text(their_rules)?, &name)?;
        let number = u16::try_from(number)
            .ok()
            .filter(|number| *number > 0)
            .ok_or(FleetError::NoNumber)?;
        let place = Place {
            worker: WorkerNumber(number),
            host: options.host,
            crawl: id,
            folder: options.folder,
            terms,
            rules,
            incarnation: AtomicU64::new(incarnation),
            next_incarnation: AtomicU64::new(0),
            salt: incarnation,
            lease: options.lease,
        };
        Ok(Self::new(servers, &name, place, options.terms.partitions))
    }

    /// Joins as a new incarnation, which owns nothing. If the answer is lost, the next call joins as the same one: the servers may know it.
    async fn rejoin(&self) -> Result<(), FleetError> {
        let place = &self.inner.place;
        let incarnation = match place.next_incarnation.load(Ordering::Acquire) {
            0 => random(),
            tried => tried,
        };
        place.next_incarnation.store(incarnation, Ordering::Release);
        let crawl = Some(place.crawl);
        let call = joining(
            &self.inner.name,
            place.folder,
            (&place.terms, &place.rules),
            crawl,
            incarnation,
            place.lease,
        );
        let answer = list(self.inner.servers.one(call, Safety::Replicated).await?)?;
        if let [_, id, _, theirs] = answer.as_slice()
            && !text(id.clone())?.is_empty()
        {
            rules::agree(&place.rules, &text(theirs.clone())?, &self.inner.name)?;
        }
        if answer.first().map(integer).transpose()? != Some(u64::from(place.worker.0)) {
            return Err(FleetError::Forgotten {
                name: self.inner.name.clone(),
            });
        }
        self.held().clear();
        self.unanswered().clear();
        place.incarnation.store(incarnation, Ordering::Release);
        place.next_incarnation.store(0, Ordering::Release);
        Ok(())
    }

    /// Says that this worker lives, and what it does, and renews its lease: for [`Fleet::lease`] from the time before this call. Call it
    /// every third of the lease, whatever else happens. It tries for no longer than that.
    ///
    /// # Errors
    /// [`FleetError::Forgotten`] and [`FleetError::Replaced`] end the run. Else no server answers within the bound, or one refuses.
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
            _ => {}
        }
        let [_, live, sharing, rank, orders, finished, picture, incarnations, news] =
            <[_; 9]>::try_from(answer).map_err(|_| FleetError::Damaged("the answer to a heartbeat".to_owned()))?;
        let picture = text(picture)?;
        if !picture.is_empty() && self.is_quiet(&text(incarnations)?).await? {
            let command = Command::script(&COUNTED, &self.inner.registry).arg(picture);
            self.inner.servers.one(command, Safety::Primary).await?;
        }
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

/// The call with which a data folder joins.
fn joining(
    name: &str,
    folder: u64,
    (terms, rules): (&str, &str),
    crawl: Option<u64>,
    incarnation: u64,
    lease: Duration,
) -> Command {
    Command::script(&JOIN, &registry_tag(name))
        .arg(format!("{folder:016x}"))
        .arg(terms)
        .arg(crawl.map_or("-".to_owned(), |crawl| format!("{crawl:016x}")))
        .arg(format!("{:016x}", random()))
        .arg(incarnation_text(incarnation))
        .number(lease.as_millis() as u64)
        .arg(rules)
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
        tls: address.certificates()?,
    };
    Ok((Servers::new(address, manner), name))
}

/// What the user wants of all workers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// They finish what is under way, and stop.
    Drain,
    /// They make no requests.
    Pause,
}

/// Gives all workers of a crawl an order, or takes it back.
///
/// # Errors
/// [`FleetError::Forgotten`], if there is no such crawl; else no server answers within the bound, or one refuses.
pub async fn order(address: &str, name: &str, order: Order, on: bool) -> Result<(), FleetError> {
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
    let field = match order {
        Order::Drain => "drain",
        Order::Pause => "pause",
    };
    let command = Command::plain("HSET", &tag, "m").arg(field).number(u64::from(on));
    servers.one(command, Safety::Replicated).await.map(std::mem::drop)
}

/// A random number: the keys of the standard library's hasher come from the system.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
