//! Pairs of documents that have a key in common.
//!
//! Thousands of documents may have a key in common: the copies of one text with a changed date, or the pages of a
//! template. To pair all of them takes the square of their number. But a document is compared only with kept ones, and
//! of copies one is kept. So the first documents of a crowd, its *front*, are paired with all the others. The caller
//! decides what follows from that, leaves out what is dropped, and asks again with a longer front, until every document
//! was compared with all earlier ones that are left. The prefixes of Blelloch, Fineman and Shun (2012, §4) are the same
//! idea; they divide all documents, which helps little where copies follow one another.
//!
//! The index of `dedup` meets crowds otherwise: it leaves such a query to the blocks of the fingerprint. Here,
//! fingerprints that are too far apart are no pair.

use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;

use arrow_array::builder::{ArrayBuilder, BooleanBuilder, Int64Builder};
use arrow_array::{Array, ArrayRef, BooleanArray, Int64Array, RecordBatch};
use arrow_schema::ArrowError;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3_arrow::PyRecordBatch;

use super::columns::{documents, made, numbers, verdicts};
use super::sign::OF_SHORT_TEXT;

/// Pairs of a batch, more or less.
const BATCH: usize = 1 << 16;

/// Reads documents in ascending order of `key` and `document`, and makes pairs of those with one key.
#[pyclass(module = "near_duplicates._native")]
pub(crate) struct Pairs {
    max_distance: u32,
    /// Number of documents of a key that are paired with all later ones; `None`: kept documents are paired with dropped
    /// ones.
    front: Option<usize>,
    batches: VecDeque<Batch>,
    row: usize,
    has_ended: bool,
    key: i64,
    /// Documents of the key.
    members: Vec<Member>,
    /// The members with which the others are paired.
    partners: Vec<Member>,
    /// The next member to be paired; `None` while members are read.
    pairing: Option<usize>,
    found: Found,
}

struct Batch {
    keys: Int64Array,
    documents: Int64Array,
    fingerprints: Int64Array,
    kept: BooleanArray,
}

#[derive(Clone, Copy)]
struct Member {
    document: i64,
    fingerprint: Option<i64>,
    /// `None`: not decided.
    kept: Option<bool>,
}

#[derive(Default)]
struct Found {
    earlier: Int64Builder,
    later: Int64Builder,
    crowds: Int64Builder,
    fingerprints: Int64Builder,
    waits: BooleanBuilder,
}

#[pymethods]
impl Pairs {
    /// Pairs that decide: each document that is not decided, with those of the first `front` documents of its key that
    /// are earlier. If others were left out, each document with the key is also paired with itself, and `crowd` has the
    /// key.
    #[staticmethod]
    fn of_undecided(max_distance: u32, front: usize) -> Self {
        Self::new(max_distance, Some(front))
    }

    /// Pairs of a kept and a dropped document each.
    #[staticmethod]
    fn of_dropped(max_distance: u32) -> Self {
        Self::new(max_distance, None)
    }

    /// Adds documents: `key`, `document`, `fingerprint`, and in `kept` whether the document is kept, null if that is
    /// not decided.
    fn push(&mut self, batch: PyRecordBatch) -> PyResult<()> {
        let batch = batch.into_inner();
        self.batches.push_back(Batch {
            keys: documents(&batch, "key")?,
            documents: documents(&batch, "document")?,
            fingerprints: numbers(&batch, "fingerprint")?,
            kept: verdicts(&batch, "kept")?,
        });
        Ok(())
    }

    /// Says that there are no more documents.
    fn end(&mut self) {
        self.has_ended = true;
    }

    /// The next pairs, `earlier` and `later`; `None` if more documents are needed or there are no more pairs. The
    /// document of a pair with itself has its `fingerprint` here, and `waits` says whether it was not paired with all
    /// earlier ones.
    fn take<'py>(&mut self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyAny>>> {
        let is_full = py.detach(|| self.fill())?;
        if !is_full && (!self.has_ended || self.found.later.is_empty()) {
            return Ok(None);
        }
        made(py, self.found.finish()).map(Some)
    }
}

impl Pairs {
    fn new(max_distance: u32, front: Option<usize>) -> Self {
        Self {
            max_distance,
            front,
            batches: VecDeque::new(),
            row: 0,
            has_ended: false,
            key: 0,
            members: Vec::new(),
            partners: Vec::new(),
            pairing: None,
            found: Found::default(),
        }
    }

    /// Reads documents and makes pairs until there is a batch of pairs. Returns whether there is one.
    fn fill(&mut self) -> PyResult<bool> {
        loop {
            if let Some(next) = self.pairing.take() {
                for at in next..self.members.len() {
                    if self.found.later.len() >= BATCH {
                        self.pairing = Some(at);
                        return Ok(true);
                    }
                    self.pair(at);
                }
                self.members.clear();
                self.partners.clear();
            }
            if !self.read()? {
                return Ok(false);
            }
        }
    }

    /// Reads the documents of the next key. Returns `false` if more documents are needed or there are no more.
    fn read(&mut self) -> PyResult<bool> {
        while let Some(batch) = self.batches.front() {
            let Some(key) = batch.keys.values().get(self.row).copied() else {
                self.batches.pop_front();
                self.row = 0;
                continue;
            };
            let member = batch.member(self.row);
            let last = self.members.last();
            if last.is_some() && key != self.key {
                if key < self.key {
                    return Err(not_sorted());
                }
                self.pairing = Some(0);
                return Ok(true);
            }
            self.row += 1;
            match last.map(|last| last.document.cmp(&member.document)) {
                Some(Ordering::Greater) => return Err(not_sorted()),
                Some(Ordering::Equal) => continue,
                _ => {}
            }
            self.key = key;
            let is_partner = match self.front {
                Some(front) => self.partners.len() < front,
                None => member.kept == Some(true),
            };
            if is_partner {
                self.partners.push(member);
            }
            self.members.push(member);
        }
        let is_last = self.has_ended && !self.members.is_empty();
        self.pairing = is_last.then_some(0);
        Ok(is_last)
    }

    /// Pairs a member with its partners.
    fn pair(&mut self, at: usize) {
        let member = self.members[at];
        let (wanted, partners) = match self.front {
            Some(_) => (None, &self.partners[..at.min(self.partners.len())]),
            None => (Some(false), &self.partners[..]),
        };
        if let Some(front) = self.front.filter(|front| self.members.len() > front + 1) {
            self.found
                .push_crowded(self.key, &member, member.kept.is_none() && at > front);
        }
        if member.kept != wanted {
            return;
        }
        for partner in partners {
            if self.may_be_alike(partner, &member) {
                let (a, b) = (partner.document, member.document);
                self.found.push(a.min(b), a.max(b));
            }
        }
    }

    /// Whether the rule compares two documents that have the key in common, and their fingerprints are near.
    #[inline]
    fn may_be_alike(&self, a: &Member, b: &Member) -> bool {
        match (a.fingerprint, b.fingerprint) {
            // Texts with fingerprints are compared by these, and the bands are the keys for that.
            (Some(a), Some(b)) => self.key & OF_SHORT_TEXT == 0 && (a ^ b).count_ones() <= self.max_distance,
            _ => true,
        }
    }
}

impl Batch {
    fn member(&self, row: usize) -> Member {
        let Self {
            documents,
            fingerprints,
            kept,
            ..
        } = self;
        Member {
            document: documents.value(row),
            fingerprint: fingerprints.is_valid(row).then(|| fingerprints.value(row)),
            kept: kept.is_valid(row).then(|| kept.value(row)),
        }
    }
}

impl Found {
    fn push(&mut self, earlier: i64, later: i64) {
        self.earlier.append_value(earlier);
        self.later.append_value(later);
        self.crowds.append_null();
        self.fingerprints.append_null();
        self.waits.append_value(false);
    }

    fn push_crowded(&mut self, key: i64, member: &Member, waits: bool) {
        self.earlier.append_value(member.document);
        self.later.append_value(member.document);
        self.crowds.append_value(key);
        self.fingerprints.append_option(member.fingerprint);
        self.waits.append_value(waits);
    }

    fn finish(&mut self) -> Result<RecordBatch, ArrowError> {
        RecordBatch::try_from_iter_with_nullable([
            ("earlier", Arc::new(self.earlier.finish()) as ArrayRef, false),
            ("later", Arc::new(self.later.finish()), false),
            ("crowd", Arc::new(self.crowds.finish()), true),
            ("fingerprint", Arc::new(self.fingerprints.finish()), true),
            ("waits", Arc::new(self.waits.finish()), false),
        ])
    }
}

fn not_sorted() -> PyErr {
    PyValueError::new_err("the documents are not sorted by \"key\" and \"document\"")
}
