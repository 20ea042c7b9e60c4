//! The rows of a collection in its folder.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};
use sled::{Batch, Db, Tree};

use super::documents::{Document, Documents};
use super::error::CollectionError;
use super::settings::{CollectionSettings, Terms};
use crate::signature::DocId;

/// Names of the trees, and of the row of the settings.
const SETTINGS: &str = "collection-settings";
const DOCUMENTS: &str = "collection-documents";

/// Version of the rows, where settings of a collection made it.
const FORMAT: u8 = 1;
/// The same, where another scheme or rule made it.
const FORMAT_OF_ANY: u8 = 2;

/// The index resides in memory, so sled needs no more.
const CACHE_BYTES: u64 = 16 << 20;

/// Rows that sled writes in one step. Larger steps take it much memory.
const ROWS_PER_BATCH: usize = 256;

/// How long a locked database is waited for. Longer ones are those of another process.
const RELEASE_WITHIN: Duration = Duration::from_secs(2);
const RELEASE_CHECKED_EVERY: Duration = Duration::from_millis(2);

/// The rows of the documents, and the database that also holds the index.
#[derive(Debug)]
pub(super) struct Rows {
    folder: PathBuf,
    db: Db,
    settings: Tree,
    documents: Tree,
}

/// The row of the settings, after the byte of the format.
#[derive(Serialize, Deserialize)]
struct SettingsRow<'a> {
    max_distance: u32,
    min_similarity: f32,
    features: &'a str,
}

impl Rows {
    /// Whether a database may be in the folder.
    pub fn may_be_in(folder: &Path) -> bool {
        folder.join("db").is_file()
    }

    /// Opens the database, or makes one. A database that is locked may be released soon: threads of sled hold the lock of a database of this
    /// process a little after it is dropped.
    pub fn open(folder: &Path) -> Result<Self, CollectionError> {
        let deadline = Instant::now() + RELEASE_WITHIN;
        loop {
            match Self::open_now(folder) {
                Err(CollectionError::InUse(_)) if Instant::now() < deadline => {
                    std::thread::sleep(RELEASE_CHECKED_EVERY)
                }
                opened => return opened,
            }
        }
    }

    fn open_now(folder: &Path) -> Result<Self, CollectionError> {
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let config = sled::Config::new().path(folder).cache_capacity(CACHE_BYTES);
            let db = config.flush_every_ms(None).open()?;
            let (settings, documents) = (db.open_tree(SETTINGS)?, db.open_tree(DOCUMENTS)?);
            Ok((db, settings, documents))
        }));
        let folder = folder.to_owned();
        match opened {
            Ok(Ok((db, settings, documents))) => Ok(Self {
                folder,
                db,
                settings,
                documents,
            }),
            Ok(Err(sled::Error::Io(error))) if is_locked(&error) => Err(CollectionError::InUse(folder)),
            Ok(Err(sled::Error::Io(source))) => Err(CollectionError::Io { folder, source }),
            // sled asserts some properties of the files that it reads.
            Ok(Err(_)) | Err(_) => Err(CollectionError::Damaged {
                folder,
                reason: "its database is inconsistent".to_owned(),
            }),
        }
    }

    /// Whether the database has trees of somebody else.
    pub fn has_others(&self) -> bool {
        let own = ["__sled__default", SETTINGS, DOCUMENTS];
        let is_own = |name: &sled::IVec| own.iter().any(|own| own.as_bytes() == &name[..]);
        !self.db.tree_names().iter().all(is_own)
    }

    pub fn db(&self) -> &Db {
        &self.db
    }

    pub fn damaged(&self, reason: &str) -> CollectionError {
        CollectionError::Damaged {
            folder: self.folder.clone(),
            reason: reason.to_owned(),
        }
    }

    /// What the collection was made for; `None` where none has been made.
    pub fn terms(&self) -> Result<Option<Terms>, CollectionError> {
        let Some(row) = self.settings.get(SETTINGS)? else {
            return Ok(None);
        };
        let unreadable = || self.damaged("its settings cannot be read");
        let (found, row) = row.split_first().ok_or_else(unreadable)?;
        match *found {
            FORMAT => {
                let row: SettingsRow<'_> = postcard::from_bytes(row).map_err(|_| unreadable())?;
                Ok(Some(Terms::Settings(CollectionSettings {
                    max_distance: row.max_distance,
                    min_similarity: row.min_similarity,
                    features: row.features.parse().map_err(|_| unreadable())?,
                })))
            }
            FORMAT_OF_ANY => {
                let (scheme, rule) = postcard::from_bytes(row).map_err(|_| unreadable())?;
                Ok(Some(Terms::Any { scheme, rule }))
            }
            found => Err(CollectionError::OtherFormat {
                folder: self.folder.clone(),
                found,
                wanted: FORMAT_OF_ANY,
            }),
        }
    }

    pub fn write_terms(&self, terms: &Terms) -> Result<(), CollectionError> {
        let row = match terms {
            Terms::Settings(settings) => {
                let row = SettingsRow {
                    max_distance: settings.max_distance,
                    min_similarity: settings.min_similarity,
                    features: &settings.features.to_string(),
                };
                encoded(&row, vec![FORMAT])?
            }
            Terms::Any { scheme, rule } => encoded(&(scheme, rule), vec![FORMAT_OF_ANY])?,
        };
        self.settings.insert(SETTINGS, row)?;
        self.flush()
    }

    /// All documents. Deletes the rows of duplicates whose unique document is gone, which finishes an interrupted removal.
    pub fn documents(&mut self) -> Result<Documents, CollectionError> {
        let unreadable = || self.damaged("a row of a document cannot be read");
        let (mut documents, mut orphans) = (Documents::default(), Vec::new());
        for row in &self.documents {
            let (key, value) = row?;
            let number = key[..].try_into().map(u64::from_be_bytes).map_err(|_| unreadable())?;
            let document = read(&value).ok_or_else(unreadable)?;
            // A unique document comes before its duplicates.
            match document.verdict.of() {
                Some(DocId(of)) if !documents.is_unique(of) => orphans.push(number),
                _ => documents.insert(number, document),
            }
        }
        self.delete(&orphans)?;
        Ok(documents)
    }

    /// Writes rows, each completely or not at all.
    pub fn write<'a>(&self, documents: impl Iterator<Item = (u64, &'a Document)>) -> Result<(), CollectionError> {
        let (mut batch, mut rows) = (Batch::default(), 0);
        for (number, document) in documents {
            batch.insert(&number.to_be_bytes(), written(document)?);
            rows += 1;
            if rows == ROWS_PER_BATCH {
                self.documents.apply_batch(std::mem::take(&mut batch))?;
                rows = 0;
            }
        }
        Ok(self.documents.apply_batch(batch)?)
    }

    /// Deletes rows, in this order.
    pub fn delete(&self, numbers: &[u64]) -> Result<(), CollectionError> {
        for numbers in numbers.chunks(ROWS_PER_BATCH) {
            let mut batch = Batch::default();
            numbers.iter().for_each(|number| batch.remove(&number.to_be_bytes()));
            self.documents.apply_batch(batch)?;
        }
        Ok(())
    }

    /// Waits until everything is on disk.
    pub fn flush(&self) -> Result<(), CollectionError> {
        self.db.flush()?;
        Ok(())
    }
}

/// Whether the database is locked. sled 0.34 has no error variant for it.
fn is_locked(error: &std::io::Error) -> bool {
    error.to_string().starts_with("could not acquire lock")
}

fn encoded(row: &impl Serialize, before: Vec<u8>) -> Result<Vec<u8>, CollectionError> {
    postcard::to_extend(row, before).map_err(|error| CollectionError::Index(error.into()))
}

/// The row of a document.
pub(super) fn written(document: &Document) -> Result<Vec<u8>, CollectionError> {
    encoded(document, Vec::new())
}

/// The document of a row; `None` if the row is damaged.
pub(super) fn read(row: &[u8]) -> Option<Document> {
    postcard::from_bytes(row).ok()
}
