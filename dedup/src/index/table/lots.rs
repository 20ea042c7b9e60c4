//! The lots of a part, in pieces of one size.
//!
//! A table that grows by an eighth leaves holes of every size to the allocator, in which none of the next tables fits: the
//! process of an index of 10^7 documents then has 630 bytes for each of them, instead of 180. Pieces of one size fill the
//! holes of one another.

use std::ops::{Index, IndexMut};

/// Entries of a lot, whose tags fill a cache line.
pub(in crate::index) const LANES: usize = 16;
/// Lots of a piece, 32 kB.
const PIECE: usize = 256;

/// Tags and numbers are side by side: the processor finds the page of both at once.
#[derive(Debug, Clone, Copy)]
#[repr(align(64))]
pub(in crate::index) struct Lot {
    pub(in crate::index) tags: [u32; LANES],
    pub(in crate::index) numbers: [u32; LANES],
}

#[derive(Debug, Clone, Default)]
pub(in crate::index) struct Lots {
    /// All but the last are full.
    pieces: Vec<Box<[Lot]>>,
    len: usize,
}

impl Lots {
    /// So many lots of zeros.
    pub(in crate::index) fn new(len: usize) -> Self {
        let empty = Lot {
            tags: [0; LANES],
            numbers: [0; LANES],
        };
        let starts = (0..len).step_by(PIECE);
        Self {
            pieces: starts
                .map(|start| vec![empty; PIECE.min(len - start)].into_boxed_slice())
                .collect(),
            len,
        }
    }

    pub(in crate::index) fn len(&self) -> usize {
        self.len
    }

    #[inline(always)]
    pub(in crate::index) fn get(&self, at: usize) -> Option<&Lot> {
        self.pieces.get(at / PIECE)?.get(at % PIECE)
    }

    pub(in crate::index) fn iter(&self) -> impl Iterator<Item = &Lot> {
        self.pieces.iter().flatten()
    }
}

impl Index<usize> for Lots {
    type Output = Lot;

    #[inline(always)]
    fn index(&self, at: usize) -> &Lot {
        &self.pieces[at / PIECE][at % PIECE]
    }
}

impl IndexMut<usize> for Lots {
    #[inline(always)]
    fn index_mut(&mut self, at: usize) -> &mut Lot {
        &mut self.pieces[at / PIECE][at % PIECE]
    }
}
