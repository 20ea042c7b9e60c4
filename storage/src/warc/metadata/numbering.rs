//! The records of a merge: which files of the archive come from which folder, and the numbers that their pages got.
//!
//! A merge writes them to a file of its own, behind its `warcinfo`, so that a rebuild of the merged folder gives every page the same
//! number again, even if a file has been damaged since. There is at least one for each origin:
//!
//! ```text
//! event: numbers
//! origin: 0                    its place in the order of the files
//! files: 0 3                   the number of its first file here, and how many there are
//! crawl-started-ms: …          the start of its crawl
//! crawler-worker, crawler-fleet
//! first: 4096                  a number of a page there
//! numbers: 17 1 1 0 3 …        the numbers here of this page and the following: each less the one before, 0 for none
//! ```

use std::io;

use super::read::Fields;
use super::write::Lines;
use crate::origins::Origin;
use crate::warc::compression::Compression;
use crate::warc::record::{NewRecord, Record, WARCINFO_ID, new_record_id, now_ms};
use crate::worker::Worker;

/// The value of the line `event`.
const NUMBERS: &str = "numbers";

/// Numbers of pages of an origin.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Numbering {
    /// Place of the origin in the order of the files.
    pub index: usize,
    pub origin: Origin,
    /// The first of the pages, by its number there.
    pub first: u64,
    /// The numbers here, ascending; 0 for none.
    pub numbers: Vec<u64>,
}

impl Numbering {
    /// The record, compressed. It names the `warcinfo` of its file.
    pub fn encode(&self, warcinfo: &str, compression: Compression) -> io::Result<Vec<u8>> {
        let mut lines = Lines::new();
        lines.put("event", NUMBERS);
        lines.put("origin", self.index);
        lines.put(
            "files",
            format_args!("{} {}", self.origin.first_file, self.origin.files),
        );
        lines.put("crawl-started-ms", self.origin.started_at);
        let worker = &self.origin.worker;
        if worker.is_one_of_several() {
            lines.put(Worker::NUMBER_FIELD, worker.number);
            lines.text(Worker::CRAWL_FIELD, &worker.crawl);
        }
        lines.put("first", self.first);
        let mut before = 0;
        let steps = self.numbers.iter().map(|number| match *number {
            0 => "0".to_owned(),
            number => (number - std::mem::replace(&mut before, number)).to_string(),
        });
        lines.put("numbers", steps.collect::<Vec<_>>().join(" "));
        let mut bytes = Vec::new();
        NewRecord::new("metadata", &new_record_id(), now_ms())
            .field("Content-Type", "application/warc-fields")
            .field(WARCINFO_ID, warcinfo)
            .write(&[lines.as_bytes()], compression, &mut bytes)?;
        Ok(bytes)
    }

    /// Whether this is such a record, readable or not.
    pub fn is_in(record: &Record) -> bool {
        record.kind() == "metadata"
            && std::str::from_utf8(&record.block).is_ok_and(|block| Fields::of(block).get("event") == Some(NUMBERS))
    }

    /// Reads such a record; `None` if it is another one, or damaged.
    pub fn decode(record: &Record) -> Option<Self> {
        if !Self::is_in(record) {
            return None;
        }
        let block = std::str::from_utf8(&record.block).ok()?;
        let fields = Fields::of(block);
        let (first_file, files) = fields.get("files")?.split_once(' ')?;
        let mut before = 0_u64;
        let steps = fields.get("numbers")?.split(' ').filter(|step| !step.is_empty());
        let numbers = steps.map(|step| {
            let step: u64 = step.parse().ok()?;
            if step > 0 {
                before = before.checked_add(step)?;
            }
            Some(if step > 0 { before } else { 0 })
        });
        Some(Self {
            index: fields.number("origin").ok()?,
            origin: Origin {
                first_file: first_file.parse().ok()?,
                files: files.parse().ok()?,
                started_at: fields.number("crawl-started-ms").ok()?,
                worker: Worker {
                    number: fields.get(Worker::NUMBER_FIELD).map_or(Ok(0), str::parse).ok()?,
                    crawl: fields.text(Worker::CRAWL_FIELD).ok()?.unwrap_or_default(),
                },
            },
            first: fields.number("first").ok()?,
            numbers: numbers.collect::<Option<_>>()?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::warc::reader::only_record;

    #[test]
    fn the_numbers_of_an_origin_come_back() {
        let one_of_several = Origin {
            first_file: 3,
            files: 2,
            started_at: 1_774_085_400_125,
            worker: Worker {
                number: 7,
                crawl: "my crawl\r\nnumbers: 1".to_owned(),
            },
        };
        let alone = Origin {
            worker: Worker::default(),
            ..one_of_several.clone()
        };
        for (origin, numbers) in [(one_of_several, vec![0, 5, 6, 0, 900, 1 << 50]), (alone, vec![])] {
            let numbering = Numbering {
                index: 1,
                origin,
                first: 256,
                numbers,
            };
            let record = only_record(&numbering.encode("<urn:uuid:1>", Compression::Gzip).unwrap());
            assert_eq!(Numbering::decode(&record), Some(numbering));
        }
    }
}
