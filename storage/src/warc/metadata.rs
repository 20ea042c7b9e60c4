//! Metadata records: the catalogue's data about pages that the other records lack. There is one for each event of a page, so that the
//! WARC files alone suffice to rebuild the catalogue.
//!
//! ```text
//! response, conversion │ revisit, duplicate │ duplicate │ nothing     the archived records of the page; see `duplicate`
//! metadata             WARC-Concurrent-To it   event: page · the page's data · the URLs first found on it
//! metadata             event: unchanged        a later visit that found the page unchanged
//! metadata             event: missing          a later visit that found no page (404, 410, …)
//! metadata             event: moved            a later visit that was redirected, or found a page that may not be stored
//! metadata             event: yielded          a page is a duplicate of another worker's page since
//! ```
//!
//! The block is `application/warc-fields` (ISO 28500:2017, annex B): lines `name: value` in UTF-8, in the order of `write`. A reader ignores unknown
//! names. Values come from the web: backslashes, control characters and white space other than single spaces within the value are
//! written as Rust escapes (`\\`, `\u{a}`), so that no value ends its line and every value can be read back exactly.
//! `outlink` has several values with spaces between: the URL, links from a seed, priority, redirects, host key, and the link source if
//! it is not the page itself. Spaces within these values are escaped too.

pub(crate) mod duplicate;
mod numbering;
mod read;
mod value;
mod write;

use std::io;

pub(crate) use self::numbering::Numbering;
pub(crate) use self::read::{Head, commit_of, decode, read_head};
pub(crate) use self::write::crawl_fields;
use super::compression::Compression;
use super::record::{NewRecord, WARCINFO_ID, new_record_id};
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::page::{PageRecord, Replaced, Verdict};
use crate::revisits::Visit;
use crate::warc::EncodedCapture;

/// The scheme of the verdicts in a file. Only verdicts with equal values can be compared.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct DecidedBy {
    pub scheme: String,
    /// Time of the last redecision before, milliseconds since the Unix epoch, if there was one.
    pub redecided_at: Option<u64>,
}

/// An event of a page.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// A page got its verdict.
    Page {
        /// Its sequence number.
        sequence: u64,
        /// Its record. The places in the archive only say which records there are, and are not read back.
        page: Box<PageRecord>,
        /// The page whose place it took, with its new verdict.
        replaced: Option<Replaced>,
    },
    /// A visit to a page brought no other page.
    Visited {
        page: u64,
        visit: Visit,
        /// Milliseconds since the Unix epoch.
        at: u64,
        wire_bytes: u64,
        /// HTTP status in the record archived with it, 0 if there is none.
        status: u16,
    },
    /// The URL of a page redirects now.
    Redirected { page: u64, to: String, status: u16 },
    /// A rule excludes the page now.
    Excluded { page: u64, reason: String },
    /// A kept page is a duplicate of another worker's page since.
    Yielded { page: u64, verdict: Verdict },
}

/// The kinds of archived records of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Records {
    pub response: bool,
    pub text: bool,
    pub revisit: bool,
}

/// The records that a metadata record names, by their ids.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Named<'a> {
    /// The record archived with it.
    pub concurrent_to: Option<&'a str>,
    /// The head of its file, by which it is known as the crawl's own: see [`after_damage`](super::after_damage).
    pub warcinfo: Option<&'a str>,
}

/// A decoded metadata record.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metadata {
    pub event: Event,
    /// For a page.
    pub records: Records,
    /// The URLs that were not known before.
    pub outlinks: Vec<Discovered>,
}

/// Encodes the metadata record of `event` at `url`: at that time, and part of the commit with that number. `fresh` are the URLs first found there;
/// `own_via` is the link source that is omitted in the record.
pub(crate) fn encode<'a>(
    url: &str,
    (at, commit): (u64, u64),
    event: &Event,
    fresh: impl Iterator<Item = &'a QueuedUrl>,
    own_via: &Via,
    named: Named<'_>,
    compression: Compression,
) -> io::Result<EncodedCapture> {
    let block = write::block(commit, event, fresh, own_via);
    let mut bytes = Vec::with_capacity(512 + block.len());
    let mut record = NewRecord::new("metadata", &new_record_id(), at)
        .uri_field("WARC-Target-URI", url)
        .field("Content-Type", "application/warc-fields");
    if let Some(id) = named.concurrent_to {
        record = record.field("WARC-Concurrent-To", id);
    }
    if let Some(id) = named.warcinfo {
        record = record.field(WARCINFO_ID, id);
    }
    record.write(&[block.as_bytes()], compression, &mut bytes)?;
    Ok(EncodedCapture::of_bytes(bytes, compression))
}

#[cfg(test)]
mod tests;
