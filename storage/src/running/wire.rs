//! The messages between a reader and the process that crawls: a length of four bytes, little-endian, then a message in postcard's format.

use std::io::{self, ErrorKind, Read, Write};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The version of these messages. Another version is another program.
pub(super) const VERSION: u32 = 2;

/// Upper bound on the bytes of a message. The longest row is a chunk of URLs, far below it.
const MAX_MESSAGE: u32 = 64 << 20;

/// Upper bound on the bytes of a request: two keys.
const MAX_REQUEST: u32 = 64 << 10;

/// The first message of the server.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Greeting {
    /// A snapshot is open.
    Welcome(Welcome),
    /// As many readers as there may be are connected.
    Busy,
}

/// Describes a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Welcome {
    /// [`VERSION`] of the server.
    pub version: u32,
    /// The number of the last commit.
    pub commit: u64,
    /// Its time, milliseconds since the Unix epoch.
    pub at_ms: u64,
}

/// A question about the rows, or about what the process does.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Request {
    /// The value of a row.
    Get(Vec<u8>),
    /// The first rows of a range.
    Scan(Range),
    /// The last row of a range.
    Last(Range),
    /// What the process does now, which is in no row.
    Tell,
}

/// The keys from `from` on, before `end`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Range {
    pub from: Vec<u8>,
    pub end: Option<Vec<u8>>,
}

/// A key and its value.
pub(super) type RowBytes = (Vec<u8>, Vec<u8>);

/// The answer to a [`Request`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Reply {
    Value(Option<Vec<u8>>),
    /// Rows, and the key at which the next request continues.
    Rows(Vec<RowBytes>, Option<Vec<u8>>),
    Last(Option<RowBytes>),
    /// In the form of the process; empty if it tells nothing.
    Told(Vec<u8>),
    /// Too much has changed since the snapshot.
    Lost,
    /// The rows cannot be read.
    Unreadable(String),
}

pub(super) fn send(stream: &mut impl Write, message: &impl Serialize) -> io::Result<()> {
    let mut bytes = vec![0; 4];
    bytes = postcard::to_extend(message, bytes).map_err(io::Error::other)?;
    let length = u32::try_from(bytes.len() - 4)
        .ok()
        .filter(|length| *length <= MAX_MESSAGE)
        .ok_or_else(|| io::Error::new(ErrorKind::InvalidData, "a message is too long"))?;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    stream.write_all(&bytes)
}

/// Receives a message of the server.
pub(super) fn receive<T: DeserializeOwned>(stream: &mut impl Read) -> io::Result<T> {
    receive_within(stream, MAX_MESSAGE)
}

/// Receives a message of a reader.
pub(super) fn receive_request(stream: &mut impl Read) -> io::Result<Request> {
    receive_within(stream, MAX_REQUEST)
}

fn receive_within<T: DeserializeOwned>(stream: &mut impl Read, max: u32) -> io::Result<T> {
    let mut length = [0; 4];
    stream.read_exact(&mut length)?;
    let length = u32::from_le_bytes(length);
    if length > max {
        return Err(io::Error::new(ErrorKind::InvalidData, "a message is too long"));
    }
    // Grows with the bytes that arrive, whatever length was announced.
    let mut bytes = Vec::new();
    stream.take(u64::from(length)).read_to_end(&mut bytes)?;
    if bytes.len() < length as usize {
        return Err(ErrorKind::UnexpectedEof.into());
    }
    postcard::from_bytes(&bytes).map_err(|error| io::Error::new(ErrorKind::InvalidData, error))
}
