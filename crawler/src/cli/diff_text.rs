//! The difference between two texts for a terminal: side by side if the terminal is wide enough, otherwise one below the other.

use super::screen::{Marked, Paint, Screen, columns, marked, wrap};
use study::diff::{Diff, Row, Span};
use terminal::units::counted;

/// Smallest width for a comparison side by side, in columns.
const SIDE_BY_SIDE: usize = 110;

/// What shows the rows that were left out, for a command that has JSON.
pub(super) const JSON_HAS_MORE: &str = "--format json has more of them";

/// Renders the rows of a difference. `names` are the headings of the left and the right text, `further` says what shows the rows that are
/// left out.
pub(super) fn render(diff: &Diff, names: (&str, &str), further: &str, screen: Screen) -> String {
    let mut out = if screen.width >= SIDE_BY_SIDE {
        side_by_side(diff, names, screen)
    } else {
        unified(diff, names, screen)
    };
    if diff.rows_left_out > 0 {
        let text = format!("… {} more rows; {further}", diff.rows_left_out);
        out.push_str(&screen.indented(2, &text));
    }
    if diff.is_cut {
        out.push_str(&screen.indented(2, &format!("… {}", Diff::CUT)));
    }
    out
}

fn unified(diff: &Diff, names: (&str, &str), screen: Screen) -> String {
    let mut out = String::new();
    let mut line = |sign: char, text: &[Marked], paint: Option<Paint>| {
        for (number, piece) in wrap(text, screen.width - 2).iter().enumerate() {
            let sign = if number == 0 { sign } else { ' ' };
            let sign = paint.map_or_else(|| sign.to_string(), |paint| screen.paint(&sign.to_string(), paint));
            out.push_str(&format!("{sign} {}\n", painted(piece, paint, screen)));
        }
    };
    let (removed, added) = (Some(Paint::Removed), Some(Paint::Added));
    line('-', &marked(names.0, false), removed);
    line('+', &marked(names.1, false), added);
    for row in &diff.rows {
        match row {
            Row::Same { text } => line(' ', &marked(text, false), None),
            Row::Skipped { lines } => line(
                '⋮',
                &marked(&counted(*lines as u64, "identical line"), false),
                Some(Paint::Faint),
            ),
            Row::Changed { left, right } => {
                if let Some(left) = left {
                    line('-', &with_marks(left, ["[-", "-]"], screen), removed);
                }
                if let Some(right) = right {
                    line('+', &with_marks(right, ["{+", "+}"], screen), added);
                }
            }
        }
    }
    out
}

fn side_by_side(diff: &Diff, names: (&str, &str), screen: Screen) -> String {
    let width = (screen.width - 3) / 2;
    let mut out = String::new();
    let mut row = |left: &[Marked], sign: char, right: &[Marked], paints: [Option<Paint>; 2]| {
        let (left, right) = (wrap(left, width), wrap(right, width));
        for number in 0..left.len().max(right.len()) {
            let (left, right) = (left.get(number), right.get(number));
            let (left, right) = (
                left.map_or(&[][..], Vec::as_slice),
                right.map_or(&[][..], Vec::as_slice),
            );
            let room = " ".repeat(width - columns(left));
            let (left, right) = (painted(left, paints[0], screen), painted(right, paints[1], screen));
            out.push_str(format!("{left}{room} {sign} {right}").trim_end());
            out.push('\n');
        }
    };
    let both = [Some(Paint::Removed), Some(Paint::Added)];
    row(&marked(names.0, false), '│', &marked(names.1, false), both);
    for shown in &diff.rows {
        match shown {
            Row::Same { text } => row(&marked(text, false), '│', &marked(text, false), [None; 2]),
            Row::Skipped { lines } => {
                let text = marked(&format!("⋮ {}", counted(*lines as u64, "identical line")), false);
                row(&text, '│', &text, [Some(Paint::Faint); 2]);
            }
            Row::Changed { left, right } => {
                let sign = match (left, right) {
                    (Some(_), None) => '<',
                    (None, _) => '>',
                    (Some(_), Some(_)) => '|',
                };
                let line = |spans: &Option<Vec<Span>>, marks| {
                    spans
                        .as_ref()
                        .map_or_else(Vec::new, |spans| with_marks(spans, marks, screen))
                };
                row(&line(left, ["[-", "-]"]), sign, &line(right, ["{+", "+}"]), both);
            }
        }
    }
    out
}

/// A changed line with its changes marked: by colour or, without colours, by the signs of wdiff. A line that changed completely has no
/// signs.
fn with_marks(spans: &[Span], signs: [&str; 2], screen: Screen) -> Vec<Marked> {
    let has_signs = !screen.has_colours() && spans.iter().any(|span| !span.is_changed);
    let mut line = Vec::new();
    for span in spans {
        if has_signs && span.is_changed {
            line.extend(marked(signs[0], true));
            line.extend(marked(&span.text, true));
            line.extend(marked(signs[1], true));
        } else {
            line.extend(marked(&span.text, span.is_changed));
        }
    }
    line
}

/// A line whose marked parts have the colour of its side.
fn painted(line: &[Marked], paint: Option<Paint>, screen: Screen) -> String {
    let pieces = line.chunk_by(|a, b| a.1 == b.1);
    pieces
        .map(|piece| {
            let text: String = piece.iter().map(|(c, _)| c).collect();
            match (paint, piece[0].1) {
                (Some(Paint::Faint), _) => screen.paint(&text, Paint::Faint),
                (Some(paint), true) => screen.paint(&text, paint),
                _ => text,
            }
        })
        .collect()
}
