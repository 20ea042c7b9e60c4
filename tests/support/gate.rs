//! Holding an answer back until something has happened.

use std::sync::{Condvar, Mutex};

use super::PATIENCE;

/// A gate that opens once `opens_at` callers wait at it, or when it is told to.
#[derive(Debug)]
pub struct Gate {
    state: Mutex<State>,
    changed: Condvar,
    opens_at: usize,
}

#[derive(Debug, Default)]
struct State {
    arrived: usize,
    is_open: bool,
}

impl Gate {
    /// Opens only when it is told to.
    pub fn closed() -> Self {
        Self::for_callers(usize::MAX)
    }

    /// Opens when `opens_at` callers have come: all of them are under way at once.
    pub fn for_callers(opens_at: usize) -> Self {
        Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            opens_at,
        }
    }

    /// Waits until the gate is open; false if it never was.
    pub fn pass(&self) -> bool {
        let mut state = self.state.lock().unwrap();
        state.arrived += 1;
        if state.arrived >= self.opens_at {
            state.is_open = true;
        }
        self.changed.notify_all();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, PATIENCE, |state| !state.is_open)
            .unwrap();
        state.is_open
    }

    /// Lets everybody through, now and later.
    pub fn open(&self) {
        self.state.lock().unwrap().is_open = true;
        self.changed.notify_all();
    }

    /// Waits until somebody has come to the gate.
    #[track_caller]
    pub fn wait_for_arrival(&self) {
        let state = self.state.lock().unwrap();
        let (state, _) = self
            .changed
            .wait_timeout_while(state, PATIENCE, |state| state.arrived == 0)
            .unwrap();
        assert!(state.arrived > 0, "nobody came to the gate");
    }
}
