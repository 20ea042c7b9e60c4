//! What comes in.

use std::fmt;

/// A page as it is exported.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportedPage {
    /// The URL it was fetched by.
    pub url: String,
    /// Its host, with `:port` where that is not the usual one.
    pub host: String,
    /// Its title; empty if it has none.
    pub title: String,
    /// Its main text; `None` for a duplicate.
    pub text: Option<String>,
    /// ISO 639-1 code of the text's language.
    pub language: Option<String>,
    /// When it was fetched, milliseconds since the Unix epoch.
    pub fetched_at: i64,
    /// Fingerprint of the text; `None` for one that is too short.
    pub fingerprint: Option<Fingerprint>,
    /// HTTP status.
    pub status: u16,
    /// `Content-Type` as received.
    pub content_type: String,
    /// Character encoding that the body was decoded by.
    pub encoding: String,
    /// Links from a seed.
    pub depth: u16,
    /// Bytes of the body.
    pub body_bytes: u64,
    /// Characters of the text.
    pub text_chars: u64,
    /// What was decided.
    pub verdict: Verdict,
    /// URL of the kept page that it duplicates, while there is one.
    pub duplicate_of: Option<String>,
    /// Hamming distance of the two fingerprints in bits.
    pub distance: Option<u32>,
    /// Similarity of the two texts, 0 to 1.
    pub similarity: Option<f64>,
    /// Digest of the body: `sha1:` and base 32.
    pub digest: String,
    /// The URL that the page names as its canonical one.
    pub canonical: Option<String>,
}

/// Whether a page says anything new.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    /// It does.
    #[default]
    Kept,
    /// Its text is that of another page.
    Exact,
    /// Its text is nearly that of another page.
    Near,
}

impl Verdict {
    /// `kept`, `exact` or `near`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }
}

/// A fingerprint of 32, 64 or 128 bits. It is shown as hexadecimal digits, four bits each.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Its bits as a number.
    pub value: u128,
    /// How many they are.
    pub bits: u32,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0digits$x}", self.value, digits = self.bits as usize / 4)
    }
}
