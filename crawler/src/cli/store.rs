//! The store of a crawl that a command only reads.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use storage::{OpenOptions, StorageError, Store};

use crate::cli::error::UsageError;
use crate::error::{RunError, holder};
use crate::terminal::tell::tell;

/// How long a command waits for another process that has the crawl open.
const MAX_WAIT: Duration = Duration::from_secs(10);
/// Wait after which the command tells the user why it waits.
const TELL_AFTER: Duration = Duration::from_secs(1);
const LOCK_POLL: Duration = Duration::from_millis(20);

/// Opens the crawl in `dir` for reading, without changes to the archive.
///
/// Waits if another process has the crawl open, because a command that only reads ends soon.
pub(super) fn open_to_read(dir: &Path) -> Result<Store, RunError> {
    let started = Instant::now();
    let mut has_told = false;
    loop {
        let (dir, pid) = match Store::open_untouched(dir, &OpenOptions::existing()) {
            Err(StorageError::Locked { dir, pid }) => (dir, pid),
            opened => return Ok(opened?),
        };
        let waited = started.elapsed();
        if waited >= MAX_WAIT {
            return Err(RunError::InUse { dir, pid });
        }
        if waited >= TELL_AFTER && !has_told {
            has_told = true;
            tell(format_args!(
                "crawler: {} is in use by {}; waiting up to {} seconds",
                dir.display(),
                holder(pid),
                MAX_WAIT.as_secs()
            ));
        }
        std::thread::sleep(LOCK_POLL);
    }
}

/// Leaves a store open until the process ends.
///
/// Closing makes the database flush, which takes a tenth of the time of a short command although the command wrote nothing. The
/// state survives a process that ends without closing it, as it survives a killed one. The end of the process releases the lock.
pub(super) fn leave_open(store: Store) {
    std::mem::forget(store);
}

/// Rejects an output file inside the data folder `data`, where it could replace a file of the crawl.
pub(super) fn reject_inside(data: &Path, output: &Path) -> Result<(), UsageError> {
    let Ok(data) = data.canonicalize() else {
        return Ok(()); // The command reports a missing folder when it opens the crawl.
    };
    // Collecting the components removes a trailing slash, behind which a link is not recognised.
    let target = export::linked(&output.components().collect::<PathBuf>());
    let folder = match target.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => &target,
    };
    let place = target.canonicalize().or_else(|_| folder.canonicalize());
    if !place.is_ok_and(|place| place.starts_with(&data)) {
        return Ok(());
    }
    Err(UsageError::Argument(format!(
        "{} is inside the data folder {}, which this command reads; choose an output outside it",
        output.display(),
        data.display()
    )))
}
