//! Speed from text to fingerprint and to signature; for ASCII texts compared with the fingerprint by gaoya.

#![expect(clippy::expect_used, reason = "a benchmark that cannot run ends")]

use std::hint;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use dedup_bench::ours::{analyzer, fingerprint, signature};
use dedup_bench::peers::gaoya_fingerprint;
use dedup_bench::texts;

fn text(c: &mut Criterion) {
    let analyzer = analyzer();
    let mut kinds = vec![("ascii", texts::ascii()), ("chinese", texts::chinese())];
    let named = texts::named_by_environment().expect("a readable JSONL file");
    kinds.extend(named.map(|texts| ("named", texts)));
    for (kind, texts) in &kinds {
        let bytes: usize = texts.iter().map(String::len).sum();
        let mut group = c.benchmark_group(format!("text/{kind}"));
        group.sample_size(10).measurement_time(Duration::from_secs(2));
        group.throughput(Throughput::Bytes(bytes as u64));
        group.bench_function("ours, fingerprint", |b| {
            b.iter(|| {
                texts
                    .iter()
                    .filter_map(|text| fingerprint(&analyzer, text))
                    .fold(0, |all, bits| all ^ bits)
            });
        });
        group.bench_function("ours, signature", |b| {
            b.iter(|| {
                texts
                    .iter()
                    .for_each(|text| drop(hint::black_box(signature(&analyzer, text))))
            });
        });
        // gaoya would treat a Chinese text without white space as one word.
        if *kind == "ascii" {
            group.bench_function("gaoya, fingerprint", |b| {
                b.iter(|| texts.iter().fold(0, |all, text| all ^ gaoya_fingerprint(text)));
            });
        }
    }
}

criterion_group!(benches, text);
criterion_main!(benches);
