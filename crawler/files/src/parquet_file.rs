//! Parquet: each row is a JSON object, with its structs as objects.
//!
//! The file is read row group by row group and page by page, and only the columns that somebody needs. Compressed by zstd, Snappy or gzip.
//!
//! [`copy_rows`] copies chosen rows to another file, with all their columns: `chosen` names them, `table` has the columns, `copy` the values,
//! `added` those of further columns; `input` reads a file at any place.

#[cfg(feature = "parquet")]
mod added;
mod chosen;
#[cfg(feature = "parquet")]
mod columns;
#[cfg(feature = "parquet")]
mod copy;
mod error;
#[cfg(feature = "parquet")]
mod input;
#[cfg(not(feature = "parquet"))]
mod no_table;
#[cfg(feature = "parquet")]
mod rows;
#[cfg(feature = "parquet")]
mod table;
#[cfg(test)]
#[cfg(feature = "parquet")]
mod tests;
#[cfg(feature = "parquet")]
mod value;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

pub use self::chosen::{AddedColumn, AddedKind, row_line};
#[cfg(feature = "parquet")]
pub use self::copy::copy_rows;
pub use self::error::TableError;
#[cfg(not(feature = "parquet"))]
pub use self::no_table::{Table, copy_rows};
#[cfg(feature = "parquet")]
pub use self::table::Table;
use super::batch::Batcher;
use super::place::{At, Fault};
use super::reading::Reading;
use super::walk::Source;

/// Bytes of input that were read.
#[cfg_attr(
    not(feature = "parquet"),
    allow(dead_code, reason = "no other format counts by itself")
)]
pub(super) struct BytesRead<'a> {
    pub counter: &'a AtomicU64,
    /// Those of this file that are already counted.
    pub of_file: u64,
}

/// Reads a file to its end.
pub(super) fn read(
    source: &Source,
    reading: &Reading,
    bytes_read: &BytesRead<'_>,
    batcher: &mut Batcher<'_>,
) -> ControlFlow<()> {
    let whole = |reason: String| Fault::new(source.place(At::Whole), reason);
    #[cfg(not(feature = "parquet"))]
    {
        let _ = (reading, bytes_read);
        batcher.fault(whole(
            "it is a Parquet file, and this program was built without the feature parquet".into(),
        ))
    }
    #[cfg(feature = "parquet")]
    match source.bytes {
        Some(_) => rows::read(source, reading, bytes_read, batcher),
        None => batcher.fault(whole(
            "it is a Parquet file, whose table of contents is at its end: save it, and give the file".into(),
        )),
    }
}
