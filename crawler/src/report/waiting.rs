//! A word for whoever waits for a report on a large crawl.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use crate::terminal::tell::tell;

/// Milliseconds before the first word, and from one to the next.
const PATIENCE: u64 = 1_000;
const EVERY: u64 = 5_000;

/// Says how far it is, on standard error, once it has taken more than a second.
#[derive(Debug)]
pub struct Waiting {
    is_quiet: bool,
    began_at: Instant,
    /// When the next word is due, milliseconds after the beginning.
    due: AtomicU64,
}

impl Waiting {
    /// Says nothing when `is_quiet`.
    #[must_use]
    pub fn new(is_quiet: bool) -> Self {
        Self {
            is_quiet,
            began_at: Instant::now(),
            due: AtomicU64::new(PATIENCE),
        }
    }

    /// `done` of `all` are done of `what`.
    pub(super) fn at(&self, what: &str, done: usize, all: usize) {
        let now = u64::try_from(self.began_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.due.load(Ordering::Relaxed);
        let is_first = || {
            self.due
                .compare_exchange(due, now + EVERY, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        };
        if !self.is_quiet && now >= due && is_first() {
            tell(format_args!("{what}: {done} of {all}"));
        }
    }
}
