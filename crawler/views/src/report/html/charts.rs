//! Bar charts as coordinates for the template. A table beside each chart has the same numbers.

use super::super::Report;
use super::super::timeline::Timeline;
use terminal::units::grouped;

/// The edges of the drawing, in units of the view box.
const WIDTH: f64 = 640.0;
const LEFT: f64 = 64.0;
const RIGHT: f64 = 622.0;
const TOP: f64 = 30.0;
const BOTTOM: f64 = 186.0;

/// A chart with one or two kinds of stacked bars.
#[derive(Debug, Default)]
pub(crate) struct Chart {
    pub id: &'static str,
    pub title: &'static str,
    /// The chart in words.
    pub description: String,
    pub bars: Vec<Bar>,
    pub ticks: Vec<Tick>,
    /// Horizontal lines with a number at the left.
    pub levels: Vec<Tick>,
    pub threshold: Option<Threshold>,
    /// Whether heights grow with the square root of the counts.
    pub is_by_root: bool,
    /// The name of the axis, under the chart.
    pub axis: String,
    /// The columns of the table: the position of a bar, and the two kinds.
    pub columns: [&'static str; 3],
    pub rows: Vec<[String; 3]>,
}

#[derive(Debug)]
pub(crate) struct Bar {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// `full` or `hollow`.
    pub class: &'static str,
    pub title: String,
}

#[derive(Debug)]
pub(crate) struct Tick {
    pub at: f64,
    pub label: String,
}

#[derive(Debug)]
pub(crate) struct Threshold {
    pub x: f64,
    pub label_x: f64,
    /// `start` or `end`.
    pub anchor: &'static str,
    pub label: String,
}

/// A bar from `from` to `to`, on an axis from 0 to 1.
struct Stack {
    from: f64,
    to: f64,
    label: String,
    full: u64,
    hollow: u64,
}

impl Chart {
    fn draw(mut self, stacks: &[Stack], names: [&str; 2]) -> Self {
        let is_by_root = self.is_by_root;
        let highest = stacks
            .iter()
            .map(|stack| stack.full + stack.hollow)
            .max()
            .unwrap_or(0)
            .max(1);
        // The square root keeps small counts visible beside large ones.
        let height_of = |count: u64| {
            let share = count as f64 / highest as f64;
            (BOTTOM - TOP) * if is_by_root { share.sqrt() } else { share }
        };
        let middle = if is_by_root { highest / 4 } else { highest / 2 };
        for stack in stacks {
            let (x, end) = (along(stack.from), along(stack.to));
            let width = (end - x - 1.5).max(1.0);
            let mut y = BOTTOM;
            for (count, class, name) in [(stack.full, "full", names[0]), (stack.hollow, "hollow", names[1])] {
                if count > 0 {
                    // Any count above zero is visible.
                    let height = match class {
                        "full" => height_of(count),
                        _ => height_of(stack.full + stack.hollow) - height_of(stack.full),
                    };
                    let height = height.max(1.5);
                    y -= height;
                    let title = format!("{}: {} {name}", stack.label, grouped(count));
                    self.bars.push(Bar {
                        x,
                        y,
                        width,
                        height,
                        class,
                        title,
                    });
                }
            }
            self.rows
                .push([stack.label.clone(), grouped(stack.full), grouped(stack.hollow)]);
        }
        let mut levels = vec![0, middle, highest];
        levels.dedup();
        let levels = levels.into_iter().map(|count| Tick {
            at: BOTTOM - height_of(count),
            label: grouped(count),
        });
        self.levels = levels.collect();
        self
    }

    fn with_threshold(mut self, at: Option<(f64, String)>) -> Self {
        self.threshold = at.map(|(at, label)| {
            let x = along(at.clamp(0.0, 1.0));
            let is_right = x > WIDTH / 2.0;
            Threshold {
                x,
                label_x: if is_right { x - 6.0 } else { x + 6.0 },
                anchor: if is_right { "end" } else { "start" },
                label,
            }
        });
        self
    }
}

fn along(at: f64) -> f64 {
    LEFT + (RIGHT - LEFT) * at
}

/// Pairs by the Hamming distance of their fingerprints.
pub(super) fn distances(report: &Report) -> Chart {
    let (bars, most) = (&report.histograms.distances, report.thresholds.max_distance);
    let slots = bars.len().max(most as usize + 2) as f64;
    let stacks: Vec<Stack> = bars
        .iter()
        .map(|bar| Stack {
            from: f64::from(bar.distance) / slots,
            to: f64::from(bar.distance + 1) / slots,
            label: match bar.distance {
                1 => "1 bit".to_owned(),
                bits => format!("{bits} bits"),
            },
            full: bar.dropped,
            hollow: bar.near_misses,
        })
        .collect();
    let every = (slots / 16.0).ceil() as usize;
    let ticks = (0..slots as usize).step_by(every.max(1));
    Chart {
        id: "distances",
        title: "Pairs by Hamming distance",
        description: described(&stacks, &format!("The threshold is {most} bits.")),
        ticks: ticks
            .map(|bits| Tick {
                at: along((bits as f64 + 0.5) / slots),
                label: bits.to_string(),
            })
            .collect(),
        axis: "Hamming distance of the fingerprints, bits".to_owned(),
        is_by_root: true,
        columns: ["distance", "dropped pairs", "near misses, kept"],
        ..Chart::default()
    }
    .draw(&stacks, ["dropped", "near misses"])
    .with_threshold(Some((f64::from(most + 1) / slots, format!("at most {most} bits"))))
}

/// Pairs by the similarity that confirms a near-duplicate.
pub(super) fn similarities(report: &Report) -> Chart {
    let bars = &report.histograms.similarities;
    let stacks: Vec<Stack> = bars
        .iter()
        .map(|bar| Stack {
            from: f64::from(bar.from),
            to: f64::from(bar.to),
            label: format!("{:.2} to {:.2}", bar.from, bar.to),
            full: bar.dropped,
            hollow: bar.near_misses,
        })
        .collect();
    let least = report.thresholds.min_similarity;
    let threshold = least.map(|least| (f64::from(least), format!("at least {least}")));
    let decides = least.map_or_else(
        || "The distance alone decides.".to_owned(),
        |least| format!("The threshold is {least}."),
    );
    Chart {
        id: "similarities",
        title: "Pairs by similarity",
        description: described(&stacks, &decides),
        ticks: (0..=10)
            .map(|tenth| Tick {
                at: along(f64::from(tenth) / 10.0),
                label: format!("{:.1}", f64::from(tenth) / 10.0),
            })
            .collect(),
        axis: "Similarity of the texts, 0 to 1".to_owned(),
        is_by_root: true,
        columns: ["similarity", "dropped pairs", "near misses, kept"],
        ..Chart::default()
    }
    .draw(&stacks, ["dropped", "near misses"])
    .with_threshold(threshold)
}

/// Pages by the time of their fetch; `None` if no page was fetched.
pub(super) fn timeline(timeline: &Timeline) -> Option<Chart> {
    let slots = timeline.intervals.len() as f64;
    let stacks: Vec<Stack> = timeline
        .intervals
        .iter()
        .enumerate()
        .map(|(at, interval)| Stack {
            from: at as f64 / slots,
            to: (at + 1) as f64 / slots,
            label: interval.at.clone(),
            full: interval.kept,
            hollow: interval.exact + interval.near,
        })
        .collect();
    let (first, last) = (timeline.intervals.first()?, timeline.intervals.last()?);
    let mut ticks = vec![Tick {
        at: LEFT + 74.0,
        label: first.at.clone(),
    }];
    if timeline.intervals.len() > 1 {
        ticks.push(Tick {
            at: RIGHT - 74.0,
            label: last.at.clone(),
        });
    }
    let chart = Chart {
        id: "over-time",
        title: "Pages fetched over time",
        description: format!(
            "{} intervals; the table below the chart has all of them.",
            timeline.intervals.len()
        ),
        ticks,
        axis: "Start of the interval".to_owned(),
        columns: ["from", "kept", "dropped"],
        ..Chart::default()
    };
    Some(chart.draw(&stacks, ["kept", "dropped"]))
}

fn described(stacks: &[Stack], threshold: &str) -> String {
    let (dropped, missed) = stacks.iter().fold((0, 0), |(full, hollow), stack| {
        (full + stack.full, hollow + stack.hollow)
    });
    format!(
        "{} dropped pairs and {} kept near misses. {threshold} The table below the chart has all counts.",
        grouped(dropped),
        grouped(missed)
    )
}

/// Filters for the template.
pub(crate) mod filters {
    /// A coordinate with one decimal, which is finer than a pixel.
    #[askama::filter_fn]
    pub fn round1(value: &f64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(format!("{value:.1}"))
    }
}
