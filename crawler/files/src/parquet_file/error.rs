//! Why rows cannot be copied.

use std::io;

#[cfg(feature = "parquet")]
use parquet::errors::ParquetError;

/// Why rows cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The program cannot.
    #[error("this program was built without the feature parquet")]
    NotBuilt,
    /// An input has no rows to copy.
    #[error(
        "{0} is no Parquet file, and only rows of Parquet files can be written as Parquet: name an output without the ending .parquet for JSON lines"
    )]
    NoTable(String),
    /// No input has rows.
    #[error("no input is a Parquet file that can be read: {0}")]
    NoFile(String),
    /// A column cannot be read, which no verdict may need.
    #[error(
        "the column \"{column}\" of {name} is compressed by {compression}, which this program cannot read: write the file with zstd, Snappy or gzip"
    )]
    Compression {
        /// The file.
        name: String,
        /// The column.
        column: String,
        /// Its compression.
        compression: String,
    },
    /// The columns of two files mean different things to Arrow.
    #[error(
        "{name} and {first} have columns of different types for Arrow (ARROW:schema in their metadata), although Parquet stores them the same way: \
         give them to commands of their own, or write them anew with one schema"
    )]
    OtherTypes {
        /// The file.
        name: String,
        /// The one before.
        first: String,
    },
    /// Two files have no common schema.
    #[error(
        "the column \"{column}\" of {first} is not in {name} with the same type and place, or the other way round: one Parquet file takes only rows \
         with the same columns; give the files with other columns to a command of their own"
    )]
    OtherColumns {
        /// The file.
        name: String,
        /// The one before.
        first: String,
        /// The first column that differs.
        column: String,
    },
    /// A file cannot be read.
    #[error("cannot read the Parquet file {name}: {reason}")]
    Read {
        /// The file.
        name: String,
        /// What the library says.
        reason: String,
    },
    /// A file is not as it was.
    #[error("{0} has changed since its rows were read: decide on its documents again")]
    Changed(String),
    /// Somebody has asked to stop.
    #[error("stopped")]
    Stopped,
    /// The copy cannot be written.
    #[error("{0}")]
    Write(io::Error),
    /// The lines that name the rows cannot be read.
    #[error("the list of rows cannot be read: {0}")]
    Chosen(io::Error),
}

#[cfg(feature = "parquet")]
impl TableError {
    pub(super) fn read(name: &str, error: &ParquetError) -> Self {
        Self::Read {
            name: name.to_owned(),
            reason: error.to_string(),
        }
    }

    /// An error of the library about what it writes.
    pub(super) fn written(error: ParquetError) -> Self {
        Self::Write(match error {
            ParquetError::External(source) => match source.downcast::<io::Error>() {
                Ok(source) => *source,
                Err(source) => io::Error::other(source),
            },
            error => io::Error::other(error),
        })
    }

    /// An error of a step that reads from this file and writes. The library does not tell whose it is, except that the system's own errors
    /// of a full disk are of writing.
    pub(super) fn read_or_written(name: &str, error: ParquetError) -> Self {
        match Self::written(error) {
            Self::Write(error) if error.kind() != io::ErrorKind::StorageFull => Self::Read {
                name: name.to_owned(),
                reason: error.to_string(),
            },
            error => error,
        }
    }

    pub(super) fn other_id() -> Self {
        let reason = "an id is no whole number, although those of the id column are";
        Self::Chosen(io::Error::new(io::ErrorKind::InvalidData, reason))
    }

    pub(super) fn other_lines() -> Self {
        Self::Chosen(io::Error::new(io::ErrorKind::InvalidData, "it is of other input"))
    }
}
