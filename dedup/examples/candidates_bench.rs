//! What a check costs with candidates from blocks and from bands, and the memory of both, in an index in memory.
//!
//! ```sh
//! cargo run --release -p crawler-dedup --example candidates_bench -- 1 4 10
//! ```
//!
//! The arguments are millions of documents, ascending. At 10 million, the larger index takes 6 GB. Each index grows to one
//! size after the other, on one thread; first an index that keeps no bands, then one that does. Where an index keeps bands,
//! every line of a size asks the same index, so the figures of blocks and bands are from the same minutes.
//!
//! The documents are random, and every tenth is in a family of ten look-alikes: their fingerprints differ in up to 10 bits from
//! one in the middle, their sketches in 19 %, and they share a fifth of its bands. The queries:
//!
//! - `new`: random documents, of which the index has no duplicate;
//! - `family`: look-alikes of kept documents;
//! - `copies`: duplicates of kept documents with J = 0.9;
//! - `template`: 100,000 pages, or a tenth of the smallest size, of which three quarters are a template, J = 0.6 to one another;
//! - `numbers`: as many pages with one text, which only their numbers part.
//!
//! The columns: millions of documents, bytes of resident memory for each, the source of the candidates, microseconds of a check by
//! queries, and of an insertion. For the last two kinds, the least of five rounds. Times are those of the processor, which count no other program.

mod random;

use dedup::{Bands, Candidates, DocId, DuplicateRule, Index, MemoryIndex, Neighbour, Signature, Sketch};

use random::Random;

type Failure = Box<dyn std::error::Error>;

/// Queries of each kind.
const QUERIES: u64 = 20_000;

impl Random {
    /// A word of which each bit is set with probability `sixteenths` / 16.
    fn flips(&mut self, sixteenths: u32) -> u64 {
        let bits = (0..4).map(|bit| (sixteenths >> bit & 1 == 1, self.next()));
        bits.fold(0, |all, (is_set, bits)| if is_set { all | bits } else { all & bits })
    }
}

/// The random parts of a signature.
#[derive(Clone)]
struct Parts {
    fingerprint: u64,
    sketch: [u64; 16],
    bands: [u64; 16],
}

impl Parts {
    fn new(random: &mut Random) -> Self {
        Self {
            fingerprint: random.next(),
            sketch: std::array::from_fn(|_| random.next()),
            bands: std::array::from_fn(|_| random.next()),
        }
    }

    /// A variant: so many bits of the fingerprint and sixteenths of the sketch differ at most, and so many sixteenths of the bands are equal.
    fn variant(&self, random: &mut Random, bits: u64, sketch: u32, bands: u64) -> Self {
        let mut variant = self.clone();
        (0..random.below(bits + 1)).for_each(|_| variant.fingerprint ^= 1 << random.below(64));
        variant.sketch.iter_mut().for_each(|word| *word ^= random.flips(sketch));
        for band in &mut variant.bands {
            if random.below(16) >= bands {
                *band = random.next();
            }
        }
        variant
    }

    fn signature(&self, numbers: u64) -> Result<Signature, Failure> {
        let sketch: Vec<u8> = self.sketch.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Signature {
            fingerprint: Some(self.fingerprint.into()),
            sketch: Some(Sketch::try_from(sketch)?),
            bands: Some(Box::new(Bands::from(self.bands))),
            numbers,
            ..Signature::default()
        })
    }
}

/// The document of a number.
fn document(number: u64) -> Parts {
    let mut random = Random(number.wrapping_mul(0x1_0000_0001));
    if number % 100 < 10 {
        let family = Parts::new(&mut Random((number / 100) ^ 0xfa11));
        family.variant(&mut random, 10, 3, 3)
    } else {
        Parts::new(&mut random)
    }
}

/// A page of the template: three quarters of its shingles, and each bit of its fingerprint with probability 0.86.
fn page(random: &mut Random) -> Signature {
    let of_template = (0..240_u64).map(|number| Random(number).next());
    let shingles: Vec<u64> = of_template.chain((0..80).map(|_| random.next())).collect();
    // Two pages differ in 15 bits, as those of an angle of arccos 0.75 do.
    let own = random.flips(2) | random.flips(1) & random.flips(4);
    Signature {
        fingerprint: Some((0x0123_4567_89ab_cdef ^ own).into()),
        sketch: Sketch::new(&shingles),
        bands: Bands::new(&shingles).map(Box::new),
        ..Signature::default()
    }
}

/// A page with the text of all others and numbers of its own.
fn numbered(number: u64) -> Result<Signature, Failure> {
    Parts::new(&mut Random(5)).signature(number)
}

fn resident_bytes() -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status
        .lines()
        .find(|line| line.starts_with("VmRSS:"))
        .unwrap_or_default();
    let kilobytes: u64 = line.split_whitespace().nth(1).unwrap_or("0").parse()?;
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

/// Microseconds of a check, and the candidates of one.
fn check(index: &MemoryIndex, rule: &DuplicateRule, queries: &[Signature]) -> Result<(f64, f64), Failure> {
    let mut found: Vec<Neighbour> = Vec::new();
    let mut count = 0;
    let start = now()?;
    for query in queries {
        found.clear();
        index.candidates(query, rule, &mut found)?;
        count += found.len();
    }
    let queries = queries.len() as u64;
    Ok((micros(now()? - start, queries), count as f64 / queries as f64))
}

/// Queries of every kind, for an index of `size` documents.
fn queries(size: u64) -> Result<[(&'static str, Vec<Signature>); 3], Failure> {
    let mut random = Random(size);
    let mut of = |make: &mut dyn FnMut(&mut Random) -> Parts| -> Result<Vec<Signature>, Failure> {
        (0..QUERIES).map(|_| make(&mut random).signature(0)).collect()
    };
    Ok([
        ("new", of(&mut Parts::new)?),
        (
            "family",
            of(&mut |random| document(random.below(size / 100) * 100 + 9).variant(random, 0, 0, 3))?,
        ),
        (
            "copies",
            of(&mut |random| document(random.below(size / 100) * 100 + 50).variant(random, 4, 1, 12))?,
        ),
    ])
}

fn grow(sizes: &[u64], keeps: Candidates) -> Result<(), Failure> {
    let rule = DuplicateRule::default();
    let before = resident_bytes()?;
    let mut index = MemoryIndex::new(&rule)?.candidates_from(keeps);
    let mut len = 0;
    for size in sizes {
        let mut inserting = 0;
        let new = size - len;
        while len < *size {
            let batch =
                (len..(len + 1_000).min(*size)).map(|number| Ok((DocId(number), document(number).signature(0)?)));
            let batch = batch.collect::<Result<Vec<_>, Failure>>()?;
            let start = now()?;
            for (id, signature) in &batch {
                index.insert(*id, signature)?;
            }
            inserting += now()? - start;
            len += batch.len() as u64;
        }
        let bytes = resident_bytes()?.saturating_sub(before) / size;
        let queries = queries(*size)?;
        let asked = match keeps {
            Candidates::Blocks => vec![keeps],
            _ => vec![Candidates::Blocks, Candidates::Bands, Candidates::Auto],
        };
        for from in asked {
            index = index.candidates_from(from);
            print!("{:>8.1} {bytes:>6} {:<7}", *size as f64 / 1e6, format!("{from:?}"));
            for (kind, queries) in &queries {
                check(&index, &rule, &queries[..100])?;
                let (time, found) = check(&index, &rule, queries)?;
                print!("  {kind} {time:>6.1} ({found:.2})");
            }
            println!("  insert {:>5.1}", micros(inserting, new));
        }
        index = index.candidates_from(keeps);
    }
    if keeps != Candidates::Blocks {
        crowd(index, len / 10)?;
    }
    Ok(())
}

/// Adds the crowded documents, and measures checks among them.
fn crowd(mut index: MemoryIndex, most: u64) -> Result<(), Failure> {
    let count = most.min(100_000);
    let rule = DuplicateRule::default();
    let same_numbers = DuplicateRule {
        numbers_must_match: true,
        ..rule.clone()
    };
    let pages = (0..count)
        .map(|number| Ok(page(&mut Random(!number))))
        .collect::<Result<Vec<_>, Failure>>()?;
    let others = (0..count).map(numbered).collect::<Result<Vec<_>, Failure>>()?;
    for (kind, rule, documents) in [("template", rule, pages), ("numbers", same_numbers, others)] {
        let mut len = index.len()? as u64;
        let mut inserted = 0;
        for part in [100, 10, 1] {
            let start = now()?;
            let until = documents.len() / part;
            for signature in &documents[inserted..until] {
                index.insert(DocId(len), signature)?;
                len += 1;
            }
            let insertion = micros(now()? - start, (until - inserted) as u64);
            inserted = until;
            let step = (until / 500).max(1);
            let queries: Vec<Signature> = documents[..until].iter().step_by(step).cloned().collect();
            let mut least = [f64::INFINITY; 2];
            for round in 0..10 {
                index = index.candidates_from([Candidates::Blocks, Candidates::Bands][round % 2]);
                let (time, _) = check(&index, &rule, &queries)?;
                least[round % 2] = least[round % 2].min(time);
            }
            let [blocks, bands] = least;
            println!("{kind} {until:>7}  blocks {blocks:>7.1}  bands {bands:>7.1}  insert {insertion:.1}");
        }
    }
    Ok(())
}

fn main() -> Result<(), Failure> {
    let mut arguments: Vec<String> = std::env::args().skip(1).collect();
    if arguments.is_empty() {
        arguments.push("1".to_owned());
    }
    let keeps = match arguments[0].as_str() {
        "blocks" => Candidates::Blocks,
        "bands" => Candidates::Auto,
        _ => return in_processes(&arguments),
    };
    let millions = arguments[1..].iter().map(|argument| argument.parse::<f64>());
    let sizes = millions.map(|millions| Ok((millions? * 1e6) as u64));
    grow(&sizes.collect::<Result<Vec<u64>, Failure>>()?, keeps)
}

/// A process for each index, so that the memory of one does not count for the other.
fn in_processes(sizes: &[String]) -> Result<(), Failure> {
    println!("millions  bytes from     µs of a check (candidates of one), by queries");
    for keeps in ["blocks", "bands"] {
        let mut process = std::process::Command::new(std::env::current_exe()?);
        if !process.arg(keeps).args(sizes).status()?.success() {
            return Err(keeps.into());
        }
    }
    Ok(())
}
