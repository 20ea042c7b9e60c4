//! The minima of a set of shingles: 1,024 of them, by Fast Similarity Sketching.
//!
//! A thousand permutations per shingle would cost more than the rest of the analysis. Fast Similarity Sketching
//! (Dahlgaard, Knudsen, Thorup, FOCS 2017) fills the same bins in O(n + t log t) with the concentration of MinHash. In
//! round i, every shingle goes to one of 1,024 bins by its i-th hash. A bin keeps the least value of the first round
//! that reached it. The rounds end when no bin is empty. Small texts need many rounds, with 7,000 to 8,000 hashes in
//! all. So the hash of a round is one multiplication (multiply-shift, Dietzfelbinger et al. 1997), which is enough
//! because the shingles are hashes already.
//!
//! Two sets agree in a bin with probability J, their Jaccard index: the least value over both sets belongs to one element
//! of the union, and the bins agree if that element is in the intersection.

use std::borrow::Cow;

use crate::hash::rehash;

/// Number of bins, and of bits of a sketch.
pub(super) const BINS: usize = 1_024;

/// A bin holds its least `round · 2^22 + value`. The lowest bit of the value is the bit of the sketch.
const VALUE_BITS: u32 = 22;
const VALUE: u32 = (1 << VALUE_BITS) - 1;
/// An empty bin.
const EMPTY: u32 = u32::MAX;
/// Upper bound on the rounds. Plain MinHash fills the bins that a very small set has left empty.
const ROUNDS: u32 = 512;

/// Number of distinct shingles that fill all bins in a round or two. If a text has more shingles than this and a bin
/// is still empty after [`ROUNDS_OF_MANY`] rounds, most of the shingles are repetitions. They change nothing, so later
/// rounds skip them. Otherwise a text of one word, repeated a million times, would cost hundreds of passes over a
/// million shingles.
pub(super) const MANY: usize = 16 * BINS;
const ROUNDS_OF_MANY: u32 = 4;

/// The least value of each bin.
pub(crate) struct Minima([u32; BINS]);

impl Minima {
    /// The minima of a set, given by the hashes of its elements. Repetitions change nothing. `None` for the empty set.
    pub(crate) fn new(shingles: &[u64]) -> Option<Self> {
        Self::of(Cow::Borrowed(shingles)).0
    }

    /// As [`Minima::new`]. Where most shingles are repetitions, it removes them from the buffer.
    pub(crate) fn of_buffer(shingles: &mut Vec<u64>) -> Option<Self> {
        let (minima, rest) = Self::of(Cow::Owned(std::mem::take(shingles)));
        *shingles = rest.into_owned();
        minima
    }

    fn of(mut shingles: Cow<'_, [u64]>) -> (Option<Self>, Cow<'_, [u64]>) {
        if shingles.is_empty() {
            return (None, shingles);
        }
        let mut bins = [EMPTY; BINS];
        let mut unchecked = 0;
        for round in 0..ROUNDS {
            if round == ROUNDS_OF_MANY && shingles.len() > MANY {
                let mut distinct = shingles.into_owned();
                distinct.sort_unstable();
                distinct.dedup();
                shingles = Cow::Owned(distinct);
            }
            fill(&mut bins, &shingles, round);
            unchecked += shingles.len();
            // Checking for empty bins costs as much as a few hundred shingles.
            if unchecked >= BINS / 2 {
                unchecked = 0;
                if !bins.contains(&EMPTY) {
                    break;
                }
            }
        }
        for (bin, least) in bins.iter_mut().enumerate().filter(|(_, least)| **least == EMPTY) {
            *least = minimum(&shingles, bin);
        }
        (Some(Self(bins)), shingles)
    }

    /// The least value of each bin.
    pub(super) fn values(&self) -> &[u32; BINS] {
        &self.0
    }
}

/// Runs one round: the upper ten bits of a shingle's hash are its bin, the next 22 its value.
fn fill(bins: &mut [u32; BINS], shingles: &[u64], round: u32) {
    let factor = factor(round.into());
    for shingle in shingles {
        let hash = (shingle.wrapping_mul(factor) >> 32) as u32;
        let least = &mut bins[(hash >> VALUE_BITS) as usize];
        *least = (*least).min(round << VALUE_BITS | hash & VALUE);
    }
}

/// The value of a bin by plain MinHash.
fn minimum(shingles: &[u64], bin: usize) -> u32 {
    let factor = factor(u64::from(ROUNDS) + bin as u64);
    let values = shingles
        .iter()
        .map(|shingle| (shingle.wrapping_mul(factor) >> 32) as u32 >> (32 - VALUE_BITS));
    values.min().unwrap_or(VALUE)
}

/// The odd random factor of a hash of the family.
fn factor(number: u64) -> u64 {
    rehash(0, number) | 1
}
