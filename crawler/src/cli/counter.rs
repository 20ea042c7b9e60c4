//! A count that the terminal shows while a command works.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use views::live::progress::{Moment, Progress};

/// A count and its display on standard error. Dropping it removes the display.
pub(super) struct Counter {
    pub count: Arc<AtomicU64>,
    pub progress: Progress,
}

impl Counter {
    /// Shows what `in_words` says of the count; `end` makes it a bar. Shows nothing when `quiet`.
    pub fn show(end: Option<u64>, quiet: bool, in_words: impl Fn(u64) -> String + Send + 'static) -> Self {
        let count = Arc::new(AtomicU64::new(0));
        let shown = Arc::clone(&count);
        let progress = Progress::start(end, quiet, move |_now| {
            let position = shown.load(Ordering::Relaxed);
            Moment {
                position,
                message: in_words(position),
                ..Moment::default()
            }
        });
        Self { count, progress }
    }

    pub fn set(&self, count: u64) {
        self.count.store(count, Ordering::Relaxed);
    }
}
