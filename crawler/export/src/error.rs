//! What ends an export.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// What ends an export. Nothing that was written before it looks complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// A file, a folder or standard output.
    #[error("cannot {action} {path}: {source}{}", advice(source))]
    Io {
        /// `write`, `create`, …
        action: &'static str,
        /// The file, or a word for the stream.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// The folder to be made has something in it.
    #[error("{} is not empty: name a folder that is new or empty, or remove it first", .0.display())]
    NotEmpty(PathBuf),
    /// Something that is no unfinished export stands in the way.
    #[error(
        "{} is where an export is written until it is complete, but it holds something else: move it away",
        .0.display()
    )]
    InTheWay(PathBuf),
    /// The destination cannot be this format's.
    #[error("{0}")]
    Destination(String),
    /// The Parquet file could not be put together.
    #[error("cannot make the Parquet file {path}: {reason}")]
    Parquet {
        /// The file.
        path: String,
        /// What the library said.
        reason: String,
    },
}

impl ExportError {
    pub(crate) fn io(action: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.display().to_string(),
            source,
        }
    }

    /// Whether whoever reads the output has stopped reading.
    #[must_use]
    pub fn is_reader_gone(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == ErrorKind::BrokenPipe)
    }

    /// Whether another destination must be named, as opposed to one that does not work.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NotEmpty(_) | Self::InTheWay(_) | Self::Destination(_))
    }
}

/// A folder is named where one file is written.
pub(crate) fn not_one_file(dir: &Path) -> ExportError {
    ExportError::Destination(format!(
        "{} is a folder, but what is written is one file: name that",
        dir.display()
    ))
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space or name another place, and run the same command again: it begins anew"
        }
        ErrorKind::FileTooLarge => {
            "; raise the limit on file sizes, or export in parts (--host, --language, --since, --until)"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "; name a place that this user may write to",
        ErrorKind::NotFound => "; the folder that is to hold it must exist",
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_full_disk_is_one_sentence_that_says_what_to_do() {
        let error = ExportError::io("write", Path::new("out.csv.partial"), ErrorKind::StorageFull.into());
        let message = error.to_string();
        assert!(message.starts_with("cannot write out.csv.partial: "), "{message}");
        assert!(
            message.contains("free some space") && !message.contains('\n'),
            "{message}"
        );
    }
}
