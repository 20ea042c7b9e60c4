//! What the servers tell about a crawl: `crawler fleet status`, and the page of `crawler serve --fleet`.

mod text;

use std::collections::{HashMap, HashSet};
use std::time::Duration;

use redis::Value;
use serde::Serialize;

use crate::command::Command;
use crate::digests;
use crate::error::FleetError;
use crate::fleet::{bytes, integer, list, log_tag, partition_tag, registry_tag, text};
use crate::joining::{JoinOptions, connected, numbers};
use crate::log::Position;
use crate::registry::WorkerReport;
use crate::rules;
use crate::servers::{Safety, Servers};
use crate::terms::Terms;

/// A crawl, as its servers see it.
#[derive(Debug, Clone, Serialize)]
pub struct FleetStatus {
    /// Its name.
    pub name: String,
    /// Its identity.
    pub crawl: String,
    /// What all workers agree on.
    pub terms: Terms,
    /// Whether the user asked the workers to stop.
    pub drain: bool,
    /// The user wants the fleet to make no requests until further notice.
    pub pause: bool,
    /// The servers had lost the crawl, and these workers have not brought back their data folders.
    pub awaited: Vec<u16>,
    /// The workers that were forgotten.
    pub forgotten: Vec<u16>,
    /// The rules that the user has changed for all workers, with their values.
    pub changed: Vec<(String, String)>,
    /// The live workers that have not taken over these changes. A worker does so when it next renews its lease, and says so with the renewal after
    /// that.
    pub unchanged: Vec<u16>,
    /// The workers together.
    pub totals: TotalsStatus,
    /// The workers by number.
    pub workers: Vec<WorkerStatus>,
    /// The partitions.
    pub partitions: PartitionsStatus,
    /// The log of kept pages; empty if the workers do without.
    pub log: LogStatus,
    /// The table of digests; `None` if the workers decide by the log.
    pub digests: Option<DigestsStatus>,
    /// The primaries.
    pub servers: Vec<ServerStatus>,
}

/// A worker.
#[derive(Debug, Clone, Serialize)]
pub struct WorkerStatus {
    /// Its number.
    pub number: u16,
    /// `live`, `silent` (its lease has run out), `left`, or `forgotten`.
    pub state: &'static str,
    /// Seconds since its last sign of life.
    pub silent_seconds: Option<f64>,
    /// Partitions whose lease it has now.
    pub leases: u64,
    /// How far it is behind the log, in seconds between the entry it has applied and the last one; `None` before it has applied any.
    pub lag_seconds: Option<f64>,
    /// What it said last.
    pub report: WorkerReport,
}

/// All workers together, as they said last. The counts are those of all that have ever joined, and the rates and the lag of those that live.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct TotalsStatus {
    /// Pages decided per second.
    pub pages_per_second: f64,
    /// Requests ended per second.
    pub requests_per_second: f64,
    /// Pages kept.
    pub kept: u64,
    /// Pages that were duplicates.
    pub duplicates: u64,
    /// Duplicates in percent of the pages; 0 without a page.
    pub duplicate_percent: f64,
    /// URLs that finally failed.
    pub failed: u64,
    /// The largest lag of a worker; `None` if none has applied any entry of the log.
    pub lag_seconds: Option<f64>,
}

impl TotalsStatus {
    fn of(workers: &[WorkerStatus]) -> Self {
        let mut totals = Self::default();
        for worker in workers {
            let report = &worker.report;
            totals.kept = totals.kept.saturating_add(report.kept);
            totals.duplicates = totals.duplicates.saturating_add(report.duplicates);
            totals.failed = totals.failed.saturating_add(report.failed);
            if worker.state == LIVE {
                totals.pages_per_second += f64::from(report.pages_per_second);
                totals.requests_per_second += f64::from(report.requests_per_second);
                totals.lag_seconds = totals
                    .lag_seconds
                    .into_iter()
                    .chain(worker.lag_seconds)
                    .reduce(f64::max);
            }
        }
        let pages = totals.kept.saturating_add(totals.duplicates);
        totals.duplicate_percent = 100.0 * totals.duplicates as f64 / pages.max(1) as f64;
        totals
    }
}

/// All partitions together.
#[derive(Debug, Clone, Default, Serialize)]
pub struct PartitionsStatus {
    /// With an owner.
    pub leased: u64,
    /// Without an owner.
    pub free: u64,
    /// Without an owner, and with waiting URLs.
    pub free_with_work: u64,
    /// URLs known.
    pub known: u64,
    /// URLs finished.
    pub done: u64,
    /// URLs that wait or are in process.
    pub waiting: u64,
}

/// The log.
#[derive(Debug, Clone, Default, Serialize)]
pub struct LogStatus {
    /// Entries, those that came twice counted twice, and those that have left the log.
    pub entries: u64,
    /// The last position that counts.
    pub end: Position,
    /// Bytes of memory of what the log still holds.
    pub memory_bytes: u64,
    /// Segments, which hold what has left the log.
    pub segments: u64,
    /// Entries that they cover.
    pub segment_entries: u64,
    /// Their bytes.
    pub segment_bytes: u64,
    /// Those of these bytes that are in the object store, not in the memory of the servers.
    pub stored_bytes: u64,
}

impl LogStatus {
    /// Entries that no segment covers yet.
    #[must_use]
    pub fn backlog(&self) -> u64 {
        self.entries.saturating_sub(self.segment_entries)
    }
}

/// The table of digests, of workers that decide near-duplicates among their own pages only.
#[derive(Debug, Clone, Default, Serialize)]
pub struct DigestsStatus {
    /// Pages that have a digest there.
    pub pages: u64,
}

/// A primary.
#[derive(Debug, Clone, Serialize)]
pub struct ServerStatus {
    /// Host and port.
    pub address: String,
    /// Memory in use.
    pub memory_bytes: u64,
    /// The bound that was set; 0: none.
    pub memory_limit_bytes: u64,
    /// Replicas that are connected.
    pub replicas: u64,
    /// Commands of the last second.
    pub commands_per_second: u64,
}

/// Reads the status of a crawl; changes nothing.
///
/// # Errors
/// [`FleetError::Forgotten`], if there is no such crawl; else no server answers within the bound, or one refuses.
pub async fn status(address: &str, name: &str) -> Result<FleetStatus, FleetError> {
    let patience = JoinOptions::new(address).patience;
    StatusReader::new(address, name, patience)?.read().await
}

/// Reads the status of one crawl again and again, over the same connections.
pub struct StatusReader {
    servers: Servers,
    name: String,
}

impl StatusReader {
    /// A reader of the crawl that the address names, or else of `name`. It asks no server yet. Each question of a reading tries for as
    /// long as `patience`.
    ///
    /// # Errors
    /// [`FleetError::Address`], if the address or the name cannot be used.
    pub fn new(address: &str, name: &str, patience: Duration) -> Result<Self, FleetError> {
        let (servers, name) = connected(&JoinOptions {
            name: name.to_owned(),
            patience,
            ..JoinOptions::new(address)
        })?;
        Ok(Self { servers, name })
    }

    /// The servers, without a password.
    #[must_use]
    pub fn address(&self) -> String {
        self.servers.address().to_string()
    }

    /// The name of the crawl.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Reads the status; changes nothing.
    ///
    /// # Errors
    /// As for [`status`].
    pub async fn read(&self) -> Result<FleetStatus, FleetError> {
        let Self { servers, name } = self;
        let tag = registry_tag(name);
        let answers = servers
            .all(
                &[
                    Command::plain("HMGET", &tag, "m")
                        .arg("id")
                        .arg("terms")
                        .arg("drain")
                        .arg("pause")
                        .arg("back")
                        .arg("forgotten")
                        .arg("last")
                        .arg("rules")
                        .arg("changed"),
                    Command::plain("HGETALL", &tag, "b"),
                    Command::plain("HGETALL", &tag, "w"),
                    Command::script(&NOW, &tag),
                    Command::plain("HGETALL", &tag, "l"),
                ],
                Safety::Primary,
            )
            .await?;
        let [head, beats, reports, now, leases] = <[Value; 5]>::try_from(answers).map_err(|_| odd())?;
        let [id, terms, drain, pause, back, forgotten, last, rules, changed] =
            <[Value; 9]>::try_from(list(head)?).map_err(|_| odd())?;
        let crawl = text(id)?;
        if crawl.is_empty() {
            return Err(FleetError::Forgotten { name: name.clone() });
        }
        let terms = Terms::read(&text(terms)?)?;
        let now = integer(&now)?;
        let log = log_status(servers, name).await?;
        let decide_alone =
            rules::value_in(&text(rules)?, VERDICTS).is_some_and(|value| value.trim_matches('"') == ALONE);
        let digests = if decide_alone {
            let pages = digests::count(servers, name).await?;
            Some(DigestsStatus { pages })
        } else {
            None
        };
        let live = live(leases, now)?;
        let (partitions, leases) = partitions(servers, name, &terms, &live).await?;
        let mut workers = workers(beats, reports, now, &live, log.end)?;
        let forgotten = numbers(&text(forgotten)?);
        let awaited = match back {
            Value::Nil => Vec::new(),
            back => {
                let back = numbers(&text(back)?);
                let all = 1..=u16::try_from(integer(&last)?).map_err(|_| odd())?;
                all.filter(|number| !back.contains(number) && !forgotten.contains(number))
                    .collect()
            }
        };
        for worker in &mut workers {
            if forgotten.contains(&worker.number) {
                worker.state = "forgotten";
            }
            worker.leases = leases.get(usize::from(worker.number)).copied().unwrap_or_default();
        }
        let changed = text(changed)?;
        Ok(FleetStatus {
            unchanged: unchanged(&workers, rules::number_of(&changed)),
            changed: rules::read(&changed),
            name: name.clone(),
            crawl,
            terms,
            drain: integer(&drain)? == 1,
            pause: integer(&pause)? == 1,
            awaited,
            forgotten,
            totals: TotalsStatus::of(&workers),
            workers,
            partitions,
            log,
            digests,
            servers: server_status(servers).await?,
        })
    }
}

/// The rule that says among which pages near-duplicates are decided, and its value for workers that do so among their own.
const VERDICTS: &str = "fleet.verdicts";
const ALONE: &str = "worker";

/// The state of a worker whose lease lasts.
const LIVE: &str = "live";

static NOW: crate::command::Lua = crate::command::script!("now.lua");

fn odd() -> FleetError {
    FleetError::Damaged("an answer about the status".to_owned())
}

fn pairs(value: Value) -> Result<Vec<(u16, Value)>, FleetError> {
    let mut values = list(value)?.into_iter();
    let mut pairs = Vec::new();
    while let (Some(number), Some(value)) = (values.next(), values.next()) {
        let number = u16::try_from(integer(&number)?).map_err(|_| odd())?;
        pairs.push((number, value));
    }
    pairs.sort_by_key(|(number, _)| *number);
    Ok(pairs)
}

fn workers(
    beats: Value,
    reports: Value,
    now: u64,
    live: &HashMap<String, usize>,
    end: Position,
) -> Result<Vec<WorkerStatus>, FleetError> {
    let beats: HashMap<u16, Value> = pairs(beats)?.into_iter().collect();
    let reports = pairs(reports)?;
    let live: HashSet<usize> = live.values().copied().collect();
    let mut workers = Vec::new();
    for (number, report) in reports {
        let report = WorkerReport::read(&bytes(report)?)
            .map_err(|error| FleetError::Damaged(format!("the report of worker {number}: {error}")))?;
        let beat = beats.get(&number).map(|beat| text(beat.clone())).transpose()?;
        let beat = beat.and_then(|beat| beat.split('|').next()?.parse::<u64>().ok());
        let silent = beat.map(|beat| now.saturating_sub(beat));
        workers.push(WorkerStatus {
            number,
            state: match silent {
                None => "left",
                Some(_) if live.contains(&usize::from(number)) => LIVE,
                Some(_) => "silent",
            },
            silent_seconds: silent.map(|ms| ms as f64 / 1_000.0),
            leases: 0,
            lag_seconds: lag_seconds(report.applied, end),
            report,
        });
    }
    Ok(workers)
}

/// The live workers that have taken over other changes than these.
fn unchanged(workers: &[WorkerStatus], changes: u64) -> Vec<u16> {
    let others = workers
        .iter()
        .filter(|worker| worker.state == LIVE && worker.report.changes != changes);
    others.map(|worker| worker.number).collect()
}

fn lag_seconds(applied: Position, end: Position) -> Option<f64> {
    if applied >= end {
        return Some(0.0);
    }
    (applied > Position::default()).then(|| end.0.saturating_sub(applied.0) as f64 / 1_000.0)
}

/// The incarnations whose leases last, with their workers.
fn live(leases: Value, now: u64) -> Result<HashMap<String, usize>, FleetError> {
    let mut values = list(leases)?.into_iter();
    let mut live = HashMap::new();
    while let (Some(incarnation), Some(lease)) = (values.next(), values.next()) {
        let lease = text(lease)?;
        let numbers: Vec<u64> = lease.split('|').filter_map(|number| number.parse().ok()).collect();
        let [expiry, _since, worker] = numbers[..] else {
            return Err(odd());
        };
        if expiry > now {
            live.insert(text(incarnation)?, usize::try_from(worker).map_err(|_| odd())?);
        }
    }
    Ok(live)
}

/// The partitions together, and the leases of each worker by its number.
async fn partitions(
    servers: &Servers,
    name: &str,
    terms: &Terms,
    live: &HashMap<String, usize>,
) -> Result<(PartitionsStatus, Vec<u64>), FleetError> {
    let commands: Vec<Command> = (0..terms.partitions)
        .map(|partition| {
            let row = Command::plain("HMGET", &partition_tag(name, partition), "m");
            ["o", "n", "c", "a"].into_iter().fold(row, Command::arg)
        })
        .collect();
    let mut sum = PartitionsStatus::default();
    let mut leases = vec![0; usize::from(u16::MAX) + 1];
    for answer in servers.all(&commands, Safety::Primary).await? {
        let [owner, known, done, waiting] = <[Value; 4]>::try_from(list(answer)?).map_err(|_| odd())?;
        let (known, done, waiting) = (integer(&known)?, integer(&done)?, integer(&waiting)?);
        if let Some(worker) = live.get(&text(owner)?) {
            sum.leased += 1;
            if let Some(count) = leases.get_mut(*worker) {
                *count += 1;
            }
        } else {
            sum.free += 1;
            sum.free_with_work += u64::from(waiting > 0);
        }
        sum.known += known;
        sum.done += done;
        sum.waiting += waiting;
    }
    Ok((sum, leases))
}

async fn log_status(servers: &Servers, name: &str) -> Result<LogStatus, FleetError> {
    let tag = log_tag(name);
    let answers = servers
        .all(
            &[
                Command::plain("GET", &tag, "n"),
                Command::plain("GET", &tag, "c"),
                Command::script(&SIZE, &tag),
                Command::plain("ZCARD", &tag, "g"),
                Command::plain("HMGET", &tag, "p").arg("d").arg("b").arg("o"),
            ],
            Safety::Primary,
        )
        .await?;
    let [entries, end, memory, segments, covered] = <[Value; 5]>::try_from(answers).map_err(|_| odd())?;
    let [covered, bytes, stored] = <[Value; 3]>::try_from(list(covered)?).map_err(|_| odd())?;
    Ok(LogStatus {
        entries: integer(&entries)?,
        end: Position::end_of_item(&text(end)?),
        memory_bytes: integer(&memory)?,
        segments: integer(&segments)?,
        segment_entries: integer(&covered)?,
        segment_bytes: integer(&bytes)?,
        stored_bytes: integer(&stored)?,
    })
}

static SIZE: crate::command::Lua = crate::command::script!("size.lua");

async fn server_status(servers: &Servers) -> Result<Vec<ServerStatus>, FleetError> {
    let mut all = Vec::new();
    for (node, info) in servers.every_primary(&["INFO"]).await? {
        let info = text(info)?;
        let field = |name: &str| {
            info.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .and_then(|value| value.trim().parse().ok())
                .unwrap_or_default()
        };
        all.push(ServerStatus {
            address: node.to_string(),
            memory_bytes: field("used_memory"),
            memory_limit_bytes: field("maxmemory"),
            replicas: field("connected_slaves"),
            commands_per_second: field("instantaneous_ops_per_sec"),
        });
    }
    Ok(all)
}
