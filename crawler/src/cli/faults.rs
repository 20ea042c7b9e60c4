//! What cannot be read of a command's inputs, told on standard error: the first of it, the rest only counted.

use crate::files::Fault;
use crate::live::progress::Progress;
use crate::terminal::text::terminal_text;

/// Faults that are told; further ones are only counted.
const TOLD: u64 = 20;

/// Characters of a report on one fault.
const TOLD_WIDTH: usize = 300;

/// Counts and tells faults.
#[derive(Debug, Default)]
pub(super) struct Faults {
    count: u64,
}

impl Faults {
    pub(super) fn tell(&mut self, fault: &Fault, progress: &Progress) {
        self.count += 1;
        progress.aside(|| match self.count {
            ..=TOLD => {
                let text = format!("{}: {}", fault.place, fault.reason);
                tracing::warn!("left out: {}", terminal_text(&text, TOLD_WIDTH));
            }
            n if n == TOLD + 1 => tracing::warn!("more is left out, and only counted from here on"),
            _ => {}
        });
    }

    pub(super) fn count(&self) -> u64 {
        self.count
    }
}
