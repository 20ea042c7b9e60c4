//! The meta tree: the scheme and layout that the index was made for, and how far it has come.

use sled::{Db, Tree};

use super::read_u64;
use super::shape::Shape;
use crate::error::DedupError;

const META: &str = "dedup-meta";

/// Rows of the tree.
const SCHEME: &str = "scheme";
const LAYOUT: &str = "layout";
const APPLIED: &str = "applied";
const CLEARING: &str = "clearing";
const MARK: &str = "mark";
const UNMARKED: &str = "unmarked";
const MERGED: &str = "merged";

/// The meta tree.
#[derive(Clone)]
pub(super) struct Meta {
    tree: Tree,
}

impl Meta {
    /// Whether `db` has a meta tree.
    pub fn is_in(db: &Db) -> bool {
        db.tree_names().iter().any(|name| *name == META.as_bytes())
    }

    pub fn open(db: &Db) -> Result<Self, DedupError> {
        Ok(Self {
            tree: db.open_tree(META)?,
        })
    }

    /// The scheme that the index was made with.
    pub fn scheme(&self) -> Result<String, DedupError> {
        let scheme = self.tree.get(SCHEME)?.ok_or(DedupError::Corrupt(META))?;
        Ok(String::from_utf8_lossy(&scheme).into_owned())
    }

    /// Compares scheme and layout with the ones noted. Returns `false` if none are noted yet.
    ///
    /// # Errors
    /// [`DedupError::OtherScheme`] and [`DedupError::OtherLayout`].
    pub fn matches(&self, scheme_id: &str, shape: &Shape) -> Result<bool, DedupError> {
        let (Some(scheme), Some(layout)) = (self.tree.get(SCHEME)?, self.tree.get(LAYOUT)?) else {
            return Ok(false);
        };
        compare(&scheme, scheme_id, other_scheme)?;
        compare(&layout, &shape.name(), other_layout)?;
        Ok(true)
    }

    /// Notes scheme and layout where none are noted, and compares them where they are.
    ///
    /// # Errors
    /// As [`matches`](Self::matches).
    pub fn note_or_compare(&self, scheme_id: &str, shape: &Shape) -> Result<(), DedupError> {
        self.note_or_compare_row(SCHEME, scheme_id, other_scheme)?;
        self.note_or_compare_row(LAYOUT, &shape.name(), other_layout)
    }

    fn note_or_compare_row(&self, key: &str, wanted: &str, error: Mismatch) -> Result<(), DedupError> {
        match self.tree.get(key)? {
            None => self.tree.insert(key, wanted)?,
            Some(found) => return compare(&found, wanted, error),
        };
        Ok(())
    }

    /// The sequence up to which the owner's catalogue is in the index; 0 if nothing is.
    pub fn applied(&self) -> Result<u64, DedupError> {
        self.number(APPLIED)
    }

    /// The first row of the log: the documents of the rows before it are in the sorted trees.
    pub fn merged(&self) -> Result<u64, DedupError> {
        self.number(MERGED)
    }

    fn number(&self, key: &str) -> Result<u64, DedupError> {
        let row = self.tree.get(key)?;
        row.map_or(Ok(0), |value| read_u64(&value).ok_or(DedupError::Corrupt(META)))
    }

    pub fn set_merged(&self, first: u64) -> Result<(), DedupError> {
        self.tree.insert(MERGED, &first.to_be_bytes())?;
        Ok(())
    }

    pub fn set_applied(&self, sequence: u64) -> Result<(), sled::Error> {
        self.tree.insert(APPLIED, &sequence.to_be_bytes()).map(drop)
    }

    /// The owner's mark.
    pub fn mark(&self) -> Result<Option<Vec<u8>>, DedupError> {
        Ok(self.tree.get(MARK)?.map(|mark| mark.to_vec()))
    }

    /// Notes the owner's mark: the documents noted before are complete now.
    pub fn set_mark(&self, mark: &[u8]) -> Result<(), DedupError> {
        let mut batch = sled::Batch::default();
        batch.insert(MARK, mark);
        batch.remove(UNMARKED);
        self.tree.apply_batch(batch)?;
        Ok(())
    }

    /// Notes documents that are about to be written before the next mark.
    pub fn note_unmarked(&self, ids: &[u64]) -> Result<(), DedupError> {
        self.tree.insert(UNMARKED, postcard::to_stdvec(ids)?)?;
        Ok(())
    }

    /// The documents of a mark that was not reached.
    pub fn unmarked(&self) -> Result<Vec<u64>, DedupError> {
        let row = self.tree.get(UNMARKED)?;
        row.map_or(Ok(Vec::new()), |row| Ok(postcard::from_bytes(&row)?))
    }

    pub fn forget_unmarked(&self) -> Result<(), DedupError> {
        self.tree.remove(UNMARKED)?;
        Ok(())
    }

    /// Whether a process began to erase the index and did not finish.
    pub fn is_being_cleared(&self) -> Result<bool, DedupError> {
        Ok(self.tree.contains_key(CLEARING)?)
    }

    pub fn begin_clearing(&self) -> Result<(), DedupError> {
        self.tree.insert(CLEARING, &[])?;
        Ok(())
    }

    /// Removes all rows, the note of the clearing last: sled drops a tree in more than one step.
    pub fn finish_clearing(&self) -> Result<(), DedupError> {
        for key in self.tree.iter().keys() {
            let key = key?;
            if key != CLEARING {
                self.tree.remove(key)?;
            }
        }
        self.tree.remove(CLEARING)?;
        Ok(())
    }
}

/// Makes an error of the value found and the value wanted.
type Mismatch = fn(String, String) -> DedupError;

fn other_scheme(found: String, wanted: String) -> DedupError {
    DedupError::OtherScheme { found, wanted }
}

fn other_layout(found: String, wanted: String) -> DedupError {
    DedupError::OtherLayout { found, wanted }
}

fn compare(found: &[u8], wanted: &str, error: Mismatch) -> Result<(), DedupError> {
    if *found == *wanted.as_bytes() {
        return Ok(());
    }
    Err(error(String::from_utf8_lossy(found).into_owned(), wanted.to_owned()))
}
