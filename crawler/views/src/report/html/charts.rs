//! Bar charts as coordinates for the template. A table beside each chart has the same numbers.

use super::super::Report;
use super::super::timeline::Timeline;
use terminal::units::{duration, grouped};

/// The edges of the drawing, in units of the view box.
const WIDTH: f64 = 640.0;
const LEFT: f64 = 80.0;
const RIGHT: f64 = 622.0;
const TOP: f64 = 46.0;
const BOTTOM: f64 = 200.0;

/// Least height of a bar, so that any count above zero is visible within its outline.
const VISIBLE: f64 = 2.5;

/// A chart with kinds of stacked bars.
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
    /// What the heights count.
    pub unit: &'static str,
    /// The name of the axis, under the chart.
    pub axis: String,
    /// The first column of the table: the position of a bar. Each kind has a column too.
    pub column: &'static str,
    pub kinds: Vec<Kind>,
    pub rows: Vec<Row>,
}

/// A kind of bars: an outcome of a page.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Kind {
    /// `kept`, `exact` or `near`: the colour.
    pub class: &'static str,
    pub name: &'static str,
}

const DROPPED_PAIRS: Kind = Kind {
    class: "near",
    name: "dropped pairs",
};
const NEAR_MISSES: Kind = Kind {
    class: "kept",
    name: "near misses, kept",
};

/// A row of the table: a position and its counts by kind.
#[derive(Debug)]
pub(crate) struct Row {
    pub label: String,
    pub counts: Vec<String>,
}

#[derive(Debug)]
pub(crate) struct Bar {
    pub x: f64,
    pub y: f64,
    pub width: f64,
    pub height: f64,
    /// The class of its kind.
    pub class: &'static str,
    pub title: String,
}

#[derive(Debug)]
pub(crate) struct Tick {
    pub at: f64,
    pub label: String,
    /// `start` or `end`; in the middle without one.
    pub anchor: Option<&'static str>,
}

impl Tick {
    fn at(at: f64, label: String) -> Self {
        Self {
            at,
            label,
            anchor: None,
        }
    }
}

#[derive(Debug)]
pub(crate) struct Threshold {
    pub x: f64,
    pub label_x: f64,
    /// `start` or `end`.
    pub anchor: &'static str,
    pub label: String,
}

/// A bar from `from` to `to`, on an axis from 0 to 1, with a count for each kind.
struct Stack {
    from: f64,
    to: f64,
    label: String,
    counts: Vec<u64>,
}

impl Stack {
    fn total(&self) -> u64 {
        self.counts.iter().sum()
    }
}

impl Chart {
    fn draw(mut self, stacks: &[Stack], kinds: &[Kind]) -> Self {
        let highest = stacks.iter().map(Stack::total).max().unwrap_or(0).max(1);
        let height_of = |count: u64| (BOTTOM - TOP) * count as f64 / highest as f64;
        for stack in stacks {
            self.bars.extend(bars(stack, kinds, &height_of));
            self.rows.push(Row {
                label: stack.label.clone(),
                counts: stack.counts.iter().map(|count| grouped(*count)).collect(),
            });
        }
        self.levels = levels(highest)
            .map(|count| Tick::at(BOTTOM - height_of(count), grouped(count)))
            .collect();
        self.kinds = kinds.to_vec();
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

/// Round counts from 0 up to `highest`, at most four of them.
fn levels(highest: u64) -> impl Iterator<Item = u64> {
    let powers = (0..19).map(|power| 10_u64.pow(power));
    let mut steps = powers.flat_map(|power| [1, 2, 5].map(|step: u64| step.saturating_mul(power)));
    let step = steps.find(|step| highest / step <= 3).unwrap_or(highest);
    (0..=highest / step).map(move |level| level * step)
}

/// The bars of a stack, from the axis up.
fn bars(stack: &Stack, kinds: &[Kind], height_of: &dyn Fn(u64) -> f64) -> Vec<Bar> {
    let (x, end) = (along(stack.from), along(stack.to));
    let width = (end - x - 1.5).max(1.0);
    let (mut y, mut bars) = (BOTTOM, Vec::new());
    for (count, kind) in stack.counts.iter().zip(kinds).filter(|(count, _)| **count > 0) {
        let height = height_of(*count).max(VISIBLE);
        y -= height;
        bars.push(Bar {
            x,
            y,
            width,
            height,
            class: kind.class,
            title: format!("{}: {} {}", stack.label, grouped(*count), kind.name),
        });
    }
    bars
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
            counts: vec![bar.dropped, bar.near_misses],
        })
        .collect();
    let every = (slots / 16.0).ceil() as usize;
    let ticks = (0..slots as usize).step_by(every.max(1));
    Chart {
        id: "distances",
        title: "Pairs by Hamming distance",
        description: described(&stacks, &format!("The threshold is {most} bits.")),
        ticks: ticks
            .map(|bits| Tick::at(along((bits as f64 + 0.5) / slots), bits.to_string()))
            .collect(),
        axis: "Hamming distance of the fingerprints, bits".to_owned(),
        unit: "pairs",
        column: "distance",
        ..Chart::default()
    }
    .draw(&stacks, &[DROPPED_PAIRS, NEAR_MISSES])
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
            counts: vec![bar.dropped, bar.near_misses],
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
            .map(|tenth| f64::from(tenth) / 10.0)
            .map(|tenth| Tick::at(along(tenth), format!("{tenth:.1}")))
            .collect(),
        axis: "Similarity of the texts, 0 to 1".to_owned(),
        unit: "pairs",
        column: "similarity",
        ..Chart::default()
    }
    .draw(&stacks, &[DROPPED_PAIRS, NEAR_MISSES])
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
            counts: vec![interval.kept, interval.exact, interval.near],
        })
        .collect();
    let (first, last) = (timeline.intervals.first()?, timeline.intervals.last()?);
    let [from, to] = short(&first.at, &last.at);
    let day = first.at.get(..10).unwrap_or_default();
    let mut ticks = vec![Tick {
        anchor: Some("start"),
        ..Tick::at(LEFT, from)
    }];
    if timeline.intervals.len() > 1 {
        ticks.push(Tick {
            anchor: Some("end"),
            ..Tick::at(RIGHT, to)
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
        unit: "pages",
        axis: format!(
            "Time from {day} on (UTC), {} a bar",
            duration(timeline.interval_seconds)
        ),
        column: "from",
        ..Chart::default()
    };
    let kind = |name| Kind { class: name, name };
    Some(chart.draw(&stacks, &["kept", "exact", "near"].map(kind)))
}

/// Two instants in RFC 3339 for an axis, without zone: the time of one day, else the day and the minute.
fn short(first: &str, last: &str) -> [String; 2] {
    let is_one_day = first.get(..10) == last.get(..10);
    let part = if is_one_day { 11..19 } else { 0..16 };
    [first, last].map(|at| at.get(part.clone()).unwrap_or(at).replace('T', " "))
}

fn described(stacks: &[Stack], threshold: &str) -> String {
    let count = |kind: usize| stacks.iter().map(|stack| stack.counts[kind]).sum();
    let (dropped, missed): (u64, u64) = (count(0), count(1));
    format!(
        "{} dropped pairs and {} kept near misses. {threshold} The table below the chart has all counts.",
        grouped(dropped),
        grouped(missed)
    )
}

/// Filters for the template.
pub(crate) mod filters {
    pub(crate) use super::super::web_text::filters::*;

    /// A coordinate with one decimal, which is finer than a pixel.
    #[askama::filter_fn]
    pub fn round1(value: &f64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(format!("{value:.1}"))
    }

    /// A share with two decimals.
    #[askama::filter_fn]
    pub fn round2(value: &f64, _: &dyn askama::Values) -> askama::Result<String> {
        Ok(format!("{value:.2}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn levels_are_round_and_few() {
        let of = |highest| levels(highest).collect::<Vec<_>>();
        assert_eq!(of(1), [0, 1]);
        assert_eq!(of(9), [0, 5]);
        assert_eq!(of(10), [0, 5, 10]);
        assert_eq!(of(238), [0, 100, 200]);
        assert_eq!(of(u64::MAX).len(), 4);
    }

    #[test]
    fn parts_of_one_stack_are_as_high_as_their_counts() {
        let stack = |counts: [u64; 2]| Stack {
            from: 0.0,
            to: 0.5,
            label: String::new(),
            counts: counts.into(),
        };
        let chart = Chart::default().draw(&[stack([50, 50]), stack([1, 399])], &[DROPPED_PAIRS, NEAR_MISSES]);
        assert_eq!(chart.bars[0].height, chart.bars[1].height);
        assert_eq!(chart.bars[2].height, VISIBLE, "a single pair is visible");
    }
}
