//! Sums over runs that follow one another.

use std::ops::Range;

use super::layout::Layout;
use super::measure::{Letters, is_for_running_text};

/// Sums over runs.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Sums {
    pub bytes: usize,
    pub link_bytes: usize,
    pub marks: usize,
    pub prices: usize,
    /// Bytes in paragraphs and other elements for running text.
    pub text: usize,
}

/// The sums of the runs before each run, and of all runs.
pub(super) fn sums(layout: &Layout, letters: &[Letters]) -> Vec<Sums> {
    let mut sum = Sums::default();
    let mut before = Vec::with_capacity(layout.runs.len() + 1);
    before.push(sum);
    for (run, letters) in layout.runs.iter().zip(letters) {
        sum.bytes += run.text.len();
        sum.link_bytes += run.link_bytes;
        sum.marks += letters.marks;
        sum.prices += letters.prices;
        if is_for_running_text(&layout.boxes[run.owner].name) {
            sum.text += run.text.len();
        }
        before.push(sum);
    }
    before
}

/// The sums of some runs.
pub(super) fn between(before: &[Sums], runs: &Range<usize>) -> Sums {
    let (start, end) = (before[runs.start], before[runs.end]);
    Sums {
        bytes: end.bytes - start.bytes,
        link_bytes: end.link_bytes - start.link_bytes,
        marks: end.marks - start.marks,
        prices: end.prices - start.prices,
        text: end.text - start.text,
    }
}
