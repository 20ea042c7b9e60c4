//! What the catalogue holds of a page and its archive records do not: one `metadata` record for each thing that happens to a
//! page, so that the catalogue can be made anew from the WARC files alone.
//!
//! ```text
//! response, conversion │ revisit │ nothing     what was archived of the page
//! metadata             WARC-Concurrent-To it   event: page · what the catalogue says · the URLs first found on it
//! metadata             event: unchanged        a later visit to a page that found no other one
//! metadata             event: missing          … that found no page (404, 410, …)
//! metadata             event: moved            … that was sent elsewhere, or may not be stored any more
//! ```
//!
//! The block is `application/warc-fields` (ISO 28500:2017, annex B): lines `name: value` in UTF-8, in the order below; unknown names
//! are passed over. Values come from the web: a backslash, a control character and white space other than a single space
//! within the value are written as Rust escapes them (`\\`, `\u{a}`), so that no value ends its line, and every value is read back as
//! it was. `outlink` has several values with spaces between (the URL, links from a seed, priority, redirects, host key, and what
//! links to it if that is not the page itself); the spaces within them are escaped too.

mod read;
mod value;
mod write;

use std::io;

pub(crate) use self::read::{commit_of, decode, read_crawl_fields};
pub(crate) use self::write::crawl_fields;
use super::record::{NewRecord, new_record_id};
use crate::frontier::{Discovered, QueuedUrl, Via};
use crate::page::{PageRecord, Replaced};
use crate::visits::Visit;
use crate::warc::EncodedCapture;

/// zlib level of these records: most of one is a signature, which does not compress.
const LEVEL: u32 = 1;

/// What pages of a file were decided by: verdicts of one such are given against one another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub(crate) struct DecidedBy {
    pub scheme: String,
    /// When all pages before had been decided anew, milliseconds since the Unix epoch, if they had.
    pub redecided_at: Option<u64>,
}

/// What happened.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Event {
    /// A page was decided.
    Page {
        /// Its sequence number.
        sequence: u64,
        /// What is known of it; its places in the archive say which records there are, and are not read back.
        page: Box<PageRecord>,
        /// The page whose place it took, as it is from then on.
        replaced: Option<Replaced>,
    },
    /// A page was visited again without another page.
    Visited {
        page: u64,
        visit: Visit,
        /// Milliseconds since the Unix epoch.
        at: u64,
        wire_bytes: u64,
        /// HTTP status of the `revisit` record archived with it, 0 where there is none.
        status: u16,
    },
    /// The URL of a page leads elsewhere now.
    Redirected { page: u64, to: String, status: u16 },
    /// The page must not be stored any more.
    Excluded { page: u64, reason: String },
}

/// Which records of a page were archived.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Records {
    pub response: bool,
    pub text: bool,
    pub revisit: bool,
}

/// A metadata record as it is read.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Metadata {
    pub event: Event,
    /// Of a page.
    pub records: Records,
    /// The URLs that were not known before.
    pub outlinks: Vec<Discovered>,
}

/// The record of `event` at `url`, of the commit of that number, which found the URLs `fresh`. `own_via` is what these have as their via if nothing else is said.
/// `concurrent_to` is the id of the record archived with it.
pub(crate) fn encode<'a>(
    url: &str,
    at: u64,
    commit: u64,
    event: &Event,
    fresh: impl Iterator<Item = &'a QueuedUrl>,
    own_via: &Via,
    concurrent_to: Option<&str>,
) -> io::Result<EncodedCapture> {
    let block = write::block(commit, event, fresh, own_via);
    let mut bytes = Vec::with_capacity(512 + block.len());
    let mut record = NewRecord::new("metadata", &new_record_id(), at)
        .uri_field("WARC-Target-URI", url)
        .field("Content-Type", "application/warc-fields");
    if let Some(id) = concurrent_to {
        record = record.field("WARC-Concurrent-To", id);
    }
    record.write(&[block.as_bytes()], LEVEL, &mut bytes)?;
    Ok(EncodedCapture::of_bytes(bytes))
}

#[cfg(test)]
mod tests;
