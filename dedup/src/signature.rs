//! What a verdict goes by: everything that is kept of a text.

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::sketch::Sketch;

/// Names a document; given by the caller, who may read an order into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocId(pub u64);

/// 128-bit hash of a normalised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Digest(#[serde(with = "postcard::fixint::le")] pub u128);

/// A text's traces, made by an [`Analyzer`](crate::Analyzer). Signatures of different schemes must not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signature {
    /// Of the normalised text; `None` for a text without a token.
    pub digest: Option<Digest>,
    /// `None` for a text under the scheme's floor.
    pub fingerprint: Option<Fingerprint>,
    /// `None` for a text under the scheme's floor.
    pub sketch: Option<Sketch>,
    /// Of what is said about the text rather than in it: title, keywords, tags, references; `None` where nothing is.
    pub metadata: Option<Sketch>,
    /// The hashes of all shingles, ascending; only of a text under 1.25 times the floor, to be compared exactly with texts
    /// under it.
    #[serde(with = "hashes")]
    pub shingles: Vec<u64>,
    /// Hash of the numbers of the text, dates left out, whatever their order: prices, sizes, model numbers.
    #[serde(with = "postcard::fixint::le")]
    pub numbers: u64,
    /// Tokens of the text, a date or clock time counting as one.
    pub tokens: u32,
}

/// Hashes in eight bytes each: as numbers of variable length they would take nine or ten.
pub(crate) mod hashes {
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    #[derive(Serialize, Deserialize)]
    #[serde(transparent)]
    struct Hash(#[serde(with = "postcard::fixint::le")] u64);

    pub fn serialize<S: Serializer>(hashes: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(hashes.iter().map(|&hash| Hash(hash)))
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let hashes = Vec::<Hash>::deserialize(deserializer)?;
        Ok(hashes.into_iter().map(|Hash(hash)| hash).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_signature_takes_little_more_than_its_bits() {
        let long = Signature {
            digest: Some(Digest(u128::MAX)),
            fingerprint: Some(u64::MAX.into()),
            sketch: Sketch::new(&[1, 2, 3]),
            numbers: u64::MAX,
            tokens: 1_000,
            ..Signature::default()
        };
        let short = Signature {
            shingles: vec![u64::MAX; 10],
            ..Signature::default()
        };
        for (signature, bits) in [(long, 16 + 8 + 128 + 8), (short, 80 + 8)] {
            let bytes = postcard::to_stdvec(&signature).unwrap();
            assert!(bytes.len() <= bits + 10, "{} bytes", bytes.len());
            assert_eq!(postcard::from_bytes::<Signature>(&bytes).unwrap(), signature);
        }
    }
}
