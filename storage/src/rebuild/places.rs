//! A list of places in the archive, in a temporary file: there is one for almost every page.

use std::fs::File;
use std::io::{BufReader, BufWriter, ErrorKind, Read, Seek, Write};
use std::path::{Path, PathBuf};

use crate::error::StorageError;
use crate::warc::location::WarcLocation;

/// Bytes of a place: file, offset and length.
const PLACE_BYTES: usize = 4 + 8 + 8;

/// The list, being written.
pub(super) struct Places {
    /// The folder of the file, for messages.
    folder: PathBuf,
    out: BufWriter<File>,
}

impl Places {
    /// An empty list, whose file is in `folder` and has no name.
    pub fn new(folder: &Path) -> Result<Self, StorageError> {
        let file =
            tempfile::tempfile_in(folder).map_err(|source| StorageError::io("make a file in", folder, source))?;
        Ok(Self {
            folder: folder.to_owned(),
            out: BufWriter::new(file),
        })
    }

    pub fn push(&mut self, place: WarcLocation) -> Result<(), StorageError> {
        let mut bytes = [0; PLACE_BYTES];
        bytes[..4].copy_from_slice(&place.file.to_le_bytes());
        bytes[4..12].copy_from_slice(&place.offset.to_le_bytes());
        bytes[12..].copy_from_slice(&place.length.to_le_bytes());
        self.out
            .write_all(&bytes)
            .map_err(|source| StorageError::io("write to a file in", &self.folder, source))
    }

    /// The places, in order.
    pub fn read(self) -> Result<impl Iterator<Item = Result<WarcLocation, StorageError>>, StorageError> {
        let folder = self.folder;
        let failed = |folder: &Path, source| StorageError::io("read a file in", folder, source);
        let mut file = self
            .out
            .into_inner()
            .map_err(|error| failed(&folder, error.into_error()))?;
        file.rewind().map_err(|source| failed(&folder, source))?;
        let mut input = BufReader::new(file);
        Ok(std::iter::from_fn(move || {
            let mut bytes = [0; PLACE_BYTES];
            match input.read_exact(&mut bytes) {
                Ok(()) => Some(Ok(place_of(&bytes))),
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => None,
                Err(error) => Some(Err(failed(&folder, error))),
            }
        }))
    }
}

fn place_of(bytes: &[u8; PLACE_BYTES]) -> WarcLocation {
    let number = |from: usize| {
        let mut eight = [0; 8];
        eight.copy_from_slice(&bytes[from..from + 8]);
        u64::from_le_bytes(eight)
    };
    let [b0, b1, b2, b3, ..] = *bytes;
    WarcLocation {
        file: u32::from_le_bytes([b0, b1, b2, b3]),
        offset: number(4),
        length: number(12),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_come_back_in_order() -> Result<(), StorageError> {
        let dir = tempfile::tempdir().unwrap();
        let mut places = Places::new(dir.path())?;
        let all = [1, 2, 3].map(|n| WarcLocation {
            file: u32::MAX - n,
            offset: u64::MAX - u64::from(n),
            length: 1 << n,
        });
        for place in all {
            places.push(place)?;
        }
        assert_eq!(places.read()?.collect::<Result<Vec<_>, _>>()?, all);
        Ok(())
    }
}
