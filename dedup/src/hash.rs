//! The hashes that stored data rests on: xxh3, whose output its specification freezes. Pinned by vectors below.

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

/// 64-bit hash of bytes.
pub(crate) fn hash64(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// 128-bit hash of bytes.
pub(crate) fn hash128(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Hash of a few hashes, order counting.
pub(crate) fn hash_sequence<const N: usize>(hashes: [u64; N]) -> u64 {
    xxh3_64(hashes.map(u64::to_le_bytes).as_flattened())
}

/// As [`hash_sequence`], for a slice of any length.
pub(crate) fn hash_words(hashes: &[u64]) -> u64 {
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
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
    fn a_sequence_hashes_as_its_bytes() {
        let bytes: Vec<u8> = (1..=5_u64).flat_map(u64::to_le_bytes).collect();
        assert_eq!(hash_sequence([1, 2, 3, 4, 5]), hash64(&bytes));
        assert_eq!(hash_words(&[1, 2, 3, 4, 5]), hash64(&bytes));
    }
}
