//! Measures the index on a Redis server beside the index in memory and in sled: time, memory, and what goes to the server.
//! Prints a table in Markdown. Starts a `redis-server` of its own on loopback.
//!
//! ```text
//! cargo run --release -p crawler-dedup --features redis --example redis_index_bench -- [COUNT]… [--queries N]
//! ```
//!
//! A document has a random digest, fingerprint and sketch, so no document is like another; the distance of the rule is k. `insert`
//! adds documents without a verdict (sled: with a persist every 5,000 documents). `query` looks up all that decides the verdict on
//! a document that is not there. `memory` is what the documents added: to the process, or to the server. `round trips`, `sent`,
//! `received` and `server` (its processor time) are for a query, by the counts of the server. Each row but the first of an index
//! uses the same entries: they do not depend on k. Every index is measured in a process of its own, on one thread.

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    reason = "a measurement, not a program to rely on"
)]

use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::Instant;

use dedup::{Digest, DocId, DuplicateRule, Index, MemoryIndex, RedisAddress, RedisIndex, Signature, Sketch, SledIndex};

const DISTANCES: [u32; 3] = [3, 7, 10];
const INDICES: [&str; 3] = ["memory", "sled", "Redis"];
/// Documents per persist.
const BATCH: u64 = 5_000;
/// Queries before those that are measured.
const WARM_UP: u64 = 200;
/// Rounds of queries.
const ROUNDS: u64 = 3;

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let [one, index, count, queries] = &arguments[..]
        && one == "--one"
    {
        return measure(index, count.parse().unwrap(), queries.parse().unwrap());
    }
    let (mut counts, mut queries) = (Vec::new(), "2000".to_owned());
    let mut arguments = arguments.into_iter();
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--queries" => queries = arguments.next().unwrap(),
            _ => counts.push(argument),
        }
    }
    if counts.is_empty() {
        counts = vec!["100000".to_owned(), "1000000".to_owned()];
    }
    println!(
        "| documents | index | k | insert µs | query µs | memory, bytes a document | round trips | sent, bytes | received, bytes | server µs |"
    );
    println!("|---|---|---|---|---|---|---|---|---|---|");
    let program = std::env::current_exe().unwrap();
    for count in &counts {
        for index in INDICES {
            let mut one = Command::new(&program);
            assert!(one.args(["--one", index, count, &queries]).status().unwrap().success());
        }
    }
}

fn rule(max_distance: u32) -> DuplicateRule {
    DuplicateRule {
        max_distance,
        ..DuplicateRule::default()
    }
}

/// Measures one index at all distances. The entries are those of the widest, opened again for the others where that is possible.
fn measure(name: &str, count: u64, queries: u64) {
    match name {
        "memory" => {
            for k in DISTANCES {
                let before = resident();
                let mut index = MemoryIndex::new(&rule(k)).unwrap();
                let insert = fill(&mut index, count, |_, _| ());
                let filled = (insert, (resident() - before) / count as f64);
                let query = ask(&index, k, count, queries);
                // The second index takes memory that the first has freed.
                row(count, name, k, Some(filled).filter(|_| k == DISTANCES[0]), query, None);
            }
        }
        "sled" => {
            let folder = tempfile::tempdir().unwrap();
            let mut filled = None;
            for k in DISTANCES {
                let before = resident();
                let db = sled::Config::new().path(folder.path()).cache_capacity(16 << 20);
                let db = db.flush_every_ms(None).open().unwrap();
                let mut index = SledIndex::open(&db, "bench", &rule(k)).unwrap();
                if filled.is_none() {
                    let insert = fill(&mut index, count, |index, number| {
                        if number % BATCH == 0 || number == count {
                            index.persist(number).unwrap();
                            db.flush().unwrap();
                        }
                    });
                    filled = Some((insert, (resident() - before) / count as f64));
                }
                let query = ask(&index, k, count, queries);
                row(count, name, k, filled.filter(|_| k == DISTANCES[0]), query, None);
            }
        }
        _ => {
            let server = Server::start();
            let address: RedisAddress = format!("redis://127.0.0.1:{}?name=bench", server.port).parse().unwrap();
            let mut filled = None;
            for k in DISTANCES {
                let mut index = RedisIndex::open(&address, "bench", &rule(k)).unwrap();
                if filled.is_none() {
                    let before = server.info("memory", "used_memory");
                    let insert = fill(&mut index, count, |_, _| ());
                    let memory = server.info("memory", "used_memory") - before;
                    filled = Some((insert, memory / count as f64));
                }
                ask_once(&index, k, count, WARM_UP);
                let (trips, before) = (index.round_trips(), server.counts());
                let query = ask(&index, k, count, queries);
                let after = server.counts();
                let all = (ROUNDS * queries) as f64;
                let of_query = |at: usize| (after[at] - before[at]) / all;
                let trips = (index.round_trips() - trips) as f64 / all;
                let server = [trips, of_query(0), of_query(1), of_query(2) * 1e6];
                row(
                    count,
                    name,
                    k,
                    filled.filter(|_| k == DISTANCES[0]),
                    query,
                    Some(server),
                );
            }
        }
    }
}

/// Fills an index. Returns microseconds for each document.
fn fill<I: Index>(index: &mut I, count: u64, then: impl Fn(&mut I, u64)) -> f64 {
    let start = Instant::now();
    for number in 1..=count {
        index.insert(DocId(number), &signature(number)).unwrap();
        then(index, number);
    }
    start.elapsed().as_secs_f64() * 1e6 / count as f64
}

/// Asks for documents that are not there. Returns microseconds for each: of the fastest of several rounds, since the machine may have
/// other work.
fn ask(index: &impl Index, k: u32, count: u64, queries: u64) -> f64 {
    (0..ROUNDS)
        .map(|_| ask_once(index, k, count, queries))
        .fold(f64::MAX, f64::min)
}

fn ask_once(index: &impl Index, k: u32, count: u64, queries: u64) -> f64 {
    let rule = rule(k);
    let documents: Vec<_> = (1..=queries).map(|number| signature(count + number)).collect();
    let start = Instant::now();
    for document in &documents {
        assert_eq!(index.look_up(document, &rule, &|_| true).unwrap().exact, None);
    }
    start.elapsed().as_secs_f64() * 1e6 / queries as f64
}

fn row(count: u64, name: &str, k: u32, filled: Option<(f64, f64)>, query: f64, server: Option<[f64; 4]>) {
    let shown = |value: Option<f64>, digits: usize| value.map_or(String::new(), |value| format!("{value:.digits$}"));
    let part = |at: usize| server.map(|server| server[at]);
    println!(
        "| {count} | {name} | {k} | {} | {} | {} | {} | {} | {} | {} |",
        shown(filled.map(|filled| filled.0), 1),
        shown(Some(query), 1),
        shown(filled.map(|filled| filled.1), 0),
        shown(part(0), 2),
        shown(part(1), 0),
        shown(part(2), 0),
        shown(part(3), 0),
    );
}

fn signature(number: u64) -> Signature {
    let random = |salt: u64| mix(number.wrapping_mul(32) + salt);
    let sketch: Vec<u8> = (8..24).flat_map(|salt| random(salt).to_le_bytes()).collect();
    Signature {
        digest: Some(Digest(u128::from(random(0)) << 64 | u128::from(random(1)))),
        fingerprint: Some(random(2).into()),
        sketch: Some(Sketch::try_from(sketch.as_slice()).unwrap()),
        tokens: 500,
        ..Signature::default()
    }
}

/// The finaliser of SplitMix64, a pseudo-random permutation.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Resident memory of the process in bytes; 0 on systems other than Linux.
fn resident() -> f64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes = line.and_then(|line| line.split_whitespace().next()?.parse::<f64>().ok());
    kibibytes.unwrap_or_default() * 1_024.0
}

struct Server {
    process: Child,
    port: u16,
    _folder: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new("redis-server");
        command.args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        command.current_dir(folder.path()).stdout(Stdio::null());
        let process = command.spawn().expect("install the package redis-server");
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        Self {
            process,
            port,
            _folder: folder,
        }
    }

    fn info(&self, section: &str, field: &str) -> f64 {
        let client = redis::Client::open(("127.0.0.1", self.port)).unwrap();
        let mut connection = client.get_connection().unwrap();
        let info: String = redis::cmd("INFO").arg(section).query(&mut connection).unwrap();
        let line = info
            .lines()
            .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.unwrap().trim().parse().unwrap()
    }

    /// Bytes received and sent, and processor seconds.
    fn counts(&self) -> [f64; 3] {
        let cpu = self.info("cpu", "used_cpu_user") + self.info("cpu", "used_cpu_sys");
        let bytes = |name| self.info("stats", name);
        [bytes("total_net_input_bytes"), bytes("total_net_output_bytes"), cpu]
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.process.kill().ok();
        self.process.wait().ok();
    }
}
