//! Reads the documents of the inputs one after the other, for commands that need only one thread.

use std::ops::ControlFlow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::faults::Faults;
use crate::cli::error::UsageError;
use config::settings::ExtractRules;
use files::{Document, Inputs, Reading};
use terminal::units::bytes;
use views::live::progress::{Moment, Progress};

/// Calls `each` for every document, with the content that `extract` declares, and reports progress and unreadable input on standard error. Returns the number of faults.
pub(super) fn read(
    arguments: &[PathBuf],
    extract: ExtractRules,
    outputs: &[PathBuf],
    quiet: bool,
    mut each: impl FnMut(&Document<'_>),
) -> Result<u64, UsageError> {
    let inputs = Inputs::find(arguments, None, outputs)?;
    let (read, total) = (Arc::new(AtomicU64::new(0)), inputs.total_bytes());
    let progress = show(&read, total, quiet);
    let mut faults = Faults::default();
    let reading = Reading {
        extract,
        ..Reading::default()
    };
    let whole = inputs.read(&reading, &read, &mut |batch| {
        batch.documents(&reading, &mut |document| match document {
            Ok(document) => each(&document),
            Err(fault) => faults.report(&fault, &progress),
        });
        ControlFlow::Continue(())
    });
    faults.finish(&progress);
    debug_assert!(whole.is_continue(), "the closure never breaks");
    Ok(faults.count())
}

fn show(read: &Arc<AtomicU64>, total: Option<u64>, quiet: bool) -> Progress {
    let read = Arc::clone(read);
    Progress::start(total, quiet, move |_| {
        let position = read.load(Ordering::Relaxed);
        let of = total.map_or(String::new(), |total| format!(" of {}", bytes(total)));
        Moment {
            position,
            message: format!("{}{of} read", bytes(position)),
            ..Moment::default()
        }
    })
}
