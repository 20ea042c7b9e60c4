//! Reads `{"id", "text"}` lines from standard input and writes one verdict per line, in the same order:
//! `{"id", "verdict", "of", "distance", "similarity"}`. Optional arguments: max_distance, min_similarity.

use std::io::{self, BufRead, Write};

use dedup::{Analyzer, Confirm, Deduplicator, DocId, DuplicateRule, MemoryIndex, Scheme, Verdict};
use serde_json::{Value, json};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut rule = DuplicateRule::default();
    let mut arguments = std::env::args().skip(1);
    if let Some(distance) = arguments.next() {
        rule.max_distance = distance.parse()?;
    }
    if let Some(similarity) = arguments.next() {
        rule.confirm = Confirm::Sketch {
            min_similarity: similarity.parse()?,
        };
    }
    let analyzer = Analyzer::new(&Scheme::default());
    let dedup = Deduplicator::new(MemoryIndex::new(&rule)?, rule)?;
    let mut ids = Vec::new();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let (mut bytes, mut analyzing, mut deciding) = (0, std::time::Duration::ZERO, std::time::Duration::ZERO);
    for line in io::stdin().lock().lines() {
        let page: Value = serde_json::from_str(&line?)?;
        let text = page["text"].as_str().unwrap_or_default();
        let start = std::time::Instant::now();
        let signature = analyzer.analyze(text);
        let analyzed = std::time::Instant::now();
        let verdict = dedup.check_and_insert(DocId(ids.len() as u64), &signature)?;
        (bytes, analyzing) = (bytes + text.len(), analyzing + (analyzed - start));
        deciding += analyzed.elapsed();
        ids.push(page["id"].clone());
        let (name, of, distance, similarity) = match verdict {
            Verdict::Unique => ("unique", None, None, None),
            Verdict::Exact { of } => ("exact", Some(of), Some(0), Some(1.0)),
            Verdict::Near {
                of,
                distance,
                similarity,
            } => ("near", Some(of), distance, Some(similarity)),
        };
        let of = of.map_or(Value::Null, |DocId(of)| ids[of as usize].clone());
        let id = ids.last();
        writeln!(
            out,
            "{}",
            json!({"id": id, "verdict": name, "of": of, "distance": distance, "similarity": similarity})
        )?;
    }
    out.flush()?;
    let megabytes = bytes as f64 / 1e6;
    eprintln!(
        "{megabytes:.1} MB: analyzed at {:.0} MB/s, {:.1} µs a decision",
        megabytes / analyzing.as_secs_f64(),
        deciding.as_secs_f64() * 1e6 / ids.len().max(1) as f64
    );
    Ok(())
}
