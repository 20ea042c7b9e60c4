//! Reads one gzip member, or all records of a file in order.

use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom};

use flate2::bufread::GzDecoder;

use super::record::{MAX_HEADER_BYTES, Record, find, parse_header};

/// Upper bound on a decoded record, in bytes. Protects against gzip bombs.
pub(crate) const MAX_RECORD_BYTES: u64 = 256 << 20;

/// The first bytes of a gzip member: magic and method (RFC 1952, 2.3.1).
const GZIP_MAGIC: &[u8] = &[0x1f, 0x8b, 0x08];

/// Bytes that each step of the search for the next record reads after damage.
const SEARCH_STEP: usize = 64 * 1024;

/// A record with the place of its member in the file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedRecord {
    /// Offset of the member in the file.
    pub offset: u64,
    /// Length of the member in the file.
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

/// Reads the record that one gzip member holds.
///
/// # Errors
/// The damage, in words.
pub(crate) fn decode_member(member: &[u8], max_record_bytes: u64) -> Result<Record, String> {
    read_member(&mut io::Cursor::new(member), max_record_bytes)
}

/// The value of a field of the record that one gzip member holds. Decompresses the header alone.
pub(crate) fn field_of_member(member: &[u8], name: &str) -> Option<String> {
    let mut header = Vec::new();
    let mut lines = BufReader::new(GzDecoder::new(member).take(MAX_HEADER_BYTES as u64));
    while lines.read_until(b'\n', &mut header).ok()? > 2 {}
    let header = String::from_utf8_lossy(&header);
    let (_, fields) = parse_header(header.trim_end()).ok()?;
    let found = fields.into_iter().find(|(have, _)| have.eq_ignore_ascii_case(name));
    found.map(|(_, value)| value)
}

fn read_member(input: &mut impl BufRead, max_record_bytes: u64) -> Result<Record, String> {
    let mut bytes = Vec::new();
    GzDecoder::new(input)
        .take(max_record_bytes.saturating_add(1))
        .read_to_end(&mut bytes)
        .map_err(|error| format!("it cannot be decompressed: {error}"))?;
    if bytes.len() as u64 > max_record_bytes {
        return Err(format!("it is larger than {max_record_bytes} bytes"));
    }
    let record = Record::parse(&bytes).map_err(|error| error.to_string())?;
    record.verify_block().map_err(|error| error.to_string())?;
    Ok(record)
}

/// Iterates over all records of a gzipped WARC file in order. After damage it continues at the next readable record, and reports each
/// damaged stretch once.
///
/// Each gzip member must hold one record, as the standard recommends and all common writers do.
#[derive(Debug)]
pub struct WarcReader<R> {
    input: BufReader<R>,
    offset: u64,
    max_record_bytes: u64,
}

impl<R: Read + Seek> WarcReader<R> {
    /// Reads `input` from its first byte.
    pub fn new(input: R) -> Self {
        Self {
            input: BufReader::with_capacity(SEARCH_STEP, input),
            offset: 0,
            max_record_bytes: MAX_RECORD_BYTES,
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
        if self.seek_to(offset)?.fill_buf()?.is_empty() {
            return Ok(None);
        }
        match self.read_here()? {
            Ok(located) => Ok(Some(Ok(located))),
            Err(reason) => {
                self.offset = self.next_readable(offset + 1)?;
                Ok(Some(Err(DamagedRecord { offset, reason })))
            }
        }
    }

    /// The place at which the reader looks for the next record: the end of the last record or damaged stretch.
    pub(crate) fn position(&self) -> u64 {
        self.offset
    }

    fn read_here(&mut self) -> io::Result<Result<LocatedRecord, String>> {
        let offset = self.offset;
        let record = read_member(&mut self.input, self.max_record_bytes);
        let end = self.input.stream_position()?;
        Ok(record.map(|record| {
            self.offset = end;
            LocatedRecord {
                offset,
                length: end - offset,
                record,
            }
        }))
    }

    /// The offset of the first readable record from `from` on, or the end of the input.
    fn next_readable(&mut self, from: u64) -> io::Result<u64> {
        let mut at = from;
        loop {
            let mut step = Vec::new();
            self.seek_to(at)?
                .by_ref()
                .take(SEARCH_STEP as u64)
                .read_to_end(&mut step)?;
            match find(&step, GZIP_MAGIC) {
                Some(found) => {
                    self.offset = at + found as u64;
                    self.seek_to(self.offset)?;
                    if self.read_here()?.is_ok() {
                        return Ok(at + found as u64);
                    }
                    at += found as u64 + 1;
                }
                None if step.len() < SEARCH_STEP => return Ok(at + step.len() as u64),
                // The magic may lie across the border of two steps.
                None => at += (step.len() - (GZIP_MAGIC.len() - 1)) as u64,
            }
        }
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

#[cfg(test)]
mod tests {
    use super::super::record::NewRecord;
    use super::*;

    #[test]
    fn a_record_larger_than_the_limit_is_not_read() {
        let mut bytes = Vec::new();
        for block in [vec![b'x'; 10], vec![b'x'; 1 << 20], vec![b'x'; 20]] {
            let record = NewRecord::new("response", "<urn:x>", 0);
            record.write(&[&block], &mut bytes).unwrap();
        }
        let reader = WarcReader {
            max_record_bytes: 100_000,
            ..WarcReader::new(io::Cursor::new(bytes))
        };
        let read: Vec<_> = reader.map(Result::unwrap).collect();
        assert_eq!(read.len(), 3);
        let damage = read[1].as_ref().unwrap_err();
        assert!(damage.reason.contains("larger than 100000 bytes"), "{damage}");
        assert_eq!(read[2].as_ref().unwrap().record.block.len(), 20);
    }
}
