//! Documents by the ids of their owners on a Redis server, shared by several processes.
//!
//! ```text
//! key        type  field            value
//! ids        hash  id, by postcard  number u64 BE
//! documents  hash  number u64 BE    id, digest, verdict, by postcard
//! ```
//!
//! The other keys are those of the [`RedisIndex`]. A document, the verdict on it and its entries in the index are written in one
//! step, so no crash separates them. The numbers are in the order of these steps, and each verdict is the one that the unique
//! documents with lower numbers give.

use super::Added;
use super::documents::Document;
use super::error::CollectionError;
use super::id::Id;
use super::rows;
use crate::duplicate_rule::DuplicateRule;
use crate::index::{Commit, Committed, MOST_DECISIONS, RedisAddress, RedisIndex, RedisOptions};
use crate::layout::Layout;
use crate::scheme::Scheme;
use crate::signature::{DocId, Signature};
use crate::verdict::Verdict;

/// Documents by the ids of their owners on a Redis server, with the verdict on each. Several processes and threads may add
/// documents at once: of near-duplicates that arrive at the same time, exactly one is unique.
///
/// A document is added once. Adding it again with the same text, from any process, gives its verdict again. What is added is
/// saved as far as the server saves it.
#[derive(Debug)]
pub struct SharedCollection {
    index: RedisIndex,
    rule: DuplicateRule,
}

impl SharedCollection {
    /// Opens the collection at `address`, or makes one there. All processes give the same scheme and rule.
    ///
    /// # Errors
    /// The rule is invalid, or no layout guarantees its distance. The server cannot be used. The collection was made for another
    /// scheme or rule.
    pub fn open_or_create(
        address: &RedisAddress,
        scheme: &Scheme,
        rule: &DuplicateRule,
    ) -> Result<Self, CollectionError> {
        Self::open_for(address, scheme, rule, true)
    }

    /// Opens the collection at `address`.
    ///
    /// # Errors
    /// As [`SharedCollection::open_or_create`]. There is no collection.
    pub fn open(address: &RedisAddress, scheme: &Scheme, rule: &DuplicateRule) -> Result<Self, CollectionError> {
        Self::open_for(address, scheme, rule, false)
    }

    fn open_for(
        address: &RedisAddress,
        scheme: &Scheme,
        rule: &DuplicateRule,
        makes: bool,
    ) -> Result<Self, CollectionError> {
        rule.validate().map_err(crate::DedupError::from)?;
        let options = RedisOptions {
            layout: Some(Layout::for_distance(scheme.width, rule.max_distance).map_err(crate::DedupError::from)?),
            ..RedisOptions::default()
        };
        Ok(Self {
            index: RedisIndex::open_for(address, [&scheme.id(), &rule.to_string()], rule, &options, makes)?,
            rule: rule.clone(),
        })
    }

    /// The verdict on a document with this signature, which stays out of the collection.
    ///
    /// # Errors
    /// The server cannot be used.
    pub fn check(&self, signature: &Signature) -> Result<Verdict, CollectionError> {
        Ok(self.index.decide(signature, &self.rule, None, |_| true)?.verdict)
    }

    /// Adds a document and returns the verdict on it. A document that is already there keeps its verdict.
    ///
    /// # Errors
    /// [`CollectionError::OtherText`]: `id` is there with another text. Or the server cannot be used; then the document may be
    /// there or not, and the same call gives the verdict on it later.
    pub fn add(&self, id: &Id, signature: &Signature) -> Result<Verdict, CollectionError> {
        Ok(self.add_or_find(id, signature)?.verdict)
    }

    /// As [`SharedCollection::add`]; says whether the document was there before.
    ///
    /// # Errors
    /// As [`SharedCollection::add`].
    pub fn add_or_find(&self, id: &Id, signature: &Signature) -> Result<Added, CollectionError> {
        let name = postcard::to_stdvec(id).map_err(crate::DedupError::from)?;
        for _ in 0..MOST_DECISIONS {
            let decided = self.index.decide(signature, &self.rule, Some(&name), |_| true)?;
            if let Some(number) = decided.known {
                return self.known(number, id, signature);
            }
            let row = rows::written(&Document {
                id: id.clone(),
                digest: signature.digest,
                verdict: decided.verdict,
            })?;
            let committed = self.index.commit(&Commit {
                changes: Some(&decided.changes),
                max_distance: self.rule.max_distance,
                id: None,
                signature,
                is_unique: decided.verdict == Verdict::Unique,
                row: Some((&name, &row)),
            })?;
            match committed {
                Committed::Done(number) => {
                    return Ok(Added {
                        number,
                        verdict: decided.verdict,
                        is_new: true,
                    });
                }
                Committed::Known(number) => return self.known(number, id, signature),
                Committed::Changed => {}
            }
        }
        Err(self.index.contended().into())
    }

    /// The answer for a document that the index already has.
    fn known(&self, number: DocId, id: &Id, signature: &Signature) -> Result<Added, CollectionError> {
        match self.document(number)? {
            Some(document) if document.digest == signature.digest => Ok(Added {
                number,
                verdict: document.verdict,
                is_new: false,
            }),
            Some(_) => Err(CollectionError::OtherText(id.clone())),
            None => Err(self.index.damaged().into()),
        }
    }

    fn document(&self, number: DocId) -> Result<Option<Document>, CollectionError> {
        let row = self.index.row(number)?;
        row.map(|row| rows::read(&row).ok_or_else(|| self.index.damaged().into()))
            .transpose()
    }

    /// The id of the document that a verdict names.
    ///
    /// # Errors
    /// The server cannot be used.
    pub fn id(&self, number: DocId) -> Result<Option<Id>, CollectionError> {
        Ok(self.document(number)?.map(|document| document.id))
    }

    /// The index of the unique documents.
    #[must_use]
    pub fn index(&self) -> &RedisIndex {
        &self.index
    }

    /// Number of documents, duplicates included.
    ///
    /// # Errors
    /// The server cannot be used.
    pub fn len(&self) -> Result<usize, CollectionError> {
        Ok(self.index.rows()?)
    }

    /// Whether there is no document.
    ///
    /// # Errors
    /// The server cannot be used.
    pub fn is_empty(&self) -> Result<bool, CollectionError> {
        Ok(self.len()? == 0)
    }
}
