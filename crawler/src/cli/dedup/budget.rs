//! How much may be between the stages: counted in bytes, since a batch may hold a thousand lines or one of 64 MiB.
//!
//! Nothing waits for what waits for it: the batch that is to be decided next is always let on.

use std::ops::ControlFlow;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

/// See the module's text.
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

    /// Waits until a further batch of so many bytes may enter; breaks off if nobody wants it any more. One that is larger
    /// than the limit may enter alone.
    pub(super) fn enter(&self, bytes: usize) -> ControlFlow<()> {
        let mut state = self.wait_while(|state| state.used > 0 && state.used + bytes > self.limit);
        if state.closed {
            return ControlFlow::Break(());
        }
        state.used += bytes;
        state.peak = state.peak.max(state.used);
        ControlFlow::Continue(())
    }

    /// Waits with the batch `number` while what others were made into takes more than the limit.
    pub(super) fn wait_turn(&self, number: u64) {
        // The state is only looked at.
        drop(self.wait_while(|state| state.used > self.limit && state.first < number));
    }

    /// A batch that took `before` bytes takes `after` now.
    pub(super) fn exchange(&self, before: usize, after: usize) {
        let mut state = self.lock();
        state.used = (state.used + after).saturating_sub(before);
        state.peak = state.peak.max(state.used);
        drop(state);
        self.changed.notify_all();
    }

    /// The first batch has left, and with it so many bytes.
    pub(super) fn leave(&self, bytes: usize) {
        let mut state = self.lock();
        state.used = state.used.saturating_sub(bytes);
        state.first += 1;
        drop(state);
        self.changed.notify_all();
    }

    /// Nothing more is wanted.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.changed.notify_all();
    }

    /// The most bytes that there were at one time.
    pub(super) fn peak(&self) -> usize {
        self.lock().peak
    }

    fn wait_while(&self, holds: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waiting = self
            .changed
            .wait_while(self.lock(), |state| !state.closed && holds(state));
        waiting.unwrap_or_else(PoisonError::into_inner)
    }

    /// No holder of the lock can leave the state half changed, so a panic elsewhere does not matter.
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
    fn a_batch_beyond_the_limit_waits_until_another_has_left_and_a_giant_enters_alone() {
        let budget = Budget::new(100);
        assert_eq!((budget.enter(60), budget.enter(40)), (IN, IN));
        std::thread::scope(|scope| {
            let (entered, enters) = channel();
            scope.spawn(|| {
                let entered = entered;
                entered.send(budget.enter(1_000)).unwrap();
            });
            budget.leave(60);
            assert!(enters.try_recv().is_err(), "40 bytes are there still");
            budget.leave(40);
            assert_eq!(enters.recv(), Ok(IN));
        });
        assert_eq!(budget.peak(), 1_000);
    }

    #[test]
    fn the_first_batch_is_let_on_whatever_the_others_take() {
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
    fn closing_lets_everybody_go() {
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
