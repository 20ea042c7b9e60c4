//! The memory of large pages while they are unpacked and read: how many of them are read at a time.
//!
//! The threads for large pages could hold a tree each. Each page therefore claims what its reading takes at most, by its bytes and tags, from
//! a budget that the largest accepted page fills alone. Usual pages of half a megabyte claim a few per cent of it, so all cores read them.
//!
//! How long a body is when it is unpacked, nobody knows before. So each body first claims the longest accepted length from a budget of its own, and gives
//! the claim back when it has that for its reading. No page waits for ever: who holds a claim on reading waits only for the recorder.

use web::memory_budget::{Claim, MemoryBudget};

/// Packed bodies of the longest accepted length that are unpacked, or wait for their reading, at a time.
const UNPACKED_BODIES: usize = 2;

/// Bytes of pages that are being read, for each byte of `fetch.memory_bytes`.
const READING_SHARE: usize = 5;

/// The two budgets. Cheap to clone.
#[derive(Debug, Clone)]
pub(super) struct ReadingMemory {
    unpacking: MemoryBudget,
    reading: MemoryBudget,
}

impl ReadingMemory {
    /// Budgets for bodies of at most `longest` bytes, in a process with `memory_bytes` for its bodies.
    pub fn new(longest: usize, memory_bytes: usize) -> Self {
        let reading = page::most_reading_bytes(longest).max(READING_SHARE.saturating_mul(memory_bytes));
        Self {
            unpacking: MemoryBudget::new(UNPACKED_BODIES * longest),
            reading: MemoryBudget::new(reading),
        }
    }

    /// Waits until a body may be unpacked that will have at most so many bytes.
    pub async fn unpack(&self, bytes: usize) -> Claim {
        claim(&self.unpacking, bytes).await
    }

    /// Waits until a page may be read that takes so many bytes, or all the memory if that is less.
    pub async fn read(&self, bytes: usize) -> Claim {
        claim(&self.reading, bytes).await
    }
}

/// Whoever needs nothing does not wait for those who need much.
async fn claim(budget: &MemoryBudget, bytes: usize) -> Claim {
    match bytes {
        0 => Claim::default(),
        _ => budget.claim(bytes).await,
    }
}
