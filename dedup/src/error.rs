//! The errors of an index. Each message says what to do.

use std::path::PathBuf;

use crate::duplicate_rule::InvalidDuplicateRule;
use crate::layout::LayoutError;

/// An error of the index.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum DedupError {
    /// No layout guarantees the distance of the rule.
    #[error(transparent)]
    Layout(#[from] LayoutError),
    /// The rule is invalid.
    #[error(transparent)]
    Rule(#[from] InvalidDuplicateRule),
    /// The index holds signatures of another scheme, which cannot be compared with those of this one.
    #[error("the index was made with scheme {found:?}, not {wanted:?}: compute the fingerprints again from the texts")]
    OtherScheme {
        /// The scheme of the index.
        found: String,
        /// The scheme asked for.
        wanted: String,
    },
    /// The index has the layout of another rule. It can be rebuilt from the signatures.
    #[error("the index has the layout {found:?}, not {wanted:?}: clear it and insert the signatures again")]
    OtherLayout {
        /// The layout of the index.
        found: String,
        /// The layout asked for.
        wanted: String,
    },
    /// The index was made for a narrower rule and would miss duplicates.
    #[error(
        "the index was made for a smaller `max_distance` or a greater `min_similarity_short` than those of the rule: make it \
         for the rule"
    )]
    NarrowIndex,
    /// A row of the index is damaged.
    #[error("a row of the index's tree {0} is damaged: clear the index and insert the signatures again")]
    Corrupt(&'static str),
    /// The fingerprint has another width than the index.
    #[error(
        "an index of {wanted} bits cannot hold a fingerprint of {found} bits: make the index with a layout of that width"
    )]
    OtherWidth {
        /// The width of the fingerprint in bits.
        found: u32,
        /// The width of the index in bits.
        wanted: u32,
    },
    /// The index in memory holds its upper bound of 2^31 fingerprints.
    #[error("the index in memory is full: it holds 2^31 fingerprints")]
    Full,
    /// The temporary file of an index in memory cannot be opened, read or written.
    #[error("the temporary file in {} cannot be used: {}", .folder.display(), system_words(.source))]
    Spill {
        /// The folder of the file.
        folder: PathBuf,
        /// The error of the system.
        source: std::io::Error,
    },
    /// A signature cannot be encoded or decoded.
    #[error("a signature of the index is damaged: clear the index and insert the signatures again")]
    Signature(#[from] postcard::Error),
    /// The index was opened for reading only.
    #[error("the index is open for reading only")]
    ReadOnly,
    /// The server of the index cannot be used.
    #[cfg(feature = "redis")]
    #[error(transparent)]
    Server(#[from] crate::index::ServerError),
    /// sled failed.
    #[error("the index cannot be read or written: {}", in_words(.0))]
    Sled(#[from] sled::Error),
}

/// The message for an error of the disk or of the index. It omits sled's own message, which is for the developers of sled.
fn in_words(error: &sled::Error) -> String {
    match error {
        sled::Error::Io(error) => system_words(error),
        _ => "its database is inconsistent".to_owned(),
    }
}

/// The text of an error of the system. sled repeats some as an error whose text is their form for programmers.
pub(crate) fn system_words(error: &std::io::Error) -> String {
    let text = error.to_string();
    let message = text
        .split_once("message: \"")
        .and_then(|(_, rest)| rest.split_once('"'));
    let words = match message {
        Some((message, _)) if text.starts_with("Os {") => message.to_owned(),
        _ => text,
    };
    match error.kind() {
        std::io::ErrorKind::StorageFull | std::io::ErrorKind::QuotaExceeded => {
            format!("{words}; free some space and run again: what was saved is safe")
        }
        _ => words,
    }
}

impl DedupError {
    /// Whether clearing the index and inserting the same signatures again repairs it.
    #[must_use]
    pub fn is_other_layout(&self) -> bool {
        matches!(self, Self::OtherLayout { .. })
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Error, ErrorKind};

    use super::*;

    #[test]
    fn an_error_of_the_disk_is_in_words() {
        let system = Error::from_raw_os_error(28);
        let repeated = Error::new(ErrorKind::StorageFull, format!("{system:?}"));
        for error in [system, repeated] {
            let message = DedupError::from(sled::Error::Io(error)).to_string();
            assert!(
                message.contains("free some space") && !message.contains("Os {"),
                "{message}"
            );
        }
    }
}
