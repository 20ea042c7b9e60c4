//! Applies a commit to the rows, as batches.

use std::collections::BTreeSet;
use std::iter::Peekable;

use super::{Commit, FreshUrl, Piece};
use crate::batch::Batch;
use crate::counts::CountChange;
use crate::error::StorageError;
use crate::format::Progress;
use crate::frontier::{QueueChange, UrlId};
use crate::host_counts::CountEdits;
use crate::links::{DepthEdits, EarlyNote, Links, Logged};
use crate::queue::QueueEdits;
use crate::state::{State, progress_row};

/// Rows in a batch. sled keeps everything that a batch touches in memory: batches of thousands of rows take gigabytes.
const BATCH_ROWS: usize = 256;

/// New links in a batch.
const BATCH_LINKS: usize = 4_096;

/// What a commit is applied to.
pub(crate) struct Target {
    pub state: State,
    /// Progress before the commit.
    pub before: Progress,
    /// Progress after it, with its number.
    pub after: Progress,
    /// The early links of interrupted commits, as of this commit.
    pub early: EarlyNote,
}

/// A commit that is being applied.
pub(crate) struct Application<'a> {
    target: &'a Target,
    /// The counts after the earlier batches.
    counts: CountEdits<'a>,
}

impl<'a> Application<'a> {
    pub fn new(target: &'a Target) -> Self {
        Self {
            counts: CountEdits::new(&target.state),
            target,
        }
    }

    /// Applies everything as the batches of a commit.
    pub fn apply(&mut self, commit: &Commit) -> Result<(), StorageError> {
        let had_links = self.apply_links(commit)?;
        self.apply_pieces(&commit.pieces, had_links)
    }

    /// Applies the links. Returns whether pieces follow that name them.
    pub fn apply_links(&mut self, commit: &Commit) -> Result<bool, StorageError> {
        let Target { before, after, .. } = self.target;
        // The batches of links give out all numbers, but do not reach the archive's new end yet.
        let numbers = Progress {
            archive: before.archive,
            ..*after
        };
        write_depths(&self.target.state, &commit.links)?;
        let mut links: Vec<&FreshUrl> = commit.links.iter().collect();
        links.sort_unstable_by(|a, b| a.queued.cmp_place(&b.queued));
        let mut links = links.into_iter().peekable();
        // Links without pieces belong to no page.
        let had_links = !commit.pieces.is_empty() && links.peek().is_some();
        let mut is_noted = !had_links;
        while links.peek().is_some() {
            let mut batch = self.batch_of_links(&mut links)?;
            if !std::mem::replace(&mut is_noted, true) {
                self.target.early.note(*before, *after, &mut batch)?;
            }
            self.apply_batch(batch, numbers)?;
        }
        Ok(had_links)
    }

    /// Applies the pieces. The last batch removes the note about the links of this commit, if `had_links`.
    fn apply_pieces(&mut self, pieces: &[Piece], had_links: bool) -> Result<(), StorageError> {
        let mut pieces = pieces.iter().peekable();
        while pieces.peek().is_some() {
            let (mut batch, progress) = self.batch_of_pieces(&mut pieces)?;
            if pieces.peek().is_none() {
                self.target.early.note_after(had_links, &mut batch)?;
            }
            self.apply_batch(batch, progress)?;
        }
        Ok(())
    }

    fn apply_batch(&mut self, mut batch: Batch, progress: Progress) -> Result<(), StorageError> {
        self.counts.write(&mut batch)?;
        let (key, row) = progress_row(&progress)?;
        batch.insert(key, row);
        self.target.state.apply(batch)
    }

    /// A batch with as many of the links as fit, at least one.
    fn batch_of_links<'c>(
        &mut self,
        links: &mut Peekable<impl Iterator<Item = &'c FreshUrl>>,
    ) -> Result<Batch, StorageError> {
        let mut batch = Batch::default();
        let mut queue = QueueEdits::new(&self.target.state);
        let mut logged: Vec<Logged> = Vec::new();
        // A link may need a new chunk and the counts of a new host. The log, the progress and the note of early links take one row each.
        while logged.len() < BATCH_LINKS && queue.rows() + self.counts.touched() + 5 <= BATCH_ROWS {
            let Some(FreshUrl { hash, queued }) = links.next() else {
                break;
            };
            logged.push((hash.to_le_bytes(), queued.id));
            self.counts.count(&queued.host, CountChange::Discovered)?;
            queue.add(queued)?;
        }
        Links::log(&logged, &mut batch)?;
        queue.write(&mut batch)?;
        Ok(batch)
    }

    /// The next batch: as many pieces as fit, at least one. Returns the progress after it, too.
    fn batch_of_pieces<'c>(
        &mut self,
        pieces: &mut Peekable<impl Iterator<Item = &'c Piece>>,
    ) -> Result<(Batch, Progress), StorageError> {
        let mut batch = Batch::default();
        let mut queue = QueueEdits::new(&self.target.state);
        let mut depths = DepthEdits::new(&self.target.state);
        let mut kinds = BTreeSet::new();
        let mut rows = 0;
        let mut archive = self.target.before.archive;
        let mut is_first = true;
        while let Some(piece) = pieces.peek() {
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
            let Some(piece) = pieces.next() else { break };
            for (key, value) in &piece.rows {
                match value {
                    Some(value) => batch.insert(&key[..], &*value.stored()),
                    None => batch.remove(&key[..]),
                }
            }
            for change in &piece.queue {
                queue.apply(change)?;
            }
            for &(id, depth) in &piece.depths {
                depths.set(id, depth)?;
            }
            for (host, change) in &piece.counts {
                self.counts.count(host, *change)?;
            }
            archive = piece.progress.archive;
        }
        queue.write(&mut batch)?;
        depths.write(&mut batch)?;
        let progress = Progress {
            archive,
            ..self.target.after
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

/// Upper bound on the rows of counts that the piece needs. Runs of the same host count once.
fn hosts_of(piece: &Piece) -> usize {
    piece.counts.chunk_by(|(a, _), (b, _)| a == b).count()
}
