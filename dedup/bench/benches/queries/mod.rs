//! Measures queries one by one.

use std::hint;

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Throughput};
use dedup_bench::range_index::RangeIndex;

/// Measures the queries in turn, again and again.
pub fn bench(group: &mut BenchmarkGroup<'_, WallTime>, name: &str, index: &mut dyn RangeIndex, queries: &[u64]) {
    group.throughput(Throughput::Elements(1));
    group.bench_function(name, |b| {
        let mut queries = queries.iter().cycle();
        let mut found = Vec::new();
        b.iter(|| {
            found.clear();
            let query = queries.next().copied().unwrap_or_default();
            index.near(query, &mut found).expect("readable");
            hint::black_box(&found);
        });
    });
}
