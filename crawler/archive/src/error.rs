//! What goes wrong with a store.

use std::io;

/// Why a file is not in the store, or cannot be read from there.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ArchiveError {
    /// The URL names no store.
    #[error(
        "{url} names no object store: write s3://BUCKET/PREFIX, gs://BUCKET/PREFIX, az://CONTAINER/PREFIX or file:///FOLDER ({detail})"
    )]
    Url {
        /// The URL.
        url: String,
        /// The fault.
        detail: String,
    },
    /// The store has no such file.
    #[error("{url}: there is no file of this name in the store, and none in a folder of this name")]
    NoFile {
        /// The URL.
        url: String,
    },
    /// The store has another file under this name.
    #[error(
        "{url} is there already, with other contents: it was put there by another crawl, or the local file has changed since"
    )]
    Conflict {
        /// The URL of the object.
        url: String,
    },
    /// What was read back is not what was written.
    #[error("{url} differs from the file that was put there: remove it from the store, it will be put there again")]
    Damaged {
        /// The URL of the object.
        url: String,
    },
    /// The store does not answer, or refuses.
    #[error("cannot {action} {url}: {source}")]
    Store {
        /// `put`, `read`, `list`.
        action: &'static str,
        /// The URL.
        url: String,
        /// What the client said.
        source: object_store::Error,
    },
    /// A local file.
    #[error("cannot {action} {path}: {source}")]
    File {
        /// `read`, `write`.
        action: &'static str,
        /// The file.
        path: String,
        /// What the system said.
        source: io::Error,
    },
}

pub(crate) fn failed(action: &'static str, url: &str, source: object_store::Error) -> ArchiveError {
    ArchiveError::Store {
        action,
        url: url.to_owned(),
        source,
    }
}
