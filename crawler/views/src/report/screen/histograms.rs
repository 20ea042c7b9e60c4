//! The histograms of near pairs by distance and by similarity.

use unicode_width::UnicodeWidthStr;

use super::Screen;
use super::spark::{Slot, gather, pairs, spark};
use crate::report::Report;
use crate::report::thresholds::{Histograms, Thresholds};
use terminal::units::grouped;

/// Steps on the axis of similarities, each 0.02 wide.
const SIMILARITY_SLOTS: u32 = 50;

impl Screen {
    pub(super) fn histograms(&mut self, report: &Report) {
        if report.counts.near == 0 && report.near_misses.is_empty() {
            return;
        }
        self.distances(report);
        self.similarities(&report.histograms, &report.thresholds);
    }

    fn distances(&mut self, report: &Report) {
        let (histograms, bits) = (&report.histograms, report.thresholds.max_distance);
        let title = format!("Near pairs by distance in bits; at most {bits} are dropped (|)");
        let sample = format!("kept: of {} pages", grouped(histograms.compared));
        let is_sample = histograms.compared < report.counts.kept;
        let fits = title.width() + sample.width() + 2 <= self.width;
        match (is_sample, fits) {
            (false, _) => self.title(&title),
            (true, true) => self.title(&format!("{title}; {sample}")),
            (true, false) => {
                self.title(&title);
                self.line(&format!("  ({sample})"));
            }
        }
        let slots = histograms.distances.iter().map(|bar| Slot {
            dropped: bar.dropped,
            kept: bar.near_misses,
            label: bar.distance.is_multiple_of(5).then(|| bar.distance.to_string()),
        });
        let slots: Vec<Slot> = slots.collect();
        self.pairs(&slots, Some(bits as usize + 1), 3);
    }

    fn similarities(&mut self, histograms: &Histograms, thresholds: &Thresholds) {
        let steps = SIMILARITY_SLOTS as f32;
        // The report leaves out steps without a pair; the axis has all steps.
        let mut slots: Vec<Slot> = (0..SIMILARITY_SLOTS)
            .map(|step| Slot {
                label: (step % 10 == 0).then(|| format!("{:.1}", step as f32 / steps)),
                ..Slot::default()
            })
            .collect();
        for bar in &histograms.similarities {
            if let Some(slot) = slots.get_mut((bar.from * steps).round() as usize) {
                (slot.dropped, slot.kept) = (bar.dropped, bar.near_misses);
            }
        }
        let least = thresholds.min_similarity;
        self.title(&match least {
            Some(least) => format!("Near pairs by similarity; at least {least} confirms (|)"),
            None => "Near pairs by similarity; the distance alone decides".to_owned(),
        });
        let threshold = least.map(|least| (least * steps).round() as usize);
        self.pairs(&slots, threshold, 1);
    }

    /// A histogram with slots of `columns` columns each. Where it is too wide, the slots become narrower or share columns.
    fn pairs(&mut self, slots: &[Slot], threshold: Option<usize>, columns: usize) {
        let totals = [|slot: &Slot| slot.dropped, |slot: &Slot| slot.kept].map(|count| pairs(slots, count).len());
        let room = self.width.saturating_sub(11 + totals.into_iter().max().unwrap_or(0));
        let [dropped, kept, axis] = if slots.len() * columns <= room {
            spark(slots, threshold, columns)
        } else {
            let (slots, threshold) = gather(slots, threshold, room);
            spark(&slots, threshold, 1)
        };
        self.line(&format!("  dropped {dropped}"));
        self.line(&format!("  kept    {kept}"));
        self.line(&format!("          {axis}"));
    }
}
