//! Why rows cannot be copied.

use std::io;

#[cfg(feature = "parquet")]
use parquet::errors::ParquetError;

/// Why rows cannot be copied.
#[derive(Debug, thiserror::Error)]
pub enum TableError {
    /// The program cannot read Parquet.
    #[error("this program was built without the feature parquet")]
    NotBuilt,
    /// An input has no rows to copy.
    #[error(
        "{0} is no Parquet file, and only rows of Parquet files can be written as Parquet: name an output without the ending .parquet for JSON lines"
    )]
    NoTable(String),
    /// No input can be read.
    #[error("no input is a Parquet file that can be read: {0}")]
    NoFile(String),
    /// A column cannot be read. The verdicts may not need it.
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
    /// Two files have the same columns in Parquet, and different schemas in Arrow.
    #[error(
        "{name} and {first} have different Arrow schemas (ARROW:schema in their metadata), although their Parquet columns are the same: \
         run one command for each schema, or write the files again with one schema"
    )]
    OtherTypes {
        /// The file.
        name: String,
        /// The one before.
        first: String,
    },
    /// Two files have no common schema.
    #[error(
        "the column \"{column}\" of {first} or {name} is not in the other file with the same type and in the same place: one Parquet file takes only rows \
         with the same columns; run another command for the files with other columns"
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
    /// A file has changed.
    #[error("{0} has changed since its rows were read: run the command again")]
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

    /// An error of a step that reads this file and writes another one. The library does not tell which of the two failed; only a full disk is
    /// always an error of writing.
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
        let reason = "it has an id that is no whole number, although the id column has only whole numbers";
        Self::Chosen(io::Error::new(io::ErrorKind::InvalidData, reason))
    }

    pub(super) fn other_lines() -> Self {
        Self::Chosen(io::Error::new(io::ErrorKind::InvalidData, "it belongs to other input"))
    }
}
