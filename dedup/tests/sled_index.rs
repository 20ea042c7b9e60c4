//! The index in sled trees gives the answers of a scan over everything: with rows and a log so small that everything is
//! cut, merged and reopened all the time, and after whatever a crash or an error may leave.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeMap;

use dedup::short::prefix;
use dedup::{DedupError, Digest, DocId, Fingerprint, Index, Residence, Rule, Signature, SledIndex, SledOptions};
use proptest::prelude::*;

const MIN_SIMILARITY_SHORT: f32 = 0.8;

/// What is in the index, scanned.
#[derive(Default)]
struct Scan(BTreeMap<DocId, Signature>);

impl Scan {
    fn near(&self, query: Fingerprint, max_distance: u32) -> Vec<(u32, DocId)> {
        let distances = self
            .0
            .iter()
            .filter_map(|(id, kept)| Some((kept.fingerprint?.distance(query), *id)));
        let mut near: Vec<_> = distances.filter(|(distance, _)| *distance <= max_distance).collect();
        near.sort();
        near
    }

    fn exact(&self, digest: Digest) -> Option<DocId> {
        let mut ids = self.0.iter().filter(|(_, kept)| kept.digest == Some(digest));
        ids.next().map(|(id, _)| *id)
    }

    fn with_shingle(&self, shingle: u64) -> Vec<DocId> {
        let has_it = |kept: &Signature| prefix(&kept.shingles, MIN_SIMILARITY_SHORT).contains(&shingle);
        self.0
            .iter()
            .filter(|(_, kept)| has_it(kept))
            .map(|(id, _)| *id)
            .collect()
    }
}

fn near(index: &SledIndex, query: Fingerprint) -> Vec<(u32, DocId)> {
    let mut found = Vec::new();
    index.near(query, &mut found).unwrap();
    let mut found: Vec<_> = found.iter().map(|found| (found.distance, found.id)).collect();
    found.sort();
    found
}

fn with_shingle(index: &SledIndex, shingle: u64) -> Vec<DocId> {
    let mut found = Vec::new();
    index.with_shingle(shingle, &mut found).unwrap();
    found.sort();
    found
}

/// Everything that can be asked.
fn assert_answers(index: &SledIndex, scan: &Scan, queries: &[Signature], rule: &Rule) {
    for query in queries.iter().chain(scan.0.values()) {
        if let Some(fingerprint) = query.fingerprint {
            assert_eq!(near(index, fingerprint), scan.near(fingerprint, rule.max_distance));
        }
        if let Some(digest) = query.digest {
            assert_eq!(index.exact(digest).unwrap(), scan.exact(digest));
        }
        for shingle in &query.shingles {
            assert_eq!(with_shingle(index, *shingle), scan.with_shingle(*shingle));
        }
    }
    for (id, signature) in &scan.0 {
        assert_eq!(index.signature(*id).unwrap().as_ref(), Some(signature));
    }
}

fn database() -> sled::Db {
    let config = sled::Config::new().temporary(true).cache_capacity(1 << 20);
    config.flush_every_ms(None).open().unwrap()
}

/// Everything is cut and merged all the time.
fn tiny(residence: Residence) -> SledOptions {
    SledOptions {
        residence,
        recent_documents: 5,
        row_bytes: 60,
        overfull: 0.0,
    }
}

fn open(db: &sled::Db, rule: &Rule, options: &SledOptions) -> SledIndex {
    SledIndex::open_with(db, "test", rule, options.clone()).unwrap()
}

/// Signatures that share blocks, digests and shingles.
fn signature() -> impl Strategy<Value = Signature> {
    let fingerprint = (
        prop::sample::select(vec![0_u64, u64::MAX, 0x0123_4567_89ab_cdef]),
        prop::collection::vec(0_u32..64, 0..9),
    );
    let fingerprint = fingerprint.prop_map(|(centre, bits)| bits.iter().fold(centre, |all, bit| all ^ (1 << bit)));
    (
        prop::option::weighted(0.8, fingerprint),
        // The upper half is what the tree knows.
        prop::option::weighted(0.8, (0_u128..4, 0_u128..4)),
        prop::collection::btree_set(0_u64..9, 0..5),
        any::<u64>(),
    )
        .prop_map(|(fingerprint, digest, shingles, numbers)| Signature {
            digest: digest.map(|(upper, lower)| Digest(upper << 64 | lower)),
            fingerprint: fingerprint.map(Fingerprint::from),
            shingles: shingles.into_iter().collect(),
            numbers,
            ..Signature::default()
        })
}

#[derive(Debug, Clone)]
enum Action {
    Insert(u64, Box<Signature>),
    Remove(u64),
    Persist,
    Reopen(Residence, usize, usize),
}

/// Ids close together, far apart, and the extremes.
fn id() -> impl Strategy<Value = u64> {
    prop_oneof![8 => 0_u64..60, 1 => Just(u64::MAX), 1 => (0_u64..9).prop_map(|n| n << 40)]
}

fn action() -> impl Strategy<Value = Action> {
    let residence = prop::sample::select(vec![Residence::Memory, Residence::Disk]);
    prop_oneof![
        20 => (id(), signature()).prop_map(|(id, signature)| Action::Insert(id, Box::new(signature))),
        4 => id().prop_map(Action::Remove),
        4 => Just(Action::Persist),
        1 => (residence, 1_usize..12, 20_usize..200)
            .prop_map(|(residence, recent, row)| Action::Reopen(residence, recent, row)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn the_index_answers_as_a_scan_does_however_it_is_cut_and_reopened(
        actions in prop::collection::vec(action(), 1..120),
        queries in prop::collection::vec(signature(), 3),
        max_distance in prop::sample::select(vec![0_u32, 3, 5]),
    ) {
        let rule = Rule { max_distance, min_similarity_short: MIN_SIMILARITY_SHORT, ..Rule::default() };
        let db = database();
        let mut index = open(&db, &rule, &tiny(Residence::Disk));
        let mut scan = Scan::default();
        for action in actions {
            match action {
                Action::Insert(id, signature) => {
                    index.insert(DocId(id), &signature).unwrap();
                    scan.0.entry(DocId(id)).or_insert(*signature);
                }
                Action::Remove(id) => {
                    prop_assert_eq!(index.remove(DocId(id)).unwrap(), scan.0.remove(&DocId(id)).is_some());
                }
                Action::Persist => index.persist(1).unwrap(),
                Action::Reopen(residence, recent_documents, row_bytes) => {
                    drop(index);
                    index = open(&db, &rule, &SledOptions { residence, recent_documents, row_bytes, overfull: 0.0 });
                    // The owner's replay repeats what is there.
                    for (id, signature) in &scan.0 {
                        index.insert(*id, signature).unwrap();
                    }
                }
            }
        }
        assert_answers(&index, &scan, &queries, &rule);
        index.persist(2).unwrap();
        assert_answers(&index, &scan, &queries, &rule);
        drop(index);
        assert_answers(&open(&db, &rule, &tiny(Residence::Memory)), &scan, &queries, &rule);
        assert_answers(&open(&db, &rule, &tiny(Residence::Disk)), &scan, &queries, &rule);
    }
}

/// Fingerprints that share their lowest block, digests and shingles shared by a few.
fn numbered(n: u64) -> Signature {
    Signature {
        digest: Some(Digest(u128::from(n / 3) << 64)),
        fingerprint: Some((n << 16).into()),
        shingles: vec![n % 7],
        ..Signature::default()
    }
}

/// An index of the documents 0 to `count`, nothing of it merged, and what it should answer.
fn of_numbered(db: &sled::Db, rule: &Rule, options: &SledOptions, count: u64) -> (SledIndex, Scan) {
    let mut index = open(db, rule, options);
    let mut scan = Scan::default();
    for n in 0..count {
        index.insert(DocId(n), &numbered(n)).unwrap();
        scan.0.insert(DocId(n), numbered(n));
    }
    (index, scan)
}

fn rule() -> Rule {
    Rule {
        max_distance: 3,
        ..Rule::default()
    }
}

type Rows = Vec<(sled::IVec, sled::IVec)>;

fn rows(db: &sled::Db, tree: &str) -> Rows {
    db.open_tree(tree).unwrap().iter().map(Result::unwrap).collect()
}

fn write(db: &sled::Db, tree: &str, rows: &Rows) {
    let tree = db.open_tree(tree).unwrap();
    for (key, value) in rows {
        tree.insert(key, value).unwrap();
    }
}

#[test]
fn of_two_documents_with_one_digest_the_second_is_found_when_the_first_is_removed() {
    for recent_documents in [1, 100] {
        let db = database();
        let options = SledOptions {
            recent_documents,
            ..tiny(Residence::Disk)
        };
        let (mut index, _) = of_numbered(&db, &rule(), &options, 3);
        for first in 0..3 {
            index.persist(first).unwrap();
            assert_eq!(index.exact(Digest(0)).unwrap(), Some(DocId(first)));
            assert!(index.remove(DocId(first)).unwrap());
        }
        assert_eq!(index.exact(Digest(0)).unwrap(), None);
    }
}

#[test]
fn a_merge_that_was_cut_off_anywhere_shows_nothing_twice_and_is_done_again() {
    let log = "dedup-log";
    for residence in [Residence::Memory, Residence::Disk] {
        let trees = [
            "dedup-block-0",
            "dedup-block-3",
            "dedup-digests",
            "dedup-shingles",
            "dedup-signatures",
        ];
        for reached in 0..=trees.len() {
            let db = database();
            let unmerged = SledOptions {
                recent_documents: 100,
                ..tiny(residence)
            };
            let (mut index, mut scan) = of_numbered(&db, &rule(), &unmerged, 50);
            index.persist(1).unwrap();
            drop(index);
            let before = rows(&db, log);
            let mut index = open(&db, &rule(), &tiny(residence));
            index.persist(1).unwrap();
            assert!(rows(&db, log).is_empty());
            drop(index);
            // As a kill would leave it: the log still there, some trees written.
            write(&db, log, &before);
            for tree in &trees[reached..] {
                db.open_tree(tree).unwrap().clear().unwrap();
            }
            let mut index = open(&db, &rule(), &unmerged);
            assert_answers(&index, &scan, &[numbered(50)], &rule());
            // A document that is in both places is taken out of both.
            assert!(index.remove(DocId(7)).unwrap());
            scan.0.remove(&DocId(7));
            assert_answers(&index, &scan, &[numbered(7)], &rule());
            drop(index);
            let mut index = open(&db, &rule(), &tiny(residence));
            index.persist(1).unwrap();
            assert_answers(&index, &scan, &[numbered(7)], &rule());
            drop(index);
            assert_answers(&open(&db, &rule(), &unmerged), &scan, &[numbered(7)], &rule());
        }
    }
}

#[test]
fn a_persist_that_failed_is_tried_again_and_doubles_nothing() {
    for tree in ["dedup-block-0", "dedup-block-2", "dedup-digests", "dedup-signatures"] {
        let db = database();
        let (mut index, mut scan) = of_numbered(&db, &rule(), &tiny(Residence::Disk), 20);
        index.persist(1).unwrap();
        let intact = rows(&db, tree);
        write(
            &db,
            tree,
            &intact
                .iter()
                .map(|(key, _)| (key.clone(), b"\x09damaged".into()))
                .collect(),
        );
        for n in 20..40 {
            index.insert(DocId(n), &numbered(n)).unwrap();
            scan.0.insert(DocId(n), numbered(n));
        }
        for _ in 0..2 {
            let error = index.persist(2).unwrap_err();
            assert!(
                matches!(error, DedupError::Corrupt(_) | DedupError::Signature(_)),
                "{error}"
            );
        }
        write(&db, tree, &intact);
        index.persist(3).unwrap();
        assert_eq!(index.applied(), 3);
        assert_answers(&index, &scan, &[], &rule());
        drop(index);
        assert_answers(&open(&db, &rule(), &tiny(Residence::Disk)), &scan, &[], &rule());
    }
}

#[test]
fn a_removal_that_was_begun_is_finished_at_the_next_open() {
    for residence in [Residence::Memory, Residence::Disk] {
        for recent_documents in [5, 100] {
            let db = database();
            let options = SledOptions {
                recent_documents,
                ..tiny(residence)
            };
            let (mut index, mut scan) = of_numbered(&db, &rule(), &options, 20);
            index.persist(1).unwrap();
            drop(index);
            let noted = (
                9_u64.to_be_bytes()[..].into(),
                postcard::to_stdvec(&numbered(9)).unwrap().into(),
            );
            write(&db, "dedup-removals", &vec![noted]);
            scan.0.remove(&DocId(9));
            for _ in 0..2 {
                let index = open(&db, &rule(), &options);
                assert_answers(&index, &scan, &[numbered(9)], &rule());
                assert_eq!(index.signature(DocId(9)).unwrap(), None);
                assert!(rows(&db, "dedup-removals").is_empty());
            }
        }
    }
}

#[test]
fn a_removal_that_failed_hides_the_document_and_is_finished_by_the_next_call() {
    let db = database();
    let (mut index, mut scan) = of_numbered(&db, &rule(), &tiny(Residence::Disk), 20);
    index.persist(1).unwrap();
    let intact = rows(&db, "dedup-block-1");
    write(
        &db,
        "dedup-block-1",
        &intact
            .iter()
            .map(|(key, _)| (key.clone(), b"\x09damaged".into()))
            .collect(),
    );
    assert!(index.remove(DocId(4)).is_err());
    write(&db, "dedup-block-1", &intact);
    scan.0.remove(&DocId(4));
    assert_answers(&index, &scan, &[numbered(4)], &rule());
    index.insert(DocId(4), &numbered(30)).unwrap();
    scan.0.insert(DocId(4), numbered(30));
    index.persist(2).unwrap();
    assert_answers(&index, &scan, &[numbered(4)], &rule());
}

#[test]
fn a_clearing_that_was_cut_off_is_finished_at_the_next_open() {
    let db = database();
    let (mut index, _) = of_numbered(&db, &rule(), &tiny(Residence::Disk), 20);
    index.persist(20).unwrap();
    drop(index);
    let note = ("clearing".into(), "".into());
    write(&db, "dedup-meta", &vec![note]);
    let index = SledIndex::open(&db, "another scheme, since nothing is left", &rule()).unwrap();
    assert_eq!((index.applied(), index.exact(Digest(0)).unwrap()), (0, None));
    assert!(near(&index, 0_u64.into()).is_empty());
}

#[test]
fn an_index_that_resided_in_memory_can_reside_on_disk() {
    let db = database();
    let (mut index, mut scan) = of_numbered(&db, &rule(), &tiny(Residence::Memory), 40);
    index.persist(1).unwrap();
    drop(index);
    assert!(
        !db.tree_names().contains(&"dedup-block-1".into()),
        "memory needs one tree"
    );
    // An attempt that was cut off, and what has happened since.
    write(&db, "dedup-block-1", &rows(&db, "dedup-block-0"));
    let mut index = open(&db, &rule(), &tiny(Residence::Memory));
    assert!(index.remove(DocId(3)).unwrap());
    scan.0.remove(&DocId(3));
    drop(index);
    for residence in [Residence::Disk, Residence::Memory, Residence::Disk] {
        let mut index = open(&db, &rule(), &tiny(residence));
        let id = scan.0.len() as u64 + 100;
        index.insert(DocId(id), &numbered(id)).unwrap();
        scan.0.insert(DocId(id), numbered(id));
        index.persist(id).unwrap();
        assert_answers(&index, &scan, &[numbered(3)], &rule());
    }
}

/// Fingerprints of one bucket of the lowest block, near one another in the rest.
fn crowded(n: u64) -> Signature {
    let spread = n.wrapping_mul(0x9e37_79b9_7f4a_7c15) & 0x8040_2010_8040_0000;
    Signature {
        fingerprint: Some((spread | (n % 5) << 30 | 0x7777).into()),
        ..Signature::default()
    }
}

#[test]
fn an_overfull_bucket_is_split_and_everything_in_it_still_found() {
    for max_distance in [0, 3, 5, 8] {
        let rule = Rule {
            max_distance,
            ..Rule::default()
        };
        let db = database();
        let options = SledOptions {
            recent_documents: 150,
            row_bytes: 20,
            ..tiny(Residence::Disk)
        };
        let mut scan = Scan::default();
        let mut index = open(&db, &rule, &options);
        for n in 0..500 {
            index.insert(DocId(n), &crowded(n)).unwrap();
            scan.0.insert(DocId(n), crowded(n));
            if n % 60 == 59 {
                index.persist(n).unwrap();
            }
            if n % 100 == 99 {
                assert!(index.remove(DocId(n / 2)).unwrap());
                scan.0.remove(&DocId(n / 2));
            }
        }
        assert!(!rows(&db, "dedup-splits").is_empty());
        let near_the_crowd = crowded(1).fingerprint.unwrap().bits() as u64;
        let queries = [0, 1, 0b101, 1 << 40 | 1 << 63, 0b111 << 20, 0xffff << 48].map(|difference| Signature {
            fingerprint: Some((near_the_crowd ^ difference).into()),
            ..Signature::default()
        });
        assert_answers(&index, &scan, &queries, &rule);
        index.persist(500).unwrap();
        // Cut off before it was noted, with a removal since: what is left must not be found when it is split again.
        drop(index);
        db.open_tree("dedup-splits").unwrap().clear().unwrap();
        let mut index = open(&db, &rule, &options);
        assert!(index.remove(DocId(3)).unwrap());
        scan.0.remove(&DocId(3));
        for n in 500..700 {
            index.insert(DocId(n), &crowded(n)).unwrap();
            scan.0.insert(DocId(n), crowded(n));
        }
        index.persist(700).unwrap();
        assert!(!rows(&db, "dedup-splits").is_empty());
        assert_answers(&index, &scan, &queries, &rule);
        drop(index);
        assert_answers(&open(&db, &rule, &options), &scan, &queries, &rule);
        assert_answers(&open(&db, &rule, &tiny(Residence::Memory)), &scan, &queries, &rule);
    }
}

#[test]
fn damage_is_an_error_that_says_what_to_do() {
    let db = database();
    let (mut index, _) = of_numbered(&db, &rule(), &tiny(Residence::Disk), 20);
    index.persist(1).unwrap();
    drop(index);
    for (tree, residence) in [("dedup-block-0", Residence::Memory), ("dedup-log", Residence::Disk)] {
        write(
            &db,
            tree,
            &vec![(b"\x00\x00\x00\x00\x00\x00\x00\x00"[..].into(), b"\xff\xff".into())],
        );
        let opened = SledIndex::open_with(&db, "test", &rule(), tiny(residence));
        assert!(opened.is_err());
    }
    SledIndex::clear(&db).unwrap();
    assert_eq!(open(&db, &rule(), &tiny(Residence::Disk)).applied(), 0);
}

#[test]
fn printing_an_index_prints_what_it_is_and_not_what_is_in_it() {
    let db = database();
    let (index, _) = of_numbered(&db, &rule(), &tiny(Residence::Disk), 1_000);
    let text = format!("{index:?}");
    assert!(text.contains("pending: 1000") && text.len() < 400, "{text}");
}
