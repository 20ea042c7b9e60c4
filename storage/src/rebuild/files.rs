//! Which files there are to rebuild from, and what their heads say.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::RebuildStep;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::warc::{WarcReader, metadata};

/// A file of the archive.
pub(super) struct WarcFile {
    pub path: PathBuf,
    pub number: u32,
    pub bytes: u64,
    /// As its name says: to the second, in milliseconds since the Unix epoch.
    pub started_at: u64,
}

impl WarcFile {
    pub fn is_of(&self, started_at: u64) -> bool {
        started_at / 1_000 == self.started_at / 1_000
    }
}

/// The files of the crawl in order; those of another one, and gaps, are told.
pub(super) fn warc_files(folder: &DataFolder, say: &mut dyn FnMut(RebuildStep)) -> Result<Vec<WarcFile>, StorageError> {
    let warc = folder.warc();
    let read = |source| StorageError::io("read", &warc, source);
    let mut crawls: BTreeMap<u64, Vec<WarcFile>> = BTreeMap::new();
    for entry in fs::read_dir(&warc).map_err(read)? {
        let entry = entry.map_err(read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = entry.metadata().map_err(read)?.len();
        let path = entry.path();
        match crate::warc::writer::parse_file_name(&name) {
            Some((started_at, number)) => crawls.entry(started_at).or_default().push(WarcFile {
                path,
                number,
                bytes,
                started_at,
            }),
            None if name.ends_with(".warc.gz") => say(RebuildStep::Problem(format!(
                "{} is not a file of this crawl, by its name; not read",
                path.display()
            ))),
            None => {}
        }
    }
    let Some((_, mut files)) = crawls.pop_last() else {
        return Err(StorageError::NothingArchived {
            dir: folder.dir().to_owned(),
        });
    };
    for file in crawls.values().flatten() {
        let path = file.path.display();
        say(RebuildStep::Problem(format!(
            "{path} is of an earlier crawl, by its name; not read"
        )));
    }
    files.sort_by_key(|file| file.number);
    let mut expected = 0;
    for file in &files {
        for missing in expected..file.number {
            say(RebuildStep::Problem(format!(
                "file {missing:05} of {} is missing: what it held is fetched again",
                warc.display()
            )));
        }
        expected = file.number + 1;
    }
    Ok(files)
}

/// What the `warcinfo` at the head of a file says of the crawl.
pub(super) fn read_head(path: &Path) -> Option<(Option<u64>, Option<String>)> {
    let first = WarcReader::new(File::open(path).ok()?).next_record().ok()??.ok()?;
    Some(metadata::read_crawl_fields(&first.record)).filter(|(_, scheme)| scheme.is_some())
}
