//! The archive of a crawl, read record by record.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::path::{Path, PathBuf};

use storage::warc::{Compression, Record, WarcReader};
use storage::{OpenOptions, Store};

/// The records of one page.
#[derive(Debug, Clone, Default)]
pub struct Archived {
    /// `response` records.
    pub responses: Vec<Record>,
    /// `conversion` records.
    pub conversions: Vec<Record>,
    /// `request` records.
    pub requests: Vec<Record>,
    /// `revisit` records.
    pub revisits: Vec<Record>,
    /// `metadata` records of duplicates: how the text differs, and for other bytes also the head of the answer.
    pub duplicates: Vec<Record>,
}

impl Archived {
    /// The value of a line of the only record of the duplicate; `None` if the line is missing.
    ///
    /// # Panics
    /// If there is no such record, or more than one.
    #[track_caller]
    pub fn of_duplicate(&self, line: &str) -> Option<String> {
        let [record] = &self.duplicates[..] else {
            panic!("{} records of a duplicate", self.duplicates.len())
        };
        let block = String::from_utf8_lossy(&record.block);
        let mut lines = block.lines().filter_map(|line| line.split_once(": "));
        lines.find(|(name, _)| *name == line).map(|(_, value)| value.to_owned())
    }
}

/// Flips a bit of the record that holds the text of a page, in a crawl whose archive is one file.
#[track_caller]
pub fn damage_text_of(data: &Path, url: &str) {
    let location = {
        let store = Store::open_untouched(data, &OpenOptions::existing()).unwrap();
        let mut pages = store.pages_from(1).map(|row| row.unwrap().1);
        pages.find(|page| page.url == url).unwrap().text.unwrap()
    };
    let files = warc_files(data);
    assert_eq!(files.len(), 1);
    let mut bytes = fs::read(&files[0]).unwrap();
    bytes[usize::try_from(location.offset + location.length / 2).unwrap()] ^= 0x10;
    fs::write(&files[0], bytes).unwrap();
}

/// All pages in the data folder's archive, by URL.
///
/// # Panics
/// When a record is damaged, its digest wrong, or of a type that has no place there.
#[track_caller]
pub fn archived(data: &Path) -> BTreeMap<String, Archived> {
    let mut pages: BTreeMap<String, Archived> = BTreeMap::new();
    for path in warc_files(data) {
        for record in WarcReader::new(File::open(path).unwrap()) {
            // The reader checks the block's digest.
            let record = record.unwrap().unwrap().record;
            let url = record.field("WARC-Target-URI").unwrap_or_default().to_owned();
            match record.kind() {
                "response" => pages.entry(url).or_default().responses.push(record),
                "conversion" => pages.entry(url).or_default().conversions.push(record),
                "request" => pages.entry(url).or_default().requests.push(record),
                "revisit" => pages.entry(url).or_default().revisits.push(record),
                "metadata" if record.block.starts_with(b"event: duplicate\r\n") => {
                    pages.entry(url).or_default().duplicates.push(record);
                }
                "warcinfo" | "metadata" => {}
                other => panic!("a record of type {other}"),
            }
        }
    }
    pages
}

/// The archive's files, in order.
pub fn warc_files(data: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(data.join("warc")).unwrap();
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| Compression::of_name(&path.file_name().unwrap().to_string_lossy()).is_some());
    files.sort();
    files
}
