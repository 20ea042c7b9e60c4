//! Reports input that cannot be read on standard error: the first faults in full, the others as a count.
//!
//! Records without the field for the text are one matter for each file, because the name of the field is wrong for all of them.

use std::sync::Arc;

use files::Fault;
use terminal::text::terminal_text;
use terminal::units::counted;
use views::live::progress::Progress;

/// Number of reported faults; further ones are only counted.
const MAX_REPORTED: u64 = 20;

/// Upper bound on the characters of one report. The names of fields need some.
const REPORT_CHARS: usize = 600;

/// Counts and reports faults.
#[derive(Debug, Default)]
pub(super) struct Faults {
    count: u64,
    reported: u64,
    /// The file whose records lack the field for the text, with the number of those that are not reported.
    lacking: Option<(Arc<str>, u64)>,
}

impl Faults {
    pub(super) fn report(&mut self, fault: &Fault, progress: &Progress) {
        self.count += 1;
        if !fault.lacks_text {
            return self.tell(&format!("{}: {}", fault.place, fault.reason), progress);
        }
        match &mut self.lacking {
            Some((source, more)) if *source == fault.place.source => *more += 1,
            _ => {
                self.finish(progress);
                self.lacking = Some((Arc::clone(&fault.place.source), 0));
                self.tell(&format!("{}: {}", fault.place, fault.reason), progress);
            }
        }
    }

    /// Reports how many records lack the field for the text, besides those that were reported.
    pub(super) fn finish(&mut self, progress: &Progress) {
        if let Some((source, more)) = self.lacking.take()
            && more > 0
        {
            let more = counted(more, "further record");
            self.tell(&format!("{source}: {more} without this field"), progress);
        }
    }

    fn tell(&mut self, text: &str, progress: &Progress) {
        self.reported += 1;
        progress.aside(|| match self.reported {
            ..=MAX_REPORTED => tracing::warn!("skipped: {}", terminal_text(text, REPORT_CHARS)),
            n if n == MAX_REPORTED + 1 => tracing::warn!("further faults are only counted"),
            _ => {}
        });
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}
