//! Inserts and queries of the memory index with random fingerprints, compared with gaoya and the two naive baselines.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run ends")]

mod queries;

use std::env;
use std::error::Error;
use std::time::Duration;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use dedup_bench::fingerprints::{self, uniform};
use dedup_bench::naive::{NeighboursOfQuery, NeighboursOfStored};
use dedup_bench::ours::Ours;
use dedup_bench::peers::Gaoya;
use dedup_bench::range_index::{RangeIndex, answers, fill};

type Made = Result<Box<dyn RangeIndex>, Box<dyn Error>>;
/// A name and a function that makes an index for a radius.
type Peer = (&'static str, fn(u32) -> Made);

/// Number of stored fingerprints, unless `DEDUP_BENCH_N` sets another.
const STORED: usize = 1_000_000;
/// Number of stored fingerprints for the baseline that stores 43,745 neighbours of each.
const STORED_OF_NEIGHBOURS: usize = 50;

fn stored() -> Vec<u64> {
    let count = env::var("DEDUP_BENCH_N").ok().and_then(|count| count.parse().ok());
    uniform(count.unwrap_or(STORED))
}

fn ours(radius: u32) -> Made {
    Ok(Box::new(Ours::new(radius)?))
}

/// gaoya with few tables.
fn gaoya(radius: u32) -> Made {
    let spare = if radius <= 3 { 2 } else { 3 };
    Ok(Box::new(Gaoya::new(radius, radius as usize + spare)))
}

/// gaoya with three times as many tables, for k = 3 only: for wider radii they would take gigabytes.
fn gaoya_of_six_blocks(radius: u32) -> Made {
    Ok(Box::new(Gaoya::new(radius, 6)))
}

const OURS: Peer = ("ours", ours);
const GAOYA: Peer = ("gaoya", gaoya);
const GAOYA_6: Peer = ("gaoya of six blocks", gaoya_of_six_blocks);

fn neighbours_of_query(radius: u32) -> Made {
    Ok(Box::new(NeighboursOfQuery::new(radius)))
}

fn filled(index: Made, stored: &[u64]) -> Box<dyn RangeIndex> {
    let mut index = index.expect("a layout for the radius");
    fill(index.as_mut(), stored).expect("room");
    index
}

fn insert(c: &mut Criterion) {
    let stored = stored();
    let mut group = c.benchmark_group("insert");
    group
        .sample_size(10)
        .throughput(Throughput::Elements(stored.len() as u64));
    // Not gaoya for wider radii: 45 tables at 7 and 78 at 10 take too much memory.
    let peers: [(Peer, u32); 5] = [(OURS, 3), (GAOYA, 3), (GAOYA_6, 3), (OURS, 7), (OURS, 10)];
    for ((name, index), radius) in peers {
        group.bench_function(format!("k={radius}/{name}"), |b| {
            b.iter_batched(
                || index(radius),
                |index| filled(index, &stored),
                BatchSize::PerIteration,
            );
        });
    }
}

fn query(c: &mut Criterion) {
    let stored = stored();
    let queries = fingerprints::queries(&stored, 10_000);
    for radius in [3, 7, 10] {
        let mut group = c.benchmark_group(format!("query/k={radius}"));
        group.sample_size(10).measurement_time(Duration::from_secs(3));
        let mut peers: Vec<Peer> = vec![OURS, GAOYA];
        if radius == 3 {
            peers.extend([GAOYA_6, ("neighbours of the query", neighbours_of_query)]);
        }
        // Compare the answers before the measurement, only to some queries because the baseline is slow.
        let few = &queries[..500];
        let mut truth = None;
        for (name, index) in peers {
            let mut index = filled(index(radius), &stored);
            let found = answers(index.as_mut(), few).expect("readable");
            assert_eq!(
                truth.get_or_insert_with(|| found.clone()),
                &found,
                "{name} finds others"
            );
            queries::bench(&mut group, name, index.as_mut(), &queries);
        }
    }
}

/// Queries with few stored fingerprints, so that all their neighbours fit in memory.
fn query_few(c: &mut Criterion) {
    let stored = uniform(STORED_OF_NEIGHBOURS);
    let queries = fingerprints::queries(&stored, 1_000);
    let mut group = c.benchmark_group(format!("query/k=3 of {STORED_OF_NEIGHBOURS}"));
    group.sample_size(10).measurement_time(Duration::from_secs(2));
    let mut ours = filled(ours(3), &stored);
    let mut neighbours = filled(Ok(Box::new(NeighboursOfStored::new(3))), &stored);
    let found = |index: &mut dyn RangeIndex| answers(index, &queries).expect("readable");
    assert_eq!(found(ours.as_mut()), found(neighbours.as_mut()));
    queries::bench(&mut group, "ours", ours.as_mut(), &queries);
    queries::bench(&mut group, "neighbours of the stored", neighbours.as_mut(), &queries);
}

criterion_group!(benches, insert, query, query_few);
criterion_main!(benches);
