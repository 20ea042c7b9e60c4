//! What was done since the last commit and is not yet in the tree.
//!
//! New links come first, sorted by where they wait, so that each chunk of the queue is written once a commit however many
//! pages it was filled by. Then the *pieces*, in order: a piece is what must become durable as one, the end of a URL with its
//! page and its counts. Both are packed into batches of at most [`BATCH_ROWS`] rows; sled applies and recovers each batch as a
//! whole, and batches in order.
//!
//! What survives a crash is therefore some of the links, and none of the pieces; or all links, and a beginning of the pieces.
//! Links without the page that has them do no harm: they were found a little early, and that page is still queued. Numbers of
//! URLs, places and pages that a commit gives out are never given out again, whatever of it survives, so that a link that
//! names its page never names another.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::iter::Peekable;

use crate::chunk::{self, Place};
use crate::counts::{Change, Counts};
use crate::error::StorageError;
use crate::format::{self, Progress};
use crate::frontier::QueuedUrl;
use crate::known::{UrlHash, UrlId};
use crate::state::State;

/// Rows in a batch. sled keeps all that a batch touches until it ends: batches of thousands take gigabytes.
const BATCH_ROWS: usize = 256;

/// New links in a batch.
const BATCH_LINKS: usize = 4_096;

/// A row to be set, or removed where there is no value.
pub(crate) type Row = (Vec<u8>, Option<Vec<u8>>);

/// What becomes durable as one.
pub(crate) struct Piece {
    pub rows: Vec<Row>,
    /// What changes in the queue.
    pub queue: Vec<chunk::Change>,
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
            queue: Vec::new(),
            changes: Vec::new(),
            progress,
        }
    }
}

/// A URL that was not known, and what it is known by from now on.
pub(crate) struct FreshUrl {
    pub hash: UrlHash,
    pub queued: QueuedUrl,
}

/// Pieces in order, and what of them must be seen before they are in the tree.
#[derive(Default)]
pub(crate) struct Staged {
    links: Vec<FreshUrl>,
    pieces: VecDeque<Piece>,
    rows: usize,
    /// Of keys and values.
    bytes: usize,
    /// URLs that had failed and wait again.
    tried_again: HashSet<UrlId>,
    /// Places in the queue by `seq`: taken (`true`) or given up (`false`).
    places: HashMap<u64, bool>,
    /// Where the latest row of each staged page is: its piece, and its row there. Pieces only go all at once.
    pages: HashMap<u64, (usize, usize)>,
    /// The same of the rows of visits, by page.
    visits: HashMap<u64, (usize, usize)>,
}

impl Staged {
    pub fn push(&mut self, piece: Piece) {
        self.rows += piece.rows.len() + piece.queue.len();
        let bytes = piece
            .rows
            .iter()
            .map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len));
        let queue = piece.queue.iter().map(chunk::Change::held_bytes);
        self.bytes += bytes.chain(queue).sum::<usize>();
        for (at, (key, _)) in piece.rows.iter().enumerate() {
            if let Some(sequence) = format::page_sequence(key) {
                self.pages.insert(sequence, (self.pieces.len(), at));
            }
            if let Some(page) = format::visited_page(key) {
                self.visits.insert(page, (self.pieces.len(), at));
            }
        }
        self.pieces.push_back(piece);
    }

    pub fn push_link(&mut self, link: FreshUrl) {
        self.rows += 1;
        self.bytes += size_of::<FreshUrl>() + link.queued.held_bytes();
        self.links.push(link);
    }

    /// Whether the URL was not queued again since the last commit; from now on it is.
    pub fn try_again(&mut self, id: UrlId) -> bool {
        self.tried_again.insert(id)
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

    /// The row of a page's visits, if it waits to be written; `Some(None)` if it is to be removed.
    pub fn visits(&self, page: u64) -> Option<Option<&[u8]>> {
        let (piece, row) = *self.visits.get(&page)?;
        let (_, value) = self.pieces.get(piece)?.rows.get(row)?;
        Some(value.as_deref())
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
        self.pieces.is_empty() && self.links.is_empty()
    }

    /// Applies everything as batches of a commit and forgets it. `before` is how far the state had come before, `after` how
    /// far it comes; the commit's number is in both.
    pub fn apply(&mut self, state: &State, before: Progress, after: Progress) -> Result<(), StorageError> {
        let mut hosts = HashMap::new();
        // The numbers are given out, the archive's end is not reached yet.
        let numbers = Progress {
            archive: before.archive,
            ..after
        };
        let mut links = std::mem::take(&mut self.links);
        links.sort_unstable_by_key(|link| Place::of(&link.queued));
        let mut links = links.into_iter().peekable();
        while links.peek().is_some() {
            let batch = batch_of_links(state, numbers, &mut links, &mut hosts)?;
            state.apply(batch)?;
        }
        while !self.pieces.is_empty() {
            let batch = self.next_batch(state, after, &mut hosts)?;
            state.apply(batch)?;
        }
        self.rows = 0;
        self.bytes = 0;
        self.places.clear();
        self.tried_again.clear();
        self.pages.clear();
        self.visits.clear();
        Ok(())
    }

    /// The next batch: as many pieces as fit, at least one. `hosts` holds the counts as they are after the batches before.
    fn next_batch(
        &mut self,
        state: &State,
        after: Progress,
        hosts: &mut HashMap<String, Counts>,
    ) -> Result<sled::Batch, StorageError> {
        let mut batch = sled::Batch::default();
        let mut touched: BTreeMap<String, Counts> = BTreeMap::new();
        let mut queue = chunk::Edits::new(state);
        let mut kinds = BTreeSet::new();
        let mut rows = 0;
        let mut progress = None;
        while let Some(piece) = self.pieces.front() {
            let more = piece.rows.len() + hosts_of(piece) + 1;
            let more_queue = piece
                .queue
                .iter()
                .filter(|change| !kinds.contains(&change.kind()))
                .count();
            if progress.is_some() && rows + queue.rows() + more + more_queue > BATCH_ROWS {
                break;
            }
            rows += more;
            kinds.extend(piece.queue.iter().map(chunk::Change::kind));
            let Some(piece) = self.pieces.pop_front() else { break };
            for (key, value) in piece.rows {
                match value {
                    Some(value) => batch.insert(key, value),
                    None => batch.remove(key),
                }
            }
            for change in piece.queue {
                queue.apply(change)?;
            }
            for (host, change) in piece.changes {
                let counts = counted(state, hosts, &host, change)?;
                touched.insert(host, counts);
            }
            progress = Some(piece.progress);
        }
        queue.write(&mut batch)?;
        for (host, counts) in touched {
            batch.insert(format::host_key(&host), format::encode(&counts)?);
        }
        if let Some(progress) = progress {
            let progress = Progress {
                archive: progress.archive,
                ..after
            };
            batch.insert(format::META_PROGRESS, format::encode(&progress)?);
        }
        Ok(batch)
    }
}

/// As many of the links as fit into a batch, at least one. `hosts` as for the pieces.
fn batch_of_links(
    state: &State,
    progress: Progress,
    links: &mut Peekable<impl Iterator<Item = FreshUrl>>,
    hosts: &mut HashMap<String, Counts>,
) -> Result<sled::Batch, StorageError> {
    let mut batch = sled::Batch::default();
    let mut queue = chunk::Edits::new(state);
    let mut touched: BTreeMap<String, Counts> = BTreeMap::new();
    let mut logged: Vec<format::Logged> = Vec::new();
    // A link may need a new chunk and the counts of a new host; the log and the progress are a row each.
    while logged.len() < BATCH_LINKS && queue.rows() + touched.len() + 4 <= BATCH_ROWS {
        let Some(FreshUrl { hash, queued }) = links.next() else {
            break;
        };
        logged.push((hash.to_le_bytes(), queued.id));
        let counts = counted(state, hosts, &queued.host, Change::Discovered)?;
        touched.insert(queued.host.clone(), counts);
        queue.apply(chunk::Change::Add(queued))?;
    }
    if let Some((_, first)) = logged.first() {
        batch.insert(&format::log_key(*first)[..], format::encode(&logged)?);
    }
    queue.write(&mut batch)?;
    for (host, counts) in touched {
        batch.insert(format::host_key(&host), format::encode(&counts)?);
    }
    batch.insert(format::META_PROGRESS, format::encode(&progress)?);
    Ok(batch)
}

/// The counts of a host after one more change.
fn counted(
    state: &State,
    hosts: &mut HashMap<String, Counts>,
    host: &str,
    change: Change,
) -> Result<Counts, StorageError> {
    let counts = match hosts.get_mut(host) {
        Some(counts) => counts,
        None => hosts.entry(host.to_owned()).or_insert(stored_counts(state, host)?),
    };
    counts.apply(change);
    Ok(*counts)
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
