//! Where the WARC files of a merged data folder come from, and the numbers that their pages have here.
//!
//! A merge does not change WARC files. The records of a page name pages by the numbers of the folder that the file comes from, its
//! *origin*. A merged folder therefore holds a table for each origin: the number of each of its pages here. A folder that was never merged has
//! no origins, and every number in its archive is its own.

use serde::{Deserialize, Serialize};

use crate::batch::Batch;
use crate::commit::Piece;
use crate::error::StorageError;
use crate::format;
use crate::state::State;
use crate::worker::Worker;

/// ⟨[[`Origin`]]⟩.
const ORIGINS: &[u8] = b"morigins";

/// The table of the numbers of pages: ⟨[u64]⟩, by origin and chunk.
const NUMBERS: u8 = b'n';

/// The row's name in the error for a damaged state.
const NUMBERS_ROW: &str = "the numbers of merged pages";

/// Numbers of pages in a row.
pub(crate) const NUMBERS_A_ROW: u64 = 256;

/// The data folder that some files of the archive come from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The number of the first file here.
    pub first_file: u32,
    /// Number of its files. They follow one another.
    pub files: u32,
    /// Start of its crawl, milliseconds since the Unix epoch.
    pub started_at: u64,
    /// The worker whose folder it was.
    pub worker: Worker,
}

impl Origin {
    fn holds(&self, file: u32) -> bool {
        (self.first_file..self.first_file + self.files).contains(&file)
    }
}

/// The origins of the archive, in the order of their files.
#[derive(Clone)]
pub(crate) struct Origins {
    state: State,
    all: Vec<Origin>,
}

impl Origins {
    pub fn read(state: State) -> Result<Self, StorageError> {
        let all = state.row(ORIGINS, "the origins of the archive")?;
        let all = all.unwrap_or_default();
        Ok(Self { state, all })
    }

    /// All of them.
    pub fn all(&self) -> &[Origin] {
        &self.all
    }

    /// Sets all of them.
    pub fn set(&mut self, all: Vec<Origin>, piece: &mut Piece) -> Result<(), StorageError> {
        piece.set(ORIGINS, format::encode(&all)?);
        self.all = all;
        Ok(())
    }

    /// The place in the list of the origin of a file; `None` for a file of this folder's own crawl.
    pub fn of_file(&self, file: u32) -> Option<usize> {
        self.all.iter().position(|origin| origin.holds(file))
    }

    /// The number here of a page of an origin; `None` if the page was lost.
    pub fn number_of(&self, origin: usize, local: u64) -> Result<Option<u64>, StorageError> {
        let numbers: Option<Vec<u64>> = self.state.row(key(origin, local / NUMBERS_A_ROW), NUMBERS_ROW)?;
        let numbers = numbers.unwrap_or_default();
        let at = usize::try_from(local % NUMBERS_A_ROW).unwrap_or(usize::MAX);
        Ok(numbers.get(at).copied().filter(|number| *number > 0))
    }

    /// Iterates over the chunks of the numbers of an origin, with their own numbers.
    pub fn chunks(&self, origin: usize) -> impl Iterator<Item = Result<(u64, Vec<u64>), StorageError>> + use<'_> {
        self.state.scan(prefix(origin)).map(|row| {
            let (key, value) = row?;
            let chunk = key.get(3..).and_then(|chunk| chunk.try_into().ok());
            let chunk = chunk.ok_or_else(|| self.state.corrupt("the key of a row of numbers"))?;
            Ok((u64::from_be_bytes(chunk), self.state.decode(NUMBERS_ROW, &value)?))
        })
    }

    /// Writes chunks of the numbers of an origin, from the number `first` on. A state that is being built is of no use until it is complete,
    /// so no commit is needed.
    pub fn write_chunks<'a>(
        &self,
        origin: usize,
        first: u64,
        chunks: impl Iterator<Item = &'a [u64]>,
    ) -> Result<(), StorageError> {
        let mut batch = Batch::default();
        for (chunk, numbers) in (first..).zip(chunks) {
            batch.insert(key(origin, chunk), format::encode(&numbers)?);
        }
        self.state.apply(batch)
    }
}

/// The key of a chunk.
fn key(origin: usize, chunk: u64) -> Vec<u8> {
    [&prefix(origin)[..], &chunk.to_be_bytes()].concat()
}

/// The beginning of the keys of an origin.
fn prefix(origin: usize) -> [u8; 3] {
    let [high, low] = u16::try_from(origin).unwrap_or(u16::MAX).to_be_bytes();
    [NUMBERS, high, low]
}
