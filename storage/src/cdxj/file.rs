//! `warc/index.cdxj`: what it holds of the catalogue is noted in the state, so that a run adds its own lines to those there.

use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::runs::{Runs, SortedLines};
use super::{push_pages, push_visits};
use crate::error::StorageError;
use crate::format;
use crate::store::Store;
use crate::warc::location::WarcEnd;
use crate::warc::medium::sync_folder;

/// Up to where the index goes. A file of another length is not the one that this is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Indexed {
    /// All pages before this one are in it.
    next_page: u64,
    /// And all records up to here.
    archive: WarcEnd,
    /// Its length.
    bytes: u64,
}

/// Brings `warc/index.cdxj` up to the archive and returns its path. Commits what is staged.
///
/// The new lines are merged with those of the file that is there, where it is the one that was written last; otherwise it is
/// made anew. It is written beside its place and put there when it is whole; that it is there is noted after that, so that a
/// crash between the two costs no more than the same work again.
///
/// # Errors
/// As [`lines`](super::lines) and [`Store::commit`]; [`StorageError::Io`] if it cannot be written.
pub fn write_index(store: &mut Store) -> Result<PathBuf, StorageError> {
    store.commit()?;
    let path = store.warc_dir().join("index.cdxj");
    let known = known(store, &path)?;
    let (next_page, archive) = (store.next_page_id(), store.archive.end());
    if known.is_some_and(|known| (known.next_page, known.archive) == (next_page, archive)) {
        return Ok(path);
    }
    let merged = match known {
        Some(known) => write(store, &path, Some(known)),
        None => Ok(None),
    };
    let bytes = match merged {
        Ok(Some(bytes)) => bytes,
        // There is none, or somebody has changed it.
        Ok(None) => write(store, &path, None)?.unwrap_or_default(),
        Err(StorageError::Io { source, .. }) if source.kind() == ErrorKind::InvalidData => {
            write(store, &path, None)?.unwrap_or_default()
        }
        Err(error) => return Err(error),
    };
    let row = format::encode(&Indexed {
        next_page,
        archive,
        bytes,
    })?;
    store.stage_rows(vec![(format::META_INDEXED.to_vec(), Some(row))])?;
    store.commit()?;
    Ok(path)
}

/// What the file holds, if it is the one that was written last.
fn known(store: &Store, path: &Path) -> Result<Option<Indexed>, StorageError> {
    let Some(row) = store.state.get(format::META_INDEXED)? else {
        return Ok(None);
    };
    let indexed: Indexed = store.state.decode("how far the index goes", &row)?;
    let bytes = fs::metadata(path).map(|metadata| metadata.len()).ok();
    Ok(Some(indexed).filter(|indexed| bytes == Some(indexed.bytes)))
}

/// Writes the index, with the lines that the file there holds and all that it does not `know`. Returns its length; `None`,
/// and no file is changed, if the lines there are in no order.
fn write(store: &Store, path: &Path, known: Option<Indexed>) -> Result<Option<u64>, StorageError> {
    let partial = path.with_extension("cdxj.partial");
    let write_failed = |source| StorageError::io("write", &partial, source);
    let mut out = BufWriter::new(File::create(&partial).map_err(write_failed)?);
    let mut bytes = 0;
    let mut last = String::new();
    for line in all_lines(store, path, known)? {
        let line = line?;
        match line.cmp(&last) {
            // Of a visit, whose records are all looked at again.
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
    fs::rename(&partial, path).map_err(|source| StorageError::io("put in its place", &partial, source))?;
    let dir = path.parent().unwrap_or(Path::new("."));
    sync_folder(dir).map_err(|source| StorageError::io("make durable the names in", dir, source))?;
    Ok(Some(bytes))
}

fn all_lines(store: &Store, path: &Path, known: Option<Indexed>) -> Result<SortedLines, StorageError> {
    let mut runs = Runs::new(store.dir());
    let mut from = 1;
    if let Some(known) = known {
        let file = File::open(path).map_err(|source| StorageError::io("read", path, source))?;
        runs.add_sorted(BufReader::new(file).lines());
        from = known.next_page;
    }
    push_pages(store, from, &mut |_, _| true, &mut runs)?;
    push_visits(store, &mut |_, _| true, &mut runs)?;
    runs.sorted()
}
