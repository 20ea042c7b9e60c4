//! What the servers tell about a crawl: `crawler fleet status`.

use std::collections::HashMap;
use std::fmt::{self, Display, Formatter};

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
    /// `live`, `silent` (no sign of life for the length of a lease), `left`, or `forgotten`.
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
    let options = JoinOptions {
        name: name.to_owned(),
        ..JoinOptions::new(address)
    };
    let (servers, name) = connected(&options)?;
    let tag = registry_tag(&name);
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
                    .arg("rules"),
                Command::plain("HGETALL", &tag, "b"),
                Command::plain("HGETALL", &tag, "w"),
                Command::script(&NOW, &tag),
                Command::plain("HGETALL", &tag, "l"),
            ],
            Safety::Primary,
        )
        .await?;
    let [head, beats, reports, now, leases] = <[Value; 5]>::try_from(answers).map_err(|_| odd())?;
    let [id, terms, drain, pause, back, forgotten, last, rules] =
        <[Value; 8]>::try_from(list(head)?).map_err(|_| odd())?;
    let crawl = text(id)?;
    if crawl.is_empty() {
        return Err(FleetError::Forgotten { name });
    }
    let terms = Terms::read(&text(terms)?)?;
    let now = integer(&now)?;
    let log = log_status(&servers, &name).await?;
    let decide_alone = rules::value_in(&text(rules)?, VERDICTS).is_some_and(|value| value.trim_matches('"') == ALONE);
    let digests = if decide_alone {
        let pages = digests::count(&servers, &name).await?;
        Some(DigestsStatus { pages })
    } else {
        None
    };
    let (partitions, leases) = partitions(&servers, &name, &terms, &live(leases, now)?).await?;
    let mut workers = workers(beats, reports, now, &options, log.end)?;
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
    Ok(FleetStatus {
        name,
        crawl,
        terms,
        drain: integer(&drain)? == 1,
        pause: integer(&pause)? == 1,
        awaited,
        forgotten,
        workers,
        partitions,
        log,
        digests,
        servers: server_status(&servers).await?,
    })
}

/// The rule that says among which pages near-duplicates are decided, and its value for workers that do so among their own.
const VERDICTS: &str = "fleet.verdicts";
const ALONE: &str = "worker";

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
    options: &JoinOptions,
    end: Position,
) -> Result<Vec<WorkerStatus>, FleetError> {
    let beats = pairs(beats)?;
    let reports = pairs(reports)?;
    let mut workers = Vec::new();
    for (number, report) in reports {
        let report: WorkerReport = postcard::from_bytes(&bytes(report)?)
            .map_err(|error| FleetError::Damaged(format!("the report of worker {number}: {error}")))?;
        let mut beat = None;
        for (_, value) in beats.iter().filter(|(of, _)| *of == number) {
            let text = text(value.clone())?;
            beat = text.split('|').next().and_then(|ms| ms.parse::<u64>().ok());
        }
        let silent = beat.map(|beat| now.saturating_sub(beat));
        workers.push(WorkerStatus {
            number,
            state: match silent {
                None => "left",
                Some(silent) if u128::from(silent) > options.lease.as_millis() => "silent",
                Some(_) => "live",
            },
            silent_seconds: silent.map(|ms| ms as f64 / 1_000.0),
            leases: 0,
            lag_seconds: lag_seconds(report.applied, end),
            report,
        });
    }
    Ok(workers)
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

impl Display for FleetStatus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        let Self {
            name,
            crawl,
            partitions,
            log,
            digests,
            ..
        } = self;
        writeln!(
            f,
            "crawl {name} ({crawl}){}{}",
            if self.drain { ", asked to stop" } else { "" },
            if self.pause { ", asked to wait" } else { "" }
        )?;
        if !self.awaited.is_empty() {
            let awaited: Vec<String> = self.awaited.iter().map(u16::to_string).collect();
            writeln!(
                f,
                "the servers had lost the crawl; the crawl goes on when these workers have brought back their data folders: {}",
                awaited.join(", ")
            )?;
        }
        writeln!(
            f,
            "partitions: {} leased, {} free ({} with waiting URLs)",
            partitions.leased, partitions.free, partitions.free_with_work
        )?;
        writeln!(
            f,
            "URLs: {} known, {} finished, {} waiting",
            partitions.known, partitions.done, partitions.waiting
        )?;
        match digests {
            Some(digests) => writeln!(
                f,
                "verdicts: provisional, because each worker decides near-duplicates among its own pages only; exact duplicates are decided \
                 across workers, by {} digests",
                digests.pages
            )?,
            None => writeln!(f, "log: {log}")?,
        }
        for server in &self.servers {
            write!(f, "server {}: {}", server.address, Mebibytes(server.memory_bytes))?;
            if server.memory_limit_bytes > 0 {
                write!(f, " of {}", Mebibytes(server.memory_limit_bytes))?;
            }
            writeln!(
                f,
                ", {} replicas, {} commands/s",
                server.replicas, server.commands_per_second
            )?;
        }
        writeln!(
            f,
            "{:>6} {:<16} {:<9} {:>6} {:>9} {:>9} {:>9} {:>6} {:>6} {:>7} {:>7}",
            "worker", "machine", "state", "leases", "queued", "kept", "dupl.", "hosts", "req/s", "outbox", "lag s"
        )?;
        for worker in &self.workers {
            let report = &worker.report;
            writeln!(
                f,
                "{:>6} {:<16} {:<9} {:>6} {:>9} {:>9} {:>9} {:>6} {:>6.1} {:>7} {:>7}{}{}",
                worker.number,
                report.host,
                worker.state,
                worker.leases,
                report.queued,
                report.kept,
                report.duplicates,
                report.hosts,
                report.requests_per_second,
                report.outbox,
                worker.lag_seconds.map_or("-".to_owned(), |lag| format!("{lag:.1}")),
                if report.note.is_empty() { "" } else { " " },
                report.note
            )?;
        }
        Ok(())
    }
}

impl Display for LogStatus {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{} entries, {}", self.entries, Mebibytes(self.memory_bytes))?;
        if self.segments > 0 {
            write!(
                f,
                "; {} of them in {} segments, {}",
                self.segment_entries,
                self.segments,
                Mebibytes(self.segment_bytes)
            )?;
            if self.stored_bytes > 0 {
                write!(f, ", {} of this in the object store", Mebibytes(self.stored_bytes))?;
            }
        }
        Ok(())
    }
}

/// Bytes as mebibytes.
struct Mebibytes(u64);

impl Display for Mebibytes {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{:.1} MiB", self.0 as f64 / f64::from(1 << 20))
    }
}
