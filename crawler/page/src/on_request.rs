//! The tree of a response with all attributes, for the readings that a crawl makes only on request.

use documents::Kinds;
use http::HeaderMap;
use url::Url;

use crate::content_type::{self, charset};
use crate::decode::decode_from;
use crate::format::Format;
use crate::parse::{Attributes, Document};
use crate::read::declared_media_type;

/// The tree of the response with this body, these header fields and this URL. `None` if the response is not HTML.
pub(crate) fn parse(bytes: &[u8], headers: &HeaderMap, url: &Url) -> Option<Document> {
    let declared = declared_media_type(headers);
    let format = Format::of(declared.as_deref(), bytes, Kinds::NONE).ok()?;
    let label = content_type::field(headers).and_then(|field| charset(&field));
    let decoded = decode_from(url, bytes, label.as_deref(), format.syntax());
    Some(format.parse(&decoded, Attributes::All))
}
