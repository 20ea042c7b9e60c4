//! Reports input that cannot be read on standard error: the first faults in full, the others as a count.

use files::Fault;
use terminal::text::terminal_text;
use views::live::progress::Progress;

/// Number of reported faults; further ones are only counted.
const MAX_REPORTED: u64 = 20;

/// Upper bound on the characters of one report.
const REPORT_CHARS: usize = 300;

/// Counts and reports faults.
#[derive(Debug, Default)]
pub(super) struct Faults {
    count: u64,
}

impl Faults {
    pub(super) fn report(&mut self, fault: &Fault, progress: &Progress) {
        self.count += 1;
        progress.aside(|| match self.count {
            ..=MAX_REPORTED => {
                let text = format!("{}: {}", fault.place, fault.reason);
                tracing::warn!("skipped: {}", terminal_text(&text, REPORT_CHARS));
            }
            n if n == MAX_REPORTED + 1 => tracing::warn!("further faults are only counted"),
            _ => {}
        });
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}
