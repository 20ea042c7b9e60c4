//! The numbers of merged pages in the archive: a merge writes them, a rebuild of the merged folder finds them.

use std::collections::{BTreeMap, BTreeSet};

use super::Rebuild;
use super::files::{WarcFile, read_head};
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::origins::{NUMBERS_A_ROW, Origin, Origins};
use crate::warc::after_damage::AfterDamage;
use crate::warc::location::WarcEnd;
use crate::warc::medium::{Folder, Medium};
use crate::warc::metadata::Numbering;
use crate::warc::record::{new_record_id, now_ms};
use crate::worker::Worker;

/// Rows of numbers in a record.
const ROWS_A_RECORD: usize = 16;

/// Bytes that are written at a time.
const WRITTEN_AT_A_TIME: usize = 1 << 20;

/// The numbers that the archive of a merged folder gives; empty for a folder that was never merged.
pub(super) struct Numberings {
    origins: BTreeMap<usize, Origin>,
    /// Their file, which the numbers are read from a second time, because they may be many.
    file: Option<WarcFile>,
}

impl Numberings {
    /// Looks for them among the files of the archive.
    pub fn find(folder: &DataFolder, files: &[WarcFile]) -> Result<Self, StorageError> {
        let mut found = Self {
            origins: BTreeMap::new(),
            file: None,
        };
        for file in files {
            let failed = |source| StorageError::io("read", &file.path, source);
            for numbering in Self::of_file(file).map_err(failed)? {
                let numbering = numbering.map_err(failed)?;
                found.origins.insert(numbering.index, numbering.origin);
                found.file = Some(file.clone());
            }
            if found.file.is_some() {
                return Ok(found);
            }
        }
        // Files of one crawl name one start, and at most one worker.
        let (mut starts, mut workers) = (BTreeSet::new(), BTreeSet::new());
        for head in files.iter().filter_map(read_head) {
            starts.extend(head.started_at);
            workers.extend(Some(head.worker).filter(Worker::is_one_of_several));
        }
        if starts.len() > 1 || workers.len() > 1 {
            return Err(StorageError::NumbersMissing {
                dir: folder.dir().to_owned(),
            });
        }
        Ok(found)
    }

    /// Whether a file begins with such records.
    pub fn are_in(file: &WarcFile) -> bool {
        Self::of_file(file).is_ok_and(|mut numberings| numberings.next().is_some())
    }

    /// The records at the head of a file, behind its `warcinfo`.
    fn of_file(file: &WarcFile) -> std::io::Result<impl Iterator<Item = std::io::Result<Numbering>> + use<>> {
        let mut reader = file.open()?;
        let mut is_first = true;
        let (file, mut after_damage) = (file.clone(), None);
        Ok(std::iter::from_fn(move || {
            loop {
                let record = match reader.next_record() {
                    Err(error) => return Some(Err(error)),
                    Ok(None) => return None,
                    // The numbers in a damaged record are lost, and the pages with them.
                    Ok(Some(Err(_))) if !is_first => {
                        match AfterDamage::in_file(|| file.open()) {
                            Ok(found) => after_damage = Some(found),
                            Err(error) => return Some(Err(error)),
                        }
                        continue;
                    }
                    Ok(Some(Err(_))) => return None,
                    Ok(Some(Ok(located))) => located.record,
                };
                if std::mem::take(&mut is_first) && record.kind() == "warcinfo" {
                    continue;
                }
                if after_damage.as_ref().is_some_and(|after| !after.accepts(&record)) {
                    return None;
                }
                return Numbering::decode(&record).map(Ok);
            }
        }))
    }

    /// The origins, and whether the numbers of their pages are known.
    pub fn origins(&self) -> (Vec<Origin>, bool) {
        (self.origins.values().cloned().collect(), self.file.is_some())
    }

    /// Writes the numbers to a state.
    pub fn store(&self, origins: &Origins) -> Result<(), StorageError> {
        let Some(file) = &self.file else { return Ok(()) };
        let failed = |source| StorageError::io("read", &file.path, source);
        for numbering in Self::of_file(file).map_err(failed)? {
            let numbering = numbering.map_err(failed)?;
            let chunks = numbering.numbers.chunks(NUMBERS_A_ROW as usize);
            origins.write_chunks(numbering.index, numbering.first / NUMBERS_A_ROW, chunks)?;
        }
        Ok(())
    }
}

impl Rebuild {
    /// Writes the numbers to a file of their own, which the pages of later runs continue.
    pub(super) fn write_numbering(&mut self) -> Result<(), StorageError> {
        let file = self.end.file;
        let compression = self.store.archive().compression();
        self.store.set_compressions([(file, compression)]);
        let name = self.store.archive().name(file);
        let medium = Folder::new(self.folder.warc());
        let failed = |source| StorageError::io("write", medium.path(&name), source);
        let warcinfo = new_record_id();
        let mut waiting = self.store.archive().head(file, &warcinfo, now_ms()).map_err(failed)?;
        let mut offset = 0;
        let origins = self.store.archive().origins();
        for (index, origin) in origins.all().iter().enumerate() {
            let mut numbering = Numbering {
                index,
                origin: origin.clone(),
                first: 0,
                numbers: Vec::new(),
            };
            let mut rows = 0;
            for row in origins.chunks(index) {
                let (chunk, numbers) = row?;
                let first = chunk * NUMBERS_A_ROW;
                let follows = first == numbering.first + numbering.numbers.len() as u64;
                if rows == ROWS_A_RECORD || !follows {
                    waiting.extend(numbering.encode(&warcinfo, compression).map_err(failed)?);
                    (numbering.first, rows) = (first, 0);
                    numbering.numbers.clear();
                }
                numbering.numbers.extend(numbers);
                rows += 1;
                if waiting.len() >= WRITTEN_AT_A_TIME {
                    medium.write_at(&name, offset, &[&waiting]).map_err(failed)?;
                    offset += waiting.len() as u64;
                    waiting.clear();
                }
            }
            waiting.extend(numbering.encode(&warcinfo, compression).map_err(failed)?);
        }
        medium.write_at(&name, offset, &[&waiting]).map_err(failed)?;
        self.end = WarcEnd {
            file,
            offset: offset + waiting.len() as u64,
        };
        self.store.end_archive_at(self.end);
        Ok(())
    }
}
