//! The hashes that stored data rests on: xxh3, whose output its specification freezes, and two mixers that are frozen
//! by theirs. Pinned by vectors below.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// 64-bit hash of bytes.
pub(crate) fn hash64(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// 128-bit hash of bytes.
pub(crate) fn hash128(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Bytes of a word that is hashed by [`hash_short`].
pub(crate) const SHORT: usize = 16;

/// 64-bit hash of a word, which holds no zero byte: [`hash_short`] of at most [`SHORT`] bytes, [`hash64`] of more.
pub(crate) fn hash_word(word: &[u8]) -> u64 {
    if word.len() > SHORT {
        return hash64(word);
    }
    // Two loads that may overlap, which is cheaper than to copy as many bytes as there are.
    let join = |first: u64, last: u64, size: usize| u128::from(first) | u128::from(last) << (8 * (word.len() - size));
    hash_short(match (word.first_chunk(), word.last_chunk()) {
        (Some(first), Some(last)) => join(u64::from_le_bytes(*first), u64::from_le_bytes(*last), 8),
        _ => match (word.first_chunk(), word.last_chunk()) {
            (Some(first), Some(last)) => join(u32::from_le_bytes(*first).into(), u32::from_le_bytes(*last).into(), 4),
            _ => word.iter().rev().fold(0, |all, b| all << 8 | u128::from(*b)),
        },
    })
}

/// 64-bit hash of a short word, filled up with zeros: xxh3 of always 16 bytes, so that no step depends on the length.
pub(crate) fn hash_short(word: u128) -> u64 {
    xxh3_64(&word.to_le_bytes())
}

/// The short word of so many bytes at the start of `text`, as [`hash_short`] takes it; `None` if it is longer, or too near
/// to the end to be read at once.
pub(crate) fn short_word(text: &[u8], length: usize) -> Option<u128> {
    let (word, keep) = (text.first_chunk()?, KEEP.get(length)?);
    Some(u128::from_le_bytes(*word) & keep)
}

/// What leaves of [`SHORT`] bytes the first so many.
pub(crate) const KEEP: [u128; SHORT + 1] = {
    let mut keep = [0; SHORT + 1];
    let mut length = 1;
    while length <= SHORT {
        keep[length] = u128::MAX >> (8 * (SHORT - length));
        length += 1;
    }
    keep
};

/// Hash of up to nine hashes in their order: the cyclic polynomial of Lemire and Kaser, *Recursive n-gram hashing is
/// pairwise independent, at best* (Computer Speech & Language 24, 2010), then [`mix`]. `kind` keeps apart what is made
/// of the same hashes in another way.
pub(crate) fn hash_run(kind: u64, hashes: impl IntoIterator<Item = u64>) -> u64 {
    // Rotations by multiples of 11 bits differ for all of nine places.
    let sum = hashes.into_iter().fold(0_u64, |sum, hash| sum.rotate_left(11) ^ hash);
    mix(sum ^ kind)
}

/// Hash of a list of hashes of any length.
pub(crate) fn hash_list(hashes: &[u64]) -> u64 {
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// Spreads every bit over all of the result, one to one: the avalanche step of XXH64.
pub(crate) fn mix(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 33)).wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    let hash = (hash ^ (hash >> 29)).wrapping_mul(0x1656_67b1_9e37_79f9);
    hash ^ (hash >> 32)
}

/// The `round`-th of a family of hashes of a hash: the numbers that SplitMix64 (Steele, Lea, Flood, OOPSLA 2014) makes of
/// it as seed.
pub(crate) fn rehash(hash: u64, round: u64) -> u64 {
    let z = hash.wrapping_add((round + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_hashes_are_those_of_the_specification() {
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
    fn a_word_hashes_as_its_bytes_filled_up_to_sixteen() {
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
    fn a_short_word_is_read_from_within_a_text() {
        let text = b"word, and seventeen more";
        for length in 0..=SHORT {
            let word = short_word(text, length).unwrap();
            assert_eq!(hash_short(word), hash_word(&text[..length]), "{length}");
        }
        assert_eq!((short_word(text, 17), short_word(&text[9..], 3)), (None, None));
    }

    #[test]
    fn a_run_hashes_by_order_kind_and_length() {
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
