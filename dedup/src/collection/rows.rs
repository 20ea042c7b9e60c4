//! The rows of a collection in its folder.

use std::path::Path;

use serde::{Deserialize, Serialize};
use sled::{Batch, Db, Tree};

use super::database::Database;
use super::documents::{Document, Documents};
use super::error::CollectionError;
use super::numbers::DocIds;
use super::settings::{CollectionSettings, Terms};
use crate::signature::DocId;

/// Names of the trees, and of the row of the settings.
const SETTINGS: &str = "collection-settings";
const DOCUMENTS: &str = "collection-documents";

/// Key of the row with the documents of runs that have ended.
const ENDED: &str = "ended";

/// Version of the rows, where settings of a collection made it.
const FORMAT: u8 = 1;
/// The same, where another scheme or rule made it.
const FORMAT_OF_ANY: u8 = 2;

/// Rows that sled writes in one step. Larger steps take it much memory.
const ROWS_PER_BATCH: usize = 256;

/// The rows of the documents, and the database that also holds the index.
#[derive(Debug)]
pub(super) struct Rows {
    database: Database,
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
    /// Opens the rows of the collection in the folder, or makes a database for one. Nothing is written to a database of somebody else.
    pub fn open(folder: &Path) -> Result<Self, CollectionError> {
        let database = Database::open(folder)?;
        let is_collection = database
            .db()
            .tree_names()
            .iter()
            .any(|name| name == SETTINGS.as_bytes());
        if !is_collection && has_others(&database) {
            return Err(CollectionError::OtherDatabase(folder.to_owned()));
        }
        Ok(Self {
            settings: database.tree(SETTINGS)?,
            documents: database.tree(DOCUMENTS)?,
            database,
        })
    }

    /// Whether the database has trees of somebody else.
    pub fn has_others(&self) -> bool {
        has_others(&self.database)
    }

    pub fn db(&self) -> &Db {
        self.database.db()
    }

    pub fn damaged(&self, reason: &str) -> CollectionError {
        CollectionError::Damaged {
            folder: self.database.folder().to_owned(),
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
                folder: self.database.folder().to_owned(),
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

    /// The documents of runs that have ended.
    pub fn ended(&self) -> Result<DocIds, CollectionError> {
        match self.settings.get(ENDED)? {
            None => Ok(DocIds::default()),
            Some(row) => postcard::from_bytes(&row).map_err(|_| self.damaged("which runs have ended cannot be read")),
        }
    }

    /// Notes that runs with these documents have ended.
    pub fn write_ended(&self, documents: &DocIds) -> Result<(), CollectionError> {
        let row = encoded(documents, Vec::new())?;
        self.settings.insert(ENDED, row)?;
        Ok(())
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
        self.database.flush()
    }
}

fn has_others(database: &Database) -> bool {
    let own = ["__sled__default", SETTINGS, DOCUMENTS];
    let is_own = |name: &sled::IVec| own.iter().any(|own| own.as_bytes() == &name[..]);
    !database.db().tree_names().iter().all(is_own)
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
