//! `crawler tune`: the verdicts of a crawl at other thresholds, and a recommendation.

mod axes;
mod csv;
mod plot;
mod table;
mod text;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use storage::Store;

use super::configuration;
use super::output::{json_pretty, write_whole};
use crate::cli::arguments::{TuneArgs, TuneFormat};
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use config::{Origin, Sources};
use crawl::labels;
use error::RunError;
use study::scheme;
use study::tune::{self, Crawl, LabelsFile, NotWritten, Question, Step, Tuned, Written};
use terminal::commands::command;
use terminal::text::terminal_text;
use views::live::progress::{Moment, Progress};

/// Upper bound on the characters of a problem with a label.
const PROBLEM_CHARS: usize = 300;

pub(super) fn execute(args: &TuneArgs, quiet: bool) -> Result<(), Error> {
    let (config, path) = configuration::read_for_crawl(&args.config, &args.data.data)?;
    let settings = configuration::validate(&config, path)?;
    let question = question(args, &settings)?;
    let data = &args.data.data;
    for output in [&args.csv, &args.svg, &args.kept].into_iter().flatten() {
        super::store::reject_inside(data, output)?;
    }
    let store = super::store::open_to_read(data)?;
    reject_other_scheme(data, &store, &settings)?;
    let steps = Steps::show(quiet);
    let crawl = Crawl::read(&store, |step| steps.count(step))?;
    let labels = labels(args, &crawl, &settings)?;
    let mut tuned = tune::tune(&store, &settings, &crawl, &labels, &question, &|step| steps.count(step))?;
    drop(steps);
    warn_of_unreadable_texts(tuned.unreadable);
    write_files(args, &tuned)?;
    if args.write {
        tuned.answer.written = Some(write(&configuration::writable_file(&args.config, data)?, &tuned)?);
    }
    let text = match args.format {
        TuneFormat::Text => text::render(&tuned.answer),
        TuneFormat::Json => json_pretty(&tuned.answer)?,
    };
    Ok(super::output::say(text.trim_end())?)
}

fn question(args: &TuneArgs, settings: &Settings) -> Result<Question, UsageError> {
    let question = Question::new(settings, &args.distances, &args.similarities, args.at)
        .map_err(|invalid| UsageError::Argument(invalid.to_string()))?;
    Ok(Question {
        sample: args.sample,
        show: args.show,
        ..question
    })
}

fn reject_other_scheme(data: &Path, store: &Store, settings: &Settings) -> Result<(), UsageError> {
    match scheme::difference(store.scheme(), &settings.store_scheme()) {
        None => Ok(()),
        Some((found, wanted)) => Err(UsageError::Argument(format!(
            "the schemes differ: only the crawl in {} has {found}; only the configuration has {wanted}. Use the configuration of the \
             crawl (--config), or make the fingerprints again: {}",
            data.display(),
            command("rebuild", &[]),
        ))),
    }
}

/// The labels in the data folder and those of --pairs, with a warning about each line that cannot be used.
fn labels(args: &TuneArgs, crawl: &Crawl, settings: &Settings) -> Result<LabelsFile, UsageError> {
    let mut labels = LabelsFile::default();
    let in_folder = labels::path_in(&args.data.data);
    let in_folder = in_folder.exists().then_some(&in_folder);
    for path in [in_folder, args.pairs.as_ref()].into_iter().flatten() {
        let read = labels.read(path, &crawl.pages, &settings.canonicalize);
        read.map_err(|source| UsageError::Unreadable {
            path: path.clone(),
            source,
        })?;
    }
    for problem in &labels.problems {
        let left_out = if problem.is_left_out { "left out: " } else { "" };
        let text = terminal_text(&problem.problem, PROBLEM_CHARS);
        tracing::warn!("{left_out}{}:{}: {text}", problem.path.display(), problem.line);
    }
    let more = labels.all_problems() - labels.problems.len() as u64;
    if more > 0 {
        tracing::warn!("{more} more lines of labels have problems");
    }
    Ok(labels)
}

fn warn_of_unreadable_texts(unreadable: u64) {
    if unreadable > 0 {
        let verify = command("verify", &[]);
        tracing::warn!("{unreadable} texts cannot be read and were not compared; find the damage: {verify}");
    }
}

fn write_files(args: &TuneArgs, tuned: &Tuned<'_>) -> Result<(), RunError> {
    if let Some(path) = &args.kept {
        let lines = tuned.kept.iter().fold(String::new(), |all, url| all + url + "\n");
        write_whole(Some(path), lines)?;
    }
    if let Some(path) = &args.csv {
        write_whole(Some(path), csv::csv(&tuned.answer.settings))?;
    }
    if let Some(path) = &args.svg {
        write_whole(Some(path), plot::svg(&tuned.answer))?;
    }
    Ok(())
}

/// Writes the chosen setting to the configuration `file`, which may not exist.
fn write(file: &Path, tuned: &Tuned<'_>) -> Result<Written, Error> {
    let written = tune::write(file, file.is_file(), tuned.in_force, tuned.chosen).map_err(|error| match error {
        NotWritten::Io(error) => Error::from(error),
        NotWritten::Config(error) => UsageError::from(error).into(),
        NotWritten::Key { .. } | NotWritten::Unsafe(_) | NotWritten::OtherConfirmation { .. } => {
            UsageError::Argument(error.to_string()).into()
        }
    })?;
    warn_of_the_environment(&written)?;
    Ok(written)
}

/// The environment overrides the file.
fn warn_of_the_environment(written: &Written) -> Result<(), UsageError> {
    if written.changes.is_empty() {
        return Ok(());
    }
    let sources = Sources::read(Some(&written.path), std::env::vars_os())?;
    for change in &written.changes {
        if let Origin::Environment(variable) = sources.origin(&change.key) {
            tracing::warn!(
                "the environment variable {variable} overrides {} in the file",
                change.key
            );
        }
    }
    Ok(())
}

/// The progress of a tuning, on standard error.
struct Steps {
    done: Arc<[AtomicU64; 3]>,
    _progress: Progress,
}

impl Steps {
    const NAMES: [&str; 3] = ["pages read", "pages replayed", "pages of the sample compared"];

    fn show(quiet: bool) -> Self {
        let done: Arc<[AtomicU64; 3]> = Arc::default();
        let shown = done.clone();
        let progress = Progress::start(None, quiet, move |_now| {
            let counts = shown.iter().map(|count| count.load(Ordering::Relaxed));
            let counts = counts.zip(Self::NAMES).filter(|(count, _)| *count > 0);
            let message: Vec<String> = counts.map(|(count, name)| format!("{count} {name}")).collect();
            Moment {
                message: message.join(", "),
                ..Moment::default()
            }
        });
        Self {
            done,
            _progress: progress,
        }
    }

    fn count(&self, step: Step) {
        let place = match step {
            Step::Read => 0,
            Step::Replayed => 1,
            Step::Compared => 2,
        };
        self.done[place].fetch_add(1, Ordering::Relaxed);
    }
}
