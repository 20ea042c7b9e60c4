//! The results as a plot: F1 over the distance, one line per scheme and `--confirm`.

use std::collections::BTreeMap;

use super::{Row, table};
use crate::cli::plot::{LEGEND_LINE, Svg};

/// Frame of the plot in pixels. The legend is below it.
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;

/// Converts values to positions in the frame.
struct Axes {
    max_distance: f64,
    min_f1: f64,
}

impl Axes {
    fn of(rows: &[Row]) -> Self {
        let distances = rows.iter().map(|row| row.rule.max_distance);
        let lowest = rows.iter().map(|row| row.score.f1()).fold(1.0, f64::min);
        Self {
            max_distance: f64::from(distances.max().unwrap_or(0).max(1)),
            // The frame begins at the next lower tenth, so that the values fill it.
            min_f1: ((lowest * 10.0).floor() / 10.0).clamp(0.0, 0.9),
        }
    }

    fn x(&self, distance: f64) -> f64 {
        LEFT + WIDTH * distance / self.max_distance
    }

    fn y(&self, f1: f64) -> f64 {
        TOP + HEIGHT * (1.0 - f1) / (1.0 - self.min_f1)
    }
}

/// Renders the plot as a complete SVG document.
pub(super) fn svg(rows: &[Row]) -> String {
    let axes = Axes::of(rows);
    let lines = lines(rows);
    let height = TOP + HEIGHT + 60.0 + LEGEND_LINE * lines.len() as f64;
    let mut out = Svg::new(
        (LEFT + WIDTH + 40.0, height),
        LEFT,
        "F1 over Hamming distance",
        "F1 over the largest Hamming distance",
    );
    grid(&mut out, &axes, rows);
    for (number, (name, points)) in lines.iter().enumerate() {
        let place = |(distance, f1): &(u32, f64)| (axes.x(f64::from(*distance)), axes.y(*f1));
        let points: Vec<(f64, f64)> = points.iter().map(place).collect();
        out.curve(number, &points, 3.5);
        let y = TOP + HEIGHT + 60.0 + LEGEND_LINE * number as f64;
        out.legend(number, y, (LEFT, LEFT + 36.0, 10.0), name);
    }
    out.finish()
}

/// The points of each line, by distance.
fn lines(rows: &[Row]) -> Vec<(String, Vec<(u32, f64)>)> {
    let mut lines: Vec<(String, BTreeMap<u32, f64>)> = Vec::new();
    for row in rows {
        let scheme = &row.scheme;
        let name = format!(
            "{}, {}, {} bits, confirmed by {}",
            table::features(scheme),
            scheme.weights.weighting(),
            scheme.width.bits(),
            match table::confirm(row.rule.confirm) {
                number if number.starts_with('0') || number == "1" => format!("similarity ≥ {number}"),
                word => word,
            }
        );
        let point = (row.rule.max_distance, row.score.f1());
        match lines.iter_mut().find(|(other, _)| *other == name) {
            Some((_, points)) => drop(points.insert(point.0, point.1)),
            None => lines.push((name, BTreeMap::from([point]))),
        }
    }
    lines
        .into_iter()
        .map(|(name, points)| (name, points.into_iter().collect()))
        .collect()
}

fn grid(out: &mut Svg, axes: &Axes, rows: &[Row]) {
    let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
    for step in 0..=5 {
        let f1 = axes.min_f1 + (1.0 - axes.min_f1) * f64::from(step) / 5.0;
        let y = axes.y(f1);
        out.push(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>"
        ));
        out.text(LEFT - 8.0, y + 4.0, "end", &format!("{f1:.2}"));
    }
    let mut distances: Vec<u32> = rows.iter().map(|row| row.rule.max_distance).collect();
    distances.sort_unstable();
    distances.dedup();
    for distance in distances {
        let x = axes.x(f64::from(distance));
        out.push(format_args!(
            "<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#eee\"/>"
        ));
        out.text(x, bottom + 20.0, "middle", &distance.to_string());
    }
    let (middle, below) = (LEFT + WIDTH / 2.0, bottom + 40.0);
    out.text(middle, below, "middle", "largest Hamming distance, bits");
}
