//! The file of a checkpoint: it is read whole or not at all, and replaced in one step.

use std::fs::{self, File};
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;

use storage::durable::{self, Readers};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// The first bytes of the file.
const MAGIC: &[u8; 8] = b"CRAWLST\0";

/// Bytes before the header: magic, version, length of the header.
const FIXED: usize = MAGIC.len() + 4 + 4;

/// Why another file is passed over.
const NO_CHECKPOINT: &str = "it is no checkpoint";

/// Bytes of the checksum.
const CHECKSUM: usize = 8;

/// Bytes that are written between two syncs, so that a commit of the store waits for no more of them.
const SYNC_BYTES: usize = 4 << 20;

/// No checkpoint is larger. The folder may come from somebody else.
const MOST_BYTES: u64 = 1 << 30;

/// The contents of a whole file.
pub(super) struct Parts {
    bytes: Vec<u8>,
    header: Range<usize>,
}

impl Parts {
    pub fn header(&self) -> &[u8] {
        &self.bytes[self.header.clone()]
    }

    pub fn learned(&self) -> &[u8] {
        &self.bytes[self.header.end..self.bytes.len() - CHECKSUM]
    }
}

/// The beginning of a file: what comes before the part that was learned.
pub(super) fn head(version: u32, header: &[u8]) -> Vec<u8> {
    // A bounded number of moved pages makes no header of 4 GiB.
    let length = u32::try_from(header.len()).unwrap_or(u32::MAX);
    [MAGIC, &version.to_le_bytes()[..], &length.to_le_bytes(), header].concat()
}

/// Reads a file. `None` if there is none.
///
/// # Errors
/// Why it is no checkpoint of this `version`.
pub(super) fn read(path: &Path, version: u32) -> Result<Option<Parts>, String> {
    let bytes = match fs::metadata(path) {
        Ok(found) if !found.is_file() || found.len() > MOST_BYTES => return Err(NO_CHECKPOINT.to_owned()),
        Ok(_) => fs::read(path),
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => Err(error),
    };
    let bytes = bytes.map_err(|error| error.to_string())?;
    match parts(bytes, version) {
        Ok(parts) => Ok(Some(parts)),
        Err(why) => Err(why.to_owned()),
    }
}

fn parts(bytes: Vec<u8>, version: u32) -> Result<Parts, &'static str> {
    const DAMAGED: &str = "it is damaged, or not complete";
    let number = |at: usize| Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?));
    if bytes.get(..MAGIC.len()) != Some(&MAGIC[..]) {
        return Err(NO_CHECKPOINT);
    }
    let found = number(MAGIC.len()).ok_or(DAMAGED)?;
    if found != version {
        return Err("another version of this program made it");
    }
    let length = number(MAGIC.len() + 4).ok_or(DAMAGED)?;
    let end = bytes.len().checked_sub(CHECKSUM).ok_or(DAMAGED)?;
    let header = FIXED..FIXED.saturating_add(length as usize);
    let (checked, checksum) = bytes.split_at(end);
    if header.end > end || xxh3_64(checked).to_le_bytes() != checksum {
        return Err(DAMAGED);
    }
    Ok(Parts { bytes, header })
}

/// Puts a file of these parts and their checksum in the place of `path`, in one step; durable on return.
pub(super) fn replace(path: &Path, parts: &[&[u8]]) -> io::Result<()> {
    let unfinished = path.with_extension("checkpoint.new");
    durable::replace(path, &unfinished, Readers::Usual, |file| write(file, parts))
}

fn write(file: &mut File, parts: &[&[u8]]) -> io::Result<()> {
    let mut hash = Xxh3::new();
    for part in parts.iter().flat_map(|part| part.chunks(SYNC_BYTES)) {
        hash.update(part);
        file.write_all(part)?;
        file.sync_data()?;
    }
    file.write_all(&hash.digest().to_le_bytes())
}
