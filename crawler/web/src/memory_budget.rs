//! Bytes that may be held at a time, and how a task waits for room.
//!
//! ```text
//!            arriving                              read
//! server ──────────────▶ body whole ──▶ parsed ──────────────▶ recorded
//!         grows, chunk      waits for     one large page         one thread
//!         by chunk          a thread      at a time
//! ```
//!
//! Two budgets, each half of `fetch.memory_bytes`. What a body holds of `arriving` grows with the bytes that have really
//! come; what a page that has been read holds of `read` (body, text, outlinks) is claimed at once, when it is known. A
//! body's first [`FREE_BYTES`] are free, so a small page never waits for a large one.
//!
//! Nobody can wait for ever:
//!
//! - `read` is given back by the stage that decides and records. It claims nothing, so it always goes on, and whoever
//!   waits for `read` is served in turn. A page larger than the whole budget claims all of it and is alone.
//! - Who waits for `arriving` may hold a part of it, and so may all others: each could wait for the next. Therefore one of
//!   them, the first in turn, is given the *spare* place, in which a body may grow to the longest that is accepted
//!   without a further claim. It ends by its time-out at the latest, then waits at most for `read`, and so `arriving` and
//!   the spare place are given back, whoever else waits.
//! - The order is always `arriving` before `read`, never the other way round.
//!
//! The time that a body waits here is no fault of its server and does not count against its time-out.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

/// Bytes of a body that are read without a claim.
pub const FREE_BYTES: usize = 128 * 1024;

/// What one permit stands for.
const UNIT_BYTES: usize = 1024;

/// A number of bytes that may be held at a time. Cheap to clone; served in turn.
#[derive(Debug, Clone)]
pub struct MemoryBudget {
    units: Arc<Semaphore>,
    capacity: u32,
    /// For one claim at a time that has run dry, so that somebody always goes on.
    spare: Arc<Semaphore>,
}

/// What is held of a budget, until it is dropped.
#[derive(Debug, Default)]
pub struct Claim {
    units: Option<OwnedSemaphorePermit>,
    spare: Option<OwnedSemaphorePermit>,
}

impl MemoryBudget {
    /// A budget of this many bytes, at least one unit of a kilobyte.
    #[must_use]
    pub fn new(bytes: usize) -> Self {
        // More than a semaphore counts is no bound anyway.
        let capacity = u32::try_from(bytes / UNIT_BYTES).unwrap_or(u32::MAX).max(1);
        let capacity = capacity.min(u32::try_from(Semaphore::MAX_PERMITS).unwrap_or(u32::MAX));
        Self {
            units: Arc::new(Semaphore::new(capacity as usize)),
            capacity,
            spare: Arc::new(Semaphore::new(1)),
        }
    }

    /// Waits until `bytes` may be held, or all of the budget where that is less.
    pub async fn claim(&self, bytes: usize) -> Claim {
        let units = self.units(bytes);
        Claim {
            // It is never closed.
            units: self.units.clone().acquire_many_owned(units).await.ok(),
            spare: None,
        }
    }

    /// Waits until the claim may be of `bytes` in all, be it by the spare place.
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

    /// What a future comes to without anybody else doing anything.
    fn at_once<T>(future: impl Future<Output = T>) -> Option<T> {
        let mut future = std::pin::pin!(future);
        let mut context = std::task::Context::from_waker(std::task::Waker::noop());
        match future.as_mut().poll(&mut context) {
            std::task::Poll::Ready(value) => Some(value),
            std::task::Poll::Pending => None,
        }
    }

    #[test]
    fn what_does_not_fit_waits_until_room_is_given_back() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let first = at_once(budget.claim(6 * UNIT_BYTES)).unwrap();
        assert!(at_once(budget.claim(5 * UNIT_BYTES)).is_none());
        let second = at_once(budget.claim(4 * UNIT_BYTES)).unwrap();
        drop(first);
        assert!(at_once(budget.claim(6 * UNIT_BYTES)).is_some());
        drop(second);
    }

    #[test]
    fn what_is_larger_than_the_budget_is_alone() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let whole = at_once(budget.claim(1 << 40)).unwrap();
        assert!(at_once(budget.claim(1)).is_none());
        drop(whole);
        assert!(at_once(budget.claim(1)).is_some());
    }

    #[test]
    fn a_claim_grows_by_what_is_missing() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let mut claim = Claim::default();
        for bytes in [1, UNIT_BYTES, 3 * UNIT_BYTES, 2 * UNIT_BYTES] {
            at_once(budget.grow(&mut claim, bytes)).unwrap();
        }
        assert_eq!((claim.units(), claim.spare.is_some()), (3, false));
        assert!(at_once(budget.claim(7 * UNIT_BYTES)).is_some());
    }

    #[test]
    fn of_claims_that_wait_for_one_another_the_first_goes_on_by_the_spare_place() {
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
        // The spare place is for a whole body: it asks for nothing more.
        at_once(budget.grow(first, 1 << 40)).unwrap();
        *first = Claim::default();
        at_once(budget.grow(second, 6 * UNIT_BYTES)).unwrap();
        assert!(second.spare.is_none(), "there is room again");
        at_once(budget.grow(third, 9 * UNIT_BYTES)).unwrap();
        assert!(third.spare.is_some());
    }

    #[test]
    fn who_is_cancelled_while_waiting_leaves_the_budget_whole() {
        let budget = MemoryBudget::new(10 * UNIT_BYTES);
        let held = at_once(budget.claim(8 * UNIT_BYTES)).unwrap();
        let spare = budget.spare.clone().try_acquire_owned().unwrap();
        let mut claim = Claim::default();
        assert!(at_once(budget.grow(&mut claim, 5 * UNIT_BYTES)).is_none());
        drop((held, spare));
        assert!(at_once(budget.claim(10 * UNIT_BYTES)).is_some());
    }
}
