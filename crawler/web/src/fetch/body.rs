//! Reads a body, bounded in size, in time and by the memory budget.

use std::time::Duration;

use bytes::Bytes;
use tokio::time::{Instant, timeout_at};

use super::FetchError;
use crate::memory_budget::{Claim, FREE_BYTES, MemoryBudget};

/// The bounds on a body.
#[derive(Debug, Clone, Copy)]
pub(super) struct Bounds {
    /// Longest body, in bytes as sent.
    pub(super) limit: usize,
    /// Whether a longer body is cut; otherwise it is an error.
    pub(super) is_cut: bool,
    /// The length of a body that the connection does not end; the rest of the connection is dropped unread.
    pub(super) ends_at: Option<u64>,
    /// The time by which the body must be complete, not counting its waits for memory.
    pub(super) deadline: Instant,
}

/// Smallest growth of the buffer, in bytes.
const MIN_STEP: usize = 32 * 1024;

/// Reads the whole body. Its memory is claimed from `budget` into `claim`.
pub(super) async fn read(
    answer: &mut reqwest::Response,
    bounds: Bounds,
    budget: &MemoryBudget,
    claim: &mut Claim,
) -> Result<Bytes, FetchError> {
    let Bounds {
        limit,
        is_cut,
        ends_at,
        mut deadline,
    } = bounds;
    let mut body = Vec::new();
    let ends_at = ends_at.map_or(usize::MAX, |length| usize::try_from(length).unwrap_or(usize::MAX));
    while body.len() < ends_at {
        let chunk = timeout_at(deadline, answer.chunk()).await;
        let chunk = chunk.map_err(|_elapsed| FetchError::BodyTimeout)?;
        let chunk = match chunk.map_err(|error| FetchError::from_body(&error))? {
            Some(chunk) => chunk.slice(..chunk.len().min(ends_at - body.len())),
            None if ends_at < usize::MAX => {
                let missing = ends_at - body.len();
                return Err(FetchError::BodyInterrupted(format!(
                    "{missing} bytes of its length are missing"
                )));
            }
            None => break,
        };
        let rest = limit - body.len();
        if chunk.len() > rest && !is_cut {
            return Err(FetchError::BodyTooLarge { limit });
        }
        let taken = &chunk[..chunk.len().min(rest)];
        deadline += make_room(&mut body, taken.len(), limit, budget, claim).await;
        body.extend_from_slice(taken);
        if taken.len() < chunk.len() {
            break;
        }
    }
    body.shrink_to_fit();
    Ok(body.into())
}

/// Makes room for `more` bytes after claiming it, and returns how long the claim waited. The capacity grows by a half, and
/// never beyond the limit.
async fn make_room(
    body: &mut Vec<u8>,
    more: usize,
    limit: usize,
    budget: &MemoryBudget,
    claim: &mut Claim,
) -> Duration {
    let needed = body.len() + more;
    if needed <= body.capacity() {
        return Duration::ZERO;
    }
    let capacity = (body.len() + (body.len() / 2).max(MIN_STEP)).min(limit).max(needed);
    let mut waited = Duration::ZERO;
    if capacity > FREE_BYTES {
        let start = Instant::now();
        budget.grow(claim, capacity).await;
        waited = start.elapsed();
    }
    body.reserve_exact(capacity - body.len());
    waited
}
