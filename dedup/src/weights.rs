//! The weights of features, in whole units, so that sums depend neither on the order of the features nor on the
//! machine.
//!
//! A weight is one of three: a function of the frequency; the frequency × the rarity of the feature in a frozen corpus
//! ([`IdfTable`]); or the frequency × the rarity × (1 + len), where len favours terms of the usual length. The last is
//! the weight of *Improved SimHash for large-scale document deduplication* (Wang, Wang; Computer Technology and
//! Development, 2019/2). The paper divides the frequency by the number of terms in the document. That divisor is the
//! same for all features of a document and changes no sign, so it is left out here.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::idf::IdfTable;
use crate::logarithm::{UNIT, UNIT_BITS, ln};

/// How features are weighed; written `tf`, `log-tf`, `tf-levels`, `tf-idf`, `improved`.
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
    /// n × idf × (1 + len), where len is the normal density of the feature's length in characters with μ = 4.51 and σ =
    /// 2.207, scaled to 1 at its peak.
    Improved,
}

impl Weighting {
    /// All weightings.
    pub const ALL: [Self; 5] = [Self::Tf, Self::LogTf, Self::TfLevels, Self::TfIdf, Self::Improved];

    /// Whether the weighting needs an [`IdfTable`].
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
    type Err = UnknownWeighting;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|weighting| weighting.to_string() == text);
        named.ok_or_else(|| UnknownWeighting(text.to_owned()))
    }
}

/// A text that names no weighting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0:?} names no weights: write tf, log-tf, tf-levels, tf-idf or improved")]
pub struct UnknownWeighting(String);

/// A weighting with the table that it needs, if any; made by [`Scheme::weighted`](crate::Scheme::weighted).
#[derive(Debug, Clone, Default)]
pub struct Weights {
    weighting: Weighting,
    table: Option<Arc<IdfTable>>,
}

impl Weights {
    pub(crate) fn new(weighting: Weighting, table: Option<Arc<IdfTable>>) -> Self {
        Self { weighting, table }
    }

    /// The weighting.
    #[must_use]
    pub fn weighting(&self) -> Weighting {
        self.weighting
    }

    /// The table that the weighting uses.
    #[must_use]
    pub(crate) fn table(&self) -> Option<&IdfTable> {
        self.table.as_deref()
    }

    /// The table that the weighting uses, to share it with another scheme.
    #[must_use]
    pub fn shared_table(&self) -> Option<Arc<IdfTable>> {
        self.table.clone()
    }

    /// The weight, in 1/1,024, of a feature of `characters` characters that occurs `count` times.
    ///
    /// At least 1: a feature that occurs in all documents of the table would otherwise weigh 0, and a text of such
    /// features would have no fingerprint.
    #[must_use]
    pub(crate) fn weight(&self, feature: u64, count: u32, characters: u32) -> u32 {
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

/// The normal density of a length in characters, μ = 4.51, σ = 2.207, scaled to 1 at its peak, in 1/1,024. A table,
/// because the last digit of the exponential function differs between machines.
fn length_density(characters: u32) -> u32 {
    const DENSITY: [u16; 14] = [127, 289, 536, 810, 997, 999, 815, 542, 293, 129, 46, 14, 3, 1];
    let density = usize::try_from(characters).ok().and_then(|at| DENSITY.get(at));
    density.copied().unwrap_or(0).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weight(weighting: Weighting, count: u32) -> u32 {
        Weights::new(weighting, None).weight(0, count, 5)
    }

    #[test]
    fn a_written_weighting_parses_to_itself() {
        for weighting in Weighting::ALL {
            assert_eq!(weighting.to_string().parse(), Ok(weighting));
        }
        assert!("idf".parse::<Weighting>().is_err());
    }

    #[test]
    fn frequency_weighs_as_is_by_its_logarithm_or_in_five_levels() {
        let of = |weighting| [1, 2, 3, 4, 8, 16, 32, 1_000].map(|count| weight(weighting, count));
        assert_eq!(of(Weighting::Tf), [1, 2, 3, 4, 8, 16, 32, 1_000].map(|n| n * UNIT));
        assert_eq!(of(Weighting::TfLevels), [1, 2, 2, 3, 4, 5, 5, 5].map(|n| n * UNIT));
        assert_eq!(
            of(Weighting::LogTf),
            [1_024, 1_734, 2_149, 2_444, 3_153, 3_863, 4_573, 8_098]
        );
    }

    #[test]
    fn the_density_of_lengths_equals_the_formula_of_the_paper() {
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
}
