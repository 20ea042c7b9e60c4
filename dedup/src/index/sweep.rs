//! A scan over all fingerprints, for queries to which a large share of them is near.
//!
//! It reads each fingerprint once, from one array, and compares eight or sixteen of them at once. So its cost does not
//! depend on where the near ones lie.

use super::blocks::Word;
use crate::cpu::Kernel;

/// Fingerprints that are compared at a time, before the near ones are visited.
pub(super) const CHUNK: usize = 512;

/// Receives the near fingerprints of a sweep.
pub(super) trait Visit {
    /// Takes the number of a near fingerprint and its Hamming distance. Must be `#[inline(always)]`.
    fn visit(&mut self, at: usize, distance: u32);
}

/// Visits, ascending, all of `words` within `max_distance` bits of `query`.
pub(super) struct Sweep<'a, W, V> {
    pub(super) words: &'a [W],
    pub(super) query: W,
    pub(super) max_distance: u32,
    pub(super) visit: V,
}

impl<W: Word, V: Visit> Kernel for Sweep<'_, W, V> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        // The compiler vectorises a loop of fixed length best. So the last chunk is padded, and the flags of the
        // padding are cleared.
        let (chunks, rest) = self.words.as_chunks::<CHUNK>();
        for (number, chunk) in chunks.iter().enumerate() {
            let near = self.near(chunk);
            self.visit_near(number * CHUNK, &near);
        }
        if !rest.is_empty() {
            let mut chunk = [self.query; CHUNK];
            chunk[..rest.len()].copy_from_slice(rest);
            let mut near = self.near(&chunk);
            near[rest.len()..].fill(0);
            self.visit_near(chunks.len() * CHUNK, &near);
        }
    }
}

impl<W: Word, V: Visit> Sweep<'_, W, V> {
    /// 1 for each fingerprint that is near, else 0.
    #[inline(always)]
    fn near(&self, chunk: &[W; CHUNK]) -> [u8; CHUNK] {
        let mut near = [0; CHUNK];
        for (near, word) in near.iter_mut().zip(chunk) {
            *near = u8::from((*word ^ self.query).ones() <= self.max_distance);
        }
        near
    }

    #[inline(always)]
    fn visit_near(&mut self, start: usize, near: &[u8; CHUNK]) {
        for at in Flagged::new(near) {
            let at = start + at;
            self.visit.visit(at, (self.words[at] ^ self.query).ones());
        }
    }
}

/// The numbers of the flags that are 1, ascending; the others are 0. A loop over them is compiled with the instructions of
/// the kernel around it, which a closure would not be.
pub(super) struct Flagged<'a> {
    flags: &'a [[u8; 64]],
    /// Number of the flags before `flags`.
    before: usize,
    mask: u64,
}

impl<'a> Flagged<'a> {
    #[inline(always)]
    pub(super) fn new(flags: &'a [u8; CHUNK]) -> Self {
        Self {
            flags: flags.as_chunks().0,
            before: 0,
            mask: 0,
        }
    }
}

impl Iterator for Flagged<'_> {
    type Item = usize;

    #[inline(always)]
    fn next(&mut self) -> Option<usize> {
        while self.mask == 0 {
            let (first, rest) = self.flags.split_first()?;
            self.mask = mask(first);
            self.flags = rest;
            self.before += 64;
        }
        let at = self.before - 64 + self.mask.trailing_zeros() as usize;
        self.mask &= self.mask - 1;
        Some(at)
    }
}

/// The flags, each 0 or 1, as the bits of a word, the first flag lowest.
#[inline(always)]
fn mask(flags: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (number, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
        // Moves flag i from bit 8 · i to bit 56 + i; no two products share a bit.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= gathered << (8 * number);
    }
    mask
}
