//! The errors that end an export.

use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

/// An error that ends an export. The part written before it does not look complete.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ExportError {
    /// An operation on a file, a folder or standard output failed.
    #[error("cannot {action} {path}: {source}{}", advice(source))]
    Io {
        /// `write`, `create`, …
        action: &'static str,
        /// The file, or a word for the stream.
        path: String,
        /// The error of the system.
        source: io::Error,
    },
    /// The folder of the export exists and is not empty.
    #[error("{} is not empty: name a folder that is new or empty, or remove it first", .0.display())]
    NotEmpty(PathBuf),
    /// The path of the incomplete export is taken by something else.
    #[error(
        "an export is written to {} until it is complete, and there is a folder without the mark NOT-COMPLETE.txt of an earlier export: it may be \
         yours; move or remove it, or name another --output",
        .0.display()
    )]
    InTheWay(PathBuf),
    /// The format cannot be written to this destination.
    #[error("{0}")]
    Destination(String),
    /// The Parquet library failed.
    #[error("cannot make the Parquet file {path}: {reason}")]
    Parquet {
        /// The file.
        path: String,
        /// The error of the library.
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

    /// Whether the reader of the output has closed it.
    #[must_use]
    pub fn is_reader_gone(&self) -> bool {
        matches!(self, Self::Io { source, .. } if source.kind() == ErrorKind::BrokenPipe)
    }

    /// Whether the user must name another destination, as opposed to a failure of the system.
    #[must_use]
    pub fn is_usage(&self) -> bool {
        matches!(self, Self::NotEmpty(_) | Self::InTheWay(_) | Self::Destination(_))
    }
}

/// The error for a folder where the export needs one file.
pub(crate) fn not_one_file(dir: &Path) -> ExportError {
    ExportError::Destination(format!(
        "{} is a folder, but this export is one file: name a file",
        dir.display()
    ))
}

fn advice(error: &io::Error) -> &'static str {
    match error.kind() {
        ErrorKind::StorageFull | ErrorKind::QuotaExceeded => {
            "; free some space or name another place, and run the same command again: it starts from scratch"
        }
        ErrorKind::FileTooLarge => {
            "; raise the limit on file sizes, or export in parts (--host, --language, --since, --until)"
        }
        ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => "; name a place that this user may write to",
        ErrorKind::NotFound => "; its folder must exist",
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
