//! Reads the files of one origin in order, and groups the records of a page with their metadata record.

use std::fs::File;

use super::files::WarcFile;
use crate::error::StorageError;
use crate::warc::after_damage::AfterDamage;
use crate::warc::location::{Archived, WarcEnd, WarcLocation};
use crate::warc::metadata::{self, Metadata, Numbering, duplicate};
use crate::warc::record::read_digest;
use crate::warc::{LocatedRecord, Record, WarcReader};

/// The archived records that belong to one metadata record.
#[derive(Default)]
pub(super) struct Group {
    pub uri: Option<String>,
    pub archived: Archived,
    /// Payload digest of the `response` or `revisit` record.
    pub payload_digest: Option<[u8; 20]>,
    /// The media type in the header of the `response`.
    pub content_type: Option<String>,
}

impl Group {
    /// The place of its first record.
    pub fn begin(&self) -> Option<WarcLocation> {
        let Archived {
            response,
            text,
            revisit,
        } = self.archived;
        let records = [response, text, revisit].into_iter().flatten();
        records.min_by_key(|record| (record.file, record.offset))
    }
}

/// The event of a metadata record, with the records before it.
pub(super) struct Found {
    pub metadata: Metadata,
    pub group: Group,
    /// Place of the metadata record.
    pub location: WarcLocation,
    /// The number of its commit.
    pub commit: u64,
}

/// Something else that was found.
pub(super) enum Note {
    /// A fault and its consequence.
    Problem(String),
    /// An unreadable stretch of a file, with its end.
    Skipped { file: u32, offset: u64, end: u64 },
    /// The URL of records without a metadata record.
    Undecided(String),
}

/// The files of one origin.
pub(super) struct Source {
    /// The place of the origin in the list; `None` for the files of the folder's own crawl.
    pub origin: Option<usize>,
    files: std::vec::IntoIter<WarcFile>,
    reading: Option<(WarcFile, WarcReader<File>)>,
    /// Behind damage in the file that is read: what tells the crawl's own records.
    after_damage: Option<AfterDamage>,
    group: Group,
    /// The end of what was read. At the end it excludes records that lack their metadata record, because the crawler fetches their page
    /// again, and a later rebuild must not find them a second time.
    pub end: WarcEnd,
    /// Files begun.
    pub begun: u64,
    /// Bytes of the files that were read to the end.
    whole_bytes: u64,
    /// What was found since the caller emptied it.
    pub notes: Vec<Note>,
}

impl Source {
    pub fn new(origin: Option<usize>, files: Vec<WarcFile>) -> Self {
        Self {
            origin,
            files: files.into_iter(),
            reading: None,
            after_damage: None,
            group: Group::default(),
            end: WarcEnd::default(),
            begun: 0,
            whole_bytes: 0,
            notes: Vec::new(),
        }
    }

    /// Whether any file is left to open.
    pub fn has_files(&self) -> bool {
        self.files.len() > 0
    }

    /// Bytes read so far.
    pub fn bytes(&self) -> u64 {
        self.whole_bytes + self.reading.as_ref().map_or(0, |_| self.end.offset)
    }

    /// The next event; `None` at the end.
    pub fn next(&mut self) -> Result<Option<Found>, StorageError> {
        loop {
            let Some((file, reader)) = &mut self.reading else {
                match self.files.next() {
                    Some(file) => self.open(file)?,
                    None => {
                        self.close();
                        return Ok(None);
                    }
                }
                continue;
            };
            let read = reader.next_record();
            match read.map_err(|source| StorageError::io("read", &file.path, source))? {
                None => {
                    self.whole_bytes += file.bytes;
                    self.reading = None;
                }
                Some(Ok(located)) => {
                    self.end.offset = located.offset + located.length;
                    if let Some(found) = self.take(located) {
                        return Ok(Some(found));
                    }
                }
                Some(Err(damage)) => {
                    let what = format!("{}: {damage}; skipped", file.path.display());
                    self.notes.push(Note::Skipped {
                        file: file.number,
                        offset: damage.offset,
                        end: WarcReader::position(reader),
                    });
                    self.notes.push(Note::Problem(what));
                    if self.after_damage.is_none() {
                        let found = AfterDamage::in_file(|| file.open());
                        self.after_damage = Some(found.map_err(|source| StorageError::io("read", &file.path, source))?);
                    }
                }
            }
        }
    }

    fn open(&mut self, file: WarcFile) -> Result<(), StorageError> {
        // The next record goes to the start of this file, unless the file holds one.
        self.end = WarcEnd {
            file: file.number,
            offset: 0,
        };
        let reader = file
            .open()
            .map_err(|source| StorageError::io("read", &file.path, source))?;
        self.reading = Some((file, reader));
        self.after_damage = None;
        self.begun += 1;
        Ok(())
    }

    fn close(&mut self) {
        if let Some(begin) = self.group.begin().filter(|begin| begin.file == self.end.file) {
            self.end.offset = begin.offset;
        }
        self.leave();
    }

    fn take(&mut self, located: LocatedRecord) -> Option<Found> {
        let location = WarcLocation {
            file: self.end.file,
            offset: located.offset,
            length: located.length,
        };
        let record = &located.record;
        let kind = record.kind();
        if !matches!(kind, "response" | "revisit" | "conversion" | "metadata") || Numbering::is_in(record) {
            return None;
        }
        let uri = record.field("WARC-Target-URI").map(str::to_owned);
        if self.after_damage.as_ref().is_some_and(|after| !after.accepts(record)) {
            self.refuse(uri, location);
            return None;
        }
        let begins_group = uri != self.group.uri || kind == "response" && self.group.archived.response.is_some();
        if begins_group {
            self.leave();
            self.group.uri = uri;
        }
        match kind {
            "response" => {
                self.group.archived.response = Some(location);
                self.group.payload_digest = record.field("WARC-Payload-Digest").and_then(read_digest);
                self.group.content_type = record.http_field("Content-Type");
            }
            "revisit" => {
                self.group.archived.revisit = Some(location);
                self.group.payload_digest = record.field("WARC-Payload-Digest").and_then(read_digest);
            }
            "conversion" => self.group.archived.text = Some(location),
            _ if duplicate::is_in(record) => {
                if duplicate::text_in(record).is_some() {
                    self.group.archived.text = Some(location);
                }
            }
            _ => return self.take_metadata(record, location),
        }
        None
    }

    fn take_metadata(&mut self, record: &Record, location: WarcLocation) -> Option<Found> {
        match metadata::decode(record) {
            Ok(metadata) => Some(Found {
                metadata,
                group: std::mem::take(&mut self.group),
                location,
                commit: metadata::commit_of(record).unwrap_or(0),
            }),
            // Another program wrote it, or it is damaged in a way that its digest does not show. The group stays, and `leave` reports it.
            Err(reason) => {
                let what = format!(
                    "{}: cannot use a metadata record: {reason}; skipped",
                    self.place(location)
                );
                self.notes.push(Note::Problem(what));
                None
            }
        }
    }

    /// Notes a metadata record that may be bytes of a server, or of a version that did not name the head of the file: its URL is fetched
    /// again. The group stays.
    fn refuse(&mut self, uri: Option<String>, location: WarcLocation) {
        let what = format!(
            "{}: a metadata record behind damage does not name the head of its file, so it may be a part of the damaged page; skipped",
            self.place(location)
        );
        self.notes.push(Note::Problem(what));
        self.notes.extend(uri.map(Note::Undecided));
    }

    /// A place, for messages.
    pub fn place(&self, location: WarcLocation) -> String {
        match &self.reading {
            Some((file, _)) => format!("{}, byte {}", file.path.display(), location.offset),
            None => format!("byte {} of file {:05}", location.offset, location.file),
        }
    }

    /// Notes a page whose records are archived without a metadata record.
    fn leave(&mut self) {
        let Group { uri, archived, .. } = std::mem::take(&mut self.group);
        let Some(url) = uri.filter(|_| archived != Archived::default()) else {
            return;
        };
        let what = format!("{url}: its metadata record is lost; it will be fetched again");
        self.notes.push(Note::Problem(what));
        self.notes.push(Note::Undecided(url));
    }
}
