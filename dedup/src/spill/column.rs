//! Elements of one size in order, of which the first may be in a file.

use std::collections::HashMap;
use std::sync::Arc;

use super::{Extents, Spill};
use crate::error::DedupError;

/// An element of a [`Column`].
pub(crate) trait Fixed: Copy + Default {
    const BYTES: usize = size_of::<Self>();

    fn write(&self, bytes: &mut Vec<u8>);

    /// From as many bytes as [`Fixed::BYTES`] says.
    fn read(bytes: &[u8]) -> Self;
}

impl Fixed for u64 {
    fn write(&self, bytes: &mut Vec<u8>) {
        bytes.extend_from_slice(&self.to_le_bytes());
    }

    fn read(bytes: &[u8]) -> Self {
        bytes.first_chunk().map_or(0, |word| Self::from_le_bytes(*word))
    }
}

impl<const WORDS: usize> Fixed for [u64; WORDS]
where
    Self: Default,
{
    fn write(&self, bytes: &mut Vec<u8>) {
        self.iter().for_each(|word| word.write(bytes));
    }

    fn read(bytes: &[u8]) -> Self {
        let words = bytes.as_chunks::<8>().0;
        std::array::from_fn(|at| words.get(at).map_or(0, |word| u64::from_le_bytes(*word)))
    }
}

/// Largest element in bytes.
const MOST_BYTES: usize = 64;

/// Bytes that are encoded and written at a time.
const WRITTEN: usize = 1 << 20;

/// A sequence of elements.
#[derive(Debug, Clone)]
pub(crate) struct Column<T> {
    /// The elements from `spilled` on.
    tail: Vec<T>,
    /// Number of elements in the file.
    spilled: usize,
    extents: Extents,
    /// The elements in the file that were set again later.
    changed: HashMap<usize, T>,
    file: Option<Arc<Spill>>,
}

impl<T> Default for Column<T> {
    fn default() -> Self {
        Self {
            tail: Vec::new(),
            spilled: 0,
            extents: Extents::default(),
            changed: HashMap::new(),
            file: None,
        }
    }
}

impl<T: Fixed> Column<T> {
    pub(crate) fn len(&self) -> usize {
        self.spilled + self.tail.len()
    }

    /// Bytes in memory that [`spill`](Self::spill) frees.
    pub(crate) fn tail_bytes(&self) -> usize {
        self.tail.capacity() * size_of::<T>()
    }

    /// The element `at`, which is there.
    #[inline(always)]
    pub(crate) fn get(&self, at: usize) -> T {
        match self.tail.get(at.wrapping_sub(self.spilled)) {
            Some(element) => *element,
            None => self.read(at),
        }
    }

    /// An element of the file.
    #[cold]
    #[inline(never)]
    fn read(&self, at: usize) -> T {
        if let Some(element) = self.changed.get(&at) {
            return *element;
        }
        let Some(file) = &self.file else {
            return T::default();
        };
        let mut bytes = [0; MOST_BYTES];
        let bytes = &mut bytes[..T::BYTES];
        file.read(self.extents.place((at * T::BYTES) as u64), bytes);
        T::read(bytes)
    }

    pub(crate) fn push(&mut self, element: T) {
        if self.tail.len() == self.tail.capacity() {
            // An eighth more: doubling the sketches of 10^6 documents would take 132 MB more.
            self.tail.reserve_exact((self.tail.len() / 8).max(64));
        }
        self.tail.push(element);
    }

    /// Sets an element that is there.
    pub(crate) fn set(&mut self, at: usize, element: T) {
        match self.tail.get_mut(at.wrapping_sub(self.spilled)) {
            Some(old) => *old = element,
            None => drop(self.changed.insert(at, element)),
        }
    }

    /// Moves all elements to the file.
    ///
    /// # Errors
    /// The file cannot be written. The elements then stay in memory.
    pub(crate) fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        let pieces = self.tail.chunks(WRITTEN / T::BYTES);
        for some in pieces.clone() {
            bytes.clear();
            some.iter().for_each(|element| element.write(&mut bytes));
            places.push(file.append(&bytes)?);
        }
        for (some, at) in pieces.zip(places) {
            self.extents.push((self.spilled * T::BYTES) as u64, at);
            self.spilled += some.len();
        }
        self.file = Some(Arc::clone(file));
        self.tail = Vec::new();
        Ok(())
    }
}
