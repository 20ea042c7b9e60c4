//! Servers that die, stop, and take over.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use fleet::{
    Committed, Entry, Fleet, FleetError, JoinOptions, Judged, LeaseState, PageId, Partition, UrlHash, WorkerReport,
};
use support::{Cluster, Follower, Server, changes, options, queued, shorten, waiting, worker};

/// What a worker of the fault test has been told is written.
#[derive(Default)]
struct Told {
    /// URLs finished, by partition.
    done: BTreeMap<u16, BTreeSet<String>>,
    /// URLs queued, by partition.
    queued: BTreeMap<u16, BTreeSet<String>>,
    /// Sequence numbers of pages in the log.
    appended: Vec<u64>,
    /// Segments of the log written.
    segments: usize,
    /// Calls that ended with an error.
    failed: usize,
}

/// Entries of the log in a segment.
const SEGMENT: usize = 60;

/// Finishes, queues, appends and shortens the log until it is told to stop, and repeats what fails, as an outbox does.
async fn work(fleet: Fleet, stop: Arc<AtomicBool>) -> Told {
    let mut told = Told::default();
    let number = fleet.worker().0;
    let mut held: BTreeMap<Partition, fleet::Epoch> = BTreeMap::new();
    let mut step = 0;
    let mut renewed = Instant::now();
    let mut follower = Follower::default();
    while !stop.load(Ordering::Relaxed) {
        step += 1;
        if held.len() < 5
            && let Ok(grants) = fleet.acquire(5 - held.len(), &[]).await
        {
            held.extend(grants.iter().map(|grant| (grant.partition, grant.epoch)));
        }
        if renewed.elapsed() > Duration::from_millis(300) {
            renewed = Instant::now();
            if fleet
                .heartbeat(&WorkerReport::default())
                .await
                .is_ok_and(|pulse| pulse.lapsed)
            {
                held.clear();
            }
            let leases: Vec<_> = held.iter().map(|(partition, epoch)| (*partition, *epoch)).collect();
            if let Ok(states) = fleet.check_leases(&leases).await {
                for (_, (partition, _)) in states
                    .iter()
                    .zip(leases)
                    .filter(|(state, _)| **state == LeaseState::Lost)
                {
                    held.remove(&partition);
                }
            }
        }
        for (partition, epoch) in held.clone() {
            let done = format!("https://w{number}.example/{}/done/{step}", partition.0);
            let new = format!("https://w{number}.example/{}/new/{step}", partition.0);
            match fleet.commit(partition, epoch, &changes(&[&done], &[&new])).await {
                Ok(Committed::Done { .. }) => {
                    told.done.entry(partition.0).or_default().insert(done);
                    told.queued.entry(partition.0).or_default().insert(new);
                }
                Ok(Committed::Stale) => {
                    held.remove(&partition);
                }
                Err(_) => told.failed += 1,
            }
        }
        let foreign = Partition((step % 16) as u16);
        let url = format!("https://w{number}.example/{}/foreign/{step}", foreign.0);
        match fleet.enqueue(&[(foreign, vec![waiting(&url)])]).await {
            Ok(()) => {
                told.queued.entry(foreign.0).or_default().insert(url);
            }
            Err(_) => told.failed += 1,
        }
        let entry = Entry {
            page: PageId {
                worker: fleet.worker(),
                sequence: step,
            },
            url: format!("https://w{number}.example/{step}"),
            signature: vec![1; 160],
        };
        match fleet.append(&[entry]).await {
            Ok(()) => told.appended.push(step),
            Err(_) => told.failed += 1,
        }
        let shortened = match follower.read_all(&fleet).await {
            Ok(()) => shorten(&fleet, follower.position, SEGMENT).await,
            Err(error) => Err(error),
        };
        match shortened {
            Ok(is_written) => told.segments += usize::from(is_written),
            Err(_) => told.failed += 1,
        }
    }
    told
}

/// Everything that a call has reported as written is there, and readers of the log agree.
async fn check(fleet: &Fleet, told: &[Told], read: &[Judged]) {
    for told in told {
        for (partition, urls) in &told.done {
            let hashes: Vec<UrlHash> = urls.iter().map(|url| UrlHash::of(url)).collect();
            let done = fleet.done(Partition(*partition), &hashes).await.unwrap();
            assert!(
                done.iter().all(|done| *done),
                "a finished URL of partition {partition} is lost"
            );
        }
        for (partition, urls) in &told.queued {
            let there: BTreeSet<String> = queued(fleet, Partition(*partition)).await.into_iter().collect();
            let lost: Vec<&String> = urls.difference(&there).collect();
            assert!(lost.is_empty(), "lost of partition {partition}: {lost:?}");
        }
    }
    let mut late = Follower::default();
    late.read_all(fleet).await.unwrap();
    assert_eq!(
        late.segments > 0,
        told.iter().map(|told| told.segments).sum::<usize>() > 1
    );
    // What a reader has seen while servers died is the beginning of the log, in the same order.
    assert_eq!(&late.pages[..read.len()], read);
    for (number, told) in (1..).zip(told) {
        let ids = late.pages.iter().map(|page| match page {
            Judged::Kept(entry) => entry.page,
            Judged::Dropped(page) => *page,
        });
        let there: BTreeSet<u64> = ids
            .filter(|page| page.worker.0 == number)
            .map(|page| page.sequence)
            .collect();
        assert!(
            told.appended.iter().all(|sequence| there.contains(sequence)),
            "an entry of worker {number} is lost"
        );
    }
}

/// A reader that follows the log, as each worker does.
async fn follow(fleet: Fleet, stop: Arc<AtomicBool>) -> Vec<Judged> {
    let mut follower = Follower::default();
    while !stop.load(Ordering::Relaxed) {
        if follower.read(&fleet, 200).await.is_err() {
            tracing::debug!("no server answers the reader");
        }
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
    follower.pages
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn primaries_are_killed_and_nothing_that_was_reported_is_lost() {
    let mut cluster = Cluster::start();
    let stop = Arc::new(AtomicBool::new(false));
    let mut workers = Vec::new();
    let mut fleets = Vec::new();
    for folder in 1..=3 {
        let fleet = worker(&cluster.address(), folder).await;
        assert_eq!(u64::from(fleet.worker().0), folder);
        workers.push(tokio::spawn(work(fleet.clone(), stop.clone())));
        fleets.push(fleet);
    }
    let follower = tokio::spawn(follow(fleets[0].clone(), stop.clone()));
    for tag in ["crawl/log", "crawl/7", "crawl/fleet"] {
        tokio::time::sleep(Duration::from_millis(700)).await;
        let victim = tokio::task::block_in_place(|| cluster.owner_of(tag));
        cluster.servers[victim].kill();
        tokio::task::block_in_place(|| {
            support::wait_for("another server to take over", Duration::from_secs(20), || {
                cluster.owner_is_alive(tag, victim)
            });
            cluster.servers[victim].restart();
            cluster.wait_until_whole();
        });
    }
    // On a busy machine, the workers need more time for as much work: more than the three segments that are asked for below.
    let mut late = Follower::default();
    let patience = Instant::now() + Duration::from_secs(120);
    while late.pages.len() < 5 * SEGMENT && Instant::now() < patience {
        late.read_all(&fleets[2]).await.unwrap();
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    stop.store(true, Ordering::Relaxed);
    let mut told = Vec::new();
    for work in workers {
        told.push(work.await.unwrap());
    }
    let read = follower.await.unwrap();
    check(&fleets[1], &told, &read).await;
    let sum = |count: fn(&Told) -> usize| told.iter().map(count).sum::<usize>();
    eprintln!(
        "entries {}, segments {}, read meanwhile {}, failed calls {}, repeats {}",
        sum(|told| told.appended.len()),
        sum(|told| told.segments),
        read.len(),
        sum(|told| told.failed),
        fleets.iter().map(|fleet| fleet.traffic().repeats).sum::<u64>()
    );
    assert!(sum(|told| told.appended.len()) > 100);
    assert!(sum(|told| told.segments) > 2);
    assert!(told.iter().all(|told| told.done.len() > 1));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn slots_move_to_another_server_while_workers_write() {
    let cluster = Cluster::start();
    let stop = Arc::new(AtomicBool::new(false));
    let fleet = worker(&cluster.address(), 1).await;
    let working = tokio::spawn(work(fleet.clone(), stop.clone()));
    for tag in ["crawl/7", "crawl/log", "crawl/8"] {
        tokio::time::sleep(Duration::from_millis(300)).await;
        tokio::task::block_in_place(|| cluster.move_slot(tag, Duration::from_millis(50)));
    }
    tokio::time::sleep(Duration::from_millis(500)).await;
    stop.store(true, Ordering::Relaxed);
    let told = working.await.unwrap();
    assert_eq!(told.failed, 0);
    check(&fleet, &[told], &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn connections_that_the_server_closes_are_made_again() {
    let server = Server::start(&[]);
    let stop = Arc::new(AtomicBool::new(false));
    let fleet = worker(&server.address(), 1).await;
    let working = tokio::spawn(work(fleet.clone(), stop.clone()));
    for _ in 0..30 {
        tokio::time::sleep(Duration::from_millis(20)).await;
        server.ask(&["CLIENT", "KILL", "TYPE", "normal", "SKIPME", "yes"]);
    }
    stop.store(true, Ordering::Relaxed);
    let told = working.await.unwrap();
    assert_eq!(told.failed, 0);
    check(&fleet, &[told], &[]).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_stopped_server_is_waited_for_and_then_everything_goes_on() {
    let server = Server::start(&[]);
    let stop = Arc::new(AtomicBool::new(false));
    let fleet = worker(&server.address(), 1).await;
    let working = tokio::spawn(work(fleet.clone(), stop.clone()));
    tokio::time::sleep(Duration::from_millis(300)).await;
    server.signal("STOP");
    tokio::time::sleep(Duration::from_secs(5)).await;
    server.signal("CONT");
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    stop.store(true, Ordering::Relaxed);
    let told = working.await.unwrap();
    check(&fleet, &[told], &[]).await;
}

#[tokio::test]
async fn a_server_that_stays_away_is_an_error_within_the_bound() {
    let mut server = Server::start(&[]);
    let short = JoinOptions {
        patience: Duration::from_millis(1_500),
        ..options(&server.address(), 1)
    };
    let fleet = Fleet::join(short).await.unwrap();
    for stopped in [true, false] {
        if stopped {
            server.signal("STOP");
        } else {
            server.signal("CONT");
            server.kill();
        }
        let began = Instant::now();
        let error = fleet.acquire(1, &[]).await.unwrap_err();
        assert!(
            error.is_transient() && matches!(error, FleetError::Unreachable { .. }),
            "{error}"
        );
        assert!(error.to_string().contains("127.0.0.1"), "{error}");
        assert!(began.elapsed() < Duration::from_secs(12), "{:?}", began.elapsed());
    }
    // The same process goes on with a server that came back empty: it is told so.
    server.restart();
    let error = fleet.heartbeat(&WorkerReport::default()).await.unwrap_err();
    assert!(matches!(error, FleetError::Forgotten { .. }), "{error}");
}

#[tokio::test]
async fn a_script_that_the_server_has_forgotten_is_sent_again() {
    let server = Server::start(&[]);
    let fleet = worker(&server.address(), 1).await;
    let grant = fleet.acquire(1, &[]).await.unwrap()[0];
    for number in 0..3 {
        server.ask(&["SCRIPT", "FLUSH"]);
        let url = format!("https://a.example/{number}");
        let committed = fleet
            .commit(grant.partition, grant.epoch, &changes(&[], &[&url]))
            .await
            .unwrap();
        assert!(matches!(committed, Committed::Done { .. }));
    }
    assert_eq!(queued(&fleet, grant.partition).await.len(), 3);
}

#[tokio::test]
async fn a_primary_without_its_replica_waits_and_then_goes_on_alone() {
    let primary = Server::start(&[]);
    let mut replica = Server::start(&["--replicaof", "127.0.0.1", &primary.port.to_string()]);
    support::wait_for(
        "the replica",
        Duration::from_secs(10),
        || matches!(primary.ask(&["ROLE"]), redis::Value::Array(role) if matches!(&role[2], redis::Value::Array(online) if !online.is_empty())),
    );
    let fleet = worker(&primary.address(), 1).await;
    let url = |number: u32| vec![(Partition(1), vec![waiting(&format!("https://a.example/{number}"))])];
    fleet.enqueue(&url(0)).await.unwrap();
    assert_eq!(
        replica.info("replication", "slave_repl_offset"),
        primary.info("replication", "master_repl_offset")
    );
    replica.kill();
    let began = Instant::now();
    fleet.enqueue(&url(1)).await.unwrap();
    assert!(began.elapsed() >= Duration::from_millis(1_900), "{:?}", began.elapsed());
    let pulse = fleet.heartbeat(&WorkerReport::default()).await.unwrap();
    assert!(pulse.unprotected);
    replica.restart();
    support::wait_for(
        "the replica",
        Duration::from_secs(10),
        || matches!(primary.ask(&["ROLE"]), redis::Value::Array(role) if matches!(&role[2], redis::Value::Array(online) if !online.is_empty())),
    );
}

#[tokio::test]
async fn what_was_granted_before_a_server_failed_is_not_forgotten() {
    let cluster = Cluster::start();
    let fleet = Fleet::join(JoinOptions {
        patience: Duration::from_millis(500),
        ..options(&cluster.address(), 1)
    })
    .await
    .unwrap();
    let registry = cluster.owner_of("crawl/fleet");
    let stopped = (0..16).map(|partition| cluster.owner_of(&format!("crawl/{partition}")));
    let stopped = stopped.into_iter().find(|index| *index != registry).unwrap();
    // Nobody takes over so soon.
    cluster.servers[stopped].signal("STOP");
    let mut told: Vec<Partition> = Vec::new();
    let failed = fleet.acquire(16, &[]).await;
    cluster.servers[stopped].signal("CONT");
    told.extend(failed.iter().flatten().map(|grant| grant.partition));
    let until = Instant::now() + Duration::from_secs(20);
    while told.len() < 16 {
        assert!(Instant::now() < until, "the caller knows {told:?} only");
        if let Ok(grants) = fleet.acquire(16, &[]).await {
            told.extend(grants.iter().map(|grant| grant.partition));
        }
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    told.sort_unstable();
    assert_eq!(told, (0..16).map(Partition).collect::<Vec<_>>());
}

#[tokio::test]
async fn a_lease_that_was_ended_stays_so_when_a_server_takes_over() {
    let mut cluster = Cluster::start();
    let (one, two) = (worker(&cluster.address(), 1).await, worker(&cluster.address(), 2).await);
    assert_eq!(one.acquire(16, &[]).await.unwrap().len(), 16);
    // The first worker is silent, and the second one takes everything over.
    let until = Instant::now() + Duration::from_secs(20);
    let mut taken = 0;
    while taken < 16 {
        assert!(Instant::now() < until, "{taken} of 16 partitions");
        support::beat(&two).await;
        taken += two.acquire(16 - taken, &[]).await.unwrap().len();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // The server that knows of the end dies at once, and its replica takes over.
    let victim = cluster.owner_of("crawl/fleet");
    cluster.servers[victim].kill();
    support::wait_for("another server to take over", Duration::from_secs(20), || {
        cluster.owner_is_alive("crawl/fleet", victim)
    });
    let until = Instant::now() + Duration::from_secs(20);
    let pulse = loop {
        match one.heartbeat(&WorkerReport::default()).await {
            Ok(pulse) => break pulse,
            Err(error) => assert!(Instant::now() < until && error.is_transient(), "{error}"),
        }
    };
    assert!(pulse.lapsed);
    assert!(pulse.unprotected, "the server that took over has no replica");
}
