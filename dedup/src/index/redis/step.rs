//! A decision, and its commit: together the step that processes which share an index take one after the other.

use redis::{ScriptInvocation, Value};

use super::RedisIndex;
use super::entries::{number_bytes, number_of};
use super::keys::Keys;
use super::look::{Damaged, Question, array, bytes};
use crate::decide::decide;
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::index::{Index, LookUp};
use crate::signature::{DocId, Signature};
use crate::verdict::Verdict;

/// Keys before the tables in the script.
const KEYS_BEFORE_TABLES: usize = 5;

/// What a commit does; made by [`RedisIndex::commit`].
pub(crate) struct Commit<'a> {
    /// The state that the verdict follows from; `None` to commit whatever has changed.
    pub changes: Option<&'a [u8]>,
    pub max_distance: u32,
    /// The number of the document; `None` for the next one.
    pub id: Option<DocId>,
    pub signature: &'a Signature,
    /// The document is unique, and enters the index.
    pub is_unique: bool,
    /// Id and row in the collection.
    pub row: Option<(&'a [u8], &'a [u8])>,
}

/// How a commit ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Committed {
    /// The document has this number now.
    Done(DocId),
    /// The document was there before, with this number.
    Known(DocId),
    /// Another document has come that may change the verdict.
    Changed,
}

/// A verdict, and the state that it follows from.
pub(crate) struct Decided {
    pub changes: Vec<u8>,
    /// The document of the collection that has the id already: there is no verdict.
    pub known: Option<DocId>,
    pub verdict: Verdict,
}

impl RedisIndex {
    /// The verdict on a document, unless the collection has one on `name`.
    pub(crate) fn decide(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        name: Option<&[u8]>,
        counts: impl Fn(DocId) -> bool + Copy,
    ) -> Result<Decided, DedupError> {
        let question = Question {
            name,
            ..self.question(query, rule)
        };
        let answer = self.ask(question)?;
        let found = LookUp {
            exact: answer.exact.filter(|id| counts(*id)),
            near: answer.near,
            short: answer.with_shingles,
        };
        let verdict = match answer.known {
            Some(_) => Verdict::Unique,
            None => decide(rule, query, found, counts, |ids, each| {
                self.for_each_signature(ids, each)
            })?,
        };
        Ok(Decided {
            changes: answer.changes,
            known: answer.known,
            verdict,
        })
    }

    /// Commits a verdict in one step.
    pub(crate) fn commit(&self, commit: &Commit<'_>) -> Result<Committed, DedupError> {
        self.require_width(commit.signature)?;
        let Keys {
            meta,
            signatures,
            recent,
            ids,
            documents,
            ..
        } = &self.keys;
        let mut run = self.scripts.commit.prepare_invoke();
        run.key(&[meta, signatures, recent, ids, documents]);
        self.keys.tables().for_each(|table| {
            run.key(table);
        });
        let (name, row) = commit.row.unwrap_or_default();
        let id = commit.id.map(number_bytes);
        run.arg(&self.terms)
            .arg(commit.changes.unwrap_or_default())
            .arg(commit.max_distance)
            .arg(self.shape.summary(commit.signature))
            .arg(id.as_ref().map_or(&[][..], |id| &id[..]))
            .arg(name)
            .arg(row);
        if commit.is_unique {
            run.arg(postcard::to_stdvec(commit.signature)?);
            self.add_entries(&mut run, commit.signature, KEYS_BEFORE_TABLES);
        } else {
            run.arg("");
        }
        let damaged = |Damaged| self.damaged();
        let answer: Value = self.server.run(&run)?;
        let mut answer = array(Some(answer)).map_err(damaged)?.into_iter();
        let word = answer.next().map(bytes).transpose().map_err(damaged)?.flatten();
        let number = answer.next().map(bytes).transpose().map_err(damaged)?.flatten();
        let number = number.and_then(|number| number_of(&number));
        match (word.as_deref(), number) {
            (Some(b"done"), Some(number)) => Ok(Committed::Done(number)),
            (Some(b"known"), Some(number)) => Ok(Committed::Known(number)),
            (Some(b"changed"), _) => Ok(Committed::Changed),
            (Some(b"other"), _) => Err(self.erased()),
            _ => Err(self.damaged()),
        }
    }

    /// Adds the entries of a document to the arguments of a script.
    pub(super) fn add_entries(&self, run: &mut ScriptInvocation<'_>, signature: &Signature, keys_before: usize) {
        for (table, word) in self.shape.entries(signature) {
            // Lua counts from 1.
            run.arg(keys_before + Keys::place(table) + 1)
                .arg(self.shape.bucket(table, word))
                .arg(self.shape.word(table, word));
        }
    }

    fn require_width(&self, signature: &Signature) -> Result<(), DedupError> {
        let wanted = self.shape.layout.width();
        match signature.fingerprint.map(Fingerprint::width) {
            Some(found) if found != wanted => Err(DedupError::OtherWidth {
                found: found.bits(),
                wanted: wanted.bits(),
            }),
            _ => Ok(()),
        }
    }
}
