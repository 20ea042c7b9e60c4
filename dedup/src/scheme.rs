//! How texts become signatures: what counts as a feature, what it weighs, how many bits are kept.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::fingerprint::Width;
use crate::idf::IdfTable;
use crate::weights::{Weighting, Weights};

/// Version of all that is not a field of [`Scheme`]: tables, tokenisation, hashes.
const VERSION: u32 = 2;

/// Signatures of different schemes say nothing of one another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// Bits of a fingerprint.
    pub width: Width,
    /// What a text is made of.
    pub features: Features,
    /// How words are found in scripts without spaces.
    pub segmenter: Segmenter,
    /// What a feature weighs; set by [`Scheme::weighted`].
    pub weights: Weights,
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
            segmenter: Segmenter::default(),
            weights: Weights::default(),
            mask_dates: true,
            min_words: 50,
        }
    }
}

impl Scheme {
    /// The scheme with other weights; those that go by an IDF table need one that was built for the same features.
    ///
    /// Set features, segmenter and masks first: a table speaks of no others.
    ///
    /// # Errors
    /// The table is missing, not needed, or was built for other features.
    pub fn weighted(mut self, weighting: Weighting, table: Option<Arc<IdfTable>>) -> Result<Self, InvalidScheme> {
        match &table {
            None if weighting.needs_table() => return Err(InvalidScheme::NoTable(weighting)),
            Some(_) if !weighting.needs_table() => return Err(InvalidScheme::IdleTable(weighting)),
            Some(table) if table.scheme() != self.text_id() => {
                return Err(InvalidScheme::OtherTable {
                    found: table.scheme().to_owned(),
                    wanted: self.text_id(),
                });
            }
            _ => self.weights = Weights::new(weighting, table),
        }
        Ok(self)
    }

    /// The scheme's name, to be stored beside signatures: equal names, comparable signatures.
    #[must_use]
    pub fn id(&self) -> String {
        let bits = self.width.bits();
        format!(
            "simhash{bits} {} {} floor={}",
            self.text_id(),
            self.weights,
            self.min_words
        )
    }

    /// The part of the name that says what features are: equal names, equal features of a text.
    #[must_use]
    pub fn text_id(&self) -> String {
        let masks = if self.mask_dates { "dates" } else { "none" };
        let (features, segmenter) = (&self.features, self.segmenter.id());
        format!("v{VERSION} {features} {segmenter} xxh3 mask={masks}")
    }
}

/// How words are found in scripts without spaces; written `pairs`, `dictionary`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Segmenter {
    /// Every two neighbouring characters are a word: two editions of a text that a dictionary cuts differently still
    /// differ only where their characters do.
    #[default]
    Pairs,
    /// Words of a dictionary, for Chinese, Japanese, Thai, Lao, Khmer and Burmese; Korean, which has spaces, is cut at
    /// them.
    #[cfg(feature = "dictionary")]
    Dictionary,
}

impl Segmenter {
    /// All that this build of the crate has.
    pub const ALL: &[Self] = &[
        Self::Pairs,
        #[cfg(feature = "dictionary")]
        Self::Dictionary,
    ];

    /// Its name with the version of its dictionary.
    fn id(self) -> String {
        match self {
            Self::Pairs => self.to_string(),
            #[cfg(feature = "dictionary")]
            Self::Dictionary => format!("{self}/{}", crate::dictionary::VERSION),
        }
    }
}

impl fmt::Display for Segmenter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Pairs => "pairs",
            #[cfg(feature = "dictionary")]
            Self::Dictionary => "dictionary",
        })
    }
}

impl FromStr for Segmenter {
    type Err = InvalidScheme;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let named = Self::ALL.iter().find(|segmenter| segmenter.to_string() == text);
        named.copied().ok_or_else(|| match text {
            "dictionary" => InvalidScheme::NoDictionary,
            _ => InvalidScheme::Segmenter(text.to_owned()),
        })
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

/// A scheme that cannot be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidScheme {
    /// See the message.
    #[error(
        "{0:?} names no features: write words, 2-shingles to 9-shingles (runs of words) or 1-grams to 9-grams (runs of \
         characters), several joined by +, as in words+2-shingles"
    )]
    Features(String),
    /// See the message.
    #[error("{0:?} names no segmenter: write pairs or dictionary")]
    Segmenter(String),
    /// See the message.
    #[error("this build has no dictionary: write pairs, or build the dedup crate with its feature \"dictionary\"")]
    NoDictionary,
    /// See the message.
    #[error("{0:?} names no weights: write tf, log-tf, tf-levels, tf-idf or improved")]
    Weighting(String),
    /// See the message.
    #[error("the weights {0} go by a table of document counts: build one from a corpus, and name it")]
    NoTable(Weighting),
    /// See the message.
    #[error(
        "the weights {0} go by frequency alone: leave the table of document counts out, or take tf-idf or improved"
    )]
    IdleTable(Weighting),
    /// See the message.
    #[error("the table of document counts was built for {found:?}, not {wanted:?}: build one for these features")]
    OtherTable {
        /// What the table was built for.
        found: String,
        /// What the scheme's features are.
        wanted: String,
    },
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
    fn segmenters_are_written_as_they_are_read() {
        for segmenter in Segmenter::ALL {
            assert_eq!(segmenter.to_string().parse(), Ok(*segmenter));
        }
        assert!("jieba".parse::<Segmenter>().unwrap_err().to_string().contains("pairs"));
        assert_eq!("dictionary".parse::<Segmenter>().is_ok(), cfg!(feature = "dictionary"));
    }

    #[test]
    fn the_name_tells_apart_what_must_not_be_compared() {
        let scheme = Scheme::default();
        let table = |texts: &[&str]| {
            let mut builder = crate::idf::IdfBuilder::new(&scheme);
            texts.iter().for_each(|text| builder.add(text));
            Some(Arc::new(builder.freeze()))
        };
        let weighted = |weighting, table| scheme.clone().weighted(weighting, table).unwrap();
        let mut schemes = vec![
            weighted(Weighting::LogTf, None),
            weighted(Weighting::TfIdf, table(&["a b", "a c"])),
            weighted(Weighting::Improved, table(&["a b", "a c"])),
            weighted(Weighting::Improved, table(&["a b", "a b"])),
        ];
        for width in Width::ALL {
            schemes.push(Scheme {
                width,
                ..scheme.clone()
            });
        }
        for features in ["words+2-grams", "2-grams"] {
            let features = features.parse().unwrap();
            schemes.push(Scheme {
                features,
                ..scheme.clone()
            });
        }
        schemes.push(Scheme {
            mask_dates: false,
            ..scheme.clone()
        });
        schemes.push(Scheme {
            min_words: 7,
            ..scheme.clone()
        });
        for segmenter in &Segmenter::ALL[1..] {
            schemes.push(Scheme {
                segmenter: *segmenter,
                ..scheme.clone()
            });
        }
        let names: std::collections::BTreeSet<_> = schemes.iter().map(Scheme::id).collect();
        assert_eq!(names.len(), schemes.len(), "{names:#?}");
    }

    #[test]
    fn a_table_must_be_there_when_it_is_needed_and_speak_of_the_same_features() {
        let scheme = Scheme::default();
        let table = Arc::new(crate::idf::IdfBuilder::new(&scheme).freeze());
        let refused = |scheme: Scheme, weighting, table| scheme.weighted(weighting, table).unwrap_err();
        let refusal = refused(scheme.clone(), Weighting::TfIdf, None);
        assert_eq!(refusal, InvalidScheme::NoTable(Weighting::TfIdf));
        let refusal = refused(scheme.clone(), Weighting::Tf, Some(table.clone()));
        assert_eq!(refusal, InvalidScheme::IdleTable(Weighting::Tf));
        let other = Scheme {
            mask_dates: false,
            ..scheme.clone()
        };
        let refusal = refused(other, Weighting::TfIdf, Some(table.clone()));
        assert!(matches!(refusal, InvalidScheme::OtherTable { .. }));
        // The width and the floor are no matter of features.
        let other = Scheme {
            width: Width::W128,
            min_words: 0,
            ..scheme
        };
        assert!(other.weighted(Weighting::Improved, Some(table)).is_ok());
    }
}
