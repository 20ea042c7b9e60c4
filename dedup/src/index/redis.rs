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
mod server;

use std::fmt;
use std::time::Duration;

use redis::{Script, ScriptInvocation, Value};

pub use self::address::{InvalidAddress, RedisAddress};
use self::entries::{Shape, number_bytes, number_of};
pub use self::error::ServerError;
use self::keys::Keys;
use self::look::{Answer, Damaged, Look, Question, array, bytes};
use self::server::Server;
use super::{Index, LookUp, Neighbour};
use crate::decide::decide;
use crate::duplicate_rule::DuplicateRule;
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::layout::Layout;
use crate::short::prefix;
use crate::signature::{Digest, DocId, Signature};
use crate::verdict::Verdict;

/// Version of the keys and values.
const FORMAT: u8 = 1;

/// Upper bound on the decisions about one document. Each further one follows the insertion of a document that is like it.
pub(crate) const MOST_DECISIONS: usize = 1_000;

/// Keys before the tables in the scripts.
const KEYS_BEFORE_TABLES: usize = 5;

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

    /// Opens the index of a collection whose verdicts follow from the scheme and the rule with these names; the second is empty for
    /// an index without a collection. Makes the index only if `makes`.
    pub(crate) fn open_for(
        address: &RedisAddress,
        [scheme_id, rule_id]: [&str; 2],
        rule: &DuplicateRule,
        options: &RedisOptions,
        makes: bool,
    ) -> Result<Self, DedupError> {
        let layout = match options.layout {
            None => Layout::for_distance(Width::W64, rule.max_distance)?,
            Some(layout) if layout.max_distance() >= rule.max_distance => layout,
            Some(_) => return Err(DedupError::NarrowIndex),
        };
        let shape = Shape {
            layout,
            min_similarity_short: rule.min_similarity_short,
        };
        let index = Self {
            server: Server::connect(address, options.timeout)?,
            keys: Keys::new(&address.prefix(), layout),
            shape,
            masks: (0..layout.blocks().len()).map(|number| layout.masks(number)).collect(),
            terms: [scheme_id.to_owned(), shape.name(), rule_id.to_owned()],
            scripts: Scripts {
                commit: Script::new(include_str!("redis/commit.lua")),
                remove: Script::new(include_str!("redis/remove.lua")),
                clear: Script::new(include_str!("redis/clear.lua")),
            },
        };
        index.require_no_eviction()?;
        index.note_or_compare(makes)?;
        Ok(index)
    }

    /// Notes the terms where there is no index, if `makes`, and compares them where there is one.
    fn note_or_compare(&self, makes: bool) -> Result<(), DedupError> {
        let [scheme, layout, rule] = &self.terms;
        let open = Script::new(include_str!("redis/open.lua"));
        let mut run = open.key(&self.keys.meta);
        run.arg(FORMAT.to_string())
            .arg(scheme)
            .arg(layout)
            .arg(rule)
            .arg(u8::from(makes));
        let found: Vec<Option<String>> = self.server.run(&run)?;
        if found.iter().all(Option::is_none) {
            return Err(ServerError::missing(self.server.place()).into());
        }
        let Ok([Some(format), Some(found_scheme), Some(found_layout), Some(found_rule)]) =
            <[Option<String>; 4]>::try_from(found)
        else {
            return Err(self.damaged());
        };
        let place = self.server.place();
        if format != FORMAT.to_string() {
            return Err(ServerError::format(place, format, FORMAT).into());
        }
        if found_scheme != *scheme {
            return Err(DedupError::OtherScheme {
                found: found_scheme,
                wanted: scheme.clone(),
            });
        }
        if found_layout != *layout {
            return Err(DedupError::OtherLayout {
                found: found_layout,
                wanted: layout.clone(),
            });
        }
        if found_rule != *rule {
            return Err(ServerError::rule(place, found_rule, rule.clone()).into());
        }
        Ok(())
    }

    /// Refuses a server that deletes keys without a time limit when its memory is full: a part of an index would give wrong
    /// verdicts.
    fn require_no_eviction(&self) -> Result<(), DedupError> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("INFO").arg("memory");
        let memory = match self.server.query::<(String,)>(&pipeline) {
            Ok((memory,)) => memory,
            // Who may not ask for the settings is trusted to know them.
            Err(error) if error.is_forbidden() => return Ok(()),
            Err(error) => return Err(error.into()),
        };
        let field = |name: &str| {
            memory
                .lines()
                .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
        };
        let is_bounded = field("maxmemory").is_some_and(|bytes| bytes.trim() != "0");
        let evicts = field("maxmemory_policy").is_some_and(|policy| policy.starts_with("allkeys"));
        match is_bounded && evicts {
            true => Err(ServerError::evicting(self.server.place()).into()),
            false => Ok(()),
        }
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

    fn add_entries(&self, run: &mut ScriptInvocation<'_>, signature: &Signature, keys_before: usize) {
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
