//! The index on a Redis server, which several processes share: the index of Wang and Wang's improved SimHash (2019), in which
//! each block of a fingerprint is the key of a value of packed fingerprints.
//!
//! ```text
//! check_and_insert   1. transaction: number of changes, digest, buckets of all blocks, shingles
//!                    2. signatures of the candidates, if there are any: a process compares them itself
//!                    3. script: insert, unless a document came since 1 that may be a duplicate; then from 1 again
//! ```
//!
//! **One step over processes.** A script that searched the buckets would keep the server from answering others, so a process
//! searches by itself and says in step 3 which state it has seen. The server keeps summaries of the last 1,024 documents. The
//! script compares those that came since: the same digest, a fingerprint within the distance, or a common prefix shingle. If
//! there is none, the verdict still holds, and the document enters. So the verdicts are those of the order in which the script
//! ran. Processes that insert different texts never wait for each other, and of two near-duplicates the second is decided
//! again.
//!
//! [`entries`] describes the keys. All keys of an index carry one hash tag, so they lie in one slot, and in a Redis Cluster on
//! one node: give the address of that node. What a crash of the server costs is a matter of its settings (`appendonly`); the
//! index is derived data, and adding the same documents again completes it.
//!
//! A look-up reads all buckets within the radii, so its cost grows with the distance and with the number of fingerprints: 428
//! buckets for a distance of 10, a fifteenth of that for 5. The example `redis_index_bench` measures it beside the other
//! indices.

mod address;
mod entries;
mod error;
mod keys;
mod look;
mod open;
mod server;
mod step;

use std::fmt;
use std::time::Duration;

use redis::{Script, Value};

pub use self::address::{InvalidAddress, RedisAddress};
use self::entries::{Shape, number_bytes};
pub use self::error::ServerError;
use self::keys::Keys;
use self::look::{Answer, Damaged, Look, Question};
use self::server::Server;
use self::step::Decided;
pub(crate) use self::step::{Commit, Committed};
use super::{Index, LookUp, Neighbour};
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::Fingerprint;
use crate::layout::Layout;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};
use crate::verdict::Verdict;

/// Version of the keys and values.
const FORMAT: u8 = 1;

/// Upper bound on the decisions about one document. Each further one follows the insertion of a document that is like it.
pub(crate) const MOST_DECISIONS: usize = 1_000;

/// Options of an index on a server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RedisOptions {
    /// How fingerprints are cut into blocks, for at least the distance of the rule; `None` for 64 bits in four blocks. Width and
    /// number of blocks of an index cannot change; the distance can.
    pub layout: Option<Layout>,
    /// The longest time that one command waits for the server.
    pub timeout: Duration,
}

impl Default for RedisOptions {
    /// 64 bits in four blocks, 30 s.
    fn default() -> Self {
        Self {
            layout: None,
            timeout: Duration::from_secs(30),
        }
    }
}

/// An [`Index`] on a Redis server, version 5 or newer, or Valkey. Any number of processes and threads may use it at once.
///
/// [`Deduplicator::check_and_insert`](crate::Deduplicator::check_and_insert) is one step among all of them, if they choose
/// different ids. Give every process the same rule: the index does not store it.
pub struct RedisIndex {
    server: Server,
    keys: Keys,
    shape: Shape,
    /// The masks of each block.
    masks: Vec<Vec<u128>>,
    /// Scheme, layout and rule, compared by every script.
    terms: [String; 3],
    scripts: Scripts,
}

#[derive(Debug)]
struct Scripts {
    commit: Script,
    remove: Script,
    clear: Script,
}

impl fmt::Debug for RedisIndex {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisIndex")
            .field("place", &self.server.place())
            .field("shape", &self.shape)
            .finish_non_exhaustive()
    }
}

impl RedisIndex {
    /// Opens the index at `address` with the default options, or makes one.
    ///
    /// # Errors
    /// [`DedupError::OtherScheme`] or [`DedupError::OtherLayout`]: the index was made for another scheme or layout.
    /// [`DedupError::Server`]: the server cannot be reached, refuses the password or a command, may evict keys, or has other
    /// values under these keys.
    pub fn open(address: &RedisAddress, scheme_id: &str, rule: &DuplicateRule) -> Result<Self, DedupError> {
        Self::open_with(address, scheme_id, rule, &RedisOptions::default())
    }

    /// As [`RedisIndex::open`], with `options`.
    ///
    /// # Errors
    /// As [`RedisIndex::open`]. [`DedupError::NarrowIndex`]: the layout does not guarantee the distance of the rule.
    pub fn open_with(
        address: &RedisAddress,
        scheme_id: &str,
        rule: &DuplicateRule,
        options: &RedisOptions,
    ) -> Result<Self, DedupError> {
        Self::open_for(address, [scheme_id, ""], rule, options, true)
    }

    /// Round trips to the server since the index was opened.
    #[must_use]
    pub fn round_trips(&self) -> u64 {
        self.server.round_trips()
    }

    /// The error of a value with an unknown form.
    pub(crate) fn damaged(&self) -> DedupError {
        ServerError::damaged(self.server.place()).into()
    }

    fn erased(&self) -> DedupError {
        ServerError::erased(self.server.place()).into()
    }

    /// Everything that the index says to a question.
    fn ask(&self, question: Question<'_>) -> Result<Answer, DedupError> {
        let look = Look::new(self.shape, &self.keys, &self.masks, question);
        let damaged = |Damaged| self.damaged();
        let mut answer = Answer::default();
        let values: Vec<Value> = self.server.query(&look.pipeline())?;
        let full = look.read(values, &mut answer).map_err(damaged)?;
        if self
            .terms
            .iter()
            .zip(&answer.terms)
            .any(|(own, found)| own.as_bytes() != found)
        {
            return Err(self.erased());
        }
        if !full.is_empty() {
            let values: Vec<Value> = self.server.query(&look.pipeline_of(&full))?;
            look.read_chunks(&full, values, &mut answer).map_err(damaged)?;
        }
        Ok(answer)
    }

    fn question<'a>(&self, query: &'a Signature, rule: &DuplicateRule) -> Question<'a> {
        Question {
            digest: query.digest,
            fingerprint: query.fingerprint,
            shingles: prefix(&query.shingles, rule.min_similarity_short),
            name: None,
        }
    }

    /// The row of a document in the collection.
    pub(crate) fn row(&self, id: DocId) -> Result<Option<Vec<u8>>, DedupError> {
        let mut pipeline = redis::pipe();
        pipeline
            .cmd("HGET")
            .arg(&self.keys.documents)
            .arg(&number_bytes(id)[..]);
        let (row,): (Option<Vec<u8>>,) = self.server.query(&pipeline)?;
        Ok(row)
    }

    /// Number of rows in the collection.
    pub(crate) fn rows(&self) -> Result<usize, DedupError> {
        self.count(&self.keys.documents)
    }

    fn count(&self, key: &str) -> Result<usize, DedupError> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("HLEN").arg(key);
        let (count,): (usize,) = self.server.query(&pipeline)?;
        Ok(count)
    }

    /// The error of a document that other processes keep overtaking.
    pub(crate) fn contended(&self) -> DedupError {
        ServerError::contended(self.server.place()).into()
    }
}

impl Index for RedisIndex {
    fn finds_all_of(&self, rule: &DuplicateRule) -> bool {
        rule.max_distance <= self.shape.layout.max_distance()
            && rule.min_similarity_short >= self.shape.min_similarity_short
    }

    fn exact(&self, digest: Digest) -> Result<Option<DocId>, DedupError> {
        let question = Question {
            digest: Some(digest),
            ..Question::default()
        };
        Ok(self.ask(question)?.exact)
    }

    fn near(&self, fingerprint: Fingerprint, found: &mut Vec<Neighbour>) -> Result<(), DedupError> {
        let question = Question {
            fingerprint: Some(fingerprint),
            ..Question::default()
        };
        found.extend(self.ask(question)?.near);
        Ok(())
    }

    fn look_up(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        counts: &dyn Fn(DocId) -> bool,
    ) -> Result<LookUp, DedupError> {
        let answer = self.ask(self.question(query, rule))?;
        Ok(LookUp {
            exact: answer.exact.filter(|id| counts(*id)),
            near: answer.near,
            short: answer.with_shingles,
        })
    }

    fn check_and_insert(
        &self,
        id: DocId,
        signature: &Signature,
        rule: &DuplicateRule,
    ) -> Result<Option<Verdict>, DedupError> {
        for _ in 0..MOST_DECISIONS {
            let Decided { changes, verdict, .. } = self.decide(signature, rule, None, |_| true)?;
            if verdict != Verdict::Unique {
                return Ok(Some(verdict));
            }
            let committed = self.commit(&Commit {
                changes: Some(&changes),
                max_distance: rule.max_distance,
                id: Some(id),
                signature,
                is_unique: true,
                row: None,
            })?;
            if committed != Committed::Changed {
                return Ok(Some(Verdict::Unique));
            }
        }
        Err(self.contended())
    }

    fn short_candidates(
        &self,
        query: &Signature,
        rule: &DuplicateRule,
        found: &mut Vec<DocId>,
    ) -> Result<(), DedupError> {
        let question = Question {
            shingles: prefix(&query.shingles, rule.min_similarity_short),
            ..Question::default()
        };
        found.extend(self.ask(question)?.with_shingles);
        Ok(())
    }

    fn with_shingle(&self, shingle: u64, found: &mut Vec<DocId>) -> Result<(), DedupError> {
        let question = Question {
            shingles: &[shingle],
            ..Question::default()
        };
        found.extend(self.ask(question)?.with_shingles);
        Ok(())
    }

    fn signature(&self, id: DocId) -> Result<Option<Signature>, DedupError> {
        let mut found = None;
        self.for_each_signature(&[id], &mut |_, signature| found = Some(signature))?;
        Ok(found)
    }

    fn for_each_signature(&self, ids: &[DocId], each: &mut dyn FnMut(DocId, Signature)) -> Result<(), DedupError> {
        if ids.is_empty() {
            return Ok(());
        }
        let values: Vec<Value> = self.server.query(&look::signatures(&self.keys, ids))?;
        look::read_signatures(ids, values, each).map_err(|Damaged| self.damaged())
    }

    fn insert(&mut self, id: DocId, signature: &Signature) -> Result<(), DedupError> {
        self.commit(&Commit {
            changes: None,
            max_distance: 0,
            id: Some(id),
            signature,
            is_unique: true,
            row: None,
        })?;
        Ok(())
    }

    fn remove(&mut self, id: DocId) -> Result<bool, DedupError> {
        for _ in 0..MOST_DECISIONS {
            let Some(signature) = self.signature(id)? else {
                return Ok(false);
            };
            let mut run = self.scripts.remove.key(&self.keys.meta);
            run.key(&self.keys.signatures);
            self.keys.tables().for_each(|table| {
                run.key(table);
            });
            run.arg(&self.terms)
                .arg(&number_bytes(id)[..])
                .arg(postcard::to_stdvec(&signature)?);
            self.add_entries(&mut run, &signature, 2);
            let answer: String = self.server.run(&run)?;
            match answer.as_str() {
                "done" => return Ok(true),
                "changed" => {}
                _ => return Err(self.erased()),
            }
        }
        Err(self.contended())
    }

    fn clear(&mut self) -> Result<(), DedupError> {
        let Keys {
            meta,
            signatures,
            recent,
            ids,
            documents,
            ..
        } = &self.keys;
        let mut run = self.scripts.clear.key(&[meta, signatures, recent, ids, documents]);
        self.keys.tables().for_each(|table| {
            run.key(table);
        });
        run.arg(&self.terms);
        let answer: String = self.server.run(&run)?;
        match answer.as_str() {
            "done" => Ok(()),
            _ => Err(self.erased()),
        }
    }

    fn len(&self) -> Result<usize, DedupError> {
        self.count(&self.keys.signatures)
    }
}
