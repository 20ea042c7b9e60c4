//! The names of the files of a crawl: `crawl-<start>-<number>.warc.gz`, or `.warc.zst`.
//!
//! A user may change the compression from run to run, so a crawl can have files of both. The state knows which files have Zstandard
//! frames. All others are gzip.

use std::collections::BTreeSet;
use std::fmt;

use super::compression::Compression;
use super::record::{compact_date, parse_compact_date};

/// The name of one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct FileName {
    /// Start of the crawl, milliseconds since the Unix epoch. The name has it to the second.
    pub started_at: u64,
    pub number: u32,
    pub compression: Compression,
}

impl FileName {
    /// Reads a name; `None` for every other file.
    pub fn parse(name: &str) -> Option<Self> {
        let (compression, stem) = Compression::of_name(name)?;
        let (date, number) = stem.strip_prefix("crawl-")?.split_once('-')?;
        let parsed = Self {
            started_at: parse_compact_date(date)?,
            number: number.parse().ok()?,
            compression,
        };
        (parsed.to_string() == name).then_some(parsed)
    }
}

impl fmt::Display for FileName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (date, suffix) = (compact_date(self.started_at), self.compression.suffix());
        write!(f, "crawl-{date}-{:05}{suffix}", self.number)
    }
}

/// The names of the files of one crawl.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct FileNames {
    started_at: u64,
    /// The numbers of the files with Zstandard frames.
    zstd: BTreeSet<u32>,
}

impl FileNames {
    /// The names of a crawl that began at `started_at` (Unix milliseconds), of which the files `zstd` have Zstandard frames.
    pub fn new(started_at: u64, zstd: impl IntoIterator<Item = u32>) -> Self {
        Self {
            started_at,
            zstd: zstd.into_iter().collect(),
        }
    }

    /// Start of the crawl, milliseconds since the Unix epoch.
    pub fn started_at(&self) -> u64 {
        self.started_at
    }

    /// The numbers of the files with Zstandard frames, in order.
    pub fn zstd(&self) -> Vec<u32> {
        self.zstd.iter().copied().collect()
    }

    /// Sets the compression of a file. Returns whether it had another one.
    pub fn set(&mut self, number: u32, compression: Compression) -> bool {
        match compression {
            Compression::Gzip => self.zstd.remove(&number),
            Compression::Zstd => self.zstd.insert(number),
        }
    }

    /// The compression of a file.
    pub fn compression(&self, number: u32) -> Compression {
        if self.zstd.contains(&number) {
            Compression::Zstd
        } else {
            Compression::Gzip
        }
    }

    /// The name of a file.
    pub fn of(&self, number: u32) -> String {
        let name = FileName {
            started_at: self.started_at,
            number,
            compression: self.compression(number),
        };
        name.to_string()
    }

    /// The number and the compression of a file of this crawl, by its name; `None` for every other file.
    pub fn number_of(&self, name: &str) -> Option<(u32, Compression)> {
        let found = FileName::parse(name)?;
        let is_of_crawl = found.started_at / 1_000 == self.started_at / 1_000;
        is_of_crawl.then_some((found.number, found.compression))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_says_start_number_and_compression() {
        for (name, number, compression) in [
            ("crawl-20260321093000-00001.warc.gz", 1, Compression::Gzip),
            ("crawl-20260321093000-00001.warc.zst", 1, Compression::Zstd),
            ("crawl-20260321093000-123456.warc.zst", 123_456, Compression::Zstd),
        ] {
            let parsed = FileName::parse(name).unwrap();
            assert_eq!((parsed.number, parsed.compression), (number, compression));
            assert_eq!(parsed.started_at, 1_774_085_400_000);
            assert_eq!(parsed.to_string(), name);
        }
        for other in [
            "crawl-20260321093000-1.warc.gz",
            "crawl-20260321093000-00001.warc",
            "crawl-20260321093000-00001.warc.zst.part",
            "crawl-20261321093000-00001.warc.zst",
            "index.cdxj",
        ] {
            assert_eq!(FileName::parse(other), None, "{other}");
        }
    }

    #[test]
    fn each_file_of_a_crawl_has_its_compression() {
        let mut names = FileNames::new(1_774_085_400_125, [1]);
        assert_eq!(names.of(0), "crawl-20260321093000-00000.warc.gz");
        assert_eq!(names.of(1), "crawl-20260321093000-00001.warc.zst");
        assert!(names.set(2, Compression::Zstd) && !names.set(0, Compression::Gzip));
        assert!(names.set(1, Compression::Gzip));
        assert_eq!(names.zstd(), [2]);
        assert_eq!(names.number_of(&names.of(2)), Some((2, Compression::Zstd)));
        assert_eq!(names.number_of("crawl-20250101000000-00002.warc.gz"), None);
    }
}
