//! Why a document has no text for us.

use serde::{Deserialize, Serialize};

/// Why a document could not be read.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
pub enum Fault {
    /// It is encrypted, and the empty password does not open it.
    #[error("it is encrypted")]
    Encrypted,
    /// It is not what its first bytes promise.
    #[error("it is broken: {0}")]
    Broken(String),
    /// It has pages, but no text.
    #[error("its {pages} page(s) have no text: they are probably scanned pictures")]
    WithoutText {
        /// Number of pages.
        pages: u64,
    },
    /// Its text is longer than [`Limits::max_text_bytes`](crate::Limits::max_text_bytes).
    #[error("its text is over {limit} bytes")]
    TooLong {
        /// The bound.
        limit: usize,
    },
    /// Its unpacked files are larger than [`Limits::max_unpacked_bytes`](crate::Limits::max_unpacked_bytes).
    #[error("it is over {limit} bytes when unpacked")]
    TooLarge {
        /// The bound.
        limit: u64,
    },
    /// The reading took longer than [`Limits::max_seconds`](crate::Limits::max_seconds).
    #[error("it was given up after {seconds} s")]
    TookTooLong {
        /// The bound.
        seconds: u64,
    },
    /// The reading needed more memory than [`Limits::max_memory_bytes`](crate::Limits::max_memory_bytes).
    #[error("it needs more than {limit} bytes of memory")]
    OutOfMemory {
        /// The bound.
        limit: u64,
    },
    /// The parser failed.
    #[error("the parser failed: {0}")]
    Crashed(String),
    /// No process could be started to read it. The document may be in order.
    #[error("no process could be started to read it: {0}")]
    Unavailable(String),
}

impl Fault {
    /// A word for counts and for programs.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Encrypted => "document_encrypted",
            Self::Broken(_) => "document_broken",
            Self::WithoutText { .. } => "document_without_text",
            Self::TooLong { .. } | Self::TooLarge { .. } => "document_too_large",
            Self::TookTooLong { .. } => "document_time",
            Self::OutOfMemory { .. } => "document_memory",
            Self::Crashed(_) => "document_crash",
            Self::Unavailable(_) => "document_unavailable",
        }
    }
}
