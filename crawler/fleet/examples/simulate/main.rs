//! A fleet without HTTP: many workers that finish pages at a rate, on a Redis server that this starts or that is named.
//!
//! ```text
//! cargo run --release -p crawler-fleet --example simulate -- [--workers 200] [--pages 5] [--seconds 30] [--server redis://…]
//! cargo run --release -p crawler-fleet --example simulate -- --entries 10000000 [--candidates blocks]
//! ```
//! Each worker does what a real one does: it holds its share of the partitions and renews its lease, reads its queues, finishes pages at
//! `--pages` a second with the new URLs that they name (half of them in partitions of others), appends most pages to the log, and reads
//! the log. It prints what a page costs Redis, and whether the fleet kept its pace.
//!
//! With `--entries`, no server runs: one worker applies so many entries of a log to its index, in a folder of the current one.

// The allocator of the program, so that large tables grow here as they do there.
#[path = "../../../src/allocator.rs"]
#[allow(dead_code, reason = "the program has more uses for it")]
mod allocator;
mod apply;

use std::collections::{HashMap, HashSet, VecDeque};
use std::error::Error;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use dedup::Candidates;
use fleet::{
    Commit, Committed, Entry, Epoch, Fleet, FleetError, JoinOptions, LogSlice, PageId, Partition, PartitionChanges,
    Position, Terms, WaitingUrl, WorkerReport,
};

#[global_allocator]
static ALLOCATOR: allocator::BySize = allocator::BySize;

/// How often a worker sends what it has done.
const COMMIT_INTERVAL: Duration = Duration::from_millis(1_000);

/// New URLs that a page names: those of its own site, and those of others.
const NEW_OWN: usize = 2;
const NEW_FOREIGN: usize = 1;

/// Entries of the log that make a segment.
const SEGMENT: usize = 16_384;

/// Of 100 pages, those that are kept.
const KEPT: u8 = 60;

struct Settings {
    workers: usize,
    pages: f64,
    seconds: u64,
    partitions: u16,
    interval: Duration,
    server: Option<String>,
    /// Entries that one worker applies.
    entries: Option<u64>,
    candidates: Candidates,
}

#[derive(Default)]
struct Totals {
    pages: AtomicU64,
    entries: AtomicU64,
    read: AtomicU64,
    calls: AtomicU64,
    /// Of a commit interval's calls, in µs.
    busy: AtomicU64,
    slowest: AtomicU64,
    late: AtomicU64,
}

fn settings() -> Result<Settings, Box<dyn Error>> {
    let mut settings = Settings {
        workers: 200,
        pages: 5.0,
        seconds: 30,
        partitions: 1_024,
        interval: COMMIT_INTERVAL,
        server: None,
        entries: None,
        candidates: Candidates::Auto,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        let value = arguments.next().ok_or("each option has a value")?;
        match name.as_str() {
            "--workers" => settings.workers = value.parse()?,
            "--pages" => settings.pages = value.parse()?,
            "--seconds" => settings.seconds = value.parse()?,
            "--partitions" => settings.partitions = value.parse()?,
            "--interval-ms" => settings.interval = Duration::from_millis(value.parse()?),
            "--entries" => settings.entries = Some(value.parse()?),
            "--candidates" => {
                settings.candidates = match value.as_str() {
                    "auto" => Candidates::Auto,
                    "blocks" => Candidates::Blocks,
                    "bands" => Candidates::Bands,
                    _ => return Err(format!("unknown source of candidates {value}").into()),
                }
            }
            "--server" => settings.server = Some(value),
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    Ok(settings)
}

/// A server of its own, ended on drop.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    allocator::map_large_blocks();
    let settings = settings()?;
    if let Some(entries) = settings.entries {
        return apply::apply(entries, settings.candidates);
    }
    let folder = tempfile::tempdir()?;
    let (address, _server) = match &settings.server {
        Some(address) => (address.clone(), None),
        None => {
            let port = std::net::TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
            let child = Command::new("redis-server")
                .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""])
                .current_dir(folder.path())
                .stdout(Stdio::null())
                .spawn()?;
            std::thread::sleep(Duration::from_millis(500));
            (format!("redis://127.0.0.1:{port}"), Some(Server(child)))
        }
    };
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?
        .block_on(simulate(settings, address))
}

async fn simulate(settings: Settings, address: String) -> Result<(), Box<dyn Error>> {
    let settings = Arc::new(settings);
    let totals = Arc::new(Totals::default());
    let mut workers = Vec::new();
    let mut fleets = Vec::new();
    for folder in 1..=settings.workers {
        let mut options = JoinOptions::new(&address);
        options.folder = folder as u64;
        options.terms = Terms {
            scheme: "simulated".to_owned(),
            rule: "none".to_owned(),
            partitions: settings.partitions,
        };
        fleets.push(Fleet::join(options).await?);
    }
    // All have their partitions before the time runs.
    let share = usize::from(settings.partitions).div_ceil(settings.workers);
    let began = Instant::now();
    for fleet in &fleets {
        let grants = fleet.acquire(share, &[]).await?;
        let held: HashMap<Partition, Epoch> = grants.iter().map(|grant| (grant.partition, grant.epoch)).collect();
        workers.push((fleet.clone(), held));
    }
    println!(
        "{} workers have their partitions after {:.1?}",
        settings.workers,
        began.elapsed()
    );
    let before = Counters::read(&address)?;
    let sent: u64 = fleets.iter().map(|fleet| fleet.traffic().commands).sum();
    let began = Instant::now();
    let until = began + Duration::from_secs(settings.seconds);
    let running: Vec<_> = workers
        .into_iter()
        .map(|(fleet, held)| tokio::spawn(work(fleet, held, settings.clone(), totals.clone(), until)))
        .collect();
    for worker in running {
        worker.await??;
    }
    let elapsed = began.elapsed().as_secs_f64();
    let after = Counters::read(&address)?;
    let commands = fleets.iter().map(|fleet| fleet.traffic().commands).sum::<u64>() - sent;
    let pages = totals.pages.load(Ordering::Relaxed) as f64;
    let entries = totals.entries.load(Ordering::Relaxed) as f64;
    println!(
        "pages            {pages:.0}, {:.0} a second of {:.0} wanted",
        pages / elapsed,
        settings.pages * settings.workers as f64
    );
    println!("commands a page  {:.2}", commands as f64 / pages);
    println!(
        "bytes a page     {:.0} to Redis, {:.0} from Redis",
        (after.input - before.input) / pages,
        (after.output - before.output) / pages
    );
    println!(
        "Redis time       {:.1} µs a page, {:.0} % of one processor",
        (after.cpu - before.cpu) / pages * 1e6,
        (after.cpu - before.cpu) / elapsed * 100.0
    );
    println!("memory           {:.1} MB more", (after.memory - before.memory) / 1e6);
    println!(
        "log              {entries:.0} entries, each read by {:.1} workers",
        totals.read.load(Ordering::Relaxed) as f64 / entries.max(1.0)
    );
    let calls = totals.calls.load(Ordering::Relaxed).max(1);
    println!(
        "a round          {:.1} ms on average, {:.0} ms at most, {} of {calls} later than the interval",
        totals.busy.load(Ordering::Relaxed) as f64 / calls as f64 / 1e3,
        totals.slowest.load(Ordering::Relaxed) as f64 / 1e3,
        totals.late.load(Ordering::Relaxed)
    );
    println!("{}", after.commandstats(&before, pages));
    Ok(())
}

/// One worker.
async fn work(
    fleet: Fleet,
    mut held: HashMap<Partition, Epoch>,
    settings: Arc<Settings>,
    totals: Arc<Totals>,
    until: Instant,
) -> Result<(), fleet::FleetError> {
    let mut random = fastrand::Rng::with_seed(u64::from(fleet.worker().0));
    let mut queues: HashMap<Partition, (VecDeque<WaitingUrl>, u64)> = HashMap::new();
    let mut applied = Position::default();
    let mut sequence = 0;
    let mut owed = 0.0;
    let mut renewed = Instant::now();
    let mut next = Instant::now() + settings.interval.mul_f64(random.f64());
    let mut fresh = 0_u64;
    let mut unread: HashSet<Partition> = HashSet::new();
    while Instant::now() < until {
        tokio::time::sleep_until(next.into()).await;
        let began = Instant::now();
        next += settings.interval;
        owed += settings.pages * settings.interval.as_secs_f64();
        if renewed.elapsed() > fleet.lease() / 3 {
            renewed = Instant::now();
            let report = WorkerReport {
                kept: sequence,
                applied,
                ..WorkerReport::default()
            };
            let pulse = fleet.heartbeat(&report).await?;
            if pulse.lapsed {
                held.clear();
            }
            unread.extend(pulse.news);
        }
        let mut commits: HashMap<Partition, PartitionChanges> = HashMap::new();
        let mut foreign: HashMap<Partition, Vec<WaitingUrl>> = HashMap::new();
        let mut entries = Vec::new();
        let partitions: Vec<Partition> = held.keys().copied().collect();
        while owed >= 1.0 && !partitions.is_empty() {
            owed -= 1.0;
            let partition = partitions[random.usize(..partitions.len())];
            let (queue, _) = queues.entry(partition).or_default();
            let mut new = |random: &mut fastrand::Rng, partition: Partition| {
                fresh += 1;
                // A third is known already: other pages name it, too.
                let number = if random.u8(..3) == 0 {
                    random.u64(..fresh)
                } else {
                    fresh
                };
                WaitingUrl {
                    url: format!(
                        "https://www.site-{}.example/articles/{}/{number:012}",
                        partition.0,
                        fleet.worker().0
                    ),
                    depth: 3,
                    redirects: 0,
                    priority: 0,
                    is_seed: false,
                }
            };
            let url = queue.pop_front().unwrap_or_else(|| new(&mut random, partition));
            let changes = commits.entry(partition).or_default();
            changes.are_stored = true;
            changes.done.push(url.hash());
            for _ in 0..NEW_OWN {
                let url = new(&mut random, partition);
                queue.push_back(url.clone());
                changes.new.push(url);
            }
            for _ in 0..NEW_FOREIGN {
                let to = Partition(random.u16(..settings.partitions));
                foreign.entry(to).or_default().push(new(&mut random, to));
            }
            if random.u8(..100) < KEPT {
                sequence += 1;
                entries.push(Entry {
                    page: PageId {
                        worker: fleet.worker(),
                        sequence,
                    },
                    url: url.url,
                    signature: (0..160).map(|_| random.u8(..)).collect(),
                });
            }
            totals.pages.fetch_add(1, Ordering::Relaxed);
        }
        let foreign: Vec<_> = foreign.into_iter().collect();
        fleet.enqueue(&foreign).await?;
        let commits: Vec<Commit> = commits
            .into_iter()
            .filter_map(|(partition, changes)| {
                Some(Commit {
                    partition,
                    epoch: *held.get(&partition)?,
                    changes,
                })
            })
            .collect();
        let partitions: Vec<Partition> = commits.iter().map(|commit| commit.partition).collect();
        for (partition, committed) in partitions.into_iter().zip(fleet.commit_all(&commits).await?) {
            if let Committed::Done {
                queue_end,
                is_read: true,
            } = committed
            {
                queues.entry(partition).or_default().1 = queue_end;
            }
        }
        totals.entries.fetch_add(entries.len() as u64, Ordering::Relaxed);
        fleet.append(&entries).await?;
        loop {
            let some = match fleet.read_log(applied, 1_000).await? {
                LogSlice::Entries(some) => some,
                LogSlice::Segment(row) => {
                    let segment = fleet.read_segment(&row).await?;
                    totals.read.fetch_add(segment.pages.len() as u64, Ordering::Relaxed);
                    applied = segment.end;
                    continue;
                }
                LogSlice::Lost => return Err(FleetError::Damaged("the log has lost entries".to_owned())),
            };
            totals.read.fetch_add(some.len() as u64, Ordering::Relaxed);
            let Some((last, _)) = some.last() else { break };
            applied = *last;
            if some.len() < 1_000 {
                break;
            }
        }
        if fleet.uncovered() >= SEGMENT as u64
            && let Some(draft) = fleet.begin_segment(applied, SEGMENT).await?
        {
            let kept = vec![true; draft.pages().len()];
            fleet.end_segment(draft, &kept).await?;
        }
        for partition in std::mem::take(&mut unread) {
            let Some(epoch) = held.get(&partition).copied() else {
                continue;
            };
            let (queue, read) = queues.entry(partition).or_default();
            let slice = fleet.read_queue(partition, Some(epoch), *read, 200).await?;
            *read = slice.next;
            queue.extend(slice.urls);
            if slice.next < slice.end {
                unread.insert(partition);
            }
        }
        let busy = began.elapsed();
        totals.calls.fetch_add(1, Ordering::Relaxed);
        totals.busy.fetch_add(busy.as_micros() as u64, Ordering::Relaxed);
        totals.slowest.fetch_max(busy.as_micros() as u64, Ordering::Relaxed);
        if busy > settings.interval {
            totals.late.fetch_add(1, Ordering::Relaxed);
            next = next.max(Instant::now());
        }
    }
    Ok(())
}

/// What INFO says.
struct Counters {
    input: f64,
    output: f64,
    cpu: f64,
    memory: f64,
    commands: HashMap<String, (f64, f64)>,
}

impl Counters {
    fn read(address: &str) -> Result<Self, Box<dyn Error>> {
        let mut connection = redis::Client::open(address)?.get_connection()?;
        let text: String = redis::cmd("INFO").arg("everything").query(&mut connection)?;
        let field = |name: &str| -> f64 {
            text.lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
                .and_then(|value| value.trim().parse().ok())
                .unwrap_or_default()
        };
        let commands = text
            .lines()
            .filter_map(|line| {
                let (name, values) = line.strip_prefix("cmdstat_")?.split_once(':')?;
                let value = |key: &str| -> Option<f64> {
                    values
                        .split(',')
                        .find_map(|pair| pair.strip_prefix(key)?.strip_prefix('='))?
                        .parse()
                        .ok()
                };
                Some((name.to_owned(), (value("calls")?, value("usec")?)))
            })
            .collect();
        Ok(Self {
            input: field("total_net_input_bytes"),
            output: field("total_net_output_bytes"),
            cpu: field("used_cpu_sys") + field("used_cpu_user"),
            memory: field("used_memory"),
            commands,
        })
    }

    /// Calls and time of each command a page, those inside scripts too.
    fn commandstats(&self, before: &Self, pages: f64) -> String {
        let mut rows: Vec<(f64, f64, &String)> = self
            .commands
            .iter()
            .map(|(name, (calls, usec))| {
                let (calls_before, usec_before) = before.commands.get(name).copied().unwrap_or_default();
                ((usec - usec_before) / pages, (calls - calls_before) / pages, name)
            })
            .collect();
        rows.sort_by(|one, other| other.0.total_cmp(&one.0));
        let rows = rows.iter().take(12);
        rows.map(|(usec, calls, name)| format!("  {name:<12} {calls:>7.2} calls, {usec:>6.2} µs a page\n"))
            .collect()
    }
}
