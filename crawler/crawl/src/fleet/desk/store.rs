//! What the desk does while the object store with the segments of the log does not answer: it tries again, and says so.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use fleet::FleetError;

use super::Desk;

/// Wait after the first call without an answer; it doubles, up to a bound. The call itself has tried for a while.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);

/// A warning is repeated after so many calls without an answer, which take some ten minutes.
const SAID_EVERY: u32 = 16;

/// What needs the object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errand {
    /// Reading the segments that this worker does not know.
    Read,
    /// Writing the next segment.
    Write,
}

impl Errand {
    /// What follows from a store that does not answer.
    fn consequence(self) -> &'static str {
        match self {
            Self::Read => "this worker tries again, and takes no new hosts before it has read the log",
            Self::Write => {
                "the entries of this segment stay in the log of kept pages, and a worker tries again; when the log is too long, the workers make no requests until the store answers"
            }
        }
    }
}

/// The calls without an answer, one after another.
#[derive(Debug, Default)]
pub(super) struct StoreFaults {
    read: AtomicU32,
    write: AtomicU32,
}

impl StoreFaults {
    /// Whether the last call of some errand had no answer.
    pub fn are_there(&self) -> bool {
        [Errand::Read, Errand::Write]
            .iter()
            .any(|errand| self.of(*errand).load(Ordering::Relaxed) > 0)
    }

    /// Nothing of an errand is left to do.
    pub fn are_over(&self, errand: Errand) {
        self.of(errand).store(0, Ordering::Relaxed);
    }

    fn of(&self, errand: Errand) -> &AtomicU32 {
        match errand {
            Errand::Read => &self.read,
            Errand::Write => &self.write,
        }
    }
}

/// The wait after so many calls without an answer and one more.
fn wait_after(faults: u32) -> Duration {
    let wait = FIRST_WAIT.saturating_mul(1_u32.checked_shl(faults).unwrap_or(u32::MAX));
    wait.min(LONGEST_WAIT)
}

impl Desk {
    /// Takes an answer that may need the object store. `Ok(None)` if the store or the servers did not answer, after a wait.
    pub(super) async fn answer_with_store<T>(
        &self,
        errand: Errand,
        answer: Result<T, FleetError>,
    ) -> Result<Option<T>, FleetError> {
        let Err(error @ FleetError::Store { .. }) = answer else {
            return self.answer(answer).await;
        };
        let faults = self.store.of(errand).fetch_add(1, Ordering::Relaxed);
        if faults.is_multiple_of(SAID_EVERY) {
            tracing::warn!("{error}; {}", errand.consequence());
        } else {
            tracing::debug!(%error, faults, "the object store does not answer");
        }
        tokio::time::sleep(wait_after(faults)).await;
        Ok(None)
    }

    /// Notes that the object store has done what an errand needs.
    pub(super) fn store_answers(&self, errand: Errand) {
        if self.store.of(errand).swap(0, Ordering::Relaxed) > 0 {
            tracing::warn!("the object store answers again; the work with the segments of the log goes on");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waits_grow_to_a_minute() {
        let seconds: Vec<u64> = (0..8).map(|faults| wait_after(faults).as_secs()).collect();
        assert_eq!(seconds, [1, 2, 4, 8, 16, 32, 60, 60]);
        assert_eq!(wait_after(u32::MAX), LONGEST_WAIT);
    }
}
