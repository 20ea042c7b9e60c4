//! A page or a text in a batch, not yet parsed.

use bytes::Bytes;
use page::documents::Kind;

use super::place::Place;

/// The bytes of a page or a text, with the input's statements about them.
#[derive(Debug, Hash)]
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

impl Body {
    /// Whether its declared type is one of texts.
    pub fn is_text(&self) -> bool {
        let media_type = page::content_type::media_type(&self.content_type);
        let kind = media_type.and_then(|media_type| Kind::of_media_type(&media_type));
        matches!(kind, None | Some(Kind::Text | Kind::Markdown | Kind::Feed))
    }
}

/// The codings of an HTTP body.
#[derive(Debug, Hash)]
pub(super) struct Codings {
    pub is_chunked: bool,
    pub content_encoding: Option<String>,
}
