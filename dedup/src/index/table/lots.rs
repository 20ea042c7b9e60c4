//! The lots of a part, in pieces of one size.
//!
//! A table that grows by an eighth leaves holes of every size to the allocator, in which none of the next tables fits: the
//! process of an index of 10^7 documents then has 630 bytes for each of them, instead of 180. Pieces of one size fill the
//! holes of one another, in memory and in a file.

use std::ops::Deref;
use std::sync::Arc;

use crate::error::DedupError;
use crate::spill::Spill;

/// Entries of a lot, whose tags fill a cache line.
pub(in crate::index) const LANES: usize = 16;
/// Lots of a piece, 32 kB.
const PIECE: usize = 256;
/// Bytes of a lot in a file: tags, then numbers, LE.
const LOT_BYTES: usize = 2 * LANES * size_of::<u32>();
/// Bytes of a piece in a file.
const PIECE_BYTES: usize = PIECE * LOT_BYTES;

/// Tags and numbers are side by side: the processor finds the page of both at once.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(in crate::index) struct Lot {
    pub(in crate::index) tags: [u32; LANES],
    pub(in crate::index) numbers: [u32; LANES],
}

/// A lot in memory, or a copy of one in a file.
pub(in crate::index) enum Read<'a> {
    InMemory(&'a Lot),
    Copied(Lot),
}

impl Deref for Read<'_> {
    type Target = Lot;

    #[inline(always)]
    fn deref(&self) -> &Lot {
        match self {
            Self::InMemory(lot) => lot,
            Self::Copied(lot) => lot,
        }
    }
}

#[derive(Debug, Default)]
pub(in crate::index) struct Lots {
    /// In memory. All but the last are full.
    pieces: Vec<Box<[Lot]>>,
    len: usize,
    /// The pieces, if they are in a file.
    spilled: Option<Spilled>,
}

#[derive(Debug)]
struct Spilled {
    file: Arc<Spill>,
    /// Places of the pieces.
    pieces: Vec<u64>,
}

impl Lots {
    /// So many lots of zeros.
    pub(in crate::index) fn new(len: usize) -> Self {
        let starts = (0..len).step_by(PIECE);
        Self {
            pieces: starts
                .map(|start| vec![Lot::EMPTY; PIECE.min(len - start)].into_boxed_slice())
                .collect(),
            len,
            spilled: None,
        }
    }

    pub(in crate::index) fn len(&self) -> usize {
        self.len
    }

    /// Bytes in memory.
    pub(in crate::index) fn resident_bytes(&self) -> usize {
        match self.spilled {
            None => self.len * size_of::<Lot>(),
            Some(_) => self.len.div_ceil(PIECE) * size_of::<u64>(),
        }
    }

    /// The lot at a place that is in memory.
    #[inline(always)]
    pub(in crate::index) fn in_memory(&self, at: usize) -> Option<&Lot> {
        self.pieces.get(at / PIECE)?.get(at % PIECE)
    }

    #[inline(always)]
    pub(in crate::index) fn get(&self, at: usize) -> Option<Read<'_>> {
        match self.in_memory(at) {
            Some(lot) => Some(Read::InMemory(lot)),
            None => self.read(at).map(Read::Copied),
        }
    }

    #[cold]
    #[inline(never)]
    fn read(&self, at: usize) -> Option<Lot> {
        let Spilled { file, pieces } = self.spilled.as_ref().filter(|_| at < self.len)?;
        let mut bytes = [0; LOT_BYTES];
        file.read(pieces[at / PIECE] + (at % PIECE * LOT_BYTES) as u64, &mut bytes);
        Some(Lot::of_bytes(&bytes))
    }

    /// Changes a lot that is there.
    pub(in crate::index) fn change(&mut self, at: usize, change: impl FnOnce(&mut Lot)) {
        if let Some(lot) = self
            .pieces
            .get_mut(at / PIECE)
            .and_then(|piece| piece.get_mut(at % PIECE))
        {
            return change(lot);
        }
        let Some(mut lot) = self.read(at) else {
            return;
        };
        change(&mut lot);
        if let Some(Spilled { file, pieces }) = &self.spilled {
            let mut bytes = Vec::with_capacity(LOT_BYTES);
            lot.write(&mut bytes);
            file.write(pieces[at / PIECE] + (at % PIECE * LOT_BYTES) as u64, &bytes);
        }
    }

    pub(in crate::index) fn iter(&self) -> impl Iterator<Item = Lot> {
        let spilled = self.spilled.iter().flat_map(|Spilled { file, pieces }| {
            let lens = (0..self.len).step_by(PIECE).map(|start| PIECE.min(self.len - start));
            pieces.iter().zip(lens).flat_map(|(place, len)| {
                let mut bytes = vec![0; len * LOT_BYTES];
                file.read(*place, &mut bytes);
                let lots: Vec<Lot> = bytes.as_chunks().0.iter().map(Lot::of_bytes).collect();
                lots
            })
        });
        self.pieces.iter().flatten().copied().chain(spilled)
    }

    /// The file, if the lots are in one.
    pub(in crate::index) fn file(&self) -> Option<&Arc<Spill>> {
        self.spilled.as_ref().map(|spilled| &spilled.file)
    }

    /// Moves all lots to a file, where they can be changed.
    pub(in crate::index) fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        if self.spilled.is_some() {
            return Ok(());
        }
        let mut spilled = Spilled {
            file: Arc::clone(file),
            pieces: Vec::new(),
        };
        let mut bytes = Vec::with_capacity(PIECE_BYTES);
        for piece in &self.pieces {
            bytes.clear();
            piece.iter().for_each(|lot| lot.write(&mut bytes));
            // The file has pieces of one size, which are used again.
            bytes.resize(PIECE_BYTES, 0);
            spilled.pieces.push(file.put_piece(&bytes)?);
        }
        self.pieces = Vec::new();
        self.spilled = Some(spilled);
        Ok(())
    }
}

impl Lot {
    const EMPTY: Self = Self {
        tags: [0; LANES],
        numbers: [0; LANES],
    };

    fn write(&self, bytes: &mut Vec<u8>) {
        let words = self.tags.iter().chain(&self.numbers);
        bytes.extend(words.flat_map(|word| word.to_le_bytes()));
    }

    fn of_bytes(bytes: &[u8; LOT_BYTES]) -> Self {
        let words = bytes.as_chunks::<4>().0;
        Self {
            tags: std::array::from_fn(|lane| u32::from_le_bytes(words[lane])),
            numbers: std::array::from_fn(|lane| u32::from_le_bytes(words[LANES + lane])),
        }
    }
}

/// A copy has its lots in memory, because those in a file are changed.
impl Clone for Lots {
    fn clone(&self) -> Self {
        let lots: Vec<Lot> = self.iter().collect();
        Self {
            pieces: lots.chunks(PIECE).map(Box::from).collect(),
            len: self.len,
            spilled: None,
        }
    }
}

impl Drop for Spilled {
    fn drop(&mut self) {
        self.file.free_pieces(&self.pieces);
    }
}
