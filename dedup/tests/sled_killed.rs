//! An index in sled whose process is killed many times gives the answers of brute force over the documents of its
//! owner.
//!
//! The test starts itself as a child process, the owner: it notes documents and removals in its own catalogue, then
//! applies them to the index. The test kills the child (SIGKILL on Unix) at a random moment, often during merges and
//! removals, which happen every few documents. Another child opens the index, brings it up to the catalogue, and
//! compares the answers to all queries.

#![expect(clippy::unwrap_used, reason = "a test, though it has a main of its own")]

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Command, Stdio};

use dedup::{Digest, DocId, DuplicateRule, Index, Signature, SledIndex, SledOptions};

const KILLS: u64 = 24;
const MAX_DISTANCE: u32 = 5;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    match &arguments[..] {
        [_, mode, dir] if mode == "--own" => Owner::open(Path::new(dir)).work(),
        [_, mode, dir] if mode == "--look" => Owner::open(Path::new(dir)).look(),
        _ => kill_and_look(),
    }
}

fn kill_and_look() {
    let folder = tempfile::tempdir().unwrap();
    let mut random = 7;
    let mut documents = 0;
    for kill in 0..KILLS {
        let mut owner = start("--own", folder.path());
        // Keep the pipe open until the owner is dead: writing to a closed pipe would end it in an orderly way.
        let mut lines = BufReader::new(owner.stdout.take().unwrap()).lines();
        let wanted = next(&mut random) % 20;
        let read = lines.by_ref().take(wanted as usize).filter(Result::is_ok).count();
        assert_eq!(read as u64, wanted, "the owner ended by itself");
        // Kill some time after the line, not exactly at it.
        for _ in 0..next(&mut random) % 2_000_000 {
            std::hint::spin_loop();
        }
        owner.kill().unwrap();
        assert!(!owner.wait().unwrap().success());
        drop(lines);
        let look = start("--look", folder.path()).wait_with_output().unwrap();
        assert!(look.status.success(), "kill {kill}");
        documents = String::from_utf8(look.stdout).unwrap().trim().parse().unwrap();
    }
    assert!(documents > 500, "{documents}");
    println!("killed {KILLS} times: the index of {documents} documents answers as brute force does");
}

fn start(mode: &str, dir: &Path) -> std::process::Child {
    let mut this = Command::new(std::env::current_exe().unwrap());
    this.arg(mode).arg(dir).stdout(Stdio::piped()).spawn().unwrap()
}

/// The owner of the index. Documents have numbers from 1; each `+` line of the catalogue adds the next one, each `-`
/// line removes one.
struct Owner {
    catalogue: File,
    documents: u64,
    kept: BTreeMap<u64, Signature>,
    db: sled::Db,
    index: SledIndex,
}

impl Owner {
    /// Opens the index and brings it up to the catalogue.
    fn open(dir: &Path) -> Self {
        let path = dir.join("catalogue");
        let (mut documents, mut kept, mut removed) = (0, BTreeMap::new(), Vec::new());
        for line in fs::read_to_string(&path).unwrap_or_default().lines() {
            if let Some(id) = line.strip_prefix('-') {
                let id: u64 = id.parse().unwrap();
                kept.remove(&id);
                removed.push(id);
            } else {
                documents += 1;
                kept.insert(documents, signature(documents));
            }
        }
        let options = SledOptions {
            recent_documents: 37,
            row_bytes: 40,
            overfull: 2.0,
            ..SledOptions::default()
        };
        let rule = DuplicateRule {
            max_distance: MAX_DISTANCE,
            ..DuplicateRule::default()
        };
        let config = sled::Config::new().path(dir.join("index")).cache_capacity(1 << 20);
        let db = config.flush_every_ms(Some(5)).open().unwrap();
        let mut index = SledIndex::open_with(&db, "killed", &rule, options).unwrap();
        let applied = index.applied();
        assert!(applied <= documents, "{applied} of {documents}");
        for (id, signature) in kept.range(applied + 1..) {
            index.insert(DocId(*id), signature).unwrap();
        }
        for id in removed {
            index.remove(DocId(id)).unwrap();
        }
        index.persist(documents).unwrap();
        let catalogue = File::options().append(true).create(true).open(path).unwrap();
        Self {
            catalogue,
            documents,
            kept,
            db,
            index,
        }
    }

    fn work(mut self) {
        let mut random = self.documents + 1;
        loop {
            let new = 1 + next(&mut random) % 9;
            for id in self.documents + 1..=self.documents + new {
                let signature = signature(id);
                self.index.insert(DocId(id), &signature).unwrap();
                self.kept.insert(id, signature);
            }
            self.documents += new;
            // The catalogue is the truth, so it comes first, then the index.
            self.catalogue.write_all("+\n".repeat(new as usize).as_bytes()).unwrap();
            self.index.persist(self.documents).unwrap();
            if next(&mut random).is_multiple_of(3) {
                let id = 1 + next(&mut random) % self.documents;
                self.catalogue.write_all(format!("-{id}\n").as_bytes()).unwrap();
                let was_there = self.kept.remove(&id).is_some();
                assert_eq!(self.index.remove(DocId(id)).unwrap(), was_there);
            }
            if next(&mut random).is_multiple_of(4) {
                self.db.flush().unwrap();
            }
            println!("{}", self.documents);
        }
    }

    fn look(self) {
        for (id, signature) in &self.kept {
            assert_eq!(self.index.signature(DocId(*id)).unwrap().as_ref(), Some(signature));
        }
        for id in 1..=self.documents {
            let query = signature(id);
            let (digest, fingerprint) = (query.digest.unwrap(), query.fingerprint.unwrap());
            let mut same = self.kept.iter().filter(|(_, kept)| kept.digest == Some(digest));
            assert_eq!(self.index.exact(digest).unwrap(), same.next().map(|(id, _)| DocId(*id)));
            let mut found = Vec::new();
            self.index.near(fingerprint, &mut found).unwrap();
            let mut found: Vec<_> = found.iter().map(|found| (found.distance, found.id.0)).collect();
            found.sort_unstable();
            let distances = self
                .kept
                .iter()
                .map(|(id, kept)| (kept.fingerprint.unwrap().distance(fingerprint), *id));
            let mut expected: Vec<_> = distances.filter(|(distance, _)| *distance <= MAX_DISTANCE).collect();
            expected.sort_unstable();
            assert_eq!(found, expected);
        }
        println!("{}", self.documents);
    }
}

/// Fingerprints around a few centres, and digests that occur twice.
fn signature(id: u64) -> Signature {
    let mut random = id;
    let centre = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(id % 5);
    let fingerprint = (0..6).fold(centre, |all, _| all ^ 1 << (next(&mut random) >> 58));
    Signature {
        digest: Some(Digest(u128::from(id / 2) << 64)),
        fingerprint: Some(fingerprint.into()),
        numbers: id,
        ..Signature::default()
    }
}

/// xorshift64*.
fn next(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}
