//! A folder that the library `datasets` of Hugging Face reads: `load_dataset("DIR")`.
//!
//! ```text
//! DIR/ ┬ README.md                                the dataset card: what the folder is, for people and for the library
//!      └ data/ ┬ train-00000-of-00002.parquet     the pages in the order of the crawl
//!              └ train-00001-of-00002.parquet
//! ```

mod card;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use self::card::Card;
use crate::columns::Columns;
use crate::destination::Destination;
use crate::error::ExportError;
use crate::folder::Folder;
use crate::page::ExportedPage;
use crate::parquet_file::ParquetFile;
use crate::sink::Sink;
use crate::stream::Stream;

/// Bytes of text after which a file is full: the default of `datasets` for its own files.
const SHARD_BYTES: u64 = 500 << 20;

/// Most hosts that are counted, which bounds the memory.
const MAX_HOSTS: usize = 10_000;

/// Bytes of a page besides its text, about.
const PAGE_BYTES: u64 = 500;

/// An incomplete dataset.
pub(crate) struct Dataset {
    folder: Folder,
    columns: Columns,
    notes: Vec<String>,
    /// The file that is written; `None` once it is complete.
    shard: Option<Box<ParquetFile>>,
    shard_bytes: u64,
    /// Bytes after which a file is full.
    full_bytes: u64,
    shards: u32,
    facts: Facts,
}

/// What the card says about the pages.
#[derive(Debug, Default)]
struct Facts {
    pages: u64,
    bytes: u64,
    file_bytes: u64,
    languages: BTreeMap<String, u64>,
    hosts: BTreeMap<String, u64>,
    /// There are hosts that `hosts` has no room for.
    is_of_more_hosts: bool,
    /// The first and the last time of a fetch, in milliseconds since the Unix epoch.
    fetched: Option<(i64, i64)>,
}

impl Dataset {
    pub fn create(dir: &Path, columns: Columns, notes: Vec<String>) -> Result<Self, ExportError> {
        let folder = Folder::create(dir, "parquet")?;
        let data = folder.partial().join("data");
        fs::create_dir(&data).map_err(|source| ExportError::io("create", &data, source))?;
        let shard = Some(shard(&folder, 0, &columns)?);
        Ok(Self {
            folder,
            columns,
            notes,
            shard,
            shard_bytes: 0,
            full_bytes: SHARD_BYTES,
            shards: 1,
            facts: Facts::default(),
        })
    }

    /// Gives the files their names, which say how many there are.
    fn name_shards(&mut self) -> Result<(), ExportError> {
        for number in 0..self.shards {
            let path = shard_path(&self.folder, number);
            let name = format!("train-{number:05}-of-{:05}.parquet", self.shards);
            let length = fs::metadata(&path).map_err(|source| ExportError::io("read", &path, source))?;
            self.facts.file_bytes += length.len();
            fs::rename(&path, path.with_file_name(name)).map_err(|source| ExportError::io("rename", &path, source))?;
        }
        Ok(())
    }
}

fn shard_path(folder: &Folder, number: u32) -> PathBuf {
    folder.partial().join("data").join(format!("{number}.parquet"))
}

fn shard(folder: &Folder, number: u32, columns: &Columns) -> Result<Box<ParquetFile>, ExportError> {
    let file = Destination::File(shard_path(folder, number));
    ParquetFile::create(Stream::open(&file, false)?, columns.clone()).map(Box::new)
}

impl Dataset {
    fn finish_shard(&mut self) -> Result<(), ExportError> {
        self.shard.take().map_or(Ok(()), |shard| shard.finish())
    }
}

impl Sink for Dataset {
    fn write(&mut self, page: &ExportedPage) -> Result<(), ExportError> {
        if self.shard_bytes >= self.full_bytes {
            self.finish_shard()?;
            self.shard = Some(shard(&self.folder, self.shards, &self.columns)?);
            (self.shard_bytes, self.shards) = (0, self.shards + 1);
        }
        if let Some(shard) = &mut self.shard {
            shard.write(page)?;
        }
        self.shard_bytes += self.facts.add(page);
        Ok(())
    }

    fn finish(mut self: Box<Self>) -> Result<(), ExportError> {
        self.finish_shard()?;
        self.name_shards()?;
        let path = self.folder.partial().join("README.md");
        let card = Card {
            facts: &self.facts,
            columns: &self.columns,
            notes: &self.notes,
        };
        fs::write(&path, card.to_string()).map_err(|source| ExportError::io("write", &path, source))?;
        self.folder.finish()
    }
}

impl Facts {
    /// Adds a page. Returns its bytes, about.
    fn add(&mut self, page: &ExportedPage) -> u64 {
        let texts = [&page.text, &page.markdown];
        let text_bytes: usize = texts.into_iter().flatten().map(String::len).sum();
        let bytes = PAGE_BYTES + text_bytes as u64;
        self.pages += 1;
        self.bytes += bytes;
        if let Some(language) = &page.language {
            *self.languages.entry(language.clone()).or_default() += 1;
        }
        if self.hosts.len() < MAX_HOSTS || self.hosts.contains_key(&page.host) {
            *self.hosts.entry(page.host.clone()).or_default() += 1;
        } else {
            self.is_of_more_hosts = true;
        }
        let (first, last) = self.fetched.unwrap_or((page.fetched_at, page.fetched_at));
        self.fetched = Some((first.min(page.fetched_at), last.max(page.fetched_at)));
        bytes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_says_how_many_there_are_and_the_card_counts_the_pages() {
        let temporary = tempfile::tempdir().unwrap();
        let dir = temporary.path().join("set");
        for (pages, files) in [
            (0, &["train-00000-of-00001.parquet"][..]),
            (5, &["train-00000-of-00002.parquet", "train-00001-of-00002.parquet"]),
        ] {
            let mut dataset = Dataset::create(&dir, Columns::new(64, &[]), vec!["a note".to_owned()]).unwrap();
            dataset.full_bytes = 4 * PAGE_BYTES;
            for language in ["no", "en"].iter().cycle().take(pages) {
                let page = ExportedPage {
                    language: Some((*language).to_owned()),
                    ..ExportedPage::default()
                };
                dataset.write(&page).unwrap();
            }
            assert!(!dir.exists());
            Box::new(dataset).finish().unwrap();
            let entries = fs::read_dir(dir.join("data")).unwrap();
            let mut names: Vec<String> = entries
                .map(|entry| entry.unwrap().file_name().into_string().unwrap())
                .collect();
            names.sort();
            assert_eq!(names, files);
            let card = fs::read_to_string(dir.join("README.md")).unwrap();
            assert!(
                card.contains(&format!("num_examples: {pages}\n")) && card.contains("- a note\n"),
                "{card}"
            );
            // Without quotes, it would be false.
            assert_eq!(card.contains("language:\n- \"en\"\n- \"no\"\n"), pages > 0, "{card}");
            fs::remove_dir_all(&dir).unwrap();
        }
    }
}
