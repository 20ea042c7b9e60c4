//! What a feature weighs, in whole units, so that sums depend neither on the order of the features nor on the machine.
//!
//! Frequency alone, or frequency × how rare the feature is in a frozen corpus ([`IdfTable`]), or that × (1 + len), where
//! len favours terms of the usual length: the weight of *Improved SimHash for large-scale document deduplication* (Wang,
//! Wang; Computer Technology and Development, 2019/2). The paper divides the frequency by that of all terms of the
//! document; the divisor is the same for all of them and moves no sign, so it is left out.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::idf::IdfTable;
use crate::scheme::InvalidScheme;

/// Units of a weight of 1.
pub const UNIT: u32 = 1 << UNIT_BITS;
const UNIT_BITS: u32 = 10;

/// A way to weigh features; written `tf`, `log-tf`, `tf-levels`, `tf-idf`, `improved`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Weighting {
    /// n, the number of occurrences.
    #[default]
    Tf,
    /// 1 + ln n.
    LogTf,
    /// 1 to 5: 1 + ⌊log₂ n⌋, at most 5.
    TfLevels,
    /// n × idf, with idf = ln(documents / documents with the feature) in a frozen table.
    TfIdf,
    /// n × idf × (1 + len), with len = the normal density of the feature's length in characters, μ = 4.51 and σ = 2.207,
    /// scaled to 1 at its peak.
    Improved,
}

impl Weighting {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Tf, Self::LogTf, Self::TfLevels, Self::TfIdf, Self::Improved];

    /// Whether it needs an [`IdfTable`].
    #[must_use]
    pub fn needs_table(self) -> bool {
        matches!(self, Self::TfIdf | Self::Improved)
    }
}

impl fmt::Display for Weighting {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Tf => "tf",
            Self::LogTf => "log-tf",
            Self::TfLevels => "tf-levels",
            Self::TfIdf => "tf-idf",
            Self::Improved => "improved",
        })
    }
}

impl FromStr for Weighting {
    type Err = InvalidScheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|weighting| weighting.to_string() == text);
        named.ok_or_else(|| InvalidScheme::Weighting(text.to_owned()))
    }
}

/// A weighting with the table that it needs, if it needs one; made by [`Scheme::weighted`](crate::Scheme::weighted).
#[derive(Debug, Clone, Default)]
pub struct Weights {
    weighting: Weighting,
    table: Option<Arc<IdfTable>>,
}

impl Weights {
    pub(crate) fn new(weighting: Weighting, table: Option<Arc<IdfTable>>) -> Self {
        Self { weighting, table }
    }

    /// The way to weigh.
    #[must_use]
    pub fn weighting(&self) -> Weighting {
        self.weighting
    }

    /// The table it goes by.
    #[must_use]
    pub fn table(&self) -> Option<&IdfTable> {
        self.table.as_deref()
    }

    /// The table it goes by, to go by it in another scheme too.
    #[must_use]
    pub fn shared_table(&self) -> Option<Arc<IdfTable>> {
        self.table.clone()
    }

    /// What a feature of `characters` characters weighs that occurs `count` times, in 1/1,024.
    ///
    /// At least 1: a feature that all documents of the table have would weigh nothing, and a text of nothing else would
    /// have no fingerprint.
    #[must_use]
    pub fn weight(&self, feature: u64, count: u32, characters: u32) -> u32 {
        let idf = || u64::from(self.table().map_or(UNIT, |table| table.idf(feature)));
        let count = u64::from(count);
        let weight = match self.weighting {
            Weighting::Tf => count * u64::from(UNIT),
            Weighting::LogTf => u64::from(UNIT + ln(count)),
            Weighting::TfLevels => u64::from(UNIT) * (1 + u64::from(count.max(1).ilog2())).min(5),
            Weighting::TfIdf => count * idf(),
            Weighting::Improved => (count * idf() * u64::from(UNIT + length_density(characters))) >> UNIT_BITS,
        };
        u32::try_from(weight).unwrap_or(u32::MAX).max(1)
    }
}

impl fmt::Display for Weights {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.weighting)?;
        self.table().map_or(Ok(()), |table| write!(f, "/{}", table.id()))
    }
}

impl PartialEq for Weights {
    fn eq(&self, other: &Self) -> bool {
        self.weighting == other.weighting && self.table().map(IdfTable::id) == other.table().map(IdfTable::id)
    }
}

impl Eq for Weights {}

/// The normal density of a length in characters, μ = 4.51, σ = 2.207, scaled to 1 at its peak, in 1/1,024. A table, for
/// the exponential function differs from machine to machine in its last digit.
fn length_density(characters: u32) -> u32 {
    const DENSITY: [u16; 14] = [127, 289, 536, 810, 997, 999, 815, 542, 293, 129, 46, 14, 3, 1];
    let density = usize::try_from(characters).ok().and_then(|at| DENSITY.get(at));
    density.copied().unwrap_or(0).into()
}

/// ln(n) in 1/1,024, rounded; 0 for n = 0. In whole numbers, so that all machines agree.
fn ln(n: u64) -> u32 {
    /// Of the counts that most features have.
    const SMALL: [u32; 64] = {
        let (mut small, mut n) = ([0; 64], 1);
        while n < small.len() {
            small[n] = ln_ratio(n as u64, 1);
            n += 1;
        }
        small
    };
    let small = usize::try_from(n).ok().and_then(|n| SMALL.get(n));
    small.copied().unwrap_or_else(|| ln_ratio(n, 1))
}

/// ln(a / b) in 1/1,024, rounded; 0 where a < b, and 0 counts as 1.
pub(crate) const fn ln_ratio(a: u64, b: u64) -> u32 {
    /// ln 2 × 2^32.
    const LN_2: u128 = 0xb172_17f8;
    const SHIFT: u32 = FRACTION_BITS + 32 - UNIT_BITS;
    let log2 = log2(a).saturating_sub(log2(b)) as u128;
    // At most 64 × ln 2 × 1,024.
    ((log2 * LN_2 + (1 << (SHIFT - 1))) >> SHIFT) as u32
}

/// Binary digits of [`log2`] after the point.
const FRACTION_BITS: u32 = 32;

/// log₂ of n, 0 for n = 0: digit by digit, by squaring.
const fn log2(n: u64) -> u64 {
    let Some(whole) = n.checked_ilog2() else { return 0 };
    // The mantissa, 1 ≤ m < 2, with 63 digits after the point.
    let (mut mantissa, mut log, mut digit) = (n << (63 - whole), whole as u64, 0);
    while digit < FRACTION_BITS {
        let square = (mantissa as u128 * mantissa as u128) >> 63;
        let carries = (square >> 64) as u64 & 1;
        log = log << 1 | carries;
        mantissa = (square >> carries) as u64;
        digit += 1;
    }
    log
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn weight(weighting: Weighting, count: u32) -> u32 {
        Weights::new(weighting, None).weight(0, count, 5)
    }

    #[test]
    fn weightings_are_written_as_they_are_read() {
        for weighting in Weighting::ALL {
            assert_eq!(weighting.to_string().parse(), Ok(weighting));
        }
        assert!("idf".parse::<Weighting>().is_err());
    }

    #[test]
    fn frequency_counts_plainly_by_logarithm_or_in_five_levels() {
        let of = |weighting| [1, 2, 3, 4, 8, 16, 32, 1_000].map(|count| weight(weighting, count));
        assert_eq!(of(Weighting::Tf), [1, 2, 3, 4, 8, 16, 32, 1_000].map(|n| n * UNIT));
        assert_eq!(of(Weighting::TfLevels), [1, 2, 2, 3, 4, 5, 5, 5].map(|n| n * UNIT));
        assert_eq!(
            of(Weighting::LogTf),
            [1_024, 1_734, 2_149, 2_444, 3_153, 3_863, 4_573, 8_098]
        );
    }

    #[test]
    fn the_density_of_lengths_is_the_papers() {
        for characters in 0..40 {
            let z = (f64::from(characters) - 4.51) / 2.207;
            let exact = (-z * z / 2.0).exp() * f64::from(UNIT);
            assert_eq!(length_density(characters), exact.round() as u32, "{characters}");
        }
    }

    #[test]
    fn weights_saturate() {
        assert_eq!(weight(Weighting::Tf, u32::MAX), u32::MAX);
        assert_eq!(weight(Weighting::TfIdf, u32::MAX), u32::MAX);
        assert_eq!(weight(Weighting::Tf, 0), 1);
    }

    proptest! {
        #[test]
        fn logarithms_are_those_of_the_machine_to_the_last_unit(a in 1_u64.., b in 1_u64..) {
            let exact = ((a as f64).ln() - (b as f64).ln()).max(0.0) * f64::from(UNIT);
            prop_assert!((f64::from(ln_ratio(a, b)) - exact).abs() < 0.51, "{} {exact}", ln_ratio(a, b));
            let (a, b) = (a % 5_000 + 1, b % 50 + 1);
            let exact = ((a as f64).ln() - (b as f64).ln()).max(0.0) * f64::from(UNIT);
            prop_assert!((f64::from(ln_ratio(a, b)) - exact).abs() < 0.51, "{} {exact}", ln_ratio(a, b));
        }
    }
}
