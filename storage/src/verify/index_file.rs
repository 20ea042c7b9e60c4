//! Checks `warc/index.cdxj`.

use super::Check;
use super::findings::{FindingKind, Findings};
use crate::cdxj::{Difference, difference};
use crate::error::StorageError;

/// Number of characters of a line that a finding shows.
const SHOWN_CHARS: usize = 120;

impl Check<'_> {
    pub(super) fn verify_index_file(self, findings: &mut Findings<'_>) -> Result<(), StorageError> {
        difference(self.store, &mut |difference| {
            let what = match difference {
                Difference::NoFile => "the file is missing".to_owned(),
                Difference::Wrong { number, line } => {
                    format!("line {number} is the line of no capture: {}", shown(&line))
                }
                Difference::Missing { line } => format!("the line of a capture is missing: {}", shown(&line)),
                Difference::NotSorted { number } => format!("line {number} is not greater than the line before"),
                Difference::Cut => "the last line has no end".to_owned(),
            };
            findings.note(FindingKind::IndexFile, format!("warc/index.cdxj: {what}"));
        })
        .map(|_was_compared| ())
    }
}

fn shown(line: &str) -> String {
    line.chars().take(SHOWN_CHARS).collect()
}
