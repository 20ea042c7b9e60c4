//! `crawler dedup`: the dedup of a crawl over files instead of the web.
//!
//! ```text
//! reader ─▶ analysers ─▶ decider ─▶ writer
//! cuts      understand    in input   verdicts,
//! batches   and sign      order      kept documents
//! ```
//!
//! Each line is a JSON object, in the order of the input: `{"id", "verdict": "unique"|"exact"|"near", "of", "distance",
//! "similarity"}`. `of` is the kept document that this one repeats, `distance` the Hamming distance of the fingerprints
//! (null for short texts, which have none), `similarity` the Jaccard index of the texts' five-word runs, estimated for long
//! texts; exact duplicates have 0 and 1. A document is a duplicate only of one that was unique, the most similar of them, and
//! the same input gives the same verdicts, however many threads there are. A text without a word is unique.
//!
//! Memory grows with the documents that are kept, and with nothing else: between the stages lie at most [`IN_FLIGHT_BYTES`],
//! and no line, record or file longer than `--max-document-bytes` is held.
//!
//! What cannot be read is reported with its place, counted, and left out; the exit code is 3 then. A file that is written
//! appears when it is complete. Until then `FILE.partial` has the verdicts given so far, brought to the file batch by batch:
//! a run that was interrupted, or whose disk was full, leaves a beginning of the result that is right as far as it goes. It is
//! not gone on with, since the index it stands for is gone; the same command starts from the beginning.

mod analysis;
mod budget;
mod decider;
mod kept_ids;
mod pipeline;
mod tally;

use std::io::{self, IsTerminal};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use self::decider::Decided;
use self::pipeline::{Answer, Job};
use self::tally::Tally;
use super::Output;
use super::faults::Faults;
use crate::cli::arguments::Dedup;
use crate::cli::error::{Error, UsageError};
use crate::config::Config;
use crate::config::settings::Settings;
use crate::crawl::shutdown;
use crate::error::RunError;
use crate::files::{Fields, InputLimits, Inputs};
use crate::live::progress::Progress;
use crate::terminal::tell::tell;
use crate::terminal::units::bytes;

/// Bytes of input, or of what was made of it, that are between the stages at one time, about.
const IN_FLIGHT_BYTES: usize = 16 << 20;

pub(super) fn execute(args: &Dedup, quiet: bool) -> Result<(), Error> {
    let settings = settings(args)?;
    let (output, kept) = (file(args.output.as_deref()), args.kept.as_deref());
    let inputs =
        Inputs::find(&args.inputs, args.format.map(Into::into), &written(output, kept)?).map_err(UsageError::from)?;
    if inputs.left_out() > 0 {
        tracing::warn!(
            "files left out, since their names tell of no known form: {} (--format takes them all)",
            inputs.left_out()
        );
    }
    let job = Job {
        fields: Fields {
            id: args.id_field.clone(),
            text: args.text_field.clone(),
            title: args.title_field.clone(),
            url: args.url_field.clone(),
        },
        limits: InputLimits {
            max_document_bytes: usize::try_from(args.max_document_bytes).unwrap_or(usize::MAX),
        },
        scheme: settings.scheme,
        rule: settings.rule,
        keeps: kept.is_some(),
        inputs,
    };
    let mut outputs = Outputs {
        verdicts: Output::open(output)?,
        kept: kept.map(|path| Output::open(file(Some(path)))).transpose()?,
    };
    // Verdicts on a terminal are progress enough.
    let hidden = quiet || output.is_none() && io::stdout().is_terminal();
    let started = Instant::now();
    let tally = Arc::new(Tally::default());
    let progress = tally::show(&tally, job.inputs.total_bytes(), hidden);
    let ending = write_all(job, &tally, &mut outputs, &progress)?;
    drop(progress);
    finish(ending, outputs, output, &tally)?;
    if !quiet {
        tell(summary(&tally, started.elapsed()));
    }
    match tally.faults() {
        0 => Ok(()),
        faults => Err(Error::Faults(faults)),
    }
}

/// The user's rule on what is a duplicate; nothing else of a configuration matters here.
fn settings(args: &Dedup) -> Result<Settings, UsageError> {
    let (users, path) = super::read_config(&args.config)?;
    let mut config = Config {
        dedup: users.dedup,
        ..Config::default()
    };
    // First what the file says, so that it is not blamed for what the command line says.
    super::validate(&config, path)?;
    config.dedup.max_distance = args.max_distance.unwrap_or(config.dedup.max_distance);
    config.dedup.min_similarity = args.min_similarity.unwrap_or(config.dedup.min_similarity);
    super::validate(&config, Some("the command line".into()))
}

/// `-` is standard output.
fn file(path: Option<&Path>) -> Option<&Path> {
    path.filter(|path| *path != Path::new("-"))
}

/// The files that will be written, which are no inputs.
fn written(output: Option<&Path>, kept: Option<&Path>) -> Result<Vec<PathBuf>, UsageError> {
    if kept.is_some_and(|kept| file(Some(kept)) == output) {
        let name = output.map_or("standard output".into(), |path| path.display().to_string());
        return Err(UsageError::SameOutput(name));
    }
    let files = [output, kept.and_then(|kept| file(Some(kept)))];
    let files = files.into_iter().flatten();
    Ok(files
        .flat_map(|path| [path.to_owned(), Output::partial(path)])
        .collect())
}

struct Outputs {
    verdicts: Output,
    kept: Option<Output>,
}

impl Outputs {
    fn write(&mut self, decided: &Decided) -> Result<(), RunError> {
        self.verdicts.write(&decided.verdicts)?;
        match &mut self.kept {
            Some(kept) => kept.write(&decided.kept),
            None => Ok(()),
        }
    }

    fn flush(&mut self) -> Result<(), RunError> {
        self.verdicts.flush()?;
        self.kept.as_mut().map_or(Ok(()), Output::flush)
    }
}

/// How a run ended that did not fail.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Whole,
    Stopped,
}

/// Runs the job and writes what comes of it, until all is decided or Ctrl-C.
fn write_all(job: Job, tally: &Arc<Tally>, outputs: &mut Outputs, progress: &Progress) -> Result<Ending, Error> {
    let running = pipeline::start(job, tally)?;
    let stop = running.stop_handle();
    stop_at_ctrl_c(move || stop.stop())?;
    let mut told = Faults::default();
    loop {
        match running.next()? {
            Answer::Decided(decided) => {
                decided.faults.iter().for_each(|fault| told.tell(fault, progress));
                outputs.write(&decided)?;
                if running.is_idle() {
                    outputs.flush()?;
                }
                running.written(&decided);
            }
            Answer::Ended(ending) => return Ok(ending),
        }
    }
}

/// Calls `stop` at the first Ctrl-C; the second ends the process.
fn stop_at_ctrl_c(stop: impl FnOnce() + Send + 'static) -> Result<(), RunError> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("listen for", "Ctrl-C", source))?;
    // Not waited for: it listens as long as the process lives.
    std::thread::spawn(move || {
        runtime.block_on(async {
            shutdown::requested_or_end("the same command starts from the beginning").await;
            stop();
            std::future::pending::<()>().await;
        });
    });
    Ok(())
}

/// Makes the files appear, or says where their beginnings are.
fn finish(ending: Ending, mut outputs: Outputs, output: Option<&Path>, tally: &Tally) -> Result<(), Error> {
    if ending == Ending::Whole {
        if let Some(kept) = outputs.kept {
            kept.finish()?;
        }
        return Ok(outputs.verdicts.finish()?);
    }
    outputs.flush()?;
    let place = output.map_or("they are written".into(), |output| {
        format!("they are in {}", Output::partial(output).display())
    });
    Err(Error::Interrupted(format!(
        "stopped after the verdicts on {} documents; {place}, in input order. The same command starts from the beginning.",
        tally.documents()
    )))
}

fn summary(tally: &Tally, elapsed: Duration) -> String {
    let seconds = elapsed.as_secs_f64().max(1e-3);
    let read = tally.bytes_read();
    format!(
        "{} documents in {:.1}s: unique {}  exact {}  near {}  left out {}\n  read {}, {:.1} MB/s; {} of text",
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
