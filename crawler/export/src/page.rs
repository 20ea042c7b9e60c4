//! The pages of an export.

use std::fmt;

/// A page as it is exported.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct ExportedPage {
    /// Its URL.
    pub url: String,
    /// Its host, with `:port` if that is not the default.
    pub host: String,
    /// Its title; empty without one.
    pub title: String,
    /// Its main text; `None` for a duplicate.
    pub text: Option<String>,
    /// The ISO 639-1 code of its language.
    pub language: Option<String>,
    /// The time of its fetch, in milliseconds since the Unix epoch.
    pub fetched_at: i64,
    /// Fingerprint of the text; `None` if the text is too short.
    pub fingerprint: Option<Fingerprint>,
    /// HTTP status.
    pub status: u16,
    /// The `Content-Type` as received.
    pub content_type: String,
    /// Character encoding of the body.
    pub encoding: String,
    /// Number of links from a seed.
    pub depth: u16,
    /// Length of the body, in bytes.
    pub body_bytes: u64,
    /// Length of the text, in characters.
    pub text_chars: u64,
    /// The verdict.
    pub verdict: Verdict,
    /// URL of the kept page that it duplicates; `None` if that page is not kept any more.
    pub duplicate_of: Option<String>,
    /// Hamming distance of the two fingerprints in bits.
    pub distance: Option<u32>,
    /// Similarity of the two texts, 0 to 1.
    pub similarity: Option<f64>,
    /// Digest of the body: `sha1:` and base 32.
    pub digest: String,
    /// The URL that the page names as its canonical one.
    pub canonical: Option<String>,
    /// What kind of page it is; `None` if an earlier version of the crawler read it.
    pub page_type: Option<String>,
    /// Whether its text comes from the page after its scripts had run.
    pub is_rendered: bool,
    /// Its main text as Markdown; `None` if the export does not ask for it, or the page has no archived body.
    pub markdown: Option<String>,
    /// What it says about itself; empty if the export does not ask for it.
    pub metadata: Metadata,
}

/// What a page says about itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Metadata {
    /// Its title without the name of the site.
    pub headline: Option<String>,
    /// The names of its authors.
    pub authors: Vec<String>,
    /// When it was published: a day or a time of ISO 8601.
    pub published: Option<String>,
    /// When it was last changed, in the same form.
    pub modified: Option<String>,
    /// Its summary.
    pub description: Option<String>,
    /// The name of the site.
    pub site_name: Option<String>,
    /// Its tags or keywords.
    pub tags: Vec<String>,
    /// The section of the site.
    pub section: Option<String>,
    /// Its licence: a URL or a text.
    pub licence: Option<String>,
    /// The URL of its main image.
    pub image: Option<String>,
    /// Its type by its own words, such as `NewsArticle`.
    pub declared_type: Option<String>,
}

/// The verdict on a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Verdict {
    /// Its text is new.
    #[default]
    Kept,
    /// Its text equals the text of another page.
    Exact,
    /// Its text nearly equals the text of another page.
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

/// A fingerprint of 32, 64 or 128 bits, shown as hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// Its bits as a number.
    pub value: u128,
    /// Their number.
    pub bits: u32,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0digits$x}", self.value, digits = self.bits as usize / 4)
    }
}
