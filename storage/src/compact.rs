//! Compacts the state: copies the live rows, in the order of their keys, into a new database.
//!
//! sled appends to its file and frees space late, so after many commits a large part of the file is superseded. A copy in order has
//! each row once, in full nodes. The copy is written beside the state and takes its place when it is complete and durable. A compaction
//! never rewrites the archive.

use std::fs;
use std::path::Path;

use crate::batch::guarded;
use crate::error::StorageError;
use crate::folder::{COMPACTED, COMPACTING, DataFolder, STATE};
use crate::state::{State, await_release, make_durable};
use crate::store::OpenOptions;

/// Rows in a batch.
const BATCH_ROWS: usize = 256;

/// Batches between flushes of the copy, so that memory stays bounded.
const FLUSH_BATCHES: u64 = 256;

/// The result of a compaction.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compacted {
    /// Bytes of `state` and of the folders that were removed.
    pub before: u64,
    /// Bytes of the new `state`.
    pub after: u64,
    /// Rows copied.
    pub rows: u64,
    /// Removed folders, which earlier rebuilds and compactions left.
    pub removed: Vec<String>,
}

/// Compacts the state of the data folder `dir`, and removes the folders that rebuilds and compactions left beside it, also
/// `state.before-rebuild`, the old state before a rebuild. Passes the number of rows so far to `copied`.
///
/// # Errors
/// The state cannot be read, or its copy cannot be written. The state does not change.
pub fn compact(dir: &Path, options: &OpenOptions, copied: &mut dyn FnMut(u64)) -> Result<Compacted, StorageError> {
    let folder = DataFolder::hold(dir, false, &options.command)?;
    if !dir.join(STATE).is_dir() {
        return Err(StorageError::StateMissing { dir: dir.to_owned() });
    }
    folder.check_replaceable()?;
    let mut removed = folder.left_over();
    let mut result = Compacted::default();
    for name in [STATE].into_iter().chain(removed.iter().map(String::as_str)) {
        result.before += folder_bytes(&dir.join(name))?;
    }
    let scratch = dir.join(COMPACTING);
    folder.remove_folder(COMPACTING)?;
    let made = copy(dir, &scratch, options.cache_bytes, &|_| true, copied).and_then(|rows| {
        make_durable(&scratch.join(STATE))?;
        // Some systems do not rename a folder with open files, and sled's threads may still write to it.
        await_release(&dir.join(STATE))?;
        Ok(rows)
    });
    result.rows = match made {
        Ok(rows) => rows,
        Err(error) => {
            // Frees the space of the copy, above all on a full disk. If that fails, the next compaction removes it.
            let _left_over = folder.remove_folder(COMPACTING);
            return Err(error);
        }
    };
    folder.install(&format!("{COMPACTING}/{STATE}"), COMPACTED)?;
    for name in folder.left_over() {
        folder.remove_folder(&name)?;
    }
    result.after = folder_bytes(&dir.join(STATE))?;
    removed.retain(|name| name != COMPACTING);
    result.removed = removed;
    Ok(result)
}

/// Copies the trees of the state of `dir` that `takes` accepts by their names into a new one under `scratch`. Returns the number of rows.
pub(crate) fn copy(
    dir: &Path,
    scratch: &Path,
    cache_bytes: u64,
    takes: &dyn Fn(&[u8]) -> bool,
    copied: &mut dyn FnMut(u64),
) -> Result<u64, StorageError> {
    let from = State::open(dir, cache_bytes)?;
    if from.meta()?.is_none() {
        return Err(StorageError::StateMissing { dir: dir.to_owned() });
    }
    fs::create_dir_all(scratch).map_err(|source| StorageError::io("make the folder", scratch, source))?;
    let to = State::open(scratch, cache_bytes)?;
    let (Some(source_db), Some(target_db)) = (from.db(), to.db()) else {
        return Err(StorageError::Lent { dir: dir.to_owned() });
    };
    let (mut rows, mut batches) = (0, 0_u64);
    for name in source_db.tree_names().into_iter().filter(|name| takes(name)) {
        let source = guarded(dir, || source_db.open_tree(&name))?;
        let target = guarded(scratch, || target_db.open_tree(&name))?;
        let mut all = source.iter();
        loop {
            let mut batch = sled::Batch::default();
            let before = rows;
            while rows - before < BATCH_ROWS as u64 {
                let Some((key, value)) = guarded(dir, || all.next().transpose())? else {
                    break;
                };
                batch.insert(key, value);
                rows += 1;
            }
            if rows == before {
                break;
            }
            guarded(scratch, || target.apply_batch(batch))?;
            batches += 1;
            if batches.is_multiple_of(FLUSH_BATCHES) {
                to.flush()?;
                copied(rows);
            }
        }
        if guarded(scratch, || Ok(target.len()))? != guarded(dir, || Ok(source.len()))? {
            return Err(from.corrupt("a row that was copied"));
        }
    }
    to.flush()?;
    copied(rows);
    Ok(rows)
}

fn folder_bytes(folder: &Path) -> Result<u64, StorageError> {
    let read = |source| StorageError::io("read", folder, source);
    let mut bytes = 0;
    for entry in fs::read_dir(folder).map_err(read)? {
        let entry = entry.map_err(read)?;
        let metadata = entry.metadata().map_err(read)?;
        bytes += if metadata.is_dir() {
            folder_bytes(&entry.path())?
        } else {
            metadata.len()
        };
    }
    Ok(bytes)
}
