//! A commit in the making: changes since the last commit that are not in the tree yet.
//!
//! New links come first, sorted by their places in the queue, so that a commit writes each chunk of the queue once, however many
//! pages its URLs come from. Then come the *pieces*, in order. Each part of the store writes its changes into a piece, and a piece becomes
//! durable as a whole: the end of a URL with its page and its counts. [`apply`] packs links and pieces into batches. sled applies and
//! recovers each batch as a whole, and batches in order.
//!
//! After a crash the tree therefore holds either some of the links and no piece, or all links and the first few pieces.
//! Links without their page do no harm: the store knows them a little early, the page is still queued, and
//! [`Links`](crate::links::Links) has them archived with the page. A commit gives out numbers of URLs, places and pages once: no later
//! commit gives them out again, even if the crash lost them. So a link that names its page never names another.

pub(crate) mod apply;

use std::collections::{HashMap, VecDeque};
use std::ops::Deref;

use crate::batch::KeyValue;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::format::Progress;
use crate::frontier::{QueueChange, QueuedUrl, UrlHash, UrlId};
use crate::state::State;
use crate::warc::location::WarcEnd;

/// Upper bound on the length of the keys whose staged rows can be looked up: those of tables with numbers as keys.
const SHORT_KEY: usize = 10;

/// A row to set, or to remove if there is no value.
type Row = (Vec<u8>, Option<Vec<u8>>);

/// A key of at most [`SHORT_KEY`] bytes, and its length.
type ShortKey = ([u8; SHORT_KEY], u8);

/// Changes that become durable as a whole.
pub(crate) struct Piece {
    rows: Vec<Row>,
    queue: Vec<QueueChange>,
    depths: Vec<(UrlId, u16)>,
    /// By host.
    counts: Vec<(String, CountChange)>,
    /// Progress after this piece.
    progress: Progress,
}

impl Piece {
    /// An empty piece that continues from `progress`.
    pub fn at(progress: Progress) -> Self {
        Self {
            rows: Vec::new(),
            queue: Vec::new(),
            depths: Vec::new(),
            counts: Vec::new(),
            progress,
        }
    }

    /// Sets a row.
    pub fn set(&mut self, key: impl Into<Vec<u8>>, value: Vec<u8>) {
        self.rows.push((key.into(), Some(value)));
    }

    /// Removes a row.
    pub fn remove(&mut self, key: impl Into<Vec<u8>>) {
        self.rows.push((key.into(), None));
    }

    /// Sets a row of another state.
    pub fn copy(&mut self, (key, value): KeyValue) {
        self.set(&*key, value.to_vec());
    }

    /// Changes the queue.
    pub fn change_queue(&mut self, change: QueueChange) {
        self.queue.push(change);
    }

    /// Sets the depth of a URL.
    pub fn set_depth(&mut self, id: UrlId, depth: u16) {
        self.depths.push((id, depth));
    }

    /// Counts a change for a host.
    pub fn count(&mut self, host: String, change: CountChange) {
        self.counts.push((host, change));
    }

    /// The next `seq`.
    pub fn take_seq(&mut self) -> u64 {
        let seq = self.progress.next_seq;
        self.progress.next_seq += 1;
        seq
    }

    /// Leaves so many numbers of places to the links of the piece.
    pub fn skip_seqs(&mut self, links: usize) {
        self.progress.next_seq += links as u64;
    }

    /// The number of the next page.
    pub fn take_page(&mut self) -> u64 {
        let page = self.progress.next_page;
        self.progress.next_page += 1;
        page
    }

    /// The end of the archive after this piece.
    pub fn end_archive_at(&mut self, end: WarcEnd) {
        self.progress.archive = end;
    }

    /// Progress after this piece.
    pub fn progress(&self) -> Progress {
        self.progress
    }

    /// The changes of counts.
    pub fn counted(&self) -> impl Iterator<Item = CountChange> {
        self.counts.iter().map(|(_, change)| *change)
    }

    /// Divides a piece that has nothing but rows into pieces of at most `rows` rows; none if it has no row.
    pub fn divided(self, rows: usize) -> impl Iterator<Item = Self> {
        let progress = self.progress;
        let mut waiting = self.rows;
        std::iter::from_fn(move || {
            let rest = waiting.split_off(rows.min(waiting.len()));
            let rows = std::mem::replace(&mut waiting, rest);
            (!rows.is_empty()).then(|| Self {
                rows,
                ..Self::at(progress)
            })
        })
    }
}

/// A URL that was not known, with its hash.
pub(crate) struct FreshUrl {
    pub hash: UrlHash,
    pub queued: QueuedUrl,
}

/// Links and pieces, with the look-ups that later steps need before the commit.
#[derive(Default)]
pub(crate) struct Commit {
    links: Vec<FreshUrl>,
    pieces: VecDeque<Piece>,
    rows: usize,
    /// Bytes of keys and values.
    bytes: usize,
    /// Place of the latest row of each short key: index of the piece, index of the row in it. Valid because pieces leave all at once.
    latest: HashMap<ShortKey, (usize, usize)>,
}

impl Commit {
    pub fn push(&mut self, piece: Piece) {
        self.rows += piece.rows.len() + piece.queue.len();
        let bytes = piece
            .rows
            .iter()
            .map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len));
        let queue = piece.queue.iter().map(QueueChange::held_bytes);
        self.bytes += bytes.chain(queue).sum::<usize>();
        for (at, (key, _)) in piece.rows.iter().enumerate() {
            if let Some(key) = short(key) {
                self.latest.insert(key, (self.pieces.len(), at));
            }
        }
        self.pieces.push_back(piece);
    }

    pub fn push_link(&mut self, link: FreshUrl) {
        self.rows += 1;
        self.bytes += size_of::<FreshUrl>() + link.queued.held_bytes();
        self.links.push(link);
    }

    /// The row of a short key, if it is staged; `Some(None)` if its removal is staged.
    fn row(&self, key: &[u8]) -> Option<Option<&[u8]>> {
        let (piece, row) = *self.latest.get(&short(key)?)?;
        let (_, value) = self.pieces.get(piece)?.rows.get(row)?;
        Some(value.as_deref())
    }

    /// Staged rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of the staged rows.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.links.is_empty()
    }
}

fn short(key: &[u8]) -> Option<ShortKey> {
    let mut short = [0; SHORT_KEY];
    short.get_mut(..key.len())?.copy_from_slice(key);
    Some((short, key.len() as u8))
}

/// The rows as they are after the next commit, for tables with numbers as keys.
#[derive(Clone, Copy)]
pub(crate) struct Latest<'a> {
    state: &'a State,
    commit: &'a Commit,
}

impl<'a> Latest<'a> {
    pub fn new(state: &'a State, commit: &'a Commit) -> Self {
        Self { state, commit }
    }

    /// The committed rows.
    pub fn state(self) -> &'a State {
        self.state
    }

    /// The value of a row, staged or committed.
    pub fn get(self, key: &[u8]) -> Result<Option<Value<'a>>, StorageError> {
        match self.commit.row(key) {
            Some(row) => Ok(row.map(Value::Staged)),
            None => Ok(self.state.get(key)?.map(Value::Committed)),
        }
    }
}

/// The value of a row.
pub(crate) enum Value<'a> {
    Staged(&'a [u8]),
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
    use crate::format::numbered;

    #[test]
    fn the_latest_row_is_the_last_one_that_was_staged_and_otherwise_the_committed_one() {
        let dir = tempfile::tempdir().unwrap();
        let state = State::open(dir.path(), 1 << 20).unwrap();
        let mut batch = Batch::default();
        for number in 0..3 {
            batch.insert(&numbered(b'p', number)[..], &b"committed"[..]);
        }
        state.apply(batch).unwrap();
        let mut commit = Commit::default();
        for value in ["first", "second"] {
            let mut piece = Piece::at(Progress::START);
            piece.set(numbered(b'p', 1), value.into());
            piece.remove(numbered(b'p', 2));
            // Another table, and a key that goes on where the one of a page ends.
            piece.set(numbered(b'v', 0), value.into());
            piece.set([&numbered(b'p', 0)[..], &[0]].concat(), value.into());
            commit.push(piece);
        }
        let rows = Latest::new(&state, &commit);
        let read = |number| rows.get(&numbered(b'p', number)).unwrap().map(|row| row.to_vec());
        assert_eq!(read(0), Some(b"committed".to_vec()));
        assert_eq!(read(1), Some(b"second".to_vec()));
        assert_eq!((read(2), read(3)), (None, None));
    }

    #[test]
    fn a_divided_piece_has_each_row_once_and_in_order() {
        for rows in [0, 1, 2, 3, 4, 7] {
            let mut piece = Piece::at(Progress::START);
            (0..rows).for_each(|number| piece.set([number], vec![number]));
            let pieces: Vec<Piece> = piece.divided(3).collect();
            assert!(pieces.iter().all(|piece| (1..=3).contains(&piece.rows.len())));
            let found: Vec<u8> = pieces
                .iter()
                .flat_map(|piece| &piece.rows)
                .map(|(key, _)| key[0])
                .collect();
            assert_eq!(found, (0..rows).collect::<Vec<u8>>());
        }
    }
}
