//! Reports the lines of a seeds file that hold no seed: the first few in full, then their number.

use std::fmt;

use terminal::text::{terminal_text, without_user_info};
use terminal::units::grouped;

/// Number of lines that the crawler reports in full. A file of another kind may have only bad lines.
const SHOWN: u64 = 5;

/// Bound on the characters of a line, and of a reason, in a report.
const REPORT_CHARS: usize = 200;

/// A line of the seeds file that is not a URL to crawl. Its texts are safe for a terminal, and hold no password.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Counted from 1.
    pub number: u64,
    /// The line, cut to 200 characters.
    pub text: String,
    /// The error.
    pub reason: String,
}

impl BadLine {
    pub(super) fn new(number: u64, text: &str, reason: String) -> Self {
        let shown = |text: &str| terminal_text(&without_user_info(text), REPORT_CHARS);
        Self {
            number,
            text: shown(text),
            reason: shown(&reason),
        }
    }
}

impl fmt::Display for BadLine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}: {}", self.number, self.text, self.reason)
    }
}

/// The lines without a seed so far.
#[derive(Debug, Default)]
pub(super) struct BadLines {
    count: u64,
    first: Option<BadLine>,
}

impl BadLines {
    pub fn report(&mut self, file: &str, bad: BadLine) {
        self.count += 1;
        if self.count <= SHOWN {
            tracing::warn!("{file}, line {}: skipped: {}: {}", bad.number, bad.text, bad.reason);
        } else {
            tracing::debug!("{file}, line {}: skipped: {}: {}", bad.number, bad.text, bad.reason);
        }
        self.first.get_or_insert(bad);
    }

    /// Reports how many of the `lines` of the file the crawler skipped, if it has not shown all of these.
    pub fn report_count(&self, file: &str, lines: u64) {
        if self.count > SHOWN {
            tracing::warn!(
                "{file}: {} of {} lines hold no seed and were skipped; the first {SHOWN} are shown above, and -v shows all",
                grouped(self.count),
                grouped(lines)
            );
        }
    }

    pub fn into_first(self) -> Option<BadLine> {
        self.first
    }
}
