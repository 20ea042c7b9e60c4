//! The pages dropped over the distance as an SVG image, with a line for each way to confirm.

use dedup::Confirm;

use super::axes::{confirms, distances, find};
use crate::cli::plot::{LEGEND_LINE, Svg};
use study::tune::{Answer, SettingResult};

/// The frame of the plot in pixels; the legend is to its right.
const LEFT: f64 = 80.0;
const TOP: f64 = 40.0;
const WIDTH: f64 = 600.0;
const HEIGHT: f64 = 380.0;
const LEGEND: f64 = 190.0;

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
    let mut out = Svg::new(
        (LEFT + WIDTH + LEGEND, TOP + HEIGHT + 60.0),
        LEFT,
        "Pages dropped by Hamming distance",
        "Pages dropped, by the largest Hamming distance",
    );
    frame(&mut out, &scale, &distances(settings));
    for (number, confirm) in confirms.iter().enumerate() {
        line(&mut out, &scale, settings, number, *confirm);
    }
    in_force(&mut out, &scale, answer, confirms.len());
    out.finish()
}

/// The grid lines and the labels of both axes.
fn frame(out: &mut Svg, scale: &Scale, distances: &[u32]) {
    for step in 0..=4 {
        let dropped = scale.max_dropped * f64::from(step) / 4.0;
        let (_, y) = scale.place(0, dropped.round() as u64);
        let right = LEFT + WIDTH;
        out.push(format_args!(
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{right}\" y2=\"{y:.1}\" stroke=\"#ddd\"/>"
        ));
        out.text(LEFT - 8.0, y + 4.0, "end", &format!("{dropped:.0}"));
    }
    for distance in distances {
        let (x, bottom) = scale.place(*distance, 0);
        out.text(x, bottom + 20.0, "middle", &distance.to_string());
    }
    let (x, y) = (LEFT + WIDTH / 2.0, TOP + HEIGHT + 44.0);
    out.text(x, y, "middle", "largest Hamming distance, bits");
}

/// The line of one way to confirm, with its entry in the legend.
fn line(out: &mut Svg, scale: &Scale, settings: &[SettingResult], number: usize, confirm: Confirm) {
    let distances = distances(settings);
    let found = distances
        .iter()
        .filter_map(|distance| find(settings, *distance, confirm));
    let points = found.map(|setting| scale.place(setting.thresholds.max_distance, setting.dropped));
    out.curve(number, &points.collect::<Vec<_>>(), 3.0);
    let (from, y) = (LEFT + WIDTH + 20.0, TOP + LEGEND_LINE * number as f64);
    out.legend(number, y, (from, from + 30.0, 8.0), &name(confirm));
}

/// The circle around the setting in force, with its entry below the legend of `lines` lines.
fn in_force(out: &mut Svg, scale: &Scale, answer: &Answer, lines: usize) {
    let (x, y) = scale.place(answer.in_force.max_distance, answer.in_force().dropped);
    out.push(format_args!(
        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"8\" fill=\"none\" stroke=\"#000\" stroke-width=\"2\"/>"
    ));
    let y = TOP + LEGEND_LINE * lines as f64;
    out.text(LEFT + WIDTH + 20.0, y + 4.0, "start", "○ in force");
}

fn name(confirm: Confirm) -> String {
    match confirm {
        Confirm::Sketch { min_similarity } => format!("similarity ≥ {min_similarity}"),
        Confirm::Distance => "distance alone".to_owned(),
        Confirm::Combined { .. } => "combined".to_owned(),
    }
}
