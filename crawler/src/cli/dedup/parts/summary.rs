//! What the user sees: the progress of a pass, and the summary at the end.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use super::counting::Counts;
use super::list::MostFrequent;
use super::marking::Totals;
use crate::cli::dedup::tally::pace;
use terminal::text::terminal_text;
use terminal::units::{bytes, grouped};
use views::live::progress::{GrowthRate, Moment, Progress};

/// Characters of a part in the summary.
const TEXT_CHARS: usize = 60;

/// The counts of a run.
#[derive(Debug, Default)]
pub(super) struct Summary {
    /// Documents of which the first pass has counted the paragraphs.
    pub counted: u64,
    /// Their paragraphs.
    pub paragraphs: u64,
    /// Bytes of their texts.
    pub text_bytes: u64,
    /// Input that could not be read.
    pub faults: u64,
    /// Bytes of the input before decompression.
    pub read_bytes: u64,
    /// Paragraphs that stand in enough documents.
    pub parts: u64,
    /// The documents of the second pass.
    pub totals: Totals,
    pub most_frequent: MostFrequent,
}

impl Summary {
    /// Adds a batch of the first pass.
    pub(super) fn add(&mut self, counts: &Counts) {
        self.counted += counts.documents;
        self.paragraphs += counts.paragraphs;
        self.text_bytes += counts.text_bytes;
        self.faults += counts.faults.len() as u64;
    }

    /// Whether the second pass has read what the first one has counted, as far as their counts tell.
    pub(super) fn is_of_one_input(&self) -> bool {
        let second = (self.totals.documents, self.totals.text_bytes, self.totals.faults);
        (self.counted, self.text_bytes, self.faults) == second
    }

    pub(super) fn in_words(&self, elapsed: Duration) -> String {
        let seconds = elapsed.as_secs_f64().max(1e-3);
        let Totals {
            documents,
            blocked,
            emptied,
            part_bytes,
            ..
        } = self.totals;
        let if_any = |name: &str, count: u64| match count {
            0 => String::new(),
            count => format!("  {name} {count}"),
        };
        let share = 100.0 * part_bytes as f64 / (self.text_bytes as f64).max(1.0);
        let mut words = format!(
            "{documents} documents in {seconds:.1}s: paragraphs {}  parts {}{}{}  skipped {}\n  read {} twice, {:.1} MB/s; {} of text, \
             {share:.1} % of it in parts",
            self.paragraphs,
            self.parts,
            if_any("emptied", emptied),
            if_any("blocked", blocked),
            self.faults,
            bytes(self.read_bytes),
            2.0 * self.read_bytes as f64 / seconds / 1e6,
            bytes(self.text_bytes),
        );
        for (documents, text) in self.most_frequent.iter() {
            words += &format!("\n  in {documents} documents: {}", terminal_text(text, TEXT_CHARS));
        }
        words
    }
}

/// Shows the progress of a pass on standard error, with a bar if the total number of bytes is known.
pub(super) fn show(
    pass: &'static str,
    bytes_read: &Arc<AtomicU64>,
    documents: &Arc<AtomicU64>,
    total: Option<u64>,
    quiet: bool,
) -> Progress {
    let (bytes_read, documents) = (Arc::clone(bytes_read), Arc::clone(documents));
    let mut rate = GrowthRate::default();
    Progress::start(total, quiet, move |now| {
        let read = bytes_read.load(Ordering::Relaxed);
        let documents = documents.load(Ordering::Relaxed);
        Moment {
            position: read,
            message: format!(
                "{pass}: {}  {} documents",
                pace(read, total, rate.per_second(now, read)),
                grouped(documents)
            ),
            ..Moment::default()
        }
    })
}
