//! The crawl's own records behind damage in a file.
//!
//! Damage hides where the next record begins, so the reader looks for it. A damaged record may hold the bytes of a server, and these may
//! look like whole records. The crawl's own `metadata` records decide what a rebuild believes, so behind damage they count only
//! if they name the `warcinfo` of their file: its id is random, and no server knows it.

use std::io::{self, Read, Seek};

use super::metadata::duplicate;
use super::reader::WarcReader;
use super::record::{Record, WARCINFO_ID};

/// What tells the crawl's own metadata records behind damage in a file.
#[derive(Debug)]
pub(crate) struct AfterDamage {
    /// The id of the file's `warcinfo`; `None` if nothing in the file tells it.
    warcinfo: Option<String>,
}

impl AfterDamage {
    /// For the file that `open` reads from its first byte.
    ///
    /// If its head is damaged, the last record that names a head tells the id. The first one would not do: it may lie in the damage. The
    /// last one is the crawl's own, unless the file ends with another damaged page.
    ///
    /// # Errors
    /// The errors of the file.
    pub fn in_file<R: Read + Seek>(mut open: impl FnMut() -> io::Result<WarcReader<R>>) -> io::Result<Self> {
        if let Some(Ok(first)) = open()?.next_record()? {
            let warcinfo = head_id(&first.record);
            return Ok(Self { warcinfo });
        }
        let mut warcinfo = None;
        for read in open()? {
            if let Ok(located) = read?
                && let Some(id) = located.record.field(WARCINFO_ID)
            {
                warcinfo = Some(id.to_owned());
            }
        }
        Ok(Self { warcinfo })
    }

    /// Whether a record may be believed. A `metadata` record that decides must name the head of its file; what other records hold is
    /// believed only as far as such a record refers to it.
    pub fn accepts(&self, record: &Record) -> bool {
        let decides = record.kind() == "metadata" && !duplicate::is_in(record);
        !decides || self.warcinfo.is_some() && record.field(WARCINFO_ID) == self.warcinfo.as_deref()
    }
}

/// The id of a `warcinfo`; `None` for another record.
pub(crate) fn head_id(record: &Record) -> Option<String> {
    let is_head = record.kind() == "warcinfo";
    record.field("WARC-Record-ID").filter(|_| is_head).map(str::to_owned)
}
