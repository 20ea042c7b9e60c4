//! `crawler gc`

use storage::OpenOptions;

use super::counter::Counter;
use crate::cli::arguments::GcArgs;
use error::RunError;
use terminal::units::bytes;

pub(super) fn execute(args: &GcArgs, quiet: bool) -> Result<(), RunError> {
    let dir = &args.data.data;
    let rows = Counter::show(None, quiet, |rows| format!("{rows} rows copied"));
    let options = OpenOptions {
        command: "crawler gc".to_owned(),
        ..OpenOptions::existing()
    };
    let result = storage::compact(dir, &options, &mut |copied| rows.set(copied));
    drop(rows);
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
