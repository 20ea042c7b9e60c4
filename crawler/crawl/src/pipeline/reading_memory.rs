//! The memory of large pages while they are unpacked and read: how many of them are read at a time.
//!
//! The threads for large pages could hold a tree each. Each page therefore claims what its reading takes at most, by its bytes and tags, from
//! a budget that the largest accepted page fills alone. Usual pages of half a megabyte claim a few per cent of it, so all cores read them.
//!
//! The length of a packed body is not known before it is unpacked. So each packed body first claims the longest accepted length from a budget of
//! its own. It gives that claim back when it has the claim for its reading. No page waits for ever, because a page with a claim on reading waits
//! only for the recorder.

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

#[cfg(test)]
mod tests {
    use std::pin::pin;
    use std::task::{Context, Poll, Waker};

    use super::*;

    const LONGEST: usize = 10 << 20;
    const MEMORY: usize = 32 << 20;

    /// The claim that is granted at once.
    fn at_once(claim: impl Future<Output = Claim>) -> Option<Claim> {
        match pin!(claim).poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(claim) => Some(claim),
            Poll::Pending => None,
        }
    }

    /// Pages like this one that are read at a time.
    fn side_by_side(memory: &ReadingMemory, body: &[u8]) -> usize {
        let claims: Vec<_> = std::iter::from_fn(|| at_once(memory.read(page::reading_bytes(body))))
            .take(100)
            .collect();
        claims.len()
    }

    #[test]
    fn usual_large_pages_are_read_side_by_side_and_the_largest_alone() {
        let memory = ReadingMemory::new(LONGEST, MEMORY);
        let of = |bytes: usize| {
            let unit = b"<p class=\"text\">Some words of a usual paragraph, with a <a href=\"/link\">link</a> to another page.</p>\n";
            unit.repeat(bytes / unit.len())
        };
        assert!((8..30).contains(&side_by_side(&memory, &of(500_000))));
        assert_eq!(side_by_side(&memory, &of(LONGEST)), 1);
        assert_eq!(side_by_side(&memory, &b"<a b c d e f>".repeat(LONGEST / 13)), 1);
        let larger = ReadingMemory::new(LONGEST, 8 * MEMORY);
        assert!((4..9).contains(&side_by_side(&larger, &of(LONGEST))));
    }

    #[test]
    fn a_page_that_waits_for_memory_leaves_small_needs_their_turn_and_gets_its_own() {
        let memory = ReadingMemory::new(LONGEST, MEMORY);
        let most = page::most_reading_bytes(LONGEST);
        let first = at_once(memory.read(most)).unwrap();
        assert!(at_once(memory.read(1)).is_none());
        // A redirect or a failure has no body to read.
        assert!(at_once(memory.read(0)).is_some());
        drop(first);
        assert!(at_once(memory.read(most)).is_some());
    }

    #[test]
    fn two_of_the_longest_bodies_are_unpacked_at_a_time() {
        let memory = ReadingMemory::new(LONGEST, MEMORY);
        let claims = [LONGEST, LONGEST].map(|bytes| at_once(memory.unpack(bytes)).unwrap());
        assert!(at_once(memory.unpack(1)).is_none());
        assert!(at_once(memory.unpack(0)).is_some());
        drop(claims);
        // A sitemap may be longer than all the memory; then it is alone.
        let sitemap = at_once(memory.unpack(5 * LONGEST)).unwrap();
        assert!(at_once(memory.unpack(1)).is_none());
        drop(sitemap);
    }
}
