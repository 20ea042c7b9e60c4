//! The hashes that stored data rests on: xxh3, whose output its specification freezes. Pinned by vectors below.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128};

/// 64-bit hash of bytes.
pub(crate) fn hash64(bytes: &[u8]) -> u64 {
    xxh3_64(bytes)
}

/// 128-bit hash of bytes.
pub(crate) fn hash128(bytes: &[u8]) -> u128 {
    xxh3_128(bytes)
}

/// Hash of a sequence of hashes, order counting.
pub(crate) fn hash_sequence<const N: usize>(hashes: [u64; N]) -> u64 {
    hash_words(&hashes)
}

/// As [`hash_sequence`], for a slice of any length.
pub(crate) fn hash_words(hashes: &[u64]) -> u64 {
    let mut bytes = [0; 8 * 64];
    if hashes.len() <= 64 {
        for (place, hash) in bytes.chunks_exact_mut(8).zip(hashes) {
            place.copy_from_slice(&hash.to_le_bytes());
        }
        return xxh3_64(&bytes[..8 * hashes.len()]);
    }
    let bytes: Vec<u8> = hashes.iter().flat_map(|hash| hash.to_le_bytes()).collect();
    xxh3_64(&bytes)
}

/// The `round`-th of a family of hashes of a hash.
pub(crate) fn rehash(hash: u64, round: u64) -> u64 {
    xxh3_64_with_seed(&hash.to_le_bytes(), round)
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
    fn a_long_sequence_hashes_as_its_bytes() {
        let long: Vec<u64> = (0..100).collect();
        let bytes: Vec<u8> = long.iter().flat_map(|hash| hash.to_le_bytes()).collect();
        assert_eq!(hash_words(&long), hash64(&bytes));
        assert_eq!(hash_words(&long[..64]), hash64(&bytes[..512]));
    }
}
