//! The whole fleet: what `crawler fleet status` says, as a page that asks again by itself.

use std::time::SystemTime;

use askama::Template;
use axum::http::StatusCode;

use crate::serve::frame::Frame;
use crate::serve::moment::Moment;
use crate::serve::reply::{Refusal, Reply};
use crate::serve::served::Served;
use crate::serve::watched_fleet::Seen;
use ::fleet::{FleetError, FleetStatus, ServerStatus, WorkerStatus};
use crawl::clock::unix_millis;
use terminal::units::{bytes, duration, grouped, utc};

/// The fleet, for a template.
struct Shown {
    /// What the workers do, in a sentence.
    lead: String,
    /// What the reader should act on.
    warnings: Vec<String>,
    tiles: Vec<Tile>,
    /// The log of kept pages, or what takes its place.
    log: Vec<(&'static str, String)>,
    partitions: String,
    servers: Vec<ServerRow>,
    workers: Vec<WorkerRow>,
    as_of: Moment,
}

/// A figure of the whole fleet.
struct Tile {
    name: &'static str,
    value: String,
    /// The class of its colour.
    class: &'static str,
}

struct ServerRow {
    address: String,
    memory: String,
    replicas: u64,
    commands: String,
}

struct WorkerRow {
    number: u16,
    machine: String,
    state: String,
    /// The class of the state's colour.
    class: &'static str,
    partitions: String,
    hosts: String,
    pages_per_second: String,
    queued: String,
    kept: String,
    duplicates: String,
    failed: String,
    outbox: String,
    lag: String,
    note: String,
}

impl Shown {
    fn of(status: &FleetStatus, read: SystemTime) -> Self {
        let FleetStatus { totals, partitions, .. } = status;
        let tile = |name, value: String, class| Tile { name, value, class };
        let failed = if totals.failed > 0 { "failed" } else { "" };
        Self {
            lead: lead(status),
            warnings: warnings(status),
            tiles: vec![
                tile("pages/s", rate(totals.pages_per_second), ""),
                tile("requests/s", rate(totals.requests_per_second), ""),
                tile("URLs found", grouped(partitions.known), ""),
                tile("URLs waiting", grouped(partitions.waiting), ""),
                tile("URLs finished", grouped(partitions.done), ""),
                tile("kept", grouped(totals.kept), "kept"),
                tile("duplicates", grouped(totals.duplicates), "exact"),
                tile("duplicates, %", rate(totals.duplicate_percent), ""),
                tile("failed", grouped(totals.failed), failed),
            ],
            log: log(status),
            partitions: format!(
                "{} partitions: {} with a worker, {} without ({} of these with waiting URLs).",
                grouped(partitions.leased + partitions.free),
                grouped(partitions.leased),
                grouped(partitions.free),
                grouped(partitions.free_with_work)
            ),
            servers: status.servers.iter().map(ServerRow::of).collect(),
            workers: status.workers.iter().map(WorkerRow::of).collect(),
            as_of: moment(read),
        }
    }

    /// Whether a worker has something to say.
    fn has_notes(&self) -> bool {
        self.workers.iter().any(|worker| !worker.note.is_empty())
    }
}

impl ServerRow {
    fn of(server: &ServerStatus) -> Self {
        let used = bytes(server.memory_bytes);
        Self {
            address: server.address.clone(),
            memory: match server.memory_limit_bytes {
                0 => used,
                limit => format!("{used} of {}", bytes(limit)),
            },
            replicas: server.replicas,
            commands: grouped(server.commands_per_second),
        }
    }
}

impl WorkerRow {
    fn of(worker: &WorkerStatus) -> Self {
        let report = &worker.report;
        let silence = duration(worker.silent_seconds.unwrap_or_default() as u64);
        let (state, class) = match worker.state {
            "live" => ("alive".to_owned(), "kept"),
            "silent" => (format!("lease run out, silent for {silence}"), "failed"),
            other => (other.to_owned(), ""),
        };
        Self {
            number: worker.number,
            machine: report.host.clone(),
            state,
            class,
            partitions: grouped(worker.leases),
            hosts: grouped(report.hosts),
            pages_per_second: match worker.state {
                "live" => rate(report.pages_per_second.into()),
                _ => "–".to_owned(),
            },
            queued: grouped(report.queued),
            kept: grouped(report.kept),
            duplicates: grouped(report.duplicates),
            failed: grouped(report.failed),
            outbox: grouped(report.outbox),
            lag: worker.lag_seconds.map_or_else(|| "–".to_owned(), seconds),
            note: report.note.clone(),
        }
    }
}

fn lead(status: &FleetStatus) -> String {
    let of_state = |state| status.workers.iter().filter(move |worker| worker.state == state);
    let mut lead = match of_state("live").count() {
        0 => "No worker is alive".to_owned(),
        1 => "1 worker is alive".to_owned(),
        workers => format!("{} workers are alive", grouped(workers as u64)),
    };
    for (state, words) in [
        ("silent", "silent (lease run out)"),
        ("left", "left"),
        ("forgotten", "forgotten"),
    ] {
        match of_state(state).count() as u64 {
            0 => {}
            others => lead.push_str(&format!(", {} {words}", grouped(others))),
        }
    }
    lead + "."
}

fn warnings(status: &FleetStatus) -> Vec<String> {
    let mut warnings = Vec::new();
    if status.drain {
        warnings.push("The fleet was asked to stop: crawler fleet drain --resume takes the order back.".to_owned());
    }
    if status.pause {
        warnings.push("The fleet was asked to wait, and makes no requests until crawler fleet resume.".to_owned());
    }
    if !status.awaited.is_empty() {
        let awaited: Vec<String> = status.awaited.iter().map(u16::to_string).collect();
        warnings.push(format!(
            "The servers had lost the crawl. It goes on when these workers have brought back their data folders: {}.",
            awaited.join(", ")
        ));
    }
    if !status.unchanged.is_empty() {
        let unchanged: Vec<String> = status.unchanged.iter().map(u16::to_string).collect();
        warnings.push(format!(
            "Settings were changed for all workers (crawler fleet config). These workers have not taken over the last change yet: {}.",
            unchanged.join(", ")
        ));
    }
    warnings
}

fn log(status: &FleetStatus) -> Vec<(&'static str, String)> {
    let log = &status.log;
    match &status.digests {
        Some(digests) => vec![
            (
                "verdicts",
                "provisional: each worker decides near-duplicates among its own pages only".to_owned(),
            ),
            (
                "digests",
                format!(
                    "{}, by which exact duplicates are decided across workers",
                    grouped(digests.pages)
                ),
            ),
        ],
        None => vec![
            ("entries", grouped(log.entries)),
            (
                "backlog",
                format!(
                    "{} entries that no segment covers, {}",
                    grouped(log.backlog()),
                    bytes(log.memory_bytes)
                ),
            ),
            (
                "segments",
                format!(
                    "{}, with {} entries, {}{}",
                    grouped(log.segments),
                    grouped(log.segment_entries),
                    bytes(log.segment_bytes),
                    match log.stored_bytes {
                        0 => String::new(),
                        stored => format!(", {} of this in the object store", bytes(stored)),
                    }
                ),
            ),
            (
                "lag",
                status.totals.lag_seconds.map_or_else(
                    || "not known: no worker that is alive has read the log".to_owned(),
                    |lag| {
                        format!(
                            "{} between the last entry that the slowest worker has applied and the end of the log",
                            seconds(lag)
                        )
                    },
                ),
            ),
        ],
    }
}

fn rate(rate: f64) -> String {
    format!("{rate:.1}")
}

fn seconds(seconds: f64) -> String {
    format!("{seconds:.1} s")
}

fn moment(at: SystemTime) -> Moment {
    Moment::of(&utc(unix_millis(at)), SystemTime::now())
}

#[derive(Template)]
#[template(path = "serve/fleet.html")]
struct FleetPage<'a> {
    frame: Frame<'a>,
    /// Why there is no newer status.
    fault: Option<Fault>,
    /// `None` before the servers have told anything.
    fleet: Option<Shown>,
}

/// Why there is no status.
struct Fault {
    reason: String,
    since: Moment,
    /// Whether the servers do not answer; otherwise they answer something else.
    is_silence: bool,
}

/// The page. The servers may be away: then it says so, and shows what they told last.
pub fn page(served: &Served, seen: Seen) -> Result<Reply, Refusal> {
    let Seen { told, fault, .. } = seen;
    let current = served.crawl.as_ref().and_then(|site| site.current().ok());
    Reply::page(&FleetPage {
        frame: served.frame("fleet", current.as_ref()),
        fault: fault.map(|(since, error)| Fault {
            is_silence: error.is_transient(),
            reason: error.to_string(),
            since: moment(since),
        }),
        fleet: told.map(|(read, status)| Shown::of(&status, read)),
    })
}

/// What `crawler fleet status --format json` prints.
///
/// # Errors
/// The servers do not answer now, or do not know the crawl.
pub fn json(seen: Seen) -> Result<Reply, Refusal> {
    let Seen { told, fault, .. } = seen;
    match (fault, told) {
        (None, Some((_, status))) => Reply::json(&status),
        (Some((_, error)), _) => {
            let status = match error {
                FleetError::Forgotten { .. } => StatusCode::NOT_FOUND,
                _ if error.is_transient() => StatusCode::SERVICE_UNAVAILABLE,
                _ => StatusCode::BAD_GATEWAY,
            };
            Err(Refusal::new(status, error))
        }
        (None, None) => Err(Refusal::new(
            StatusCode::SERVICE_UNAVAILABLE,
            "the status is being read",
        )),
    }
}
