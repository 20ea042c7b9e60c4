//! The sketch that confirms candidates: 1,024 one-bit MinHashes of a text's shingles in 128 bytes.
//!
//! SimHash finds candidates, but it cannot confirm them: its precision is 0.75 on the web (Manku 2007) and 0.50 within
//! one site (Henzinger 2006). The share of equal bits of two sketches estimates the Jaccard index J of their shingle
//! sets. Equal minima give equal bits, and other bits agree by chance in half of the cases, so J = 2 · share − 1 (b-bit
//! minwise hashing with b = 1, Li and König 2010). At J = 0.8 the standard error is 0.019.
//!
//! `minima` computes the minima of a set, of which a sketch keeps one bit each. [`Bands`] keep hashes of the first of them.

mod bands;
pub(crate) mod folded;
mod minima;

use std::fmt;

use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

pub(crate) use self::bands::BANDS;
pub use self::bands::Bands;
use self::minima::BINS;
pub(crate) use self::minima::Minima;

/// Number of 64-bit words in a [`Sketch`].
pub(crate) const WORDS: usize = BINS / 64;

/// 1,024 one-bit MinHashes of a set. Two sketches estimate the Jaccard index of their sets, at 0.8 with a standard
/// error of 0.019.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sketch([u64; WORDS]);

impl From<Sketch> for Vec<u8> {
    fn from(sketch: Sketch) -> Self {
        sketch.0.iter().flat_map(|word| word.to_le_bytes()).collect()
    }
}

/// Writes all bytes at once, as [`Deserialize`] reads them.
impl Serialize for Sketch {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut bytes = [0; BINS / 8];
        for (eight, word) in bytes.chunks_exact_mut(8).zip(self.0) {
            eight.copy_from_slice(&word.to_le_bytes());
        }
        serializer.serialize_bytes(&bytes)
    }
}

/// Reads all bytes at once. Reading byte by byte would take most of the time to decode a signature.
impl<'de> Deserialize<'de> for Sketch {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_bytes(Bytes)
    }
}

struct Bytes;

impl<'de> Visitor<'de> for Bytes {
    type Value = Sketch;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the 128 bytes of a sketch")
    }

    fn visit_bytes<E: Error>(self, bytes: &[u8]) -> Result<Sketch, E> {
        Sketch::try_from(bytes).map_err(E::custom)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut sequence: A) -> Result<Sketch, A::Error> {
        let mut bytes = Vec::with_capacity(BINS / 8);
        while let Some(byte) = sequence.next_element()? {
            bytes.push(byte);
        }
        self.visit_bytes(&bytes)
    }
}

impl TryFrom<Vec<u8>> for Sketch {
    type Error = &'static str;

    fn try_from(bytes: Vec<u8>) -> Result<Self, Self::Error> {
        Self::try_from(bytes.as_slice())
    }
}

impl TryFrom<&[u8]> for Sketch {
    type Error = &'static str;

    fn try_from(bytes: &[u8]) -> Result<Self, Self::Error> {
        let (words, rest) = bytes.as_chunks::<8>();
        let words = words.iter().map(|word| u64::from_le_bytes(*word)).collect::<Vec<_>>();
        match (words.try_into(), rest) {
            (Ok(words), []) => Ok(Self(words)),
            _ => Err("a sketch has 128 bytes"),
        }
    }
}

impl Sketch {
    /// The sketch of a set, given by the hashes of its elements. Repetitions change nothing. `None` for the empty set.
    #[must_use]
    pub fn new(shingles: &[u64]) -> Option<Self> {
        Minima::new(shingles).map(|minima| Self::of(&minima))
    }

    /// The lowest bit of each minimum.
    pub(crate) fn of(minima: &Minima) -> Self {
        let mut words = [0; WORDS];
        for (bin, least) in minima.values().iter().enumerate() {
            words[bin / 64] |= u64::from(least & 1) << (bin % 64);
        }
        Self(words)
    }

    /// The bits. In a scan over many sketches, comparing the first few words rules out most dissimilar ones.
    #[must_use]
    pub fn words(&self) -> &[u64; WORDS] {
        &self.0
    }

    /// Estimated Jaccard index of the two sets, 0 to 1.
    #[must_use]
    pub fn similarity(&self, other: &Self) -> f32 {
        let differing: u32 = self.0.iter().zip(&other.0).map(|(a, b)| (a ^ b).count_ones()).sum();
        most_similar(differing)
    }
}

/// The [similarity](Sketch::similarity) of two sketches that differ in this many bits; an upper bound if only some
/// words have been compared.
#[must_use]
pub(crate) fn most_similar(differing: u32) -> f32 {
    (1.0 - 2.0 * differing as f32 / BINS as f32).max(0.0)
}

/// The largest number of differing bits at which the [similarity](Sketch::similarity) of two sketches is at least
/// `min_similarity`; `None` if equal sketches are not similar enough.
pub(crate) fn most_differing(min_similarity: f32) -> Option<u32> {
    let bins = BINS as u32;
    // One bit more than the formula says, for the rounding. A bound of 0 or less passes any number of bits.
    let about = if min_similarity > 0.0 {
        ((1.0 - min_similarity) * (BINS / 2) as f32) as u32 + 1
    } else {
        bins
    };
    (0..=about.min(bins))
        .rev()
        .find(|bits| most_similar(*bits) >= min_similarity)
}

#[cfg(test)]
mod tests {
    use super::minima::MANY;
    use super::*;
    use crate::hash::hash64;

    fn shingles(range: std::ops::Range<u64>) -> Vec<u64> {
        range.map(|n| hash64(&n.to_le_bytes())).collect()
    }

    #[test]
    fn the_bound_on_differing_bits_is_the_largest_number_that_is_similar_enough() {
        let thousandths = (-10..=1_010).map(|thousandths| thousandths as f32 / 1_000.0);
        let exact = (0..=BINS as u32).map(most_similar);
        for bound in thousandths.chain(exact.clone()).chain(exact.map(f32::next_up)) {
            let largest = (0..=BINS as u32).rev().find(|bits| most_similar(*bits) >= bound);
            assert_eq!(most_differing(bound), largest, "{bound}");
        }
    }

    #[test]
    fn a_million_repetitions_change_nothing() {
        for different in [1, 3, 40, 1_000] {
            let set = shingles(0..different);
            let repeated: Vec<u64> = set.iter().cycle().take(3 * MANY).copied().collect();
            assert_eq!(Sketch::new(&repeated), Sketch::new(&set), "{different}");
        }
    }

    #[test]
    fn order_and_repetition_of_shingles_do_not_matter() {
        let set = shingles(0..300);
        let mut other: Vec<_> = set.iter().rev().copied().collect();
        other.extend(&set[..50]);
        assert_eq!(Sketch::new(&set), Sketch::new(&other));
        let few = Sketch::new(&set[..2]);
        assert_eq!(few, Sketch::new(&[set[1], set[0], set[1]]));
        assert_eq!(Sketch::new(&[]), None);
    }

    /// The mean error is within four standard errors of zero, and the spread agrees with the theory, for small sets
    /// too.
    #[test]
    fn the_estimate_is_unbiased_and_as_sharp_as_minhash() {
        const PAIRS: u64 = 120;
        for (size, shared) in [
            (3, 0.5),
            (12, 0.8),
            (60, 0.9),
            (400, 0.8),
            (400, 0.3),
            (3_000, 0.8),
            (3_000, 0.0),
        ] {
            // |A| = |B| = size with intersection i: J = i / (2 size - i).
            let common = (2.0 * size as f64 * shared / (1.0 + shared)).round() as u64;
            let exact = common as f64 / (2 * size - common) as f64;
            let agree = (1.0 + exact) / 2.0;
            let sigma = 2.0 * (agree * (1.0 - agree) / BINS as f64).sqrt();
            let errors: Vec<f64> = (0..PAIRS)
                .map(|pair| {
                    let base = pair * 1_000_000;
                    let a = shingles(base..base + size);
                    let b = shingles(base + size - common..base + 2 * size - common);
                    let (a, b) = (Sketch::new(&a).unwrap(), Sketch::new(&b).unwrap());
                    let differing: u32 = a.0.iter().zip(&b.0).map(|(x, y)| (x ^ y).count_ones()).sum();
                    1.0 - 2.0 * f64::from(differing) / BINS as f64 - exact
                })
                .collect();
            let mean = errors.iter().sum::<f64>() / PAIRS as f64;
            let spread = (errors.iter().map(|e| e * e).sum::<f64>() / PAIRS as f64).sqrt();
            assert!(
                mean.abs() < 4.0 * sigma / (PAIRS as f64).sqrt(),
                "size {size}: mean error {mean}"
            );
            assert!(spread < 1.4 * sigma, "size {size}: spread {spread}, theory {sigma}");
        }
    }
}
