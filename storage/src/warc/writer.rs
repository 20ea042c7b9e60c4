//! The files of the archive: `crawl-<start>-<number>.warc.gz`, appended to, rolled by size.
//!
//! Appended records wait in memory. [`WarcWriter::sync`] writes them at the offsets that they got when they were appended, and
//! makes them durable. A failed write can therefore be repeated from the start, and the offsets in the catalogue never change.

use std::io;

use super::capture::EncodedCapture;
use super::location::{Archived, WarcEnd, WarcLocation};
use super::medium::Medium;
use super::metadata::DecidedBy;
use super::record::{NewRecord, compact_date, new_record_id, parse_compact_date};
use crate::error::StorageError;

/// Appends captures to the files of one crawl.
pub(crate) struct WarcWriter {
    medium: Box<dyn Medium>,
    started_at: u64,
    /// For the head of each file.
    decided_by: DecidedBy,
    roll_bytes: u64,
    /// Further fields of the `warcinfo` records.
    warcinfo: Vec<(&'static str, String)>,
    end: WarcEnd,
    /// During a rebuild: the places of the archived records. Nothing is appended then.
    replayed: Option<Archived>,
    /// The records of one page after the other, to write in this order: file, offset in the file, bytes. They are never copied into one
    /// piece: they have tens of megabytes between two commits, and the recorder has only one thread.
    waiting: Vec<(u32, u64, Vec<u8>)>,
    waiting_bytes: u64,
}

impl WarcWriter {
    /// Opens the archive of the crawl that began at `started_at` (Unix milliseconds), and cuts off its tail: records behind the
    /// committed end, which an interrupted commit left.
    ///
    /// # Errors
    /// [`StorageError::ArchiveShort`] if the last file is missing or too short; [`StorageError::Io`] if the folder cannot be read or the
    /// tail cannot be cut.
    pub fn open(medium: Box<dyn Medium>, started_at: u64, roll_bytes: u64, end: WarcEnd) -> Result<Self, StorageError> {
        let writer = Self::open_as_it_is(medium, started_at, roll_bytes, end);
        writer.cut_tail()?;
        Ok(writer)
    }

    /// The archive, whose end nobody checks.
    pub fn open_as_it_is(medium: Box<dyn Medium>, started_at: u64, roll_bytes: u64, end: WarcEnd) -> Self {
        Self {
            medium,
            started_at,
            decided_by: DecidedBy::default(),
            roll_bytes,
            warcinfo: Vec::new(),
            end,
            replayed: None,
            waiting: Vec::new(),
            waiting_bytes: 0,
        }
    }

    /// Sets the scheme of later pages, for the head of each file.
    pub fn set_decided_by(&mut self, decided_by: DecidedBy) {
        self.decided_by = decided_by;
    }

    /// Switches to a rebuild: later calls append nothing, because the records are in the archive already, at `archived`, and the
    /// archive up to them ends at `end`.
    pub fn replay(&mut self, archived: Archived, end: WarcEnd) {
        self.replayed = Some(archived);
        self.end = end;
    }

    /// Sets further fields for the heads of new files, besides format and software.
    pub fn described_by(mut self, warcinfo: Vec<(&'static str, String)>) -> Self {
        self.warcinfo = warcinfo;
        self
    }

    /// Adds fields to the heads of new files, or replaces those of the same names.
    pub fn describe(&mut self, fields: Vec<(&'static str, String)>) {
        self.warcinfo
            .retain(|(name, _)| fields.iter().all(|(other, _)| other != name));
        self.warcinfo.extend(fields);
    }

    /// Ends the last file, if it has a record: the next record begins another one.
    pub fn close_file(&mut self) {
        if self.end.offset > 0 && self.replayed.is_none() {
            self.end = WarcEnd {
                file: self.end.file + 1,
                offset: 0,
            };
        }
    }

    /// End of the archive, with the records that wait in memory.
    pub fn end(&self) -> WarcEnd {
        self.end
    }

    /// Bytes that wait for [`sync`](Self::sync).
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting_bytes
    }

    /// Appends a capture. Returns the places of its records.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the head of a new file cannot be compressed; then nothing has changed.
    pub fn append(&mut self, capture: EncodedCapture, now_ms: u64) -> Result<Archived, StorageError> {
        self.place(capture, now_ms, false)
    }

    /// Appends a capture to the same file as the one before, because all records of a page are in one file.
    ///
    /// # Errors
    /// As [`append`](Self::append).
    pub fn append_beside(&mut self, capture: EncodedCapture, now_ms: u64) -> Result<Archived, StorageError> {
        self.place(capture, now_ms, true)
    }

    fn place(&mut self, capture: EncodedCapture, now_ms: u64, is_beside: bool) -> Result<Archived, StorageError> {
        if let Some(archived) = self.replayed {
            return Ok(archived);
        }
        let rolled = !is_beside && self.end.offset >= self.roll_bytes;
        if rolled || self.end.offset == 0 {
            let file = self.end.file + u32::from(rolled);
            let head = self
                .head(file, now_ms)
                .map_err(|source| StorageError::io("compress the head of", self.path(file), source))?;
            self.end = WarcEnd { file, offset: 0 };
            self.push(head);
        }
        let WarcEnd { file, offset } = self.end;
        let locate = |place: Option<(u64, u64)>| {
            place.map(|(at, length)| WarcLocation {
                file,
                offset: offset + at,
                length,
            })
        };
        let archived = Archived {
            response: locate(capture.response),
            text: locate(capture.text),
            revisit: locate(capture.revisit),
        };
        self.push(capture.bytes);
        Ok(archived)
    }

    /// Writes the records in memory and makes them durable. After an error the call can be repeated.
    ///
    /// # Errors
    /// [`StorageError::Io`] with the file; [`StorageError::ArchiveShort`] if somebody has cut the file since the last write.
    pub fn sync(&mut self) -> Result<(), StorageError> {
        for stretch in self.waiting.chunk_by(|(one, ..), (next, ..)| one == next) {
            let [(file, offset, _), ..] = stretch else { continue };
            let name = file_name(self.started_at, *file);
            self.check_reaches(&name, *offset)?;
            let parts: Vec<&[u8]> = stretch.iter().map(|(_, _, bytes)| &bytes[..]).collect();
            self.medium
                .write_at(&name, *offset, &parts)
                .map_err(|source| StorageError::io("write", self.medium.path(&name), source))?;
        }
        self.waiting.clear();
        self.waiting_bytes = 0;
        Ok(())
    }

    /// Checks that the file is there up to `offset`, where it continues: a write behind its end would leave a hole.
    fn check_reaches(&self, name: &str, offset: u64) -> Result<(), StorageError> {
        let path = self.medium.path(name);
        let found = match self.medium.length(name) {
            Ok(length) => length,
            Err(source) => return Err(StorageError::io("look at", path, source)),
        };
        match found {
            _ if offset == 0 => Ok(()),
            Some(found) if found >= offset => Ok(()),
            Some(found) => Err(StorageError::ArchiveShort {
                path,
                expected: offset,
                found,
            }),
            None => Err(StorageError::ArchiveMissing { path }),
        }
    }

    /// The gzip member at `location`, from the file or from memory.
    pub fn member(&self, location: WarcLocation) -> Result<Vec<u8>, StorageError> {
        if let Some(member) = self.waiting_member(location) {
            return Ok(member.to_vec());
        }
        let name = file_name(self.started_at, location.file);
        self.medium
            .read_at(&name, location.offset, location.length)
            .map_err(|source| StorageError::io("read", self.medium.path(&name), source))
    }

    fn waiting_member(&self, location: WarcLocation) -> Option<&[u8]> {
        let place = (location.file, location.offset);
        let behind = self
            .waiting
            .partition_point(|(file, offset, _)| (*file, *offset) <= place);
        let (file, offset, bytes) = self.waiting.get(behind.checked_sub(1)?)?;
        let begin = usize::try_from(location.offset - offset)
            .ok()
            .filter(|_| *file == location.file)?;
        let end = begin.checked_add(usize::try_from(location.length).ok()?)?;
        bytes.get(begin..end)
    }

    /// The path of a file of the archive.
    pub fn path(&self, file: u32) -> std::path::PathBuf {
        self.medium.path(&file_name(self.started_at, file))
    }

    fn push(&mut self, bytes: Vec<u8>) {
        let WarcEnd { file, offset } = self.end;
        self.end.offset += bytes.len() as u64;
        self.waiting_bytes += bytes.len() as u64;
        self.waiting.push((file, offset, bytes));
    }

    /// The record at the head of each file (ISO 28500:2017, 6.2).
    pub fn head(&self, file: u32, now_ms: u64) -> io::Result<Vec<u8>> {
        let mut fields = concat!(
            "software: crawler/",
            env!("CARGO_PKG_VERSION"),
            "\r\nformat: WARC File Format 1.1\r\n",
            "conformsTo: https://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n",
            "description: kept pages as responses with decoded payloads, the conversion record after each is the text \
             extracted from it; duplicates as revisits\r\n",
        )
        .to_owned();
        for (name, value) in &self.warcinfo {
            // No value may end its line.
            let value: String = value.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
            fields.push_str(&format!("{name}: {value}\r\n"));
        }
        let crawl = super::metadata::crawl_fields(self.started_at, &self.decided_by);
        let mut member = Vec::new();
        NewRecord::new("warcinfo", &new_record_id(), now_ms)
            .field("WARC-Filename", &file_name(self.started_at, file))
            .field("Content-Type", "application/warc-fields")
            .write(&[fields.as_bytes(), crawl.as_bytes()], &mut member)?;
        Ok(member)
    }

    /// Checks that every file before the last exists, except those in `gaps`.
    ///
    /// # Errors
    /// [`StorageError::ArchiveMissing`] for the first missing file; [`StorageError::Io`].
    pub fn check_files(&self, gaps: &[u32]) -> Result<(), StorageError> {
        for number in (0..self.end.file).filter(|number| !gaps.contains(number)) {
            let path = self.path(number);
            let length = self.medium.length(&file_name(self.started_at, number));
            match length.map_err(|source| StorageError::io("look at", &path, source))? {
                Some(_) => {}
                None => return Err(StorageError::ArchiveMissing { path }),
            }
        }
        Ok(())
    }

    fn cut_tail(&self) -> Result<(), StorageError> {
        let last = file_name(self.started_at, self.end.file);
        let path = || self.medium.path(&last);
        let found = self
            .medium
            .length(&last)
            .map_err(|source| StorageError::io("look at", path(), source))?
            .unwrap_or(0);
        if found < self.end.offset {
            return Err(StorageError::ArchiveShort {
                path: path(),
                expected: self.end.offset,
                found,
            });
        }
        if self.end.offset > 0 && found > self.end.offset {
            tracing::info!(file = %last, bytes = found - self.end.offset, "cutting off records that were never committed");
            self.medium
                .truncate(&last, self.end.offset)
                .map_err(|source| StorageError::io("cut the tail of", path(), source))?;
        }
        let names = self
            .medium
            .names()
            .map_err(|source| StorageError::io("list the folder of", path(), source))?;
        for name in names {
            let beyond = self
                .number_of(&name)
                .is_some_and(|number| number > self.end.file || number == self.end.file && self.end.offset == 0);
            if beyond {
                tracing::info!(file = %name, "removing a file that was never committed");
                self.medium
                    .remove(&name)
                    .map_err(|source| StorageError::io("remove", self.medium.path(&name), source))?;
            }
        }
        Ok(())
    }

    /// The number in a file name of this crawl; `None` for every other file.
    fn number_of(&self, name: &str) -> Option<u32> {
        let number: u32 = name.strip_suffix(".warc.gz")?.rsplit('-').next()?.parse().ok()?;
        (file_name(self.started_at, number) == name).then_some(number)
    }
}

/// The start of the crawl in milliseconds since the Unix epoch (to the second), and the number, from a [`file_name`].
pub(crate) fn parse_file_name(name: &str) -> Option<(u64, u32)> {
    let (date, number) = name.strip_prefix("crawl-")?.strip_suffix(".warc.gz")?.split_once('-')?;
    let started_at = parse_compact_date(date)?;
    let number = number.parse().ok()?;
    (file_name(started_at, number) == name).then_some((started_at, number))
}

/// `crawl-20260321093000-00001.warc.gz`.
pub(crate) fn file_name(started_at: u64, number: u32) -> String {
    format!("crawl-{}-{number:05}.warc.gz", compact_date(started_at))
}
