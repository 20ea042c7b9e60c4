//! The cost of queries if a quarter of all fingerprints is in one bucket.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run ends")]

mod queries;

use std::time::Duration;

use criterion::{Criterion, criterion_group, criterion_main};
use dedup_bench::fingerprints::{self, a_quarter_in_one_bucket, uniform};
use dedup_bench::ours::Ours;
use dedup_bench::peers::Gaoya;
use dedup_bench::range_index::{RangeIndex, answers, fill};

const STORED: usize = 1_000_000;

/// Queries distributed like the stored fingerprints, a quarter of them in the full bucket; and queries that are all in
/// it.
fn skew(c: &mut Criterion) {
    let (even, crowded) = (uniform(STORED), a_quarter_in_one_bucket(STORED));
    let as_stored = |stored: &[u64]| {
        let mut queries = fingerprints::queries(stored, 4_000);
        // Every second query is near a stored fingerprint. Move a quarter of the others into the full bucket.
        let is_crowded = |n: &usize| n.is_multiple_of(8);
        if stored[0] & 0xffff == 0 {
            (0..queries.len())
                .filter(is_crowded)
                .for_each(|n| queries[n] &= !0xffff);
        }
        queries
    };
    let into_the_crowd: Vec<u64> = fingerprints::queries(&crowded, 4_000)
        .iter()
        .map(|bits| bits & !0xffff)
        .collect();
    let cases = [
        ("even", &even, as_stored(&even)),
        ("crowded", &crowded, as_stored(&crowded)),
        ("crowded, all into the crowd", &crowded, into_the_crowd),
    ];
    for radius in [3, 10] {
        let mut group = c.benchmark_group(format!("skew/k={radius}"));
        group.sample_size(10).measurement_time(Duration::from_secs(2));
        for (case, stored, queries) in &cases {
            let mut peers: Vec<(&str, Box<dyn RangeIndex>)> =
                vec![("ours", Box::new(Ours::new(radius).expect("a layout for the radius")))];
            if radius == 3 {
                peers.push(("gaoya", Box::new(Gaoya::new(radius, 6))));
            }
            let mut truth = None;
            for (name, index) in &mut peers {
                fill(index.as_mut(), stored).expect("room");
                let found = answers(index.as_mut(), &queries[..100]).expect("readable");
                assert_eq!(
                    truth.get_or_insert_with(|| found.clone()),
                    &found,
                    "{name} finds others"
                );
                queries::bench(&mut group, &format!("{case}/{name}"), index.as_mut(), queries);
            }
        }
    }
}

criterion_group!(benches, skew);
criterion_main!(benches);
