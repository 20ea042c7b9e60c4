//! Updates `warc/index.cdxj`. The state records the part of the catalogue that the file holds, so that a run only adds its own lines.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::runs::{Runs, SortedLines};
use super::{push_pages, push_visits};
use crate::archive::{Archive, Indexed};
use crate::error::StorageError;
use crate::page::PageRecord;
use crate::store::Store;
use crate::warc::medium::sync_folder;

/// The path of the index.
pub(super) fn path_of(store: &Store) -> PathBuf {
    store.warc_dir().join("index.cdxj")
}

/// Updates `warc/index.cdxj` and returns its path. Commits everything staged.
///
/// Merges the new lines with the file if it is the one that the last call wrote, and otherwise writes all lines. The new file is
/// written under another name and renamed when it is complete. The state records it after that, so a crash between the two costs only
/// the repetition of this work.
///
/// # Errors
/// As [`lines`](super::lines) and [`Store::commit`]; [`StorageError::Io`] if it cannot be written.
pub fn write_index(store: &mut Store) -> Result<PathBuf, StorageError> {
    write_index_with(store, &mut || ())
}

/// [`write_index`], which calls `step` for each page and each line: a long index takes minutes.
///
/// # Errors
/// As [`write_index`].
pub fn write_index_with(store: &mut Store, step: &mut dyn FnMut()) -> Result<PathBuf, StorageError> {
    store.commit()?;
    let path = path_of(store);
    let known = known(store, &path)?;
    let (next_page, archive) = (store.next_page_id(), store.archive().end());
    if known.is_some_and(|known| (known.next_page, known.archive) == (next_page, archive)) {
        return Ok(path);
    }
    let merged = match known {
        Some(known) => write(store, &path, Some(known), step),
        None => Ok(None),
    };
    let bytes = match merged {
        Ok(Some(bytes)) => bytes,
        // There is no file, or somebody changed it.
        Ok(None) => write(store, &path, None, step)?.unwrap_or_default(),
        Err(StorageError::Io { source, .. }) if source.kind() == ErrorKind::InvalidData => {
            write(store, &path, None, step)?.unwrap_or_default()
        }
        Err(error) => return Err(error),
    };
    let indexed = Indexed {
        next_page,
        archive,
        bytes,
    };
    store.note_with(|_, piece| Archive::set_indexed(&indexed, piece))?;
    store.commit()?;
    Ok(path)
}

/// The part of the catalogue in the file, if it is the one that was written last.
fn known(store: &Store, path: &Path) -> Result<Option<Indexed>, StorageError> {
    let indexed = store.archive().indexed()?;
    let bytes = fs::metadata(path).map(|metadata| metadata.len()).ok();
    Ok(indexed.filter(|indexed| bytes == Some(indexed.bytes)))
}

/// Writes the index: the lines of the existing file and those that `known` does not cover. Returns its length; `None` if the lines
/// of the existing file are not sorted, which leaves that file unchanged.
fn write(
    store: &Store,
    path: &Path,
    known: Option<Indexed>,
    step: &mut dyn FnMut(),
) -> Result<Option<u64>, StorageError> {
    let partial = path.with_extension("cdxj.partial");
    let written = write_by(store, (path, &partial), known, step);
    if !matches!(written, Ok(Some(_))) {
        // Remove the partial file to free its space, above all on a full disk. If it stays, the next run overwrites it.
        let _left_over = fs::remove_file(&partial);
    }
    written
}

/// As [`write()`], through the file `partial`, which may stay after a failure.
fn write_by(
    store: &Store,
    (path, partial): (&Path, &Path),
    known: Option<Indexed>,
    step: &mut dyn FnMut(),
) -> Result<Option<u64>, StorageError> {
    let write_failed = |source| StorageError::io("write", partial, source);
    let mut out = BufWriter::new(File::create(partial).map_err(write_failed)?);
    let mut bytes = 0;
    let mut last = String::new();
    for line in all_lines(store, path, known, step)? {
        let line = line?;
        step();
        match line.cmp(&last) {
            // The lines of visits are added on every update.
            std::cmp::Ordering::Equal => continue,
            std::cmp::Ordering::Less => return Ok(None),
            std::cmp::Ordering::Greater => {}
        }
        writeln!(out, "{line}").map_err(write_failed)?;
        bytes += line.len() as u64 + 1;
        last = line;
    }
    let file = out.into_inner().map_err(|error| write_failed(error.into_error()))?;
    file.sync_all().map_err(write_failed)?;
    fs::rename(partial, path).map_err(|source| StorageError::io("put in its place", partial, source))?;
    let dir = path.parent().unwrap_or(Path::new("."));
    sync_folder(dir).map_err(|source| StorageError::io("make durable the names in", dir, source))?;
    Ok(Some(bytes))
}

fn all_lines(
    store: &Store,
    path: &Path,
    known: Option<Indexed>,
    step: &mut dyn FnMut(),
) -> Result<SortedLines, StorageError> {
    let mut runs = Runs::new(store.dir());
    let mut from = 1;
    if let Some(known) = known {
        let file = File::open(path).map_err(|source| StorageError::io("read", path, source))?;
        runs.add_sorted(BufReader::new(file).lines());
        from = known.next_page;
    }
    let mut takes = |_, _: &PageRecord| {
        step();
        true
    };
    push_pages(store, from, &mut takes, &mut runs)?;
    push_visits(store, &mut takes, &mut runs)?;
    runs.sorted()
}
