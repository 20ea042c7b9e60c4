//! Bounds the memory between the stages, in bytes, because a batch may hold a thousand lines or one line of 64 MiB.
//!
//! The batch that the decider needs next never waits, so the stages cannot block each other.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// Counts the bytes of all batches between the reader and the writer.
#[derive(Debug)]
pub(super) struct Budget {
    limit: usize,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    used: usize,
    peak: usize,
    /// The number of the first batch that has not left the pipeline.
    first: u64,
    closed: bool,
}

impl Budget {
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            state: Mutex::default(),
            changed: Condvar::new(),
        }
    }

    /// Waits until a batch of `bytes` fits. Breaks if the pipeline has ended. A batch above the limit enters alone.
    pub(super) fn enter(&self, bytes: usize) -> ControlFlow<()> {
        let mut state = self.wait_while(|state| state.used > 0 && state.used + bytes > self.limit);
        if state.closed {
            return ControlFlow::Break(());
        }
        state.used += bytes;
        state.peak = state.peak.max(state.used);
        ControlFlow::Continue(())
    }

    /// Delays the batch `number` while the batches before it use more than the limit.
    pub(super) fn wait_turn(&self, number: u64) {
        // The caller needs no access to the state.
        drop(self.wait_while(|state| state.used > self.limit && state.first < number));
    }

    /// The size of a batch changed from `before` to `after` bytes.
    pub(super) fn exchange(&self, before: usize, after: usize) {
        let mut state = self.lock();
        state.used = (state.used + after).saturating_sub(before);
        state.peak = state.peak.max(state.used);
        drop(state);
        self.changed.notify_all();
    }

    /// The first batch, of `bytes`, has left the pipeline.
    pub(super) fn leave(&self, bytes: usize) {
        let mut state = self.lock();
        state.used = state.used.saturating_sub(bytes);
        state.first += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Ends the pipeline and wakes every waiting thread.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// Whether the pipeline has ended.
    pub(super) fn is_closed(&self) -> bool {
        self.lock().closed
    }

    /// Largest number of bytes at one time.
    pub(super) fn peak(&self) -> usize {
        self.lock().peak
    }

    fn wait_while(&self, holds: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waiting = self
            .changed
            .wait_while(self.lock(), |state| !state.closed && holds(state));
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// Ignores a poisoned lock: every holder leaves the state consistent.
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    const IN: ControlFlow<()> = ControlFlow::Continue(());

    #[test]
    fn a_batch_waits_until_it_fits_and_one_above_the_limit_enters_alone() {
        let budget = Budget::new(100);
        assert_eq!((budget.enter(60), budget.enter(40)), (IN, IN));
        std::thread::scope(|scope| {
            let (entered, enters) = channel();
            scope.spawn(|| {
                let entered = entered;
                entered.send(budget.enter(1_000)).unwrap();
            });
            budget.leave(60);
            assert!(enters.try_recv().is_err(), "40 bytes are still in use");
            budget.leave(40);
            assert_eq!(enters.recv(), Ok(IN));
        });
        assert_eq!(budget.peak(), 1_000);
    }

    #[test]
    fn the_first_batch_never_waits() {
        let budget = Budget::new(100);
        assert_eq!((budget.enter(50), budget.enter(50)), (IN, IN));
        budget.exchange(50, 5_000);
        budget.wait_turn(0);
        std::thread::scope(|scope| {
            scope.spawn(|| budget.wait_turn(1));
            budget.leave(50);
        });
    }

    #[test]
    fn closing_wakes_every_waiting_thread() {
        let budget = Budget::new(100);
        assert_eq!(budget.enter(100), IN);
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| budget.enter(1));
            budget.close();
            assert_eq!(waiting.join().unwrap(), ControlFlow::Break(()));
        });
        budget.exchange(100, 1_000);
        budget.wait_turn(7);
    }
}
