//! What an interrupted export leaves, and its removal.

use std::ffi::OsStr;
use std::fs;
use std::io::{self, ErrorKind};
use std::path::Path;

use crate::error::ExportError;

/// Marks a folder as an incomplete export, which the next export may remove.
pub(crate) const MARK: &str = "NOT-COMPLETE.txt";

/// Removes the rest of an incomplete export, and nothing else. An export to one file leaves a file, also under this name.
pub(crate) fn remove_unfinished(partial: &Path) -> Result<(), ExportError> {
    let is_folder = match fs::symlink_metadata(partial) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        Err(error) => return Err(ExportError::io("read", partial, error)),
        Ok(metadata) => metadata.is_dir(),
    };
    if !is_folder {
        return fs::remove_file(partial).map_err(|source| ExportError::io("remove", partial, source));
    }
    if !partial.join(MARK).is_file() && !is_empty(partial) {
        return Err(ExportError::InTheWay(partial.to_owned()));
    }
    remove_marked(partial).map_err(|source| ExportError::io("remove", partial, source))
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

/// Removes a marked folder. It removes the mark last, so that an interruption leaves a marked folder.
pub(crate) fn remove_marked(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_name() == OsStr::new(MARK) {
            continue;
        }
        if entry.file_type()?.is_dir() {
            fs::remove_dir_all(entry.path())?;
        } else {
            fs::remove_file(entry.path())?;
        }
    }
    match fs::remove_file(folder.join(MARK)) {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(error),
        _ => fs::remove_dir(folder),
    }
}
