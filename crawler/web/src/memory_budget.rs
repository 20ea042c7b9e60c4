//! A bound on the memory of responses, for which tasks wait in turn.
//!
//! ```text
//!            arriving                              read
//! server ──────────────▶ body whole ──▶ parsed ──────────────▶ recorded
//!         grows, chunk      waits for     large pages by         one thread
//!         by chunk          a thread      their memory
//! ```
//!
//! There are two budgets, each half of `fetch.memory_bytes`. A body's claim on `arriving` grows with the received bytes. A
//! page that has been read claims its memory (body, text, outlinks) from `read` at once, when the size is known. The first
//! [`FREE_BYTES`] of a body are free, so a small page never waits for a large one.
//!
//! No task waits for ever:
//!
//! - The stage that decides and records gives `read` back. It claims nothing itself, so it never blocks, and the tasks that
//!   wait for `read` are served in turn. A page larger than the whole budget claims all of it and is alone.
//! - All tasks that wait for `arriving` may hold a part of it, so each could wait for the next. Therefore the first in turn
//!   gets the *spare* place, in which its body may grow to the longest accepted length without a further claim. Its
//!   transfer ends with its time-out at the latest; then it waits only for `read`. It therefore always gives `arriving` and
//!   the spare place back.
//! - Every task claims `arriving` before `read`. Large pages claim the memory of their reading between the two.
//!
//! The time that a body waits here does not count against the server's time-out.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of a body that are read without a claim.
pub(crate) const FREE_BYTES: usize = 128 * 1024;

/// Bytes that one permit stands for.
const UNIT_BYTES: usize = 1024;

/// A bound on the bytes that are held at a time. Cheap to clone; tasks are served in turn.
#[derive(Debug, Clone)]
pub struct MemoryBudget {
    units: Arc<Semaphore>,
    capacity: u32,
    /// For one claim at a time that the budget cannot serve, so that one task always proceeds.
    spare: Arc<Semaphore>,
}

/// A part of a budget, held until it is dropped.
#[derive(Debug, Default)]
pub struct Claim {
    units: Option<OwnedSemaphorePermit>,
    spare: Option<OwnedSemaphorePermit>,
}

impl MemoryBudget {
    /// A budget of this many bytes, at least 1,024.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        // No machine has more memory than a semaphore can count.
        let capacity = u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX).max(1);
        let capacity = capacity.min(u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX));
        Self {
            units: Arc::new(Semaphore::new(capacity as usize)),
            capacity,
            spare: Arc::new(Semaphore::new(1)),
        }
    }

    /// Waits for `bytes`, or for the whole budget if that is less.
    pub async fn claim(&self, bytes: usize) -> Claim {
        let units = self.units(bytes);
        Claim {
            // The semaphore is never closed.
            units: self.units.clone().acquire_many_owned(units).await.ok(),
            spare: None,
        }
    }

    /// Waits until the claim may grow to `bytes` in all, or gets the spare place.
    pub async fn grow(&self, claim: &mut Claim, bytes: usize) {
        let missing = self.units(bytes).saturating_sub(claim.units());
        if missing == 0 || claim.spare.is_some() {
            return;
        }
        tokio::select! {
            biased;
            units = self.units.clone().acquire_many_owned(missing) => claim.add(units.ok()),
            spare = self.spare.clone().acquire_owned() => claim.spare = spare.ok(),
        }
    }

    fn units(&self, bytes: usize) -> u32 {
        u32::try_from(bytes.div_ceil(UNIT_BYTES)).map_or(self.capacity, |units| units.min(self.capacity))
    }
}

impl Claim {
    fn units(&self) -> u32 {
        let units = self.units.as_ref().map_or(0, OwnedSemaphorePermit::num_permits);
        u32::try_from(units).unwrap_or(u32::MAX)
    }

    fn add(&mut self, more: Option<OwnedSemaphorePermit>) {
        match (&mut self.units, more) {
            (Some(units), Some(more)) => units.merge(more),
            (units, more) => *units = units.take().or(more),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The value of a future that is ready at once.
    fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn a_claim_that_does_not_fit_waits_until_room_is_given_back() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let first = at_once(budget.claim(6 * UNIT_BYTES)).unwrap();
        assert!(at_once(budget.claim(5 * UNIT_BYTES)).is_none());
        let second = at_once(budget.claim(4 * UNIT_BYTES)).unwrap();
        drop(first);
        assert!(at_once(budget.claim(6 * UNIT_BYTES)).is_some());
        drop(second);
    }

    #[test]
    fn a_claim_larger_than_the_budget_is_alone() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let whole = at_once(budget.claim(1 << 40)).unwrap();
        assert!(at_once(budget.claim(1)).is_none());
        drop(whole);
        assert!(at_once(budget.claim(1)).is_some());
    }

    #[test]
    fn a_claim_grows_by_the_missing_bytes_alone() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let mut claim = Claim::default();
        for bytes in [1, UNIT_BYTES, 3 * UNIT_BYTES, 2 * UNIT_BYTES] {
            at_once(budget.grow(&mut claim, bytes)).unwrap();
        }
        assert_eq!((claim.units(), claim.spare.is_some()), (3, false));
        assert!(at_once(budget.claim(7 * UNIT_BYTES)).is_some());
    }

    #[test]
    fn the_first_of_the_claims_that_wait_for_one_another_gets_the_spare_place() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let mut claims = [Claim::default(), Claim::default(), Claim::default()];
        for claim in &mut claims {
            at_once(budget.grow(claim, 3 * UNIT_BYTES)).unwrap();
        }
        let [first, second, third] = &mut claims;
        at_once(budget.grow(first, 9 * UNIT_BYTES)).unwrap();
        assert!(first.spare.is_some());
        assert!(at_once(budget.grow(second, 9 * UNIT_BYTES)).is_none());
        assert!(at_once(budget.grow(third, 9 * UNIT_BYTES)).is_none());
        // The spare place is for a whole body, so no further claim is needed.
        at_once(budget.grow(first, 1 << 40)).unwrap();
        *first = Claim::default();
        at_once(budget.grow(second, 6 * UNIT_BYTES)).unwrap();
        assert!(second.spare.is_none(), "there is room again");
        at_once(budget.grow(third, 9 * UNIT_BYTES)).unwrap();
        assert!(third.spare.is_some());
    }

    #[test]
    fn a_cancelled_wait_leaves_the_budget_whole() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let held = at_once(budget.claim(8 * UNIT_BYTES)).unwrap();
        let spare = budget.spare.clone().try_acquire_owned().unwrap();
        let mut claim = Claim::default();
        assert!(at_once(budget.grow(&mut claim, 5 * UNIT_BYTES)).is_none());
        drop((held, spare));
        assert!(at_once(budget.claim(10 * UNIT_BYTES)).is_some());
    }
}
