//! `crawler dedup --parts N`: the paragraphs that stand in at least N documents, such as the boilerplate of a corpus.
//!
//! ```text
//! pass 1   read ─▶ analysers ─▶ counter ─▶ table      digests of paragraphs, each with the number of documents that have it;
//!                  digests                            those of at least N documents stay
//! pass 2   read ─▶ analysers ─▶ writer                look-ups in the table; outputs in input order
//!                  marks, lines
//! ```
//!
//! A paragraph is a line that is not blank. It is compared as the texts of exact duplicates are: by the 128-bit digest of its normalised form. A
//! document counts once for a paragraph, however often it has it. Each document has a line `{"id", "parts": [{"start", "end", "documents"}]}`:
//! the paragraph is what Python's `text[start:end]` is, with its line end, so the text without these slices is the text of the kept record.
//!
//! The result depends neither on the number of threads nor on the bound on the memory. Half of the bound is for the [counter], and later half of that
//! for the [list]; the other half is for the [table]. The rest goes to the temporary file. A bit for each part and 16 bytes for 170 parts stay in memory.
//!
//! - `paragraphs`: from a text to paragraphs; `counting`, `marking`: the analysis of the two passes
//! - [`counter`], `merge`: counts of more keys (`counted`) than the memory holds; [`table`]: look-ups; [`list`]: the parts in the order of their frequency

mod counted;
mod counter;
mod counting;
mod list;
mod marking;
mod merge;
mod paragraphs;
mod summary;
mod table;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use dedup::Spill;

use self::counter::Counter;
use self::counting::Counts;
use self::list::List;
use self::marking::{Marking, Seen};
use self::summary::Summary;
use self::table::Table;
use super::copies::is_parquet;
use super::lacking::Lacking;
use super::lines::{Records, Writes};
use super::outputs::{Outputs, file, written};
use super::resume::Resume;
use super::stages::{self, Next, Ready, Source};
use super::{Ending, STARTS_AGAIN, memory, shows_results};
use crate::cli::arguments::DedupArgs;
use crate::cli::error::{Error, UsageError};
use crate::cli::faults::Faults;
use crate::cli::output::Output;
use error::RunError;
use files::{Batch, FileState, Inputs, Reading};
use terminal::tell::tell;
use views::live::progress::Progress;

/// The least memory of the counter. With less, it would write a run for every few documents.
const LEAST_BYTES: usize = 256 << 10;

/// Paragraphs between two checks whether to stop.
const STOPPED_EVERY: u64 = 1 << 16;

/// What both passes need.
struct Run {
    inputs: Arc<Inputs>,
    reading: Reading,
    writes: Writes,
    /// The number of documents that make a paragraph a part.
    least: u64,
    spill: Arc<Spill>,
    stopped: Arc<AtomicBool>,
    hides_progress: bool,
}

pub(super) fn execute(args: &DedupArgs, least: u64, quiet: bool) -> Result<(), Error> {
    let (kept, annotated, list) = (
        args.kept.as_deref(),
        args.annotate.as_deref(),
        args.parts_list.as_deref(),
    );
    let results = args.output.as_deref().or(Some(Path::new("-")));
    let outputs = [results, kept, annotated, list];
    if let Some(table) = outputs.into_iter().flatten().find(|output| is_parquet(output)) {
        let table = table.display();
        return Err(UsageError::Argument(format!("--parts writes JSON lines: give {table} another ending")).into());
    }
    let written = written(&outputs)?;
    let run = Run::new(args, least, &written, quiet)?;
    let before = run.state()?;
    let output = file(args.output.as_deref());
    output.map_or(Ok(()), Resume::forget)?;
    let mut outputs = Outputs::create([output, kept, annotated])?;
    let list = list.map(|list| Output::open_for_json(file(Some(list)))).transpose()?;
    let stopped = Arc::clone(&run.stopped);
    super::stop_at_ctrl_c(move || stopped.store(true, Ordering::Relaxed), STARTS_AGAIN)?;
    let (started, mut summary) = (Instant::now(), Summary::default());
    let Some(table) = run.count(&mut summary)? else {
        return Err(stopped_early(&summary));
    };
    if run.write(table, &before, &mut outputs, list, &mut summary)? == Ending::Stopped {
        return Err(outputs.interrupted("parts of", summary.totals.documents, output, STARTS_AGAIN)?);
    }
    outputs.finish(STARTS_AGAIN)?;
    if !quiet {
        tell(summary.in_words(started.elapsed()));
    }
    Error::of_faults(summary.faults)
}

const NOT_TWICE: &str = "--parts reads the input twice, but standard input and pipes can be read only once: write the input to a file first";

const CHANGED: &str = "the input has changed since its paragraphs were counted, so the outputs are not complete: make sure that nothing \
    changes the files, and run the command again";

fn stopped_early(summary: &Summary) -> Error {
    Error::Interrupted(format!(
        "stopped while the paragraphs were counted, after {} documents; nothing is written; {STARTS_AGAIN}",
        summary.counted
    ))
}

impl Run {
    fn new(args: &DedupArgs, least: u64, written: &[PathBuf], quiet: bool) -> Result<Self, Error> {
        let settings = super::settings(args)?;
        let writes = super::writes(args, Records::Whole);
        Ok(Self {
            inputs: Arc::new(super::find(args, written)?),
            reading: super::reading(args, &settings, writes),
            writes,
            least,
            spill: memory::spill(args).0,
            stopped: Arc::default(),
            hides_progress: quiet || shows_results(file(args.output.as_deref())),
        })
    }

    /// The files of the input as they are now.
    fn state(&self) -> Result<Vec<FileState>, Error> {
        let state = self.inputs.state();
        let state = state.map_err(|source| RunError::io("look at", "the input", source))?;
        Ok(state.ok_or_else(|| UsageError::Argument(NOT_TWICE.to_owned()))?)
    }

    fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Half of the bound on the memory.
    fn half(&self) -> usize {
        (self.spill.most_bytes() / 2).max(LEAST_BYTES)
    }

    /// Reads all batches, and calls `take` with each in input order.
    fn each<T: Send + 'static>(
        &self,
        reading: &Arc<Reading>,
        bytes_read: &Arc<AtomicU64>,
        analyze: impl Fn(&Batch) -> (T, usize) + Send + Sync + 'static,
        mut take: impl FnMut(T) -> Result<(), Error>,
    ) -> Result<Ending, Error> {
        let source = Source {
            inputs: Arc::clone(&self.inputs),
            reading: Arc::clone(reading),
            decided: None,
            bytes_read: Arc::clone(bytes_read),
        };
        // A flag stops both passes and what is between them.
        let (mut stages, _stop) = stages::start(source, analyze)?;
        loop {
            match stages.next()? {
                _ if self.is_stopped() => return Ok(Ending::Stopped),
                Next::Ready(Ready {
                    analyzed, budget_bytes, ..
                }) => {
                    take(analyzed)?;
                    stages.budget().leave(budget_bytes);
                }
                Next::Idle => {}
                Next::End => return Ok(Ending::Whole),
                Next::Stopped => return Ok(Ending::Stopped),
            }
        }
    }

    /// The first pass. `None` if it was stopped.
    fn count(&self, summary: &mut Summary) -> Result<Option<Table>, Error> {
        let reading = Arc::new(self.reading.clone());
        let (bytes_read, documents) = (Arc::default(), Arc::new(AtomicU64::new(0)));
        let progress = self.show("counting", &bytes_read, &documents);
        let (mut faults, mut lacking) = (Faults::default(), Lacking::default());
        let mut counter = Counter::new(self.half(), &self.spill);
        let analysis_reading = Arc::clone(&reading);
        let analyze = move |batch: &Batch| {
            let counts = counting::count(batch, &analysis_reading);
            let bytes = counts.memory_bytes();
            (counts, bytes)
        };
        let ending = self.each(&reading, &bytes_read, analyze, |counts: Counts| {
            summary.add(&counts);
            documents.store(summary.counted, Ordering::Relaxed);
            let known = lacking.hold(&counts.faults, summary.counted)?;
            known.iter().for_each(|fault| faults.report(fault, &progress));
            let mut digests = counts.digests.into_iter();
            digests
                .try_for_each(|counted| counter.add(counted))
                .map_err(RunError::from)?;
            Ok(())
        })?;
        if ending == Ending::Stopped {
            return Ok(None);
        }
        if summary.counted == 0 {
            lacking.refuse()?;
        }
        faults.finish(&progress);
        summary.read_bytes = bytes_read.load(Ordering::Relaxed);
        Ok(self.frequent(counter)?)
    }

    /// The paragraphs of enough documents. `None` if the run was stopped.
    fn frequent(&self, counter: Counter) -> Result<Option<Table>, RunError> {
        let (mut table, mut seen) = (Table::default(), 0_u64);
        let mut merge = counter.finish()?;
        while let Some(counted) = merge.next()? {
            if counted.count >= self.least {
                table.push(counted, self.half(), &self.spill)?;
            }
            seen += 1;
            if seen.is_multiple_of(STOPPED_EVERY) && self.is_stopped() {
                return Ok(None);
            }
        }
        table.end();
        Ok(Some(table))
    }

    /// The second pass, and the list of the parts. `before` are the files of the first pass.
    fn write(
        &self,
        table: Table,
        before: &[FileState],
        outputs: &mut Outputs,
        list: Option<Output>,
        summary: &mut Summary,
    ) -> Result<Ending, Error> {
        let mut list = list.map(|output| (List::new(self.half() / 2, &self.spill), output));
        let lines = list.as_mut().map(|(lines, _)| lines);
        if self.mark(table, outputs, lines, summary)? == Ending::Stopped {
            return Ok(Ending::Stopped);
        }
        // Input that only the second pass cannot read would be missing without a message.
        if self.state()? != before || !summary.is_of_one_input() {
            return Err(RunError::OtherInput(CHANGED.to_owned()).into());
        }
        if let Some((lines, mut output)) = list {
            if !lines.write(&mut output, &|| self.is_stopped())? {
                return Ok(Ending::Stopped);
            }
            output.finish()?;
        }
        Ok(Ending::Whole)
    }

    fn mark(
        &self,
        table: Table,
        outputs: &mut Outputs,
        mut list: Option<&mut List>,
        summary: &mut Summary,
    ) -> Result<Ending, Error> {
        let reading = Arc::new(Reading {
            is_again: true,
            ..self.reading.clone()
        });
        let (bytes_read, documents) = (Arc::default(), Arc::new(AtomicU64::new(0)));
        let progress = self.show("writing", &bytes_read, &documents);
        summary.parts = table.len();
        let seen = Arc::new(Seen::new(table.len()));
        let marking = Marking {
            table,
            seen: Arc::clone(&seen),
            writes: self.writes,
            reading: Arc::clone(&reading),
        };
        let analyze = move |batch: &Batch| {
            let marked = marking.mark(batch);
            let bytes = marked.as_ref().map_or(0, marking::Marked::memory_bytes);
            (marked, bytes)
        };
        let ending = self.each(&reading, &bytes_read, analyze, |marked| {
            let marked = marked.map_err(RunError::from)?;
            for first in marked.firsts.iter().filter(|first| seen.is_new(first.part.number)) {
                summary.most_frequent.push(first);
                list.as_mut()
                    .map_or(Ok(()), |list| list.push(first))
                    .map_err(RunError::from)?;
            }
            summary.totals.add(marked.totals);
            documents.store(summary.totals.documents, Ordering::Relaxed);
            Ok(outputs.write(&marked.decided)?)
        })?;
        drop(progress);
        Ok(ending)
    }

    fn show(&self, pass: &'static str, bytes_read: &Arc<AtomicU64>, documents: &Arc<AtomicU64>) -> Progress {
        let total = self.inputs.total_bytes();
        summary::show(pass, bytes_read, documents, total, self.hides_progress)
    }
}
