//! Who answers the requests of pages.

use std::time::Duration;

use bytes::Bytes;
use url::Url;

/// What a page asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A script.
    Script,
    /// A style sheet.
    Style,
    /// What a script asks for by `fetch` or `XMLHttpRequest`.
    Data,
}

/// A GET request of a page.
#[derive(Debug, Clone)]
pub struct Request {
    /// The page.
    pub page: Url,
    /// The URL: http or https.
    pub url: Url,
    /// What it asks for.
    pub kind: Kind,
    /// The header fields of the page's own choice, in lower case, without those that describe the browser, the connection or cookies.
    pub headers: Vec<(String, String)>,
}

/// An answer. A redirect is an answer, too: the browser follows it with a new request.
#[derive(Debug, Clone)]
pub struct Resource {
    /// HTTP status code.
    pub status: u16,
    /// The header fields.
    pub headers: Vec<(String, String)>,
    /// The body without its Content-Encoding.
    pub body: Bytes,
    /// How long the request waited for its turn.
    pub waited: Duration,
    /// Whether no request was needed.
    pub is_cached: bool,
}

/// Why a request has no answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unanswered {
    /// It is not allowed, or failed. It would not have an answer another time, either, as far as one knows.
    Never,
    /// Its turn did not come in time. The page may say more another time.
    NoTurn,
}

/// Answers the requests of pages.
pub trait Resources: Send + Sync + 'static {
    /// The answer, within a bounded time.
    fn get(&self, request: Request) -> impl Future<Output = Result<Resource, Unanswered>> + Send;
}
