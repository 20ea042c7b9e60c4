//! Who decides: the recorder asks a judge for each verdict, and does not know which one answers.

use storage::{Store, Verdict};

use super::Books;
use super::post::Post;
use crate::canonical::Decided;
use crate::messages::UndecidedPage;
use error::RunError;

/// The ruling on a page.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) enum Ruling {
    /// The decision.
    Now(Decided),
    /// It can be told after the next commit.
    AfterCommit,
    /// It can be told when the verdict on this own page is certain.
    WaitFor(u64),
}

impl Ruling {
    /// The verdict on a page that takes no other's place.
    pub fn now(verdict: Verdict) -> Self {
        let replaced = None;
        Self::Now(Decided { verdict, replaced })
    }
}

/// Decides whether pages say anything new, with an index of the kept pages.
pub(crate) trait Judge: Post {
    /// The ruling on a page. If it is kept, it is page number `id` of the store, and in the index from now on.
    ///
    /// # Errors
    /// The index or the store cannot be read or written.
    fn decide(&mut self, books: &Books, id: u64, page: &UndecidedPage) -> Result<Ruling, RunError>;

    /// Whether the index on the disk lacks something.
    fn is_behind(&self, store: &Store) -> bool;

    /// Whether the recorder may go on while a commit is written. Not if others are told of what is committed.
    fn may_commit_beside(&self) -> bool;

    /// Whether a page can be taken back: no folder but this one has been told of it.
    fn takes_back(&self) -> bool;

    /// These pages are not kept any more, and the store has that on the disk.
    ///
    /// # Errors
    /// The index cannot be written.
    fn departed(&mut self, pages: &[u64]) -> Result<(), RunError>;

    /// Writes the index to the disk, up to page number `durable`: the store has all rows up to it there.
    ///
    /// # Errors
    /// The index cannot be written.
    fn persist(&mut self, durable: u64) -> Result<(), RunError>;

    /// As [`persist`](Self::persist), if so many pages wait for it that the next run would feel it. Another thread may do what is returned: until
    /// then, and if nobody does it, the pages wait.
    ///
    /// # Errors
    /// The index cannot be written.
    fn begin_persist(&mut self, durable: u64) -> Result<Option<Box<dyn FnOnce() + Send>>, RunError> {
        self.persist(durable)?;
        Ok(None)
    }

    /// Leaves the index as the next run likes to find it.
    ///
    /// # Errors
    /// The index cannot be written.
    fn settle(&mut self) -> Result<(), RunError>;

    /// The index.
    #[cfg(test)]
    fn dedup(&self) -> &dedup::Deduplicator<dedup::SledIndex>;
}
