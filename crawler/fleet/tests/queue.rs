//! The queue of a partition against a model, on a real server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};

use fleet::{Committed, Fleet, Grant, Partition, PartitionChanges, UNKNOWN_DEPTH, UrlHash, WaitingUrl, WorkerNumber};
use support::{Server, changes, queued, waiting, worker};

/// Random calls by several workers over several partitions: what is known and not finished is in the queue, exactly that.
#[tokio::test]
async fn the_queue_is_its_model() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let other = worker(&server.address(), 2).await;
    for seed in 0..4 {
        let mut random = fastrand::Rng::with_seed(seed);
        let grants = fleet.acquire(3, &[]).await.unwrap();
        let mut known = vec![BTreeSet::new(); 3];
        let mut done = vec![BTreeSet::new(); 3];
        for (index, grant) in grants.iter().enumerate() {
            known[index].extend(queued(&fleet, grant.partition).await);
        }
        let url = |random: &mut fastrand::Rng, partition: usize| {
            format!("https://site{partition}.example/{seed}/{}", random.u16(..900))
        };
        for _ in 0..120 {
            let index = random.usize(..3);
            let grant = grants[index];
            let some: Vec<String> = (0..random.usize(..40)).map(|_| url(&mut random, index)).collect();
            // Also some that nobody queued: a redirect led there.
            let mut finished: Vec<String> = (0..random.usize(..30)).map(|_| url(&mut random, index)).collect();
            finished.retain(|url| known[index].contains(url) || random.u8(..20) == 0);
            known[index].extend(some.iter().cloned());
            if random.bool() {
                let rows = vec![(grant.partition, some.iter().map(|url| waiting(url)).collect())];
                other.enqueue(&rows).await.unwrap();
                if random.bool() {
                    other.enqueue(&rows).await.unwrap();
                }
            } else {
                let change = changes(
                    &finished.iter().map(String::as_str).collect::<Vec<_>>(),
                    &some.iter().map(String::as_str).collect::<Vec<_>>(),
                );
                for _ in 0..=usize::from(random.bool()) {
                    let committed = fleet.commit(grant.partition, grant.epoch, &change).await.unwrap();
                    assert!(matches!(committed, Committed::Done { .. }));
                }
                known[index].extend(finished.iter().cloned());
                done[index].extend(finished);
            }
        }
        let mut sum = 0;
        for (index, grant) in grants.iter().enumerate() {
            let expected: Vec<String> = known[index].difference(&done[index]).cloned().collect();
            assert_eq!(queued(&fleet, grant.partition).await, expected);
            sum += expected.len();
            let all: Vec<&String> = known[index].iter().collect();
            let hashes: Vec<UrlHash> = all.iter().map(|url| UrlHash::of(url)).collect();
            let answers = fleet.done(grant.partition, &hashes).await.unwrap();
            for (url, answer) in all.iter().zip(answers) {
                assert_eq!(answer, done[index].contains(*url), "{url}");
            }
        }
        assert!(sum > 0);
        let leases: Vec<_> = grants.iter().map(|grant| (grant.partition, grant.epoch)).collect();
        fleet.release(&leases).await.unwrap();
    }
}

const P: Partition = Partition(3);

/// A worker that may own the partition.
struct Owner {
    fleet: Fleet,
    /// What its folder knows: each URL with the smallest depth that it has heard of.
    heard: BTreeMap<String, u16>,
    /// Depths of finished URLs that its folder does not know: another worker has fetched these.
    ignored: BTreeMap<String, u16>,
}

/// The lease of the owner, and up to where it has read the queue.
struct Reading {
    grant: Grant,
    from: u64,
}

impl Owner {
    async fn new(server: &Server, folder: u64) -> Self {
        Self {
            fleet: worker(&server.address(), folder).await,
            heard: BTreeMap::new(),
            ignored: BTreeMap::new(),
        }
    }

    fn hears(&mut self, of: &WaitingUrl) {
        lower(&mut self.heard, of);
    }

    async fn claims(&self) -> Reading {
        let grant = self.fleet.acquire(1, &[P]).await.unwrap()[0];
        assert_eq!(grant.partition, P);
        Reading { grant, from: 0 }
    }

    /// Reads some rows. Returns whether there are more.
    async fn reads(&mut self, at: &mut Reading, rows: usize) -> bool {
        let slice = self.fleet.read_queue(P, Some(at.grant.epoch), at.from, rows).await;
        let slice = slice.unwrap();
        at.from = slice.next;
        for url in &slice.urls {
            self.hears(url);
        }
        for url in &slice.lowered {
            let is_known = self.heard.contains_key(&url.url);
            lower(if is_known { &mut self.heard } else { &mut self.ignored }, url);
        }
        slice.next < slice.end
    }

    async fn commits(&self, at: &mut Reading, changes: &PartitionChanges) {
        match self.fleet.commit(P, at.grant.epoch, changes).await.unwrap() {
            Committed::Done { queue_end, is_read } if is_read => at.from = queue_end,
            Committed::Done { .. } => {}
            Committed::Stale => panic!("it owns the partition"),
        }
    }
}

fn lower(depths: &mut BTreeMap<String, u16>, of: &WaitingUrl) {
    let depth = depths.entry(of.url.clone()).or_insert(of.depth);
    *depth = (*depth).min(of.depth);
}

fn at_depth(url: &str, depth: u16) -> WaitingUrl {
    WaitingUrl { depth, ..waiting(url) }
}

/// A number in the row of the partition.
fn field(server: &Server, name: &str) -> usize {
    match server.ask(&["HGET", "{crawl/3}m", name]) {
        redis::Value::BulkString(digits) => String::from_utf8(digits).unwrap().parse().unwrap(),
        redis::Value::Nil => 0,
        other => panic!("{other:?}"),
    }
}

fn rows(server: &Server) -> usize {
    match server.ask(&["LLEN", "{crawl/3}q"]) {
        redis::Value::Int(rows) => usize::try_from(rows).unwrap(),
        other => panic!("{other:?}"),
    }
}

/// Random calls by two workers that own a partition in turns, and by a third one: the smallest depth of each URL reaches its owner, and no
/// URL is counted twice.
#[tokio::test]
async fn the_smallest_depth_reaches_the_owner() {
    for seed in 0..6 {
        let server = Server::start(&[]);
        let mut owners = Vec::new();
        for number in 1..=2 {
            owners.push(Owner::new(&server, number).await);
        }
        let other = worker(&server.address(), 3).await;
        let mut random = fastrand::Rng::with_seed(seed);
        let mut now = 0;
        let mut at = owners[now].claims().await;
        // The smallest depth of each known URL; none was told of those that were finished without having been queued.
        let mut known: BTreeMap<String, u16> = BTreeMap::new();
        let mut done: BTreeSet<String> = BTreeSet::new();
        let url = |random: &mut fastrand::Rng| format!("https://a.example/{seed}/{}", random.u16(..300));
        let depth = |random: &mut fastrand::Rng| match random.u8(..8) {
            0 => u16::MAX,
            1 => random.u16(100..20_000),
            _ => random.u16(..40),
        };
        for step in 0..600 {
            let some: Vec<WaitingUrl> = (0..random.usize(..12))
                .map(|_| at_depth(&url(&mut random), depth(&mut random)))
                .collect();
            let learn = |known: &mut BTreeMap<String, u16>| {
                for url in &some {
                    lower(known, url);
                }
            };
            let repeated = usize::from(random.u8(..4) == 0);
            match random.u8(..10) {
                0..=2 => {
                    let before = known.len();
                    learn(&mut known);
                    let mut new = 0;
                    for _ in 0..=repeated {
                        new += other.enqueue_new(&[(P, some.clone())]).await.unwrap();
                    }
                    let unknown = known.len() - before;
                    assert_eq!(usize::try_from(new).unwrap(), unknown, "step {step} of {seed}");
                }
                3 | 4 => {
                    owners[now].reads(&mut at, random.usize(1..60)).await;
                }
                5..=7 => {
                    let heard: Vec<String> = owners[now].heard.keys().cloned().collect();
                    let mut finished: Vec<String> = heard.into_iter().filter(|_| random.u8(..6) == 0).collect();
                    if random.u8(..4) == 0 {
                        // A redirect led there.
                        let led = url(&mut random);
                        owners[now].hears(&at_depth(&led, u16::MAX));
                        finished.push(led);
                    }
                    let change = PartitionChanges {
                        done: finished.iter().map(|url| UrlHash::of(url)).collect(),
                        new: some.clone(),
                        are_stored: random.bool(),
                        hosts: Vec::new(),
                    };
                    if change.are_stored {
                        for url in &some {
                            owners[now].hears(url);
                        }
                    }
                    learn(&mut known);
                    for url in finished {
                        known.entry(url.clone()).or_insert(u16::MAX);
                        done.insert(url);
                    }
                    for _ in 0..=repeated {
                        owners[now].commits(&mut at, &change).await;
                    }
                }
                8 => {
                    learn(&mut known);
                    for url in &some {
                        done.remove(&url.url);
                    }
                    for _ in 0..=repeated {
                        other.reopen(None, &[(P, some.clone())]).await.unwrap();
                    }
                }
                _ => {
                    let lease = [(P, at.grant.epoch)];
                    owners[now].fleet.release(&lease).await.unwrap();
                    now = 1 - now;
                    at = owners[now].claims().await;
                }
            }
            assert_eq!(field(&server, "n"), known.len(), "step {step} of {seed}");
            assert_eq!(field(&server, "a"), known.len() - done.len(), "step {step} of {seed}");
        }
        while owners[now].reads(&mut at, 50).await {}
        for (url, depth) in &known {
            let of = |owner: &Owner| owner.heard.get(url).copied();
            if done.contains(url) {
                let ignored = owners.iter().filter_map(|owner| owner.ignored.get(url).copied());
                let told = owners.iter().filter_map(of).chain(ignored).min();
                assert_eq!(told, Some(*depth), "{url}, finished, seed {seed}");
            } else {
                assert_eq!(of(&owners[now]), Some(*depth), "{url}, waiting, seed {seed}");
            }
        }
        // Every URL that waits is in the queue with its smallest depth, for owners to come.
        let mut waits: BTreeMap<String, u16> = BTreeMap::new();
        let mut from = 0;
        loop {
            let slice = other.read_queue(P, None, from, 100).await.unwrap();
            for url in slice.urls {
                lower(&mut waits, &url);
            }
            from = slice.next;
            if slice.next == slice.end {
                break;
            }
        }
        known.retain(|url, _| !done.contains(url));
        assert_eq!(waits, known);
    }
}

/// What a worker brings back of another worker's pages are names without depths.
#[tokio::test]
async fn an_unknown_depth_lowers_none_and_gives_way_to_each() {
    let server = Server::start(&[]);
    let mut owner = Owner::new(&server, 1).await;
    let other = worker(&server.address(), 2).await;
    let mut at = owner.claims().await;
    let [early, late, finished] = ["early", "late", "finished"].map(|name| format!("https://a.example/{name}"));
    let name = |url: &str| at_depth(url, UNKNOWN_DEPTH);
    other
        .bring_back(&[(P, vec![(UrlHash::of(&finished), None)])])
        .await
        .unwrap();
    let of_all = [
        at_depth(&late, 5),
        name(&late),
        name(&early),
        at_depth(&early, 6),
        name(&finished),
    ];
    for some in of_all {
        other.enqueue(&[(P, vec![some])]).await.unwrap();
    }
    assert_eq!(rows(&server), 3, "one of each that waits, and one that lowers a depth");
    while owner.reads(&mut at, 500).await {}
    assert_eq!((owner.heard[&early], owner.heard[&late]), (6, 5));
    // Fetched again, it has the depth that is known.
    for url in [&early, &finished] {
        owner.commits(&mut at, &changes(&[url], &[])).await;
        other.reopen(None, &[(P, vec![name(url)])]).await.unwrap();
    }
    owner.heard.clear();
    while owner.reads(&mut at, 500).await {}
    assert_eq!((owner.heard[&early], owner.heard[&finished]), (6, UNKNOWN_DEPTH));
    assert_eq!(field(&server, "a"), 3);
    // One that waits comes once more, but not for a worker that is lost.
    owner.heard.clear();
    other.reopen(None, &[(P, vec![name(&late)])]).await.unwrap();
    other
        .reopen(Some(WorkerNumber(9)), &[(P, vec![name(&early)])])
        .await
        .unwrap();
    while owner.reads(&mut at, 500).await {}
    assert_eq!(owner.heard, BTreeMap::from([(late, 5)]));
    assert_eq!(field(&server, "a"), 3);
}

/// Depths that sink again and again leave rows, of URLs that wait and of finished ones: they leave the queue, and then it stays as it is.
#[tokio::test]
async fn rows_that_lower_depths_leave_the_queue() {
    let server = Server::start(&[]);
    let mut owner = Owner::new(&server, 1).await;
    let other = worker(&server.address(), 2).await;
    let mut at = owner.claims().await;
    let urls: Vec<String> = (0..60).map(|number| format!("https://a.example/{number}")).collect();
    let done: Vec<&str> = urls[..30].iter().map(String::as_str).collect();
    let mut longest = 0;
    for depth in (100..400).rev() {
        let lower: Vec<WaitingUrl> = urls.iter().map(|url| at_depth(url, depth)).collect();
        other.enqueue(&[(P, lower)]).await.unwrap();
        if depth % 3 == 0 {
            owner.reads(&mut at, 500).await;
        }
        owner.commits(&mut at, &changes(&done, &[])).await;
        longest = longest.max(rows(&server));
    }
    // Of three rounds, nothing was read.
    assert!(longest < 2 * 30 + 64 + 4 * 60, "{longest}");
    while owner.reads(&mut at, 500).await {}
    assert!(owner.heard.len() == 60 && owner.heard.values().all(|depth| *depth == 100));
    owner.commits(&mut at, &changes(&[], &[])).await;
    let left = rows(&server);
    let (first, end) = (field(&server, "b"), at.from);
    assert!(left <= 2 * 30 + 64, "{left}");
    for _ in 0..3 {
        owner.commits(&mut at, &changes(&[], &[])).await;
    }
    assert_eq!((rows(&server), field(&server, "b"), at.from), (left, first, end));
}

/// A reader that goes on from where it was sees each waiting URL, while the owner finishes URLs and the queue is made shorter.
#[tokio::test]
async fn a_reader_misses_nothing_while_finished_rows_leave() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let grant = fleet.acquire(1, &[Partition(3)]).await.unwrap()[0];
    let urls: Vec<String> = (0..3_000).map(|number| format!("https://a.example/{number}")).collect();
    let mut random = fastrand::Rng::with_seed(1);
    let (mut seen, mut from, mut finished) = (BTreeSet::new(), 0, 0);
    for some in urls.chunks(150) {
        let rows = some.iter().map(|url| waiting(url)).collect();
        fleet.enqueue(&[(Partition(3), rows)]).await.unwrap();
        let slice = fleet
            .read_queue(Partition(3), Some(grant.epoch), from, 200)
            .await
            .unwrap();
        from = slice.next;
        seen.extend(slice.urls.into_iter().map(|url| url.url));
        let done: Vec<&str> = seen
            .iter()
            .filter(|_| random.u8(..10) < 9)
            .map(String::as_str)
            .collect();
        finished += done.len();
        for _ in 0..2 {
            fleet
                .commit(Partition(3), grant.epoch, &changes(&done, &[]))
                .await
                .unwrap();
        }
    }
    loop {
        let slice = fleet
            .read_queue(Partition(3), Some(grant.epoch), from, 200)
            .await
            .unwrap();
        seen.extend(slice.urls.into_iter().map(|url| url.url));
        from = slice.next;
        if slice.next == slice.end {
            break;
        }
    }
    assert_eq!(seen.len(), 3_000, "{finished}");
    let rows = server.ask(&["LLEN", "{crawl/3}q"]);
    assert!(matches!(rows, redis::Value::Int(rows) if rows < 1_500), "{rows:?}");
    // Beyond the end, as after the loss of the end: from the beginning again.
    let slice = fleet
        .read_queue(Partition(3), Some(grant.epoch), 1 << 40, 10)
        .await
        .unwrap();
    assert!(slice.next < slice.end);
}

#[tokio::test]
async fn a_site_that_chooses_its_urls_can_fill_one_small_set() {
    let server = Server::start(&[]);
    let fleet = support::worker(&server.address(), 1).await;
    // The set is chosen by the lowest bits. When it is split, all these URLs move.
    let urls: Vec<String> = (0..)
        .map(|number| format!("https://a.example/{number}"))
        .filter(|url| (UrlHash::of(url).0 >> 11) & 63 == 63)
        .take(13_000)
        .collect();
    for some in urls.chunks(500) {
        let rows = some.iter().map(|url| waiting(url)).collect();
        fleet.enqueue(&[(Partition(3), rows)]).await.unwrap();
    }
    let found: BTreeSet<String> = support::queued(&fleet, Partition(3)).await.into_iter().collect();
    assert_eq!(found, urls.into_iter().collect());
}

#[tokio::test]
async fn host_states_stay_with_the_partition() {
    let server = Server::start(&[]);
    let (one, two) = (worker(&server.address(), 1).await, worker(&server.address(), 2).await);
    let grant = one.acquire(1, &[Partition(0)]).await.unwrap()[0];
    let mut change = changes(&[], &[]);
    change.hosts = (0..1_200)
        .map(|host| (format!("h{host}.example"), vec![host as u8; 40]))
        .collect();
    one.commit(grant.partition, grant.epoch, &change).await.unwrap();
    change.hosts = vec![("h5.example".to_owned(), vec![9])];
    one.commit(grant.partition, grant.epoch, &change).await.unwrap();
    one.release(&[(grant.partition, grant.epoch)]).await.unwrap();
    let states = two.host_states(Partition(0)).await.unwrap();
    assert_eq!(states.len(), 1_200);
    assert!(states.contains(&("h5.example".to_owned(), vec![9])));
}
