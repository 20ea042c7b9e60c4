//! `crawler gc`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use storage::OpenOptions;

use crate::cli::arguments::GcArgs;
use error::RunError;
use terminal::units::bytes;
use views::live::progress::{Moment, Progress};

pub(super) fn execute(args: &GcArgs, quiet: bool) -> Result<(), RunError> {
    let dir = &args.data.data;
    let rows = Arc::new(AtomicU64::new(0));
    let shown = rows.clone();
    let progress = Progress::start(None, quiet, move |_now| {
        let position = shown.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!("{position} rows copied"),
            ..Moment::default()
        }
    });
    let options = OpenOptions {
        command: "crawler gc".to_owned(),
        ..OpenOptions::existing()
    };
    let result = storage::compact(dir, &options, &mut |copied| rows.store(copied, Ordering::Relaxed));
    drop(progress);
    let done = result?;
    let mut lines = vec![format!(
        "Compacted {}: {} before, {} after, {} rows",
        dir.display(),
        bytes(done.before),
        bytes(done.after),
        done.rows
    )];
    if !done.removed.is_empty() {
        lines.push(format!("  removed {}", done.removed.join(", ")));
    }
    lines.push("  the WARC files are unchanged".to_owned());
    super::output::say(&lines.join("\n"))?;
    Ok(())
}
