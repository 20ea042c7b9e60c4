//! The pages dropped over the distance as an SVG image, with a line for each way to confirm.

use std::fmt::Write;

use dedup::Confirm;

use super::axes::{confirms, distances, find};
use study::tune::{Answer, SettingResult};

/// The frame of the plot in pixels; the legend is to its right.
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 380.0;
const LEGEND: f64 = 190.0;
const LEGEND_LINE: f64 = 20.0;

/// A palette that colour-blind readers can distinguish (Okabe and Ito 2008).
const COLOURS: [&str; 7] = [
    "#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000",
];
/// Dashes distinguish lines with the same colour.
const DASHES: [&str; 4] = ["none", "6 3", "2 3", "9 3 2 3"];

/// The place of a number of dropped pages in the frame.
struct Scale {
    max_distance: f64,
    max_dropped: f64,
}

impl Scale {
    fn of(settings: &[SettingResult]) -> Self {
        let widest = settings.iter().map(|setting| setting.thresholds.max_distance).max();
        let most = settings.iter().map(|setting| setting.dropped).max();
        Self {
            max_distance: f64::from(widest.unwrap_or(0).max(1)),
            max_dropped: most.unwrap_or(0).max(1) as f64,
        }
    }

    fn place(&self, distance: u32, dropped: u64) -> (f64, f64) {
        let (x, y) = (
            f64::from(distance) / self.max_distance,
            dropped as f64 / self.max_dropped,
        );
        (LEFT + WIDTH * x, TOP + HEIGHT * (1.0 - y))
    }
}

/// A complete SVG image.
pub(super) fn svg(answer: &Answer) -> String {
    let settings = &answer.settings;
    let (scale, confirms) = (Scale::of(settings), confirms(settings));
    let (width, height) = (LEFT + WIDTH + LEGEND, TOP + HEIGHT + 60.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" viewBox=\"0 0 {width} {height}\" \
         font-family=\"sans-serif\" font-size=\"13\" role=\"img\" aria-label=\"Pages dropped by Hamming distance\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <text x=\"{LEFT}\" y=\"24\" font-size=\"15\">Pages dropped, by the largest Hamming distance</text>\n"
    );
    frame(&mut out, &scale, &distances(settings));
    for (number, confirm) in confirms.iter().enumerate() {
        line(&mut out, &scale, settings, number, *confirm);
    }
    in_force(&mut out, &scale, answer, confirms.len());
    out.push_str("</svg>\n");
    out
}

/// The grid lines and the labels of both axes.
fn frame(out: &mut String, scale: &Scale, distances: &[u32]) {
    for step in 0..=4 {
        let dropped = scale.max_dropped * f64::from(step) / 4.0;
        let (_, y) = scale.place(0, dropped.round() as u64);
        let right = LEFT + WIDTH;
        push(
            out,
            &format!("<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>"),
        );
        push(out, &text(LEFT - 8.0, y + 4.0, "end", &format!("{dropped:.0}")));
    }
    for distance in distances {
        let (x, bottom) = scale.place(*distance, 0);
        push(out, &text(x, bottom + 20.0, "middle", &distance.to_string()));
    }
    let (x, y) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 44.0);
    push(out, &text(x, y, "middle", "largest Hamming distance, bits"));
}

/// The line of one way to confirm, with its entry in the legend.
fn line(out: &mut String, scale: &Scale, settings: &[SettingResult], number: usize, confirm: Confirm) {
    let colour = COLOURS[number % COLOURS.len()];
    let dashes = DASHES[number / COLOURS.len() % DASHES.len()];
    let stroke = format!("stroke=\"{colour}\" stroke-width=\"2\" stroke-dasharray=\"{dashes}\"");
    let distances = distances(settings);
    let found = distances
        .iter()
        .filter_map(|distance| find(settings, *distance, confirm));
    let points = found.map(|setting| scale.place(setting.thresholds.max_distance, setting.dropped));
    let points: Vec<(f64, f64)> = points.collect();
    let path: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    push(
        out,
        &format!("<polyline fill=\"none\" {stroke} points=\"{}\"/>", path.join(" ")),
    );
    for (x, y) in points {
        push(
            out,
            &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3\" fill=\"{colour}\"/>"),
        );
    }
    let (from, y) = (LEFT + WIDTH + 20.0, TOP + LEGEND_LINE * number as f64);
    let to = from + 30.0;
    push(
        out,
        &format!("<line x1=\"{from}\" y1=\"{y}\" x2=\"{to}\" y2=\"{y}\" {stroke}/>"),
    );
    push(out, &text(from + 38.0, y + 4.0, "start", &name(confirm)));
}

/// The circle around the setting in force, with its entry below the legend of `lines` lines.
fn in_force(out: &mut String, scale: &Scale, answer: &Answer, lines: usize) {
    let (x, y) = scale.place(answer.in_force.max_distance, answer.in_force().dropped);
    push(
        out,
        &format!("<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\" fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>"),
    );
    let y = TOP + LEGEND_LINE * lines as f64;
    push(out, &text(LEFT + WIDTH + 20.0, y + 4.0, "start", "○ in force"));
}

fn name(confirm: Confirm) -> String {
    match confirm {
        Confirm::Sketch { min_similarity } => format!("similarity ≥ {min_similarity}"),
        Confirm::Distance => "distance alone".to_owned(),
        Confirm::Combined { .. } => "combined".to_owned(),
    }
}

/// `content` needs no XML escapes: it holds names of rules and numbers.
fn text(x: f64, y: f64, anchor: &str, content: &str) -> String {
    format!("<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\">{content}</text>")
}

fn push(out: &mut String, element: &str) {
    let line = writeln!(out, "{element}");
    debug_assert!(line.is_ok(), "writing to a String cannot fail");
}
