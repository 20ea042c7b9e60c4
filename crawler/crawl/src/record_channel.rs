//! The channel to the recorder, whose receiver sleeps as soon as nothing waits.
//!
//! The recorder is the one stage that cannot have more threads, so its processor time bounds a crawl. A receiver of `crossbeam_channel`
//! gives the processor away several times before it sleeps, which costs more than the sleep when many threads want the processor: 12 to
//! 16 % of the recorder's time in a crawl of large pages. This receiver sleeps at once, and a sender wakes it.
//!
//! To be woken for each record costs as much as to record it. While many jobs are in the pipeline, more records are sure to come, and no job
//! is so urgent that it could not wait some milliseconds for its verdict. Then the receiver takes a nap that nobody ends, and finds several
//! records at once.

use std::sync::atomic::{AtomicBool, Ordering, fence};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use crossbeam_channel::{Receiver, RecvTimeoutError, Select, SendTimeoutError, Sender, TryRecvError, bounded};
use web::memory_budget::Claim;

use crate::messages::Record;

/// The length of a nap. Enough for several records in a fast crawl, and nothing beside the time of a request.
const NAP: Duration = Duration::from_millis(4);

/// A record, with the memory that it occupies.
pub(crate) type WeighedRecord = (Record, Claim);

/// A channel with room for `capacity` records.
pub(crate) fn record_channel(capacity: usize) -> (RecordSender, RecordReceiver) {
    let (sender, receiver) = bounded(capacity);
    let bell = Arc::new(Bell::default());
    let sender = RecordSender {
        records: sender,
        ringer: Ringer(bell.clone()),
    };
    let receiver = RecordReceiver {
        records: receiver,
        bell,
    };
    (sender, receiver)
}

/// For the stages before the recorder.
#[derive(Debug, Clone)]
pub(crate) struct RecordSender {
    // The fields are dropped in this order: the receiver that wakes for the last sender must find the channel at its end.
    records: Sender<WeighedRecord>,
    ringer: Ringer,
}

impl RecordSender {
    /// Waits for room. `false` if the recorder has ended.
    #[must_use]
    pub fn send(&self, record: WeighedRecord) -> bool {
        let is_sent = self.records.send(record).is_ok();
        self.ringer.0.ring();
        is_sent
    }

    /// Waits for room, at most for this `time`.
    ///
    /// # Errors
    /// There was no room, or the recorder has ended.
    #[expect(clippy::result_large_err, reason = "the sender has its record back")]
    pub fn send_timeout(&self, record: WeighedRecord, time: Duration) -> Result<(), SendTimeoutError<WeighedRecord>> {
        self.records.send_timeout(record, time)?;
        self.ringer.0.ring();
        Ok(())
    }

    pub fn is_full(&self) -> bool {
        self.records.is_full()
    }

    /// Says whether more records are sure to come soon, and none is urgent.
    pub fn expect_more(&self, is_expected: bool) {
        self.ringer.0.expects_more.store(is_expected, Ordering::Relaxed);
    }
}

/// For the recorder.
#[derive(Debug)]
pub struct RecordReceiver {
    records: Receiver<WeighedRecord>,
    bell: Arc<Bell>,
}

impl RecordReceiver {
    /// The next record, if one waits.
    ///
    /// # Errors
    /// None waits, or there is no sender any more.
    pub(crate) fn try_recv(&self) -> Result<WeighedRecord, TryRecvError> {
        self.records.try_recv()
    }

    /// Whether no record waits.
    pub(crate) fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// Waits for a record, at most for this `time`.
    ///
    /// # Errors
    /// None came, or there is no sender any more.
    pub(crate) fn recv_timeout(&self, time: Duration) -> Result<WeighedRecord, RecvTimeoutError> {
        let until = Instant::now() + time;
        let mut found = self.records.try_recv();
        if matches!(found, Err(TryRecvError::Empty)) && self.bell.expects_more.load(Ordering::Relaxed) {
            thread::sleep(NAP.min(time));
            found = self.records.try_recv();
        }
        while matches!(found, Err(TryRecvError::Empty)) {
            let left = until.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(RecvTimeoutError::Timeout);
            }
            self.bell.sleep(left, || {
                found = self.records.try_recv();
                matches!(found, Err(TryRecvError::Empty))
            });
            if matches!(found, Err(TryRecvError::Empty)) {
                found = self.records.try_recv();
            }
        }
        found.map_err(|_ended| RecvTimeoutError::Disconnected)
    }

    /// Listens for records beside other channels. Returns their place.
    pub(crate) fn listen<'a>(&'a self, select: &mut Select<'a>) -> usize {
        select.recv(&self.records)
    }
}

/// Wakes the receiver.
#[derive(Debug, Default)]
struct Bell {
    /// Whether the receiver sleeps, or is about to: if not, a ring costs the senders no lock.
    is_asleep: AtomicBool,
    /// Whether the receiver may take a nap.
    expects_more: AtomicBool,
    lock: Mutex<()>,
    rings: Condvar,
}

impl Bell {
    /// Sleeps until a ring, at most for this `time`, and not at all unless there is `still_nothing` after the senders have learned that this
    /// thread will sleep. The sleep may also end without a ring.
    fn sleep(&self, time: Duration, still_nothing: impl FnOnce() -> bool) {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        self.is_asleep.store(true, Ordering::SeqCst);
        // Either this thread sees the record, or the sender sees that it must ring. A ring takes the lock, so it comes after the sleep has
        // begun.
        fence(Ordering::SeqCst);
        if still_nothing() {
            drop(self.rings.wait_timeout(lock, time));
        }
        self.is_asleep.store(false, Ordering::SeqCst);
    }

    /// Ends the sleep of the receiver. Of many senders, the first does it.
    fn ring(&self) {
        fence(Ordering::SeqCst);
        if self.is_asleep.load(Ordering::SeqCst) && self.is_asleep.swap(false, Ordering::SeqCst) {
            drop(self.lock.lock().unwrap_or_else(PoisonError::into_inner));
            self.rings.notify_one();
        }
    }
}

/// The bell in the hand of a sender. It rings at the sender's end too, which may be the end of the channel.
#[derive(Debug, Clone)]
struct Ringer(Arc<Bell>);

impl Drop for Ringer {
    fn drop(&mut self) {
        self.0.ring();
    }
}

#[cfg(test)]
mod tests;
