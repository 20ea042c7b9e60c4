//! The results as a table for a terminal and as CSV.

use std::fmt::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, ContentArrangement, Table};
use dedup::{Confirm, Scheme, Segmenter};

use super::Row;

/// The table for a terminal, in the order of the combinations, with the best F1 marked.
pub(super) fn text(rows: &[Row]) -> String {
    let mut table = Table::new();
    table
        .load_style(NOTHING)
        .set_content_arrangement(ContentArrangement::Dynamic)
        .set_header([
            "features",
            "weights",
            "bits",
            "distance",
            "confirm",
            "precision",
            "recall",
            "F1",
            "wrong",
            "missed",
            "candidates",
            "µs",
        ]);
    let best = rows.iter().map(|row| row.score.f1()).fold(0.0, f64::max);
    for row in rows {
        let f1 = row.score.f1();
        let mark = if f1 == best { " *" } else { "" };
        table.add_row([
            features(&row.scheme),
            row.scheme.weights.weighting().to_string(),
            row.scheme.width.bits().to_string(),
            row.rule.max_distance.to_string(),
            confirm(row.rule.confirm),
            format!("{:.4}", row.score.precision()),
            format!("{:.4}", row.score.recall()),
            format!("{f1:.4}{mark}"),
            row.score.wrong.to_string(),
            row.score.missed.to_string(),
            format!("{:.2}", row.candidates),
            format!("{:.1}", row.decision_us),
        ]);
    }
    for column in table.column_iter_mut().skip(2) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    format!(
        "{table}\n\n* best F1. candidates: kept documents within the distance, per page. µs: time per verdict on one thread."
    )
}

/// A header line, then one line per combination.
pub(super) fn csv(rows: &[Row]) -> String {
    let mut out = "features,weights,bits,max_distance,confirm,precision,recall,f1,right,grey,wrong,missed,unique,\
                   candidates,decision_us\n"
        .to_owned();
    for Row {
        scheme,
        rule,
        score,
        candidates,
        decision_us,
    } in rows
    {
        // No field contains a comma or a quotation mark.
        let line = writeln!(
            out,
            "{},{},{},{},{},{:.6},{:.6},{:.6},{},{},{},{},{},{candidates:.3},{decision_us:.2}",
            features(scheme),
            scheme.weights.weighting(),
            scheme.width.bits(),
            rule.max_distance,
            confirm(rule.confirm),
            score.precision(),
            score.recall(),
            score.f1(),
            score.right,
            score.grey,
            score.wrong,
            score.missed,
            score.unique,
        );
        debug_assert!(line.is_ok(), "writing to a String cannot fail");
    }
    out
}

/// The features, with the segmenter if it is not the default.
pub(super) fn features(scheme: &Scheme) -> String {
    match scheme.segmenter {
        Segmenter::Pairs => scheme.features.to_string(),
        other => format!("{} ({other})", scheme.features),
    }
}

/// The value for `--confirm`.
pub(super) fn confirm(confirm: Confirm) -> String {
    match confirm {
        Confirm::Distance => "distance".to_owned(),
        Confirm::Sketch { min_similarity } => min_similarity.to_string(),
        Confirm::Combined { .. } => "combined".to_owned(),
    }
}
