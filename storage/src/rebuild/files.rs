//! The WARC files that a rebuild reads, and their heads.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use super::RebuildStep;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::warc::metadata::{DecidedBy, Head};
use crate::warc::names::FileName;
use crate::warc::record::compact_date;
use crate::warc::{Compression, WarcReader, metadata};

/// A WARC file of the archive.
#[derive(Clone)]
pub(crate) struct WarcFile {
    pub path: PathBuf,
    pub number: u32,
    pub compression: Compression,
    pub bytes: u64,
    /// Start of the crawl by the file's name: to the second, in milliseconds since the Unix epoch.
    pub started_at: u64,
}

impl WarcFile {
    /// Opens the file.
    pub fn open(&self) -> std::io::Result<WarcReader<File>> {
        Ok(WarcReader::of(self.compression, File::open(&self.path)?))
    }

    pub fn is_of(&self, started_at: u64) -> bool {
        started_at / 1_000 == self.started_at / 1_000
    }
}

/// The files in `warc/` by the crawl in their names, in order. Reports other WARC files.
pub(crate) fn crawls_in(
    warc: &Path,
    say: &mut dyn FnMut(RebuildStep),
) -> Result<BTreeMap<u64, Vec<WarcFile>>, StorageError> {
    let read = |source| StorageError::io("read", warc, source);
    let mut crawls: BTreeMap<u64, Vec<WarcFile>> = BTreeMap::new();
    for entry in fs::read_dir(warc).map_err(read)? {
        let entry = entry.map_err(read)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        let bytes = entry.metadata().map_err(read)?.len();
        let path = entry.path();
        match FileName::parse(&name) {
            Some(name) => crawls.entry(name.started_at).or_default().push(WarcFile {
                path,
                number: name.number,
                compression: name.compression,
                bytes,
                started_at: name.started_at,
            }),
            None if Compression::of_name(&name).is_some() => say(RebuildStep::Problem(format!(
                "{} is not named like a WARC file of this crawler; not read",
                path.display()
            ))),
            None => {}
        }
    }
    for files in crawls.values_mut() {
        files.sort_by(|a, b| (a.number, &a.path).cmp(&(b.number, &b.path)));
        files.dedup_by(|file, before| is_second(file, before, say));
    }
    Ok(crawls)
}

/// Whether a file has the number of the file before, which only a user can give it. Reports it.
fn is_second(file: &WarcFile, before: &WarcFile, say: &mut dyn FnMut(RebuildStep)) -> bool {
    let is_second = file.number == before.number;
    if is_second {
        let (path, before) = (file.path.display(), before.path.display());
        say(RebuildStep::Problem(format!(
            "{path} has the number of {before}; not read"
        )));
    }
    is_second
}

/// The files of this crawl: the only crawl, or the crawl that began at `started_at` by the old state. `started_at` is called only if
/// there are several crawls. Reports the files of the others.
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
                "{path} is named like a WARC file of another crawl; not read"
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

/// Reports and returns the numbers of the files that are missing between the others.
pub(super) fn gaps_of(files: &[WarcFile], folder: &DataFolder, say: &mut dyn FnMut(RebuildStep)) -> Vec<u32> {
    let (mut gaps, mut expected) = (Vec::new(), 0);
    for file in files {
        for missing in expected..file.number {
            say(RebuildStep::Problem(format!(
                "file {missing:05} of {} is missing: its pages will be fetched again",
                folder.warc().display()
            )));
            gaps.push(missing);
        }
        expected = file.number + 1;
    }
    gaps
}

/// The heads of the files: their `warcinfo` records.
pub(super) struct Heads {
    /// Start of the crawl, milliseconds since the Unix epoch, by the first head that names a scheme.
    pub started_at: Option<u64>,
    pub decided_by: BTreeSet<DecidedBy>,
    /// The first scheme that is named.
    scheme: Option<String>,
    /// A file that is not empty has no readable head.
    pub has_unreadable: bool,
}

impl Heads {
    pub fn of(files: &[WarcFile]) -> Self {
        let heads: Vec<_> = files.iter().map(read_head).collect();
        let with_scheme = heads.iter().flatten().filter(|head| head.decided_by.is_some());
        let first = with_scheme.clone().next();
        let has_unreadable = files.iter().zip(&heads).any(|(file, head)| {
            let is_read = head.as_ref().is_some_and(|head| head.decided_by.is_some());
            file.bytes > 0 && !is_read
        });
        Self {
            started_at: first.and_then(|head| head.started_at),
            scheme: first
                .and_then(|head| head.decided_by.as_ref())
                .map(|by| by.scheme.clone()),
            has_unreadable,
            decided_by: with_scheme.filter_map(|head| head.decided_by.clone()).collect(),
        }
    }

    pub fn scheme(&self) -> Option<String> {
        self.scheme.clone()
    }

    /// The schemes of the heads, or `scheme` if no head names one.
    pub fn decided_by_or(mut self, scheme: &str) -> BTreeSet<DecidedBy> {
        if self.decided_by.is_empty() {
            self.decided_by.insert(DecidedBy {
                scheme: scheme.to_owned(),
                redecided_at: None,
            });
        }
        self.decided_by
    }
}

/// The `warcinfo` at the head of a file. `None` if it cannot be read.
pub(crate) fn read_head(file: &WarcFile) -> Option<Head> {
    let first = file.open().ok()?.next_record().ok()??.ok()?;
    Some(metadata::read_head(&first.record))
}
