//! When the run makes a checkpoint of what steering learned.

use crate::frontier::Frontier;
use crate::messages::Record;
use crate::steering::Turn;

/// Most pages between two checkpoints. A later run learns from so many within a second of processor time.
const MOST: u64 = 20_000;

/// A checkpoint is due when the pages have grown by a `GROWTH`-th: the more was learned, the longer takes the writing.
const GROWTH: u64 = 10;

/// At the end of a run, a share of the usual pages is worth another checkpoint.
const SHARE_AT_END: u64 = 5;

/// The checkpoints of a run.
#[derive(Debug)]
pub(super) struct Checkpoints {
    /// Least pages between two checkpoints.
    few: u64,
    /// The last page of the last checkpoint.
    last: u64,
    /// Bytes of the last checkpoint.
    bytes: usize,
    turn: Turn,
}

impl Checkpoints {
    /// Those of a run whose frontier has learned what the store has.
    pub fn new(frontier: &mut Frontier, few: u64) -> Self {
        Self {
            few,
            last: frontier.steering_mut().restored_to(),
            bytes: 0,
            turn: Turn::default(),
        }
    }

    /// Whether a checkpoint is due.
    pub fn is_due(&self, frontier: &mut Frontier) -> bool {
        let pages = (self.last / GROWTH).clamp(self.few, MOST.max(self.few));
        self.has_grown_by(pages, frontier)
    }

    /// Whether a checkpoint is due at the end of the run. There is no time to learn again.
    pub fn is_due_at_end(&self, frontier: &mut Frontier) -> bool {
        self.has_grown_by((self.few / SHARE_AT_END).max(1), frontier) && !self.turn.is_void()
    }

    fn has_grown_by(&self, pages: u64, frontier: &mut Frontier) -> bool {
        frontier.steering_mut().learned_to() >= self.last + pages && self.turn.is_free()
    }

    /// Makes a checkpoint, or asks for one; `None` if what was learned cannot be encoded.
    pub fn make(&mut self, frontier: &mut Frontier) -> Option<Record> {
        let steering = frontier.steering_mut();
        self.last = steering.learned_to();
        if self.turn.is_void() {
            return Some(Record::LearnAgain(self.turn.clone()));
        }
        // Some more than the last one, so that the bytes are not moved while they are written.
        let checkpoint = steering.checkpoint(self.bytes + self.bytes / 4, &self.turn)?;
        self.bytes = checkpoint.bytes();
        Some(Record::Checkpoint(checkpoint))
    }
}
