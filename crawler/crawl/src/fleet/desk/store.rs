//! What the desk does while the object store with the segments of the log does not answer, or refuses: it says so, and tries again.
//!
//! A store that does not answer may answer later, so the desk tries for ever. A refusal lasts until somebody changes a right or a setting.
//! A worker that is not let write leaves the segments to the others, and looks seldom. A worker that is not let read a segment which it needs cannot
//! go on: it leaves the fleet after a while, so that the others get its hosts, and can end the crawl.

use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use fleet::FleetError;

use super::Desk;

/// Wait after the first call that failed; it doubles, up to a bound. The call itself has tried for a while.
const FIRST_WAIT: Duration = Duration::from_secs(1);
const LONGEST_WAIT: Duration = Duration::from_secs(60);
const LONGEST_WAIT_AFTER_REFUSAL: Duration = Duration::from_secs(5 * 60);

/// A warning is repeated after so many calls that failed: after some ten minutes, and more than an hour for refusals.
const SAID_EVERY: u32 = 16;

/// A worker that the store refuses a segment for so many times of a lease leaves the fleet. A right that was just given may take a moment to count.
const REFUSED_LEASES: u32 = 4;

/// What needs the object store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Errand {
    /// Reading the segments that this worker does not know.
    Read,
    /// Writing the next segment.
    Write,
}

impl Errand {
    /// What follows from a store that does not answer, or refuses.
    fn consequence(self, refuses: bool) -> &'static str {
        match (self, refuses) {
            (Self::Read, false) => "this worker tries again, and takes no new hosts before it has read the log",
            (Self::Read, true) => {
                "this worker cannot go on without the segment, and leaves the fleet if the store still refuses after several attempts; the others get its hosts"
            }
            (Self::Write, false) => {
                "the entries of this segment stay in the log of kept pages, and a worker tries again; when the log is too long, the workers make no requests until the store answers"
            }
            (Self::Write, true) => {
                "this worker leaves the segments to the others, and tries again after longer and longer waits. If the store refuses all workers, the entries stay in the log of kept pages; when the log is too long, the workers make no requests until the store takes segments again"
            }
        }
    }
}

/// The calls of one errand that have failed, one after another.
#[derive(Debug, Default)]
struct Faults {
    number: AtomicU32,
    /// Whether the last one was refused, and since when all were.
    are_refusals: AtomicBool,
    refused_since: Mutex<Option<Instant>>,
}

impl Faults {
    /// Notes a call that failed. Returns the number of those before it of the same kind, and for how long the store has refused.
    fn note(&self, is_refused: bool) -> (u32, Duration) {
        if self.are_refusals.swap(is_refused, Ordering::Relaxed) != is_refused {
            self.end();
        }
        let mut since = self.refused_since.lock().unwrap_or_else(PoisonError::into_inner);
        let refused_for = if is_refused {
            since.get_or_insert_with(Instant::now).elapsed()
        } else {
            Duration::ZERO
        };
        (self.number.fetch_add(1, Ordering::Relaxed), refused_for)
    }

    /// Notes that nothing fails any more. Returns the number of those that did.
    fn end(&self) -> u32 {
        *self.refused_since.lock().unwrap_or_else(PoisonError::into_inner) = None;
        self.number.swap(0, Ordering::Relaxed)
    }

    fn are_there(&self) -> bool {
        self.number.load(Ordering::Relaxed) > 0
    }
}

/// The calls to the object store that have failed.
#[derive(Debug, Default)]
pub(super) struct StoreFaults {
    read: Faults,
    write: Faults,
}

impl StoreFaults {
    /// What the reader of the status should know; empty if the store answers.
    pub fn note(&self) -> &'static str {
        let of = |are_refusals: bool| {
            let mut faults = [&self.read, &self.write].into_iter();
            faults.any(|faults| faults.are_there() && faults.are_refusals.load(Ordering::Relaxed) == are_refusals)
        };
        if of(true) {
            "the object store refuses to take or give segments of the log"
        } else if of(false) {
            "the object store with the segments of the log does not answer"
        } else {
            ""
        }
    }

    /// Nothing of an errand is left to do.
    pub fn are_over(&self, errand: Errand) {
        self.of(errand).end();
    }

    fn of(&self, errand: Errand) -> &Faults {
        match errand {
            Errand::Read => &self.read,
            Errand::Write => &self.write,
        }
    }
}

/// The wait after so many calls that failed and one more.
fn wait_after(faults: u32, longest: Duration) -> Duration {
    let wait = FIRST_WAIT.saturating_mul(1_u32.checked_shl(faults).unwrap_or(u32::MAX));
    wait.min(longest)
}

impl Desk {
    /// Takes an answer that may need the object store. `Ok(None)` if the store or the servers did not answer, or the store refused, after a wait.
    ///
    /// # Errors
    /// The store has refused for a while to give a segment; as [`answer`](Self::answer).
    pub(super) async fn answer_with_store<T>(
        &self,
        errand: Errand,
        answer: Result<T, FleetError>,
    ) -> Result<Option<T>, FleetError> {
        let (error, is_refused) = match answer {
            Err(error @ FleetError::Store { .. }) => (error, false),
            Err(error @ FleetError::StoreRefuses { .. }) => (error, true),
            answer => return self.answer(answer).await,
        };
        let (faults, refused_for) = self.store.of(errand).note(is_refused);
        if errand == Errand::Read && refused_for >= self.fleet.lease() * REFUSED_LEASES {
            return Err(error);
        }
        if faults.is_multiple_of(SAID_EVERY) {
            tracing::warn!("{error}; {}", errand.consequence(is_refused));
        } else {
            tracing::debug!(%error, faults, "the object store does not answer, or refuses");
        }
        let longest = if is_refused {
            LONGEST_WAIT_AFTER_REFUSAL
        } else {
            LONGEST_WAIT
        };
        tokio::time::sleep(wait_after(faults, longest)).await;
        Ok(None)
    }

    /// Notes that the object store has done what an errand needs.
    pub(super) fn store_answers(&self, errand: Errand) {
        if self.store.of(errand).end() > 0 {
            tracing::warn!("the object store answers again; the work with the segments of the log goes on");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_waits_grow_to_a_minute_and_after_refusals_to_five() {
        let seconds = |longest| (0..10).map(move |faults| wait_after(faults, longest).as_secs());
        assert!(seconds(LONGEST_WAIT).eq([1, 2, 4, 8, 16, 32, 60, 60, 60, 60]));
        assert!(seconds(LONGEST_WAIT_AFTER_REFUSAL).eq([1, 2, 4, 8, 16, 32, 64, 128, 256, 300]));
        assert_eq!(wait_after(u32::MAX, LONGEST_WAIT), LONGEST_WAIT);
    }

    #[test]
    fn a_refusal_is_named_at_once_although_calls_before_it_had_no_answer() {
        let faults = StoreFaults::default();
        assert_eq!(faults.note(), "");
        assert_eq!(
            (0..3).map(|_| faults.write.note(false).0).collect::<Vec<_>>(),
            [0, 1, 2]
        );
        assert!(faults.note().contains("does not answer"));
        assert_eq!(faults.write.note(true).0, 0);
        assert!(faults.note().contains("refuses"));
        assert_eq!(faults.write.note(true).0, 1);
        faults.are_over(Errand::Write);
        assert_eq!((faults.note(), faults.write.note(true).0), ("", 0));
    }
}
