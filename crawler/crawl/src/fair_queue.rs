//! A queue in which the hosts take turns, so that a host with much or costly work does not delay the others.
//!
//! The queue is for work that takes long: large pages, documents, pages in the browser. Each host has a line of its own. The next job comes
//! from the host whose jobs have taken the least time so far (start-time fair queueing, Goyal, Vin and Cheng 1996). A job is never broken
//! off, so a host also has a *share*: a bound on its jobs that are under way at a time. The workers beyond it are free for the next host.
//!
//! [`Turns`] is the order, without threads and without a clock. [`FairSender`] and [`FairReceiver`] are a channel around it for threads,
//! [`FairPlaces`] is a semaphore around it for tasks. The queue has no bound of its own: each job holds a ticket of the frontier or a room
//! in the browser, and the frontier starts no further page of a host that has its share here.

use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tokio::sync::oneshot;

/// A host is alone if so many turns in a row were its own.
const ALONE: usize = 16;

/// Bounds on the jobs of one host that are under way at a time.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Share {
    /// While other hosts have jobs, or had some not long ago.
    pub among_others: usize,
    /// While no other host has any.
    pub alone: usize,
}

impl Share {
    /// The same bound in both cases. A worker beyond it is always free for another host.
    pub fn of(jobs: usize) -> Self {
        Self {
            among_others: jobs,
            alone: jobs,
        }
    }
}

/// The order of the jobs.
#[derive(Debug)]
pub(crate) struct Turns<T> {
    hosts: HashMap<String, Line<T>>,
    /// The hosts with a waiting job: by the time that their jobs have taken, then by the order in which they came.
    ready: BTreeSet<(Duration, u64, String)>,
    /// The time that the jobs of the host of the last turn had taken. A host that comes anew begins here, so that it neither pays for the
    /// time in which it had no jobs, nor is paid for it.
    clock: Duration,
    arrivals: u64,
    share: Share,
    /// The host of the last turns, and the number of its turns in a row.
    last: Option<(String, usize)>,
}

/// The jobs of one host.
#[derive(Debug)]
struct Line<T> {
    waiting: VecDeque<T>,
    under_way: usize,
    /// The time that its jobs have taken.
    taken: Duration,
    /// Its number among the arrivals, while it has a waiting job.
    arrival: u64,
}

impl<T> Turns<T> {
    /// An empty queue.
    pub fn new(share: Share) -> Self {
        Self {
            hosts: HashMap::new(),
            ready: BTreeSet::new(),
            clock: Duration::ZERO,
            arrivals: 0,
            share,
            last: None,
        }
    }

    /// Adds a job of `host`.
    pub fn push(&mut self, host: &str, job: T) {
        let clock = self.clock;
        let line = self.hosts.entry(host.to_owned()).or_insert_with(|| Line {
            waiting: VecDeque::new(),
            under_way: 0,
            taken: clock,
            arrival: 0,
        });
        if line.waiting.is_empty() && line.under_way == 0 {
            line.taken = line.taken.max(clock);
        }
        line.waiting.push_back(job);
        if line.waiting.len() == 1 {
            self.arrive(host);
        }
    }

    /// Begins the next job; `None` if there is none, or if each host with jobs has its share under way.
    pub fn begin(&mut self) -> Option<(String, T)> {
        let next = self.ready.iter().find(|(_, _, host)| self.may_begin(host))?.clone();
        self.ready.remove(&next);
        let (taken, _, host) = next;
        let line = self.hosts.get_mut(&host)?;
        let job = line.waiting.pop_front()?;
        line.under_way += 1;
        let has_more = !line.waiting.is_empty();
        self.clock = self.clock.max(taken);
        let in_a_row = self
            .last
            .take()
            .filter(|(last, _)| *last == host)
            .map_or(0, |(_, turns)| turns);
        self.last = Some((host.clone(), in_a_row + 1));
        if has_more {
            self.arrive(&host);
        }
        Some((host, job))
    }

    /// Ends a job of `host` that took this long.
    pub fn end(&mut self, host: &str, took: Duration) {
        let Some(line) = self.hosts.get_mut(host) else { return };
        let before = (line.taken, line.arrival, host.to_owned());
        line.under_way = line.under_way.saturating_sub(1);
        line.taken += took;
        if self.ready.remove(&before) {
            self.ready.insert((line.taken, line.arrival, host.to_owned()));
        }
        let clock = self.clock;
        // A host that has taken more than the others keeps its account while it is away.
        self.hosts
            .retain(|_, line| line.under_way > 0 || !line.waiting.is_empty() || line.taken > clock);
    }

    /// Whether no job waits.
    pub fn is_empty(&self) -> bool {
        self.ready.is_empty()
    }

    fn may_begin(&self, host: &str) -> bool {
        let under_way = self.hosts.get(host).map_or(0, |line| line.under_way);
        under_way < self.share.among_others || under_way < self.share.alone && self.is_alone(host)
    }

    /// Whether no other host has jobs, or had one of the last turns.
    fn is_alone(&self, host: &str) -> bool {
        let has_last = |(last, turns): &(String, usize)| last == host && *turns >= ALONE;
        self.last.as_ref().is_some_and(has_last) && self.ready.iter().all(|(_, _, other)| other == host)
    }

    /// Puts the host behind those that have taken as much.
    fn arrive(&mut self, host: &str) {
        let Some(line) = self.hosts.get_mut(host) else { return };
        self.arrivals += 1;
        line.arrival = self.arrivals;
        self.ready.insert((line.taken, line.arrival, host.to_owned()));
    }
}

#[derive(Debug)]
struct Shared<T> {
    state: Mutex<State<T>>,
    changed: Condvar,
}

#[derive(Debug)]
struct State<T> {
    turns: Turns<T>,
    senders: usize,
    receivers: usize,
}

impl<T> Shared<T> {
    fn state(&self) -> MutexGuard<'_, State<T>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The end to which jobs are sent.
#[derive(Debug)]
pub(crate) struct FairSender<T>(Arc<Shared<T>>);

/// The end from which jobs are taken.
#[derive(Debug)]
pub(crate) struct FairReceiver<T>(Arc<Shared<T>>);

/// A queue in which a host has at most its share of jobs under way.
pub(crate) fn fair_queue<T>(share: Share) -> (FairSender<T>, FairReceiver<T>) {
    let shared = Arc::new(Shared {
        state: Mutex::new(State {
            turns: Turns::new(share),
            senders: 1,
            receivers: 1,
        }),
        changed: Condvar::new(),
    });
    (FairSender(Arc::clone(&shared)), FairReceiver(shared))
}

impl<T> FairSender<T> {
    /// Adds a job of `host`. Never waits. Returns `false` if no receiver is left.
    #[must_use]
    pub fn send(&self, host: &str, job: T) -> bool {
        let mut state = self.0.state();
        if state.receivers == 0 {
            return false;
        }
        state.turns.push(host, job);
        drop(state);
        self.0.changed.notify_one();
        true
    }
}

impl<T> FairReceiver<T> {
    /// Does the jobs in turn, until no sender and no job is left or `work` returns `false`.
    pub fn work(&self, mut work: impl FnMut(T) -> bool) {
        while let Some((host, job)) = self.begin() {
            let began = Instant::now();
            let goes_on = work(job);
            self.0.state().turns.end(&host, began.elapsed());
            // The host may have had its share under way.
            self.0.changed.notify_one();
            if !goes_on {
                return;
            }
        }
    }

    fn begin(&self) -> Option<(String, T)> {
        let mut state = self.0.state();
        loop {
            if let Some(begun) = state.turns.begin() {
                // The turn may have made another possible.
                self.0.changed.notify_one();
                return Some(begun);
            }
            if state.senders == 0 && state.turns.is_empty() {
                return None;
            }
            state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<T> Clone for FairSender<T> {
    fn clone(&self) -> Self {
        self.0.state().senders += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for FairSender<T> {
    fn drop(&mut self) {
        self.0.state().senders -= 1;
        self.0.changed.notify_all();
    }
}

impl<T> Clone for FairReceiver<T> {
    fn clone(&self) -> Self {
        self.0.state().receivers += 1;
        Self(Arc::clone(&self.0))
    }
}

impl<T> Drop for FairReceiver<T> {
    fn drop(&mut self) {
        self.0.state().receivers -= 1;
        self.0.changed.notify_all();
    }
}

/// Places for tasks. The hosts take turns in them.
#[derive(Debug, Clone)]
pub(crate) struct FairPlaces(Arc<Mutex<Places>>);

#[derive(Debug)]
struct Places {
    turns: Turns<oneshot::Sender<()>>,
    free: usize,
}

/// A place of a host. It is free again when this is dropped.
#[derive(Debug)]
pub(crate) struct Place {
    places: FairPlaces,
    host: String,
    since: Instant,
}

impl FairPlaces {
    /// So many places. A host has at most half of them, at least one; all of them while it is alone.
    pub fn new(places: usize) -> Self {
        let share = Share {
            among_others: (places / 2).max(1),
            alone: places,
        };
        Self(Arc::new(Mutex::new(Places {
            turns: Turns::new(share),
            free: places,
        })))
    }

    /// Waits for a place for `host`.
    pub async fn take(&self, host: &str) -> Place {
        let (granted_in, granted) = oneshot::channel();
        self.places(|places| places.turns.push(host, granted_in));
        // The sender stays in the queue until the place is granted.
        drop(granted.await);
        Place {
            places: self.clone(),
            host: host.to_owned(),
            since: Instant::now(),
        }
    }

    /// Changes the places, and grants those that are free.
    fn places(&self, change: impl FnOnce(&mut Places)) {
        let mut places = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        change(&mut places);
        while places.free > 0
            && let Some((host, granted)) = places.turns.begin()
        {
            match granted.send(()) {
                Ok(()) => places.free -= 1,
                // The task has ended.
                Err(()) => places.turns.end(&host, Duration::ZERO),
            }
        }
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let took = self.since.elapsed();
        self.places.places(|places| {
            places.free += 1;
            places.turns.end(&self.host, took);
        });
    }
}

#[cfg(test)]
mod tests;
