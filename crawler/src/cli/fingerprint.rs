//! `crawler fingerprint`: the fingerprint of each document and its features.

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use dedup::{Analyzer, Explanation};
use serde::Serialize;

use super::documents;
use crate::cli::arguments::FingerprintArgs;
use crate::cli::error::Error;
use error::RunError;
use files::Document;
use study::in_words::fingerprint_floor;
use terminal::text::terminal_text;

/// Upper bound on the characters of a feature or an id on a terminal.
const SHOWN_WIDTH: usize = 60;

/// A document as one line of JSON. Later versions only add fields.
#[derive(Debug, Serialize)]
struct Line<'a> {
    id: &'a serde_json::value::RawValue,
    /// Hexadecimal digits; null for a text that is too short for a fingerprint.
    fingerprint: Option<String>,
    /// Scheme of the fingerprint.
    scheme: &'a str,
    tokens: u32,
    distinct_features: usize,
    features: Vec<Feature<'a>>,
}

/// A feature with its weight.
#[derive(Debug, Serialize)]
struct Feature<'a> {
    feature: &'a str,
    count: u32,
    weight: f64,
    /// Hexadecimal digits.
    hash: String,
}

pub(super) fn execute(args: &FingerprintArgs, quiet: bool) -> Result<(), Error> {
    let settings = super::configuration::settings(&args.config)?;
    let analyzer = Analyzer::new(&settings.scheme);
    let mut output = super::output::Output::open(None)?;
    let mut failed = None;
    let faults = documents::read(&args.inputs, settings.extract.clone(), &[], quiet, |document| {
        let explanation = analyzer.explain(document.text);
        let tokens = analyzer.analyze(document.text).tokens;
        let text = if args.json {
            line(document, &explanation, tokens, &settings.scheme.id(), args.top)
        } else {
            Ok(table(
                document,
                &explanation,
                tokens,
                settings.scheme.min_words,
                args.top,
            ))
        };
        failed = failed
            .take()
            .or(text.and_then(|text| output.write(&(text + "\n"))).err());
    })?;
    output.finish()?;
    match (failed, faults) {
        (Some(error), _) => Err(error.into()),
        (None, faults) => Error::of_faults(faults),
    }
}

fn line(
    document: &Document<'_>,
    explanation: &Explanation,
    tokens: u32,
    scheme: &str,
    top: usize,
) -> Result<String, RunError> {
    let features = explanation.features.iter().take(top).map(|feature| Feature {
        feature: &feature.text,
        count: feature.count,
        weight: feature.weight,
        hash: format!("{:016x}", feature.hash),
    });
    let line = Line {
        id: serde_json::from_str(document.id).map_err(|error| RunError::Render(error.to_string()))?,
        fingerprint: explanation.fingerprint.map(|fingerprint| fingerprint.to_string()),
        scheme,
        tokens,
        distinct_features: explanation.distinct,
        features: features.collect(),
    };
    terminal::json::to_string(&line).map_err(|error| RunError::Render(error.to_string()))
}

fn table(document: &Document<'_>, explanation: &Explanation, tokens: u32, min_words: usize, top: usize) -> String {
    let fingerprint = match explanation.fingerprint {
        Some(fingerprint) => fingerprint.to_string(),
        None => format!("none: {}", fingerprint_floor(min_words)),
    };
    let mut rows = Table::new();
    rows.load_style(NOTHING).set_header(["weight", "count", "feature"]);
    for feature in explanation.features.iter().take(top) {
        rows.add_row([
            format!("{:.2}", feature.weight),
            feature.count.to_string(),
            terminal_text(&feature.text, SHOWN_WIDTH),
        ]);
    }
    for column in rows.column_iter_mut().take(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!(
        "{}\n  fingerprint {fingerprint}\n  {tokens} tokens, {} distinct features, heaviest first:\n{rows}\n",
        terminal_text(document.id.trim_matches('"'), SHOWN_WIDTH),
        explanation.distinct,
    )
}
