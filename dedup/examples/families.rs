//! What a verdict costs among documents that look alike, against documents that do not.
//!
//! ```sh
//! cargo run --release -p crawler-dedup --example families -- 16000 100000
//! ```
//!
//! Each kind has the given number of documents, in an index in memory:
//!
//! - `strangers`: 300 words each, nothing in common;
//! - `family`: 300 words, two thirds of them from a template, cut into ten pieces;
//! - `bags`: the same 400 words in another order, so that all fingerprints are equal;
//! - `short`: 38 words, three quarters of them from a template, compared by their shingles.
//!
//! The columns: documents kept, microseconds a document to analyse the text and for the verdict with the insertion, and
//! the verdict alone for the first and the last tenth.

use std::time::{Duration, Instant};

use dedup::{Analyzer, Deduplicator, DocId, DuplicateRule, Index, MemoryIndex, Scheme};

/// Pseudo-random numbers (SplitMix64), the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((u128::from(z ^ (z >> 31)) * bound as u128) >> 64) as usize
    }

    /// Words by Zipf's law from 20,000.
    fn words(&mut self, count: usize) -> Vec<usize> {
        let zipf = |random: &mut Self| {
            let unit = random.below(1 << 30) as f64 / f64::from(1 << 30);
            20_000_f64.powf(unit) as usize
        };
        (0..count).map(|_| zipf(self)).collect()
    }
}

fn text(words: &[usize]) -> String {
    words.iter().map(|word| format!("w{} ", word * 7919 % 20_011)).collect()
}

/// The document of a kind; `template` is the same for all of them.
fn document(kind: &str, template: &[usize], random: &mut Random) -> String {
    let pieces = |pieces: usize, common: usize, own: usize, random: &mut Random| {
        let piece = |piece: usize| {
            let common = &template[piece * common..(piece + 1) * common];
            [common, &random.words(own)].concat()
        };
        (0..pieces).flat_map(piece).collect::<Vec<_>>()
    };
    match kind {
        "family" => text(&pieces(10, 20, 10, random)),
        "short" => text(&pieces(2, 14, 5, random)),
        "bags" => {
            let mut bag = template.to_vec();
            for at in (1..bag.len()).rev() {
                bag.swap(at, random.below(at + 1));
            }
            text(&bag)
        }
        _ => text(&random.words(300)),
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut sizes: Vec<usize> = Vec::new();
    for argument in std::env::args().skip(1) {
        sizes.push(argument.parse()?);
    }
    if sizes.is_empty() {
        sizes.push(16_000);
    }
    let analyzer = Analyzer::new(&Scheme::default());
    println!("kind        documents    kept  analysis µs  verdict µs  first tenth  last tenth");
    for size in sizes {
        for kind in ["strangers", "family", "bags", "short"] {
            let mut random = Random(1);
            let template = random.words(400);
            let rule = DuplicateRule::default();
            let dedup = Deduplicator::new(MemoryIndex::new(&rule)?, rule)?;
            let mut analysis = Duration::ZERO;
            let mut verdicts = [Duration::ZERO; 10];
            for number in 0..size {
                let text = document(kind, &template, &mut random);
                let start = Instant::now();
                let signature = analyzer.analyze(&text);
                let analysed = Instant::now();
                dedup.check_and_insert(DocId(number as u64), &signature)?;
                analysis += analysed - start;
                verdicts[number * 10 / size] += analysed.elapsed();
            }
            let micros = |time: Duration, documents: usize| time.as_secs_f64() * 1e6 / documents as f64;
            println!(
                "{kind:<10} {size:>10} {:>7} {:>12.1} {:>11.1} {:>12.1} {:>11.1}",
                dedup.index().len()?,
                micros(analysis, size),
                micros(verdicts.iter().sum(), size),
                micros(verdicts[0], size / 10),
                micros(verdicts[9], size / 10),
            );
        }
    }
    Ok(())
}
