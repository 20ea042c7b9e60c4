//! `crawler dedup`: finds duplicates among documents in files, with the rules of a crawl.
//!
//! ```text
//! reader ─▶ analysers ─▶ decider ─▶ writer
//! cuts      parse and    in input   verdicts,
//! batches   sign         order      kept documents
//! ```
//!
//! Each verdict is a JSON object on one line, in input order: `{"id", "verdict": "unique"|"exact"|"near", "of", "distance",
//! "similarity", "cluster"}`. `of` names the most similar kept document. `distance` is the Hamming distance of the fingerprints, and null for
//! short texts, which have no fingerprint. `cluster` is the id of the kept document, of a kept one its own. `similarity` is the Jaccard index
//! of the five-word shingles, estimated for long texts. An exact duplicate has distance 0 and similarity 1. A document is a duplicate only
//! of a unique document. A text without words is unique. A page in HTML that stands in the way of another one has the verdict `blocked`,
//! with `wall: {kind, evidence}`: it is compared with nothing, and kept nowhere. The verdicts do not depend on the number of threads.
//!
//! Memory grows only with the kept documents: the stages hold at most [`IN_FLIGHT_BYTES`] between them, and no line, record or file
//! longer than `--max-document-bytes`. Beyond `--memory`, what is kept of documents goes to a temporary file, but for the tables that find
//! candidates.
//!
//! With `--parts`, the command finds paragraphs that many documents have, instead of duplicates: see [`parts`].
//!
//! The command reports unreadable input with its place, counts it, skips it, and ends with exit code 3. An output file appears when
//! it is complete. Until then `FILE.partial` holds the verdicts so far, so that an interrupted run leaves a correct beginning of the
//! result. A later run starts from the beginning, because the index was in memory. With `--resume`, the kept documents are in a file, too,
//! and a later run of the same command goes on. With `--index`, the index is in a folder or on a server: a later run gives the documents that
//! it knows their verdicts again, and goes on with the others.

mod analysis;
mod annotation;
mod budget;
mod choice;
mod copies;
mod decided;
mod decider;
mod judge;
mod lacking;
mod lines;
mod memory;
mod ordered;
mod outputs;
mod parts;
mod pipeline;
mod record;
mod resume;
mod stages;
mod tally;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use self::choice::Choice;
use self::copies::Copies;
use self::judge::Lasting;
use self::lacking::Lacking;
use self::lines::{Records, Writes};
use self::outputs::{Outputs, file, one_spelling, written};
use self::pipeline::{Answer, Job};
use self::resume::{Digest, Resume, Run};
use self::tally::Tally;
use super::faults::Faults;
use super::index::{DocumentIndex, NamedIndex};
use super::output::Output;
use crate::cli::arguments::{CandidateSource, DedupArgs, GroupBy, Keep, Split};
use crate::cli::error::{Error, UsageError};
use config::Config;
use config::settings::Settings;
use crawl::shutdown;
use dedup::Candidates;
use error::RunError;
use export::OutputFile;
use files::{Fields, InputLimits, Inputs, Reading};
use terminal::tell::tell;
use terminal::units::{bytes, counted};
use views::live::progress::Progress;

/// Approximate upper bound on the memory between the stages, in bytes.
const IN_FLIGHT_BYTES: usize = 16 << 20;

const BANDS_WITHOUT_SKETCH: &str =
    "--candidates bands: they need dedup.confirm = \"sketch\" and a min_similarity of at least 0.75";

const BANDS_ON_A_SERVER: &str = "--candidates bands: an index on a server finds its candidates by blocks; leave out --candidates, or name \
    a folder with --index";

const SKIP_KNOWN_ON_A_SERVER: &str = "--skip-known: an index on a server does not know which runs have ended, so documents of an interrupted one \
    would be lost; leave out --skip-known, or name a folder with --index";

pub(super) fn execute(args: &DedupArgs, quiet: bool) -> Result<(), Error> {
    if let Some(least) = args.parts {
        return parts::execute(args, least, quiet);
    }
    let named = args.index.as_deref().map(NamedIndex::of).transpose()?;
    if args.candidates == Some(CandidateSource::Bands) && named.as_ref().is_some_and(NamedIndex::is_on_a_server) {
        return Err(UsageError::Argument(BANDS_ON_A_SERVER.to_owned()).into());
    }
    if args.skip_known && named.as_ref().is_some_and(NamedIndex::is_on_a_server) {
        return Err(UsageError::Argument(SKIP_KNOWN_ON_A_SERVER.to_owned()).into());
    }
    let settings = settings(args)?;
    let choice = choice(args)?;
    let (output, kept, annotated) = (
        file(args.output.as_deref()),
        args.kept.as_deref(),
        args.annotate.as_deref(),
    );
    let mut written = written(&[args.output.as_deref().or(Some(Path::new("-"))), kept, annotated])?;
    let resumed = args.resume.then(|| resumed_output(args, output)).transpose()?;
    written.extend(resumed.into_iter().flat_map(Resume::files));
    let inputs = find(args, &written)?;
    let stopped = Arc::new(AtomicBool::new(false));
    let copies = Copies::of(args, &inputs, &stopped, quiet)?;
    let writes = writes(
        args,
        if copies.is_some() {
            Records::Rows
        } else {
            Records::Whole
        },
    );
    let index = named
        .map(|named| DocumentIndex::open_or_create(named, &settings))
        .transpose()?
        .map(|index| (index, args.skip_known));
    let has_index = index.is_some();
    let (spill, of_waiting) = memory::spill(args);
    let scheme = settings.scheme.id();
    let mut job = Job {
        index,
        saved: None,
        analyzer: settings.analyzer(),
        candidates: settings.candidates,
        spill,
        reading: reading(args, &settings, writes),
        group_by: args.group_by.clone(),
        rule: settings.rule,
        writes,
        order: choice.zip(of_waiting),
        inputs,
    };
    let lists = [kept, annotated].map(|path| path.filter(|_| copies.is_some()).map(Copies::list));
    let [kept, annotated] = [(kept, &lists[0]), (annotated, &lists[1])].map(|(path, list)| list.as_deref().or(path));
    let paths = [output, kept, annotated];
    let tally = Arc::new(Tally::default());
    let mut outputs = match resumed {
        None => {
            output.map_or(Ok(()), Resume::forget)?;
            Outputs::create(paths)?
        }
        Some(output) => go_on(output, run(&job, args, &scheme)?, paths, &mut job, &tally)?,
    };
    outputs.copies = copies;
    if tally.documents() > 0 && !quiet {
        tell(format_args!(
            "going on after {}",
            counted(tally.documents(), "document")
        ));
    }
    let hidden = quiet || shows_results(output);
    let started = Instant::now();
    let progress = tally::show(&tally, job.inputs.total_bytes(), hidden);
    let advice = match (has_index, resumed) {
        (true, _) => GOES_ON,
        (false, Some(_)) => GOES_ON_THERE,
        (false, None) => STARTS_AGAIN,
    };
    let (ending, mut index) = write_all(job, &tally, &mut outputs, &progress, (&stopped, advice))?;
    drop(progress);
    finish(ending, outputs, output, &tally, advice)?;
    if let Some(index) = &mut index {
        index.end()?;
    }
    warn_of_idle_flags(args, &tally);
    if !quiet {
        tell(summary(&tally, started.elapsed()));
        if let Some(index) = &index {
            tell(index.summary()?);
        }
    }
    Error::of_faults(tally.faults())
}

/// Whether the results are on a terminal, where they show the progress already.
fn shows_results(output: Option<&Path>) -> bool {
    output.is_none() && io::stdout().is_terminal()
}

/// Finds the inputs, except the files that are `written`.
fn find(args: &DedupArgs, written: &[PathBuf]) -> Result<Inputs, UsageError> {
    let inputs = Inputs::find(&args.inputs, args.format.map(Into::into), written)?;
    if inputs.left_out() > 0 {
        tracing::warn!(
            "skipped {} with an unknown ending; --format reads all files",
            counted(inputs.left_out(), "file")
        );
    }
    Ok(inputs)
}

/// What is written beside the results; `records` stands for a document there.
fn writes(args: &DedupArgs, records: Records) -> Writes {
    let (kept, annotated) = (args.kept.is_some(), args.annotate.is_some());
    Writes {
        kept,
        annotated,
        records: if kept || annotated { records } else { Records::None },
    }
}

/// How the inputs are read.
fn reading(args: &DedupArgs, settings: &Settings, writes: Writes) -> Reading {
    Reading {
        fields: Fields {
            id: args.id_field.clone(),
            text: args.text_field.clone(),
            title: args.title_field.clone(),
            url: args.url_field.clone(),
            group: args.group_by.as_ref().and_then(GroupBy::field),
            score: args.score_field.clone(),
        },
        limits: InputLimits {
            max_document_bytes: usize::try_from(args.max_document_bytes).unwrap_or(usize::MAX),
        },
        extract: settings.extract.clone(),
        splits_lines: args.split == Some(Split::Lines),
        whole_rows: writes.records == Records::Whole,
        walls: settings.walls,
        is_again: false,
    }
}

/// The settings of `[dedup]` and `[[extract]]`, `fetch.walls`, and the flags. The command ignores the others.
fn settings(args: &DedupArgs) -> Result<Settings, UsageError> {
    let (users, path) = super::configuration::read(&args.config)?;
    let mut config = Config {
        dedup: users.dedup,
        extract: users.extract,
        ..Config::default()
    };
    config.fetch.walls = users.fetch.walls;
    // Validates the file first, so that the error names the right origin.
    super::configuration::validate(&config, path)?;
    config.dedup.max_distance = args.max_distance.unwrap_or(config.dedup.max_distance);
    config.dedup.min_similarity = args.min_similarity.unwrap_or(config.dedup.min_similarity);
    let validate = |config: &Config| super::configuration::validate(config, Some("the command line".into()));
    let Some(candidates) = args.candidates.map(Candidates::from) else {
        return validate(&config);
    };
    // Any rule goes with blocks.
    config.dedup.candidates = Candidates::Blocks;
    if candidates == Candidates::Bands && !validate(&config)?.rule.allows_bands() {
        return Err(UsageError::Argument(BANDS_WITHOUT_SKETCH.to_owned()));
    }
    config.dedup.candidates = candidates;
    validate(&config)
}

/// Which of several like documents is kept; `None` for the first one.
fn choice(args: &DedupArgs) -> Result<Option<Choice>, UsageError> {
    let choice = match args.keep {
        Keep::First => None,
        Keep::Longest => Some(Choice::Longest),
        Keep::Newest => Some(Choice::Newest),
        Keep::Best => Some(Choice::Best),
    };
    let needs_field = matches!(args.keep, Keep::Newest | Keep::Best);
    let wrong = match (needs_field, &args.score_field) {
        (true, None) => "--keep newest and best need --score-field NAME: the field with the time or the number",
        (false, Some(_)) => "--score-field needs --keep newest or best",
        _ => return Ok(choice),
    };
    Err(UsageError::Argument(wrong.to_owned()))
}

/// The output beside which an interrupted run keeps what it needs to go on.
fn resumed_output<'a>(args: &DedupArgs, output: Option<&'a Path>) -> Result<&'a Path, UsageError> {
    let wrong = match (output, args.keep) {
        (Some(output), Keep::First) => return Ok(output),
        (None, _) => "--resume needs --output FILE: what a run needs to go on is beside it",
        (Some(_), _) => {
            "--resume works only with --keep first: for the others, all documents are read before the first is decided"
        }
    };
    Err(UsageError::Argument(wrong.to_owned()))
}

/// What decides on the output of a job.
fn run(job: &Job, args: &DedupArgs, scheme: &str) -> Result<Run, Error> {
    let inputs = job
        .inputs
        .state()
        .map_err(|source| RunError::io("look at", "the input", source))?;
    let stream = || UsageError::Argument("--resume needs files: what came from a pipe does not come again".to_owned());
    let outputs = [&args.output, &args.kept, &args.annotate];
    Ok(Run {
        program: format!("{} {}", env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")),
        inputs: inputs.ok_or_else(stream)?,
        outputs: outputs.map(|path| path.as_deref().map(one_spelling)).into(),
        rule: format!("{scheme}; {:?}; {:?}", job.rule, job.candidates),
        reading: format!(
            "{:?}; {:?}; {:?}; {:?}",
            args.format, job.reading, job.group_by, job.writes
        ),
    })
}

/// Opens the outputs where an interrupted run was, and lets the job go on there.
fn go_on(output: &Path, run: Run, paths: [Option<&Path>; 3], job: &mut Job, tally: &Tally) -> Result<Outputs, Error> {
    if let Some(device) = paths.into_iter().flatten().find(|path| !OutputFile::can_wait(path)) {
        return Err(
            UsageError::Argument(format!("--resume needs files, and {} is not a file", device.display())).into(),
        );
    }
    let partials = paths.map(|path| path.map(Output::partial));
    let (resume, kept, before) = Resume::open(output, run, &partials)?;
    job.saved = Some(resume.saved(kept, before.as_ref())?);
    let mut outputs = match &before {
        Some(before) => Outputs::go_on(paths, before)?,
        None => Outputs::create(paths)?,
    };
    let mut hashes: [Digest; 3] = Default::default();
    if let Some(before) = before {
        tally.go_on(&before.reached.counts);
        for (hash, of_output) in hashes.iter_mut().zip(before.outputs) {
            if let Some((_, of_output)) = of_output {
                *hash = of_output;
            }
        }
    }
    outputs.resume_with(resume, hashes);
    Ok(outputs)
}

/// Warns of flags that changed nothing because no document has the field that they need.
fn warn_of_idle_flags(args: &DedupArgs, tally: &Tally) {
    if tally.documents() == 0 {
        return;
    }
    if let Some(group_by) = args.group_by.as_ref().filter(|_| tally.grouped() == 0) {
        let lacking = match group_by {
            GroupBy::Host => format!("a URL in the field {:?}", args.url_field),
            GroupBy::Field(name) => format!("the field {name:?}"),
        };
        tracing::warn!("no document has {lacking} and a title, so --group-by changes nothing");
    }
    if let Some(name) = args.score_field.as_ref().filter(|_| tally.keyed() == 0) {
        let what = if args.keep == Keep::Newest { "time" } else { "number" };
        tracing::warn!("no document has a {what} in the field {name:?}, so --keep changed nothing");
    }
}

/// What the same command does after an interruption.
const STARTS_AGAIN: &str = "the same command starts from the beginning";
/// The same, with `--resume`.
const GOES_ON_THERE: &str = "the same command goes on there";
/// The same, with an index that outlives the run.
const GOES_ON: &str = "the same command gives the same verdicts again and goes on, since the index has these documents";

/// The end of a run without an error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Whole,
    Stopped,
}

/// Runs the job and writes the verdicts until all documents have one, or until Ctrl-C.
fn write_all(
    job: Job,
    tally: &Arc<Tally>,
    outputs: &mut Outputs,
    progress: &Progress,
    (stopped, advice): (&Arc<AtomicBool>, &'static str),
) -> Result<(Ending, Option<Box<Lasting>>), Error> {
    let running = pipeline::start(job, tally)?;
    let stop = running.stop_handle();
    let stopped = Arc::clone(stopped);
    let stop = move || {
        stopped.store(true, Ordering::Relaxed);
        stop.stop();
    };
    stop_at_ctrl_c(stop, advice)?;
    let (mut faults, mut lacking) = (Faults::default(), Lacking::default());
    loop {
        match running.next()? {
            Answer::Decided(decided) => {
                let known = lacking.hold(&decided.faults, tally.read())?;
                known.iter().for_each(|fault| faults.report(fault, progress));
                outputs.write(&decided)?;
                if running.is_idle() {
                    outputs.flush()?;
                }
                running.written(&decided);
            }
            Answer::Reached(reached) => outputs.reached(reached)?,
            Answer::Ended(ending, index) => {
                if tally.read() == 0 {
                    lacking.refuse()?;
                }
                faults.finish(progress);
                return Ok((ending, index));
            }
        }
    }
}

/// Calls `stop` at the first Ctrl-C from now on; the second ends the process.
fn stop_at_ctrl_c(stop: impl FnOnce() + Send + 'static, advice: &'static str) -> Result<(), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("listen for", "Ctrl-C", source))?;
    let (listening, listens) = crossbeam_channel::bounded(1);
    // Nobody joins this thread: it listens until the process ends.
    std::thread::spawn(move || {
        runtime.block_on(async {
            let mut requested = pin!(shutdown::requested_or_end(advice));
            let is_requested = tokio::select! {
                biased;
                // The first poll begins to listen. A Ctrl-C before would end the process without a word.
                _ = &mut requested => true,
                () = std::future::ready(()) => false,
            };
            // Somebody waits for this.
            listening.send(()).ok();
            if !is_requested {
                requested.await;
            }
            stop();
            std::future::pending::<()>().await;
        });
    });
    // It fails only if the thread has ended, which then listens to nothing.
    listens.recv().ok();
    Ok(())
}

/// Gives complete files their names, or reports the path of the partial file.
fn finish(ending: Ending, outputs: Outputs, output: Option<&Path>, tally: &Tally, advice: &str) -> Result<(), Error> {
    if ending == Ending::Whole {
        return outputs.finish(advice);
    }
    Err(outputs.interrupted("verdicts on", tally.documents(), output, advice)?)
}

fn summary(tally: &Tally, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let read = tally.bytes_read();
    let blocked = match tally.blocked() {
        0 => String::new(),
        blocked => format!("  blocked {blocked}"),
    };
    format!(
        "{} documents in {:.1}s: unique {}  exact {}  near {}{blocked}  skipped {}\n  read {}, {:.1} MB/s; {} of text",
        tally.documents(),
        seconds,
        tally.unique(),
        tally.exact(),
        tally.near(),
        tally.faults(),
        bytes(read),
        read as f64 / seconds / 1e6,
        bytes(tally.text_bytes()),
    )
}
