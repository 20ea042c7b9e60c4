//! Joins the stages: the [reader and the analysers](super::stages), and one decider. The caller is the writer.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crossbeam_channel::{Receiver, Sender, unbounded};
use dedup::{Analyzer, Candidates, Confirm, DuplicateRule, Spill};

use super::Ending;
use super::analysis::{Analysis, Analyzed};
use super::budget::Budget;
use super::choice::Choice;
use super::decided::Decided;
use super::decider::Decider;
use super::judge::{Judge, Lasting};
use super::lines::Writes;
use super::ordered::Ordered;
use super::resume::{Reached, ReadInput, Saved};
use super::stages::{self, Next, Ready, Source, Stages};
use super::tally::Tally;
use crate::cli::arguments::GroupBy;
use crate::cli::index::DocumentIndex;
use error::RunError;
use files::{Inputs, Reading};

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
    /// The index that outlives the run, if the user named one, and whether the documents of earlier runs are left out.
    pub index: Option<(DocumentIndex, bool)>,
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
    /// The pipeline has ended. If there is an index that outlives the run, it is saved.
    Ended(Ending, Option<Box<Lasting>>),
}

/// A running pipeline.
pub(super) struct Running {
    answers: Receiver<Result<Answer, RunError>>,
    stop: StopHandle,
    budget: Arc<Budget>,
}

/// Stops a pipeline from another thread.
#[derive(Clone)]
pub(super) struct StopHandle {
    stages: stages::StopHandle<Analyzed>,
    /// It is to stop: who loads an earlier run looks here.
    stops: Arc<AtomicBool>,
}

/// Starts the threads.
pub(super) fn start(job: Job, tally: &Arc<Tally>) -> Result<Running, RunError> {
    let reading = Arc::new(job.reading);
    let analysis = Analysis {
        analyzer: job.analyzer,
        reading: Arc::clone(&reading),
        group_by: job.group_by,
        records: job.writes.records,
        choice: job.order.as_ref().map(|(choice, _)| *choice),
        compares_titles: matches!(job.rule.confirm, Confirm::Combined { .. }),
    };
    let (decided, documents) = job.saved.map(|saved| (saved.input, saved.documents)).unzip();
    let width = analysis.analyzer.scheme().width;
    let mut decider = Decider {
        judge: match job.index {
            None => Judge::in_memory(width, job.rule, job.candidates, job.spill)?,
            Some((index, skips_known)) => Judge::of_index(index, skips_known),
        },
        writes: job.writes,
        ordered: job.order.map(|(_, spill)| Ordered::new(spill)),
    };
    let source = Source {
        inputs: Arc::new(job.inputs),
        reading,
        decided,
        bytes_read: Arc::clone(tally.reading()),
    };
    let (mut read, stages) = stages::start(source, move |batch| {
        let analyzed = analysis.analyze(batch);
        let bytes = analyzed.memory_bytes();
        (analyzed, bytes)
    })?;
    let (answers, answered) = unbounded();
    let (budget, tally) = (Arc::clone(read.budget()), Arc::clone(tally));
    let stops = Arc::new(AtomicBool::new(false));
    let decider_stops = Arc::clone(&stops);
    stages::spawn("decide".into(), move || {
        // The allocator keeps what one thread has allocated and another one frees. So the thread that goes on with the tables also fills them.
        let loaded = documents.map_or(Ok(true), |documents| {
            decider.judge.go_on(documents, &|| {
                tally.add_loaded();
                !decider_stops.load(Ordering::Relaxed)
            })
        });
        let decided = loaded.and_then(|is_whole| {
            if !is_whole {
                return Ok(Ending::Stopped);
            }
            decide_all(&mut decider, decided, &tally, &mut read, &answers)
        });
        // The send fails only if the writer no longer needs the answer.
        answers.send(ended(decided, decider)).ok();
    })?;
    Ok(Running {
        answers: answered,
        stop: StopHandle { stages, stops },
        budget,
    })
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

    /// What stops the pipeline after the current batch.
    pub(super) fn stop_handle(&self) -> StopHandle {
        self.stop.clone()
    }
}

impl StopHandle {
    pub(super) fn stop(&self) {
        self.stops.store(true, Ordering::Relaxed);
        self.stages.stop();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.budget.close();
    }
}

/// Saves the index at the end, also after an error of another stage.
fn ended(decided: Result<Ending, RunError>, mut decider: Decider) -> Result<Answer, RunError> {
    let saved = decider.judge.save();
    let ending = decided?;
    saved?;
    Ok(Answer::Ended(ending, decider.judge.into_index()))
}

fn decide_all(
    decider: &mut Decider,
    before: Option<ReadInput>,
    tally: &Tally,
    read: &mut Stages<Analyzed>,
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
    loop {
        let Ready {
            analyzed,
            budget_bytes,
            digest,
        } = match read.next()? {
            Next::Ready(ready) => ready,
            Next::Idle => {
                decider.judge.save_at_times()?;
                continue;
            }
            Next::End => {
                // What comes after the last document may be interrupted, too.
                reach(&mut decider.judge, input)?;
                return finish(decider, tally, read, answers);
            }
            Next::Stopped => {
                reach(&mut decider.judge, input)?;
                return Ok(Ending::Stopped);
            }
        };
        let decided = Decided {
            budget_bytes,
            ..decider.decide(analyzed, tally)?
        };
        if answers.send(Ok(Answer::Decided(decided))).is_err() {
            return Ok(Ending::Stopped);
        }
        input = ReadInput {
            batches: input.batches + 1,
            digest,
        };
        if decider.judge.is_behind() {
            reach(&mut decider.judge, input)?;
        }
    }
}

/// Decides on the documents that were kept until all are read.
fn finish(
    decider: &mut Decider,
    tally: &Tally,
    read: &Stages<Analyzed>,
    answers: &Sender<Result<Answer, RunError>>,
) -> Result<Ending, RunError> {
    // All other stages have ended, so no other event comes.
    let is_whole = decider.finish(tally, &|| read.is_stopped(), &mut |decided| {
        let budget_bytes = decided.bytes();
        let is_open = read.budget().enter(budget_bytes).is_continue();
        let decided = Decided {
            budget_bytes,
            ..decided
        };
        is_open && answers.send(Ok(Answer::Decided(decided))).is_ok()
    })?;
    Ok(if is_whole { Ending::Whole } else { Ending::Stopped })
}
