//! The store: one owner of frontier, catalogue and archive, and the one commit that joins them.
//!
//! What it keeps is cut into parts. Each part is a type that alone knows its rows; it reads them, and writes its changes into a piece of the next
//! commit. The store's own methods are those that need several parts, or stage changes.

mod again;
mod answers;
mod discover;
mod finish;
mod gone;
mod lowered;
mod notes;
mod open;
mod read;
mod replay;
mod revisit;
mod texts;
mod yielded;

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::archive::Archive;
use crate::commit::Piece;
use crate::commit::applier::{Applier, Beside, Deferred, Job};
use crate::commit::apply::Target;
use crate::commit::staged::{Latest, Staged};
use crate::copied::StateCopy;
use crate::counts::Counts;
use crate::error::StorageError;
use crate::folder::{DataFolder, holder_of};
use crate::format::Progress;
use crate::frontier::QueuedUrl;
use crate::holder::Holder;
use crate::host_counts::HostCounts;
use crate::links::Links;
use crate::outbox::Outbox;
use crate::queue::{Head, Queue};
use crate::revisits::CurrentRefresh;
use crate::running::client::AsOf;
use crate::running::server::Server;
use crate::state::{LastCommit, State};
use crate::warc::record::now_ms;

pub use self::again::Room;
pub use self::answers::StoredAnswers;
pub use self::lowered::Lowered;
pub use self::open::OpenOptions;

/// Staged bytes of the archive and of rows after which the store commits by itself.
const MAX_STAGED_BYTES: u64 = 32 << 20;

/// Staged rows after which the store commits by itself.
const MAX_STAGED_ROWS: usize = 1 << 16;

/// A crawl on disk, held by one process. The documentation of the [crate] says what is durable when.
///
/// A store that [`Store::open_lent`] opens belongs to another process: it shows the rows as of one commit, and changes nothing.
pub struct Store {
    /// Gives the rows to other processes. First, because it ends before the database is closed.
    server: Option<Server>,
    /// The thread that applies commits, since the first one that [began](Self::begin_commit) beside its caller. It, too, ends before the
    /// database is closed.
    applier: Option<Applier>,
    state: State,
    /// Everything staged.
    staged: Staged,
    /// Progress after the commit that the thread applies.
    sealed: Option<Progress>,
    /// Progress after the last commit that is complete.
    committed: Progress,
    /// Progress with everything staged; its `commit` is the last one that began.
    progress: Progress,
    links: Links,
    queue: Queue,
    hosts: HostCounts,
    refresh: CurrentRefresh,
    outbox: Outbox,
    archive: Archive,
    folder: DataFolder,
    /// See [`OpenOptions::closes_files`].
    closes_files: bool,
    /// How long the rows of the last commit took.
    commit_took: Duration,
    /// A commit has failed: nobody knows how much of it is in the rows.
    halted: bool,
    scheme: String,
    started_at: u64,
    /// The copy that `state` has open. Last, because the database is closed first.
    copy: Option<StateCopy>,
}

impl std::fmt::Debug for Store {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Store")
            .field("dir", &self.folder.dir())
            .field("counts", &self.counts())
            .finish_non_exhaustive()
    }
}

impl Store {
    /// Lends the rows to processes that read this folder, until the store is closed: each gets the rows as of one commit.
    ///
    /// # Errors
    /// Neither a socket in the folder nor a port of the loopback interface can be opened. The store works without.
    pub fn lend(&mut self) -> Result<(), StorageError> {
        self.lend_and_tell(Vec::new)
    }

    /// [Lends](Self::lend) the rows, and answers with `tell` to [`told`](Self::told). It must not wait.
    ///
    /// # Errors
    /// As [`lend`](Self::lend).
    pub fn lend_and_tell(&mut self, tell: impl Fn() -> Vec<u8> + Send + Sync + 'static) -> Result<(), StorageError> {
        *self.state.begin_commit()? = LastCommit {
            number: self.progress.commit,
            at_ms: now_ms(),
        };
        let server = Server::start(self.folder.dir(), self.state.clone(), Box::new(tell))
            .map_err(|source| StorageError::io("listen for readers of", self.folder.dir(), source))?;
        self.server = Some(server);
        Ok(())
    }

    /// The instant that a store of another process shows; `None` for a store of this process.
    #[must_use]
    pub fn as_of(&self) -> Option<AsOf> {
        self.state.as_of()
    }

    /// The process that lends the rows, if it is known; `None` for a store of this process.
    #[must_use]
    pub fn lender(&self) -> Option<Holder> {
        self.as_of().and_then(|_| holder_of(self.folder.dir()))
    }

    /// The data folder.
    #[must_use]
    pub fn dir(&self) -> &Path {
        self.folder.dir()
    }

    /// The folder of the WARC files.
    pub(crate) fn warc_dir(&self) -> PathBuf {
        self.folder.warc()
    }

    /// The folder and the bytes of the copy, of a store that [`open_copied`](Self::open_copied) opened.
    #[must_use]
    pub fn copied(&self) -> Option<(PathBuf, u64)> {
        self.copy.as_ref().map(|copy| (copy.path(), copy.bytes()))
    }

    /// The scheme that the store was created with.
    #[must_use]
    pub fn scheme(&self) -> &str {
        &self.scheme
    }

    /// Start of the crawl, milliseconds since the Unix epoch.
    #[must_use]
    pub fn started_at(&self) -> u64 {
        self.started_at
    }

    /// What tells this state from every other one: a hash of its random seed, the start of the crawl, and the last redecision. A rebuild and a
    /// merge make another state; a compaction does not.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn identity(&self) -> Result<u64, StorageError> {
        let seed = self.state.meta()?.map_or(0, |meta| meta.seed);
        let redecided_at = self.run_notes().redecided()?.map_or(0, |redecided| redecided.at);
        let parts = [seed, self.started_at, redecided_at].map(u64::to_le_bytes);
        Ok(xxhash_rust::xxh3::xxh3_64(parts.as_flattened()))
    }

    /// The database, for the trees of an index that is derived from the catalogue. The tree `state` belongs to the store. `None` if
    /// another process holds the store.
    #[must_use]
    pub fn index_db(&self) -> Option<&sled::Db> {
        self.state.db()
    }

    /// The sequence number of the next page. It does not change until that page is finished, so that other records can name the
    /// page before.
    #[must_use]
    pub fn next_page_id(&self) -> u64 {
        self.progress.next_page
    }

    /// The counts over all hosts, with everything staged.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.hosts.total()
    }

    /// The counts of the hosts.
    #[must_use]
    pub fn hosts(&self) -> &HostCounts {
        &self.hosts
    }

    /// The queue.
    #[must_use]
    pub fn queue(&self) -> &Queue {
        &self.queue
    }

    /// The outbox.
    #[must_use]
    pub fn outbox(&self) -> &Outbox {
        &self.outbox
    }

    /// The archive.
    #[must_use]
    pub fn archive(&self) -> &Archive {
        &self.archive
    }

    /// Rows that are staged for the next commit.
    #[must_use]
    pub fn pending(&self) -> usize {
        self.staged.open_rows()
    }

    /// The first `limit` URLs of the host's queue, in order, with staged changes, but without the URLs in process: those whose
    /// [`seq`](QueuedUrl::seq) is in `skip`.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn refill(&self, host: &str, limit: usize, skip: &HashSet<u64>) -> Result<Vec<QueuedUrl>, StorageError> {
        self.refill_behind(host, None, limit, skip)
    }

    /// [`refill`](Self::refill) from the URLs behind the place `behind`: priority, depth and [`seq`](QueuedUrl::seq).
    ///
    /// # Errors
    /// Errors of the state.
    pub fn refill_behind(
        &self,
        host: &str,
        behind: Option<(u8, u16, u64)>,
        limit: usize,
        skip: &HashSet<u64>,
    ) -> Result<Vec<QueuedUrl>, StorageError> {
        self.check_running()?;
        let head = Head {
            host,
            behind,
            limit,
            skip,
        };
        self.queue.head(&head, &self.staged)
    }

    /// Makes everything staged durable: the archive first, then the rows, URL by URL in the order they were finished.
    /// Returns the highest durable sequence number of a page, 0 if there is none.
    ///
    /// # Errors
    /// If the archive cannot be written, nothing is lost and the call can be repeated. If the state cannot be written, or the commit that
    /// [began](Self::begin_commit) before has failed, every later call fails until the store is opened again.
    pub fn commit(&mut self) -> Result<u64, StorageError> {
        let committed = self.commit_staged();
        committed.map_err(|error| self.explained(error))
    }

    /// As [`commit`](Self::commit), but a thread writes. Waits for the commit that began before.
    /// [While it is under way](Self::is_committing), what reads committed rows may read a part of it.
    ///
    /// # Errors
    /// Those of the commit that began before; the thread cannot be started.
    pub fn begin_commit(&mut self) -> Result<(), StorageError> {
        self.begin_commit_with(None)
    }

    /// As [`begin_commit`](Self::begin_commit), and the thread does `then` when the commit is durable. If it fails, or there is nothing to
    /// commit, nobody does.
    ///
    /// # Errors
    /// As [`begin_commit`](Self::begin_commit).
    pub fn begin_commit_with(&mut self, then: Option<Box<dyn FnOnce() + Send>>) -> Result<(), StorageError> {
        let begun = self.try_begin_commit(then);
        begun.map_err(|error| self.explained(error))
    }

    /// Whether a commit that [began](Self::begin_commit) is under way.
    ///
    /// # Errors
    /// It has ended, and the archive or the state could not be written: every later call fails until the store is opened again.
    pub fn is_committing(&mut self) -> Result<bool, StorageError> {
        self.check_running()?;
        let Some(applier) = self.applier.as_mut().filter(|_| self.sealed.is_some()) else {
            return Ok(false);
        };
        match applier.result() {
            Some(result) => {
                let ended = self.end_commit(result);
                ended.map_err(|error| self.explained(error))?;
                Ok(false)
            }
            None => Ok(true),
        }
    }

    /// How long the rows of the last commit took to be durable.
    #[must_use]
    pub fn commit_took(&self) -> Duration {
        self.commit_took
    }

    /// The highest durable sequence number of a page, 0 if there is none.
    #[must_use]
    pub fn durable(&self) -> u64 {
        self.committed.next_page - 1
    }

    fn commit_staged(&mut self) -> Result<u64, StorageError> {
        self.await_commit()?;
        if !self.staged.is_open_empty() {
            self.archive.sync()?;
            let result = self.seal(None, None).run();
            self.end_commit(result)?;
            self.folder.mark().put(self.committed.commit)?;
        }
        Ok(self.durable())
    }

    fn try_begin_commit(&mut self, then: Option<Deferred>) -> Result<(), StorageError> {
        self.await_commit()?;
        if self.applier.is_none() {
            let started = Applier::start();
            self.applier = Some(started.map_err(|source| StorageError::io("start a thread for", self.dir(), source))?);
        }
        if !self.staged.is_open_empty() {
            let beside = Beside {
                records: self.archive.seal(),
                mark: self.folder.mark(),
            };
            let job = self.seal(Some(beside), then);
            if let Some(applier) = &self.applier {
                applier.apply(job);
            }
        }
        Ok(())
    }

    /// Waits for the end of the commit that is applied, if one is.
    fn await_commit(&mut self) -> Result<(), StorageError> {
        self.check_running()?;
        match &mut self.applier {
            Some(applier) if self.sealed.is_some() => {
                let result = applier.wait();
                self.end_commit(result)
            }
            _ => Ok(()),
        }
    }

    /// Makes everything staged a commit.
    fn seal(&mut self, beside: Option<Beside>, then: Option<Deferred>) -> Job {
        self.progress.commit += 1;
        self.sealed = Some(self.progress);
        let target = Target {
            state: self.state.clone(),
            before: self.committed,
            after: self.progress,
            early: self.links.seal(),
        };
        let commit = self.staged.seal();
        Job {
            commit,
            target,
            beside,
            then,
        }
    }

    /// Ends the commit with this `result`.
    fn end_commit(&mut self, result: Result<Duration, StorageError>) -> Result<(), StorageError> {
        self.halted = true;
        self.commit_took = result?;
        if let Some(after) = self.sealed.take() {
            self.committed = after;
        }
        self.links.committed();
        let records = self.archive.committed(self.committed.archive);
        if let Some(commit) = self.staged.applied()
            && let Some(applier) = &self.applier
        {
            applier.free(commit, records);
        }
        {
            let _no_snapshot = self.state.begin_commit()?;
            self.links.merge_if_due(self.committed.next_seq)?;
        }
        self.halted = false;
        Ok(())
    }

    fn check_running(&self) -> Result<(), StorageError> {
        if self.halted { Err(StorageError::Halted) } else { Ok(()) }
    }

    /// Commits if the stage is full, so that memory stays bounded however rarely the caller commits.
    pub(crate) fn make_room(&mut self) -> Result<(), StorageError> {
        self.check_running()?;
        if self.is_full() {
            // The commit that began may have ended.
            self.is_committing()?;
        }
        if self.is_full() {
            self.commit()?;
        }
        Ok(())
    }

    fn is_full(&self) -> bool {
        let bytes = self.archive.waiting_bytes() + self.staged.bytes() as u64;
        bytes >= MAX_STAGED_BYTES || self.staged.rows() >= MAX_STAGED_ROWS
    }

    /// A piece of the next commit, to be [staged](Self::stage).
    pub(crate) fn piece(&self) -> Piece {
        Piece::at(self.progress)
    }

    /// Stages a piece. Cannot fail.
    pub(crate) fn stage(&mut self, piece: Piece) {
        for change in piece.counted() {
            self.hosts.apply(change);
        }
        self.progress = piece.progress();
        self.staged.push(piece);
    }

    /// The rows with everything staged.
    fn latest(&self) -> Latest<'_> {
        Latest::new(&self.state, &self.staged)
    }
}

#[cfg(test)]
mod tests;
