//! The signature of a text: all data that a verdict uses.

use serde::{Deserialize, Serialize};

use crate::fingerprint::Fingerprint;
use crate::hash::hash128;
use crate::normalize::normalize;
use crate::sketch::{BANDS, Bands, Sketch};
use crate::subject::Subject;

/// Identifies a document. The caller assigns it. Of equally similar documents, a verdict names the one with the least
/// id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct DocId(pub u64);

/// 128-bit hash of a normalised text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Digest(#[serde(with = "postcard::fixint::le")] pub u128);

impl Digest {
    /// The digest of a text, which need not be [normalised](crate::normalize::normalize); `None` if nothing of it is left then. Texts with the
    /// same digest read the same. In a [`Signature`], a text without a token has none either.
    #[must_use]
    pub fn of_text(text: &str) -> Option<Self> {
        let normalized = normalize(text);
        (!normalized.is_empty()).then(|| Self::of_normalized(&normalized))
    }

    pub(crate) fn of_normalized(text: &str) -> Self {
        Self(hash128(text.as_bytes()))
    }
}

/// All data of a text that a verdict uses; made by an [`Analyzer`](crate::Analyzer). Signatures of different schemes
/// must not be compared.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Signature {
    /// Digest of the normalised text; `None` for a text without a token.
    pub digest: Option<Digest>,
    /// SimHash of the features; `None` for a text under the scheme's floor.
    pub fingerprint: Option<Fingerprint>,
    /// Sketch of the shingles; `None` for a text under the scheme's floor.
    pub sketch: Option<Sketch>,
    /// Bands of the shingles, by which a [`MemoryIndex`](crate::MemoryIndex) or a [`SledIndex`](crate::SledIndex) may find
    /// candidates; made only by an [`Analyzer::with_bands`](crate::Analyzer::with_bands). They are no part of a serialised
    /// signature; a [row](Self::to_row) has them behind it.
    #[serde(skip)]
    pub bands: Option<Box<Bands>>,
    /// Sketch of the metadata (title, keywords, tags, references); `None` without metadata.
    pub metadata: Option<Sketch>,
    /// What the document is about, to tell it from others of its group; `None` if the group or the heading is unknown.
    pub subject: Option<Subject>,
    /// Hashes of all shingles, ascending, for the exact comparison with texts under the floor; empty for a text above
    /// 1.25 times the floor.
    #[serde(with = "hashes")]
    pub shingles: Vec<u64>,
    /// Hash of the numbers of the text in any order, without dates: prices, sizes, model numbers.
    #[serde(with = "postcard::fixint::le")]
    pub numbers: u64,
    /// Number of tokens; a date or clock time counts as one.
    pub tokens: u32,
}

impl Signature {
    /// The signature as a row of a table, with its bands if it has some: postcard, then the bands as 16 × u64 LE. A reader
    /// that knows no bands stops before them.
    ///
    /// # Errors
    /// It cannot be encoded.
    pub fn to_row(&self) -> postcard::Result<Vec<u8>> {
        let mut row = postcard::to_stdvec(self)?;
        if let Some(bands) = &self.bands {
            row.extend(bands.hashes().iter().flat_map(|hash| hash.to_le_bytes()));
        }
        Ok(row)
    }

    /// The signature of a row, without its bands.
    ///
    /// # Errors
    /// The bytes are not a signature.
    pub fn from_row(row: &[u8]) -> postcard::Result<Self> {
        postcard::from_bytes(row)
    }

    /// The signature of a row, with its bands if the row has them.
    ///
    /// # Errors
    /// The bytes are not a signature.
    pub fn from_row_with_bands(row: &[u8]) -> postcard::Result<Self> {
        let (mut signature, rest) = postcard::take_from_bytes::<Self>(row)?;
        let (hashes, _) = rest.as_chunks::<8>().0.as_chunks::<BANDS>();
        signature.bands = hashes.first().map(|hashes| {
            let hashes: [u64; BANDS] = hashes.map(u64::from_le_bytes);
            Box::new(Bands::from(hashes))
        });
        Ok(signature)
    }
}

/// Serialises hashes in eight bytes each; as varints they would take nine or ten.
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
    use crate::analyzer::Analyzer;
    use crate::scheme::Scheme;

    #[test]
    fn the_digest_of_a_text_is_that_of_its_signature() {
        let text = "The  CAFE\u{301} and its ﬁsh";
        let signature = Analyzer::new(&Scheme::default()).analyze(text);
        assert_eq!(Digest::of_text(text), signature.digest);
        assert_eq!(Digest::of_text(" the café\tand its fish\r\n"), signature.digest);
        assert_eq!(Digest::of_text(" \u{200b}\n"), None);
        assert!(Digest::of_text("***").is_some());
    }

    #[test]
    fn a_stored_signature_takes_at_most_eleven_bytes_more_than_its_data() {
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
            assert!(bytes.len() <= bits + 11, "{} bytes", bytes.len());
            assert_eq!(postcard::from_bytes::<Signature>(&bytes).unwrap(), signature);
        }
    }
}
