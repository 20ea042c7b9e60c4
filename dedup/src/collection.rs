//! Documents by the ids of their owner, with the verdict on each: in memory, or in a folder that survives a crash.
//!
//! ```text
//! add ─▶ index ── unique documents, by number       save: first the index, then the documents, then a flush
//!    └─▶ documents ── id, digest, verdict of every document, by number
//! ```
//!
//! A folder holds one sled database with the trees of a [`SledIndex`] and two more:
//!
//! ```text
//! tree                  key            value
//! collection-settings   "settings"     1 u8, then `CollectionSettings`; or 2 u8, then names of scheme and rule; by postcard
//!                       "ended"        numbers of the documents of runs that have ended, by postcard
//! collection-documents  number u64 BE  id, digest, verdict, by postcard
//! ```
//!
//! **Crash safety.** After a crash, sled recovers a prefix of its writes. A save writes a document into the index before it
//! writes the row of the document. A removal deletes the rows before it removes the document from the index. So the index
//! has every unique document that has a row. The next opening removes the documents that the index has beyond these, and
//! the rows of duplicates whose unique document is gone.

mod database;
mod documents;
mod error;
mod id;
mod numbers;
mod rows;
mod settings;
#[cfg(feature = "redis")]
mod shared;

use std::collections::HashSet;
use std::path::Path;

use self::database::Database;
use self::documents::{Document, Documents};
pub use self::error::CollectionError;
pub use self::id::Id;
pub use self::numbers::DocIds;
use self::rows::Rows;
pub use self::settings::CollectionSettings;
use self::settings::Terms;
#[cfg(feature = "redis")]
pub use self::shared::SharedCollection;
use crate::deduplicator::Deduplicator;
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::index::{Candidates, Index, MemoryIndex, SledIndex, SledOptions};
use crate::scheme::Scheme;
use crate::signature::{DocId, Signature};
use crate::verdict::Verdict;

/// Number of unsaved documents that makes [`Collection::add`] save them.
const SAVED_EVERY: usize = 4_096;

/// What became of a document that was added.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Added {
    /// The number of the document.
    pub number: DocId,
    /// The verdict that the document got when it was first added.
    pub verdict: Verdict,
    /// Whether the document is new in the index.
    pub is_new: bool,
}

/// Documents by the ids of their owner, with the verdict on each.
///
/// A document is added once. Adding it again with the same text gives its verdict again, so that a program that was
/// interrupted can start from the beginning.
///
/// ```
/// use dedup::{Analyzer, Collection, CollectionSettings, Id};
///
/// # fn main() -> Result<(), dedup::CollectionError> {
/// # let folder = tempfile::tempdir().unwrap();
/// # let folder = folder.path();
/// let settings = CollectionSettings::default();
/// let analyzer = Analyzer::new(&settings.scheme());
/// let mut collection = Collection::open_or_create(folder, &settings)?;
/// for (name, text) in [("a.txt", "One text."), ("b.txt", "one  TEXT.")] {
///     collection.add(&Id::from(name), &analyzer.analyze(text))?;
/// }
/// let verdict = collection.verdict(&Id::from("b.txt")).unwrap();
/// assert_eq!(collection.id(verdict.of().unwrap()), Some(&Id::from("a.txt")));
/// collection.save()?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Collection {
    terms: Terms,
    documents: Documents,
    kept: Kept,
    /// The documents of runs that have ended.
    ended: DocIds,
}

/// The index of the unique documents.
#[derive(Debug)]
enum Kept {
    Memory(Box<Deduplicator<MemoryIndex>>),
    Folder {
        dedup: Box<Deduplicator<SledIndex>>,
        rows: Rows,
        /// Numbers of the documents that have no row yet, ascending.
        unsaved: Vec<u64>,
    },
}

impl Collection {
    /// An empty collection that lives as long as the process.
    ///
    /// # Errors
    /// A setting is out of bounds.
    pub fn in_memory(settings: &CollectionSettings) -> Result<Self, CollectionError> {
        let rule = settings.rule();
        Ok(Self {
            terms: Terms::Settings(settings.clone()),
            documents: Documents::default(),
            kept: Kept::Memory(Box::new(Deduplicator::new(MemoryIndex::new(&rule)?, rule)?)),
            ended: DocIds::default(),
        })
    }

    /// Opens the collection in `folder`, or makes one there.
    ///
    /// # Errors
    /// A setting is out of bounds. The collection was made with other settings. Or as [`Collection::open`].
    pub fn open_or_create(folder: &Path, settings: &CollectionSettings) -> Result<Self, CollectionError> {
        Self::open_or_create_for(folder, &settings.scheme(), &settings.rule(), Candidates::Blocks)
    }

    /// As [`Collection::open_or_create`], with any scheme and rule. The `candidates` may change from one opening to the next: see
    /// [`SledOptions::candidates`].
    ///
    /// # Errors
    /// As [`Collection::open_or_create`].
    pub fn open_or_create_for(
        folder: &Path,
        scheme: &Scheme,
        rule: &DuplicateRule,
        candidates: Candidates,
    ) -> Result<Self, CollectionError> {
        // The bounds come first, so that no folder appears for settings that nobody can use.
        Deduplicator::new(MemoryIndex::of_width(scheme.width, rule)?, rule.clone())?;
        let (rows, wanted) = (Rows::open(folder)?, Terms::of(scheme, rule));
        match rows.terms()? {
            None if rows.has_others() => return Err(CollectionError::OtherDatabase(folder.to_owned())),
            None => rows.write_terms(&wanted)?,
            Some(found) if found == wanted => {}
            Some(found) => return Err(CollectionError::other_settings(folder, &found, &wanted)),
        }
        Self::of_rows(rows, wanted, (scheme, rule.clone()), candidates)
    }

    /// Opens the collection in `folder` that was made with this scheme and rule.
    ///
    /// # Errors
    /// As [`Collection::open_or_create`]. There is no collection.
    pub fn open_for(
        folder: &Path,
        scheme: &Scheme,
        rule: &DuplicateRule,
        candidates: Candidates,
    ) -> Result<Self, CollectionError> {
        if !Database::may_be_in(folder) {
            return Err(CollectionError::Missing(folder.to_owned()));
        }
        Self::open_or_create_for(folder, scheme, rule, candidates)
    }

    /// Opens the collection in `folder` with the settings that it was made with.
    ///
    /// # Errors
    /// There is no collection, or the database of somebody else. It was made with a scheme and a rule that no settings give. Another process has it open. It cannot
    /// be read. It is damaged.
    pub fn open(folder: &Path) -> Result<Self, CollectionError> {
        let missing = || CollectionError::Missing(folder.to_owned());
        if !Database::may_be_in(folder) {
            return Err(missing());
        }
        let rows = Rows::open(folder)?;
        match rows.terms()?.ok_or_else(missing)? {
            Terms::Settings(settings) => {
                let (scheme, rule) = (settings.scheme(), settings.rule());
                Self::of_rows(rows, Terms::Settings(settings), (&scheme, rule), Candidates::Blocks)
            }
            found => Err(CollectionError::other_settings(
                folder,
                &found,
                &"settings of a collection",
            )),
        }
    }

    fn of_rows(
        mut rows: Rows,
        terms: Terms,
        (scheme, rule): (&Scheme, DuplicateRule),
        candidates: Candidates,
    ) -> Result<Self, CollectionError> {
        let options = SledOptions {
            candidates,
            ..SledOptions::of_width(scheme.width, &rule)?
        };
        let mut index = SledIndex::open_with(rows.db(), &scheme.id(), &rule, options)?;
        let documents = rows.documents()?;
        remove_strays(&mut index, &documents)?;
        if index.len()? != documents.unique() {
            return Err(rows.damaged("the index does not have the documents that the rows name"));
        }
        Ok(Self {
            terms,
            documents,
            ended: rows.ended()?,
            kept: Kept::Folder {
                dedup: Box::new(Deduplicator::new(index, rule)?),
                rows,
                unsaved: Vec::new(),
            },
        })
    }

    /// The settings that the collection was made with; `None` if its scheme and rule are none that settings give.
    #[must_use]
    pub fn settings(&self) -> Option<&CollectionSettings> {
        match &self.terms {
            Terms::Settings(settings) => Some(settings),
            Terms::Any { .. } => None,
        }
    }

    /// What `read` says about the index of the unique documents.
    pub fn with_index<T>(&self, read: impl FnOnce(&dyn Index) -> T) -> T {
        match &self.kept {
            Kept::Memory(dedup) => read(&*dedup.index()),
            Kept::Folder { dedup, .. } => read(&*dedup.index()),
        }
    }

    /// The verdict on a document with this signature, which stays out of the collection.
    ///
    /// # Errors
    /// The index cannot be read.
    pub fn check(&self, signature: &Signature) -> Result<Verdict, CollectionError> {
        Ok(match &self.kept {
            Kept::Memory(dedup) => dedup.check(signature)?,
            Kept::Folder { dedup, .. } => dedup.check(signature)?,
        })
    }

    /// Adds a document and returns the verdict on it. A document that is already there keeps its verdict.
    ///
    /// In a folder, every few thousand documents are saved together; [`Collection::save`] saves the others.
    ///
    /// # Errors
    /// [`CollectionError::OtherText`]: `id` is there with another text. Or the index cannot be read or written.
    pub fn add(&mut self, id: &Id, signature: &Signature) -> Result<Verdict, CollectionError> {
        Ok(self.add_or_find(id, signature)?.verdict)
    }

    /// As [`Collection::add`]; says whether the document was there before.
    ///
    /// # Errors
    /// As [`Collection::add`].
    pub fn add_or_find(&mut self, id: &Id, signature: &Signature) -> Result<Added, CollectionError> {
        if let Some(number) = self.documents.number(id)
            && let Some(document) = self.documents.by_number(number)
        {
            if document.digest != signature.digest {
                return Err(CollectionError::OtherText(id.clone()));
            }
            return Ok(Added {
                number: DocId(number),
                verdict: document.verdict,
                is_new: false,
            });
        }
        let number = self.documents.next_number();
        let verdict = match &self.kept {
            Kept::Memory(dedup) => dedup.check_and_insert(DocId(number), signature)?,
            Kept::Folder { dedup, .. } => dedup.check_and_insert(DocId(number), signature)?,
        };
        self.documents.insert(
            number,
            Document {
                id: id.clone(),
                digest: signature.digest,
                verdict,
            },
        );
        if let Kept::Folder { unsaved, .. } = &mut self.kept {
            unsaved.push(number);
            if unsaved.len() >= SAVED_EVERY {
                self.save()?;
            }
        }
        Ok(Added {
            number: DocId(number),
            verdict,
            is_new: true,
        })
    }

    /// Notes that a run with these documents has ended, so that its results are complete, and saves all documents.
    ///
    /// # Errors
    /// As [`Collection::save`].
    pub fn end_run(&mut self, documents: &DocIds) -> Result<(), CollectionError> {
        self.write_unsaved()?;
        self.ended.extend(documents);
        if let Kept::Folder { rows, .. } = &self.kept {
            rows.write_ended(&self.ended)?;
        }
        self.save()
    }

    /// Whether a run with the document has ended.
    #[must_use]
    pub fn is_of_ended_run(&self, number: DocId) -> bool {
        self.ended.contains(number)
    }

    /// Removes a document. If it is unique, this also removes its duplicates, since no verdict on them is left. Returns
    /// the ids of these duplicates, in the order in which they were added, so that the caller can add them again. In a
    /// folder, the removal survives a crash after the next [`Collection::save`].
    ///
    /// # Errors
    /// [`CollectionError::Unknown`]: there is no document `id`. Or the index cannot be written.
    pub fn remove(&mut self, id: &Id) -> Result<Vec<Id>, CollectionError> {
        let unknown = || CollectionError::Unknown(id.clone());
        let number = self.documents.number(id).ok_or_else(unknown)?;
        self.write_unsaved()?;
        let numbers = self.documents.with_duplicates(number);
        // This comes first, because a later document may get the number of a removed one.
        let of_ended = numbers.iter().filter(|number| self.ended.remove(DocId(**number)));
        if of_ended.count() > 0
            && let Kept::Folder { rows, .. } = &self.kept
        {
            rows.write_ended(&self.ended)?;
        }
        match &self.kept {
            Kept::Memory(dedup) => dedup.remove(DocId(number))?,
            Kept::Folder { dedup, rows, .. } => {
                rows.delete(&numbers)?;
                dedup.remove(DocId(number))?
            }
        };
        let removed = numbers.iter().filter_map(|number| self.documents.remove(*number));
        Ok(removed.skip(1).map(|document| document.id).collect())
    }

    /// Saves all documents. When it returns, they survive a crash of the process and of the machine.
    ///
    /// # Errors
    /// [`CollectionError::NoFolder`]: the collection is in memory. Or the folder cannot be written.
    pub fn save(&mut self) -> Result<(), CollectionError> {
        self.write_unsaved()?;
        match &self.kept {
            Kept::Memory(_) => Err(CollectionError::NoFolder),
            Kept::Folder { rows, .. } => rows.flush(),
        }
    }

    /// Writes the unsaved documents, without waiting for the disk.
    fn write_unsaved(&mut self) -> Result<(), CollectionError> {
        if let Kept::Folder { dedup, rows, unsaved } = &mut self.kept {
            dedup.index_mut().persist(self.documents.next_number())?;
            let documents = unsaved
                .iter()
                .filter_map(|number| Some((*number, self.documents.by_number(*number)?)));
            rows.write(documents)?;
            unsaved.clear();
        }
        Ok(())
    }

    /// Whether the collection has the document.
    #[must_use]
    pub fn contains(&self, id: &Id) -> bool {
        self.documents.number(id).is_some()
    }

    /// The verdict on a document of the collection.
    #[must_use]
    pub fn verdict(&self, id: &Id) -> Option<Verdict> {
        self.documents.by_id(id).map(|document| document.verdict)
    }

    /// The id of the document that a verdict names.
    #[must_use]
    pub fn id(&self, number: DocId) -> Option<&Id> {
        self.documents.by_number(number.0).map(|document| &document.id)
    }

    /// Number of documents, duplicates included.
    #[must_use]
    pub fn len(&self) -> usize {
        self.documents.len()
    }

    /// Whether there is no document.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Every unique document that has duplicates, with these, all in the order in which they were added.
    pub fn clusters(&self) -> impl Iterator<Item = (&Id, impl Iterator<Item = &Id>)> {
        self.documents.clusters()
    }
}

/// Removes from the index what an interrupted save or removal has left there.
fn remove_strays(index: &mut SledIndex, documents: &Documents) -> Result<(), DedupError> {
    let mut strays = HashSet::new();
    index.for_each_id(|id| {
        if !documents.is_unique(id.0) {
            strays.insert(id);
        }
    })?;
    for id in strays {
        index.remove(id)?;
    }
    Ok(())
}
