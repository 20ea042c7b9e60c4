//! A scheme: the settings that determine the signature of a text.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::fingerprint::Width;
use crate::idf::IdfTable;
use crate::weights::{UnknownWeighting, Weighting, Weights};

/// Version of everything that no field of [`Scheme`] determines: normalisation, tables, tokenisation, hashes.
const VERSION: u32 = 4;

/// How a text becomes a signature. Signatures of different schemes cannot be compared.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scheme {
    /// Width of the fingerprints.
    pub width: Width,
    /// The features of a text.
    pub features: Features,
    /// How text in scripts without spaces is segmented into words.
    pub segmenter: Segmenter,
    /// The weights of the features; set by [`Scheme::weighted`].
    pub weights: Weights,
    /// Whether all dates and clock times count as one feature.
    pub mask_dates: bool,
    /// The floor: texts with fewer words have no fingerprint, because SimHash is unreliable for them.
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
    /// The scheme with another weighting, and with the IDF table that this weighting may need.
    ///
    /// Set features, segmenter and masks first: the table must have been built for the same ones.
    ///
    /// # Errors
    /// The table is missing, is not needed, or was built for other features.
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

    /// The name of the scheme, to be stored with signatures: signatures are comparable if and only if the names are
    /// equal.
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

    /// The part of the name that determines the features: with equal parts, a text has equal features.
    #[must_use]
    pub fn text_id(&self) -> String {
        let masks = if self.mask_dates { "dates" } else { "none" };
        let (features, segmenter) = (&self.features, self.segmenter.id());
        format!("v{VERSION} {features} {segmenter} xxh3 mask={masks}")
    }
}

/// How text in scripts without spaces is segmented into words; written `pairs`, `dictionary`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub enum Segmenter {
    /// Every pair of neighbouring characters is a word. Two editions of a text then differ only where their characters
    /// differ, while a dictionary may segment them differently elsewhere.
    #[default]
    Pairs,
    /// Words of a dictionary, for Chinese, Japanese, Thai, Lao, Khmer and Burmese. Korean is split at its spaces.
    #[cfg(feature = "dictionary")]
    Dictionary,
}

impl Segmenter {
    /// All segmenters in this build of the crate.
    pub const ALL: &[Self] = &[
        Self::Pairs,
        #[cfg(feature = "dictionary")]
        Self::Dictionary,
    ];

    /// The name of the segmenter with the version of its dictionary.
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
pub(crate) enum Feature {
    /// Words and numbers; in scripts without spaces, the words of the [`Segmenter`].
    Words,
    /// Runs of this many words, 2 to 9. Each character of a script without spaces counts as a word.
    Shingles(u8),
    /// Runs of this many characters, 1 to 9, with one space between words.
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
    pub(crate) fn kinds(&self) -> &[Feature] {
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

/// An invalid scheme.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum InvalidScheme {
    /// A text that names no features.
    #[error(
        "{0:?} names no features: write words, 2-shingles to 9-shingles (runs of words) or 1-grams to 9-grams (runs of \
         characters), joined by + if there are several, as in words+2-shingles"
    )]
    Features(String),
    /// A text that names no segmenter.
    #[error("{0:?} names no segmenter: write pairs or dictionary")]
    Segmenter(String),
    /// The dictionary is not in this build.
    #[error("this build has no dictionary: write pairs, or build the dedup crate with its feature \"dictionary\"")]
    NoDictionary,
    /// A text that names no weighting.
    #[error(transparent)]
    Weighting(#[from] UnknownWeighting),
    /// The weighting needs a table.
    #[error("the weights {0} need a table of document counts: build one from a corpus and name it")]
    NoTable(Weighting),
    /// The weighting uses no table.
    #[error(
        "the weights {0} use frequency alone: leave out the table of document counts, or choose tf-idf or improved"
    )]
    IdleTable(Weighting),
    /// The table was built for other features.
    #[error("the table of document counts was built for {found:?}, not {wanted:?}: build one for these features")]
    OtherTable {
        /// Text id of the table.
        found: String,
        /// Text id of the scheme.
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
    fn features_have_one_written_form() {
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
    fn a_written_segmenter_parses_to_itself() {
        for segmenter in Segmenter::ALL {
            assert_eq!(segmenter.to_string().parse(), Ok(*segmenter));
        }
        assert!("jieba".parse::<Segmenter>().unwrap_err().to_string().contains("pairs"));
        assert_eq!("dictionary".parse::<Segmenter>().is_ok(), cfg!(feature = "dictionary"));
    }

    #[test]
    fn schemes_that_must_not_be_compared_have_different_names() {
        let scheme = Scheme::default();
        let table = |texts: &[&str]| {
            let mut builder = crate::idf_builder::IdfBuilder::new(&scheme);
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
    fn a_table_must_exist_exactly_where_it_is_needed_and_be_of_the_same_features() {
        let scheme = Scheme::default();
        let table = Arc::new(crate::idf_builder::IdfBuilder::new(&scheme).freeze());
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
        // Width and floor do not change the features.
        let other = Scheme {
            width: Width::W128,
            min_words: 0,
            ..scheme
        };
        assert!(other.weighted(Weighting::Improved, Some(table)).is_ok());
    }
}
