//! A response that the caller has fetched.

use bytes::Bytes;
use url::Url;

/// A response that the caller has fetched: the document of a page.
#[derive(Debug, Clone)]
pub struct Document {
    /// The URL that was asked.
    pub url: Url,
    /// HTTP status code.
    pub status: u16,
    /// The header fields; those of the transfer and of cookies are ignored.
    pub headers: Vec<(String, String)>,
    /// The body without its Content-Encoding.
    pub body: Bytes,
}
