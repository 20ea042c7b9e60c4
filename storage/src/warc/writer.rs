//! The files of the archive: `crawl-<start>-<number>.warc.gz` or `.warc.zst`, appended to, rolled by size.
//!
//! All records of a file have one compression, so a record of another one begins the next file.
//!
//! Appended records wait in memory. [`WarcWriter::sync`] writes them at the offsets that they got when they were appended, and
//! makes them durable. A failed write can therefore be repeated from the start, and the offsets in the catalogue never change.

use std::io;
use std::sync::Arc;

use super::after_damage::head_id;
use super::capture::EncodedCapture;
use super::compression::Compression;
use super::location::{Archived, WarcEnd, WarcLocation};
use super::medium::Medium;
use super::member::{self, Unpacker};
use super::metadata::DecidedBy;
use super::names::FileNames;
use super::reader::{MAX_RECORD_BYTES, decode_members};
use super::record::{NewRecord, new_record_id};
use crate::error::StorageError;

/// Bytes of a file in which its head is looked for.
const MAX_HEAD_BYTES: u64 = 1 << 20;

/// Appends captures to the files of one crawl.
pub(crate) struct WarcWriter {
    medium: Arc<dyn Medium>,
    names: FileNames,
    /// Of records without a capture.
    compression: Compression,
    /// For the head of each file.
    decided_by: DecidedBy,
    roll_bytes: u64,
    /// Further fields of the `warcinfo` records.
    warcinfo: Vec<(&'static str, String)>,
    end: WarcEnd,
    /// The number of a file, and the id of its `warcinfo`, if that can be read.
    head: Option<(u32, Option<String>)>,
    /// The id of the `warcinfo` of the next file.
    next_head: String,
    /// During a rebuild: the places of the archived records. Nothing is appended then.
    replayed: Option<Archived>,
    /// The records since the last commit.
    waiting: Waiting,
    /// Those of the commit that is being written.
    sealed: Option<Arc<Waiting>>,
}

/// Records in memory, one page after the other, to write in this order. They are never copied into one piece: they have tens of megabytes
/// between two commits.
#[derive(Default)]
pub(crate) struct Waiting {
    /// File, offset in the file, bytes.
    records: Vec<(u32, u64, Vec<u8>)>,
    bytes: u64,
}

impl Waiting {
    fn push(&mut self, WarcEnd { file, offset }: WarcEnd, bytes: Vec<u8>) {
        self.bytes += bytes.len() as u64;
        self.records.push((file, offset, bytes));
    }

    /// The bytes at `location`, if they wait here.
    fn member(&self, location: WarcLocation) -> Option<&[u8]> {
        let place = (location.file, location.offset);
        let behind = self
            .records
            .partition_point(|(file, offset, _)| (*file, *offset) <= place);
        let found = self.records.get(behind.checked_sub(1)?);
        // The last record before the place may be in an earlier file.
        let (_, offset, bytes) = found.filter(|(file, ..)| *file == location.file)?;
        let begin = usize::try_from(location.offset.checked_sub(*offset)?).ok()?;
        let end = begin.checked_add(usize::try_from(location.length).ok()?)?;
        bytes.get(begin..end)
    }
}

/// What writes records.
#[derive(Clone)]
pub(crate) struct Writing {
    records: Arc<Waiting>,
    medium: Arc<dyn Medium>,
    names: FileNames,
}

impl Writing {
    /// Writes the records and makes them durable. After an error the call can be repeated.
    ///
    /// # Errors
    /// [`StorageError::Io`] with the file; [`StorageError::ArchiveShort`] if somebody has cut the file since the last write.
    pub fn run(&self) -> Result<(), StorageError> {
        for stretch in self.records.records.chunk_by(|(one, ..), (next, ..)| one == next) {
            let [(file, offset, _), ..] = stretch else { continue };
            let name = self.names.of(*file);
            self.check_reaches(&name, *offset)?;
            let parts: Vec<&[u8]> = stretch.iter().map(|(_, _, bytes)| &bytes[..]).collect();
            self.medium
                .write_at(&name, *offset, &parts)
                .map_err(|source| StorageError::io("write", self.medium.path(&name), source))?;
        }
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
}

impl WarcWriter {
    /// Opens the archive of the crawl with files of these `names`, and cuts off its tail: records behind the
    /// committed end, which an interrupted commit left.
    ///
    /// # Errors
    /// [`StorageError::ArchiveShort`] if the last file is missing or too short; [`StorageError::Io`] if the folder cannot be read or the
    /// tail cannot be cut.
    pub fn open(
        medium: Box<dyn Medium>,
        names: FileNames,
        roll_bytes: u64,
        end: WarcEnd,
    ) -> Result<Self, StorageError> {
        let writer = Self::open_as_it_is(medium, names, roll_bytes, end);
        writer.cut_tail()?;
        Ok(writer)
    }

    /// The archive, whose end nobody checks.
    pub fn open_as_it_is(medium: Box<dyn Medium>, names: FileNames, roll_bytes: u64, end: WarcEnd) -> Self {
        Self {
            medium: medium.into(),
            compression: names.compression(end.file),
            names,
            decided_by: DecidedBy::default(),
            roll_bytes,
            warcinfo: Vec::new(),
            end,
            head: None,
            next_head: new_record_id(),
            replayed: None,
            waiting: Waiting::default(),
            sealed: None,
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

    /// Sets the compression of records without a capture: before, it is that of the last file. A record with a capture has that of the capture.
    pub fn set_compression(&mut self, compression: Compression) {
        self.compression = compression;
    }

    /// The compression of records without a capture.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// The names of the files.
    pub fn names(&self) -> &FileNames {
        &self.names
    }

    /// Sets the names of the files.
    pub fn set_names(&mut self, names: FileNames) {
        self.names = names;
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

    /// Bytes of records in memory.
    pub fn waiting_bytes(&self) -> u64 {
        self.waiting.bytes + self.sealed.as_ref().map_or(0, |sealed| sealed.bytes)
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
        let compression = capture.compression;
        let rolled = !is_beside && self.rolls_before(compression)?;
        if rolled || self.end.offset == 0 {
            self.begin_file(self.end.file + u32::from(rolled), compression, now_ms)?;
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

    fn begin_file(&mut self, file: u32, compression: Compression, now_ms: u64) -> Result<(), StorageError> {
        self.names.set(file, compression);
        let head = self
            .head(file, &self.next_head, now_ms)
            .map_err(|source| StorageError::io("compress the head of", self.path(file), source))?;
        self.head = Some((file, Some(std::mem::replace(&mut self.next_head, new_record_id()))));
        self.end = WarcEnd { file, offset: 0 };
        self.push(head);
        Ok(())
    }

    /// The id of the `warcinfo` of the file that gets the next record of this compression; `None` during a rebuild.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the head of the last file cannot be read.
    pub fn next_warcinfo(&mut self, compression: Compression) -> Result<Option<String>, StorageError> {
        if self.replayed.is_some() {
            return Ok(None);
        }
        if self.end.offset == 0 || self.rolls_before(compression)? {
            return Ok(Some(self.next_head.clone()));
        }
        self.last_head()
    }

    /// Whether the next record of this compression begins a file behind the last one.
    fn rolls_before(&mut self, compression: Compression) -> Result<bool, StorageError> {
        let WarcEnd { file, offset } = self.end;
        if offset == 0 {
            return Ok(false);
        }
        // Records name the head of their file. If that is damaged, they cannot.
        Ok(offset >= self.roll_bytes || self.names.compression(file) != compression || self.last_head()?.is_none())
    }

    /// The id of the `warcinfo` of the last file, if that can be read.
    fn last_head(&mut self) -> Result<Option<String>, StorageError> {
        let file = self.end.file;
        match &self.head {
            Some((of, id)) if *of == file => Ok(id.clone()),
            _ => {
                let id = self.read_head(file)?;
                Ok(self.head.insert((file, id)).1.clone())
            }
        }
    }

    fn read_head(&self, file: u32) -> Result<Option<String>, StorageError> {
        let first = self.member(WarcLocation {
            file,
            offset: 0,
            length: self.end.offset.min(MAX_HEAD_BYTES),
        })?;
        let head = decode_members(&mut self.unpacker(file, &first)?, &first, MAX_RECORD_BYTES);
        Ok(head.ok().as_ref().and_then(head_id))
    }

    /// Writes the records in memory and makes them durable. After an error the call can be repeated.
    ///
    /// # Errors
    /// As [`Writing::run`].
    pub fn sync(&mut self) -> Result<(), StorageError> {
        let result = self.seal().run();
        let records = self.written();
        if result.is_err() {
            self.waiting = records.and_then(Arc::into_inner).unwrap_or_default();
        }
        result
    }

    /// What writes the records in memory. They stay there until they are [written](Self::written), which is before the next call.
    pub fn seal(&mut self) -> Writing {
        let records = Arc::new(std::mem::take(&mut self.waiting));
        self.sealed = Some(records.clone());
        Writing {
            records,
            medium: self.medium.clone(),
            names: self.names.clone(),
        }
    }

    /// Forgets the sealed records: the files have them.
    pub fn written(&mut self) -> Option<Arc<Waiting>> {
        self.sealed.take()
    }

    /// What opens the record at a location, whose bytes are `member`.
    ///
    /// # Errors
    /// [`StorageError::Io`] if the dictionary of the file cannot be read.
    pub fn unpacker(&self, file: u32, member: &[u8]) -> Result<Unpacker, StorageError> {
        let compression = self.names.compression(file);
        let found = if member::needs_dictionary(member) {
            let read = |length| {
                self.read(WarcLocation {
                    file,
                    offset: 0,
                    length,
                })
            };
            Unpacker::of_file(Some(compression), read)
        } else {
            Unpacker::new(compression)
        };
        found.map_err(|source| StorageError::io("read", self.path(file), source))
    }

    /// The bytes at `location`, from the file or from memory.
    pub fn member(&self, location: WarcLocation) -> Result<Vec<u8>, StorageError> {
        let read = self.read(location);
        read.map_err(|source| StorageError::io("read", self.path(location.file), source))
    }

    fn read(&self, location: WarcLocation) -> io::Result<Vec<u8>> {
        if let Some(member) = self.waiting_member(location) {
            return Ok(member.to_vec());
        }
        let name = self.names.of(location.file);
        self.medium.read_at(&name, location.offset, location.length)
    }

    fn waiting_member(&self, location: WarcLocation) -> Option<&[u8]> {
        let sealed = self.sealed.as_ref().and_then(|sealed| sealed.member(location));
        sealed.or_else(|| self.waiting.member(location))
    }

    /// The path of a file of the archive.
    pub fn path(&self, file: u32) -> std::path::PathBuf {
        self.medium.path(&self.names.of(file))
    }

    fn push(&mut self, bytes: Vec<u8>) {
        let place = self.end;
        self.end.offset += bytes.len() as u64;
        self.waiting.push(place, bytes);
    }

    /// The record with this id at the head of a file (ISO 28500:2017, 6.2).
    pub fn head(&self, file: u32, id: &str, now_ms: u64) -> io::Result<Vec<u8>> {
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
        let crawl = super::metadata::crawl_fields(self.names.started_at(), &self.decided_by);
        let mut member = Vec::new();
        NewRecord::new("warcinfo", id, now_ms)
            .field("WARC-Filename", &self.names.of(file))
            .field("Content-Type", "application/warc-fields")
            .write(
                &[fields.as_bytes(), crawl.as_bytes()],
                self.names.compression(file),
                &mut member,
            )?;
        Ok(member)
    }

    /// Checks that every file before the last exists, except those in `gaps`.
    ///
    /// # Errors
    /// [`StorageError::ArchiveMissing`] for the first missing file; [`StorageError::Io`].
    pub fn check_files(&self, gaps: &[u32]) -> Result<(), StorageError> {
        for number in (0..self.end.file).filter(|number| !gaps.contains(number)) {
            let path = self.path(number);
            let length = self.medium.length(&self.names.of(number));
            match length.map_err(|source| StorageError::io("look at", &path, source))? {
                Some(_) => {}
                None => return Err(StorageError::ArchiveMissing { path }),
            }
        }
        Ok(())
    }

    fn cut_tail(&self) -> Result<(), StorageError> {
        let last = self.names.of(self.end.file);
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
                .names
                .number_of(&name)
                .is_some_and(|(number, _)| number > self.end.file || number == self.end.file && self.end.offset == 0);
            if beyond {
                tracing::info!(file = %name, "removing a file that was never committed");
                self.medium
                    .remove(&name)
                    .map_err(|source| StorageError::io("remove", self.medium.path(&name), source))?;
            }
        }
        Ok(())
    }
}
