//! What was done since the last commit and is not yet in the tree.
//!
//! A *piece* is what must become durable as one: the end of a URL with its page and its outlinks. Pieces are packed, in
//! order, into batches of at most [`BATCH_ROWS`] rows; sled applies and recovers each batch as a whole, and batches in order,
//! so what survives a crash is always a beginning of what was done.

use std::collections::{BTreeMap, HashMap, VecDeque};

use crate::counts::{Change, Counts};
use crate::error::StorageError;
use crate::format::{self, Progress};
use crate::state::State;

/// Rows in a batch. sled keeps all that a batch touches until it ends: batches of thousands take gigabytes.
const BATCH_ROWS: usize = 256;

/// New links in a piece: two rows each (queue, the counts of its host), and room for a URL's own end.
pub(crate) const LINKS_A_PIECE: usize = 110;

/// A row to be set, or removed where there is no value.
pub(crate) type Row = (Vec<u8>, Option<Vec<u8>>);

/// What becomes durable as one.
pub(crate) struct Piece {
    pub rows: Vec<Row>,
    /// What changes in the counts of which host.
    pub changes: Vec<(String, Change)>,
    /// How far the state has come with this piece.
    pub progress: Progress,
}

impl Piece {
    /// An empty piece that follows what is staged.
    pub fn at(progress: Progress) -> Self {
        Self {
            rows: Vec::new(),
            changes: Vec::new(),
            progress,
        }
    }
}

/// Pieces in order, and what of them must be seen before they are in the tree.
#[derive(Default)]
pub(crate) struct Staged {
    pieces: VecDeque<Piece>,
    rows: usize,
    /// Of keys and values.
    bytes: usize,
    /// Places in the queue by `seq`: taken (`true`) or given up (`false`).
    places: HashMap<u64, bool>,
    /// Where the latest row of each staged page is: its piece, and its row there. Pieces only go all at once.
    pages: HashMap<u64, (usize, usize)>,
}

impl Staged {
    pub fn push(&mut self, piece: Piece) {
        self.rows += piece.rows.len();
        let bytes = piece
            .rows
            .iter()
            .map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len));
        self.bytes += bytes.sum::<usize>();
        for (at, (key, _)) in piece.rows.iter().enumerate() {
            if let Some(sequence) = format::page_sequence(key) {
                self.pages.insert(sequence, (self.pieces.len(), at));
            }
        }
        self.pieces.push_back(piece);
    }

    pub fn take_place(&mut self, seq: u64) {
        self.places.insert(seq, true);
    }

    pub fn give_up_place(&mut self, seq: u64) {
        self.places.insert(seq, false);
    }

    /// Whether the place in the queue is taken; `None` if only the tree can say.
    pub fn place(&self, seq: u64) -> Option<bool> {
        self.places.get(&seq).copied()
    }

    /// The row of a page, if it waits to be written.
    pub fn page(&self, sequence: u64) -> Option<&[u8]> {
        let (piece, row) = *self.pages.get(&sequence)?;
        self.pieces.get(piece)?.rows.get(row)?.1.as_deref()
    }

    /// Rows that wait.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Bytes of the rows that wait.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Applies all pieces as batches of the commit `commit`, and forgets them.
    pub fn apply(&mut self, state: &State, commit: u64) -> Result<(), StorageError> {
        let mut hosts = HashMap::new();
        while !self.pieces.is_empty() {
            let batch = self.next_batch(state, commit, &mut hosts)?;
            state.apply(batch)?;
        }
        self.rows = 0;
        self.bytes = 0;
        self.places.clear();
        self.pages.clear();
        Ok(())
    }

    /// The next batch: as many pieces as fit, at least one. `hosts` holds the counts as they are after the batches before.
    fn next_batch(
        &mut self,
        state: &State,
        commit: u64,
        hosts: &mut HashMap<String, Counts>,
    ) -> Result<sled::Batch, StorageError> {
        let mut batch = sled::Batch::default();
        let mut touched: BTreeMap<String, Counts> = BTreeMap::new();
        let mut rows = 0;
        let mut progress = None;
        while let Some(piece) = self.pieces.front() {
            let more = piece.rows.len() + hosts_of(piece) + 1;
            if rows > 0 && rows + more > BATCH_ROWS {
                break;
            }
            rows += more;
            let Some(piece) = self.pieces.pop_front() else { break };
            for (key, value) in piece.rows {
                match value {
                    Some(value) => batch.insert(key, value),
                    None => batch.remove(key),
                }
            }
            for (host, change) in piece.changes {
                let counts = match hosts.get_mut(&host) {
                    Some(counts) => counts,
                    None => hosts.entry(host.clone()).or_insert(stored_counts(state, &host)?),
                };
                counts.apply(change);
                touched.insert(host, *counts);
            }
            progress = Some(piece.progress);
        }
        for (host, counts) in touched {
            batch.insert(format::host_key(&host), format::encode(&counts)?);
        }
        if let Some(progress) = progress {
            batch.insert(format::META_PROGRESS, format::encode(&Progress { commit, ..progress })?);
        }
        Ok(batch)
    }
}

/// At most how many rows of counts the piece needs: runs of the same host count once.
fn hosts_of(piece: &Piece) -> usize {
    piece.changes.chunk_by(|(a, _), (b, _)| a == b).count()
}

fn stored_counts(state: &State, host: &str) -> Result<Counts, StorageError> {
    match state.get(format::host_key(host))? {
        Some(row) => state.decode("a row of counts", &row),
        None => Ok(Counts::default()),
    }
}
