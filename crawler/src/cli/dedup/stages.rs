//! The stages that every run begins with: one reader, and one analyser per core.
//!
//! The reader numbers the batches. Analysers finish them in any order, and [`Stages::next`] gives them by number, so a result does not depend on
//! the threads. The [`Budget`] bounds the memory between the reader and whoever takes the batches, so the channels are unbounded.
//!
//! Nobody joins the threads at the end, because the reader may block on a pipe without a writer.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};

use super::IN_FLIGHT_BYTES;
use super::budget::Budget;
use super::resume::{self, ReadInput};
use error::RunError;
use files::{Batch, Inputs, Reading};
use xxhash_rust::xxh3::Xxh3;

/// Stack of a thread in bytes. As in a crawl, libraries need it for deeply nested pages.
const STACK: usize = 16 << 20;

/// Longest time that [`Stages::next`] waits before it says that nothing came.
const IDLE: Duration = Duration::from_secs(1);

/// What is read, and how.
#[derive(Debug, Clone)]
pub(super) struct Source {
    pub inputs: Arc<Inputs>,
    pub reading: Arc<Reading>,
    /// The beginning of the input that an interrupted run has decided, if this run goes on there.
    pub decided: Option<ReadInput>,
    /// Counts the bytes of input before decompression.
    pub bytes_read: Arc<AtomicU64>,
}

/// The running stages, which deliver batches analysed to `T`.
pub(super) struct Stages<T> {
    events: Receiver<Event<T>>,
    budget: Arc<Budget>,
    /// Batches that are not next, by their numbers.
    waiting: BTreeMap<u64, Ready<T>>,
    next: u64,
    /// The number of batches, as soon as it is known.
    end: Option<u64>,
}

/// An analysed batch.
pub(super) struct Ready<T> {
    pub analyzed: T,
    /// Memory that it occupies until it [leaves](Budget::leave).
    pub budget_bytes: usize,
    /// Hash of the batches up to this one.
    pub digest: u64,
}

/// What the stages deliver.
pub(super) enum Next<T> {
    /// The next batch in input order.
    Ready(Ready<T>),
    /// Nothing came for a while.
    Idle,
    /// All batches were delivered.
    End,
    /// Somebody has stopped the stages.
    Stopped,
}

/// Stops the stages from another thread.
pub(super) struct StopHandle<T>(Sender<Event<T>>);

/// A message to whoever takes the batches.
enum Event<T> {
    Analyzed(u64, Ready<T>),
    /// The input is not as an interrupted run has read it.
    OtherInput,
    /// The reader has finished, after this many batches.
    Read(u64),
    Stop,
    /// A stage panicked.
    Lost(&'static str),
}

struct Numbered {
    number: u64,
    batch: Batch,
    digest: u64,
}

/// Starts the threads. `analyze` makes of a batch what is delivered, and says how many bytes of memory that has.
pub(super) fn start<T: Send + 'static>(
    source: Source,
    analyze: impl Fn(&Batch) -> (T, usize) + Send + Sync + 'static,
) -> Result<(Stages<T>, StopHandle<T>), RunError> {
    let budget = Arc::new(Budget::new(IN_FLIGHT_BYTES));
    let (batches, to_analyse) = unbounded();
    let (events, delivered) = unbounded();
    let analyze = Arc::new(analyze);
    for number in 0..thread::available_parallelism().map_or(1, NonZero::get) {
        let (analyze, budget) = (Arc::clone(&analyze), Arc::clone(&budget));
        let (to_analyse, events) = (to_analyse.clone(), events.clone());
        spawn(format!("analyse-{number}"), move || {
            analyse_all(&*analyze, &budget, &to_analyse, &events);
        })?;
    }
    let (reader_events, reader_budget) = (events.clone(), Arc::clone(&budget));
    spawn("read".into(), move || {
        read_all(&source, &reader_budget, &batches, &reader_events);
    })?;
    let stages = Stages {
        events: delivered,
        budget,
        waiting: BTreeMap::new(),
        next: 0,
        end: None,
    };
    Ok((stages, StopHandle(events)))
}

pub(super) fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> Result<(), RunError> {
    let thread = thread::Builder::new().name(name).stack_size(STACK).spawn(work);
    thread
        .map(drop)
        .map_err(|source| RunError::io("start", "a thread", source))
}

impl<T> Stages<T> {
    /// Waits for what comes next.
    ///
    /// # Errors
    /// A stage failed, or the input is not as an interrupted run has read it.
    pub(super) fn next(&mut self) -> Result<Next<T>, RunError> {
        loop {
            if let Some(ready) = self.waiting.remove(&self.next) {
                self.next += 1;
                return Ok(Next::Ready(ready));
            }
            if self.end == Some(self.next) {
                return Ok(Next::End);
            }
            match self.events.recv_timeout(IDLE) {
                Err(RecvTimeoutError::Timeout) => return Ok(Next::Idle),
                Err(RecvTimeoutError::Disconnected) => return Err(RunError::Stage("analysis")),
                Ok(Event::Analyzed(number, ready)) => drop(self.waiting.insert(number, ready)),
                Ok(Event::Read(batches)) => self.end = Some(batches),
                Ok(Event::Stop) => return Ok(Next::Stopped),
                Ok(Event::OtherInput) => return Err(resume::other_input()),
                Ok(Event::Lost(stage)) => return Err(RunError::Stage(stage)),
            }
        }
    }

    /// Whether somebody has stopped the stages after their end.
    pub(super) fn is_stopped(&self) -> bool {
        matches!(self.events.try_recv(), Ok(Event::Stop))
    }

    pub(super) fn budget(&self) -> &Arc<Budget> {
        &self.budget
    }
}

impl<T> Drop for Stages<T> {
    fn drop(&mut self) {
        self.budget.close();
        tracing::debug!(peak_bytes = self.budget.peak(), "memory between the stages");
    }
}

impl<T> Clone for StopHandle<T> {
    fn clone(&self) -> Self {
        Self(self.0.clone())
    }
}

impl<T> StopHandle<T> {
    /// Ends the stages after the current batch.
    pub(super) fn stop(&self) {
        // The send fails only if nobody takes batches any more.
        self.0.send(Event::Stop).ok();
    }
}

fn read_all<T>(source: &Source, budget: &Budget, batches: &Sender<Numbered>, events: &Sender<Event<T>>) {
    // Files are always cut into the same batches, so the number of those that an interrupted run has decided tells where to go on. What they
    // hold is compared, since a file may read otherwise than before although it looks the same.
    let (mut number, mut before) = (0, 0);
    let mut hash = source.decided.is_some().then(Xxh3::new);
    let decided = source.decided.unwrap_or_default();
    let mut is_other = false;
    let read = catch_unwind(AssertUnwindSafe(|| {
        source.inputs.read(&source.reading, &source.bytes_read, &mut |batch| {
            let digest = hash.as_mut().map_or(0, |hash| {
                batch.hash_into(hash);
                hash.digest()
            });
            if before < decided.batches {
                before += 1;
                is_other = before == decided.batches && digest != decided.digest;
                return if is_other || budget.is_closed() {
                    ControlFlow::Break(())
                } else {
                    ControlFlow::Continue(())
                };
            }
            budget.enter(batch.memory_bytes())?;
            let sent = batches.send(Numbered { number, batch, digest });
            number += 1;
            match sent {
                Ok(()) => ControlFlow::Continue(()),
                Err(_nobody_listens) => ControlFlow::Break(()),
            }
        })
    }));
    let event = match read {
        Err(_panic) => Event::Lost("reading"),
        Ok(_) if is_other || before < decided.batches => Event::OtherInput,
        Ok(_) => Event::Read(number),
    };
    // The send fails only if nobody takes batches any more.
    events.send(event).ok();
}

fn analyse_all<T>(
    analyze: &dyn Fn(&Batch) -> (T, usize),
    budget: &Budget,
    batches: &Receiver<Numbered>,
    events: &Sender<Event<T>>,
) {
    for Numbered { number, batch, digest } in batches {
        budget.wait_turn(number);
        let event = match catch_unwind(AssertUnwindSafe(|| analyze(&batch))) {
            Ok((analyzed, budget_bytes)) => {
                budget.exchange(batch.memory_bytes(), budget_bytes);
                let ready = Ready {
                    analyzed,
                    budget_bytes,
                    digest,
                };
                Event::Analyzed(number, ready)
            }
            Err(_panic) => Event::Lost("analysis"),
        };
        if events.send(event).is_err() {
            return;
        }
    }
}
