//! Applies a commit in the making to the rows, as batches.

use std::collections::BTreeSet;
use std::iter::Peekable;

use super::{Commit, FreshUrl, Piece};
use crate::batch::Batch;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::format::Progress;
use crate::frontier::{Place, QueueChange, UrlId};
use crate::host_counts::CountEdits;
use crate::links::{DepthEdits, Links, Logged};
use crate::queue::QueueEdits;
use crate::state::{State, progress_row};

/// Rows in a batch. sled keeps everything that a batch touches in memory: batches of thousands of rows take gigabytes.
const BATCH_ROWS: usize = 256;

/// New links in a batch.
const BATCH_LINKS: usize = 4_096;

/// What a commit is applied to.
pub(crate) struct Target<'a> {
    state: &'a State,
    links: &'a Links,
    /// The counts after the earlier batches.
    counts: CountEdits<'a>,
    /// Progress before the commit.
    before: Progress,
    /// Progress after it, with its number.
    after: Progress,
}

impl<'a> Target<'a> {
    pub fn new(state: &'a State, links: &'a Links, (before, after): (Progress, Progress)) -> Self {
        Self {
            state,
            links,
            counts: CountEdits::new(state),
            before,
            after,
        }
    }

    fn apply(&mut self, mut batch: Batch, progress: Progress) -> Result<(), StorageError> {
        self.counts.write(&mut batch)?;
        let (key, row) = progress_row(&progress)?;
        batch.insert(key, row);
        self.state.apply(batch)
    }
}

impl Commit {
    /// Applies everything as the batches of a commit, and empties itself.
    pub fn apply(&mut self, mut target: Target<'_>) -> Result<(), StorageError> {
        let had_links = self.apply_links(&mut target)?;
        self.apply_pieces(&mut target, had_links)?;
        self.rows = 0;
        self.bytes = 0;
        self.latest.clear();
        Ok(())
    }

    /// Applies the links. Returns whether pieces follow that name them.
    pub fn apply_links(&mut self, target: &mut Target<'_>) -> Result<bool, StorageError> {
        // The batches of links give out all numbers, but do not reach the archive's new end yet.
        let numbers = Progress {
            archive: target.before.archive,
            ..target.after
        };
        let mut links = std::mem::take(&mut self.links);
        write_depths(target.state, &links)?;
        links.sort_unstable_by_key(|link| Place::of(&link.queued));
        let mut links = links.into_iter().peekable();
        // Links without pieces belong to no page.
        let had_links = !self.pieces.is_empty() && links.peek().is_some();
        let mut is_noted = !had_links;
        while links.peek().is_some() {
            let mut batch = batch_of_links(target, &mut links)?;
            if !std::mem::replace(&mut is_noted, true) {
                target.links.note_early(target.before, target.after, &mut batch)?;
            }
            target.apply(batch, numbers)?;
        }
        Ok(had_links)
    }

    /// Applies the pieces. The last batch removes the note about the links of this commit, if `had_links`.
    fn apply_pieces(&mut self, target: &mut Target<'_>, had_links: bool) -> Result<(), StorageError> {
        while !self.pieces.is_empty() {
            let (mut batch, progress) = self.next_batch(target)?;
            if self.pieces.is_empty() {
                target.links.note_early_after(had_links, &mut batch)?;
            }
            target.apply(batch, progress)?;
        }
        Ok(())
    }

    /// The next batch: as many pieces as fit, at least one. Returns the progress after it, too.
    fn next_batch(&mut self, target: &mut Target<'_>) -> Result<(Batch, Progress), StorageError> {
        let mut batch = Batch::default();
        let mut queue = QueueEdits::new(target.state);
        let mut depths = DepthEdits::new(target.state);
        let mut kinds = BTreeSet::new();
        let mut rows = 0;
        let mut progress = target.before;
        let mut is_first = true;
        while let Some(piece) = self.pieces.front() {
            let more = piece.rows.len() + piece.depths.len() + hosts_of(piece) + 1;
            let more_queue = piece
                .queue
                .iter()
                .filter(|change| !kinds.contains(&change.kind()))
                .count();
            if !std::mem::take(&mut is_first) && rows + queue.rows() + more + more_queue > BATCH_ROWS {
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
                target.counts.count(&host, change)?;
            }
            progress = piece.progress;
        }
        queue.write(&mut batch)?;
        depths.write(&mut batch)?;
        let progress = Progress {
            archive: progress.archive,
            ..target.after
        };
        Ok((batch, progress))
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

/// A batch with as many of the links as fit, at least one.
fn batch_of_links(
    target: &mut Target<'_>,
    links: &mut Peekable<impl Iterator<Item = FreshUrl>>,
) -> Result<Batch, StorageError> {
    let mut batch = Batch::default();
    let mut queue = QueueEdits::new(target.state);
    let mut logged: Vec<Logged> = Vec::new();
    // A link may need a new chunk and the counts of a new host. The log, the progress and the note of early links take one row each.
    while logged.len() < BATCH_LINKS && queue.rows() + target.counts.touched() + 5 <= BATCH_ROWS {
        let Some(FreshUrl { hash, queued }) = links.next() else {
            break;
        };
        logged.push((hash.to_le_bytes(), queued.id));
        target.counts.count(&queued.host, CountChange::Discovered)?;
        queue.apply(QueueChange::Add(queued))?;
    }
    Links::log(&logged, &mut batch)?;
    queue.write(&mut batch)?;
    Ok(batch)
}

/// Upper bound on the rows of counts that the piece needs. Runs of the same host count once.
fn hosts_of(piece: &Piece) -> usize {
    piece.counts.chunk_by(|(a, _), (b, _)| a == b).count()
}
