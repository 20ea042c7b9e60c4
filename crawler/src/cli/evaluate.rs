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
use crate::cli::output::write_whole;
use error::RunError;
use files::open_unpacked;
use grid::Grid;
use study::labels::parse_label;
use terminal::tell::tell;
use terminal::units::counted;

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
        write_whole(Some(path), table::csv(&rows))?;
    }
    if let Some(path) = &args.svg {
        write_whole(Some(path), plot::svg(&rows))?;
    }
    Ok(super::output::say(&table::text(&rows))?)
}

/// Computes the signatures of the pages on all cores.
fn signatures(scheme: &Scheme, pages: &[LabelledPage]) -> Vec<Signature> {
    let analyzer = Analyzer::new(scheme);
    dedup::on_all_cores(pages, |page| Signature {
        metadata: analyzer.metadata(page.title.split_whitespace()),
        ..analyzer.analyze(&page.text)
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

/// One line of the file of pages: `{"id", "text", "title"}`, or a line of `crawler export`, whose id is its URL.
#[derive(serde::Deserialize)]
struct Line {
    id: Option<Id>,
    url: Option<String>,
    text: Option<String>,
    title: Option<String>,
}

/// An id as the pairs spell it.
#[derive(serde::Deserialize)]
#[serde(untagged)]
enum Id {
    Text(String),
    Number(serde_json::Number),
}

/// Reads the pages. Leaves out those without a text: an export with `--verdict all` names duplicates without their texts.
fn read_pages(path: &Path) -> Result<Vec<LabelledPage>, UsageError> {
    let pages = lines(path, |line| {
        let line: Line = serde_json::from_str(line).map_err(|error| error.to_string())?;
        let id = match line.id {
            Some(Id::Text(id)) => id,
            Some(Id::Number(id)) => id.to_string(),
            None => line.url.ok_or("it has neither an id nor a url")?,
        };
        Ok((id, line.text, line.title.unwrap_or_default()))
    })?;
    let all = pages.len();
    let with_text = |(id, text, title)| Some(LabelledPage { id, text: text?, title });
    let pages: Vec<LabelledPage> = pages.into_iter().filter_map(with_text).collect();
    if pages.len() < all {
        let without = counted((all - pages.len()) as u64, "page");
        tracing::warn!("left out {without} without a text in {}", path.display());
    }
    if pages.is_empty() {
        return Err(UsageError::Argument(format!(
            "{} holds no page with a text: write one JSON object per line, with id (or url) and text, as crawler export does",
            path.display()
        )));
    }
    Ok(pages)
}

/// Reads the known similarities, with pages by their positions. Leaves out pairs with unknown pages.
fn read_truth(args: &EvaluateArgs, pages: &[LabelledPage]) -> Result<Truth<u64>, UsageError> {
    let places: HashMap<&str, u64> = pages.iter().map(|page| page.id.as_str()).zip(0..).collect();
    let pairs = lines(&args.pairs, |line| {
        let fields: Vec<&str> = line.split('\t').map(str::trim).collect();
        let [a, b, label, ..] = fields[..] else {
            return if line.trim_start().starts_with('#') {
                Ok(None)
            } else {
                Err("the line must have two ids and a similarity, separated by tabs".to_owned())
            };
        };
        let similarity = parse_label(label)?;
        Ok(Some(
            places.get(a).zip(places.get(b)).map(|(a, b)| (*a, *b, similarity)),
        ))
    })?;
    let labels = pairs.iter().flatten().count();
    let pairs: Vec<(u64, u64, f32)> = pairs.into_iter().flatten().flatten().collect();
    let unknown = labels - pairs.len();
    if unknown > 0 {
        tracing::warn!(
            "left out {} of {}, because a page of theirs is not in {}",
            counted(unknown as u64, "pair"),
            args.pairs.display(),
            args.pages.display()
        );
    }
    Ok(Truth::new(pairs, args.duplicate_from, args.different_below))
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
        if !line.trim().is_empty() {
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
