//! Measures the index in sled trees: check-and-inserts per second on one thread, memory, disk space, time to open.
//! Prints a table.
//!
//! ```text
//! cargo run --release -p crawler-dedup --example sled_index_bench -- [COUNT]… [--full]
//!     [--distance K] [--skew] [--cache MIB] [--recent DOCUMENTS]
//! ```
//!
//! Fingerprints and digests are random. A document has a digest and a fingerprint, and with `--full` also a sketch of
//! 128 bytes. With `--skew`, a quarter of the documents share a bucket. The program persists the index and flushes the database every 5,000 documents.
//!
//! `cpu` is the processor time per document, of all threads; it depends less on other work of the machine than the
//! rate. `persist` is the time of the slowest persist, `peak` the peak memory of the process, `disk` the size of the
//! folder per document after the database is closed. The last two columns are the times to open the database and the
//! index.

#![expect(clippy::unwrap_used, reason = "a measurement, not a program to rely on")]

use std::path::Path;
use std::time::{Duration, Instant};

use dedup::{Digest, DocId, DuplicateRule, Index, Signature, Sketch, SledIndex, SledOptions};

/// Default size of sled's cache in MiB.
const CACHE: u64 = 16;
/// Documents per persist.
const BATCH: u64 = 5_000;

struct Options {
    counts: Vec<u64>,
    full: bool,
    distance: Option<u32>,
    skew: bool,
    cache: u64,
    recent: usize,
}

fn main() {
    let options = options();
    let titles = [
        "documents",
        "a second",
        "last tenth",
        "cpu µs",
        "persist ms",
        "peak MB",
        "disk B",
        "sled s",
        "index s",
    ];
    println!("{}", titles.map(|title| format!("{title:>10}")).join(" "));
    for &count in &options.counts {
        measure(count, &options);
    }
}

fn options() -> Options {
    let mut options = Options {
        counts: Vec::new(),
        full: false,
        distance: None,
        skew: false,
        cache: CACHE,
        recent: SledOptions::default().recent_documents,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--full" => options.full = true,
            "--cache" => options.cache = arguments.next().map_or(CACHE, |cache| cache.parse().unwrap()),
            "--recent" => options.recent = arguments.next().unwrap().parse().unwrap(),
            "--skew" => options.skew = true,
            "--distance" => options.distance = arguments.next().map(|k| k.parse().unwrap()),
            count => options.counts.push(count.parse().unwrap()),
        }
    }
    if options.counts.is_empty() {
        options.counts = vec![100_000, 1_000_000];
    }
    options
}

fn open(path: &Path, options: &Options) -> (sled::Db, SledIndex, [Duration; 2]) {
    let start = Instant::now();
    let db = sled::Config::new()
        .path(path)
        .cache_capacity(options.cache << 20)
        .flush_every_ms(None)
        .open()
        .unwrap();
    let opened = start.elapsed();
    let rule = DuplicateRule {
        max_distance: options.distance.unwrap_or(10),
        ..DuplicateRule::default()
    };
    let kept = SledOptions {
        recent_documents: options.recent,
        ..SledOptions::default()
    };
    let index = SledIndex::open_with(&db, "bench", &rule, kept).unwrap();
    (db, index, [opened, start.elapsed() - opened])
}

fn measure(count: u64, options: &Options) {
    let folder = tempfile::tempdir().unwrap();
    let (db, mut index, _) = open(folder.path(), options);
    let mut slowest = Duration::ZERO;
    let (start, cpu_before) = (Instant::now(), cpu_seconds());
    let mut last_tenth = start;
    let mut found = Vec::new();
    for number in 1..=count {
        let signature = signature(number, options);
        assert!(index.exact(signature.digest.unwrap()).unwrap().is_none());
        found.clear();
        index.near(signature.fingerprint.unwrap(), &mut found).unwrap();
        index.insert(DocId(number), &signature).unwrap();
        if number % BATCH == 0 || number == count {
            let start = Instant::now();
            index.persist(number).unwrap();
            db.flush().unwrap();
            slowest = slowest.max(start.elapsed());
        }
        if number == count - count / 10 {
            last_tenth = Instant::now();
        }
    }
    let (all, last) = (start.elapsed(), last_tenth.elapsed());
    let cpu = cpu_seconds().zip(cpu_before).map(|(after, before)| after - before);
    let peak = status("VmHWM:");
    drop(index);
    drop(db);
    let bytes = bytes_in(folder.path());
    let (_db, index, [sled_open, index_open]) = open(folder.path(), options);
    let some = signature(count / 2, options);
    assert_eq!(index.exact(some.digest.unwrap()).unwrap(), Some(DocId(count / 2)));
    let columns = [
        count.to_string(),
        format!("{:.0}", count as f64 / all.as_secs_f64()),
        format!("{:.0}", count as f64 / 10.0 / last.as_secs_f64()),
        cpu.map_or("-".to_owned(), |cpu| format!("{:.1}", cpu * 1e6 / count as f64)),
        slowest.as_millis().to_string(),
        peak.map_or("-".to_owned(), |kibibytes| (kibibytes * 1_024 / 1_000_000).to_string()),
        format!("{:.0}", bytes as f64 / count as f64),
        format!("{:.2}", sled_open.as_secs_f64()),
        format!("{:.2}", index_open.as_secs_f64()),
    ];
    println!("{}", columns.map(|column| format!("{column:>10}")).join(" "));
}

fn signature(number: u64, options: &Options) -> Signature {
    let random = |salt: u64| mix(number.wrapping_mul(4) + salt);
    let crowded = options.skew && number.is_multiple_of(4);
    let fingerprint = if crowded { random(2) & !0xffff } else { random(2) };
    Signature {
        digest: Some(Digest(u128::from(random(0)) << 64 | u128::from(random(1)))),
        fingerprint: Some(fingerprint.into()),
        sketch: if options.full { Sketch::new(&[random(3)]) } else { None },
        tokens: 500,
        ..Signature::default()
    }
}

/// The finaliser of SplitMix64, a pseudo-random permutation.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Processor time of the process, which Linux counts in hundredths of a second; `None` on other systems.
fn cpu_seconds() -> Option<f64> {
    let stat = std::fs::read_to_string("/proc/self/stat").ok()?;
    let after_name = stat.rsplit_once(')')?.1;
    let ticks = after_name.split_whitespace().skip(11).take(2).map(str::parse::<f64>);
    Some(ticks.sum::<Result<f64, _>>().ok()? / 100.0)
}

/// A value in kB from the status file of the process; `None` on systems other than Linux.
fn status(name: &str) -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn bytes_in(folder: &Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let sizes = entries.map(|entry| match entry.metadata().unwrap() {
        metadata if metadata.is_dir() => bytes_in(&entry.path()),
        metadata => metadata.len(),
    });
    sizes.sum()
}
