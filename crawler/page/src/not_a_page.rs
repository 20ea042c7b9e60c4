//! Why bytes are not a page.

use documents::Kind;

/// Why bytes are not a page.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NotAPage {
    /// The header declares a media type that is not one of pages.
    #[error("content type {0}")]
    MediaType(String),
    /// The header declares no media type, and the bytes are binary.
    #[error("no content type, and not text")]
    Binary,
    /// The header declares a page, and the bytes are those of another type.
    #[error("declared {declared}, but the bytes are {found}")]
    OtherBytes {
        /// The declared media type.
        declared: String,
        /// The media type by the first bytes, or `binary data`.
        found: &'static str,
    },
    /// The decoded text is longer than [`Options::max_text_bytes`](crate::Options::max_text_bytes).
    #[error("text over {limit} bytes after decoding")]
    TooLong {
        /// The bound.
        limit: usize,
    },
    /// The bytes are a document that cannot be read.
    #[error("{}: {fault}", kind.media_type())]
    Document {
        /// The kind of the document.
        kind: Kind,
        /// Why it cannot be read.
        fault: documents::Fault,
    },
}
