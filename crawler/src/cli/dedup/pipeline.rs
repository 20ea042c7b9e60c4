//! Joins the stages: one reader, one analyser per core, one decider. The caller is the writer.
//!
//! The reader numbers the batches. Analysers finish them in any order, and the decider takes them by number, so the verdicts do not
//! depend on the threads. The [`Budget`] bounds the memory between reader and writer, so the channels are unbounded.
//!
//! Nobody joins the threads at the end, because the reader may block on a pipe without a writer.

use std::collections::BTreeMap;
use std::num::NonZero;
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use crossbeam_channel::{Receiver, RecvTimeoutError, Sender, unbounded};
use dedup::{Analyzer, Candidates, Confirm, DuplicateRule, Spill};

use super::analysis::{Analysis, Analyzed};
use super::budget::Budget;
use super::choice::Choice;
use super::decided::Decided;
use super::decider::Decider;
use super::judge::Judge;
use super::lines::Writes;
use super::ordered::Ordered;
use super::resume::{self, Reached, ReadInput, Saved};
use super::tally::Tally;
use super::{Ending, IN_FLIGHT_BYTES};
use crate::cli::arguments::GroupBy;
use crate::cli::index::DocumentIndex;
use error::RunError;
use files::{Batch, Inputs, Reading};
use xxhash_rust::xxh3::Xxh3;

/// Stack of a thread in bytes. As in a crawl, libraries need it for deeply nested pages.
const STACK: usize = 16 << 20;

/// Longest time that the decider waits for documents before it looks whether to save.
const IDLE: Duration = Duration::from_secs(1);

/// Input and settings of a pipeline.
#[derive(Debug)]
pub(super) struct Job {
    pub inputs: Inputs,
    pub reading: Reading,
    pub group_by: Option<GroupBy>,
    pub analyzer: Analyzer,
    pub rule: DuplicateRule,
    /// Where candidates come from, without an index that outlives the run.
    pub candidates: Candidates,
    /// The bound on the memory of that, and the file for the rest.
    pub spill: Arc<Spill>,
    /// The index that outlives the run, if the user named one.
    pub index: Option<DocumentIndex>,
    /// What the command writes beside the verdicts.
    pub writes: Writes,
    /// What an interrupted run has decided, if it is to go on.
    pub saved: Option<Saved>,
    /// Which of several like documents is kept, if it is not the first one, and the bound on the memory of the documents until then.
    pub order: Option<(Choice, Arc<Spill>)>,
}

/// A message from the pipeline to the writer.
pub(super) enum Answer {
    /// The next batch in input order.
    Decided(Decided),
    /// The documents before are durable as far as the pipeline knows them. An interrupted run can go on from here.
    Reached(Reached),
    /// The pipeline has ended. If there is an index that outlives the run, it is saved: its name and its number of documents.
    Ended(Ending, Option<(String, usize)>),
}

/// A running pipeline.
pub(super) struct Running {
    answers: Receiver<Result<Answer, RunError>>,
    events: Sender<Event>,
    /// It is to stop: who loads an earlier run looks here.
    stops: Arc<AtomicBool>,
    budget: Arc<Budget>,
}

/// Stops a pipeline from another thread.
pub(super) struct StopHandle(Sender<Event>, Arc<AtomicBool>);

/// A message to the decider.
enum Event {
    Analyzed {
        number: u64,
        analyzed: Analyzed,
        budget_bytes: usize,
        digest: u64,
    },
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
    /// Of the batches up to this one.
    digest: u64,
}

/// Starts the threads.
pub(super) fn start(job: Job, tally: &Arc<Tally>) -> Result<Running, RunError> {
    let budget = Arc::new(Budget::new(IN_FLIGHT_BYTES));
    let (batches, to_analyse) = unbounded();
    let (events, to_decide) = unbounded();
    let (answers, answered) = unbounded();
    let (inputs, reading) = (job.inputs, Arc::new(job.reading));
    let analysis = Arc::new(Analysis {
        analyzer: job.analyzer,
        reading: Arc::clone(&reading),
        group_by: job.group_by,
        records: job.writes.records,
        choice: job.order.as_ref().map(|(choice, _)| *choice),
        compares_titles: matches!(job.rule.confirm, Confirm::Combined { .. }),
    });
    let (first, documents) = job.saved.map(|saved| (saved.input, saved.documents)).unzip();
    let width = analysis.analyzer.scheme().width;
    let mut decider = Decider {
        judge: match job.index {
            None => Judge::in_memory(width, job.rule, job.candidates, job.spill)?,
            Some(index) => Judge::of_index(index),
        },
        writes: job.writes,
        ordered: job.order.map(|(_, spill)| Ordered::new(spill)),
    };
    for number in 0..thread::available_parallelism().map_or(1, NonZero::get) {
        let (analysis, budget) = (analysis.clone(), budget.clone());
        let (to_analyse, events) = (to_analyse.clone(), events.clone());
        spawn(format!("analyse-{number}"), move || {
            analyse_all(&analysis, &budget, &to_analyse, &events);
        })?;
    }
    let (reader_events, reader_budget, reader_tally) = (events.clone(), budget.clone(), tally.clone());
    spawn("read".into(), move || {
        read_all(
            &inputs,
            &reading,
            first,
            &reader_tally,
            &reader_budget,
            &batches,
            &reader_events,
        );
    })?;
    let (decider_budget, decider_tally) = (budget.clone(), tally.clone());
    let stops = Arc::new(AtomicBool::new(false));
    let decider_stops = Arc::clone(&stops);
    spawn("decide".into(), move || {
        // The allocator keeps what one thread has allocated and another one frees. So the thread that goes on with the tables also fills them.
        let loaded = documents.map_or(Ok(true), |documents| {
            decider.judge.go_on(documents, &|| {
                decider_tally.add_loaded();
                !decider_stops.load(Ordering::Relaxed)
            })
        });
        let decided = loaded.and_then(|is_whole| {
            if !is_whole {
                return Ok(Ending::Stopped);
            }
            decide_all(
                &mut decider,
                first,
                &decider_tally,
                &decider_budget,
                &to_decide,
                &answers,
            )
        });
        // The send fails only if the writer no longer needs the answer.
        answers.send(ended(decided, &mut decider)).ok();
        decider_budget.close();
    })?;
    Ok(Running {
        answers: answered,
        events,
        stops,
        budget,
    })
}

fn spawn(name: String, work: impl FnOnce() + Send + 'static) -> Result<(), RunError> {
    let thread = thread::Builder::new().name(name).stack_size(STACK).spawn(work);
    thread
        .map(drop)
        .map_err(|source| RunError::io("start", "a thread", source))
}

impl Running {
    /// Waits for the next answer.
    ///
    /// # Errors
    /// A stage failed, and the run cannot continue.
    pub(super) fn next(&self) -> Result<Answer, RunError> {
        self.answers.recv().unwrap_or(Err(RunError::Stage("dedup")))
    }

    /// Whether no answer is ready.
    pub(super) fn is_idle(&self) -> bool {
        self.answers.is_empty()
    }

    /// Releases the memory of a written batch. The caller calls it once per batch.
    pub(super) fn written(&self, decided: &Decided) {
        self.budget.leave(decided.budget_bytes);
    }

    pub(super) fn stop_handle(&self) -> StopHandle {
        StopHandle(self.events.clone(), Arc::clone(&self.stops))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.budget.close();
        tracing::debug!(peak_bytes = self.budget.peak(), "memory between the stages");
    }
}

impl StopHandle {
    /// Ends the pipeline after the current batch.
    pub(super) fn stop(&self) {
        self.1.store(true, Ordering::Relaxed);
        // The send fails only if the decider has already ended.
        self.0.send(Event::Stop).ok();
    }
}

fn read_all(
    inputs: &Inputs,
    reading: &Reading,
    decided: Option<ReadInput>,
    tally: &Tally,
    budget: &Budget,
    batches: &Sender<Numbered>,
    events: &Sender<Event>,
) {
    // Files are always cut into the same batches, so the number of those that an interrupted run has decided tells where to go on. What they
    // hold is compared, since a file may read otherwise than before although it looks the same.
    let (mut number, mut before) = (0, 0);
    let mut hash = decided.is_some().then(Xxh3::new);
    let decided = decided.unwrap_or_default();
    let mut is_other = false;
    let read = catch_unwind(AssertUnwindSafe(|| {
        inputs.read(reading, tally.reading(), &mut |batch| {
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
    // The send fails only if the decider has already ended.
    events.send(event).ok();
}

fn analyse_all(analysis: &Analysis, budget: &Budget, batches: &Receiver<Numbered>, events: &Sender<Event>) {
    for Numbered { number, batch, digest } in batches {
        budget.wait_turn(number);
        let event = match catch_unwind(AssertUnwindSafe(|| analysis.analyze(&batch))) {
            Ok(analyzed) => {
                let budget_bytes = analyzed.memory_bytes();
                budget.exchange(batch.memory_bytes(), budget_bytes);
                Event::Analyzed {
                    number,
                    analyzed,
                    budget_bytes,
                    digest,
                }
            }
            Err(_panic) => Event::Lost("analysis"),
        };
        if events.send(event).is_err() {
            return;
        }
    }
}

/// Saves the index at the end, also after an error of another stage.
fn ended(decided: Result<Ending, RunError>, decider: &mut Decider) -> Result<Answer, RunError> {
    let saved = decider.judge.save();
    let ending = decided?;
    saved?;
    Ok(Answer::Ended(ending, decider.judge.index()?))
}

fn decide_all(
    decider: &mut Decider,
    before: Option<ReadInput>,
    tally: &Tally,
    budget: &Budget,
    events: &Receiver<Event>,
    answers: &Sender<Result<Answer, RunError>>,
) -> Result<Ending, RunError> {
    let mut input = before.unwrap_or_default();
    let reach = |judge: &mut Judge, input: ReadInput| {
        if let Some(kept) = judge.keep()? {
            let counts = tally.counts();
            answers.send(Ok(Answer::Reached(Reached { input, kept, counts }))).ok();
        }
        Ok::<_, RunError>(())
    };
    let mut waiting = BTreeMap::new();
    let mut next = 0;
    let mut end = None;
    loop {
        let event = match events.recv_timeout(IDLE) {
            Err(RecvTimeoutError::Timeout) => {
                decider.judge.save_at_times()?;
                continue;
            }
            Err(RecvTimeoutError::Disconnected) => return Err(RunError::Stage("analysis")),
            Ok(event) => event,
        };
        match event {
            Event::Analyzed {
                number,
                analyzed,
                budget_bytes,
                digest,
            } => {
                waiting.insert(number, (analyzed, budget_bytes, digest));
            }
            Event::Read(batches) => end = Some(batches),
            Event::Stop => {
                reach(&mut decider.judge, input)?;
                return Ok(Ending::Stopped);
            }
            Event::OtherInput => return Err(resume::other_input()),
            Event::Lost(stage) => return Err(RunError::Stage(stage)),
        }
        while let Some((analyzed, budget_bytes, digest)) = waiting.remove(&next) {
            let decided = Decided {
                budget_bytes,
                ..decider.decide(analyzed, tally)?
            };
            if answers.send(Ok(Answer::Decided(decided))).is_err() {
                return Ok(Ending::Stopped);
            }
            next += 1;
            input = ReadInput {
                batches: input.batches + 1,
                digest,
            };
            if decider.judge.is_behind() {
                reach(&mut decider.judge, input)?;
            }
        }
        if end == Some(next) {
            return finish(decider, tally, budget, events, answers);
        }
    }
}

/// Decides on the documents that were kept until all are read.
fn finish(
    decider: &mut Decider,
    tally: &Tally,
    budget: &Budget,
    events: &Receiver<Event>,
    answers: &Sender<Result<Answer, RunError>>,
) -> Result<Ending, RunError> {
    // All other stages have ended, so no other event comes.
    let is_stopped = || matches!(events.try_recv(), Ok(Event::Stop));
    let is_whole = decider.finish(tally, &is_stopped, &mut |decided| {
        let budget_bytes = decided.bytes();
        let is_open = budget.enter(budget_bytes).is_continue();
        let decided = Decided {
            budget_bytes,
            ..decided
        };
        is_open && answers.send(Ok(Answer::Decided(decided))).is_ok()
    })?;
    Ok(if is_whole { Ending::Whole } else { Ending::Stopped })
}
