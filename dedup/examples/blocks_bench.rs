//! What a search by blocks costs, and its memory, in an index of fingerprints alone.
//!
//! ```sh
//! cargo run --release -p crawler-dedup --example blocks_bench -- 10 1 4 10 16 64
//! ```
//!
//! The arguments are the distance in bits, or distance and number of blocks as in `10/3`, then millions of fingerprints, ascending. At
//! 64 million, the index takes 4 GB. One index, of four blocks if no number is given, grows to one size after the other, on one thread.
//!
//! The fingerprints are random, and every tenth is in a family of ten, whose members differ in up to five bits from one in the middle.
//! The columns: millions of fingerprints; bytes of resident memory for each; microseconds of a search, and fingerprints found, for random
//! queries and for members of families; microseconds of an insertion, and the longest of them in milliseconds. Times are those of the
//! processor, which count no other program, except the last, which is by the clock.

mod random;

use std::time::{Duration, Instant};

use dedup::{FingerprintIndex, Layout, NearFingerprint, Width};

use random::Random;

type Failure = Box<dyn std::error::Error>;

/// Queries of each kind.
const QUERIES: u64 = 20_000;

/// A word within `most` bits.
fn near(random: &mut Random, word: u64, most: u64) -> u64 {
    (0..random.below(most + 1)).fold(word, |word, _| word ^ 1 << random.below(64))
}

/// The fingerprint of a number.
fn fingerprint(number: u64) -> u64 {
    let mut random = Random(number.wrapping_mul(0x1_0000_0001));
    if number % 100 < 10 {
        near(&mut random, middle(number / 100), 5)
    } else {
        random.next()
    }
}

/// The middle of a family.
fn middle(family: u64) -> u64 {
    Random(family ^ 0xfa11).next()
}

fn resident_bytes() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:"));
    let kilobytes: u64 = line
        .unwrap_or_default()
        .split_whitespace()
        .nth(1)
        .unwrap_or("0")
        .parse()?;
    Ok(kilobytes * 1_024)
}

/// Processor time of the process, in nanoseconds.
fn now() -> Result<u64, Failure> {
    let times = std::fs::read_to_string("/proc/self/schedstat")?;
    Ok(times.split_whitespace().next().unwrap_or("0").parse()?)
}

/// Microseconds of one of `count` steps.
fn micros(nanoseconds: u64, count: u64) -> f64 {
    nanoseconds as f64 / 1e3 / count as f64
}

/// Microseconds of a search, and the fingerprints found by one.
fn search(index: &FingerprintIndex<u64>, query: &mut dyn FnMut() -> u64) -> Result<(f64, f64), Failure> {
    let queries: Vec<u64> = (0..QUERIES).map(|_| query()).collect();
    let mut found: Vec<NearFingerprint> = Vec::new();
    let mut count = 0;
    let start = now()?;
    for query in queries {
        found.clear();
        index.near(query, &mut found);
        count += found.len();
    }
    Ok((micros(now()? - start, QUERIES), count as f64 / QUERIES as f64))
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    let layout = arguments.next().unwrap_or_else(|| "10".to_owned());
    let (distance, blocks) = layout.split_once('/').unwrap_or((&layout, "4"));
    let layout = Layout::new(Width::W64, blocks.parse()?, distance.parse()?)?;
    let mut index = FingerprintIndex::<u64>::new(layout)?;
    let before = resident_bytes()?;
    let mut len = 0;
    println!("millions  bytes  µs of a search (found)  insert  longest");
    for millions in arguments {
        let size = (millions.parse::<f64>()? * 1e6) as u64;
        let (new, start, mut longest) = (size.saturating_sub(len).max(1), now()?, Duration::ZERO);
        while len < size {
            let begin = Instant::now();
            index.insert(fingerprint(len), len)?;
            longest = longest.max(begin.elapsed());
            len += 1;
        }
        let insertion = micros(now()? - start, new);
        let bytes = resident_bytes()?.saturating_sub(before) as f64 / size as f64;
        let mut random = Random(size);
        let (time, found) = search(&index, &mut || random.next())?;
        let mut random = Random(size);
        let (of_family, in_family) = search(&index, &mut || {
            let family = random.below(size / 100);
            near(&mut random, middle(family), 5)
        })?;
        println!(
            "{:>8.1} {bytes:>6.1}  new {time:>6.1} ({found:.2})  family {of_family:>6.1} ({in_family:.2})  {insertion:.2}  {:.1}",
            size as f64 / 1e6,
            longest.as_secs_f64() * 1e3,
        );
    }
    Ok(())
}
