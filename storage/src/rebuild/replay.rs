//! Replays the archive: reads its records in order, and groups those of a page with their metadata record.

use std::fs::File;

use super::events::Group;
use super::files::WarcFile;
use super::{Rebuild, RebuildStep};
use crate::error::StorageError;
use crate::format;
use crate::warc::location::{Archived, WarcEnd, WarcLocation};
use crate::warc::metadata;
use crate::warc::record::read_digest;
use crate::warc::{LocatedRecord, Record, WarcReader};

impl Rebuild {
    pub(super) fn read_all(
        &mut self,
        files: &[WarcFile],
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let of = files.iter().map(|file| file.bytes).sum();
        let (mut before, mut group) = (0, Group::default());
        for file in files {
            // The next record goes to the start of this file, unless the file holds one.
            self.end = WarcEnd {
                file: file.number,
                offset: 0,
            };
            let input = File::open(&file.path).map_err(|source| StorageError::io("read", &file.path, source))?;
            let mut reader = WarcReader::new(input);
            while let Some(read) = reader
                .next_record()
                .map_err(|source| StorageError::io("read", &file.path, source))?
            {
                match read {
                    Ok(located) => {
                        self.end.offset = located.offset + located.length;
                        self.take(file, located, &mut group, say)?;
                        say(RebuildStep::Read {
                            bytes: before + self.end.offset,
                            of,
                        });
                    }
                    Err(damage) => {
                        self.note_skipped(file.number, damage.offset, reader.position())?;
                        self.problem(say, format!("{}: {damage}; skipped", file.path.display()));
                    }
                }
            }
            self.result.files += 1;
            before += file.bytes;
        }
        // The crawler fetches the page again, and a later rebuild must not find its incomplete records a second time.
        if let Some(begin) = group.begin().filter(|begin| begin.file == self.end.file) {
            self.end.offset = begin.offset;
        }
        self.leave(&mut group, say);
        self.store.commit()?;
        self.store.progress.archive = self.end;
        Ok(())
    }

    /// Notes an unreadable stretch. No page of the new state needs it, so it is no fault of that state.
    fn note_skipped(&mut self, file: u32, offset: u64, end: u64) -> Result<(), StorageError> {
        let row = (format::skipped_key(file, offset), Some(format::encode(&end)?));
        self.store.stage_rows(vec![row])
    }

    fn take(
        &mut self,
        file: &WarcFile,
        located: LocatedRecord,
        group: &mut Group,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let location = WarcLocation {
            file: file.number,
            offset: located.offset,
            length: located.length,
        };
        let record = &located.record;
        let kind = record.kind();
        if !matches!(kind, "response" | "revisit" | "conversion" | "metadata") {
            return Ok(());
        }
        let uri = record.field("WARC-Target-URI").map(str::to_owned);
        let begins_group = uri != group.uri || kind == "response" && group.archived.response.is_some();
        if begins_group {
            self.leave(group, say);
            group.uri = uri;
        }
        match kind {
            "response" => group.archived.response = Some(location),
            "revisit" => {
                group.archived.revisit = Some(location);
                group.payload_digest = record.field("WARC-Payload-Digest").and_then(read_digest);
            }
            "conversion" => group.archived.text = Some(location),
            _ => self.take_metadata(file, record, location, group, say)?,
        }
        Ok(())
    }

    /// Replays a metadata record, with the records before it.
    fn take_metadata(
        &mut self,
        file: &WarcFile,
        record: &Record,
        location: WarcLocation,
        group: &mut Group,
        say: &mut dyn FnMut(RebuildStep),
    ) -> Result<(), StorageError> {
        let place = || format!("{}, byte {}", file.path.display(), location.offset);
        match metadata::decode(record) {
            Ok(metadata) => {
                let commit = metadata::commit_of(record).unwrap_or(0);
                self.last_archived_commit = self.last_archived_commit.max(commit);
                if let Err(reason) = self.replay_event(metadata, std::mem::take(group), location)? {
                    self.problem(say, format!("{}: {reason}", place()));
                }
            }
            // Another program wrote it, or it is damaged in a way that its digest does not show. The group stays, and `leave` reports it.
            Err(reason) => self.problem(
                say,
                format!("{}: cannot use a metadata record: {reason}; skipped", place()),
            ),
        }
        Ok(())
    }

    /// Notes a page whose records are archived without a metadata record.
    fn leave(&mut self, group: &mut Group, say: &mut dyn FnMut(RebuildStep)) {
        let Group { uri, archived, .. } = std::mem::take(group);
        let Some(url) = uri.filter(|_| archived != Archived::default()) else {
            return;
        };
        self.problem(
            say,
            format!("{url}: its metadata record is lost; it will be fetched again"),
        );
        self.undecided.push(url);
    }

    pub(super) fn problem(&mut self, say: &mut dyn FnMut(RebuildStep), text: String) {
        self.result.problems += 1;
        say(RebuildStep::Problem(text));
    }
}
