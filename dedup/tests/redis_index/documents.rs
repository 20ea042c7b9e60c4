//! Signatures for the tests.

use dedup::{Digest, Fingerprint, Signature, Sketch, Width};
use proptest::prelude::*;

/// Signatures that are close to one another, so that queries find many neighbours.
pub fn signature(width: Width) -> impl Strategy<Value = Signature> {
    let bits = prop::collection::vec(0..width.bits(), 0..12);
    let centre = prop::sample::select(vec![0_u128, u128::MAX << 32, 0x0123_4567_89ab_cdef << 20]);
    let long = (centre, bits, 0_u64..40).prop_map(move |(centre, bits, digest)| {
        let bits = bits.iter().fold(centre, |all, bit| all ^ (1 << bit));
        let fingerprint = Fingerprint::new(width, bits);
        let low = fingerprint.bits() as u64;
        Signature {
            digest: Some(Digest(u128::from(digest) << 64)),
            fingerprint: Some(fingerprint),
            sketch: Sketch::new(&[low % 7, low % 5 + 10, 20, 21, 22]),
            ..Signature::default()
        }
    });
    let shingles = || prop::collection::btree_set(0_u64..12, 0..8).prop_map(Vec::from_iter);
    let short = (shingles(), 0_u64..40).prop_map(|(shingles, digest)| Signature {
        digest: Some(Digest(u128::from(digest))),
        shingles,
        ..Signature::default()
    });
    // Long enough for a fingerprint, short enough to be compared with texts without one.
    let between = (long.clone(), shingles()).prop_map(|(long, shingles)| Signature { shingles, ..long });
    prop_oneof![3 => long, 1 => short, 1 => between, 1 => Just(Signature::default())]
}

/// A document like no other.
pub fn unique(number: u64) -> Signature {
    let hash = mix(number);
    Signature {
        digest: Some(Digest(u128::from(hash) << 64 | u128::from(number))),
        fingerprint: Some(hash.into()),
        sketch: Sketch::new(&[number]),
        ..Signature::default()
    }
}

/// Copy `copy` of the original `group`: copies of one original are near-duplicates of each other, and of no other document.
/// Every fourth original is a short text, every fifth has exact copies.
pub fn copy(group: u64, copy: u64) -> Signature {
    let original = unique(group);
    let own = mix((group << 32) | (copy + 1));
    if group.is_multiple_of(5) {
        return original;
    }
    let digest = Some(Digest(u128::from(own)));
    if group.is_multiple_of(4) {
        let mut shingles: Vec<u64> = (0..40).map(|number| mix((group << 20) | number)).collect();
        shingles[(copy % 4) as usize] = own;
        shingles.sort_unstable();
        return Signature {
            digest,
            shingles,
            ..Signature::default()
        };
    }
    let fingerprint = original.fingerprint.unwrap().bits() as u64;
    // At most five bits from the original, so at most ten from another copy.
    let bits = (0..5).fold(fingerprint, |bits, round| bits ^ 1 << (own >> (6 * round) & 63));
    Signature {
        digest,
        fingerprint: Some(bits.into()),
        ..original
    }
}

/// The finaliser of SplitMix64, a pseudo-random permutation.
fn mix(number: u64) -> u64 {
    let mut z = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}
