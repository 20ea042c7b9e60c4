//! The desk: the thread that speaks with the fleet. It holds the leases, sends the letters of the outbox, and reads the queues of its
//! partitions and the log of kept pages.
//!
//! - `leases`: takes, renews and gives back partitions; the heartbeat; `opening`: prepares new partitions for the frontier
//! - `restore`: brings back what the folder knows, after the servers have lost the crawl
//! - `post`: sends letters; `arrivals`: reads the queues; `log`: reads the log, and `read_ahead` several of its segments at the same time;
//!   `shorten`: writes them; `store`: the object store that has them does not answer
//! - `sharing`: tells the frontier how many workers ask an address
//! - `adjust`: takes over settings that the user changes for all workers
//! - `state`: what all of them know
//!
//! If the servers do not answer, every part tries again, and nothing is lost: the leases run out, so the frontier asks nobody, and the
//! letters stay in the outbox.

mod adjust;
mod arrivals;
mod leases;
mod log;
mod opening;
mod post;
mod read_ahead;
mod restore;
mod sharing;
mod shorten;
mod state;
mod store;

use std::future::poll_fn;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};
use std::task::Poll;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use crossbeam_channel::{Sender, TrySendError};
use fleet::{Fleet, FleetError, JoinOptions};
use storage::Letter;
use tokio::runtime::Runtime;
use tokio::sync::{Notify, mpsc};

use super::asked::Asked;
use super::idle::IdleSign;
use super::membership::Membership;
use super::messages::{FromDesk, ToDesk};
use super::ownership::{Ownership, Pause};
use crate::messages::{Event, GroupEvent};
use crate::stats::{Stats, Trend};
use crate::watch::{self, Watch};
use config::settings::KeyValue;
use error::RunError;
use state::State;
use store::StoreFaults;

/// Wait before the desk looks again whether the recorder takes another message.
const RETRY: Duration = Duration::from_millis(5);

/// Wait after a call that no server answered. The call itself has waited much longer.
const AWAY: Duration = Duration::from_millis(200);

/// At the end of a run, the time for the last letters. What is not sent by then goes with the next run.
const LAST_LETTERS: Duration = Duration::from_secs(10);

/// Time for reads and writes of files that are under way when the desk has ended. A folder on another machine may not answer any more.
const LAST_FILES: Duration = Duration::from_secs(1);

/// The calls to the servers, by what fails with them. Each is a bit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Call {
    /// The heartbeat, without which the leases end.
    Beat = 1,
    /// The letters.
    Post = 2,
    /// The addresses that this worker asks.
    Share = 4,
    /// Everything else.
    Other = 8,
}

/// What the desk needs.
#[derive(Debug)]
pub(crate) struct DeskOptions {
    /// How to join the fleet.
    pub join: JoinOptions,
    /// What the data folder remembers, and where.
    pub membership: Membership,
    /// The data folder.
    pub dir: std::path::PathBuf,
    /// The table that the desk keeps.
    pub ownership: Ownership,
    /// The sign of the frontier and the recorder.
    pub sign: IdleSign,
    /// The addresses that the frontier asks.
    pub asked: Asked,
    /// From the recorder.
    pub letters: mpsc::UnboundedReceiver<ToDesk>,
    /// To the recorder.
    pub recorder: Sender<FromDesk>,
    /// To the frontier.
    pub events: mpsc::Sender<Event>,
    /// The figures of the run.
    pub stats: Arc<Stats>,
    /// Watches over the thread.
    pub watch: Watch,
    /// This worker's values of the keys that can change while it runs, and of those on which they depend.
    pub adjustable: Vec<KeyValue>,
    /// Entries of the log in a segment.
    pub segment: usize,
    /// Whether the claims go to the log; otherwise to the table of digests.
    pub has_log: bool,
}

/// A desk at work.
#[derive(Debug)]
pub(crate) struct RunningDesk {
    /// The number of this worker.
    pub worker: u16,
    /// The id of the crawl.
    pub crawl: u64,
    /// Whether the servers had lost the crawl, so that the folder must be brought back.
    pub restores: bool,
    thread: JoinHandle<Result<(), FleetError>>,
}

impl RunningDesk {
    /// Joins the fleet, and starts the thread.
    ///
    /// # Errors
    /// The fleet does not answer, or does not take this worker.
    pub fn start(options: DeskOptions) -> Result<Self, RunError> {
        let (joined_in, joined) = crossbeam_channel::bounded(1);
        let thread = thread::Builder::new()
            .name("desk".into())
            .spawn(move || {
                let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
                let runtime =
                    runtime.map_err(|error| FleetError::Damaged(format!("the desk cannot start: {error}")))?;
                let watched = options.watch.thread("desk", watch::LIMIT);
                runtime.spawn(watched.beat_for_ever());
                let work = async move {
                    match Fleet::join(options.join.clone()).await {
                        Ok(fleet) => {
                            let (worker, crawl) = (fleet.worker().0, fleet.crawl());
                            let (desk, letters) = Desk::new(fleet, options);
                            let joined = (worker, crawl, desk.state().brings_back);
                            // The receiver waits for this.
                            let _is_waiting = joined_in.send(Ok(joined));
                            desk.work(letters).await
                        }
                        Err(error) => {
                            let _is_waiting = joined_in.send(Err(error.clone()));
                            Err(error)
                        }
                    }
                };
                run_to_end(runtime, work)
            })
            .map_err(|source| RunError::io("start", "the thread of the desk", source))?;
        match joined.recv() {
            Ok(Ok((worker, crawl, restores))) => Ok(Self {
                worker,
                crawl,
                restores,
                thread,
            }),
            Ok(Err(error)) => Err(RunError::Fleet(error.to_string())),
            Err(_) => Err(RunError::Stage("the work with the fleet")),
        }
    }

    /// Waits until the desk has sent what it can, and has left the fleet. The recorder has said that it has ended, or is gone.
    ///
    /// # Errors
    /// The fleet could not be worked with, so that the run had to stop.
    pub fn join(self) -> Result<(), RunError> {
        let ended = self
            .thread
            .join()
            .map_err(|_panic| RunError::Stage("the work with the fleet"))?;
        ended.map_err(|error| RunError::Fleet(error.to_string()))
    }
}

/// The desk, shared by its parts.
struct Desk {
    fleet: Fleet,
    membership: Mutex<Membership>,
    dir: std::path::PathBuf,
    ownership: Ownership,
    sign: IdleSign,
    asked: Asked,
    recorder: Sender<FromDesk>,
    events: mpsc::Sender<Event>,
    stats: Arc<Stats>,
    adjustable: Vec<KeyValue>,
    segment: usize,
    has_log: bool,
    state: Mutex<State>,
    /// The rates of this worker, for its report.
    trend: Mutex<Trend>,
    /// Partitions are to be opened.
    opening: Notify,
    /// Queues may have something to read.
    arrivals: Notify,
    /// Whether the last call had no answer. Said once, and once when it is over.
    away: AtomicU8,
    /// The same of the object store.
    store: StoreFaults,
    /// Why this worker leaves the fleet before the end, although it can still send what it has done.
    failure: OnceLock<FleetError>,
}

impl Desk {
    fn new(fleet: Fleet, options: DeskOptions) -> (Self, mpsc::UnboundedReceiver<ToDesk>) {
        let mut membership = options.membership;
        // A folder that has worked for the crawl brings back what it knows, if the servers have lost it since.
        let brings_back = membership.crawl.is_some() && membership.life != fleet.life();
        membership.crawl = Some(fleet.crawl());
        membership.worker = Some(fleet.worker().0);
        if !brings_back {
            membership.life = fleet.life();
        }
        let state = State {
            brings_back,
            is_restoring: brings_back,
            awaits_all: brings_back,
            opened: membership.opened.iter().copied().collect(),
            ..State::new(options.has_log)
        };
        let desk = Self {
            fleet,
            membership: Mutex::new(membership),
            dir: options.dir,
            ownership: options.ownership,
            sign: options.sign,
            asked: options.asked,
            recorder: options.recorder,
            events: options.events,
            stats: options.stats,
            adjustable: options.adjustable,
            segment: options.segment,
            has_log: options.has_log,
            state: Mutex::new(state),
            trend: Mutex::default(),
            opening: Notify::new(),
            arrivals: Notify::new(),
            away: AtomicU8::new(0),
            store: StoreFaults::default(),
            failure: OnceLock::new(),
        };
        (desk, options.letters)
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers the partitions in the data folder.
    fn remember(&self) {
        let mut membership = self.membership.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut partitions, mut opened): (Vec<_>, Vec<_>) = {
            let state = self.state();
            let opened = state.opened.iter().map(|(partition, since)| (*partition, *since));
            (state.leases.keys().copied().collect(), opened.collect())
        };
        partitions.sort_unstable();
        opened.sort_unstable();
        if (&membership.partitions, &membership.opened) != (&partitions, &opened) {
            membership.partitions = partitions;
            membership.opened = opened;
            self.write(&membership);
        }
    }

    /// Changes what the data folder remembers.
    fn note_in_folder(&self, change: impl FnOnce(&mut Membership)) {
        let mut membership = self.membership.lock().unwrap_or_else(PoisonError::into_inner);
        let before = membership.clone();
        change(&mut membership);
        if *membership != before {
            self.write(&membership);
        }
    }

    fn write(&self, membership: &Membership) {
        if let Err(error) = membership.write(&self.dir) {
            tracing::warn!("{error}; after a restart, this worker may get other hosts");
        }
    }

    /// Says with which settings of the servers the crawl can lose data, and does not come back.
    async fn warn_of_servers(&self) -> Result<Option<Vec<(u64, Letter)>>, FleetError> {
        match self.fleet.cautions().await {
            Ok(cautions) => cautions.iter().for_each(|caution| tracing::warn!("{caution}")),
            Err(error) => tracing::debug!(%error, "the settings of the servers are not known"),
        }
        std::future::pending().await
    }

    /// Sends a message to the recorder, as soon as it has room.
    async fn tell(&self, message: FromDesk) {
        let mut message = message;
        loop {
            match self.recorder.try_send(message) {
                Ok(()) => return,
                Err(TrySendError::Full(back)) => message = back,
                // The run is ending.
                Err(TrySendError::Disconnected(_)) => return,
            }
            tokio::time::sleep(RETRY).await;
        }
    }

    async fn tell_frontier(&self, event: GroupEvent) {
        if self.events.send(Event::Groups(event)).await.is_err() {
            tracing::debug!("news of the fleet came after the end of the run");
        }
    }

    /// The number of the next message that brings work.
    fn next_number(&self) -> u64 {
        let mut state = self.state();
        state.number += 1;
        state.number
    }

    /// Takes the answer of a call that only reads, or is repeated soon: see [`answer_to`](Self::answer_to).
    async fn answer<T>(&self, answer: Result<T, FleetError>) -> Result<Option<T>, FleetError> {
        self.answer_to(Call::Other, answer).await
    }

    /// Takes the answer of a call. `Ok(None)` if no server answered, after a wait: the caller tries again. While letters cannot be sent, the
    /// worker makes no requests, because it could not report what they bring.
    async fn answer_to<T>(&self, call: Call, answer: Result<T, FleetError>) -> Result<Option<T>, FleetError> {
        if call == Call::Post {
            self.ownership
                .pause(Pause::Post, answer.as_ref().is_err_and(FleetError::is_transient));
        }
        match answer {
            Ok(answer) => {
                // A server without memory answers some calls and not others: only the call that failed shows that it is back.
                let before = self.away.fetch_and(!(call as u8), Ordering::Relaxed);
                if before != 0 && before & !(call as u8) == 0 {
                    self.stats.worker().servers_answer(true);
                    tracing::warn!("the servers of the fleet answer again; the crawl goes on");
                }
                Ok(Some(answer))
            }
            Err(error) if error.is_transient() => {
                if self.away.fetch_or(call as u8, Ordering::Relaxed) == 0 {
                    self.stats.worker().servers_answer(false);
                    tracing::warn!(
                        "{error}; this worker asks no host whose lease has run out, and keeps everything until the servers answer again"
                    );
                }
                tokio::time::sleep(AWAY).await;
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// What the desk does, until the run ends or the fleet cannot be worked with. `letters` brings the messages of the recorder.
    async fn work(&self, letters: mpsc::UnboundedReceiver<ToDesk>) -> Result<(), FleetError> {
        // The partitions of the last run stay noted until this one has asked for them.
        self.write(&self.membership.lock().unwrap_or_else(PoisonError::into_inner));
        let ended = {
            let (leases, opening) = (self.keep_leases(), self.open_partitions());
            let (arrivals, log, segments) = (self.read_queues(), self.keep_reading(), self.keep_short());
            let sharing = self.share_addresses();
            let post = self.send_letters(letters);
            tokio::pin!(post);
            tokio::select! {
                ended = self.warn_of_servers() => ended,
                ended = leases => ended.map(|()| None),
                ended = opening => ended.map(|()| None),
                ended = arrivals => ended.map(|()| None),
                ended = log => ended.map(|()| None),
                ended = segments => ended.map(|()| None),
                ended = sharing => ended.map(|()| None),
                ended = &mut post => ended.map(Some),
            }
        };
        let unsent = match ended {
            Ok(unsent) => unsent.unwrap_or_default(),
            Err(error) => {
                tracing::error!("{error}; the run stops");
                let _is_running = self.events.send(Event::Stop).await;
                return Err(error);
            }
        };
        let last = async {
            self.send_last(unsent).await?;
            self.fleet.leave().await
        };
        match tokio::time::timeout(LAST_LETTERS, last).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => tracing::warn!("{error}; the next run sends what is left"),
            Err(_) => tracing::warn!("the servers of the fleet do not answer; the next run sends what is left"),
        }
        self.failure.get().cloned().map_or(Ok(()), Err)
    }

    /// Lets the run end because of an error. The desk works on until then: it keeps the leases, sends what is done, and leaves the fleet, so that
    /// the others get the hosts at once.
    async fn fails(&self, error: FleetError) {
        tracing::error!("{error}; this worker ends what is under way, and leaves the fleet");
        if self.failure.set(error).is_ok() {
            let _is_running = self.events.send(Event::Stop).await;
        }
    }

    /// Whether the run ends because of an error.
    fn has_failed(&self) -> bool {
        self.failure.get().is_some()
    }
}

/// Does the work, and waits no longer than a moment for files that it has begun to read or write.
fn run_to_end<T>(runtime: Runtime, work: impl Future<Output = T>) -> T {
    let ended = runtime.block_on(work);
    runtime.shutdown_timeout(LAST_FILES);
    ended
}

/// Makes calls at the same time, and returns their answers, or the first error.
async fn together<T>(
    calls: impl Iterator<Item = impl Future<Output = Result<T, FleetError>>>,
) -> Result<Vec<T>, FleetError> {
    let mut calls: Vec<_> = calls.map(|call| (Box::pin(call), None)).collect();
    poll_fn(|context| {
        let mut is_ready = true;
        for (call, answer) in calls.iter_mut().filter(|(_, answer)| answer.is_none()) {
            match call.as_mut().poll(context) {
                Poll::Ready(Ok(found)) => *answer = Some(found),
                Poll::Ready(Err(error)) => return Poll::Ready(Err(error)),
                Poll::Pending => is_ready = false,
            }
        }
        if is_ready {
            return Poll::Ready(Ok(calls.iter_mut().filter_map(|(_, answer)| answer.take()).collect()));
        }
        Poll::Pending
    })
    .await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_is_never_read_to_its_end_does_not_keep_the_desk_from_ending() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let (_mounted_again, mount) = std::sync::mpsc::channel::<()>();
        let (ended_in, ended) = std::sync::mpsc::channel();
        thread::spawn(move || {
            let work = async move {
                let (begun_in, begun) = tokio::sync::oneshot::channel();
                tokio::task::spawn_blocking(move || {
                    begun_in.send(()).unwrap();
                    mount.recv()
                });
                begun.await.unwrap();
            };
            run_to_end(runtime.unwrap(), work);
            ended_in.send(())
        });
        ended.recv_timeout(20 * LAST_FILES).expect("the desk has ended");
    }
}
