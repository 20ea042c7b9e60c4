//! The file format of a table of document counts:
//!
//! ```text
//! "dedupIDF"  magic, 8 bytes
//! version     1 byte: 1
//! scheme      2 bytes of length, lowest first, then as many bytes of UTF-8: text id of the scheme
//! documents   varint
//! rows        varint: number of rows that follow, ascending by feature
//!   feature   varint: the hash minus the hash of the row before (0 before the first row)
//!   count     varint: documents with the feature, minus 2
//! checksum    8 bytes, lowest first: xxh3-64 of all bytes before; in hexadecimal digits it is the table's id
//! ```
//!
//! A varint is LEB128: seven bits per byte, lowest first, with the top bit set in all bytes but the last.

use std::io::{self, BufReader, Read, Write};

use super::IdfTable;
use crate::hash::hash64;

const MAGIC: &[u8; 8] = b"dedupIDF";
const VERSION: u8 = 1;

/// A table of document counts cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IdfError {
    /// The file cannot be read.
    #[error("the table of document counts cannot be read: {0}")]
    Io(#[from] io::Error),
    /// The file does not begin with the magic bytes.
    #[error("this is not a table of document counts: build one from a corpus and name its file")]
    Magic,
    /// The file was written by a later version.
    #[error(
        "the table of document counts has format {0}, but this version reads only format {VERSION}: build it again from its corpus"
    )]
    Version(u8),
    /// The contents are damaged.
    #[error("the table of document counts is damaged ({0}): copy it again, or build it again from its corpus")]
    Damaged(&'static str),
}

impl IdfTable {
    /// Writes the table in its file format.
    ///
    /// # Errors
    /// `out` cannot be written.
    pub fn write(&self, mut out: impl Write) -> io::Result<()> {
        let payload = self.payload();
        out.write_all(&payload)?;
        out.write_all(&hash64(&payload).to_le_bytes())?;
        out.flush()
    }

    /// Reads a table that [`IdfTable::write`] wrote. Memory use is proportional to the length of the input, even if the
    /// input claims more rows than it holds.
    ///
    /// # Errors
    /// The input cannot be read or is not an intact table.
    pub fn read(input: impl Read) -> Result<Self, IdfError> {
        let mut input = Input {
            bytes: BufReader::new(input),
            read: Vec::new(),
        };
        if input.array()? != *MAGIC {
            return Err(IdfError::Magic);
        }
        let [version] = input.array()?;
        if version != VERSION {
            return Err(IdfError::Version(version));
        }
        let length = u16::from_le_bytes(input.array()?);
        let scheme = input.text(length.into())?;
        let (documents, rows) = (input.varint()?, input.varint()?);
        let (mut features, mut counts) = (Vec::new(), Vec::new());
        let mut last = None;
        for _ in 0..rows {
            let step = input.varint()?;
            let feature = last.map_or(Some(step), |last: u64| last.checked_add(step).filter(|_| step > 0));
            let feature = feature.ok_or(IdfError::Damaged("its rows are not in order"))?;
            let count = input.varint()?.checked_add(2).filter(|count| *count <= documents);
            let count = count.and_then(|count| u32::try_from(count).ok());
            counts.push(count.ok_or(IdfError::Damaged("a count is out of range"))?);
            features.push(feature);
            last = Some(feature);
        }
        let checksum = hash64(&input.read);
        if input.array()? != checksum.to_le_bytes() {
            return Err(IdfError::Damaged("its checksum is wrong"));
        }
        if input.bytes.read(&mut [0])? != 0 {
            return Err(IdfError::Damaged("something follows its checksum"));
        }
        Ok(Self::new(scheme, documents, (features, counts)))
    }

    /// The bytes of the file before the checksum.
    pub(super) fn payload(&self) -> Vec<u8> {
        let mut out = Vec::with_capacity(64 + self.len() * 9);
        out.extend(MAGIC);
        out.push(VERSION);
        // Never truncated: a text id has at most 300 bytes, and a text id that was read had a length of 16 bits.
        let length = u16::try_from(self.scheme.len()).unwrap_or(u16::MAX);
        out.extend(length.to_le_bytes());
        out.extend(self.scheme.bytes().take(length.into()));
        varint(&mut out, self.documents);
        varint(&mut out, self.features.len() as u64);
        let mut last = 0;
        for (feature, count) in self.features.iter().zip(&self.counts) {
            varint(&mut out, feature - last);
            varint(&mut out, u64::from(count - 2));
            last = *feature;
        }
        out
    }
}

fn varint(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// An input that keeps the bytes it has read, for the checksum.
struct Input<R> {
    bytes: BufReader<R>,
    read: Vec<u8>,
}

impl<R: Read> Input<R> {
    fn array<const N: usize>(&mut self) -> Result<[u8; N], IdfError> {
        let mut array = [0; N];
        self.bytes.read_exact(&mut array).map_err(too_short)?;
        self.read.extend(array);
        Ok(array)
    }

    fn text(&mut self, length: usize) -> Result<String, IdfError> {
        let mut bytes = vec![0; length];
        self.bytes.read_exact(&mut bytes).map_err(too_short)?;
        self.read.extend(&bytes);
        String::from_utf8(bytes).map_err(|_| IdfError::Damaged("its scheme is not UTF-8"))
    }

    fn varint(&mut self) -> Result<u64, IdfError> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let [byte] = self.array()?;
            let bits = u64::from(byte & 0x7f);
            let fits = bits << shift >> shift == bits;
            value |= bits << shift;
            if byte <= 0x7f && fits && (byte > 0 || shift == 0) {
                return Ok(value);
            }
            if byte <= 0x7f || !fits {
                break;
            }
        }
        Err(IdfError::Damaged("a number is out of range"))
    }
}

fn too_short(error: io::Error) -> IdfError {
    match error.kind() {
        io::ErrorKind::UnexpectedEof => IdfError::Damaged("its end is missing"),
        _ => IdfError::Io(error),
    }
}
