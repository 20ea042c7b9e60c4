//! Fingerprints as machine words, and keys cut out of them.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitOr, BitXor, Shl, Shr};

use crate::fingerprint::Width;

mod sealed {
    pub trait Sealed {}
    impl Sealed for u32 {}
    impl Sealed for u64 {}
    impl Sealed for u128 {}
}

/// The bits of a fingerprint: [`u32`], [`u64`] or [`u128`].
pub trait Word:
    Copy
    + Default
    + Eq
    + Ord
    + Hash
    + Debug
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Shl<u32, Output = Self>
    + Shr<u32, Output = Self>
    + Into<u128>
    + sealed::Sealed
    + 'static
{
    /// Number of bits.
    const WIDTH: Width;

    /// The lowest bits of a wider word.
    #[must_use]
    fn truncate(bits: u128) -> Self;

    /// Number of bits that are set.
    #[must_use]
    fn ones(self) -> u32;

    /// Rotates right: the lowest bits become the highest.
    #[must_use]
    fn rotate(self, bits: u32) -> Self;

    /// The lowest 32 bits.
    #[must_use]
    fn low(self) -> u32;

    /// All bits, folded into 64 by exclusive or.
    #[must_use]
    fn fold(self) -> u64;
}

macro_rules! word {
    ($word:ty, $width:expr, $fold:expr) => {
        impl Word for $word {
            const WIDTH: Width = $width;

            #[inline(always)]
            fn truncate(bits: u128) -> Self {
                bits as Self
            }

            #[inline(always)]
            fn ones(self) -> u32 {
                self.count_ones()
            }

            #[inline(always)]
            fn rotate(self, bits: u32) -> Self {
                self.rotate_right(bits)
            }

            #[inline(always)]
            fn low(self) -> u32 {
                self as u32
            }

            #[inline(always)]
            fn fold(self) -> u64 {
                let fold: fn(Self) -> u64 = $fold;
                fold(self)
            }
        }
    };
}

word!(u32, Width::W32, u64::from);
word!(u64, Width::W64, |word| word);
word!(u128, Width::W128, |word| word as u64
    ^ ((word >> 64) as u64).rotate_left(32));

/// The position of a key and its tag in a word:
///
/// ```text
///          ┌─ span ───────────────────────────┐
///   word   │   …   │ tag, ≤ 32 │     key      │   rotated, so that the key is lowest
/// ```
///
/// The span is the whole word, or the word without the block of an overfull bucket. The tag is the next bits of the
/// span above the key, cyclically. Tag and key share no bit, so a difference is never counted twice.
#[derive(Debug, Clone, Copy)]
pub(super) struct Cut {
    /// Bits to rotate the word by until the span is lowest.
    base: u32,
    span: u32,
    /// Position of the key's lowest bit in the span.
    shift: u32,
    pub(super) bits: u32,
    /// Bits of a bucket number.
    pub(super) bucket_bits: u32,
}

/// Bits of a tag.
pub(super) const TAG_BITS: u32 = u32::BITS;

/// Upper bound on the bits of a bucket number. A key of at most this many bits is the number itself; a wider key is
/// hashed.
pub(crate) const MAX_BUCKET_BITS: u32 = 18;

impl Cut {
    /// A block of the whole word.
    pub(super) fn of_word<W: Word>(shift: u32, bits: u32) -> Self {
        Self {
            base: 0,
            span: W::WIDTH.bits(),
            shift,
            bits,
            bucket_bits: bits.min(MAX_BUCKET_BITS),
        }
    }

    /// Cuts the bits outside this block of the whole word into this many blocks of about equal size.
    pub(super) fn outside(self, blocks: u32, max_bucket_bits: u32) -> impl Iterator<Item = Self> {
        let (base, span) = (self.shift + self.bits, self.span - self.bits);
        (0..blocks).map(move |number| {
            let shift = span * number / blocks;
            let bits = span * (number + 1) / blocks - shift;
            Self {
                base: base % self.span,
                span,
                shift,
                bits,
                bucket_bits: bits.min(max_bucket_bits),
            }
        })
    }

    /// Number of bits of the span outside the key.
    pub(super) fn bits_outside(self) -> u32 {
        self.span - self.bits
    }

    /// The word rotated, with the bits outside the span cleared.
    #[inline(always)]
    pub(super) fn rotated<W: Word>(self, word: W) -> W {
        let width = W::WIDTH.bits();
        if self.span == width {
            return word.rotate(self.shift);
        }
        let span = word.rotate(self.base) & ones::<W>(self.span);
        if self.shift == 0 {
            return span;
        }
        ((span >> self.shift) | (span << (self.span - self.shift))) & ones::<W>(self.span)
    }

    #[inline(always)]
    pub(super) fn key<W: Word>(self, rotated: W) -> W {
        rotated & ones::<W>(self.bits)
    }

    #[inline(always)]
    pub(super) fn tag<W: Word>(self, rotated: W) -> u32 {
        if self.bits == W::WIDTH.bits() {
            return 0;
        }
        (rotated >> self.bits).low()
    }

    /// The bucket of a key.
    #[inline(always)]
    pub(super) fn bucket<W: Word>(self, key: W) -> u32 {
        if self.bits == self.bucket_bits {
            return key.low();
        }
        // Multiplicative hashing, twice, so that flipping any single bit of the key changes the bucket at random.
        let hash = key.fold().wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let hash = (hash ^ (hash >> 32)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        (hash >> (u64::BITS - self.bucket_bits)) as u32
    }
}

/// The lowest `bits` bits, 1 to the width.
#[inline(always)]
fn ones<W: Word>(bits: u32) -> W {
    W::truncate(u128::MAX) >> (W::WIDTH.bits() - bits)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Keys and tags of two words differ in no more bits than the words. The blocks outside a block cover all bits
    /// outside it and no others.
    fn a_cut_counts_no_bit_twice<W: Word>(word: u128, other: u128, shift: u32, bits: u32, blocks: u32) {
        let (word, other) = (W::truncate(word), W::truncate(other));
        let cut = Cut::of_word::<W>(shift, bits);
        let differs = |cut: Cut| {
            let (a, b) = (cut.rotated(word), cut.rotated(other));
            ((cut.key(a) ^ cut.key(b)).ones(), (cut.tag(a) ^ cut.tag(b)).count_ones())
        };
        let all = (word ^ other).ones();
        let (key, tag) = differs(cut);
        assert!(key + tag <= all);
        let mut outside = 0;
        for cut in cut.outside(blocks, 12) {
            let (sub_key, sub_tag) = differs(cut);
            assert!(key + sub_key + sub_tag <= all);
            outside += sub_key;
        }
        assert_eq!(key + outside, all);
    }

    proptest! {
        #[test]
        fn cuts_of_every_width_count_no_bit_twice(
            word: u128, other: u128, number in 0_u32..4, quarter in 1_u32..=3, blocks in 1_u32..=8,
        ) {
            let quarter_of = |width: u32| (number * width / 4, (width / 4 * quarter).min(width - number * width / 4).min(width - 8));
            let (shift, bits) = quarter_of(32);
            a_cut_counts_no_bit_twice::<u32>(word, other, shift, bits, blocks);
            let (shift, bits) = quarter_of(64);
            a_cut_counts_no_bit_twice::<u64>(word, other, shift, bits, blocks);
            let (shift, bits) = quarter_of(128);
            a_cut_counts_no_bit_twice::<u128>(word, other, shift, bits, blocks);
        }
    }
}
