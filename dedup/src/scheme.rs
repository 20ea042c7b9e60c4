//! How texts become signatures: what counts as a feature, what it weighs, how many bits are kept.

use std::fmt;
use std::str::FromStr;

use crate::fingerprint::Width;

/// Version of all that is not a field of [`Scheme`]: tables, tokenisation, hashes.
const VERSION: u32 = 2;

/// Signatures of different schemes say nothing of one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// Bits of a fingerprint.
    pub width: Width,
    /// What a text is made of.
    pub features: Features,
    /// What a feature weighs by its number of occurrences.
    pub frequency: Frequency,
    /// Dates and clock times are one and the same feature, whichever they are.
    pub mask_dates: bool,
    /// Texts of fewer words have no fingerprint: SimHash is not to be trusted with them.
    pub min_words: usize,
}

impl Default for Scheme {
    fn default() -> Self {
        Self {
            width: Width::W64,
            features: Features::default(),
            frequency: Frequency::Plain,
            mask_dates: true,
            min_words: 50,
        }
    }
}

impl Scheme {
    /// The scheme's name, to be stored beside signatures: equal names, comparable signatures.
    #[must_use]
    pub fn id(&self) -> String {
        let masks = if self.mask_dates { "dates" } else { "none" };
        format!(
            "simhash{}/v{VERSION} {} {} xxh3 mask={masks} floor={}",
            self.width.bits(),
            self.features,
            self.frequency,
            self.min_words
        )
    }
}

/// A kind of feature.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Feature {
    /// Words and numbers; of scripts without spaces the pairs of neighbouring characters.
    Words,
    /// Runs of so many words (each character of a script without spaces a word), 2 to 9.
    Shingles(u8),
    /// Runs of so many characters, words joined by one space, 1 to 9.
    Ngrams(u8),
}

/// One or more kinds of features; written `words`, `3-grams`, `words+2-shingles`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Features(Vec<Feature>);

impl Default for Features {
    fn default() -> Self {
        Self(vec![Feature::Words])
    }
}

impl Features {
    /// The kinds, each once.
    #[must_use]
    pub fn kinds(&self) -> &[Feature] {
        &self.0
    }
}

impl fmt::Display for Feature {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Words => f.write_str("words"),
            Self::Shingles(words) => write!(f, "{words}-shingles"),
            Self::Ngrams(characters) => write!(f, "{characters}-grams"),
        }
    }
}

impl fmt::Display for Features {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (at, kind) in self.0.iter().enumerate() {
            let plus = if at == 0 { "" } else { "+" };
            write!(f, "{plus}{kind}")?;
        }
        Ok(())
    }
}

/// A text that names no features or weights.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidScheme {
    /// See the message.
    #[error(
        "{0:?} names no features: write words, 2-shingles to 9-shingles (runs of words) or 1-grams to 9-grams (runs of \
         characters), several joined by +, as in words+2-shingles"
    )]
    Features(String),
    /// See the message.
    #[error("{0:?} names no weighting by frequency: write tf, log-tf or tf-levels")]
    Frequency(String),
}

impl FromStr for Features {
    type Err = InvalidScheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let kinds = text.split('+').map(|name| feature(name.trim()));
        let kinds: Option<Vec<_>> = kinds.collect();
        let mut kinds = kinds.ok_or_else(|| InvalidScheme::Features(text.to_owned()))?;
        kinds.sort_unstable();
        kinds.dedup();
        Ok(Self(kinds))
    }
}

fn feature(name: &str) -> Option<Feature> {
    if name == "words" {
        return Some(Feature::Words);
    }
    let (size, kind) = name.split_once('-')?;
    let [size @ b'1'..=b'9'] = *size.as_bytes() else {
        return None;
    };
    match (size - b'0', kind) {
        (words @ 2.., "shingles") => Some(Feature::Shingles(words)),
        (characters, "grams") => Some(Feature::Ngrams(characters)),
        _ => None,
    }
}

/// What a feature weighs that occurs n times.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Frequency {
    /// n.
    #[default]
    Plain,
    /// 1 + ln n.
    Logarithmic,
    /// 1 to 5: 1 + ⌊log₂ n⌋, at most 5.
    FiveLevels,
}

impl Frequency {
    /// All of them.
    pub const ALL: [Self; 3] = [Self::Plain, Self::Logarithmic, Self::FiveLevels];
}

impl fmt::Display for Frequency {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Plain => "tf",
            Self::Logarithmic => "log-tf",
            Self::FiveLevels => "tf-levels",
        })
    }
}

impl FromStr for Frequency {
    type Err = InvalidScheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.into_iter().find(|frequency| frequency.to_string() == text);
        named.ok_or_else(|| InvalidScheme::Frequency(text.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_written_as_they_are_read() {
        for (text, written) in [
            ("words", "words"),
            ("3-grams", "3-grams"),
            ("2-shingles + words+words", "words+2-shingles"),
        ] {
            assert_eq!(text.parse::<Features>().unwrap().to_string(), written);
        }
        for bad in ["", "word", "1-shingles", "0-grams", "12-grams", "words+", "grams"] {
            assert_eq!(bad.parse::<Features>(), Err(InvalidScheme::Features(bad.into())));
        }
    }

    #[test]
    fn frequencies_are_written_as_they_are_read() {
        for frequency in Frequency::ALL {
            assert_eq!(frequency.to_string().parse(), Ok(frequency));
        }
        assert!("idf".parse::<Frequency>().is_err());
    }
}
