//! The stage: changes since the last commit that are not in the tree yet.
//!
//! New links come first, sorted by their places in the queue, so that a commit writes each chunk of the queue once, however many
//! pages its URLs come from. Then come the *pieces*, in order. A piece becomes durable as a whole: the end of a URL with its
//! page and its counts. Links and pieces are packed into batches of at most [`BATCH_ROWS`] rows. sled applies and recovers each
//! batch as a whole, and batches in order.
//!
//! After a crash the tree therefore holds either some of the links and no piece, or all links and the first few pieces.
//! Links without their page do no harm: the store knows them a little early, the page is still queued, and [`early`](crate::early) has
//! them archived with the page. A commit gives out numbers of URLs, places and pages once: no later commit gives them out again, even if
//! the crash lost them. So a link that names its page never names another.

mod discover;
mod finish;
mod mail;

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::iter::Peekable;

use crate::batch::Batch;
use crate::chunk::{self, QueueChange};
use crate::counts::{CountChange, Counts};
use crate::depths::DepthEdits;
use crate::early::EarlyLinks;
use crate::error::StorageError;
use crate::format::{self, Progress};
use crate::frontier::{Place, QueuedUrl};
use crate::known::{UrlHash, UrlId};
use crate::state::State;

/// Rows in a batch. sled keeps everything that a batch touches in memory: batches of thousands of rows take gigabytes.
const BATCH_ROWS: usize = 256;

/// New links in a batch.
const BATCH_LINKS: usize = 4_096;

/// Rows of the same table in a piece.
const ROWS_A_PIECE: usize = 100;

/// A row to set, or to remove if there is no value.
pub(crate) type Row = (Vec<u8>, Option<Vec<u8>>);

/// Changes that become durable as a whole.
pub(crate) struct Piece {
    pub rows: Vec<Row>,
    /// Changes of the queue.
    pub queue: Vec<QueueChange>,
    /// Changes of depths.
    pub depths: Vec<(UrlId, u16)>,
    /// Changes of the counts, by host.
    pub counts: Vec<(String, CountChange)>,
    /// Progress after this piece.
    pub progress: Progress,
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

    /// The next `seq`.
    pub fn take_seq(&mut self) -> u64 {
        let seq = self.progress.next_seq;
        self.progress.next_seq += 1;
        seq
    }
}

/// A URL that was not known, with its hash.
pub(crate) struct FreshUrl {
    pub hash: UrlHash,
    pub queued: QueuedUrl,
}

/// Stage links and pieces, with the look-ups that later steps need before the commit.
#[derive(Default)]
pub(crate) struct Stage {
    links: Vec<FreshUrl>,
    pieces: VecDeque<Piece>,
    rows: usize,
    /// Bytes of keys and values.
    bytes: usize,
    /// Failed URLs that are queued again.
    tried_again: HashSet<UrlId>,
    /// Places in the queue by `seq`: taken (`true`) or given up (`false`).
    places: HashMap<u64, bool>,
    /// Place of the latest row of each staged page: index of the piece, index of the row in it. Valid because pieces leave
    /// all at once.
    pages: HashMap<u64, (usize, usize)>,
    /// The same for the rows of visits, by page.
    visits: HashMap<u64, (usize, usize)>,
    /// The same for the rows of finished URLs.
    urls: HashMap<UrlId, (usize, usize)>,
    /// The same for the rows of deep links, by URL and part.
    beyond: HashMap<(UrlId, u8), (usize, usize)>,
}

impl Stage {
    pub fn push(&mut self, piece: Piece) {
        self.rows += piece.rows.len() + piece.queue.len();
        let bytes = piece
            .rows
            .iter()
            .map(|(key, value)| key.len() + value.as_ref().map_or(0, Vec::len));
        let queue = piece.queue.iter().map(QueueChange::held_bytes);
        self.bytes += bytes.chain(queue).sum::<usize>();
        for (at, (key, _)) in piece.rows.iter().enumerate() {
            if let Some(sequence) = format::page_sequence(key) {
                self.pages.insert(sequence, (self.pieces.len(), at));
            }
            if let Some(page) = format::visited_page(key) {
                self.visits.insert(page, (self.pieces.len(), at));
            }
            if let Some(id) = format::url_id(key) {
                self.urls.insert(id, (self.pieces.len(), at));
            }
            if let Some(place) = format::beyond_place(key) {
                self.beyond.insert(place, (self.pieces.len(), at));
            }
        }
        self.pieces.push_back(piece);
    }

    pub fn push_link(&mut self, link: FreshUrl) {
        self.rows += 1;
        self.bytes += size_of::<FreshUrl>() + link.queued.held_bytes();
        self.links.push(link);
    }

    /// Notes that a URL with an outcome is queued again. `false` if it already was since the last commit.
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

    /// The row of a page, if it is staged.
    pub fn page(&self, sequence: u64) -> Option<&[u8]> {
        let (piece, row) = *self.pages.get(&sequence)?;
        self.pieces.get(piece)?.rows.get(row)?.1.as_deref()
    }

    /// The row of a page's visits, if it is staged; `Some(None)` if its removal is staged.
    pub fn visits(&self, page: u64) -> Option<Option<&[u8]>> {
        self.row(*self.visits.get(&page)?)
    }

    /// The row of a finished URL, in the same way.
    pub fn url(&self, id: UrlId) -> Option<Option<&[u8]>> {
        self.row(*self.urls.get(&id)?)
    }

    /// The row of a part of a URL's deep links, in the same way.
    pub fn beyond(&self, id: UrlId, part: u8) -> Option<Option<&[u8]>> {
        self.row(*self.beyond.get(&(id, part))?)
    }

    fn row(&self, (piece, row): (usize, usize)) -> Option<Option<&[u8]>> {
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

    /// Applies everything as the batches of a commit, and empties the stage. `before` is the progress before the commit, `after`
    /// the progress after it, with the number of the commit.
    pub fn apply(
        &mut self,
        state: &State,
        early: &EarlyLinks,
        before: Progress,
        after: Progress,
    ) -> Result<(), StorageError> {
        let mut hosts = HashMap::new();
        let had_links = self.apply_links(state, early, (before, after), &mut hosts)?;
        self.apply_pieces(state, early, (had_links, after), &mut hosts)?;
        self.rows = 0;
        self.bytes = 0;
        self.places.clear();
        self.tried_again.clear();
        self.pages.clear();
        self.visits.clear();
        self.urls.clear();
        self.beyond.clear();
        Ok(())
    }

    /// Applies the links. Returns whether there are any.
    pub(crate) fn apply_links(
        &mut self,
        state: &State,
        early: &EarlyLinks,
        (before, after): (Progress, Progress),
        hosts: &mut HashMap<String, Counts>,
    ) -> Result<bool, StorageError> {
        // The batches of links give out all numbers, but do not reach the archive's new end yet.
        let numbers = Progress {
            archive: before.archive,
            ..after
        };
        let mut links = std::mem::take(&mut self.links);
        write_depths(state, &links)?;
        links.sort_unstable_by_key(|link| Place::of(&link.queued));
        let mut links = links.into_iter().peekable();
        // Links without pieces belong to no page.
        let mut note = (!self.pieces.is_empty() && links.peek().is_some())
            .then(|| early.row_during(before, after))
            .transpose()?;
        let had_links = note.is_some();
        while links.peek().is_some() {
            let mut batch = batch_of_links(state, numbers, &mut links, hosts)?;
            if let Some(note) = note.take() {
                batch.insert(format::META_EARLY, note);
            }
            state.apply(batch)?;
        }
        Ok(had_links)
    }

    /// Applies the pieces. The last batch removes the note about the links of this commit, if `had_links`.
    fn apply_pieces(
        &mut self,
        state: &State,
        early: &EarlyLinks,
        (had_links, after): (bool, Progress),
        hosts: &mut HashMap<String, Counts>,
    ) -> Result<(), StorageError> {
        while !self.pieces.is_empty() {
            let mut batch = self.next_batch(state, after, hosts)?;
            if (had_links || early.are_archived()) && self.pieces.is_empty() {
                match early.row_after()? {
                    Some(row) => batch.insert(format::META_EARLY, row),
                    None => batch.remove(format::META_EARLY),
                }
            }
            state.apply(batch)?;
        }
        Ok(())
    }

    /// The next batch: as many pieces as fit, at least one. `hosts` holds the counts after the earlier batches.
    fn next_batch(
        &mut self,
        state: &State,
        after: Progress,
        hosts: &mut HashMap<String, Counts>,
    ) -> Result<Batch, StorageError> {
        let mut batch = Batch::default();
        let mut touched: BTreeMap<String, Counts> = BTreeMap::new();
        let mut queue = chunk::Edits::new(state);
        let mut depths = DepthEdits::new(state);
        let mut kinds = BTreeSet::new();
        let mut rows = 0;
        let mut progress = None;
        while let Some(piece) = self.pieces.front() {
            let more = piece.rows.len() + piece.depths.len() + hosts_of(piece) + 1;
            let more_queue = piece
                .queue
                .iter()
                .filter(|change| !kinds.contains(&change.kind()))
                .count();
            if progress.is_some() && rows + queue.rows() + more + more_queue > BATCH_ROWS {
                break;
            }
            rows += more;
            kinds.extend(piece.queue.iter().map(QueueChange::kind));
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
            for (id, depth) in piece.depths {
                depths.set(id, depth)?;
            }
            for (host, change) in piece.counts {
                let counts = counted(state, hosts, &host, change)?;
                touched.insert(host, counts);
            }
            progress = Some(piece.progress);
        }
        queue.write(&mut batch)?;
        depths.write(&mut batch)?;
        write_counts(&mut batch, touched)?;
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

/// Writes the depths of new URLs. Nothing names these URLs yet, so this need not be one step with their links.
fn write_depths(state: &State, links: &[FreshUrl]) -> Result<(), StorageError> {
    let mut depths: Vec<(UrlId, u16)> = links.iter().map(|link| (link.queued.id, link.queued.depth)).collect();
    depths.sort_unstable();
    let mut depths = depths.into_iter().peekable();
    while depths.peek().is_some() {
        let mut edits = DepthEdits::new(state);
        while edits.rows() < BATCH_ROWS
            && let Some((id, depth)) = depths.next()
        {
            edits.set(id, depth)?;
        }
        let mut batch = Batch::default();
        edits.write(&mut batch)?;
        state.apply(batch)?;
    }
    Ok(())
}

/// A batch with as many of the links as fit, at least one. `hosts` holds the counts after the earlier batches.
fn batch_of_links(
    state: &State,
    progress: Progress,
    links: &mut Peekable<impl Iterator<Item = FreshUrl>>,
    hosts: &mut HashMap<String, Counts>,
) -> Result<Batch, StorageError> {
    let mut batch = Batch::default();
    let mut queue = chunk::Edits::new(state);
    let mut touched: BTreeMap<String, Counts> = BTreeMap::new();
    let mut logged: Vec<format::Logged> = Vec::new();
    // A link may need a new chunk and the counts of a new host. The log, the progress and the note of early links take one row each.
    while logged.len() < BATCH_LINKS && queue.rows() + touched.len() + 5 <= BATCH_ROWS {
        let Some(FreshUrl { hash, queued }) = links.next() else {
            break;
        };
        logged.push((hash.to_le_bytes(), queued.id));
        let counts = counted(state, hosts, &queued.host, CountChange::Discovered)?;
        touched.insert(queued.host.clone(), counts);
        queue.apply(QueueChange::Add(queued))?;
    }
    if let Some((_, first)) = logged.first() {
        batch.insert(&format::log_key(*first)[..], format::encode(&logged)?);
    }
    queue.write(&mut batch)?;
    write_counts(&mut batch, touched)?;
    batch.insert(format::META_PROGRESS, format::encode(&progress)?);
    Ok(batch)
}

fn write_counts(batch: &mut Batch, touched: BTreeMap<String, Counts>) -> Result<(), StorageError> {
    for (host, counts) in touched {
        batch.insert(format::host_key(&host), format::encode(&counts)?);
    }
    Ok(())
}

/// The counts of a host after one more change.
fn counted(
    state: &State,
    hosts: &mut HashMap<String, Counts>,
    host: &str,
    change: CountChange,
) -> Result<Counts, StorageError> {
    let counts = match hosts.get_mut(host) {
        Some(counts) => counts,
        None => hosts.entry(host.to_owned()).or_insert(stored_counts(state, host)?),
    };
    counts.apply(change);
    Ok(*counts)
}

/// Upper bound on the rows of counts that the piece needs. Runs of the same host count once.
fn hosts_of(piece: &Piece) -> usize {
    piece.counts.chunk_by(|(a, _), (b, _)| a == b).count()
}

fn stored_counts(state: &State, host: &str) -> Result<Counts, StorageError> {
    match state.get(format::host_key(host))? {
        Some(row) => state.decode("a row of counts", &row),
        None => Ok(Counts::default()),
    }
}
