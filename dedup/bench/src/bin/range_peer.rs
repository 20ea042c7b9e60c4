//! One index in one process that takes commands line by line, so that `compare` can measure several indices in turn.
//!
//! ```text
//! range_peer ours|gaoya:BLOCKS RADIUS STORED QUERIES
//! ```
//!
//! Both files hold 64-bit fingerprints, lowest byte first. It reads commands from standard input and answers each with
//! a line:
//!
//! - `insert` inserts all stored fingerprints: `{"seconds", "bytes"}`, the growth of the process in bytes
//! - `query` runs all queries: `{"seconds"}`
//! - `answers PATH` writes the answers to a file: `{"pairs"}`. Each pair is the place of a query and of a fingerprint
//!   found, 64 bits each, in order

use std::error::Error;
use std::io::{self, BufRead, Write};
use std::time::Instant;
use std::{fs, hint};

use dedup_bench::ours::Ours;
use dedup_bench::peers::Gaoya;
use dedup_bench::range_index::{RangeIndex, answers, fill};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [name, radius, stored, queries] = arguments.as_slice() else {
        return Err("usage: range_peer ours|gaoya:BLOCKS RADIUS STORED QUERIES".into());
    };
    let (stored, queries) = (read(stored)?, read(queries)?);
    let radius = radius.parse()?;
    let before = resident_bytes()?;
    let mut index: Box<dyn RangeIndex> = match name.split_once(':') {
        None if name == "ours" => Box::new(Ours::new(radius)?),
        Some(("gaoya", blocks)) => Box::new(Gaoya::new(radius, blocks.parse()?)),
        _ => return Err(format!("no index {name}: ours, gaoya:BLOCKS").into()),
    };
    for line in io::stdin().lock().lines() {
        let answer = answer(&line?, index.as_mut(), &stored, &queries, before)?;
        println!("{answer}");
        io::stdout().flush()?;
    }
    Ok(())
}

fn answer(
    command: &str,
    index: &mut dyn RangeIndex,
    stored: &[u64],
    queries: &[u64],
    before: u64,
) -> Result<Value, Box<dyn Error>> {
    let start = Instant::now();
    match command.split_once(' ') {
        None if command == "insert" => {
            fill(index, stored)?;
            let seconds = start.elapsed().as_secs_f64();
            Ok(json!({"seconds": seconds, "bytes": resident_bytes()?.saturating_sub(before)}))
        }
        None if command == "query" => {
            let mut found = Vec::new();
            for query in queries {
                found.clear();
                index.near(*query, &mut found)?;
                hint::black_box(&found);
            }
            Ok(json!({"seconds": start.elapsed().as_secs_f64()}))
        }
        Some(("answers", path)) => {
            let pairs = answers(index, queries)?;
            let bytes: Vec<u8> = pairs.iter().flatten().flat_map(|word| word.to_le_bytes()).collect();
            fs::write(path, bytes)?;
            Ok(json!({"pairs": pairs.len()}))
        }
        _ => Err(format!("no command {command:?}: insert, query, answers PATH").into()),
    }
}

fn read(path: &str) -> Result<Vec<u64>, Box<dyn Error>> {
    let bytes = fs::read(path)?;
    let (words, rest) = bytes.as_chunks::<8>();
    if !rest.is_empty() {
        return Err(format!("the length of {path} is not a multiple of 8 bytes").into());
    }
    Ok(words.iter().map(|word| u64::from_le_bytes(*word)).collect())
}

/// Resident memory of this process.
fn resident_bytes() -> Result<u64, Box<dyn Error>> {
    let status = fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    Ok(kilobytes
        .ok_or("no VmRSS in /proc/self/status")?
        .trim()
        .parse::<u64>()?
        * 1024)
}
