//! Brings WARC files to the merged folder: by a hard link, or by a copy.

use std::fs::{self, File};
use std::io;
use std::path::Path;

use super::plan::{Plan, Planned};
use crate::durable::{self, Readers};
use crate::error::StorageError;
use crate::folder::{DataFolder, STATE};
use crate::rebuild::RebuildStep;
use crate::warc::medium::sync_folder;
use crate::warc::names::FileName;

/// Removes what a merge of other folders has left in the folder.
pub(super) fn forget(folder: &DataFolder) -> Result<(), StorageError> {
    folder.remove_folder(STATE)?;
    let warc = folder.warc();
    let failed = |source| StorageError::io("remove a file in", &warc, source);
    for entry in fs::read_dir(&warc).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        fs::remove_file(entry.path()).map_err(failed)?;
    }
    Ok(())
}

/// Brings the files that are not there yet.
pub(super) fn bring(folder: &DataFolder, plan: &Plan, say: &mut dyn FnMut(RebuildStep)) -> Result<(), StorageError> {
    let warc = folder.warc();
    let of = plan.files().map(|(_, file)| file.bytes).sum();
    let mut bytes = 0;
    let mut names = Vec::new();
    for (number, file) in plan.files() {
        let name = FileName {
            started_at: plan.started_at,
            number,
            compression: file.compression,
        };
        let name = name.to_string();
        let target = warc.join(&name);
        // A copy of a last file may have been cut at the end of its last whole page.
        let is_there = !file.is_last && fs::metadata(&target).is_ok_and(|there| there.len() == file.bytes);
        if !is_there {
            bring_file(file, &target)?;
        }
        names.push(name);
        bytes += file.bytes;
        say(RebuildStep::Brought { bytes, of });
    }
    remove_others(&warc, &names)?;
    sync_folder(&warc).map_err(|source| StorageError::io("make durable", &warc, source))
}

fn bring_file(file: &Planned, target: &Path) -> Result<(), StorageError> {
    let failed = |source| StorageError::io("copy a file to", target, source);
    match fs::remove_file(target) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
        _ => {}
    }
    // Links fail on another file system, and for files of another user.
    if !file.is_last && fs::hard_link(&file.path, target).is_ok() {
        return Ok(());
    }
    let part = target.with_extension("part");
    let mut from = File::open(&file.path).map_err(|source| StorageError::io("read", &file.path, source))?;
    let copy = |to: &mut File| io::copy(&mut from, to).map(drop);
    durable::replace(target, &part, Readers::Usual, copy).map_err(failed)
}

/// Removes files of an earlier attempt: the file of numbers, and parts of copies.
fn remove_others(warc: &Path, names: &[String]) -> Result<(), StorageError> {
    let failed = |source| StorageError::io("remove a file in", warc, source);
    for entry in fs::read_dir(warc).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let is_ours = FileName::parse(&name).is_some() || name.ends_with(".part");
        if is_ours && !names.contains(&name) {
            fs::remove_file(entry.path()).map_err(failed)?;
        }
    }
    Ok(())
}
