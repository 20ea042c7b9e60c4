//! `crawler evaluate`: precision and recall of many dedup settings on pages with known duplicates.
//!
//! Signatures depend only on the scheme, so the command computes them once per scheme and applies every rule to them.

mod grid;
mod plot;
mod table;

use std::collections::HashMap;
use std::io::BufRead;
use std::path::Path;
use std::time::Instant;

use dedup::evaluate::{Score, Truth};
use dedup::{Analyzer, Deduplicator, DocId, DuplicateRule, Index, Layout, MemoryIndex, Scheme, Signature};

use crate::cli::arguments::EvaluateArgs;
use crate::cli::error::{Error, UsageError};
use crate::error::RunError;
use crate::files::open_unpacked;
use crate::terminal::tell::tell;
use grid::Grid;

/// A page of the evaluated corpus.
struct LabelledPage {
    id: String,
    text: String,
    title: String,
}

/// The result of one combination of settings.
struct Row {
    scheme: Scheme,
    rule: DuplicateRule,
    score: Score,
    /// Mean number of other kept documents within the distance of a page.
    candidates: f64,
    /// Microseconds per verdict on one thread.
    decision_us: f64,
}

pub(super) fn execute(args: &EvaluateArgs, quiet: bool) -> Result<(), Error> {
    let settings = super::configuration::settings(&args.config)?;
    let pages = read_pages(&args.pages)?;
    let grid = Grid::new(args, &settings.scheme, &settings.rule, &pages)?;
    for scheme in &grid.schemes {
        for rule in &grid.rules {
            Layout::for_distance(scheme.width, rule.max_distance).map_err(UsageError::from)?;
        }
    }
    let truth = read_truth(args, &pages)?;
    let mut rows = Vec::with_capacity(grid.size());
    for scheme in &grid.schemes {
        let signatures = signatures(scheme, &pages);
        for rule in &grid.rules {
            rows.push(evaluate(scheme, rule, &signatures, &truth)?);
            if !quiet {
                tell(format_args!("{} of {} combinations", rows.len(), grid.size()));
            }
        }
    }
    if let Some(path) = &args.csv {
        write(path, &table::csv(&rows))?;
    }
    if let Some(path) = &args.svg {
        write(path, &plot::svg(&rows))?;
    }
    Ok(super::output::say(&table::text(&rows))?)
}

/// Computes the signatures of the pages on all cores.
fn signatures(scheme: &Scheme, pages: &[LabelledPage]) -> Vec<Signature> {
    let analyzer = Analyzer::new(scheme);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let share = pages.len().div_ceil(cores).max(1);
    std::thread::scope(|scope| {
        let analyze = |page: &LabelledPage| Signature {
            metadata: analyzer.metadata(page.title.split_whitespace()),
            ..analyzer.analyze(&page.text)
        };
        let shares = pages.chunks(share);
        let threads: Vec<_> = shares
            .map(|pages| scope.spawn(move || pages.iter().map(analyze).collect::<Vec<_>>()))
            .collect();
        let done = threads.into_iter().map(|thread| thread.join());
        done.flat_map(|signatures| signatures.unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
            .collect()
    })
}

fn evaluate(
    scheme: &Scheme,
    rule: &DuplicateRule,
    signatures: &[Signature],
    truth: &Truth<u64>,
) -> Result<Row, RunError> {
    let dedup = Deduplicator::new(MemoryIndex::of_width(scheme.width, rule)?, rule.clone())?;
    let mut verdicts = Vec::with_capacity(signatures.len());
    let start = Instant::now();
    for (number, signature) in (0..).zip(signatures) {
        let verdict = dedup.check_and_insert(DocId(number), signature)?;
        verdicts.push((number, verdict.of().map(|of| of.0)));
    }
    let elapsed = start.elapsed();
    let documents = signatures.len().max(1) as f64;
    Ok(Row {
        scheme: scheme.clone(),
        rule: rule.clone(),
        score: truth.score(verdicts),
        candidates: candidates(&dedup.index(), signatures)? as f64 / documents,
        decision_us: elapsed.as_secs_f64() * 1e6 / documents,
    })
}

fn candidates(index: &MemoryIndex, signatures: &[Signature]) -> Result<usize, RunError> {
    let mut found = Vec::new();
    for (number, signature) in (0..).zip(signatures) {
        if let Some(fingerprint) = signature.fingerprint {
            let before = found.len();
            index.near(fingerprint, &mut found)?;
            let own = found[before..]
                .iter()
                .position(|neighbour| neighbour.id == DocId(number));
            own.map(|at| found.swap_remove(before + at));
        }
    }
    Ok(found.len())
}

/// One line of the file of pages.
#[derive(serde::Deserialize)]
struct Line {
    id: String,
    text: String,
    #[serde(default)]
    title: String,
}

fn read_pages(path: &Path) -> Result<Vec<LabelledPage>, UsageError> {
    lines(path, |line| {
        let Line { id, text, title } = serde_json::from_str(line).map_err(|error| error.to_string())?;
        Ok(LabelledPage { id, text, title })
    })
}

/// Reads the known similarities, with pages by their positions. Skips pairs with unknown pages.
fn read_truth(args: &EvaluateArgs, pages: &[LabelledPage]) -> Result<Truth<u64>, UsageError> {
    let places: HashMap<&str, u64> = pages.iter().map(|page| page.id.as_str()).zip(0..).collect();
    let pairs = lines(&args.pairs, |line| {
        let mut fields = line.split('\t');
        let mut field = || {
            fields
                .next()
                .ok_or("the line must have two ids and a similarity, separated by tabs")
        };
        let (a, b, similarity) = (field()?, field()?, field()?);
        let similarity: f32 = similarity
            .trim()
            .parse()
            .map_err(|_| "the third field is not a number")?;
        Ok(places.get(a).zip(places.get(b)).map(|(a, b)| (*a, *b, similarity)))
    })?;
    Ok(Truth::new(
        pairs.into_iter().flatten(),
        args.duplicate_from,
        args.different_below,
    ))
}

/// Parses each line of a file. The first invalid line is an error, because an incomplete file would falsify the result.
fn lines<T>(path: &Path, parse: impl Fn(&str) -> Result<T, String>) -> Result<Vec<T>, UsageError> {
    let unreadable = |source| UsageError::Unreadable {
        path: path.to_owned(),
        source,
    };
    let reader = open_unpacked(path).map_err(unreadable)?;
    let mut parsed = Vec::new();
    for (number, line) in (1..).zip(reader.lines()) {
        let line = line.map_err(unreadable)?;
        if !line.is_empty() {
            let bad = |reason| UsageError::BadLine {
                path: path.to_owned(),
                number,
                reason,
            };
            parsed.push(parse(&line).map_err(bad)?);
        }
    }
    Ok(parsed)
}

fn write(path: &Path, text: &str) -> Result<(), RunError> {
    let mut output = super::output::Output::open(Some(path))?;
    output.write(text)?;
    output.finish()
}
