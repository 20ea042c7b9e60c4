//! Parquet: each row is a JSON object, with its structs as objects.
//!
//! The file is read row group by row group and page by page, and only the columns that somebody needs. Compressed by zstd, Snappy or gzip.

#[cfg(feature = "parquet")]
mod columns;
#[cfg(feature = "parquet")]
mod rows;
#[cfg(feature = "parquet")]
mod value;

use std::ops::ControlFlow;
use std::sync::atomic::AtomicU64;

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
    match (&source.path, source.bytes) {
        (Some(path), Some(_)) => rows::read(source, path, reading, bytes_read, batcher),
        _ => batcher.fault(whole(
            "it is a Parquet file, whose table of contents is at its end: save it, and give the file".into(),
        )),
    }
}
