//! Every answer is that of a scan over all documents.

use std::collections::BTreeMap;

use dedup::{
    Deduplicator, Digest, DocId, DuplicateRule, Fingerprint, Index, Layout, RedisIndex, RedisOptions, Signature,
    Verdict, Width,
};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::documents::{signature, unique};
use super::server::Server;

#[derive(Debug, Clone)]
#[expect(clippy::large_enum_variant, reason = "the actions are few")]
enum Action {
    Insert(Signature),
    Remove(usize),
    Reopen,
    Clear,
}

fn action(width: Width) -> impl Strategy<Value = Action> {
    prop_oneof![
        24 => signature(width).prop_map(Action::Insert),
        3 => (0_usize..60).prop_map(Action::Remove),
        2 => Just(Action::Reopen),
        1 => Just(Action::Clear),
    ]
}

/// Every layout of few probes, with what happens to the index.
fn course() -> impl Strategy<Value = (Layout, Vec<Action>)> {
    let layout = (prop::sample::select(Width::ALL.to_vec()), 1_usize..=9, 0_u32..=11);
    let layout = layout.prop_filter_map("more probes than a test may take", |(width, blocks, distance)| {
        let layout = Layout::new(width, blocks, distance).ok()?;
        let probes: u64 = layout.blocks().filter_map(|block| Some(1 << (2 * block.radius?))).sum();
        (probes <= 2_000).then_some(layout)
    });
    layout.prop_flat_map(|layout| {
        let actions = prop::collection::vec(action(layout.width()), 1..60);
        (Just(layout), actions)
    })
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
        let same = |kept: &Signature| query.digest.is_some() && kept.digest == query.digest;
        if let Some((of, _)) = self.0.iter().find(|(_, kept)| same(kept)) {
            return Verdict::Exact { of: *of };
        }
        let mut found: Vec<(f32, Option<u32>, DocId)> = Vec::new();
        for (id, kept) in &self.0 {
            let distance = query.fingerprint.zip(kept.fingerprint).map(|(a, b)| a.distance(b));
            let similarity = match distance {
                Some(distance) => rule.confirms(query, kept, distance),
                None if query.shingles.is_empty() => None,
                None => rule.confirms_short(query, kept),
            };
            found.extend(similarity.map(|similarity| (similarity, distance, *id)));
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
    let mut found: Vec<_> = found.iter().map(|found| (found.distance, found.id)).collect();
    found.sort();
    found
}

#[test]
fn every_layout_gives_the_answers_of_a_scan() {
    let server = Server::start();
    let mut runner = TestRunner::new(Config {
        cases: 120,
        max_shrink_iters: 200,
        failure_persistence: None,
        ..Config::default()
    });
    let mut number = 0;
    let number = std::cell::RefCell::new(&mut number);
    let run = runner.run(&course(), |(layout, actions)| {
        **number.borrow_mut() += 1;
        let address = server.address(&format!("case-{}", number.borrow()));
        let rule = DuplicateRule {
            max_distance: layout.max_distance(),
            ..DuplicateRule::default()
        };
        let options = RedisOptions {
            layout: Some(layout),
            ..RedisOptions::default()
        };
        let open = || {
            let index = RedisIndex::open_with(&address, "test", &rule, &options).unwrap();
            Deduplicator::new(index, rule.clone()).unwrap()
        };
        let (mut dedup, mut scan) = (open(), Scan::default());
        for (number, action) in actions.into_iter().enumerate() {
            let id = DocId(number as u64 + 1);
            match action {
                Action::Insert(signature) => {
                    let expected = scan.check(&signature, &rule);
                    if let Some(query) = signature.fingerprint {
                        prop_assert_eq!(near(&*dedup.index(), query), scan.near(query, layout.max_distance()));
                    }
                    prop_assert_eq!(dedup.check(&signature).unwrap(), expected);
                    prop_assert_eq!(dedup.check_and_insert(id, &signature).unwrap(), expected);
                    if expected == Verdict::Unique {
                        scan.0.insert(id, signature);
                    }
                }
                Action::Remove(which) => {
                    let id = DocId(which as u64);
                    let is_there = scan.0.remove(&id).is_some();
                    prop_assert_eq!(dedup.remove(id).unwrap(), is_there);
                }
                Action::Clear => {
                    scan.0.clear();
                    dedup.index_mut().clear().unwrap();
                }
                Action::Reopen => {
                    dedup = open();
                    for (id, signature) in &scan.0 {
                        // A replay inserts documents that are there.
                        dedup.insert(*id, signature).unwrap();
                        let found = dedup.index().signature(*id).unwrap();
                        prop_assert_eq!(found.as_ref(), Some(signature));
                    }
                }
            }
            prop_assert_eq!(dedup.index().len().unwrap(), scan.0.len());
        }
        // Nothing is left of removed documents.
        for id in scan.0.keys() {
            prop_assert!(dedup.remove(*id).unwrap());
        }
        let name = address.name();
        let left: Vec<String> = redis::cmd("KEYS")
            .arg(format!("dedup:{{{name}}}:*"))
            .query(&mut server.connection())
            .unwrap();
        let tables = ["block", "digests", "shingles", "signatures"];
        let left: Vec<_> = left
            .iter()
            .filter(|key| tables.iter().any(|table| key.contains(table)))
            .collect();
        prop_assert!(left.is_empty(), "{left:?}");
        Ok(())
    });
    run.unwrap();
}

#[test]
fn a_bucket_of_several_chunks_is_found_completely_and_removed() {
    let server = Server::start();
    let rule = DuplicateRule {
        max_distance: 3,
        ..DuplicateRule::default()
    };
    let mut index = RedisIndex::open(&server.address("chunks"), "test", &rule).unwrap();
    let crowded = |n: u64| Signature {
        digest: Some(Digest(n.into())),
        fingerprint: Some((n << 16).into()),
        shingles: vec![7],
        ..Signature::default()
    };
    for n in 0..1_000 {
        index.insert(DocId(n), &crowded(n)).unwrap();
    }
    let expected = |from: u64| (from..1_000).filter(|n| n.count_ones() <= 3).count();
    assert_eq!(near(&index, 0_u64.into()).len(), expected(0));
    let mut texts = Vec::new();
    index.with_shingle(7, &mut texts).unwrap();
    texts.sort_unstable();
    assert_eq!(texts, (0..1_000).map(DocId).collect::<Vec<_>>());
    for n in 0..500 {
        assert!(index.remove(DocId(n)).unwrap());
    }
    assert_eq!(near(&index, 0_u64.into()).len(), expected(500));
    for n in 1_000..1_400 {
        index.insert(DocId(n), &crowded(n)).unwrap();
    }
    let all = (500..1_400_u64).filter(|n| n.count_ones() <= 3).count();
    assert_eq!((near(&index, 0_u64.into()).len(), index.len().unwrap()), (all, 900));
}

fn ignore(_: Verdict) {}

#[test]
fn a_query_takes_one_round_trip_and_a_duplicate_two() {
    let server = Server::start();
    let rule = DuplicateRule::default();
    let index = RedisIndex::open(&server.address("trips"), "test", &rule).unwrap();
    let dedup = Deduplicator::new(index, rule).unwrap();
    let trips = |work: &dyn Fn()| {
        let before = dedup.index().round_trips();
        work();
        dedup.index().round_trips() - before
    };
    let (first, copy) = (super::documents::copy(1, 0), super::documents::copy(1, 1));
    let (short, short_copy) = (super::documents::copy(4, 0), super::documents::copy(4, 1));
    assert_eq!(trips(&|| ignore(dedup.check(&first).unwrap())), 1);
    assert_eq!(trips(&|| ignore(dedup.check_and_insert(DocId(1), &first).unwrap())), 2);
    assert_eq!(trips(&|| ignore(dedup.check_and_insert(DocId(2), &copy).unwrap())), 2);
    assert_eq!(trips(&|| ignore(dedup.check_and_insert(DocId(3), &short).unwrap())), 2);
    assert_eq!(trips(&|| ignore(dedup.check(&short_copy).unwrap())), 2);
    assert_eq!(
        trips(&|| ignore(dedup.check(&first).unwrap())),
        1,
        "an exact duplicate needs no signature"
    );
    assert_eq!(trips(&|| ignore(dedup.check(&unique(9)).unwrap())), 1);
}
