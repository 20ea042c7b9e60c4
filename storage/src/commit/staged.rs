//! What is staged: the commit that changes go to, and the one before while it is applied.

use std::borrow::Cow;
use std::ops::Deref;
use std::sync::Arc;

use super::{Commit, FreshUrl, Piece};
use crate::error::StorageError;
use crate::frontier::QueuedUrl;
use crate::state::State;

/// Everything that is staged. A look-up asks the newer commit first, then the one that is applied, then the tree. So it does not matter how
/// much of the second is in the tree already.
#[derive(Default)]
pub(crate) struct Staged {
    open: Commit,
    sealed: Option<Arc<Commit>>,
}

impl Staged {
    /// Adds a piece to the open commit.
    pub fn push(&mut self, piece: Piece) {
        self.open.push(piece);
    }

    /// Adds a link to the open commit.
    pub fn push_link(&mut self, link: FreshUrl) {
        self.open.push_link(link);
    }

    /// Rows in the open commit.
    pub fn open_rows(&self) -> usize {
        self.open.rows
    }

    /// Whether the open commit has nothing.
    pub fn is_open_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Rows in memory.
    pub fn rows(&self) -> usize {
        self.commits().map(|commit| commit.rows).sum()
    }

    /// Bytes of the rows in memory.
    pub fn bytes(&self) -> usize {
        self.commits().map(|commit| commit.bytes).sum()
    }

    /// Ends the open commit and begins another one. The caller has [forgotten](Self::applied) the one before.
    pub fn seal(&mut self) -> Arc<Commit> {
        let sealed = Arc::new(std::mem::take(&mut self.open));
        self.sealed = Some(sealed.clone());
        sealed
    }

    /// Forgets the sealed commit: the tree has all of it.
    pub fn applied(&mut self) -> Option<Arc<Commit>> {
        self.sealed.take()
    }

    /// The row of a short key, if it is staged; `Some(None)` if its removal is staged.
    fn row(&self, key: &[u8]) -> Option<Option<Cow<'_, [u8]>>> {
        self.commits().find_map(|commit| commit.row(key))
    }

    /// Whether the place in the queue with this `seq` is taken; `None` if nothing staged changes it.
    pub fn is_taken(&self, seq: u64) -> Option<bool> {
        self.commits().find_map(|commit| commit.is_taken(seq))
    }

    /// The URLs that wait in the queue of the host by what is staged, in no order.
    pub fn waiting(&self, host: &str) -> impl Iterator<Item = &QueuedUrl> {
        let added = self.commits().flat_map(move |commit| commit.added(host));
        added.filter(|queued| self.is_taken(queued.seq) == Some(true))
    }

    /// The newer one first.
    fn commits(&self) -> impl Iterator<Item = &Commit> {
        std::iter::once(&self.open).chain(self.sealed.as_deref())
    }
}

/// The rows with everything staged, for tables with numbers as keys.
#[derive(Clone, Copy)]
pub(crate) struct Latest<'a> {
    state: &'a State,
    staged: &'a Staged,
}

impl<'a> Latest<'a> {
    pub fn new(state: &'a State, staged: &'a Staged) -> Self {
        Self { state, staged }
    }

    /// The committed rows.
    pub fn state(self) -> &'a State {
        self.state
    }

    /// The value of a row, staged or committed.
    pub fn get(self, key: &[u8]) -> Result<Option<Value<'a>>, StorageError> {
        match self.staged.row(key) {
            Some(row) => Ok(row.map(Value::Staged)),
            None => Ok(self.state.get(key)?.map(Value::Committed)),
        }
    }
}

/// The value of a row.
pub(crate) enum Value<'a> {
    Staged(Cow<'a, [u8]>),
    Committed(sled::IVec),
}

impl Deref for Value<'_> {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Self::Staged(row) => row,
            Self::Committed(row) => row,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::batch::Batch;
    use crate::format::{self, Progress, numbered};

    #[test]
    fn the_latest_row_is_the_last_one_that_was_staged_and_otherwise_the_committed_one() {
        let dir = tempfile::tempdir().unwrap();
        let state = State::open(dir.path(), 1 << 20).unwrap();
        let mut batch = Batch::default();
        for number in 0..3 {
            batch.insert(&numbered(b'p', number)[..], &b"committed"[..]);
        }
        state.apply(batch).unwrap();
        let mut staged = Staged::default();
        for value in ["first", "second"] {
            let mut piece = Piece::at(Progress::START);
            piece.set(numbered(b'p', 1), value.into());
            piece.set_packed(numbered(b'c', 1), value.into());
            piece.remove(numbered(b'p', 2));
            // Another table, and a key that goes on where the one of a page ends.
            piece.set(numbered(b'v', 0), value.into());
            piece.set([&numbered(b'p', 0)[..], &[0]].concat(), value.into());
            staged.push(piece);
            if value == "first" {
                staged.seal();
            }
        }
        let rows = Latest::new(&state, &staged);
        let read = |number| rows.get(&numbered(b'p', number)).unwrap().map(|row| row.to_vec());
        assert_eq!(read(0), Some(b"committed".to_vec()));
        assert_eq!(read(1), Some(b"second".to_vec()));
        assert_eq!((read(2), read(3)), (None, None));
        let packed = rows.get(&numbered(b'c', 1)).unwrap().unwrap();
        assert_eq!(format::unpacked(&packed, 6), Some(b"second".to_vec()));
        staged.seal();
        staged.applied();
        let rows = Latest::new(&state, &staged);
        assert_eq!(&*rows.get(&numbered(b'p', 1)).unwrap().unwrap(), b"committed");
    }
}
