//! Which thread of a run stands still?
//!
//! A thread says when it begins a unit of work, and when it has ended it. Each kind of thread has a limit that no unit of it reaches on a
//! slow and busy machine. [`Watch::look`] names a thread that is silent for longer. After a signal the run has less time: something must
//! come nearer to the end within [`PATIENCE_AFTER_STOP`].
//!
//! *Watched time* advances only while somebody looks: by the time since the last look, but at most by twice the usual time between two
//! looks. So a machine that slept, or a process that was stopped, has lost no time.

use std::cell::RefCell;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use error::RunError;

/// Time between two looks.
pub(crate) const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Limit of a unit of most threads. The longest units are pages of 10 MB, and commits on a slow disk.
pub(crate) const LIMIT: Duration = Duration::from_secs(10 * 60);

/// After a signal: how long nothing may come nearer to the end of the run.
pub(crate) const PATIENCE_AFTER_STOP: Duration = Duration::from_secs(60);

/// The start of a unit, of a thread that waits for work.
const IDLE: u64 = u64::MAX;

/// The watched threads of a run. Clones share them.
#[derive(Debug, Clone, Default)]
pub(crate) struct Watch {
    shared: Arc<Shared>,
    /// In place of all limits: for tests.
    limit: Option<Duration>,
}

#[derive(Debug, Default)]
struct Shared {
    /// Watched time, in milliseconds.
    now: AtomicU64,
    /// Watched time of the last unit that brought the run nearer to its end.
    progress: AtomicU64,
    stopping: Mutex<Option<Stopping>>,
    threads: Mutex<Vec<Arc<Pulse>>>,
}

/// The end of a run after a signal.
#[derive(Debug)]
struct Stopping {
    /// Watched time of the signal.
    since: u64,
    /// What the run waits for.
    phase: &'static str,
    patience: Duration,
}

/// A thread.
#[derive(Debug)]
struct Pulse {
    name: String,
    limit: u64,
    /// Watched time at which its unit began, or [`IDLE`].
    since: AtomicU64,
    /// Whether the end of the run depends on its units.
    is_needed_at_end: bool,
}

/// What has been silent for too long.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Silence {
    /// The thread, or what the run waits for.
    pub what: String,
    /// For how long.
    pub time: Duration,
    /// Whether a signal had asked the run to stop.
    pub is_stopping: bool,
}

impl From<Silence> for RunError {
    fn from(silence: Silence) -> Self {
        Self::Silent {
            what: silence.what,
            time: silence.time,
            is_stopping: silence.is_stopping,
        }
    }
}

impl Watch {
    /// A watch with `limit` in place of all limits, if there is one.
    pub fn new(limit: Option<Duration>) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Watches over a thread, whose units take no longer than `limit`.
    pub fn thread(&self, name: impl Into<String>, limit: Duration) -> Watched {
        self.add(name.into(), limit, false)
    }

    /// As [`thread`](Self::thread), for a thread that brings the run to its end.
    pub fn thread_of_the_end(&self, name: impl Into<String>, limit: Duration) -> Watched {
        self.add(name.into(), limit, true)
    }

    fn add(&self, name: String, limit: Duration, is_needed_at_end: bool) -> Watched {
        let pulse = Arc::new(Pulse {
            name,
            limit: millis(self.limit.unwrap_or(limit)),
            since: AtomicU64::new(IDLE),
            is_needed_at_end,
        });
        lock(&self.shared.threads).push(pulse.clone());
        Watched {
            shared: self.shared.clone(),
            pulse,
        }
    }

    /// Notes that the run was asked to stop.
    pub fn stops(&self) {
        let since = self.shared.now.load(Ordering::Relaxed);
        lock(&self.shared.stopping).get_or_insert(Stopping {
            since,
            phase: "the pages in process",
            patience: self.limit.unwrap_or(PATIENCE_AFTER_STOP),
        });
    }

    /// Notes what the end of the run waits for now, and how long that may take after a signal.
    pub fn waits_for(&self, phase: &'static str, patience: Duration) {
        self.shared.note_progress();
        if let Some(stopping) = &mut *lock(&self.shared.stopping) {
            stopping.phase = phase;
            stopping.patience = self.limit.unwrap_or(patience);
        }
    }

    /// Looks at all threads, `elapsed` after the last look.
    pub fn look(&self, elapsed: Duration) -> Option<Silence> {
        let step = millis(elapsed.min(2 * LOOK_EVERY));
        let now = self.shared.now.fetch_add(step, Ordering::Relaxed) + step;
        let threads = lock(&self.shared.threads);
        let silent_for = |pulse: &Pulse| now.saturating_sub(pulse.since.load(Ordering::Relaxed));
        // The thread that others wait for was silent first.
        let longest = |a: &&Arc<Pulse>, b: &&Arc<Pulse>| silent_for(a).cmp(&silent_for(b));
        let over_limit = threads.iter().filter(|pulse| silent_for(pulse) > pulse.limit);
        if let Some(pulse) = over_limit.max_by(longest) {
            return Some(Silence {
                what: format!("the thread `{}`", pulse.name),
                time: Duration::from_millis(silent_for(pulse)),
                is_stopping: false,
            });
        }
        let stopping = lock(&self.shared.stopping);
        let Stopping { since, phase, patience } = stopping.as_ref()?;
        let last = self.shared.progress.load(Ordering::Relaxed).max(*since);
        let time = Duration::from_millis(now.saturating_sub(last));
        if time <= *patience {
            return None;
        }
        let busy = threads
            .iter()
            .filter(|pulse| pulse.is_needed_at_end && silent_for(pulse) > 0)
            .max_by(longest);
        Some(Silence {
            what: busy.map_or_else(|| (*phase).to_owned(), |pulse| format!("the thread `{}`", pulse.name)),
            time,
            is_stopping: true,
        })
    }
}

impl Shared {
    fn note_progress(&self) {
        self.progress.store(self.now.load(Ordering::Relaxed), Ordering::Relaxed);
    }
}

/// A watched thread. Dropping it ends the watch over the thread.
#[derive(Debug)]
pub(crate) struct Watched {
    shared: Arc<Shared>,
    pulse: Arc<Pulse>,
}

thread_local! {
    /// The unit that this thread is at.
    static UNIT: RefCell<Option<(Arc<Shared>, Arc<Pulse>)>> = const { RefCell::new(None) };
}

impl Watched {
    /// Begins a unit of work on this thread. It ends with the guard.
    pub fn begin(&self) -> Unit<'_> {
        UNIT.set(Some((self.shared.clone(), self.pulse.clone())));
        self.beat();
        Unit { thread: self }
    }

    /// Begins the next unit at once.
    fn beat(&self) {
        beat_of(&self.shared, &self.pulse);
    }

    /// Begins a short unit again and again, for ever: if the threads of a runtime all stand still, this does too.
    pub async fn beat_for_ever(self) {
        loop {
            let now = self.shared.now.load(Ordering::Relaxed);
            self.pulse.since.store(now, Ordering::Relaxed);
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

impl Drop for Watched {
    fn drop(&mut self) {
        lock(&self.shared.threads).retain(|pulse| !Arc::ptr_eq(pulse, &self.pulse));
    }
}

/// A unit of work.
#[derive(Debug)]
pub(crate) struct Unit<'a> {
    thread: &'a Watched,
}

impl Drop for Unit<'_> {
    fn drop(&mut self) {
        UNIT.set(None);
        self.thread.beat();
        self.thread.pulse.since.store(IDLE, Ordering::Relaxed);
    }
}

fn beat_of(shared: &Shared, pulse: &Pulse) {
    pulse.since.store(shared.now.load(Ordering::Relaxed), Ordering::Relaxed);
    if pulse.is_needed_at_end {
        shared.note_progress();
    }
}

/// Says that the unit of this thread, if it is at one, goes on. For loops without a bound.
pub(crate) fn beat() {
    UNIT.with_borrow(|unit| {
        if let Some((shared, pulse)) = unit {
            beat_of(shared, pulse);
        }
    });
}

/// Waits for something that may take any time, such as the next line of a pipe: the thread is not silent meanwhile.
pub(crate) fn aside<T>(wait: impl FnOnce() -> T) -> T {
    UNIT.with_borrow(|unit| {
        if let Some((_, pulse)) = unit {
            pulse.since.store(IDLE, Ordering::Relaxed);
        }
    });
    let waited = wait();
    beat();
    waited
}

fn millis(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: Duration = Duration::from_secs(60);

    /// Looks once a second for this time.
    fn look_for(watch: &Watch, time: Duration) -> Option<Silence> {
        (0..time.as_secs()).find_map(|_| watch.look(LOOK_EVERY))
    }

    #[test]
    fn a_thread_is_named_when_its_unit_takes_longer_than_its_limit() {
        let watch = Watch::default();
        let (slow, other) = (watch.thread("parse-0", MINUTE), watch.thread("parse-1", MINUTE));
        let unit = slow.begin();
        drop(other.begin());
        assert_eq!(look_for(&watch, MINUTE), None);
        let silence = watch.look(LOOK_EVERY).unwrap();
        assert_eq!(silence.what, "the thread `parse-0`");
        assert!(!silence.is_stopping && silence.time == MINUTE + LOOK_EVERY);
        drop(unit);
        assert_eq!(look_for(&watch, 9 * MINUTE), None, "it waits for work");
    }

    #[test]
    fn of_two_silent_threads_the_first_is_named() {
        let watch = Watch::default();
        let (first, second) = (watch.thread("recorder", MINUTE), watch.thread("drive", MINUTE / 2));
        let _unit = first.begin();
        assert_eq!(look_for(&watch, MINUTE / 2), None);
        let _waiting = second.begin();
        assert_eq!(look_for(&watch, MINUTE).unwrap().what, "the thread `recorder`");
    }

    #[test]
    fn a_machine_that_slept_has_lost_no_time() {
        let watch = Watch::default();
        let thread = watch.thread("recorder", MINUTE);
        let _unit = thread.begin();
        watch.stops();
        for _ in 0..25 {
            assert_eq!(watch.look(Duration::from_secs(8 * 3_600)), None);
        }
    }

    #[test]
    fn a_loop_that_says_that_it_goes_on_is_not_silent() {
        let watch = Watch::default();
        let thread = watch.thread("recorder", MINUTE);
        let _unit = thread.begin();
        for _ in 0..10 {
            assert_eq!(look_for(&watch, MINUTE), None);
            beat();
        }
        let waited = aside(|| look_for(&watch, 30 * MINUTE));
        assert_eq!(waited, None);
        assert!(look_for(&watch, 2 * MINUTE).is_some());
    }

    #[test]
    fn a_thread_that_has_ended_is_not_silent() {
        let watch = Watch::default();
        let thread = watch.thread("desk", MINUTE);
        std::mem::forget(thread.begin());
        drop(thread);
        assert_eq!(look_for(&watch, 9 * MINUTE), None);
    }

    #[test]
    fn after_a_signal_something_must_come_nearer_to_the_end() {
        let watch = Watch::default();
        let recorder = watch.thread_of_the_end("recorder", LIMIT);
        let parser = watch.thread("parse-0", LIMIT);
        let _page = parser.begin();
        watch.stops();
        for _ in 0..5 {
            assert_eq!(look_for(&watch, PATIENCE_AFTER_STOP), None);
            drop(recorder.begin());
        }
        assert_eq!(look_for(&watch, PATIENCE_AFTER_STOP), None);
        watch.waits_for("the last commit", PATIENCE_AFTER_STOP);
        let _commit = recorder.begin();
        let silence = look_for(&watch, 2 * PATIENCE_AFTER_STOP).unwrap();
        assert_eq!((&*silence.what, silence.is_stopping), ("the thread `recorder`", true));
    }

    #[test]
    fn after_a_signal_a_run_in_which_nobody_works_is_silent_too() {
        let watch = Watch::default();
        let _recorder = watch.thread_of_the_end("recorder", LIMIT);
        assert_eq!(
            look_for(&watch, 9 * LIMIT),
            None,
            "before the signal it may wait for a server"
        );
        watch.stops();
        assert_eq!(look_for(&watch, PATIENCE_AFTER_STOP), None);
        assert_eq!(watch.look(LOOK_EVERY).unwrap().what, "the pages in process");
        watch.waits_for("the object store", 2 * LIMIT);
        assert_eq!(look_for(&watch, 2 * LIMIT), None);
        assert_eq!(watch.look(LOOK_EVERY).unwrap().what, "the object store");
    }
}
