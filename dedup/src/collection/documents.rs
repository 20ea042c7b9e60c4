//! All documents of a collection, by id and by number.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};

use super::id::Id;
use crate::signature::{Digest, DocId};
use crate::verdict::Verdict;

/// A document and the verdict on it. The rows of a collection have it in this form.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Document {
    pub id: Id,
    /// Tells whether the document is added again with the same text; `None` for a text without words.
    pub digest: Option<Digest>,
    pub verdict: Verdict,
}

/// The documents. A number is given once, in the order of adding.
#[derive(Debug, Default)]
pub(super) struct Documents {
    by_number: BTreeMap<u64, Document>,
    numbers: HashMap<Id, u64>,
    /// Numbers of the duplicates of a unique document, ascending.
    duplicates: BTreeMap<u64, Vec<u64>>,
    next: u64,
}

impl Documents {
    pub fn len(&self) -> usize {
        self.by_number.len()
    }

    /// The number of the next document.
    pub fn next_number(&self) -> u64 {
        self.next
    }

    pub fn number(&self, id: &Id) -> Option<u64> {
        self.numbers.get(id).copied()
    }

    pub fn by_id(&self, id: &Id) -> Option<&Document> {
        self.by_number(self.number(id)?)
    }

    pub fn by_number(&self, number: u64) -> Option<&Document> {
        self.by_number.get(&number)
    }

    pub fn is_unique(&self, number: u64) -> bool {
        self.by_number(number)
            .is_some_and(|document| document.verdict == Verdict::Unique)
    }

    /// Counts the unique documents.
    pub fn unique(&self) -> usize {
        self.len() - self.duplicates.values().map(Vec::len).sum::<usize>()
    }

    /// Adds a document. The caller adds them in the order of their numbers, each id once.
    pub fn insert(&mut self, number: u64, document: Document) {
        self.numbers.insert(document.id.clone(), number);
        if let Some(DocId(of)) = document.verdict.of() {
            self.duplicates.entry(of).or_default().push(number);
        }
        self.by_number.insert(number, document);
        self.next = self.next.max(number + 1);
    }

    /// A document and, if it is unique, its duplicates.
    pub fn with_duplicates(&self, number: u64) -> Vec<u64> {
        let duplicates = self.duplicates.get(&number).into_iter().flatten();
        [number].iter().chain(duplicates).copied().collect()
    }

    pub fn remove(&mut self, number: u64) -> Option<Document> {
        let document = self.by_number.remove(&number)?;
        self.numbers.remove(&document.id);
        self.duplicates.remove(&number);
        if let Some(DocId(of)) = document.verdict.of()
            && let Some(others) = self.duplicates.get_mut(&of)
        {
            others.retain(|other| *other != number);
            if others.is_empty() {
                self.duplicates.remove(&of);
            }
        }
        Some(document)
    }

    pub fn clusters(&self) -> impl Iterator<Item = (&Id, impl Iterator<Item = &Id>)> {
        let id = |number: &u64| Some(&self.by_number(*number)?.id);
        self.duplicates
            .iter()
            .filter_map(move |(of, duplicates)| Some((id(of)?, duplicates.iter().filter_map(id))))
    }
}
