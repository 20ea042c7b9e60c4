//! The tree of a response with all attributes, for the readings that a crawl makes only on request, and one of these readings: the metadata.

use std::time::SystemTime;

use documents::Kinds;
use http::HeaderMap;
use url::Url;

use crate::content_type::{self, charset};
use crate::decode::decode_from;
use crate::format::Format;
use crate::metadata::{self, Metadata};
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

/// What the page with this body, these header fields and this URL says about itself. `fetched` is the time of the response: a page cannot know
/// a later one. `None` if the response is not HTML.
///
/// A crawl does not call it; what asks for metadata pays for a parse of its own, because the tree of a crawl has not all attributes.
#[must_use]
pub fn metadata(bytes: &[u8], headers: &HeaderMap, url: &Url, fetched: SystemTime) -> Option<Metadata> {
    let document = parse(bytes, headers, url)?;
    Some(metadata::of_document(&document, url, fetched))
}
