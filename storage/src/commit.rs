//! A commit: changes that become durable together, and the look-ups in them.
//!
//! The store stages changes in one commit while the one before is applied ([`staged`]); [`applier`] has the thread that applies it.
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

pub(crate) mod applier;
pub(crate) mod apply;
pub(crate) mod staged;

use std::borrow::Cow;
use std::collections::HashMap;

use crate::batch::KeyValue;
use crate::counts::CountChange;
use crate::format::{self, Progress};
use crate::frontier::{QueueChange, QueuedUrl, UrlHash, UrlId};
use crate::warc::location::WarcEnd;

/// Upper bound on the length of the keys whose staged rows can be looked up: those of tables with numbers as keys.
const SHORT_KEY: usize = 10;

/// A row to set, or to remove if there is no value.
type Row = (Vec<u8>, Option<Value>);

/// The value of a row.
enum Value {
    AsItIs(Vec<u8>),
    /// What [`format::packed`] makes the value of. Whoever applies the commit does that, because it takes time.
    ToPack(Vec<u8>),
}

impl Value {
    /// The bytes in memory.
    fn held_bytes(&self) -> usize {
        let (Self::AsItIs(bytes) | Self::ToPack(bytes)) = self;
        bytes.len()
    }

    /// The value in the tree.
    fn stored(&self) -> Cow<'_, [u8]> {
        match self {
            Self::AsItIs(value) => value.into(),
            Self::ToPack(content) => format::packed(content).into(),
        }
    }
}

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
        self.rows.push((key.into(), Some(Value::AsItIs(value))));
    }

    /// Sets a row to the [packed](format::packed) `content`.
    pub fn set_packed(&mut self, key: impl Into<Vec<u8>>, content: Vec<u8>) {
        self.rows.push((key.into(), Some(Value::ToPack(content))));
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

/// A URL in a commit that takes a place in the queue.
enum Added {
    /// The link of this index.
    Link(usize),
    /// The change of this index in the queue changes of the piece of this index.
    Change(usize, usize),
}

/// Links and pieces, with the look-ups that later steps need before they are in the tree.
#[derive(Default)]
pub(crate) struct Commit {
    links: Vec<FreshUrl>,
    pieces: Vec<Piece>,
    rows: usize,
    /// Bytes of keys and values.
    bytes: usize,
    /// The latest row of each short key: index of the piece, index of the row in it.
    latest: HashMap<ShortKey, (usize, usize)>,
    /// Places in the queue by `seq`: taken (`true`) or given up (`false`).
    places: HashMap<u64, bool>,
    /// The URLs that take places, by host.
    added: HashMap<String, Vec<Added>>,
}

impl Commit {
    pub fn push(&mut self, piece: Piece) {
        self.rows += piece.rows.len() + piece.queue.len();
        let bytes = piece
            .rows
            .iter()
            .map(|(key, value)| key.len() + value.as_ref().map_or(0, Value::held_bytes));
        let queue = piece.queue.iter().map(QueueChange::held_bytes);
        self.bytes += bytes.chain(queue).sum::<usize>();
        let number = self.pieces.len();
        for (at, (key, _)) in piece.rows.iter().enumerate() {
            if let Some(key) = short(key) {
                self.latest.insert(key, (number, at));
            }
        }
        for (at, change) in piece.queue.iter().enumerate() {
            match change {
                QueueChange::Add(queued) => self.add(queued, Added::Change(number, at)),
                QueueChange::Remove(place) => {
                    self.places.insert(place.seq, false);
                }
            }
        }
        self.pieces.push(piece);
    }

    pub fn push_link(&mut self, link: FreshUrl) {
        self.rows += 1;
        self.bytes += size_of::<FreshUrl>() + link.queued.held_bytes();
        self.add(&link.queued, Added::Link(self.links.len()));
        self.links.push(link);
    }

    fn add(&mut self, queued: &QueuedUrl, added: Added) {
        self.places.insert(queued.seq, true);
        match self.added.get_mut(&queued.host) {
            Some(of_host) => of_host.push(added),
            None => {
                self.added.insert(queued.host.clone(), vec![added]);
            }
        }
    }

    /// The row of a short key, if the commit has it; `Some(None)` if it has its removal.
    fn row(&self, key: &[u8]) -> Option<Option<Cow<'_, [u8]>>> {
        let (piece, row) = *self.latest.get(&short(key)?)?;
        let (_, value) = self.pieces.get(piece)?.rows.get(row)?;
        Some(value.as_ref().map(Value::stored))
    }

    /// Whether the place in the queue with this `seq` is taken after the commit; `None` if the commit does not change it.
    fn is_taken(&self, seq: u64) -> Option<bool> {
        self.places.get(&seq).copied()
    }

    /// The URLs that take places in the queue of the host, in no order. A later change of the commit may take them out.
    fn added(&self, host: &str) -> impl Iterator<Item = &QueuedUrl> {
        let of_host = self.added.get(host).into_iter().flatten();
        of_host.filter_map(|added| match *added {
            Added::Link(link) => Some(&self.links.get(link)?.queued),
            Added::Change(piece, change) => match self.pieces.get(piece)?.queue.get(change)? {
                QueueChange::Add(queued) => Some(queued),
                QueueChange::Remove(_) => None,
            },
        })
    }

    fn is_empty(&self) -> bool {
        self.pieces.is_empty() && self.links.is_empty()
    }
}

fn short(key: &[u8]) -> Option<ShortKey> {
    let mut short = [0; SHORT_KEY];
    short.get_mut(..key.len())?.copy_from_slice(key);
    Some((short, key.len() as u8))
}

#[cfg(test)]
mod tests {
    use super::*;

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
