//! The sign by which the desk sees that the frontier has nothing left to do.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The desk numbers its messages that bring work. The sign shows the number of the last one that the frontier had seen when it ran out of
/// work. So work that is on its way never goes unseen. Its clones are one sign.
#[derive(Debug, Clone, Default)]
pub(crate) struct IdleSign {
    /// One more than that number; 0 while there is work.
    shown: Arc<AtomicU64>,
    /// Letters of the outbox that have not arrived, those in the stage included.
    letters: Arc<AtomicU64>,
}

impl IdleSign {
    /// The frontier has work, or may have.
    pub fn is_busy(&self) {
        self.shown.store(0, Ordering::Release);
    }

    /// The frontier has no work, after it has seen the desk's messages up to this number.
    pub fn is_idle_after(&self, number: u64) {
        self.shown.store(number.saturating_add(1), Ordering::Release);
    }

    /// The recorder has letters that have not arrived. It says so before the frontier learns of their cause.
    pub fn has_letters(&self, letters: u64) {
        self.letters.store(letters, Ordering::Release);
    }

    /// The number of letters that have not arrived; at least 1 if there is one.
    #[must_use]
    pub fn letters(&self) -> u64 {
        self.letters.load(Ordering::Acquire)
    }

    /// Whether the frontier has no work, although it has seen the desk's messages up to this number.
    #[must_use]
    pub fn shows(&self, number: u64) -> bool {
        self.shown.load(Ordering::Acquire) == number.saturating_add(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_on_its_way_is_not_overlooked() {
        let sign = IdleSign::default();
        assert!(!sign.shows(0), "nobody has said yet that there is no work");
        sign.is_idle_after(4);
        assert!(sign.shows(4) && !sign.shows(5) && !sign.shows(3));
        sign.is_busy();
        assert!(!sign.shows(4));
    }
}
