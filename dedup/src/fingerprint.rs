//! A fingerprint: 32, 64 or 128 bits. Near-duplicates differ in few of them.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// The width of a fingerprint. The literature measures 64 bits; 32 bits take half the memory and give more candidates,
/// 128 bits separate documents better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default, Serialize, Deserialize)]
pub enum Width {
    /// 32 bits.
    W32,
    /// 64 bits.
    #[default]
    W64,
    /// 128 bits.
    W128,
}

impl Width {
    /// All widths, ascending.
    pub const ALL: [Self; 3] = [Self::W32, Self::W64, Self::W128];

    /// The number of bits.
    #[must_use]
    pub fn bits(self) -> u32 {
        match self {
            Self::W32 => 32,
            Self::W64 => 64,
            Self::W128 => 128,
        }
    }

    /// The width with this number of bits, if there is one.
    #[must_use]
    pub fn of_bits(bits: u32) -> Option<Self> {
        Self::ALL.into_iter().find(|width| width.bits() == bits)
    }
}

/// A SimHash of a text (Charikar 2002).
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(from = "Stored", into = "Stored")]
pub struct Fingerprint {
    width: Width,
    bits: u128,
}

impl Fingerprint {
    /// The lowest `width` bits of `bits`.
    #[must_use]
    pub fn new(width: Width, bits: u128) -> Self {
        Self {
            width,
            bits: bits & (u128::MAX >> (128 - width.bits())),
        }
    }

    /// The bits; those above the width are zero.
    #[must_use]
    pub fn bits(self) -> u128 {
        self.bits
    }

    /// The width of the fingerprint.
    #[must_use]
    pub fn width(self) -> Width {
        self.width
    }

    /// The Hamming distance, 0 to the width. Fingerprints of different widths belong to different schemes and cannot be
    /// compared; their distance is 128.
    #[must_use]
    pub fn distance(self, other: Self) -> u32 {
        if self.width == other.width {
            (self.bits ^ other.bits).count_ones()
        } else {
            u128::BITS
        }
    }
}

impl From<u32> for Fingerprint {
    fn from(bits: u32) -> Self {
        Self::new(Width::W32, bits.into())
    }
}

impl From<u64> for Fingerprint {
    fn from(bits: u64) -> Self {
        Self::new(Width::W64, bits.into())
    }
}

impl From<u128> for Fingerprint {
    fn from(bits: u128) -> Self {
        Self::new(Width::W128, bits)
    }
}

/// The stored form: a byte for the width, then the bits, lowest byte first.
#[derive(Serialize, Deserialize)]
enum Stored {
    W32(#[serde(with = "postcard::fixint::le")] u32),
    W64(#[serde(with = "postcard::fixint::le")] u64),
    W128(#[serde(with = "postcard::fixint::le")] u128),
}

impl From<Stored> for Fingerprint {
    fn from(stored: Stored) -> Self {
        match stored {
            Stored::W32(bits) => bits.into(),
            Stored::W64(bits) => bits.into(),
            Stored::W128(bits) => bits.into(),
        }
    }
}

impl From<Fingerprint> for Stored {
    fn from(Fingerprint { width, bits }: Fingerprint) -> Self {
        match width {
            Width::W32 => Self::W32(bits as u32),
            Width::W64 => Self::W64(bits as u64),
            Width::W128 => Self::W128(bits),
        }
    }
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = self.width.bits() as usize / 4;
        write!(f, "{:0digits$x}", self.bits)
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Fingerprint({self})")
    }
}

/// A text that is not a fingerprint.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} is not a fingerprint: 8, 16 or 32 hexadecimal digits")]
pub struct InvalidFingerprint(String);

impl FromStr for Fingerprint {
    type Err = InvalidFingerprint;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let invalid = || InvalidFingerprint(text.to_owned());
        let width = u32::try_from(text.len() * 4).ok().and_then(Width::of_bits);
        let width = width.filter(|_| text.bytes().all(|b| b.is_ascii_hexdigit()));
        let bits = u128::from_str_radix(text, 16).map_err(|_| invalid())?;
        Ok(Self::new(width.ok_or_else(invalid)?, bits))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_distance_is_the_number_of_differing_bits() {
        assert_eq!(Fingerprint::from(0b10_0110_u64).distance(0b10_0011_u64.into()), 2);
        assert_eq!(Fingerprint::from(0b1_0101_u64).distance(0b0_0110_u64.into()), 3);
        assert_eq!(Fingerprint::from(0_u64).distance(u64::MAX.into()), 64);
        assert_eq!(Fingerprint::from(0_u64).distance(0_u32.into()), 128);
    }

    #[test]
    fn a_fingerprint_is_written_in_hexadecimal_digits_and_read_back() {
        for (fingerprint, text) in [
            (Fingerprint::from(0x00ab_cdef_u32), "00abcdef"),
            (0x00ab_cdef_0123_4567_u64.into(), "00abcdef01234567"),
            (1_u128.into(), "00000000000000000000000000000001"),
        ] {
            assert_eq!(fingerprint.to_string(), text);
            assert_eq!(text.parse(), Ok(fingerprint));
        }
        for bad in ["", "abc", "+0abcdef01234567", "00abcdef0123456g", "00abcdef012345678"] {
            assert!(bad.parse::<Fingerprint>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_stored_fingerprint_takes_its_bits_and_a_byte() {
        for (fingerprint, bytes) in [
            (Fingerprint::from(u32::MAX), 5),
            (u64::MAX.into(), 9),
            (u128::MAX.into(), 17),
        ] {
            let stored = postcard::to_stdvec(&fingerprint).unwrap();
            assert_eq!(stored.len(), bytes);
            assert_eq!(postcard::from_bytes::<Fingerprint>(&stored), Ok(fingerprint));
        }
    }
}
