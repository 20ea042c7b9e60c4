//! The results as a plot: F1 over the distance, one line per scheme and `--confirm`.

use std::collections::BTreeMap;
use std::fmt::Write;

use super::{Row, table};

/// Frame of the plot in pixels. The legend is below it.
const LEFT: f64 = 60.0;
const TOP: f64 = 40.0;
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 360.0;
const LEGEND_LINE: f64 = 20.0;

/// Colours that people with colour blindness can distinguish (Okabe and Ito 2008).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];
/// Dashes that distinguish lines of the same colour.
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "9 3 2 3"];

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
    let width = LEFT + WIDTH + 40.0;
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"F1 over Hamming distance\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">F1 over the largest Hamming distance</text>\n"
    );
    grid(&mut out, &axes, rows);
    for (number, (name, points)) in lines.iter().enumerate() {
        let colour = COLOURS[number % COLOURS.len()];
        let dashes = DASHES[number / COLOURS.len() % DASHES.len()];
        let stroke = format!("stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"");
        let place = |(distance, f1): &(u32, f64)| (axes.x(f64::from(*distance)), axes.y(*f1));
        let path: Vec<String> = points
            .iter()
            .map(place)
            .map(|(x, y)| format!("{x:.1},{y:.1}"))
            .collect();
        push(
            &mut out,
            &format!("<polyline fill=\"none\" {stroke} points=\"{}\"/>", path.join(" ")),
        );
        for (x, y) in points.iter().map(place) {
            push(
                &mut out,
                &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.5\" fill=\"{colour}\"/>"),
            );
        }
        let y = TOP + HEIGHT + 60.0 + LEGEND_LINE * number as f64;
        let (from, to) = (LEFT, LEFT + 36.0);
        push(
            &mut out,
            &format!("<line x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\" {stroke}/>"),
        );
        push(&mut out, &text(to + 10.0, y + 4.0, "start", name));
    }
    out.push_str("</svg>\n");
    out
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

fn grid(out: &mut String, axes: &Axes, rows: &[Row]) {
    let (right, bottom) = (LEFT + WIDTH, TOP + HEIGHT);
    for step in 0..=5 {
        let f1 = axes.min_f1 + (1.0 - axes.min_f1) * f64::from(step) / 5.0;
        let y = axes.y(f1);
        push(
            out,
            &format!("<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>"),
        );
        push(out, &text(LEFT - 8.0, y + 4.0, "end", &format!("{f1:.2}")));
    }
    let mut distances: Vec<u32> = rows.iter().map(|row| row.rule.max_distance).collect();
    distances.sort_unstable();
    distances.dedup();
    for distance in distances {
        let x = axes.x(f64::from(distance));
        push(
            out,
            &format!("<line x1=\"{x:.1}\" y1=\"{TOP}\" x2=\"{x:.1}\" y2=\"{bottom}\" stroke=\"#eee\"/>"),
        );
        push(out, &text(x, bottom + 20.0, "middle", &distance.to_string()));
    }
    push(
        out,
        &text(
            LEFT + WIDTH / 2.0,
            bottom + 40.0,
            "middle",
            "largest Hamming distance, bits",
        ),
    );
}

/// A text element. `content` needs no escaping: it holds only names of features and weights, and numbers.
fn text(x: f64, y: f64, anchor: &str, content: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>")
}

fn push(out: &mut String, element: &str) {
    let line = writeln!(out, "{element}");
    debug_assert!(line.is_ok(), "writing to a String cannot fail");
}
