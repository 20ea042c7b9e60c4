//! Redis servers for tests: one alone, or a cluster of three primaries with a replica each, on loopback, ended on drop.

#![allow(dead_code)] // each test file uses a part

pub mod objects;

use std::net::TcpListener;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use fleet::{
    Entry, Fleet, JoinOptions, Judged, LogSlice, PageId, Partition, PartitionChanges, Position, Pulse, Terms, UrlHash,
    WaitingUrl, WorkerReport,
};
use redis::Value;

/// A `redis-server` of its own, with its files in a temporary folder.
pub struct Server {
    child: Child,
    pub port: u16,
    bus: u16,
    arguments: Vec<String>,
    folder: tempfile::TempDir,
}

/// A port that is free now. Another process can take it before the server does; the server then ends, and another port is tried.
fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

impl Server {
    /// A server alone.
    pub fn start(arguments: &[&str]) -> Self {
        Self::begin(arguments, false)
    }

    fn begin(arguments: &[&str], clustered: bool) -> Self {
        for _ in 0..5 {
            let mut arguments: Vec<String> = arguments.iter().map(|argument| (*argument).to_owned()).collect();
            let (port, bus) = (free_port(), free_port());
            if clustered {
                arguments.extend(["--cluster-port".to_owned(), bus.to_string()]);
            }
            let folder = tempfile::tempdir().unwrap();
            let child = spawn(port, folder.path(), &arguments);
            let mut server = Self {
                child,
                port,
                bus,
                arguments,
                folder,
            };
            if server.answers() {
                return server;
            }
        }
        panic!("redis-server does not start");
    }

    /// Whether it answers within five seconds.
    fn answers(&mut self) -> bool {
        let until = Instant::now() + Duration::from_secs(5);
        while Instant::now() < until {
            if self.child.try_wait().unwrap().is_some() {
                return false;
            }
            if self.try_ask(&["PING"]).is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        false
    }

    pub fn address(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    fn try_ask(&self, words: &[&str]) -> Option<Value> {
        let client = redis::Client::open(self.address()).ok()?;
        let mut connection = client.get_connection_with_timeout(Duration::from_millis(500)).ok()?;
        let timeout = Some(Duration::from_secs(10));
        connection.set_read_timeout(timeout).ok()?;
        let mut cmd = redis::Cmd::new();
        for word in words {
            cmd.arg(*word);
        }
        cmd.query(&mut connection).ok()
    }

    /// The answer to a command.
    pub fn ask(&self, words: &[&str]) -> Value {
        self.try_ask(words).unwrap_or_else(|| panic!("no answer to {words:?}"))
    }

    /// The number that a command answers.
    pub fn count(&self, words: &[&str]) -> i64 {
        match self.ask(words) {
            Value::Int(count) => count,
            other => panic!("{other:?}"),
        }
    }

    /// A number in the answer to INFO.
    pub fn info(&self, section: &str, field: &str) -> f64 {
        let Value::BulkString(text) = self.ask(&["INFO", section]) else {
            panic!("INFO has another form")
        };
        let text = String::from_utf8(text).unwrap();
        let line = text
            .lines()
            .find_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
        line.unwrap_or_else(|| panic!("no {field} in {text}"))
            .trim()
            .parse()
            .unwrap()
    }

    /// As `kill -9`.
    pub fn kill(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }

    /// Starts a killed server again, with its port and its folder.
    pub fn restart(&mut self) {
        for _ in 0..50 {
            self.child = spawn(self.port, self.folder.path(), &self.arguments);
            if self.answers() {
                return;
            }
        }
        panic!("redis-server does not start again");
    }

    /// Stops it without ending it (`STOP`), or lets it go on (`CONT`).
    pub fn signal(&self, name: &str) {
        let status = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status();
        assert!(status.unwrap().success());
    }

    fn id(&self) -> String {
        match self.ask(&["CLUSTER", "MYID"]) {
            Value::BulkString(id) => String::from_utf8(id).unwrap(),
            Value::SimpleString(id) => id,
            other => panic!("{other:?}"),
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.kill();
    }
}

fn spawn(port: u16, folder: &std::path::Path, arguments: &[String]) -> Child {
    Command::new("redis-server")
        .args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--loglevel",
            "warning",
        ])
        .args(["--repl-diskless-sync-delay", "0", "--daemonize", "no"])
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap_or_else(|error| panic!("redis-server, of the package of that name, is needed: {error}"))
}

/// Three primaries, then their three replicas.
pub struct Cluster {
    pub servers: Vec<Server>,
}

impl Cluster {
    pub fn start() -> Self {
        let arguments = [
            "--cluster-enabled",
            "yes",
            "--cluster-node-timeout",
            "3000",
            "--cluster-require-full-coverage",
            "no",
            "--cluster-allow-replica-migration",
            "no",
            "--appendonly",
            "no",
        ];
        let cluster = Self {
            servers: (0..6).map(|_| Server::begin(&arguments, true)).collect(),
        };
        let first = &cluster.servers[0];
        for (index, server) in cluster.servers.iter().enumerate().skip(1) {
            first.ask(&[
                "CLUSTER",
                "MEET",
                "127.0.0.1",
                &server.port.to_string(),
                &server.bus.to_string(),
            ]);
            assert!(index < 6);
        }
        for (index, range) in [("0", "5460"), ("5461", "10922"), ("10923", "16383")]
            .iter()
            .enumerate()
        {
            cluster.servers[index].ask(&["CLUSTER", "ADDSLOTSRANGE", range.0, range.1]);
        }
        for index in 3..6 {
            let id = cluster.servers[index - 3].id();
            wait_for("the replicas to know their primaries", Duration::from_secs(20), || {
                cluster.servers[index].try_ask(&["CLUSTER", "REPLICATE", &id]).is_some()
            });
        }
        cluster.wait_until_whole();
        cluster
    }

    /// Until all servers agree on three primaries with a connected replica each.
    pub fn wait_until_whole(&self) {
        wait_for("the cluster to be whole", Duration::from_secs(40), || {
            let mut primaries = 0;
            for server in &self.servers {
                let state = server.try_ask(&["CLUSTER", "INFO"]);
                let Some(Value::BulkString(state)) = state else {
                    return false;
                };
                let state = String::from_utf8(state).unwrap();
                if !state.contains("cluster_state:ok")
                    || !state.contains("cluster_slots_ok:16384")
                    || !state.contains("cluster_known_nodes:6")
                {
                    return false;
                }
                match server.try_ask(&["ROLE"]) {
                    Some(Value::Array(role)) if role[0] == Value::BulkString(b"master".to_vec()) => {
                        let Value::Array(replicas) = &role[2] else { return false };
                        if replicas.is_empty() {
                            return false;
                        }
                        primaries += 1;
                    }
                    Some(Value::Array(role)) if role.get(3) == Some(&Value::BulkString(b"connected".to_vec())) => {}
                    _ => return false,
                }
            }
            primaries == 3
        });
    }

    /// Whether a tag's slot is owned by another server than the given one.
    pub fn owner_is_alive(&self, tag: &str, dead: usize) -> bool {
        self.servers
            .iter()
            .enumerate()
            .filter(|(index, _)| *index != dead)
            .all(|(_, server)| {
                let Some(Value::Int(slot)) = server.try_ask(&["CLUSTER", "KEYSLOT", &format!("{{{tag}}}")]) else {
                    return false;
                };
                let Some(Value::Array(ranges)) = server.try_ask(&["CLUSTER", "SLOTS"]) else {
                    return false;
                };
                let dead = Value::Int(i64::from(self.servers[dead].port));
                ranges.iter().any(|range| match range {
                    Value::Array(parts) => match (&parts[0], &parts[1], &parts[2]) {
                        (Value::Int(first), Value::Int(last), Value::Array(node)) => {
                            (*first..=*last).contains(&slot) && node[1] != dead
                        }
                        _ => false,
                    },
                    _ => false,
                })
            })
    }

    /// Moves the slot of a tag from its owner to another primary, key by key, as an operator's tool does.
    pub fn move_slot(&self, tag: &str, pause: Duration) {
        let from = &self.servers[self.owner_of(tag)];
        let to = (0..3)
            .map(|index| &self.servers[index])
            .find(|server| server.port != from.port)
            .unwrap();
        let Value::Int(slot) = from.ask(&["CLUSTER", "KEYSLOT", &format!("{{{tag}}}")]) else {
            panic!("no slot")
        };
        let (slot, from_id, to_id) = (slot.to_string(), from.id(), to.id());
        to.ask(&["CLUSTER", "SETSLOT", &slot, "IMPORTING", &from_id]);
        from.ask(&["CLUSTER", "SETSLOT", &slot, "MIGRATING", &to_id]);
        loop {
            let Value::Array(keys) = from.ask(&["CLUSTER", "GETKEYSINSLOT", &slot, "1"]) else {
                panic!("no keys")
            };
            let Some(Value::BulkString(key)) = keys.first() else {
                break;
            };
            let key = String::from_utf8(key.clone()).unwrap();
            let port = to.port.to_string();
            from.ask(&["MIGRATE", "127.0.0.1", &port, &key, "0", "5000"]);
            std::thread::sleep(pause);
        }
        for server in [to, from] {
            server.ask(&["CLUSTER", "SETSLOT", &slot, "NODE", &to_id]);
        }
    }

    /// The index of the primary that owns the slot of a hash tag.
    pub fn owner_of(&self, tag: &str) -> usize {
        let alive = self.servers.iter().find_map(|server| {
            let slot = match server.try_ask(&["CLUSTER", "KEYSLOT", &format!("{{{tag}}}")])? {
                Value::Int(slot) => slot,
                _ => return None,
            };
            Some((slot, server.try_ask(&["CLUSTER", "SLOTS"])?))
        });
        let Some((slot, Value::Array(ranges))) = alive else {
            panic!("no answer")
        };
        for range in ranges {
            let Value::Array(parts) = range else { continue };
            let (Value::Int(first), Value::Int(last), Value::Array(node)) = (&parts[0], &parts[1], &parts[2]) else {
                continue;
            };
            if (*first..=*last).contains(&slot) {
                return self
                    .servers
                    .iter()
                    .position(|server| Value::Int(i64::from(server.port)) == node[1])
                    .unwrap();
            }
        }
        panic!("nobody owns {tag}")
    }

    pub fn address(&self) -> String {
        format!(
            "redis://127.0.0.1:{},127.0.0.1:{}",
            self.servers[0].port, self.servers[1].port
        )
    }
}

/// Polls until something holds; fails after a bound.
pub fn wait_for(what: &str, bound: Duration, mut holds: impl FnMut() -> bool) {
    let until = Instant::now() + bound;
    while !holds() {
        assert!(Instant::now() < until, "waited {bound:?} for {what}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Options of the worker with a folder.
pub fn options(address: &str, folder: u64) -> JoinOptions {
    JoinOptions {
        folder,
        host: format!("machine-{folder}"),
        terms: Terms {
            scheme: "words".to_owned(),
            rule: "k=3".to_owned(),
            partitions: 16,
        },
        lease: Duration::from_millis(2_000),
        valid_changes: <[_]>::to_vec,
        ..JoinOptions::new(address)
    }
}

pub async fn worker(address: &str, folder: u64) -> Fleet {
    Fleet::join(options(address, folder)).await.unwrap()
}

pub fn waiting(url: &str) -> WaitingUrl {
    WaitingUrl {
        url: url.to_owned(),
        depth: 1,
        redirects: 0,
        priority: 0,
        is_seed: false,
    }
}

/// A worker says that it lives.
pub async fn beat(fleet: &Fleet) -> Pulse {
    fleet.heartbeat(&WorkerReport::default()).await.unwrap()
}

/// Everything in a partition's queue that is not finished, each URL once, sorted.
pub async fn queued(fleet: &Fleet, partition: Partition) -> Vec<String> {
    let mut urls = Vec::new();
    let mut from = 0;
    loop {
        let slice = fleet.read_queue(partition, None, from, 100).await.unwrap();
        urls.extend(slice.urls.into_iter().map(|url| url.url));
        from = slice.next;
        if slice.next >= slice.end {
            break;
        }
    }
    urls.sort();
    urls.dedup();
    urls
}

/// The entries of a slice of a log that nobody has shortened so far.
pub fn entries(slice: LogSlice) -> Vec<(Position, Entry)> {
    match slice {
        LogSlice::Entries(entries) => entries,
        other => panic!("no entries: {other:?}"),
    }
}

/// In the tests of the log, a verdict that all workers agree on.
pub fn is_kept(page: PageId) -> bool {
    !(page.sequence + u64::from(page.worker.0)).is_multiple_of(3)
}

/// What a worker knows of the log that follows it. Of a dropped page it is the number.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Follower {
    pub position: Position,
    pub pages: Vec<Judged>,
    /// Segments that it read.
    pub segments: usize,
}

impl Follower {
    /// Reads one slice. `false` at the end of the log.
    pub async fn read(&mut self, fleet: &Fleet, at_most: usize) -> Result<bool, fleet::FleetError> {
        match fleet.read_log(self.position, at_most).await? {
            LogSlice::Entries(entries) => {
                let is_more = entries.len() == at_most;
                for (position, entry) in entries {
                    assert!(position > self.position);
                    self.position = position;
                    self.pages.push(if is_kept(entry.page) {
                        Judged::Kept(entry)
                    } else {
                        Judged::Dropped(entry.page)
                    });
                }
                Ok(is_more)
            }
            LogSlice::Segment(row) => {
                let segment = fleet.read_segment(&row).await?;
                assert!(segment.end > self.position);
                self.position = segment.end;
                self.segments += 1;
                // A part of the segment may be known already.
                let is_overlap = |from: &usize| segment.pages.starts_with(&self.pages[*from..]);
                let least = self.pages.len().saturating_sub(segment.pages.len());
                let from = (least..=self.pages.len()).find(is_overlap).unwrap();
                self.pages.truncate(from);
                self.pages.extend(segment.pages);
                Ok(true)
            }
            LogSlice::Lost => panic!("the log has lost the entry at {:?}", self.position),
        }
    }

    /// Reads to the end.
    pub async fn read_all(&mut self, fleet: &Fleet) -> Result<(), fleet::FleetError> {
        while self.read(fleet, 100).await? {}
        Ok(())
    }
}

/// A page whose number says whether it is kept.
pub fn entry(fleet: &Fleet, sequence: u64) -> Entry {
    Entry {
        page: PageId {
            worker: fleet.worker(),
            sequence,
        },
        url: format!("https://www.site{}.example/a/page/{sequence}", fleet.worker().0),
        signature: vec![sequence as u8; 160],
    }
}

/// What the log decides on it.
pub fn judged(entry: Entry) -> Judged {
    if is_kept(entry.page) {
        Judged::Kept(entry)
    } else {
        Judged::Dropped(entry.page)
    }
}

/// Writes the next segment, of at most so many entries. `false`: not now.
pub async fn shorten(fleet: &Fleet, applied: Position, entries: usize) -> Result<bool, fleet::FleetError> {
    let Some(draft) = fleet.begin_segment(applied, entries).await? else {
        return Ok(false);
    };
    let kept: Vec<bool> = draft.pages().map(is_kept).collect();
    fleet.end_segment(draft, &kept).await
}

pub fn changes(done: &[&str], new: &[&str]) -> PartitionChanges {
    PartitionChanges {
        done: done.iter().map(|url| UrlHash::of(url)).collect(),
        new: new.iter().map(|url| waiting(url)).collect(),
        ..PartitionChanges::default()
    }
}
