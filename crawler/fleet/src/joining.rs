//! How a worker joins a crawl, and what its data folder remembers of it.
//!
//! # A crawl that the servers have lost
//! A data folder remembers the crawl and the number of its worker. If the servers do not know the crawl, the first such folder that joins brings
//! it back: the crawl keeps its identity and gets another *life*. Each worker that joins and has worked in an earlier life brings back what its
//! folder knows. The rule is that no worker takes a partition before all of them have: what waits in one folder may be finished in another. The
//! workers have the numbers from 1 to the highest one that any of these folders knows, without those that were forgotten.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use redis::Value;

use crate::address::{Address, checked_name};
use crate::command::{Command, Lua, script};
use crate::error::FleetError;
use crate::fleet::{Fleet, Place, incarnation_text, integer, list, registry_tag, text};
use crate::partition::WorkerNumber;
use crate::rules::{self, ValidChanges};
use crate::segment_store::SegmentStore;
use crate::servers::{Manner, Safety, Servers};
use crate::terms::Terms;

static JOIN: Lua = script!("join.lua");
static BACK: Lua = script!("back.lua");

/// The length of a lease, unless the options say otherwise.
const LEASE: Duration = Duration::from_secs(15);

/// How long a call tries, unless the options say otherwise.
const PATIENCE: Duration = Duration::from_secs(20);

/// The name of a crawl that has no other.
pub const DEFAULT_NAME: &str = "crawl";

/// How often a worker asks to join while the changes on the servers change.
const ATTEMPTS: u32 = 3;

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
    /// What the folder remembers beside that.
    pub remembered: Remembered,
    /// Name of the machine, for the status.
    pub host: String,
    /// What all workers must agree on.
    pub terms: Terms,
    /// How the workers fetch: keys of the configuration and their values, which all live workers must share. Another run can change them.
    pub rules: Vec<(String, String)>,
    /// Which of the rules that the user has changed for all workers count. The servers may hold others, and no worker takes those over.
    pub valid_changes: ValidChanges,
    /// How long a partition stays with a worker that is silent.
    pub lease: Duration,
    /// Whether calls return only when a replica has what they wrote, if there are replicas.
    pub wait_for_replicas: bool,
    /// How long a call tries before it fails.
    pub patience: Duration,
    /// Where segments of the log are that the servers do not hold; `None` for a worker that keeps all of them there, and reads no others.
    pub segments: Option<Arc<dyn SegmentStore>>,
}

impl JoinOptions {
    /// Defaults for everything but the address: folder, host and terms have to be set. No change of the rules counts.
    #[must_use]
    pub fn new(address: &str) -> Self {
        Self {
            address: address.to_owned(),
            name: DEFAULT_NAME.to_owned(),
            folder: 0,
            crawl: None,
            remembered: Remembered::default(),
            host: String::new(),
            terms: Terms {
                scheme: String::new(),
                rule: String::new(),
                partitions: crate::partition::DEFAULT_PARTITIONS,
            },
            rules: Vec::new(),
            valid_changes: |_| Vec::new(),
            lease: LEASE,
            wait_for_replicas: true,
            patience: PATIENCE,
            segments: None,
        }
    }
}

/// What a data folder remembers of the crawl for which it has worked, so that the workers can bring the crawl back if the servers lose it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Remembered {
    /// The number of its worker; `None` before the first join.
    pub worker: Option<WorkerNumber>,
    /// The life of the crawl that the servers have all of this folder of: see [`Fleet::life`].
    pub life: u64,
    /// The highest number of a worker.
    pub last: u16,
    /// The workers that were forgotten.
    pub forgotten: Vec<u16>,
}

impl Fleet {
    /// Joins the crawl, or begins it.
    ///
    /// # Errors
    /// [`FleetError::Address`], [`FleetError::Terms`], [`FleetError::OtherCrawl`], [`FleetError::Forgotten`], [`FleetError::Dismissed`] and
    /// [`FleetError::NumberTaken`] for a worker that does not fit; else no server answers within the bound, or one refuses.
    pub async fn join(options: JoinOptions) -> Result<Self, FleetError> {
        let (servers, name) = connected(&options)?;
        let (incarnation, terms) = (random(), options.terms.stored());
        let rules = rules::stored(&options.rules);
        let call = joining(
            &name,
            options.folder,
            (&terms, &rules),
            options.crawl,
            (incarnation, &options.remembered),
            options.lease,
        );
        let (answer, changed) = ask_to_join(&servers, &call, options.valid_changes).await?;
        let their_rules = rules_of(&answer)?.0;
        let mut answer = answer.into_iter();
        let mut next = || answer.next().unwrap_or_default();
        let [number, id, theirs, _rules, life, refusal] = std::array::from_fn(|_| next());
        let (number, id, theirs) = (integer(&number)?, text(id)?, text(theirs)?);
        if id.is_empty() {
            return Err(FleetError::Forgotten { name });
        }
        let id = u64::from_str_radix(&id, 16).map_err(|_| FleetError::Damaged(format!("the id {id} of the crawl")))?;
        if let Some(ours) = options.crawl.filter(|ours| *ours != id) {
            return Err(FleetError::OtherCrawl { name, theirs: id, ours });
        }
        options.terms.agree(&Terms::read(&theirs)?, &name)?;
        if let Some(worker) = options.remembered.worker.map(|worker| worker.0) {
            match text(refusal)?.as_str() {
                "forgotten" => return Err(FleetError::Dismissed { name, worker }),
                "taken" => return Err(FleetError::NumberTaken { name, worker }),
                _ => {}
            }
        }
        let unchanged = |rules: &str| rules::unchanged(rules, &changed);
        rules::agree(&unchanged(&rules), &unchanged(&their_rules), &name)?;
        let number = u16::try_from(number)
            .ok()
            .filter(|number| *number > 0)
            .ok_or(FleetError::NoNumber)?;
        let place = Place {
            worker: WorkerNumber(number),
            host: options.host,
            crawl: id,
            life: life_of(life)?,
            folder: options.folder,
            terms,
            // Those of the crawl: another value of a rule that was changed does not come back with this worker.
            rules: their_rules,
            valid_changes: options.valid_changes,
            incarnation: AtomicU64::new(incarnation),
            next_incarnation: AtomicU64::new(0),
            salt: incarnation,
            lease: options.lease,
        };
        Ok(Self::new(
            servers,
            &name,
            place,
            options.terms.partitions,
            options.segments,
        ))
    }

    /// Joins as a new incarnation, which owns nothing. If the answer is lost, the next call joins as the same one: the servers may know it.
    pub(crate) async fn rejoin(&self) -> Result<(), FleetError> {
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
            // It brings nothing back: a crawl that the servers have lost meanwhile ends the run.
            (incarnation, &Remembered::default()),
            place.lease,
        );
        let (answer, changed) = ask_to_join(&self.inner.servers, &call, place.valid_changes).await?;
        if let [_, id, ..] = answer.as_slice()
            && !text(id.clone())?.is_empty()
        {
            let theirs = rules_of(&answer)?.0;
            let unchanged = |rules: &str| rules::unchanged(rules, &changed);
            rules::agree(&unchanged(&place.rules), &unchanged(&theirs), &self.inner.name)?;
        }
        let life = answer.get(4).cloned().map(life_of).transpose()?;
        if answer.first().map(integer).transpose()? != Some(u64::from(place.worker.0)) || life != Some(place.life) {
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

    /// Says that this worker has brought back what its data folder knows: see [`crate::Pulse::awaited`].
    ///
    /// # Errors
    /// No server answers within the bound, or one refuses.
    pub async fn is_back(&self) -> Result<(), FleetError> {
        let command = Command::script(&BACK, &self.inner.registry).number(u64::from(self.worker().0));
        self.inner.servers.one(command, Safety::Replicated).await.map(drop)
    }
}

/// Asks to join. Returns the answer, and the changes that count. The servers leave these out when they compare rules. The first call names none: if it is
/// refused, its answer has all changes.
async fn ask_to_join(
    servers: &Servers,
    call: &Command,
    valid: ValidChanges,
) -> Result<(Vec<Value>, String), FleetError> {
    let mut counting = String::new();
    let mut attempts = 1;
    loop {
        let call = call.clone().arg(counting.as_str());
        let answer = list(servers.one(call, Safety::Replicated).await?)?;
        let changed = rules_of(&answer)?.1;
        let now = rules::stored(&valid(&rules::read(&changed)));
        let is_refused = answer.first().map(integer).transpose()? == Some(0);
        if !is_refused || now == counting || attempts == ATTEMPTS {
            return Ok((answer, counting));
        }
        counting = now;
        attempts += 1;
    }
}

/// The rules of the crawl in an answer to a worker that joins, and those that the user has changed.
fn rules_of(answer: &[Value]) -> Result<(String, String), FleetError> {
    let at = |index: usize| {
        answer
            .get(index)
            .cloned()
            .map(text)
            .transpose()
            .map(Option::unwrap_or_default)
    };
    Ok((at(3)?, at(6)?))
}

/// The call with which a data folder joins, but for the changes that count.
fn joining(
    name: &str,
    folder: u64,
    (terms, rules): (&str, &str),
    crawl: Option<u64>,
    (incarnation, remembered): (u64, &Remembered),
    lease: Duration,
) -> Command {
    let forgotten: String = remembered.forgotten.iter().map(|number| format!("{number},")).collect();
    Command::script(&JOIN, &registry_tag(name))
        .arg(format!("{folder:016x}"))
        .arg(terms)
        .arg(crawl.map_or("-".to_owned(), |crawl| format!("{crawl:016x}")))
        .arg(format!("{:016x}", random()))
        .arg(incarnation_text(incarnation))
        .number(lease.as_millis() as u64)
        .arg(rules)
        .number(remembered.worker.map_or(0, |worker| u64::from(worker.0)))
        .number(u64::from(remembered.last))
        .arg(format!(",{forgotten}"))
}

/// The life of a crawl in an answer.
fn life_of(life: Value) -> Result<u64, FleetError> {
    let life = text(life)?;
    if life.is_empty() {
        return Ok(0);
    }
    u64::from_str_radix(&life, 16).map_err(|_| FleetError::Damaged(format!("the life {life} of the crawl")))
}

/// The numbers of workers in an answer, with commas between them.
pub(crate) fn numbers(text: &str) -> Vec<u16> {
    text.split(',').filter_map(|number| number.parse().ok()).collect()
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

/// A random number: the keys of the standard library's hasher come from the system.
fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}
