//! The forms of a diff in the page: JSON for the script, rows for the template.

use serde_json::{Value, json};

use super::web_text::visible;
use study::diff::{Diff, Row, Span};
use terminal::units::grouped;

/// A diff for the template, which shows it without JavaScript.
#[derive(Debug, Default)]
pub(crate) struct StaticDiff {
    /// Its number for the script; `None` if there is no diff.
    pub number: Option<usize>,
    pub summary: String,
    pub rows: Vec<StaticRow>,
    pub left_out: u64,
    /// The reason for a missing diff; empty if there is a diff.
    pub reason: &'static str,
}

impl StaticDiff {
    /// A whole difference.
    pub fn of(diff: &Diff) -> Self {
        let value = json_of(diff);
        Self {
            number: None,
            summary: value["n"].as_str().unwrap_or_default().to_owned(),
            rows: folded(rows(&value)),
            left_out: diff.rows_left_out as u64,
            reason: "",
        }
    }
}

/// A row of a diff.
#[derive(Debug)]
pub(crate) enum StaticRow {
    /// A line of both texts.
    Same(String),
    /// A number of equal lines that the diff skips.
    Skipped(u64),
    /// The pieces of the two sides. The second, the fourth, … piece is changed. A side without the line has no pieces.
    Changed([Vec<String>; 2]),
}

/// `{n: summary, more: rows left out, r: rows}`. A row is a line of both texts, the number of lines skipped, or two sides. A side is
/// null or its pieces, of which the second, the fourth, … are changed.
pub(super) fn json_of(diff: &Diff) -> Value {
    let rows: Vec<Value> = diff
        .rows
        .iter()
        .map(|row| match row {
            Row::Same { text } => json!(visible(text)),
            Row::Skipped { lines } => json!(lines),
            Row::Changed { left, right } => json!([pieces(left.as_deref()), pieces(right.as_deref())]),
        })
        .collect();
    let counts = [diff.removed, diff.added, diff.same].map(|count| grouped(count as u64));
    let mut summary = format!(
        "{} words removed, {} added, {} unchanged",
        counts[0], counts[1], counts[2]
    );
    if diff.is_cut {
        summary.push_str("; ");
        summary.push_str(Diff::CUT);
    }
    json!({
        "n": summary,
        "more": diff.rows_left_out,
        "r": rows,
    })
}

fn pieces(spans: Option<&[Span]>) -> Value {
    let Some(spans) = spans else { return Value::Null };
    let mut pieces: Vec<String> = vec![String::new()];
    for span in spans {
        let is_changed_now = pieces.len().is_multiple_of(2);
        if span.is_changed != is_changed_now {
            pieces.push(String::new());
        }
        if let Some(piece) = pieces.last_mut() {
            piece.push_str(&visible(&span.text));
        }
    }
    json!(pieces)
}

/// The rows with one equal line before and after each change; the others are counted.
fn folded(rows: Vec<StaticRow>) -> Vec<StaticRow> {
    let is_change: Vec<bool> = rows.iter().map(|row| matches!(row, StaticRow::Changed(_))).collect();
    let is_near = |at: usize| at > 0 && is_change[at - 1] || is_change.get(at + 1) == Some(&true);
    let mut folded: Vec<StaticRow> = Vec::new();
    for (at, row) in rows.into_iter().enumerate() {
        let lines = match row {
            StaticRow::Same(_) if !is_near(at) => 1,
            StaticRow::Skipped(lines) => lines,
            row => {
                folded.push(row);
                continue;
            }
        };
        match folded.last_mut() {
            Some(StaticRow::Skipped(before)) => *before += lines,
            _ => folded.push(StaticRow::Skipped(lines)),
        }
    }
    folded
}

/// The rows of [`json_of`] for the template.
pub(super) fn rows(value: &Value) -> Vec<StaticRow> {
    let side = |side: &Value| -> Vec<String> {
        let pieces = side.as_array().into_iter().flatten();
        pieces.filter_map(Value::as_str).map(str::to_owned).collect()
    };
    let rows = value["r"].as_array().into_iter().flatten();
    rows.map(|row| match row {
        Value::String(text) => StaticRow::Same(text.clone()),
        Value::Number(lines) => StaticRow::Skipped(lines.as_u64().unwrap_or_default()),
        sides => StaticRow::Changed([side(&sides[0]), side(&sides[1])]),
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn equal_lines_far_from_a_change_are_counted() {
        let same = |text: &str| StaticRow::Same(text.to_owned());
        let change = || StaticRow::Changed([vec!["a".to_owned()], Vec::new()]);
        let rows = vec![
            same("1"),
            same("2"),
            change(),
            same("3"),
            same("4"),
            StaticRow::Skipped(7),
        ];
        let shown: Vec<String> = folded(rows).iter().map(|row| format!("{row:?}")).collect();
        assert_eq!(shown.len(), 5, "{shown:?}");
        assert_eq!([&*shown[0], &*shown[1]], ["Skipped(1)", "Same(\"2\")"]);
        assert_eq!([&*shown[3], &*shown[4]], ["Same(\"3\")", "Skipped(8)"]);
    }
}
