//! The index in sled trees gives the answers of a scan over all documents: with rows and a log so small that the index
//! often cuts rows and merges, after reopening, and in any state that a crash or an error may leave.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

mod bands;
mod crash;

use std::collections::{BTreeMap, BTreeSet};

use dedup::short::prefix;
use dedup::{
    Digest, DocId, DuplicateRule, Fingerprint, Index, Layout, Signature, SledIndex, SledOptions, SledReader, Width,
};
use proptest::prelude::*;

const MIN_SIMILARITY_SHORT: f32 = 0.8;

/// The documents of the index, searched by a scan.
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

fn near(index: &impl Index, query: Fingerprint) -> Vec<(u32, DocId)> {
    let mut found = Vec::new();
    index.near(query, &mut found).unwrap();
    let mut found: Vec<_> = found.iter().map(|found| (found.distance, found.id)).collect();
    found.sort();
    found
}

fn with_shingle(index: &impl Index, shingle: u64) -> Vec<DocId> {
    let mut found = Vec::new();
    index.with_shingle(shingle, &mut found).unwrap();
    found.sort();
    found
}

/// Compares the answers to all queries with those of the scan.
fn assert_answers(index: &impl Index, scan: &Scan, queries: &[Signature], rule: &DuplicateRule) {
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
    assert_eq!(index.len().unwrap(), scan.0.len());
}

fn database() -> sled::Db {
    let config = sled::Config::new().temporary(true).cache_capacity(1 << 20);
    config.flush_every_ms(None).open().unwrap()
}

/// Options with which the index often cuts rows and merges.
fn tiny() -> SledOptions {
    SledOptions {
        recent_documents: 5,
        row_bytes: 60,
        overfull: 0.0,
        ..SledOptions::default()
    }
}

fn open(db: &sled::Db, rule: &DuplicateRule, options: &SledOptions) -> SledIndex {
    SledIndex::open_with(db, "test", rule, options.clone()).unwrap()
}

/// The index, opened for reading.
fn look(db: &sled::Db, rule: &DuplicateRule, options: &SledOptions) -> SledReader {
    SledReader::open(db, "test", rule, options).unwrap().unwrap()
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
        // The tree holds only the upper half.
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
    PersistUpTo(u64),
    /// The writing runs at once, or when a later step waits for it.
    BeginPersist(u64, bool),
    Reopen(usize, usize),
}

/// Ids close to one another, those of workers of a fleet side by side, far apart, and the extremes.
fn id() -> impl Strategy<Value = u64> {
    let of_workers = (1_u64..4, 0_u64..20).prop_map(|(worker, page)| worker << 48 | page);
    prop_oneof![8 => 0_u64..60, 4 => of_workers, 1 => Just(u64::MAX), 1 => (0_u64..9).prop_map(|n| n << 40)]
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        20 => (id(), signature()).prop_map(|(id, signature)| Action::Insert(id, Box::new(signature))),
        4 => id().prop_map(Action::Remove),
        2 => Just(Action::Persist),
        3 => id().prop_map(Action::PersistUpTo),
        3 => (id(), any::<bool>()).prop_map(|(id, runs)| Action::BeginPersist(id, runs)),
        1 => (1_usize..12, 20_usize..200).prop_map(|(recent, row)| Action::Reopen(recent, row)),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 500, ..ProptestConfig::default() })]

    #[test]
    fn the_index_gives_the_answers_of_a_scan_for_all_sizes_of_rows_and_logs(
        actions in prop::collection::vec(action(), 1..120),
        queries in prop::collection::vec(signature(), 3),
        max_distance in prop::sample::select(vec![0_u32, 3, 5]),
    ) {
        let rule = DuplicateRule { max_distance, min_similarity_short: MIN_SIMILARITY_SHORT, ..DuplicateRule::default() };
        let db = database();
        let mut index = open(&db, &rule, &tiny());
        let mut scan = Scan::default();
        let (mut durable, mut begun) = (BTreeSet::new(), BTreeSet::new());
        for action in actions {
            if !matches!(action, Action::Insert(..) | Action::Reopen(..)) {
                durable.append(&mut begun);
            }
            match action {
                Action::Insert(id, signature) => {
                    index.insert(DocId(id), &signature).unwrap();
                    scan.0.entry(DocId(id)).or_insert(*signature);
                }
                Action::Remove(id) => {
                    prop_assert_eq!(index.remove(DocId(id)).unwrap(), scan.0.remove(&DocId(id)).is_some());
                    durable.remove(&DocId(id));
                }
                Action::Persist => {
                    index.persist(1).unwrap();
                    durable.extend(scan.0.keys());
                }
                Action::PersistUpTo(id) => {
                    index.persist_up_to(id).unwrap();
                    durable.extend(scan.0.range(..=DocId(id)).map(|(id, _)| id));
                    assert_answers(&index, &scan, &queries, &rule);
                }
                Action::BeginPersist(id, runs) => {
                    let writer = index.begin_persist(id).unwrap();
                    begun.extend(scan.0.range(..=DocId(id)).map(|(id, _)| *id));
                    let writing = std::thread::spawn(move || if runs { writer.run() });
                    assert_answers(&index, &scan, &queries, &rule);
                    writing.join().unwrap();
                    if runs {
                        durable.extend(begun.iter().copied());
                    }
                }
                Action::Reopen(recent_documents, row_bytes) => {
                    begun.clear();
                    drop(index);
                    index = open(&db, &rule, &SledOptions { recent_documents, row_bytes, overfull: 0.0, ..SledOptions::default() });
                    let mut found = BTreeSet::new();
                    index.for_each_id(|id| assert!(found.insert(id), "{id:?} twice")).unwrap();
                    prop_assert_eq!(&found, &durable);
                    // The owner replays documents that are there.
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
        assert_answers(&open(&db, &rule, &tiny()), &scan, &queries, &rule);
    }
}

/// Fingerprints with the same lowest block, and digests and shingles that a few documents share.
fn numbered(n: u64) -> Signature {
    Signature {
        digest: Some(Digest(u128::from(n / 3) << 64)),
        fingerprint: Some((n << 16).into()),
        shingles: vec![n % 7],
        ..Signature::default()
    }
}

/// An index of the documents 0 to `count` without a merge, and a scan over the same documents.
fn of_numbered(db: &sled::Db, rule: &DuplicateRule, options: &SledOptions, count: u64) -> (SledIndex, Scan) {
    let mut index = open(db, rule, options);
    let mut scan = Scan::default();
    for n in 0..count {
        index.insert(DocId(n), &numbered(n)).unwrap();
        scan.0.insert(DocId(n), numbered(n));
    }
    (index, scan)
}

fn rule() -> DuplicateRule {
    DuplicateRule {
        max_distance: 3,
        ..DuplicateRule::default()
    }
}

type Rows = Vec<(sled::IVec, sled::IVec)>;

fn rows(db: &sled::Db, tree: &str) -> Rows {
    db.open_tree(tree).unwrap().iter().map(Result::unwrap).collect()
}

/// The rows of the log: those of signatures from the noted one on.
fn log(db: &sled::Db) -> Rows {
    let noted = db.open_tree("dedup-meta").unwrap().get("merged").unwrap();
    let first = noted.unwrap_or_else(|| 0_u64.to_be_bytes()[..].into());
    let signatures = db.open_tree("dedup-signatures").unwrap();
    signatures.range(first..).map(Result::unwrap).collect()
}

fn write(db: &sled::Db, tree: &str, rows: &Rows) {
    let tree = db.open_tree(tree).unwrap();
    for (key, value) in rows {
        tree.insert(key, value).unwrap();
    }
}

#[test]
fn the_second_document_of_a_digest_is_found_after_the_first_is_removed() {
    for recent_documents in [1, 100] {
        let db = database();
        let options = SledOptions {
            recent_documents,
            ..tiny()
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
fn a_key_is_found_completely_after_its_first_entries_are_removed() {
    // The blocks, digests and shingles of document 0 are the least possible ones.
    for others in [0_u64, u64::MAX] {
        let db = database();
        let mut index = open(&db, &rule(), &tiny());
        let mut scan = Scan::default();
        for n in 0..60 {
            let signature = Signature {
                digest: Some(Digest(0)),
                fingerprint: Some(if n < 40 { 0 } else { others }.into()),
                shingles: vec![0],
                ..Signature::default()
            };
            index.insert(DocId(n), &signature).unwrap();
            scan.0.insert(DocId(n), signature);
        }
        index.persist(1).unwrap();
        let query = scan.0[&DocId(0)].clone();
        for n in 0..60 {
            assert!(index.remove(DocId(n)).unwrap());
            scan.0.remove(&DocId(n));
            assert_answers(&index, &scan, std::slice::from_ref(&query), &rule());
        }
    }
}

#[test]
fn settling_merges_a_long_log_and_leaves_a_short_one() {
    for (documents, is_left) in [(100, true), (5_000, false)] {
        let db = database();
        let options = SledOptions::default();
        let (mut index, scan) = of_numbered(&db, &rule(), &options, documents);
        index.settle().unwrap();
        assert!(log(&db).is_empty(), "a merge takes only persisted documents");
        index.persist(1).unwrap();
        index.settle().unwrap();
        assert_eq!(!log(&db).is_empty(), is_left);
        let queries: Vec<_> = (0..20).map(|n| numbered(n * 97)).collect();
        for query in &queries {
            let fingerprint = query.fingerprint.unwrap();
            let expected = scan.near(fingerprint, rule().max_distance);
            assert_eq!(near(&index, fingerprint), expected);
            assert_eq!(near(&look(&db, &rule(), &options), fingerprint), expected);
        }
    }
}

#[test]
fn the_debug_output_of_an_index_has_its_shape_and_not_its_documents() {
    let db = database();
    let (index, _) = of_numbered(&db, &rule(), &tiny(), 1_000);
    let text = format!("{index:?}");
    assert!(text.contains("pending: 1000") && text.len() < 400, "{text}");
}

#[test]
fn an_index_of_every_width_and_number_of_blocks_finds_every_document() {
    for (width, blocks, max_distance) in [
        (Width::W32, 2, 3),
        (Width::W64, 1, 1),
        (Width::W64, 5, 7),
        (Width::W128, 2, 3),
        (Width::W128, 8, 10),
    ] {
        let rule = DuplicateRule {
            max_distance,
            ..DuplicateRule::default()
        };
        let mut scan = Scan::default();
        for id in 0..300_u64 {
            // About ten bits around three centres.
            let hash = u128::from(id.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let centre = [0, u128::MAX, 0x0123_4567_89ab_cdef_1122_3344_5566_7788][id as usize % 3];
            let bits = (hash | hash << 64) & 0x4000_0100_2000_0800_1004_0000_8001_0020;
            let fingerprint = Fingerprint::new(width, centre ^ bits);
            let signature = Signature {
                fingerprint: Some(fingerprint),
                ..Signature::default()
            };
            scan.0.insert(DocId(id), signature);
        }
        let db = database();
        let options = SledOptions {
            layout: Some(Layout::new(width, blocks, max_distance).unwrap()),
            ..tiny()
        };
        let mut index = open(&db, &rule, &options);
        for (id, signature) in &scan.0 {
            index.insert(*id, signature).unwrap();
            if id.0 % 50 == 0 {
                index.persist(id.0).unwrap();
            }
        }
        assert_answers(&index, &scan, &[], &rule);
        index.persist(300).unwrap();
        drop(index);
        let mut index = open(&db, &rule, &options);
        assert_answers(&index, &scan, &[], &rule);
        assert_eq!(index.len().unwrap(), 300);
        index.clear().unwrap();
        assert_eq!((index.len().unwrap(), index.applied()), (0, 0));
    }
}
