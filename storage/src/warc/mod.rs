//! The archive: WARC 1.1 files (ISO 28500:2017), one gzip member a record.
//!
//! - [`capture`]: one fetched page as its `request`, `response` and `conversion` records, encoded.
//! - [`revisit`]: one fetch that brought nothing new as its `request`, `revisit` and `conversion` records, encoded.
//! - [`record`]: one record: its header fields, its digests, its bytes.
//! - `writer`: the files, rolled by size; what is appended becomes durable with one call.
//! - [`reader`]: one record by its location, or all records of a file in order, damaged ones reported.
//! - [`stream`]: all records of a stream of decompressed bytes, which cannot go back; damaged stretches reported.
//! - `metadata`: what the catalogue says of a page, so that it can be made anew from the files alone.
//! - `text_delta`: the text of a duplicate beside that of its kept page.
//! - `http_head`: the head of an HTTP response as it is stored.
//! - `medium`: the edge to the file system, so that every write can be made to fail in a test.

mod capture;
mod http_head;
pub(crate) mod location;
pub(crate) mod medium;
pub(crate) mod metadata;
pub(crate) mod reader;
pub(crate) mod record;
mod revisit;
mod stream;
pub(crate) mod tail;
pub(crate) mod text_delta;
pub(crate) mod writer;

pub use capture::{Capture, EncodedCapture, Truncation};
pub use location::WarcLocation;
pub use reader::{DamagedRecord, LocatedRecord, WarcReader};
pub use record::{Record, RecordError, payload_digest, shown_digest};
pub use revisit::{DuplicateText, RefersTo, RevisitCapture, RevisitProfile};
pub use stream::{StreamedRecord, WarcStream};
