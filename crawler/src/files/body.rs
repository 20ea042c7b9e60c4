//! A page or a text in a batch, not yet parsed.

use bytes::Bytes;

use super::place::Place;

/// The bytes of a page or a text, with the input's statements about them.
#[derive(Debug)]
pub(super) struct Body {
    pub place: Place,
    /// `None` if the place serves as the id.
    pub id: Option<String>,
    pub url: Option<String>,
    /// The `Content-Type` of the record, or the media type of the file's ending.
    pub content_type: String,
    /// Only for the body of an HTTP response.
    pub codings: Option<Codings>,
    /// `WARC-Block-Digest`.
    pub digest: Option<String>,
    /// Bytes of `bytes` before the body.
    pub head_bytes: usize,
    pub bytes: Bytes,
}

/// The codings of an HTTP body.
#[derive(Debug)]
pub(super) struct Codings {
    pub is_chunked: bool,
    pub content_encoding: Option<String>,
}
