//! Progress messages for a user who waits for the report on a large crawl.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use terminal::tell::tell;

/// Time before the first message, in milliseconds.
const FIRST_AFTER_MS: u64 = 1_000;
/// Time between two messages, in milliseconds.
const INTERVAL_MS: u64 = 5_000;

/// Writes progress messages to standard error once the work has taken more than a second.
#[derive(Debug)]
pub struct Waiting {
    is_quiet: bool,
    began_at: Instant,
    /// When the next message is due, in milliseconds after `began_at`.
    due_ms: AtomicU64,
}

impl Waiting {
    /// Writes nothing when `is_quiet`.
    #[must_use]
    pub fn new(is_quiet: bool) -> Self {
        Self {
            is_quiet,
            began_at: Instant::now(),
            due_ms: AtomicU64::new(FIRST_AFTER_MS),
        }
    }

    /// Says that `done` of `all` items of the named task are done, if a message is due. Any thread may call it.
    pub(super) fn at(&self, task: &str, done: usize, all: usize) {
        let now = u64::try_from(self.began_at.elapsed().as_millis()).unwrap_or(u64::MAX);
        let due = self.due_ms.load(Ordering::Relaxed);
        let is_first = || {
            self.due_ms
                .compare_exchange(due, now + INTERVAL_MS, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
        };
        if !self.is_quiet && now >= due && is_first() {
            tell(format_args!("{task}: {done} of {all}"));
        }
    }
}
