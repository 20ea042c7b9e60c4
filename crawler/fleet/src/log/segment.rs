//! Segments: what a part of the log decided, for a worker that has not read it.
//!
//! A page leaves the index of the log only where an entry of the log forgets its worker. So the kept pages of a part of the log, and these
//! entries in their places, are all that later verdicts need of it. A segment holds
//! them in the order of the log, and between them the numbers of the pages that were dropped: the worker of such a page finds with them of
//! which page it is a duplicate, as it would have found in the log.
//!
//! ```text
//! segment  zstd of postcard of Columns
//! row      end of the segment, 32 hexadecimal digits; postcard of SegmentRow. Its version says where the bytes of the segment are: 1 on the
//!          servers, 2 in an object store
//! ```

use std::borrow::Cow;
use std::collections::HashMap;

use redis::Value;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_128;

use crate::error::FleetError;
use crate::fleet::bytes;
use crate::log::entry::{Entry, Position};
use crate::partition::{PageId, WorkerNumber};
use crate::url::{lengthened, shortened};

/// Version of the row of a segment whose bytes are on the servers, and of one whose bytes are in an object store.
const ON_SERVERS: u8 = 1;
const IN_STORE: u8 = 2;

/// Level of zstd. Signatures do not compress; numbers and URLs do so at any level.
const LEVEL: i32 = 3;

/// A segment that would be larger is damaged.
pub(crate) const MOST_BYTES: u64 = 1 << 30;

/// Whether this is the name of a draft: its number, and the incarnation of its worker. Nothing else may become a part of a place.
pub(crate) fn is_draft(name: &str) -> bool {
    let digits = |text: &str, radix| !text.is_empty() && text.chars().all(|digit| digit.is_digit(radix));
    let parts = name.split_once('.');
    parts.is_some_and(|(number, incarnation)| digits(number, 10) && digits(incarnation, 16) && incarnation.len() == 16)
}

/// What the log holds behind a position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LogSlice {
    /// Entries in order. Fewer than were asked for only at the end.
    Entries(Vec<(Position, Entry)>),
    /// What follows has left the log. This segment covers it: see [`read_segment`](crate::Fleet::read_segment).
    Segment(SegmentRow),
    /// The servers have lost the entry at the position, and may have lost others before it.
    Lost,
}

/// What the log decided on a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Judged {
    /// It is kept.
    Kept(Entry),
    /// It is a duplicate, or nobody could read its entry.
    Dropped(PageId),
}

/// What a part of the log decided, in its order.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// The last position that it covers.
    pub end: Position,
    /// The decisions.
    pub pages: Vec<Judged>,
}

/// Where a segment is, and what it covers.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SegmentRow {
    version: u8,
    /// The last position before it.
    pub(crate) from: Position,
    /// The last position that it covers.
    pub end: Position,
    /// Entries of the log that it covers.
    pub entries: u32,
    /// Its bytes.
    pub bytes: u64,
    unpacked: u64,
    checksum: u128,
    /// Its draft, which is in the tag of its pieces on the servers, and their number; or its place in the object store, and 0.
    at: String,
    pieces: u32,
}

/// The entries of a segment by columns, so that like stands beside like.
#[derive(Serialize, Deserialize)]
struct Columns<'a> {
    workers: Vec<u16>,
    /// Difference to the number of the last page of the same worker.
    sequences: Vec<i64>,
    /// Bytes of the signature and one; 0 for a page that was dropped.
    lengths: Vec<u32>,
    /// Of the kept pages, as in an entry of the log.
    beginnings: Cow<'a, [u8]>,
    #[serde(borrow)]
    urls: Vec<&'a str>,
    /// Of the kept pages, one after another.
    signatures: Cow<'a, [u8]>,
}

/// The bytes of a segment, and the row that names it.
pub(crate) fn encoded(from: Position, end: Position, pages: &[Judged]) -> Result<(Vec<u8>, SegmentRow), FleetError> {
    let mut columns = Columns {
        workers: Vec::with_capacity(pages.len()),
        sequences: Vec::with_capacity(pages.len()),
        lengths: Vec::with_capacity(pages.len()),
        beginnings: Cow::default(),
        urls: Vec::with_capacity(pages.len()),
        signatures: Cow::default(),
    };
    let mut last: HashMap<u16, i64> = HashMap::new();
    for page in pages {
        let (id, length) = match page {
            Judged::Kept(entry) => (entry.page, 1 + entry.signature.len() as u32),
            Judged::Dropped(id) => (*id, 0),
        };
        let sequence = id.sequence as i64;
        let before = last.insert(id.worker.0, sequence).unwrap_or_default();
        columns.workers.push(id.worker.0);
        columns.sequences.push(sequence.wrapping_sub(before));
        columns.lengths.push(length);
        if let Judged::Kept(entry) = page {
            let (beginning, rest) = shortened(&entry.url);
            columns.beginnings.to_mut().push(beginning);
            columns.urls.push(rest);
            columns.signatures.to_mut().extend_from_slice(&entry.signature);
        }
    }
    let damaged = |error: &dyn std::fmt::Display| FleetError::Damaged(format!("a segment of the log: {error}"));
    let unpacked = postcard::to_stdvec(&columns).map_err(|error| damaged(&error))?;
    let bytes = zstd::bulk::compress(&unpacked, LEVEL).map_err(|error| damaged(&error))?;
    let row = SegmentRow {
        version: ON_SERVERS,
        from,
        end,
        entries: pages.len() as u32,
        bytes: bytes.len() as u64,
        unpacked: unpacked.len() as u64,
        checksum: xxh3_128(&bytes),
        at: String::new(),
        pieces: 0,
    };
    Ok((bytes, row))
}

impl SegmentRow {
    /// Its bytes are pieces on the servers, written under this draft.
    pub(crate) fn on_servers(self, draft: &str, pieces: u32) -> Self {
        Self {
            version: ON_SERVERS,
            at: draft.to_owned(),
            pieces,
            ..self
        }
    }

    /// Its bytes are an object at this place.
    pub(crate) fn in_store(self, place: String) -> Self {
        Self {
            version: IN_STORE,
            at: place,
            pieces: 0,
            ..self
        }
    }

    /// The place of its object; `None` if its bytes are on the servers.
    #[must_use]
    pub fn place(&self) -> Option<&str> {
        (self.version == IN_STORE).then_some(&self.at)
    }

    /// Its bytes that are in the object store.
    pub(crate) fn bytes_in_store(&self) -> u64 {
        self.place().map_or(0, |_| self.bytes)
    }

    /// The draft of its pieces.
    pub(crate) fn draft(&self) -> &str {
        &self.at
    }

    /// The number of its pieces.
    pub(crate) fn pieces(&self) -> u32 {
        self.pieces
    }

    /// The segment of these bytes.
    ///
    /// # Errors
    /// [`FleetError::Damaged`] and [`FleetError::Segment`]: they are not those that the row names.
    pub(crate) fn decode(&self, bytes: &[u8]) -> Result<Segment, FleetError> {
        let damaged = || match self.place() {
            Some(place) => FleetError::Segment {
                place: place.to_owned(),
                fault: "is damaged",
            },
            None => FleetError::Damaged(format!(
                "the segment of the log up to {}: {} of its {} bytes, or other bytes than were written",
                self.end.item(),
                bytes.len(),
                self.bytes
            )),
        };
        if bytes.len() as u64 != self.bytes || xxh3_128(bytes) != self.checksum || self.unpacked > MOST_BYTES {
            return Err(damaged());
        }
        let unpacked = zstd::bulk::decompress(bytes, self.unpacked as usize).map_err(|_| damaged())?;
        let columns: Columns<'_> = postcard::from_bytes(&unpacked).map_err(|_| damaged())?;
        let mut kept = columns.beginnings.iter().zip(columns.urls);
        let mut signatures: &[u8] = &columns.signatures;
        let mut last: HashMap<u16, i64> = HashMap::new();
        let mut pages = Vec::with_capacity(columns.workers.len());
        let ids = columns.workers.iter().zip(&columns.sequences);
        for ((&worker, &difference), &length) in ids.zip(&columns.lengths) {
            let before = last.entry(worker).or_default();
            *before = before.wrapping_add(difference);
            let page = PageId {
                worker: WorkerNumber(worker),
                sequence: *before as u64,
            };
            let Some(length) = length.checked_sub(1) else {
                pages.push(Judged::Dropped(page));
                continue;
            };
            let (&beginning, rest) = kept.next().ok_or_else(damaged)?;
            let (signature, behind) = signatures.split_at_checked(length as usize).ok_or_else(damaged)?;
            signatures = behind;
            pages.push(Judged::Kept(Entry {
                page,
                url: lengthened(beginning, rest).ok_or_else(damaged)?,
                signature: signature.to_vec(),
            }));
        }
        Ok(Segment { end: self.end, pages })
    }

    /// As it is kept, so that rows are in the order of the log.
    pub(crate) fn stored(&self) -> Result<Vec<u8>, FleetError> {
        let mut row = self.end.digits().into_bytes();
        row.extend(postcard::to_stdvec(self).map_err(|error| FleetError::Damaged(error.to_string()))?);
        Ok(row)
    }

    /// The row in an answer about what has left the log.
    pub(crate) fn answered(answer: Value) -> Result<Self, FleetError> {
        let row = bytes(answer)?;
        if row.is_empty() {
            return Err(FleetError::Damaged(
                "the log is shortened, and no segment covers what it has lost".to_owned(),
            ));
        }
        Self::read(&row)
    }

    /// A row as it is kept.
    pub(crate) fn read(row: &[u8]) -> Result<Self, FleetError> {
        let damaged = || FleetError::Damaged("the row of a segment of the log".to_owned());
        let row = row.get(Position::DIGITS..).ok_or_else(damaged)?;
        let row: Self = postcard::from_bytes(row).map_err(|_| damaged())?;
        if [ON_SERVERS, IN_STORE].contains(&row.version) {
            Ok(row)
        } else {
            Err(damaged())
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::log::entry::LAST;

    #[test]
    fn nothing_but_a_number_and_an_incarnation_is_a_draft() {
        assert!(is_draft("12.00ab34cd56ef7890"));
        for other in [
            "",
            "12",
            "12.",
            ".00ab34cd56ef7890",
            "12.00ab",
            "../12.00ab34cd56ef7890",
            "12.00ab34cd56ef789/",
            "1x.00ab34cd56ef7890",
        ] {
            assert!(!is_draft(other), "{other}");
        }
    }

    fn judged() -> impl Strategy<Value = Judged> {
        let page = (1_u16..5, 0_u64..1 << 48).prop_map(|(worker, sequence)| PageId {
            worker: WorkerNumber(worker),
            sequence,
        });
        let kept = (
            page.clone(),
            "(https://)?[a-z./]{0,20}",
            prop::collection::vec(any::<u8>(), 0..200),
        );
        prop_oneof![
            kept.prop_map(|(page, url, signature)| Judged::Kept(Entry { page, url, signature })),
            page.prop_map(Judged::Dropped),
        ]
    }

    /// A row that a crawl wrote before there were object stores.
    #[test]
    fn a_row_of_the_first_version_is_read() {
        let mut row = b"0000018bcfe5687b000000000007ffff".to_vec();
        row.extend([
            0x01, 0x80, 0xd0, 0x95, 0xff, 0xbc, 0x31, 0xff, 0xff, 0x03, 0xfb, 0xd0, 0x95, 0xff, 0xbc, 0x31, 0xff, 0xff,
            0x1f, 0x80, 0x80, 0x01, 0x80, 0x80, 0xa8, 0x02, 0xc0, 0x96, 0xb1, 0x02, 0xef, 0x9b, 0xaf, 0xcd, 0xf8, 0xac,
            0xd1, 0x91, 0x81, 0xde, 0xb7, 0xde, 0x9a, 0xf1, 0xd9, 0xa2, 0xa3, 0x02, 0x13,
        ]);
        row.extend(b"12.00000000000000ab\x25");
        let read = SegmentRow::read(&row).unwrap();
        assert_eq!(
            (read.from, read.end),
            (
                Position(1_700_000_000_000, LAST),
                Position(1_700_000_000_123, 7 << 16 | LAST)
            )
        );
        assert_eq!(
            (read.entries, read.bytes, read.bytes_in_store()),
            (16_384, 4_849_664, 0)
        );
        assert_eq!(
            (read.place(), read.draft(), read.pieces()),
            (None, "12.00000000000000ab", 37)
        );
        assert_eq!(read.stored().unwrap(), row);
        row[Position::DIGITS] = 3;
        assert!(SegmentRow::read(&row).is_err(), "a row of a later version");
    }

    proptest! {
        #[test]
        fn a_segment_is_read_as_it_was_written(pages in prop::collection::vec(judged(), 0..40), end in any::<(u64, u64)>()) {
            let end = Position(end.0, end.1);
            let (bytes, row) = encoded(Position::default(), end, &pages).unwrap();
            let row = SegmentRow::read(&row.stored().unwrap()).unwrap();
            prop_assert_eq!(row.decode(&bytes).unwrap(), Segment { end, pages });
        }

        #[test]
        fn a_row_says_where_the_bytes_are(pieces in any::<u32>(), place in "[a-z:/]{1,40}") {
            let (bytes, row) = encoded(Position::default(), Position(1, 0), &[]).unwrap();
            let read = |row: SegmentRow| SegmentRow::read(&row.stored().unwrap()).unwrap();
            let on_servers = read(row.clone().on_servers("7.ab", pieces));
            prop_assert_eq!((on_servers.place(), on_servers.draft(), on_servers.pieces()), (None, "7.ab", pieces));
            let in_store = read(row.in_store(place.clone()));
            prop_assert_eq!((in_store.place(), in_store.pieces()), (Some(place.as_str()), 0));
            prop_assert!(matches!(on_servers.decode(&bytes[1..]), Err(FleetError::Damaged(_))));
            let lost = FleetError::Segment { place, fault: "is damaged" };
            prop_assert_eq!(in_store.decode(&bytes[1..]), Err(lost));
        }

        #[test]
        fn a_damaged_segment_is_refused(pages in prop::collection::vec(judged(), 1..10), at in any::<prop::sample::Index>(), by in 1_u8..) {
            let (bytes, row) = encoded(Position::default(), Position(1, 0), &pages).unwrap();
            let mut other = bytes.clone();
            *at.get_mut(&mut other) ^= by;
            prop_assert!(row.decode(&other).is_err());
            prop_assert!(row.decode(&bytes[..at.index(bytes.len())]).is_err());
        }
    }
}
