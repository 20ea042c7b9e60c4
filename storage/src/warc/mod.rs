//! The archive: WARC 1.1 files (ISO 28500:2017), each record compressed by itself.
//!
//! - `location`: places in the archive.
//! - `compression`: gzip or Zstandard.
//! - `names`: the names of the files, which say the compression.
//! - `record`: one record: its header fields, its digests, its bytes.
//! - `extent`: where a record ends that grows.
//! - `member`: the compressed record in a file, and the choice of the compressors.
//! - `capture`: one fetched page as `request`, `response` and `conversion` records, encoded.
//! - `revisit`: one fetch that brought nothing new as `request`, `revisit` and `metadata` records, encoded.
//! - `text_delta`: the text of a duplicate as the difference from its kept page's text.
//! - `http_head`: the head of an HTTP response as it is stored.
//! - `metadata`: the catalogue's data about a page, so that the files alone suffice for a rebuild.
//! - `writer`: the files, rolled by size; one call makes appended records durable.
//! - `reader`: one record by its location, or all records of a file in order, with reports of damaged ones.
//! - `stream`: all records of a decompressed stream, which cannot seek, with reports of damaged stretches.
//! - `after_damage`: which records behind damage are the crawl's own.
//! - `tail`: records behind the end that the state knows.
//! - `medium`: the interface to the file system, so that tests can make every write fail.

pub(crate) mod after_damage;
mod capture;
pub(crate) mod compression;
mod extent;
mod http_head;
pub(crate) mod location;
pub(crate) mod medium;
pub(crate) mod member;
pub(crate) mod metadata;
pub(crate) mod names;
pub(crate) mod reader;
pub(crate) mod record;
mod revisit;
mod stream;
pub(crate) mod tail;
pub mod text_delta;
pub(crate) mod writer;

pub use capture::{Capture, EncodedCapture, EncodedRequest, Truncation};
pub use compression::Compression;
pub use location::WarcLocation;
pub use member::dictionary_in;
pub use reader::{DamagedRecord, LocatedRecord, WarcReader};
pub use record::{Record, RecordError, is_version, payload_digest, shown_digest};
pub use revisit::{RefersTo, RevisitCapture, RevisitProfile};
pub use stream::{StreamedRecord, WarcStream};
pub use text_delta::DuplicateText;
