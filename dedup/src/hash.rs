//! The hashes in stored data: xxh3 and two mixers, all with an output that a specification or publication freezes.
//! Tests pin them.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::sync::LazyLock;

use xxhash_rust::xxh3::{Xxh3, xxh3_64, xxh3_128};

/// 64-bit hash of bytes.
pub(crate) fn hash64(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// 128-bit hash of bytes.
pub(crate) fn hash128(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Largest number of bytes of a word that [`hash_short`] hashes.
pub(crate) const SHORT: usize = 16;

/// 64-bit hash of a word without a zero byte: [`hash_short`] up to [`SHORT`] bytes, [`hash64`] above.
pub(crate) fn hash_word(word: &[u8]) -> u64 {
    if word.len() > SHORT {
        return hash64(word);
    }
    // Two loads that may overlap: cheaper than copying the exact number of bytes.
    let join = |first: u64, last: u64, size: usize| u128::from(first) | u128::from(last) << (8 * (word.len() - size));
    hash_short(match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) => join(u64::from_le_bytes(*first), u64::from_le_bytes(*last), 8),
        _ => match (word.first_chunk(), word.last_chunk()) {
            (Some(first), Some(last)) => join(u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into(), 4),
            _ => word.iter().rev().fold(0, |all, b| all << 8 | u128::from(*b)),
        },
    })
}

/// 64-bit hash of a short word padded with zeros: xxh3 of 16 bytes for every length, so that no step depends on the
/// length.
pub(crate) fn hash_short(word: u128) -> u64 {
    xxh3_64(&word.to_le_bytes())
}

/// The first `length` bytes of `text`, padded with zeros for [`hash_short`]; `None` if `length` is more than [`SHORT`]
/// or `text` is shorter than [`SHORT`] bytes.
pub(crate) fn short_word(text: &[u8], length: usize) -> Option<u128> {
    let (word, keep) = (text.first_chunk()?, KEEP.get(length)?);
    Some(u128::from_le_bytes(*word) & keep)
}

/// Masks that keep the first 0, 1, … of [`SHORT`] bytes.
pub(crate) const KEEP: [u128; SHORT + 1] = {
    let mut keep = [0; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        keep[length] = u128::MAX >> (8 * (SHORT - length));
        length += 1;
    }
    keep
};

/// Hash of up to nine hashes in order: the cyclic polynomial of Lemire and Kaser, *Recursive n-gram hashing is pairwise
/// independent, at best* (Computer Speech & Language 24, 2010), then [`mix`]. Different values of `kind` give different
/// hashes for the same run.
pub(crate) fn hash_run(kind: u64, hashes: impl IntoIterator<Item = u64>) -> u64 {
    // The rotations, multiples of 11 bits, differ for all nine places.
    let sum = hashes.into_iter().fold(0_u64, |sum, hash| sum.rotate_left(11) ^ hash);
    mix(sum ^ kind)
}

/// Number of hashes that [`hash_list`] copies at a time.
const HASHES_AT_ONCE: usize = 32;

/// Hash of a list of hashes of any length: xxh3 of their bytes, the lowest first.
pub(crate) fn hash_list(hashes: &[u64]) -> u64 {
    // Copies the numbers in pieces, because a copy of all numbers of a long text would take as much memory as the numbers.
    let (mut hasher, mut bytes) = (Xxh3::new(), [0; 8 * HASHES_AT_ONCE]);
    for piece in hashes.chunks(HASHES_AT_ONCE) {
        for (eight, hash) in bytes.chunks_exact_mut(8).zip(piece) {
            eight.copy_from_slice(&hash.to_le_bytes());
        }
        hasher.update(&bytes[..8 * piece.len()]);
    }
    hasher.digest()
}

/// A bijection in which every input bit affects every output bit: the avalanche step of XXH64.
pub(crate) fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0x1656_67b1_9e37_79f9);
    hash ^ (hash >> 32)
}

/// The `round`-th hash of a hash: the `round`-th number that SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) generates
/// from it as seed.
pub(crate) fn rehash(hash: u64, round: u64) -> u64 {
    let z = hash.wrapping_add((round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Builds the hashers of maps in memory whose keys are numbers or hashes: [`mix`] with a seed of the process, which nobody outside knows. So
/// nobody can write texts whose hashes meet in one place of a map.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Mixing;

/// See [`Mixing`].
#[derive(Debug)]
pub(crate) struct Mixer(u64);

impl BuildHasher for Mixing {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        static SEED: LazyLock<u64> = LazyLock::new(|| RandomState::new().hash_one(0));
        Mixer(*SEED)
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        self.write_u64(hash64(bytes));
    }

    fn write_u64(&mut self, number: u64) {
        self.0 = mix(self.0 ^ number);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_equal_the_vectors_of_the_specification() {
        // Vectors of the xxHash reference implementation: the empty input.
        assert_eq!(hash64(b""), 0x2d06_8005_38d3_94c2);
        assert_eq!(hash128(b""), 0x99aa_06d3_0147_98d8_6001_c324_468d_497f);
        // XXH64 of the empty input is the avalanche of its fifth prime.
        assert_eq!(mix(0x27d4_eb2f_1656_67c5), 0xef46_db37_51d8_e999);
    }

    #[test]
    fn rehashing_gives_the_published_numbers_of_splitmix64() {
        let numbers: [u64; 3] = std::array::from_fn(|round| rehash(1_234_567, round as u64));
        assert_eq!(
            numbers,
            [
                6_457_827_717_110_365_317,
                3_203_168_211_198_807_973,
                9_817_491_932_198_370_423
            ]
        );
    }

    #[test]
    fn a_short_word_hashes_as_its_bytes_padded_to_sixteen() {
        assert_eq!(hash_word(b"word"), hash64(b"word\0\0\0\0\0\0\0\0\0\0\0\0"));
        let text = b"sixteen letters!";
        for length in 0..=SHORT {
            let mut filled = [0; SHORT];
            filled[..length].copy_from_slice(&text[..length]);
            assert_eq!(hash_word(&text[..length]), hash64(&filled), "{length}");
        }
        assert_eq!(hash_word(b"seventeen letters"), hash64(b"seventeen letters"));
    }

    #[test]
    fn a_short_word_inside_a_text_hashes_as_the_word_alone() {
        let text = b"word, and seventeen more";
        for length in 0..=SHORT {
            let word = short_word(text, length).unwrap();
            assert_eq!(hash_short(word), hash_word(&text[..length]), "{length}");
        }
        assert_eq!((short_word(text, 17), short_word(&text[9..], 3)), (None, None));
    }

    #[test]
    fn the_hash_of_a_list_is_that_of_its_bytes() {
        let hashes: Vec<u64> = (0..200).map(mix).collect();
        for length in 0..hashes.len() {
            let bytes: Vec<u8> = hashes[..length].iter().flat_map(|hash| hash.to_le_bytes()).collect();
            assert_eq!(hash_list(&hashes[..length]), hash64(&bytes), "{length}");
        }
    }

    #[test]
    fn the_hash_of_a_run_depends_on_order_kind_and_length() {
        let runs = [
            hash_run(0, [1, 2, 3]),
            hash_run(0, [3, 2, 1]),
            hash_run(0, [1, 2]),
            hash_run(1, [1, 2, 3]),
            hash_run(0, [7; 9]),
            hash_run(0, [7; 8]),
        ];
        let distinct: std::collections::BTreeSet<_> = runs.iter().collect();
        assert_eq!(distinct.len(), runs.len());
        assert_eq!(runs[0], mix((1 << 22) ^ (2 << 11) ^ 3));
        assert_eq!(
            hash_list(&[1, 2]),
            hash64(&[1, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0, 0, 0, 0, 0])
        );
    }
}
