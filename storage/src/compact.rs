//! The state without what it does not need any more: the live rows, in the order of their keys, copied into a fresh database.
//!
//! sled appends to its file and gives room back late; after many commits a good part of the file is superseded. A copy in order has each
//! row once, in full nodes. The copy is made beside the state and takes its place when it is complete and durable. The archive is
//! never rewritten: it only grows.

use std::fs;
use std::path::Path;

use crate::error::StorageError;
use crate::folder::{COMPACTED, COMPACTING, DataFolder, STATE};
use crate::rebuild::{await_release, make_durable};
use crate::state::{State, guarded};

/// Rows in a batch.
const BATCH_ROWS: usize = 256;

/// Batches after which the copy is flushed, so that memory stays bounded.
const FLUSH_BATCHES: u64 = 256;

/// What came of it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Compacted {
    /// Bytes of `state` and of what was left over before.
    pub before: u64,
    /// Bytes of `state` after.
    pub after: u64,
    /// Rows copied.
    pub rows: u64,
    /// Folders that earlier rebuilds and compactions had left, removed now.
    pub removed: Vec<String>,
}

/// Compacts the state of the data folder `dir`, and removes what rebuilds and compactions have left beside it: also `state.before-rebuild`,
/// the state as it was before a rebuild. `copied` is told the rows so far.
///
/// # Errors
/// The state cannot be read, or its copy not written; the state is as it was.
pub fn compact(dir: &Path, cache_bytes: u64, copied: &mut dyn FnMut(u64)) -> Result<Compacted, StorageError> {
    let folder = DataFolder::hold(dir, false)?;
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
    let made = copy(dir, &scratch, cache_bytes, copied).and_then(|rows| {
        make_durable(&scratch.join(STATE))?;
        // Not every system renames a folder whose files are open; and what its threads still write would go by the old name.
        await_release(&dir.join(STATE))?;
        Ok(rows)
    });
    result.rows = match made {
        Ok(rows) => rows,
        Err(error) => {
            // The room is wanted, the more so if there is none; what cannot be removed now is removed by the next one.
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

/// Copies all trees of the state of `dir` into a new one under `scratch`; returns the rows.
fn copy(dir: &Path, scratch: &Path, cache_bytes: u64, copied: &mut dyn FnMut(u64)) -> Result<u64, StorageError> {
    let from = State::open(dir, cache_bytes)?;
    if from.meta()?.is_none() {
        return Err(StorageError::StateMissing { dir: dir.to_owned() });
    }
    fs::create_dir_all(scratch).map_err(|source| StorageError::io("make the folder", scratch, source))?;
    let to = State::open(scratch, cache_bytes)?;
    let (mut rows, mut batches) = (0, 0_u64);
    for name in from.db().tree_names() {
        let source = guarded(dir, || from.db().open_tree(&name))?;
        let target = guarded(scratch, || to.db().open_tree(&name))?;
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
        bytes += match metadata.is_dir() {
            true => folder_bytes(&entry.path())?,
            false => metadata.len(),
        };
    }
    Ok(bytes)
}
