//! The errors of a collection. Each message says what to do.

use std::path::{Path, PathBuf};

use super::id::Id;
use crate::error::DedupError;

/// An error of a collection.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CollectionError {
    /// The index refuses its settings, or cannot be read or written.
    #[error(transparent)]
    Index(#[from] DedupError),
    /// The id has another text.
    #[error("the document {0} is already there with another text: remove it first, or give the new one another id")]
    OtherText(Id),
    /// There is no such document.
    #[error("there is no document {0}")]
    Unknown(Id),
    /// The collection is in memory.
    #[error("the documents are in memory only: make the collection with a folder to save them")]
    NoFolder,
    /// The folder holds no collection.
    #[error("{} holds no saved documents: check the name of the folder, or make a new collection there", .0.display())]
    Missing(PathBuf),
    /// The folder has a database that is no collection.
    #[error("{} holds another database, for example the index of a crawl: choose another folder", .0.display())]
    OtherDatabase(PathBuf),
    /// The database of the folder is open elsewhere.
    #[error("{} is open elsewhere, in this process or in another: close it there first", .0.display())]
    InUse(PathBuf),
    /// The folder was made with other settings.
    #[error(
        "{} was made with {found}, not with {wanted}: open it with its own settings, or choose another folder",
        .folder.display()
    )]
    OtherSettings {
        /// The folder of the collection.
        folder: PathBuf,
        /// The settings of the collection.
        found: String,
        /// The settings asked for.
        wanted: String,
    },
    /// The folder was written by another version of this crate.
    #[error(
        "{} has the format {found}, and this version reads {wanted}: use the version that wrote it, or add the documents \
         again in another folder",
        .folder.display()
    )]
    OtherFormat {
        /// The folder of the collection.
        folder: PathBuf,
        /// The format of the collection.
        found: u8,
        /// The format of this version.
        wanted: u8,
    },
    /// The folder is damaged.
    #[error("{} is damaged ({reason}): add the documents again in another folder", .folder.display())]
    Damaged {
        /// The folder of the collection.
        folder: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The folder cannot be read or written.
    #[error("cannot read or write {}: {}", .folder.display(), crate::error::system_words(source))]
    Io {
        /// The folder of the collection.
        folder: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
}

impl CollectionError {
    pub(super) fn other_settings(folder: &Path, found: &impl ToString, wanted: &impl ToString) -> Self {
        Self::OtherSettings {
            folder: folder.to_owned(),
            found: found.to_string(),
            wanted: wanted.to_string(),
        }
    }
}

impl From<sled::Error> for CollectionError {
    fn from(error: sled::Error) -> Self {
        Self::Index(error.into())
    }
}
