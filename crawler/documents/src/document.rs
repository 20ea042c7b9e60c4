//! What a document says.

use serde::{Deserialize, Serialize};

/// What a document says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Document {
    /// The title; empty without one.
    pub title: String,
    /// The language that the document declares, as written (BCP 47 in most files).
    pub language: Option<String>,
    /// The text.
    pub content: Content,
    /// The targets of links as written, each once. Those within [`Content::Html`] are not repeated here.
    pub links: Vec<String>,
    /// Number of pages, for formats that have pages.
    pub pages: Option<u64>,
    /// Parts that the document names and does not have, as it names them. Their text is lost.
    pub missing: Vec<String>,
}

/// The text of a document.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Content {
    /// One block a line, with collapsed white space; the cells of a table row are one line.
    Text(String),
    /// Parts, each an HTML document or fragment whose text is all text of the document.
    Html(Vec<String>),
}

impl Content {
    /// Bytes of its text and markup.
    #[must_use]
    pub fn bytes(&self) -> usize {
        match self {
            Self::Text(text) => text.len(),
            Self::Html(parts) => parts.iter().map(String::len).sum(),
        }
    }
}
