//! Every index gives the answers of a scan over all documents, through reopening, replays and removals.

#![expect(
    clippy::unwrap_used,
    clippy::large_enum_variant,
    reason = "a test fails by panicking, and its actions are few"
)]

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use dedup::{
    About, Deduplicator, Digest, DocId, DuplicateRule, Fingerprint, Index, Layout, MemoryIndex, Signature, Sketch,
    SledIndex, SledOptions, SledReader, Spill, Subject, Verdict, Width,
};
use proptest::prelude::*;

/// Signatures that are close to one another, so that queries find many neighbours.
fn signature() -> impl Strategy<Value = Signature> {
    let bits = prop::collection::vec(0_u32..64, 0..12);
    let centre = prop::sample::select(vec![0_u64, 0xffff_ffff_0000_0000, 0x0123_4567_89ab_cdef]);
    let long = (centre, bits, 0_u64..40).prop_map(|(centre, bits, digest)| {
        let fingerprint = bits.iter().fold(centre, |all, bit| all ^ (1 << bit));
        Signature {
            digest: Some(Digest(u128::from(digest) << 64)),
            fingerprint: Some(fingerprint.into()),
            sketch: Sketch::new(&[fingerprint % 7, fingerprint % 5 + 10, 20, 21, 22]),
            ..Signature::default()
        }
    });
    let shingles = || prop::collection::btree_set(0_u64..12, 0..8).prop_map(Vec::from_iter);
    let short = (shingles(), 0_u64..40).prop_map(|(shingles, digest)| Signature {
        digest: Some(Digest(u128::from(digest))),
        shingles,
        ..Signature::default()
    });
    // Long enough for a fingerprint, short enough to be compared with texts without one.
    let between = (long.clone(), shingles()).prop_map(|(long, shingles)| Signature { shingles, ..long });
    let any = prop_oneof![3 => long, 1 => short, 1 => between, 1 => Just(Signature::default())];
    (any, subject()).prop_map(|(signature, subject)| Signature { subject, ..signature })
}

/// One of few headings and few words, so that some subjects part and some do not.
fn subject() -> impl Strategy<Value = Option<Subject>> {
    let headings = prop::sample::select(vec!["", "bollard", "gaff", "print bollard"]);
    let words = prop::sample::subsequence(vec!["a", "b", "c", "d", "e", "f", "g", "h"], 0..=8);
    (headings, words).prop_map(|(heading, words)| {
        let text = format!("template {}", words.join(" "));
        let group = "example.org";
        Subject::new(About { group, heading }, &text)
    })
}

#[derive(Debug, Clone)]
enum Action {
    Insert(Signature),
    Remove(usize),
    Persist,
    Reopen,
    Clear,
}

fn action() -> impl Strategy<Value = Action> {
    prop_oneof![
        24 => signature().prop_map(Action::Insert),
        2 => (0_usize..60).prop_map(Action::Remove),
        4 => Just(Action::Persist),
        2 => Just(Action::Reopen),
        1 => Just(Action::Clear),
    ]
}

/// The kept documents, searched by a scan.
#[derive(Default)]
struct Scan(BTreeMap<DocId, Signature>);

impl Scan {
    fn near(&self, query: Fingerprint, max_distance: u32) -> Vec<(u32, DocId)> {
        let near = self.0.iter().filter_map(|(id, kept)| {
            let distance = kept.fingerprint?.distance(query);
            (distance <= max_distance).then_some((distance, *id))
        });
        let mut near: Vec<_> = near.collect();
        near.sort();
        near
    }

    fn check(&self, query: &Signature, rule: &DuplicateRule) -> Verdict {
        let exact = self
            .0
            .iter()
            .find(|(_, kept)| query.digest.is_some() && kept.digest == query.digest);
        if let Some((of, _)) = exact {
            return Verdict::Exact { of: *of };
        }
        let mut found: Vec<(f32, Option<u32>, DocId)> = Vec::new();
        for (id, kept) in &self.0 {
            let own = query.subject.as_ref().zip(kept.subject.as_ref());
            if own.and_then(|(a, b)| a.own_words(b)) >= Some(rule.min_own_words) {
                continue;
            }
            match (query.fingerprint, kept.fingerprint) {
                (Some(a), Some(b)) => {
                    let similarity = query.sketch.unwrap().similarity(&kept.sketch.unwrap());
                    if a.distance(b) <= rule.max_distance && similarity >= 0.76 {
                        found.push((similarity, Some(a.distance(b)), *id));
                    }
                }
                _ if !query.shingles.is_empty() => {
                    let shared = query.shingles.iter().filter(|s| kept.shingles.contains(s)).count();
                    let all = query.shingles.len() + kept.shingles.len() - shared;
                    let similarity = shared as f32 / all as f32;
                    if similarity >= rule.min_similarity_short {
                        found.push((similarity, None, *id));
                    }
                }
                _ => {}
            }
        }
        found.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)).then(a.2.cmp(&b.2)));
        found
            .first()
            .map_or(Verdict::Unique, |&(similarity, distance, of)| Verdict::Near {
                of,
                distance,
                similarity,
            })
    }
}

fn near(index: &impl Index, query: Fingerprint) -> Vec<(u32, DocId)> {
    let mut found = Vec::new();
    index.near(query, &mut found).unwrap();
    let mut found: Vec<_> = found
        .iter()
        .map(|neighbour| (neighbour.distance, neighbour.id))
        .collect();
    found.sort();
    found
}

fn open(db: &sled::Db, rule: &DuplicateRule) -> Deduplicator<SledIndex> {
    let index = SledIndex::open(db, "test", rule).unwrap();
    Deduplicator::new(index, rule.clone()).unwrap()
}

/// An index with this many blocks; `None` if they do not guarantee the distance of the rule.
fn in_memory(rule: &DuplicateRule, blocks: usize) -> Option<Deduplicator<MemoryIndex>> {
    let layout = Layout::new(Width::W64, blocks, rule.max_distance).ok()?;
    let index = MemoryIndex::with_layout(rule, layout, 0.0).unwrap();
    Some(Deduplicator::new(index, rule.clone()).unwrap())
}

/// An index that keeps nothing in memory that can be in a file.
fn spilled(rule: &DuplicateRule, folder: &Path) -> Deduplicator<MemoryIndex> {
    let spill = Spill::new(0, folder, |folder| tempfile::tempfile_in(folder));
    let index = MemoryIndex::new(rule).unwrap().spilling_to(Arc::new(spill));
    Deduplicator::new(index, rule.clone()).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, max_shrink_iters: 200, ..ProptestConfig::default() })]

    #[test]
    fn every_index_gives_the_answers_of_a_scan(
        actions in prop::collection::vec(action(), 1..80),
        max_distance in 0_u32..=11,
    ) {
        let rule = DuplicateRule { max_distance, ..DuplicateRule::default() };
        let folder = tempfile::tempdir().unwrap();
        let db = sled::open(folder.path()).unwrap();
        let mut in_sled = open(&db, &rule);
        let mut in_memory: Vec<_> = [1, 4, 7].into_iter().filter_map(|blocks| in_memory(&rule, blocks)).collect();
        in_memory.push(spilled(&rule, folder.path()));
        let mut scan = Scan::default();
        // Like the owner's catalogue, the scan holds every document that was unique and is not removed.
        for (number, action) in actions.into_iter().enumerate() {
            let id = DocId(number as u64 + 1);
            match action {
                Action::Insert(signature) => {
                    let expected = scan.check(&signature, &rule);
                    if let Some(query) = signature.fingerprint {
                        let expected = scan.near(query, max_distance);
                        for dedup in &in_memory {
                            prop_assert_eq!(&near(&*dedup.index(), query), &expected);
                        }
                        prop_assert_eq!(&near(&*in_sled.index(), query), &expected);
                    }
                    for dedup in &mut in_memory {
                        prop_assert_eq!(dedup.check_and_insert(id, &signature).unwrap(), expected);
                    }
                    prop_assert_eq!(in_sled.check_and_insert(id, &signature).unwrap(), expected);
                    if expected == Verdict::Unique {
                        scan.0.insert(id, signature);
                    }
                }
                Action::Remove(which) => {
                    let id = DocId(which as u64);
                    let is_there = scan.0.remove(&id).is_some();
                    for dedup in &mut in_memory {
                        prop_assert_eq!(dedup.remove(id).unwrap(), is_there);
                    }
                    prop_assert_eq!(in_sled.remove(id).unwrap(), is_there);
                }
                Action::Clear => {
                    scan.0.clear();
                    for dedup in &mut in_memory {
                        dedup.index_mut().clear().unwrap();
                    }
                    in_sled.index_mut().clear().unwrap();
                }
                Action::Persist => {
                    in_sled.index_mut().persist(id.0).unwrap();
                    let look = SledReader::open(&db, "test", &rule, &SledOptions::default()).unwrap().unwrap();
                    prop_assert_eq!((look.applied(), look.len().unwrap()), (id.0, scan.0.len()));
                    let dedup = Deduplicator::new(look, rule.clone()).unwrap();
                    for signature in scan.0.values() {
                        prop_assert_eq!(dedup.check(signature).unwrap(), scan.check(signature, &rule));
                        if let Some(query) = signature.fingerprint {
                            prop_assert_eq!(near(&*dedup.index(), query), scan.near(query, max_distance));
                        }
                    }
                }
                Action::Reopen => {
                    drop(in_sled);
                    in_sled = open(&db, &rule);
                    // A replay may insert documents that are there.
                    for (id, signature) in &scan.0 {
                        in_sled.insert(*id, signature).unwrap();
                    }
                }
            }
            for dedup in &in_memory {
                prop_assert_eq!(dedup.index().len().unwrap(), scan.0.len());
            }
            prop_assert_eq!(in_sled.index().len().unwrap(), scan.0.len());
        }
    }
}

fn unique(n: u64) -> Signature {
    Signature {
        digest: Some(Digest(u128::from(n))),
        fingerprint: Some(n.wrapping_mul(0x9e37_79b9_7f4a_7c15).into()),
        sketch: Sketch::new(&[n]),
        ..Signature::default()
    }
}

#[test]
fn only_persisted_documents_survive_reopening() {
    let folder = tempfile::tempdir().unwrap();
    let db = sled::open(folder.path()).unwrap();
    let rule = DuplicateRule::default();
    let dedup = open(&db, &rule);
    dedup.check_and_insert(DocId(1), &unique(1)).unwrap();
    dedup.index_mut().persist(1).unwrap();
    dedup.check_and_insert(DocId(2), &unique(2)).unwrap();
    assert_eq!(dedup.check(&unique(2)).unwrap(), Verdict::Exact { of: DocId(2) });
    drop(dedup);
    let dedup = open(&db, &rule);
    assert_eq!(dedup.index().applied(), 1);
    assert_eq!(dedup.check(&unique(1)).unwrap(), Verdict::Exact { of: DocId(1) });
    assert_eq!(dedup.check(&unique(2)).unwrap(), Verdict::Unique);
}

#[test]
fn a_replay_completes_a_half_written_document() {
    let folder = tempfile::tempdir().unwrap();
    let db = sled::open(folder.path()).unwrap();
    let rule = DuplicateRule::default();
    let dedup = open(&db, &rule);
    dedup.check_and_insert(DocId(1), &unique(1)).unwrap();
    dedup.index_mut().persist(1).unwrap();
    drop(dedup);
    // The state after a crash: buckets written, later trees not.
    for tree in ["dedup-signatures", "dedup-digests"] {
        db.open_tree(tree).unwrap().clear().unwrap();
    }
    db.open_tree("dedup-meta").unwrap().remove("applied").unwrap();
    let dedup = open(&db, &rule);
    assert_eq!(dedup.index().applied(), 0);
    dedup.insert(DocId(1), &unique(1)).unwrap();
    dedup.index_mut().persist(1).unwrap();
    assert_eq!(near(&*dedup.index(), unique(1).fingerprint.unwrap()), [(0, DocId(1))]);
    assert_eq!(dedup.check(&unique(1)).unwrap(), Verdict::Exact { of: DocId(1) });
}

#[test]
fn another_scheme_or_layout_is_refused_until_the_index_is_erased() {
    let folder = tempfile::tempdir().unwrap();
    let db = sled::open(folder.path()).unwrap();
    let rule = DuplicateRule::default();
    let dedup = open(&db, &rule);
    dedup.check_and_insert(DocId(1), &unique(1)).unwrap();
    dedup.index_mut().persist(1).unwrap();
    drop(dedup);
    let error = SledIndex::open(&db, "other", &rule).unwrap_err();
    assert!(
        !error.is_other_layout() && error.to_string().contains("\"test\""),
        "{error}"
    );
    let narrower = DuplicateRule {
        min_similarity_short: 0.5,
        ..rule.clone()
    };
    assert!(SledIndex::open(&db, "test", &narrower).unwrap_err().is_other_layout());
    SledIndex::erase(&db).unwrap();
    let index = SledIndex::open(&db, "other", &narrower).unwrap();
    assert_eq!((index.applied(), index.exact(Digest(1)).unwrap()), (0, None));
}

#[test]
fn a_bucket_of_several_rows_is_found_completely() {
    let folder = tempfile::tempdir().unwrap();
    let db = sled::open(folder.path()).unwrap();
    let rule = DuplicateRule {
        max_distance: 3,
        ..DuplicateRule::default()
    };
    let mut index = SledIndex::open(&db, "test", &rule).unwrap();
    for n in 0..500_u64 {
        let signature = Signature {
            fingerprint: Some((n << 16).into()),
            ..Signature::default()
        };
        index.insert(DocId(n), &signature).unwrap();
        if n % 37 == 0 {
            index.persist(n).unwrap();
        }
    }
    index.persist(500).unwrap();
    let found = near(&index, 0_u64.into()).len();
    assert_eq!(found, (0..500_u64).filter(|n| n.count_ones() <= 3).count());
}

#[test]
fn with_equal_digests_the_first_document_is_found_and_hides_no_other() {
    let folder = tempfile::tempdir().unwrap();
    let db = sled::open(folder.path()).unwrap();
    let rule = DuplicateRule::default();
    let in_sled = open(&db, &rule);
    let in_memory = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule.clone()).unwrap();
    for id in [5, 2, 9] {
        in_sled.insert(DocId(id), &unique(1)).unwrap();
        in_memory.insert(DocId(id), &unique(1)).unwrap();
    }
    in_sled.index_mut().persist(9).unwrap();
    for of in [2, 5, 9].map(DocId) {
        for verdict in [in_sled.check(&unique(1)), in_memory.check(&unique(1))] {
            assert_eq!(verdict.unwrap(), Verdict::Exact { of });
        }
        in_sled.remove(of).unwrap();
        in_memory.remove(of).unwrap();
    }
    assert_eq!(in_memory.check(&unique(1)).unwrap(), Verdict::Unique);
    assert_eq!(in_sled.check(&unique(1)).unwrap(), Verdict::Unique);
}
