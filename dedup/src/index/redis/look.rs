//! Reading the index: all questions of one document in one transaction, then what they lead to in a second round trip.

use redis::{Pipeline, Value};

use super::entries::{Shape, Table, full_chunk, number_bytes, number_of};
use super::keys::Keys;
use crate::fingerprint::Fingerprint;
use crate::index::Neighbour;
use crate::signature::{Digest, DocId, Signature};

/// Largest number of fields that one command asks for: a longer command keeps the server from answering others.
const FIELDS_PER_COMMAND: usize = 4_096;

/// What is asked about a document.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Question<'a> {
    pub digest: Option<Digest>,
    pub fingerprint: Option<Fingerprint>,
    /// Shingles of a prefix.
    pub shingles: &'a [u64],
    /// Id in the collection.
    pub name: Option<&'a [u8]>,
}

/// What the index says to a question.
#[derive(Debug, Default)]
pub(super) struct Answer {
    /// Scheme, layout and rule of the index, and the number of changes: as the caller opened it, and until when the answer holds.
    pub terms: [Vec<u8>; 3],
    pub changes: Vec<u8>,
    /// The document of the collection with this id.
    pub known: Option<DocId>,
    pub exact: Option<DocId>,
    pub near: Vec<Neighbour>,
    /// Some several times.
    pub with_shingles: Vec<DocId>,
}

/// The value is not what this version writes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Damaged;

/// Fields to ask for, by table.
pub(super) type Fields = Vec<(Table, Vec<Vec<u8>>)>;

/// A question on its way.
pub(super) struct Look<'a> {
    shape: Shape,
    keys: &'a Keys,
    question: Question<'a>,
    buckets: Fields,
}

impl<'a> Look<'a> {
    pub fn new(shape: Shape, keys: &'a Keys, masks: &[Vec<u128>], question: Question<'a>) -> Self {
        let mut buckets = Vec::new();
        if let Some(Digest(digest)) = question.digest {
            buckets.push((Table::Digests, vec![shape.bucket(Table::Digests, digest)]));
        }
        let width = shape.layout.width();
        if let Some(fingerprint) = question.fingerprint.filter(|fingerprint| fingerprint.width() == width) {
            for (number, masks) in masks.iter().enumerate().filter(|(_, masks)| !masks.is_empty()) {
                let block = shape.layout.key(fingerprint.bits(), number);
                let fields = masks.iter().map(|mask| shape.bucket_of_block(number, block ^ mask));
                buckets.push((Table::Block(number), fields.collect()));
            }
        }
        if !question.shingles.is_empty() {
            let fields = question.shingles.iter();
            let mut fields: Vec<_> = fields
                .map(|shingle| shape.bucket(Table::Shingles, u128::from(*shingle)))
                .collect();
            fields.sort_unstable();
            fields.dedup();
            buckets.push((Table::Shingles, fields));
        }
        Self {
            shape,
            keys,
            question,
            buckets,
        }
    }

    /// The first round trip: a transaction, so that the answer is the state of one instant.
    pub fn pipeline(&self) -> Pipeline {
        let mut pipeline = redis::pipe();
        pipeline.atomic();
        let terms = ["scheme", "layout", "rule", "changes"];
        pipeline.cmd("HMGET").arg(&self.keys.meta).arg(&terms);
        if let Some(name) = self.question.name {
            pipeline.cmd("HGET").arg(&self.keys.ids).arg(name);
        }
        ask(&mut pipeline, self.keys, &self.buckets);
        pipeline
    }

    /// Reads the answers of the first round trip. Returns the full chunks to ask for; mostly there are none.
    pub fn read(&self, values: Vec<Value>, answer: &mut Answer) -> Result<Fields, Damaged> {
        let mut values = values.into_iter();
        let mut meta = array(values.next())?
            .into_iter()
            .map(|value| bytes(value).map(Option::unwrap_or_default));
        let mut next = || meta.next().unwrap_or(Err(Damaged));
        answer.terms = [next()?, next()?, next()?];
        answer.changes = next()?;
        if self.question.name.is_some() {
            let known = bytes(values.next().ok_or(Damaged)?)?;
            answer.known = known.map(|number| number_of(&number).ok_or(Damaged)).transpose()?;
        }
        let mut chunks = Vec::new();
        for (table, fields) in &self.buckets {
            let mut full = Vec::new();
            for fields in fields.chunks(FIELDS_PER_COMMAND) {
                for (field, value) in fields.iter().zip(array(values.next())?) {
                    let Some(value) = bytes(value)? else { continue };
                    let shape = self.shape;
                    let read = shape.read_bucket(*table, &value, |word, id| self.take(*table, word, id, answer));
                    full.extend((0..read.ok_or(Damaged)?).map(|number| full_chunk(field, number)));
                }
            }
            if !full.is_empty() {
                chunks.push((*table, full));
            }
        }
        Ok(chunks)
    }

    /// The second round trip.
    pub fn pipeline_of(&self, chunks: &Fields) -> Pipeline {
        let mut pipeline = redis::pipe();
        ask(&mut pipeline, self.keys, chunks);
        pipeline
    }

    /// Reads the answers of the second round trip.
    pub fn read_chunks(&self, chunks: &Fields, values: Vec<Value>, answer: &mut Answer) -> Result<(), Damaged> {
        let mut values = values.into_iter();
        for (table, fields) in chunks {
            for _ in fields.chunks(FIELDS_PER_COMMAND) {
                for value in array(values.next())? {
                    let Some(value) = bytes(value)? else { continue };
                    let read = |word, id| self.take(*table, word, id, answer);
                    if !self.shape.read_chunk(*table, &value, read) {
                        return Err(Damaged);
                    }
                }
            }
        }
        Ok(())
    }

    /// Takes an entry into the answer if the question asks for it.
    fn take(&self, table: Table, word: u128, id: DocId, answer: &mut Answer) {
        let layout = self.shape.layout;
        match table {
            Table::Digests => {
                if self.question.digest == Some(Digest(word)) {
                    answer.exact = answer.exact.into_iter().chain([id]).min();
                }
            }
            Table::Shingles => {
                if self
                    .question
                    .shingles
                    .iter()
                    .any(|shingle| u128::from(*shingle) == word)
                {
                    answer.with_shingles.push(id);
                }
            }
            Table::Block(number) => {
                let Some(fingerprint) = self.question.fingerprint else {
                    return;
                };
                let difference = fingerprint.bits() ^ word;
                let distance = difference.count_ones();
                if distance <= layout.max_distance() && layout.is_first_meeting(difference, number) {
                    answer.near.push(Neighbour { distance, id });
                }
            }
        }
    }
}

fn ask(pipeline: &mut Pipeline, keys: &Keys, buckets: &[(Table, Vec<Vec<u8>>)]) {
    for (table, fields) in buckets {
        for fields in fields.chunks(FIELDS_PER_COMMAND) {
            pipeline.cmd("HMGET").arg(keys.table(*table)).arg(fields);
        }
    }
}

/// Asks for the signatures of documents.
pub(super) fn signatures(keys: &Keys, ids: &[DocId]) -> Pipeline {
    let mut pipeline = redis::pipe();
    for ids in ids.chunks(FIELDS_PER_COMMAND) {
        pipeline.cmd("HMGET").arg(&keys.signatures);
        for id in ids {
            pipeline.arg(&number_bytes(*id)[..]);
        }
    }
    pipeline
}

/// Reads the signatures of documents that are there.
pub(super) fn read_signatures(
    ids: &[DocId],
    values: Vec<Value>,
    each: &mut dyn FnMut(DocId, Signature),
) -> Result<(), Damaged> {
    let mut values = values.into_iter();
    for ids in ids.chunks(FIELDS_PER_COMMAND) {
        for (id, value) in ids.iter().zip(array(values.next())?) {
            if let Some(value) = bytes(value)? {
                each(*id, postcard::from_bytes(&value).map_err(|_| Damaged)?);
            }
        }
    }
    Ok(())
}

pub(super) fn array(value: Option<Value>) -> Result<Vec<Value>, Damaged> {
    match value {
        Some(Value::Array(values)) => Ok(values),
        _ => Err(Damaged),
    }
}

pub(super) fn bytes(value: Value) -> Result<Option<Vec<u8>>, Damaged> {
    match value {
        Value::BulkString(bytes) => Ok(Some(bytes)),
        Value::Nil => Ok(None),
        _ => Err(Damaged),
    }
}
