//! Reads the documents of the inputs one after the other, for commands that need only one thread.

use std::ops::ControlFlow;
use std::path::PathBuf;

use super::counter::Counter;
use super::faults::Faults;
use crate::cli::error::UsageError;
use config::settings::ExtractRules;
use files::{Document, Inputs, Reading};
use terminal::units::bytes;

/// Calls `each` for every document, with the content that `extract` declares, and reports progress and unreadable input on standard error. Returns the number of faults.
pub(super) fn read(
    arguments: &[PathBuf],
    extract: ExtractRules,
    outputs: &[PathBuf],
    quiet: bool,
    mut each: impl FnMut(&Document<'_>),
) -> Result<u64, UsageError> {
    let inputs = Inputs::find(arguments, None, outputs)?;
    let total = inputs.total_bytes();
    let of = total.map_or(String::new(), |total| format!(" of {}", bytes(total)));
    let read = Counter::show(total, quiet, move |read| format!("{}{of} read", bytes(read)));
    let mut faults = Faults::default();
    let reading = Reading {
        extract,
        ..Reading::default()
    };
    let whole = inputs.read(&reading, &read.count, &mut |batch| {
        batch.documents(&reading, &mut |document| match document {
            Ok(document) => each(&document),
            Err(fault) => faults.report(&fault, &read.progress),
        });
        ControlFlow::Continue(())
    });
    faults.finish(&read.progress);
    debug_assert!(whole.is_continue(), "the closure never breaks");
    Ok(faults.count())
}
