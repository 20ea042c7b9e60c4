//! Reads one record, or all records of a file in order.

use std::io::{self, BufRead, BufReader, Cursor, Read, Seek, SeekFrom};

use super::compression::Compression;
use super::extent::Extent;
use super::member::Unpacker;
use super::record::{MAX_HEADER_BYTES, Record, find, parse_header};

/// Upper bound on a decoded record, in bytes. Protects against members that are short and decompress to much.
pub(crate) const MAX_RECORD_BYTES: u64 = 256 << 20;

/// Upper bound on the members of a record, with those without content before it. Bounds the work of the search after damage, which may
/// begin at each of them.
const MAX_MEMBERS: usize = 1_024;

/// The first bytes of a record. A digit follows.
const VERSION_START: &[u8] = b"WARC/";

/// Bytes that each step of the search for the next record reads after damage.
const SEARCH_STEP: usize = 64 * 1024;

/// A record with the place of its members in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedRecord {
    /// Offset of its first member in the file.
    pub offset: u64,
    /// Length of its members in the file.
    pub length: u64,
    /// The record; its digest has been checked.
    pub record: Record,
}

/// A stretch of a file that holds no readable record.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no readable record at byte {offset}: {reason}")]
pub struct DamagedRecord {
    /// Offset where a record should begin.
    pub offset: u64,
    /// The damage.
    pub reason: String,
}

/// Reads the record that these members hold.
///
/// # Errors
/// The damage, in words.
pub(crate) fn decode_members(unpacker: &mut Unpacker, members: &[u8], max_record_bytes: u64) -> Result<Record, String> {
    let read = read_record(unpacker, &mut Cursor::new(members), max_record_bytes);
    match read.map_err(|error| error.to_string())? {
        Some(read) => read.map(|(_, record)| record),
        None => Err("there is none".to_owned()),
    }
}

/// The value of a field of the record that these members hold. Decompresses the header alone.
pub(crate) fn field_of_members(unpacker: &mut Unpacker, members: &[u8], name: &str) -> Option<String> {
    let mut header = Vec::new();
    let mut lines = BufReader::new(unpacker.open(members).ok()?.take(MAX_HEADER_BYTES as u64));
    while lines.read_until(b'\n', &mut header).ok()? > 2 {}
    let header = String::from_utf8_lossy(&header);
    let (_, fields) = parse_header(header.trim_end()).ok()?;
    let found = fields.into_iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

/// A record with the offset of its first member, or the damage.
type Decoded = Result<(u64, Record), String>;

/// Reads the record that begins here, or behind members without content; `None` at the end of the input.
///
/// # Errors
/// The input's own errors, as far as the decompressor does not take them for damage.
fn read_record(
    unpacker: &mut Unpacker,
    input: &mut (impl BufRead + Seek),
    max_record_bytes: u64,
) -> io::Result<Option<Decoded>> {
    let (mut bytes, mut extent) = (Vec::new(), Extent::default());
    let mut begin = input.stream_position()?;
    for _ in 0..MAX_MEMBERS {
        if input.fill_buf()?.is_empty() {
            // The file may end within the record.
            return Ok((!bytes.is_empty()).then(|| checked(&bytes).map(|record| (begin, record))));
        }
        let left = max_record_bytes - bytes.len() as u64;
        if let Err(error) = unpacker.append(&mut *input, left, &mut bytes) {
            return Ok(Some(Err(format!("it cannot be decompressed: {error}"))));
        }
        if bytes.len() as u64 > max_record_bytes {
            return Ok(Some(Err(format!("it is larger than {max_record_bytes} bytes"))));
        }
        if !unpacker.takes_several() || extent.is_reached(&bytes) {
            return Ok(Some(checked(&bytes).map(|record| (begin, record))));
        }
        if bytes.is_empty() {
            begin = input.stream_position()?;
        }
    }
    Ok(Some(Err(format!("it has more than {MAX_MEMBERS} members"))))
}

fn checked(bytes: &[u8]) -> Result<Record, String> {
    let record = Record::parse(bytes).map_err(|error| error.to_string())?;
    record.verify_block().map_err(|error| error.to_string())?;
    Ok(record)
}

/// Iterates over all records of a compressed WARC file in order. After damage it continues at the next readable record, and reports each
/// damaged stretch once.
///
/// Each gzip member must hold one record, as the standard recommends and all common writers do. In Zstandard a record may have several
/// frames, and the file a dictionary.
#[derive(Debug)]
pub struct WarcReader<R> {
    input: BufReader<R>,
    /// The compression if it is known; otherwise the first bytes of the input tell it.
    compression: Option<Compression>,
    /// Made for the first record.
    unpacker: Option<Unpacker>,
    offset: u64,
    max_record_bytes: u64,
}

impl<R: Read + Seek> WarcReader<R> {
    /// Reads `input` from its first byte. The first bytes tell the compression.
    pub fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(SEARCH_STEP, input),
            compression: None,
            unpacker: None,
            offset: 0,
            max_record_bytes: MAX_RECORD_BYTES,
        }
    }

    /// As [`new`](Self::new), for a file of this compression: its first bytes may be damaged.
    pub fn of(compression: Compression, input: R) -> Self {
        Self {
            compression: Some(compression),
            ..Self::new(input)
        }
    }

    /// As [`new`](Self::new), for a part of the file that `unpacker` opens.
    pub(crate) fn of_part(unpacker: Unpacker, input: R) -> Self {
        Self {
            unpacker: Some(unpacker),
            ..Self::new(input)
        }
    }

    /// Continues at `offset` of the input.
    pub(crate) fn starting_at(self, offset: u64) -> Self {
        Self { offset, ..self }
    }

    /// The next record, damaged stretch, or `None` at the end.
    ///
    /// # Errors
    /// The input's own errors. Damage is not an error of the call: the inner `Err` reports it.
    pub fn next_record(&mut self) -> io::Result<Option<Result<LocatedRecord, DamagedRecord>>> {
        let offset = self.offset;
        match self.read_at(offset)? {
            None => Ok(None),
            Some(Ok(located)) => Ok(Some(Ok(located))),
            Some(Err(reason)) => {
                self.offset = self.next_readable(offset + 1)?;
                Ok(Some(Err(DamagedRecord { offset, reason })))
            }
        }
    }

    /// The place at which the reader looks for the next record: the end of the last record or damaged stretch.
    pub(crate) fn position(&self) -> u64 {
        self.offset
    }

    /// The record at an offset, where the reader continues behind it; `None` at the end.
    fn read_at(&mut self, offset: u64) -> io::Result<Option<Result<LocatedRecord, String>>> {
        let mut unpacker = self.take_unpacker()?;
        let limit = self.max_record_bytes;
        let read = read_record(&mut unpacker, self.seek_to(offset)?, limit);
        self.unpacker = Some(unpacker);
        let Some(read) = read? else { return Ok(None) };
        let end = self.input.stream_position()?;
        Ok(Some(read.map(|(offset, record)| {
            self.offset = end;
            LocatedRecord {
                offset,
                length: end - offset,
                record,
            }
        })))
    }

    fn take_unpacker(&mut self) -> io::Result<Unpacker> {
        if let Some(unpacker) = self.unpacker.take() {
            return Ok(unpacker);
        }
        Unpacker::of_file(self.compression, |bytes| {
            let mut head = Vec::new();
            self.seek_to(0)?.by_ref().take(bytes).read_to_end(&mut head)?;
            Ok(head)
        })
    }

    /// The offset of the first readable record from `from` on, or the end of the input.
    fn next_readable(&mut self, from: u64) -> io::Result<u64> {
        let magic = self.unpacker.as_ref().map_or(&b""[..], Unpacker::magic);
        let mut at = from;
        loop {
            let mut step = Vec::new();
            self.seek_to(at)?
                .by_ref()
                .take(SEARCH_STEP as u64)
                .read_to_end(&mut step)?;
            match find(&step, magic) {
                Some(found) => {
                    at += found as u64;
                    if self.begins_record(at)? && matches!(self.read_at(at)?, Some(Ok(_))) {
                        return Ok(at);
                    }
                    at += 1;
                }
                None if step.len() < SEARCH_STEP => return Ok(at + step.len() as u64),
                // The magic may lie across the border of two steps.
                None => at += (step.len() - (magic.len() - 1)) as u64,
            }
        }
    }

    /// Whether the member at `at` begins like a record. A page may hold many members that unpack to much, and each may be tried.
    fn begins_record(&mut self, at: u64) -> io::Result<bool> {
        let mut unpacker = self.take_unpacker()?;
        let mut start = Vec::new();
        let opened = unpacker.open(self.seek_to(at)?);
        // The decompressor does not tell damage from errors of the input, which the next read tells.
        let read = opened.and_then(|content| content.take(VERSION_START.len() as u64).read_to_end(&mut start));
        self.unpacker = Some(unpacker);
        // The first member of a record may be short.
        Ok(read.is_ok() && !start.is_empty() && VERSION_START[..start.len()].eq_ignore_ascii_case(&start))
    }

    fn seek_to(&mut self, offset: u64) -> io::Result<&mut BufReader<R>> {
        let here = self.input.stream_position()?;
        match i64::try_from(i128::from(offset) - i128::from(here)) {
            Ok(0) => {}
            // Stays within the buffer if possible.
            Ok(distance) => self.input.seek_relative(distance)?,
            Err(_) => {
                self.input.seek(SeekFrom::Start(offset))?;
            }
        }
        Ok(&mut self.input)
    }
}

impl<R: Read + Seek> Iterator for WarcReader<R> {
    type Item = io::Result<Result<LocatedRecord, DamagedRecord>>;

    fn next(&mut self) -> Option<Self::Item> {
        self.next_record().transpose()
    }
}

/// The only record of these bytes, for tests.
#[cfg(test)]
pub(crate) fn only_record(bytes: &[u8]) -> Record {
    let mut records = WarcReader::new(Cursor::new(bytes));
    let record = records.next_record().unwrap().unwrap().unwrap().record;
    assert!(records.next_record().unwrap().is_none());
    record
}

#[cfg(test)]
mod tests;
