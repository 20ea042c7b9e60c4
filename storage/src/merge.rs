//! Makes one data folder of several: of the workers of one crawl, or of independent crawls.
//!
//! ```text
//! folders ── plan ─▶ which files, under which numbers ── bring ─▶ DIR/warc ── Rebuild ─▶ DIR/state
//! ```
//!
//! A merge is a rebuild over several archives. It never writes to the folders that it reads. It hard-links their full WARC files, which never
//! change, or copies them to another file system; it always copies the last file of a folder, because a later run continues it. What
//! the archives name by the numbers of their folders, the state translates ([`origins`](crate::origins)).
//!
//! The file `merging` in DIR holds the plan until all is complete. After an interruption the same command keeps the files that it has
//! brought, and begins the rebuild again.

mod bring;
mod plan;

use std::path::{Path, PathBuf};

use self::plan::Plan;
use crate::error::StorageError;
use crate::folder::{DataFolder, STATE};
use crate::rebuild::{Merged, Rebuild, RebuildStep};
use crate::store::OpenOptions;

/// A folder to merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MergeSource {
    /// A data folder, or a folder of WARC files.
    pub dir: PathBuf,
    /// Its name for the user.
    pub name: String,
}

/// Begins to merge `sources` into the data folder `dir`: brings the WARC files there, and replays them. [`Rebuild::finish`] completes it.
///
/// The verdicts of independent crawls do not take each other's pages into account, so they are merged only if the caller
/// `will_redecide`: give all pages new verdicts, by [`Rebuild::begin_redeciding`].
///
/// # Errors
/// [`StorageError::NotMergeable`], [`StorageError::MergeTarget`], [`StorageError::NothingArchived`]; [`StorageError::Locked`] if a process
/// crawls into one of the folders; a file cannot be read or written. No source changes.
pub fn merge(
    dir: &Path,
    sources: &[MergeSource],
    will_redecide: bool,
    options: &OpenOptions,
    say: &mut dyn FnMut(RebuildStep),
) -> Result<Rebuild, StorageError> {
    let folder = DataFolder::hold_for_merge(dir, &options.command)?;
    let held = plan::hold(dir, sources)?;
    let plan = Plan::of(dir, sources, will_redecide, say)?;
    let text = plan.text();
    let is_begun = folder.unfinished_merge();
    if is_begun.as_ref() != Some(&text) {
        bring::forget(&folder)?;
        folder.begin_merge(&text)?;
    }
    folder.remove_folder(STATE)?;
    bring::bring(&folder, &plan, say)?;
    let merged = Merged {
        states: plan.states.clone(),
        _held: held,
    };
    Rebuild::begin_merged(folder, plan.origins(), merged, options, say)
}
