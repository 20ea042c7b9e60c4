//! What an entry of the log costs a worker: a real index takes so many entries, as the workers of a crawl apply them.
//!
//! A fifth of the entries are near-duplicates of earlier ones, the others are random. Each slice of 2,000 is read as a worker reads it, decided
//! on all cores, and written with its place in the log.

use std::error::Error;
use std::time::{Duration, Instant};

use dedup::{
    Bands, Candidates, Deduplicator, Digest, DocId, DuplicateRule, Signature, Sketch, SledIndex, SledOptions, Verdict,
    on_all_cores,
};

/// Entries that a worker reads at a time.
const SLICE: u64 = 2_000;

/// Slices between two commits of a worker that has fallen behind.
const SLICES_A_COMMIT: u64 = 5;

/// Of ten entries, those that repeat an earlier one.
const REPEATED: u64 = 2;

/// Documents that are kept to be repeated.
const REMEMBERED: usize = 100_000;

#[derive(Clone)]
struct Parts {
    fingerprint: u64,
    sketch: [u64; 16],
    bands: [u64; 16],
}

impl Parts {
    fn signature(&self, id: u64) -> Result<Signature, Box<dyn Error>> {
        let sketch: Vec<u8> = self.sketch.iter().flat_map(|word| word.to_le_bytes()).collect();
        Ok(Signature {
            digest: Some(Digest(u128::from(id) << 64 | u128::from(self.fingerprint))),
            fingerprint: Some(self.fingerprint.into()),
            sketch: Some(Sketch::try_from(sketch)?),
            bands: Some(Box::new(Bands::from(self.bands))),
            tokens: 500,
            ..Signature::default()
        })
    }
}

/// The id of an entry, and its signature as the log has it.
type Row = (DocId, Vec<u8>);

/// The next entries.
struct Entries {
    random: fastrand::Rng,
    next: u64,
    remembered: Vec<Parts>,
}

impl Entries {
    fn slice(&mut self) -> Result<Vec<Row>, Box<dyn Error>> {
        let mut rows = Vec::with_capacity(SLICE as usize);
        for _ in 0..SLICE {
            let random = &mut self.random;
            let parts = if self.next % 10 < REPEATED && !self.remembered.is_empty() {
                let mut parts = self.remembered[random.usize(..self.remembered.len())].clone();
                (0..random.u32(1..6)).for_each(|_| parts.fingerprint ^= 1 << random.u32(..64));
                parts.bands[random.usize(..16)] = random.u64(..);
                parts
            } else {
                let parts = Parts {
                    fingerprint: random.u64(..),
                    sketch: std::array::from_fn(|_| random.u64(..)),
                    bands: std::array::from_fn(|_| random.u64(..)),
                };
                if self.remembered.len() < REMEMBERED {
                    self.remembered.push(parts.clone());
                } else {
                    self.remembered[random.usize(..REMEMBERED)] = parts.clone();
                }
                parts
            };
            // Pages of ten workers, each with its own numbers.
            let id = ((self.next % 10 + 1) << 48) | (self.next / 10);
            rows.push((DocId(id), parts.signature(self.next)?.to_row()?));
            self.next += 1;
        }
        Ok(rows)
    }
}

/// Processor time of this process.
fn processor_time() -> Duration {
    let stat = std::fs::read_to_string("/proc/self/stat").unwrap_or_default();
    let behind_name = stat.rsplit(") ").next().unwrap_or_default();
    let ticks = behind_name.split(' ').skip(11).take(2);
    Duration::from_millis(10 * ticks.filter_map(|ticks| ticks.parse::<u64>().ok()).sum::<u64>())
}

fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.trim().split(' ').next()?.parse::<u64>().ok())
        .unwrap_or_default()
        * 1_024
}

/// Applies `entries` of a log. Prints a line at each tenth of them.
pub fn apply(entries: u64, candidates: Candidates) -> Result<(), Box<dyn Error>> {
    let folder = tempfile::tempdir_in(".")?;
    let db = sled::Config::new()
        .path(folder.path())
        .cache_capacity(64 << 20)
        .flush_every_ms(None)
        .open()?;
    let rule = DuplicateRule::default();
    let options = SledOptions {
        candidates,
        seed: Some(36),
        ..SledOptions::default()
    };
    let index = SledIndex::open_with(&db, "simulated", &rule, options)?;
    let log = Deduplicator::new(index, rule)?;
    let mut source = Entries {
        random: fastrand::Rng::with_seed(36),
        next: 0,
        remembered: Vec::new(),
    };
    println!("  entries      kept   µs an entry   µs of a core   without commits   bytes a kept page");
    let mut kept = 0;
    let (mut wall, mut processor, mut of_commits) = (Duration::ZERO, Duration::ZERO, Duration::ZERO);
    let mut shown = 0;
    while source.next < entries {
        // The processor time of the system has 10 ms, so several slices are made before they are timed.
        let batch: Vec<_> = (0..SLICES_A_COMMIT).map(|_| source.slice()).collect::<Result<_, _>>()?;
        let (began, before) = (Instant::now(), processor_time());
        for rows in &batch {
            let read = on_all_cores(rows, |(id, row)| Ok((*id, Signature::from_row_with_bands(row)?)));
            let read: Vec<_> = read.into_iter().collect::<Result<_, postcard::Error>>()?;
            let verdicts = log.check_and_insert_all(&read)?;
            kept += verdicts.iter().filter(|verdict| **verdict == Verdict::Unique).count();
        }
        let commit = processor_time();
        log.index_mut().persist_marked(&source.next.to_be_bytes())?;
        wall += began.elapsed();
        processor += processor_time() - before;
        of_commits += processor_time() - commit;
        if (source.next - shown) * 10 >= entries {
            let each = |time: Duration| time.as_secs_f64() * 1e6 / (source.next - shown) as f64;
            println!(
                "{:>9} {kept:>9} {:>13.1} {:>14.1} {:>17.1} {:>19}",
                source.next,
                each(wall),
                each(processor),
                each(processor - of_commits),
                resident_bytes() / kept as u64,
            );
            (wall, processor, of_commits) = Default::default();
            shown = source.next;
        }
    }
    Ok(())
}
