//! The tail of the archive: records behind the end that the state knows.
//!
//! After a crash the tail holds records of one interrupted commit. No row refers to them, and the store cuts them off. But if somebody
//! put an old copy of the state in its place, the tail holds records of many commits, and the store must not cut them off. The
//! metadata record of each page contains the number of its commit, which distinguishes the two cases without any other file.

use std::fs::File;
use std::io::Cursor;

use super::after_damage::AfterDamage;
use super::compression::Compression;
use super::location::WarcEnd;
use super::medium::Medium;
use super::member::Unpacker;
use super::metadata;
use super::names::FileNames;
use super::reader::WarcReader;
use crate::error::StorageError;

/// Bytes of a file's tail that are read: more than a commit can archive, so that they include records of the next commit.
const MAX_LOOKED_AT: u64 = 64 << 20;

/// The number of the last commit with a record behind `end` in the archive of the crawl with files of these `names`; `None` if there is
/// none.
pub(crate) fn last_commit_behind(
    medium: &dyn Medium,
    names: &FileNames,
    end: WarcEnd,
) -> Result<Option<u64>, StorageError> {
    let found = medium
        .names()
        .map_err(|source| StorageError::io("list the folder of", medium.path(""), source))?;
    let mut last = None;
    for name in found {
        let from = match names.number_of(&name) {
            Some((number, compression)) if number == end.file && compression == names.compression(number) => end.offset,
            Some((number, _)) if number >= end.file => 0,
            _ => continue,
        };
        last = last.max(last_commit_in(medium, &name, from)?);
    }
    Ok(last)
}

fn last_commit_in(medium: &dyn Medium, name: &str, from: u64) -> Result<Option<u64>, StorageError> {
    let failed = |source| StorageError::io("read", medium.path(name), source);
    let length = medium.length(name).map_err(failed)?.unwrap_or(0);
    let read = |from: u64, bytes: u64| medium.read_at(name, from.min(length), length.saturating_sub(from).min(bytes));
    let compression = Compression::of_name(name).map(|(compression, _)| compression);
    let unpacker = Unpacker::of_file(compression, |bytes| read(0, bytes)).map_err(failed)?;
    let tail = read(from, MAX_LOOKED_AT).map_err(failed)?;
    let mut last = None;
    let mut records = WarcReader::of_part(unpacker, Cursor::new(tail));
    let mut after_damage: Option<AfterDamage> = None;
    while let Some(read) = records.next_record().map_err(failed)? {
        match (read, &after_damage) {
            (Ok(located), Some(after_damage)) if !after_damage.accepts(&located.record) => {}
            (Ok(located), _) => last = last.max(metadata::commit_of(&located.record)),
            // A torn record was not committed. The end of the tail that is read tears one, too.
            (Err(_), Some(_)) => {}
            (Err(_), None) => {
                let open = || {
                    let file = File::open(medium.path(name))?;
                    Ok(match compression {
                        Some(compression) => WarcReader::of(compression, file),
                        None => WarcReader::new(file),
                    })
                };
                after_damage = Some(AfterDamage::in_file(open).map_err(failed)?);
            }
        }
    }
    Ok(last)
}
