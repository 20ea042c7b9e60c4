//! The settings as tables for a terminal, and as CSV.

use std::fmt::Write;

use comfy_table::presets::NOTHING;
use comfy_table::{CellAlignment, Table};
use dedup::Confirm;

use super::IN_FORCE;
use super::measured::{Measured, Row, confirm_name, min_similarity};
use super::plot::bar;
use crate::study::replay::{Grid, Interval};

/// What stands for a share of nothing.
const NOT_JUDGED: &str = "–";

/// Characters of the longest bar.
const BAR: usize = 10;

/// A figure of every setting: distances downwards, ways to confirm across. The setting in force is marked with `*`, the one at
/// `recommended` with `<`.
pub(super) fn matrix(measured: &Measured, recommended: usize, figure: impl Fn(&Row) -> String) -> String {
    let mut table = Table::new();
    let confirms = measured.confirms();
    let header = confirms.iter().map(|confirm| match *confirm {
        Confirm::Sketch { min_similarity } => format!("≥{min_similarity} "),
        Confirm::Distance => "any ".to_owned(),
        Confirm::Combined { .. } => "combined ".to_owned(),
    });
    table
        .load_style(NOTHING)
        .set_header(std::iter::once("bits".to_owned()).chain(header));
    for distance in measured.distances() {
        let figures = confirms.iter().map(|confirm| {
            let found = measured.find(distance, *confirm);
            found.map_or(String::new(), |(cell, row)| figure(row) + mark(cell, recommended))
        });
        table.add_row(std::iter::once(format!("≤{distance}")).chain(figures));
    }
    align(&mut table, None);
    tight(&mut table);
    lines(&table)
}

fn mark(cell: usize, recommended: usize) -> &'static str {
    match (cell, cell == recommended) {
        (IN_FORCE, _) => "*",
        (_, true) => "<",
        _ => " ",
    }
}

/// Settings one by one, with how sure each figure is and a bar for the pages dropped; `named` says what tells them apart.
pub(super) fn list<'a>(
    rows: impl Iterator<Item = (usize, &'a Row)>,
    recommended: usize,
    with_labels: bool,
    named: impl Fn(&Row) -> String,
) -> String {
    let rows: Vec<(usize, &Row)> = rows.collect();
    let most = rows.iter().map(|(_, row)| row.dropped).max().unwrap_or(0);
    let mut table = Table::new();
    let header = ["", "dropped", "", "change", "precision", "recall", "F1"];
    let labels = with_labels.then_some("labels against");
    table.load_style(NOTHING).set_header(header.into_iter().chain(labels));
    for (cell, row) in rows {
        let [precision, recall, f1] = row.scored.shares();
        let change = match (row.newly_dropped, row.newly_kept) {
            (0, 0) => "0".to_owned(),
            (dropped, 0) => format!("+{dropped}"),
            (0, kept) => format!("-{kept}"),
            (dropped, kept) => format!("+{dropped} -{kept}"),
        };
        let figures = [
            named(row) + mark(cell, recommended),
            row.dropped.to_string(),
            bar(row.dropped, most, BAR),
            change,
            estimate(precision),
            estimate(recall),
            f1.map_or(NOT_JUDGED.to_owned(), |(f1, _)| format!("{f1:.3}")),
        ];
        let labels = with_labels.then(|| row.contradicted.to_string());
        table.add_row(figures.into_iter().chain(labels));
    }
    align(&mut table, Some(2));
    tight(&mut table);
    lines(&table)
}

fn estimate(share: Option<(f64, Interval)>) -> String {
    share.map_or(NOT_JUDGED.to_owned(), |(value, Interval { low, high })| {
        format!("{value:.3} ({low:.2}–{high:.2})")
    })
}

/// Figures to the right, the column of bars, if there is one, to the left.
fn align(table: &mut Table, bars: Option<usize>) {
    for (place, column) in table.column_iter_mut().enumerate() {
        if Some(place) != bars {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
}

fn tight(table: &mut Table) {
    for column in table.column_iter_mut() {
        column.set_padding((0, 1));
    }
}

fn lines(table: &Table) -> String {
    let lines: Vec<String> = table.lines().map(|line| line.trim_end().to_owned()).collect();
    lines.join("\n")
}

/// A header line, then a line a setting.
pub(super) fn csv(grid: &Grid, measured: &Measured) -> String {
    let mut out = "max_distance,confirm,min_similarity,is_in_force,dropped,newly_dropped,newly_kept,right,grey,wrong,missed,unique,\
                   not_judged,precision,precision_low,precision_high,recall,recall_low,recall_high,f1,f1_low,f1_high,\
                   labels_contradicted\n"
        .to_owned();
    for (at, (cell, row)) in grid.cells().iter().zip(&measured.rows).enumerate() {
        let (score, scored) = (row.scored.score, row.scored);
        let similarity = min_similarity(cell.confirm).map_or(String::new(), |similarity| similarity.to_string());
        let shares = scored.shares().map(|share| {
            share.map_or(",,".to_owned(), |(value, Interval { low, high })| {
                format!("{value:.6},{low:.6},{high:.6}")
            })
        });
        // No field holds a comma or a quotation mark.
        let line = writeln!(
            out,
            "{},{},{similarity},{},{},{},{},{},{},{},{},{},{},{},{}",
            cell.max_distance,
            confirm_name(cell.confirm),
            at == IN_FORCE,
            row.dropped,
            row.newly_dropped,
            row.newly_kept,
            score.right,
            score.grey,
            score.wrong,
            score.missed,
            score.unique,
            scored.not_judged(),
            shares.join(","),
            row.contradicted,
        );
        debug_assert!(line.is_ok(), "a String takes whatever is written to it");
    }
    out
}
