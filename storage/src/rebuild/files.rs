//! Which files there are to rebuild from, and what their heads say.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::RebuildStep;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::warc::metadata::DecidedBy;
use crate::warc::record::compact_date;
use crate::warc::writer::parse_file_name;
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

/// The files in `warc/` by the crawl that their names give, each crawl's in order; what is no such file is told.
pub(super) fn crawls_in(
    folder: &DataFolder,
    say: &mut dyn FnMut(RebuildStep),
) -> Result<BTreeMap<u64, Vec<WarcFile>>, StorageError> {
    let warc = folder.warc();
    let read = |source| StorageError::io("read", &warc, source);
    let mut crawls: BTreeMap<u64, Vec<WarcFile>> = BTreeMap::new();
    for entry in fs::read_dir(&warc).map_err(read)? {
        let entry = entry.map_err(read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = entry.metadata().map_err(read)?.len();
        let path = entry.path();
        match parse_file_name(&name) {
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
    for files in crawls.values_mut() {
        files.sort_by_key(|file| file.number);
    }
    Ok(crawls)
}

/// The files of this crawl: the only one there is, or the one that began when the old state says (`started_at`, which is asked only where
/// there are several). The other files are told.
pub(super) fn only_crawl(
    mut crawls: BTreeMap<u64, Vec<WarcFile>>,
    folder: &DataFolder,
    started_at: impl FnOnce() -> Option<u64>,
    say: &mut dyn FnMut(RebuildStep),
) -> Result<Vec<WarcFile>, StorageError> {
    if crawls.len() > 1 {
        let own = started_at().map(|at| at / 1_000 * 1_000);
        let Some(files) = own.and_then(|own| crawls.remove(&own)) else {
            let name = |started_at: &u64| format!("crawl-{}", compact_date(*started_at));
            return Err(StorageError::SeveralCrawls {
                dir: folder.warc(),
                crawls: crawls.keys().map(name).collect(),
            });
        };
        for file in crawls.values().flatten() {
            let path = file.path.display();
            say(RebuildStep::Problem(format!(
                "{path} is of another crawl, by its name; not read"
            )));
        }
        return Ok(files);
    }
    crawls
        .pop_last()
        .map(|(_, files)| files)
        .ok_or_else(|| StorageError::NothingArchived {
            dir: folder.dir().to_owned(),
        })
}

/// The numbers of the files that are missing between the others; each is told.
pub(super) fn gaps_of(files: &[WarcFile], folder: &DataFolder, say: &mut dyn FnMut(RebuildStep)) -> Vec<u32> {
    let (mut gaps, mut expected) = (Vec::new(), 0);
    for file in files {
        for missing in expected..file.number {
            say(RebuildStep::Problem(format!(
                "file {missing:05} of {} is missing: what it held is fetched again",
                folder.warc().display()
            )));
            gaps.push(missing);
        }
        expected = file.number + 1;
    }
    gaps
}

/// What the `warcinfo` at the head of a file says of the crawl: when it began, and what the file's pages were decided by. `None` where
/// it cannot be read.
pub(super) fn read_head(path: &Path) -> Option<(Option<u64>, DecidedBy)> {
    let first = WarcReader::new(File::open(path).ok()?).next_record().ok()??.ok()?;
    let (started_at, decided_by) = metadata::read_crawl_fields(&first.record);
    Some((started_at, decided_by?))
}
