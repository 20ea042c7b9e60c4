//! A histogram in three lines: dropped pairs, kept pairs, and the axis.

use terminal::units::grouped;

/// Bars of one eighth to eight eighths of a line's height.
const LEVELS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

/// One place on the axis.
#[derive(Debug, Default, Clone)]
pub(super) struct Slot {
    pub dropped: u64,
    pub kept: u64,
    /// The text under it.
    pub label: Option<String>,
}

/// `slots` merged into at most `columns` slots, and the position of the threshold among them. A merged slot never contains slots
/// from both sides of the threshold.
pub(super) fn gather(slots: &[Slot], threshold: Option<usize>, columns: usize) -> (Vec<Slot>, Option<usize>) {
    // The slots before the threshold may need one more column, which they do not fill.
    let per = slots.len().div_ceil(columns.saturating_sub(1).max(1)).max(1);
    let first = threshold.map_or(0, |threshold| threshold.min(slots.len()) % per);
    let (head, rest) = slots.split_at(first);
    let groups = std::iter::once(head)
        .filter(|head| !head.is_empty())
        .chain(rest.chunks(per));
    let gathered = groups.map(|group| Slot {
        dropped: group.iter().map(|slot| slot.dropped).sum(),
        kept: group.iter().map(|slot| slot.kept).sum(),
        label: group.iter().find_map(|slot| slot.label.clone()),
    });
    let threshold = threshold.map(|threshold| threshold.min(slots.len()).div_ceil(per));
    (gathered.collect(), threshold)
}

/// The number of pairs, for the end of a line.
pub(super) fn pairs(slots: &[Slot], count: fn(&Slot) -> u64) -> String {
    let all: u64 = slots.iter().map(count).sum();
    format!("  {} pairs", grouped(all))
}

/// The lines of dropped and of kept pairs, each with its count at the end, and the axis. Each slot is `columns` wide; a bar marks
/// the threshold before the slot with that index.
pub(super) fn spark(slots: &[Slot], threshold: Option<usize>, columns: usize) -> [String; 3] {
    let highest = slots
        .iter()
        .map(|slot| slot.dropped.max(slot.kept))
        .max()
        .unwrap_or(0)
        .max(1);
    let of = |count: fn(&Slot) -> u64| {
        let mut line = String::new();
        for (at, slot) in slots.iter().enumerate() {
            if threshold == Some(at) {
                line.push('|');
            }
            let sign = match count(slot) {
                0 => ' ',
                // The square root keeps small counts visible beside large ones.
                some => LEVELS[((8.0 * (some as f64 / highest as f64).sqrt()).ceil() as usize).clamp(1, 8) - 1],
            };
            line.extend(std::iter::repeat_n(sign, columns.saturating_sub(1).max(1)));
            if columns > 1 {
                line.push(' ');
            }
        }
        if threshold == Some(slots.len()) {
            line.push('|');
        }
        line + &pairs(slots, count)
    };
    let mut axis = String::new();
    for (at, slot) in slots.iter().enumerate() {
        let place = at * columns + usize::from(threshold.is_some_and(|threshold| at >= threshold));
        // A label without room after the previous label is left out.
        let is_free = axis.is_empty() || axis.chars().count() < place;
        if let Some(label) = slot.label.as_ref().filter(|_| is_free) {
            while axis.chars().count() < place {
                axis.push(' ');
            }
            axis.push_str(label);
        }
    }
    [of(|slot| slot.dropped), of(|slot| slot.kept), axis]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bar_marks_the_threshold_and_small_counts_are_visible() {
        let slot = |dropped, kept, label: &str| Slot {
            dropped,
            kept,
            label: (!label.is_empty()).then(|| label.to_owned()),
        };
        let slots = [slot(800, 0, "0"), slot(1, 0, ""), slot(0, 400, "2")];
        let [dropped, kept, axis] = spark(&slots, Some(2), 1);
        assert_eq!(dropped, "█▁|   801 pairs");
        assert_eq!(kept, "  |▆  400 pairs");
        assert_eq!(axis, "0  2");
    }
}
