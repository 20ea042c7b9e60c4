//! What a document takes in memory, and what its verdict costs, with a bound on the memory.
//!
//! ```sh
//! cargo run --release -p crawler-dedup --example memory_bench -- long 2500 1000000 10000000
//! ```
//!
//! The arguments are a kind of documents, the bound in megabytes, and numbers of documents, ascending:
//!
//! - `long`: a fingerprint, a sketch and bands, as of more than 62 words;
//! - `between`: these and 52 shingles, as of 56 words;
//! - `short`: 40 shingles, as of 44 words.
//!
//! The signatures are random, but every tenth document is a duplicate of an earlier one. The columns: documents, kept ones, bytes of resident memory and
//! of the temporary file for each kept one, and microseconds of processor time for a verdict with the insertion since the line before.

mod random;

use std::sync::Arc;

use dedup::{
    Bands, Candidates, Deduplicator, Digest, DocId, DuplicateRule, MemoryIndex, Signature, Sketch, Spill, Verdict,
};

use random::Random;

type Failure = Box<dyn std::error::Error>;

fn signature(kind: &str, number: u64) -> Result<Signature, Failure> {
    let original = match number % 10 {
        9 => Random(number).below(number / 10 + 1) * 10,
        _ => number,
    };
    let mut random = Random(original.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    random.next();
    let mut random = Random(random.next());
    let mut signature = Signature {
        digest: Some(Digest(u128::from(random.next()) << 64 | u128::from(number))),
        tokens: 80,
        ..Signature::default()
    };
    if kind != "short" {
        let sketch: Vec<u8> = (0..16).flat_map(|_| random.next().to_le_bytes()).collect();
        signature.fingerprint = Some(random.next().into());
        signature.sketch = Some(Sketch::try_from(sketch)?);
        signature.bands = Some(Box::new(Bands::from(std::array::from_fn(|_| random.next()))));
    }
    let shingles = match kind {
        "long" => 0,
        "between" => 52,
        _ => 40,
    };
    signature.shingles = (0..shingles).map(|_| random.next()).collect();
    signature.shingles.sort_unstable();
    Ok(signature)
}

/// A figure in kilobytes of `/proc/self/status`, in bytes.
fn status(name: &str) -> Result<u64, Failure> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with(name)).unwrap_or_default();
    Ok(line.split_whitespace().nth(1).unwrap_or("0").parse::<u64>()? * 1_024)
}

/// Processor time of the process, in nanoseconds.
fn now() -> Result<u64, Failure> {
    let times = std::fs::read_to_string("/proc/self/schedstat")?;
    Ok(times.split_whitespace().next().unwrap_or("0").parse()?)
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [kind, megabytes, sizes @ ..] = &arguments[..] else {
        return Err("memory_bench long|between|short MEGABYTES DOCUMENTS…".into());
    };
    let folder = std::env::current_dir()?;
    // Removed at once: the file is gone when the process ends.
    let spill = Spill::new(megabytes.parse::<usize>()? * 1_000_000, &folder, |folder| {
        let path = folder.join(format!("memory_bench.{}", std::process::id()));
        let file = std::fs::File::options()
            .read(true)
            .write(true)
            .create_new(true)
            .open(&path)?;
        std::fs::remove_file(&path)?;
        Ok(file)
    });
    let spill = Arc::new(spill);
    let rule = DuplicateRule::default();
    let index = MemoryIndex::new(&rule)?.candidates_from(Candidates::Auto);
    let dedup = Deduplicator::new(index.spilling_to(Arc::clone(&spill)), rule)?;
    println!("documents     kept  bytes  of file   µs      peak MB");
    let (mut number, mut kept) = (0, 0);
    for size in sizes {
        let size: u64 = size.parse()?;
        let (mut nanoseconds, from) = (0, number);
        while number < size {
            let batch = (number..(number + 1_000).min(size)).map(|number| signature(kind, number));
            let batch = batch.collect::<Result<Vec<_>, Failure>>()?;
            let start = now()?;
            for signature in &batch {
                let verdict = dedup.check_and_insert(DocId(kept), signature)?;
                kept += u64::from(verdict == Verdict::Unique);
            }
            number += batch.len() as u64;
            nanoseconds += now()? - start;
        }
        println!(
            "{size:>9} {kept:>8} {:>6} {:>8} {:>6.1} {:>8.0}",
            status("VmRSS:")? / kept,
            spill.written_bytes() / kept,
            nanoseconds as f64 / 1e3 / (size - from) as f64,
            status("VmHWM:")? as f64 / 1e6,
        );
    }
    Ok(())
}
