//! Several processes and threads add documents to one index at once.

use std::collections::BTreeMap;
use std::process::{Command, Stdio};

use dedup::{
    Deduplicator, DocId, DuplicateRule, Id, Index, MemoryIndex, RedisIndex, Scheme, SharedCollection, Verdict,
};

use super::documents::{copy, unique};
use super::server::Server;

const PROCESSES: u64 = 3;
const THREADS: u64 = 2;
/// Originals, of each of which every thread adds a copy.
const GROUPS: u64 = 300;
/// Documents of a thread that are like no other.
const OTHERS: u64 = 100;

/// Names the address of the index for the process that a test starts, with the number of the process.
const ADDRESS: &str = "DEDUP_TEST_INDEX";
const PROCESS: &str = "DEDUP_TEST_PROCESS";

fn open(address: &str) -> Deduplicator<RedisIndex> {
    let rule = DuplicateRule::default();
    let index = RedisIndex::open(&address.parse().unwrap(), "test", &rule).unwrap();
    Deduplicator::new(index, rule).unwrap()
}

/// The id of a document: group, then thread.
fn id_of(group: u64, thread: u64) -> DocId {
    DocId(group * PROCESSES * THREADS + thread)
}

/// What a process does that the test starts. As a test of its own it does nothing.
#[test]
fn work_of_a_process() {
    let (Ok(address), Ok(process)) = (std::env::var(ADDRESS), std::env::var(PROCESS)) else {
        return;
    };
    let process: u64 = process.parse().unwrap();
    let dedup = open(&address);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (dedup, number) = (&dedup, process * THREADS + thread);
            scope.spawn(move || {
                let mut lines = String::new();
                for group in 0..GROUPS {
                    let verdict = dedup
                        .check_and_insert(id_of(group, number), &copy(group, number))
                        .unwrap();
                    let of = verdict.of().map_or(-1, |of| of.0 as i64);
                    lines += &format!("verdict {} {of}\n", id_of(group, number).0);
                    if group % (GROUPS / OTHERS) == 0 {
                        let other = 1_000_000 + group * PROCESSES * THREADS + number;
                        assert_eq!(
                            dedup.check_and_insert(DocId(other), &unique(other)).unwrap(),
                            Verdict::Unique
                        );
                    }
                }
                print!("{lines}");
            });
        }
    });
}

#[test]
fn of_near_duplicates_that_processes_add_at_once_exactly_one_is_kept() {
    let server = Server::start();
    let program = std::env::current_exe().unwrap();
    let start = |process: u64| {
        let mut command = Command::new(&program);
        command.args([
            "processes::work_of_a_process",
            "--exact",
            "--nocapture",
            "--test-threads=1",
        ]);
        command
            .env(ADDRESS, server.url("shared"))
            .env(PROCESS, process.to_string());
        command.stdout(Stdio::piped()).spawn().unwrap()
    };
    let processes: Vec<_> = (0..PROCESSES).map(start).collect();
    let mut verdicts: BTreeMap<u64, i64> = BTreeMap::new();
    for process in processes {
        let output = process.wait_with_output().unwrap();
        assert!(output.status.success());
        for line in String::from_utf8(output.stdout).unwrap().lines() {
            // The first line of a thread follows words of the test's own.
            if let Some((_, verdict)) = line.split_once("verdict ") {
                let (id, of) = verdict.split_once(' ').unwrap();
                assert_eq!(verdicts.insert(id.parse().unwrap(), of.parse().unwrap()), None);
            }
        }
    }
    let members = PROCESSES * THREADS;
    assert_eq!(verdicts.len() as u64, GROUPS * members);
    let index = open(&server.url("shared"));
    let mut firsts = BTreeMap::new();
    for group in 0..GROUPS {
        let ids = (0..members).map(|number| id_of(group, number).0);
        let kept: Vec<u64> = ids.clone().filter(|id| verdicts[id] == -1).collect();
        assert_eq!(kept.len(), 1, "group {group}: {kept:?}");
        // All others name the one that was kept, so the kept one came first in the order that the index saw.
        for id in ids.filter(|id| *id != kept[0]) {
            assert_eq!(verdicts[&id], kept[0] as i64, "group {group}");
        }
        *firsts.entry(kept[0] % members).or_insert(0) += 1;
        assert!(index.index().signature(DocId(kept[0])).unwrap().is_some());
    }
    assert_eq!(index.index().len().unwrap() as u64, GROUPS + OTHERS * members);
}

/// Threads that release the same two documents at the same moment, many times: the window between look-up and insertion is met.
#[test]
fn a_race_for_the_same_text_has_one_winner() {
    let server = Server::start();
    let indices: Vec<_> = (0..4).map(|_| open(&server.url("race"))).collect();
    let barrier = std::sync::Barrier::new(indices.len());
    let winners: Vec<Vec<bool>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..)
            .zip(&indices)
            .map(|(number, dedup)| {
                let barrier = &barrier;
                scope.spawn(move || {
                    let race = |group| {
                        barrier.wait();
                        let verdict = dedup
                            .check_and_insert(DocId(group * 10 + number), &copy(group, number))
                            .unwrap();
                        verdict == Verdict::Unique
                    };
                    (0..200).map(race).collect()
                })
            })
            .collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    for race in 0..200 {
        assert_eq!(winners.iter().filter(|winners| winners[race]).count(), 1, "race {race}");
    }
}

/// The signature of the document with this id in a collection: every fourth id is given by all threads.
fn document(id: u64) -> dedup::Signature {
    copy(id % 50, id / 50)
}

#[test]
fn the_verdicts_of_a_shared_collection_are_those_of_some_order() {
    let server = Server::start();
    let (scheme, rule) = (Scheme::default(), DuplicateRule::default());
    let open = || SharedCollection::open_or_create(&server.address("ordered"), &scheme, &rule).unwrap();
    let collections: Vec<_> = (0..4).map(|_| open()).collect();
    std::thread::scope(|scope| {
        for (thread, collection) in (0_u64..).zip(&collections) {
            scope.spawn(move || {
                for n in 0..400 {
                    // Shared ids in another order in each thread, and own ids.
                    let shared = (n * 7 + thread * 101) % 400;
                    for id in [shared * 4, n * 4 + 1 + thread % 3] {
                        let verdict = collection.add(&Id::from(id as i64), &document(id)).unwrap();
                        let again = collection.add(&Id::from(id as i64), &document(id)).unwrap();
                        assert_eq!(verdict, again, "{id}");
                    }
                }
            });
        }
    });
    let collection = open();
    let ordered = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule).unwrap();
    let documents = collection.len().unwrap();
    assert_eq!(documents, 4 * 400);
    let mut unique = 0;
    for number in (1..=documents as u64).map(DocId) {
        let Some(Id::Number(id)) = collection.id(number).unwrap() else {
            panic!("{number:?} is missing");
        };
        let signature = document(id as u64);
        let expected = ordered.check_and_insert(number, &signature).unwrap();
        assert_eq!(
            collection.add(&Id::from(id), &signature).unwrap(),
            expected,
            "{number:?}"
        );
        unique += usize::from(expected == Verdict::Unique);
    }
    assert_eq!((unique, collection.index().len().unwrap()), (50, 50));
    let other = collection.add(&Id::from(0), &document(1)).unwrap_err();
    assert!(other.to_string().contains("another text"), "{other}");
}
