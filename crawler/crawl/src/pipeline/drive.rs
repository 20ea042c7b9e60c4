//! The loop that carries out the frontier's steps and feeds it the events of all stages.

use std::time::{Duration, Instant, SystemTime};

use crossbeam_channel::Sender;
use storage::{Counts, Outcome, QueuedUrl, Visit};
use tokio::sync::{mpsc, oneshot};
use web::memory_budget::Claim;

use super::checkpoints::Checkpoints;
use super::network::Network;
use crate::clock::unix_millis;
use crate::frontier::Frontier;
use crate::messages::{Ending, Errand, Event, Record, Step};
use crate::record_channel::RecordSender;
use crate::stats::Stats;
use crate::watch::{self, PATIENCE_AFTER_STOP, Silence, Watch};
use error::RunError;

/// Shortest time between two saves of the hosts' treatment. If a kill prevents a save, the next run treats every host
/// as asked just now.
const SAVE_INTERVAL: Duration = Duration::from_millis(250);

/// Shortest time between two displays of the hosts' states.
const DISPLAY_INTERVAL: Duration = Duration::from_millis(250);

/// Displays take at most one `DISPLAY_SHARE`-th of the loop's time.
const DISPLAY_SHARE: u32 = 50;

/// The same two for a run without a display, of which another process may ask what it does.
const UNWATCHED_INTERVAL: Duration = Duration::from_secs(1);
const UNWATCHED_SHARE: u32 = 200;

/// With so many jobs in the pipeline, none is urgent: the crawl does not wait for the verdict of one.
const MANY_JOBS: usize = 16;

/// How long a run waits for the pages in process after it was asked to stop. A page that takes longer, because its server does not answer
/// or its text is costly to read, goes back to the queue.
const STOP_GRACE: Duration = Duration::from_secs(3);

/// The other threads, as the loop knows them.
pub(super) struct Others {
    /// The result of the recorder; fails if its thread panics.
    pub recorder: oneshot::Receiver<Result<Counts, RunError>>,
    /// The failure of the thread that reads the answers of earlier runs; fails if it panics.
    pub recall: oneshot::Receiver<RunError>,
    /// The thread that stands still.
    pub silent: oneshot::Receiver<Silence>,
    pub checkpoints: Checkpoints,
    pub watch: Watch,
}

/// Carries out the frontier's steps until it is finished, then waits until the recorder has ended.
pub(super) async fn drive(
    frontier: &mut Frontier,
    network: Network,
    recording: Recording,
    mut events: mpsc::Receiver<Event>,
    start: Instant,
    others: Others,
) -> Result<(Ending, Counts), RunError> {
    let Others {
        mut recorder,
        mut recall,
        mut silent,
        checkpoints,
        watch,
    } = others;
    let watched = watch.thread("main", watch::LIMIT);
    let mut upkeep = Upkeep::new(start, checkpoints, &network.stats);
    let mut abandon_at = None;
    let ending = loop {
        let unit = watched.begin();
        upkeep.run(frontier, &recording, &network.stats);
        if abandon_at.is_some_and(|at| start.elapsed() >= at) {
            tracing::info!("the pages in process go back to the queue");
            break Ending::Stopped;
        }
        let until = match frontier.next(start.elapsed()) {
            Step::Finished(ending) => break ending,
            Step::Wait(until) => until,
            Step::Start(task, passage) => {
                network.fetch(task, passage);
                continue;
            }
            Step::LookUp(host) => {
                network.look_up(host);
                continue;
            }
            step => {
                recording.carry_out(step);
                continue;
            }
        };
        let until = [upkeep.wakes_at(until, frontier), abandon_at]
            .into_iter()
            .flatten()
            .min();
        recording.records.expect_more(frontier.jobs() >= MANY_JOBS);
        drop(unit);
        tokio::select! {
            event = events.recv() => if let Some(mut event) = event {
                let done = match &mut event {
                    Event::Ordered(orders) => orders.done.take(),
                    _ => None,
                };
                if matches!(event, Event::Stop) {
                    abandon_at.get_or_insert(start.elapsed() + STOP_GRACE);
                }
                frontier.on(event, start.elapsed());
                if let Some(done) = done {
                    // From now on, what the frontier does obeys the orders. The answers name the delays that count now.
                    upkeep.display(frontier, &network.stats);
                    done.tell();
                }
            },
            () = sleep_until(until.map(|until| start + until)) => {}
            ended = &mut recorder => {
                // The recorder's channel is open, so the recorder ends only if it fails.
                return Err(joined(ended).err().unwrap_or(RunError::Stage("deciding")));
            }
            failed = &mut recall => {
                // As with the recorder.
                return Err(failed.unwrap_or(RunError::Stage("recalling")));
            }
            Ok(silence) = &mut silent => return Err(silence.into()),
        }
    };
    recording.records.expect_more(false);
    let unit = watched.begin();
    watch.waits_for("the recorder", PATIENCE_AFTER_STOP);
    if ending != Ending::Stopped {
        // The revisits that still wait end without an answer. A stopped run leaves them to the next run.
        recording.send(Record::EndVisits);
    }
    upkeep.keep_learned_at_end(frontier, &recording);
    recording.save_last(frontier);
    upkeep.display(frontier, &network.stats);
    drop((unit, network, recording));
    // After a stop, abandoned pages may still have tickets. Their events are dropped.
    events.close();
    tokio::select! {
        ended = recorder => joined(ended).map(|counts| (ending, counts)),
        Ok(silence) = silent => Err(silence.into()),
    }
}

/// The loop's work besides the steps: it saves the hosts' treatment and what steering learned, and updates the displayed states.
struct Upkeep {
    start: Instant,
    saved_at: Duration,
    display_at: Duration,
    /// The least time between two displays, and how many times as long as a display it is at least.
    pause: (Duration, u32),
    /// Whether the states were displayed in this round of the loop.
    has_displayed: bool,
    checkpoints: Checkpoints,
}

impl Upkeep {
    fn new(start: Instant, checkpoints: Checkpoints, stats: &Stats) -> Self {
        Self {
            start,
            saved_at: Duration::ZERO,
            display_at: Duration::ZERO,
            pause: if stats.is_watched() {
                (DISPLAY_INTERVAL, DISPLAY_SHARE)
            } else {
                (UNWATCHED_INTERVAL, UNWATCHED_SHARE)
            },
            has_displayed: false,
            checkpoints,
        }
    }

    /// Does the work that is due.
    fn run(&mut self, frontier: &mut Frontier, recording: &Recording, stats: &Stats) {
        self.has_displayed = self.start.elapsed() >= self.display_at;
        if self.has_displayed {
            self.display(frontier, stats);
        }
        let is_due = frontier.has_unsaved() && self.start.elapsed() >= self.saved_at + SAVE_INTERVAL;
        if is_due && !recording.records.is_full() {
            self.saved_at = self.start.elapsed();
            recording.save(frontier);
        }
        if !recording.records.is_full() && self.checkpoints.is_due(frontier) {
            self.keep_learned(frontier, recording);
        }
    }

    /// Has what steering learned so far written, if the run learned enough since the last time.
    fn keep_learned_at_end(&mut self, frontier: &mut Frontier, recording: &Recording) {
        if self.checkpoints.is_due_at_end(frontier) {
            self.keep_learned(frontier, recording);
        }
    }

    fn keep_learned(&mut self, frontier: &mut Frontier, recording: &Recording) {
        let start = self.start.elapsed();
        let Some(record) = self.checkpoints.make(frontier) else {
            return;
        };
        let elapsed_ms = (self.start.elapsed() - start).as_millis();
        tracing::debug!(?record, elapsed_ms, "checkpoint of steering");
        recording.send(record);
    }

    /// Shows the states of all hosts, and sets the time of the next display.
    fn display(&mut self, frontier: &Frontier, stats: &Stats) {
        let now = self.start.elapsed();
        stats.stands(frontier.standing(now));
        let ended = self.start.elapsed();
        let (interval, share) = self.pause;
        self.display_at = ended + interval.max(share * (ended - now));
    }

    /// The end of the loop's wait: `until`, or the next work before it.
    fn wakes_at(&self, until: Option<Duration>, frontier: &Frontier) -> Option<Duration> {
        let save_at = frontier.has_unsaved().then_some(self.saved_at + SAVE_INTERVAL);
        // An event since the last display must be shown even if no other event follows soon.
        let display_at = (!self.has_displayed).then_some(self.display_at);
        [until, save_at, display_at].into_iter().flatten().min()
    }
}

/// The channels to the threads that have the store.
pub(super) struct Recording {
    /// To the recorder.
    pub records: RecordSender,
    /// To the thread that reads the answers of earlier runs.
    pub recalls: Sender<Errand>,
}

impl Recording {
    /// Carries out a step that makes no request.
    fn carry_out(&self, step: Step) {
        match step {
            Step::Refill(refill) => self.send(Record::Refill(refill)),
            Step::Recall(errand) => self.recall(errand),
            Step::ReadSeeds => self.send(Record::ReadSeeds),
            Step::LoadHosts(wanted) => self.send(Record::LoadHosts(wanted)),
            Step::Exclude { queued, reason } => self.exclude(queued, reason),
            Step::Fail { queued, unfit } => {
                let failed = Outcome::Failed {
                    kind: unfit.kind.to_owned(),
                    status: None,
                    detail: unfit.detail,
                };
                self.conclude(queued, failed);
            }
            Step::Postpone { queued, priority } => self.conclude(queued, Outcome::Postponed { priority }),
            Step::Freed(group) => self.send(Record::Freed(group)),
            Step::Start(..) | Step::LookUp(_) | Step::Wait(_) | Step::Finished(_) => {}
        }
    }

    fn save(&self, frontier: &mut Frontier) {
        let states = frontier.take_unsaved();
        self.send(Record::Hosts { states, is_last: false });
    }

    /// Saves the treatment of all hosts, and ends the run.
    fn save_last(&self, frontier: &mut Frontier) {
        while frontier.has_unsaved() {
            self.save(frontier);
        }
        if !frontier.knows_all_requests() {
            self.send(Record::StaysInterrupted);
        }
        self.send(Record::Hosts {
            states: Vec::new(),
            is_last: true,
        });
    }

    /// Records that a URL must not be fetched. A page that was fetched before stays in the crawl.
    fn exclude(&self, queued: QueuedUrl, reason: String) {
        if queued.revisits.is_none() {
            return self.conclude(queued, Outcome::Excluded { reason });
        }
        tracing::info!(url = %queued.url, reason, "not visited again");
        let unanswered = Outcome::Visited {
            visit: Visit::Unanswered,
            at: unix_millis(SystemTime::now()),
            wire_bytes: 0,
            capture: None,
        };
        self.conclude(queued, unanswered);
    }

    /// Records the outcome of a URL that was not fetched.
    fn conclude(&self, queued: QueuedUrl, outcome: Outcome) {
        self.send(Record::Outcome {
            queued,
            outcome,
            outlinks: Vec::new(),
        });
    }

    /// Never blocks: the channel has room for all tickets.
    fn recall(&self, errand: Errand) {
        if self.recalls.send(errand).is_err() {
            tracing::debug!("the reader of earlier answers has ended; the run is about to end too");
        }
    }

    /// Never blocks for a record with a ticket: the channel has room for all tickets. A save has no ticket, and may
    /// wait for the recorder, which never waits for this loop.
    fn send(&self, record: Record) {
        if !self.records.send((record, Claim::default())) {
            tracing::debug!("the recorder has ended; the run is about to end too");
        }
    }
}

fn joined(ended: Result<Result<Counts, RunError>, oneshot::error::RecvError>) -> Result<Counts, RunError> {
    ended.map_err(|_panic| RunError::Stage("deciding"))?
}

async fn sleep_until(until: Option<Instant>) {
    match until {
        Some(until) => tokio::time::sleep_until(until.into()).await,
        None => std::future::pending().await,
    }
}
