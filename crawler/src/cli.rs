//! What did the user ask for, and what does the program answer?
//!
//! [`main`] reads the command line, runs one command and returns its exit code. Each command has a file of its own; the definition
//! of every flag is in `arguments`. No other folder knows the argument parser.
//!
//! Uses: config, crawl, dedup, demo, error, export, files, live, page, report, storage, study, terminal, web.

mod arguments;
mod check;
mod config;
mod dedup;
mod demo;
mod diff_text;
mod documents;
mod error;
mod evaluate;
mod explain;
mod export;
mod faults;
mod fingerprint;
mod gc;
mod idf;
mod inspect;
mod layouts;
mod panics;
mod rebuild;
mod report;
mod rules;
mod run;
mod screen;
mod shell;
mod tune;
mod verify;

use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use ::export::OutputFile;
use clap::Parser;
use storage::{OpenOptions, StorageError, Store};

use crate::cli::arguments::{Cli, Command, ConfigFile, LogFormat};
use crate::config::settings::{InvalidSetting, Settings};
use crate::config::{Config, Origin, Sources};
use crate::crawl::shutdown;
use crate::error::{RunError, holder};
use crate::live::log;
use crate::terminal::tell::tell;
use crate::terminal::text::terminal_text;
use error::{Error, UsageError};

/// Exit code after a panic, as Rust has it.
const PANICKED: u8 = 101;

/// Does what the command line says.
#[must_use]
pub fn main() -> ExitCode {
    let cli = Cli::parse();
    if let Err(error) = log::start(log_options(&cli)) {
        return failed(&UsageError::from(error).into());
    }
    shutdown::outlive_file_size_limits();
    panics::quiet_those_of_the_database();
    let ended = std::panic::catch_unwind(|| execute(cli));
    log::tell_lost();
    match ended {
        Ok(Ok(())) => ExitCode::SUCCESS,
        Ok(Err(Error::Answer(code))) => ExitCode::from(code),
        Ok(Err(error)) => failed(&error),
        Err(_panic) => match panics::of_the_database() {
            Some(text) => {
                tell(format_args!("crawler: {text}"));
                ExitCode::FAILURE
            }
            None => ExitCode::from(PANICKED),
        },
    }
}

fn log_options(cli: &Cli) -> log::Options<'_> {
    log::Options {
        file: cli.logging.log_file.as_deref(),
        form: match cli.logging.log_format {
            LogFormat::Text => log::Form::Text,
            LogFormat::Json => log::Form::Json,
        },
        quiet: cli.quiet,
        verbose: cli.verbose,
    }
}

fn failed(error: &Error) -> ExitCode {
    // A stage that ended before its time says less than what ended it.
    let of_the_database = panics::of_the_database().filter(|_| error.is_unexplained());
    let text = of_the_database.unwrap_or_else(|| error.to_string());
    tell(format_args!("crawler: {text}"));
    ExitCode::from(error.exit_code())
}

/// Carries out what the command line says.
///
/// # Errors
/// The error carries the exit code.
fn execute(cli: Cli) -> Result<(), Error> {
    match cli.command {
        Command::Run(args) => run::execute(&args, cli.quiet),
        Command::Report(args) => report::execute(&args, cli.quiet),
        Command::Explain(args) => explain::execute(&args),
        Command::Check(args) => check::execute(&args),
        Command::Rules(args) => rules::execute(&args),
        Command::Export(args) => export::execute(&args, cli.quiet),
        Command::Verify(args) => verify::execute(&args, cli.quiet),
        Command::Rebuild(args) => rebuild::execute(&args, cli.quiet),
        Command::Gc(args) => Ok(gc::execute(&args, cli.quiet)?),
        Command::Evaluate(args) => evaluate::execute(&args, cli.quiet),
        Command::Tune(args) => tune::execute(&args, cli.quiet),
        Command::Inspect(args) => inspect::execute(&args),
        Command::Fingerprint(args) => fingerprint::execute(&args, cli.quiet),
        Command::Idf(args) => idf::execute(&args, cli.quiet),
        Command::Layouts(args) => layouts::execute(&args),
        Command::Dedup(args) => dedup::execute(&args, cli.quiet),
        Command::Demo(args) => demo::execute(&args, cli.quiet),
        Command::Config(args) => config::execute(&args),
        Command::Completions(args) => Ok(shell::completions(&args)?),
        Command::Man(args) => Ok(shell::man(&args)?),
    }
}

/// The name a configuration is looked for by where none is given.
const DEFAULT_CONFIG: &str = "config.toml";

/// The file of the configuration, if there is one.
fn config_path(file: &ConfigFile) -> Option<PathBuf> {
    let usual = || {
        Path::new(DEFAULT_CONFIG)
            .is_file()
            .then(|| PathBuf::from(DEFAULT_CONFIG))
    };
    file.config.clone().or_else(usual)
}

/// The configuration in force, and where its values come from.
fn read_sources(path: Option<&Path>) -> Result<Sources, UsageError> {
    let sources = Sources::read(path, std::env::vars_os())?;
    if let Some(path) = path {
        tracing::info!(path = %path.display(), "configuration read");
    }
    for warning in &sources.warnings {
        tracing::warn!("{}", terminal_text(warning, 300));
    }
    Ok(sources)
}

/// The configuration in force and the file it came from, if any.
fn read_config(file: &ConfigFile) -> Result<(Config, Option<PathBuf>), UsageError> {
    let path = config_path(file);
    Ok((read_sources(path.as_deref())?.config, path))
}

fn validate(config: &Config, path: Option<PathBuf>) -> Result<Settings, UsageError> {
    Settings::new(config).map_err(|source| UsageError::Setting {
        origin: origin(&source, path),
        source,
    })
}

/// Where a value comes from that cannot be used.
fn origin(invalid: &InvalidSetting, path: Option<PathBuf>) -> String {
    let sources = Sources::read(path.as_deref(), std::env::vars_os());
    let (Ok(sources), path) = (sources, &path) else {
        // It is no file, but a word for where the value was given.
        return path.map_or_else(|| "the configuration".to_owned(), |path| path.display().to_string());
    };
    let is_same = |other: InvalidSetting| other.to_string() == invalid.to_string();
    if !Settings::new(&sources.config).is_err_and(is_same) {
        return "the command line".to_owned();
    }
    match (sources.origin(invalid.key()), path) {
        // The value is right, but not beside another one.
        (Origin::Default, Some(path)) => path.display().to_string(),
        (Origin::Default, None) => "the environment".to_owned(),
        (origin, _) => origin.to_string(),
    }
}

/// Opens the crawl in `dir` to read it: nothing that is archived is touched.
///
/// Another command that reads it is soon done: it is waited for.
fn open_to_read(dir: &Path) -> Result<Store, RunError> {
    let begun = Instant::now();
    let mut is_told = false;
    loop {
        let (dir, pid) = match Store::open_untouched(dir, &OpenOptions::existing()) {
            Err(StorageError::Locked { dir, pid }) => (dir, pid),
            opened => return Ok(opened?),
        };
        let waited = begun.elapsed();
        if waited >= MOST_WAIT {
            return Err(RunError::InUse { dir, pid });
        }
        if waited >= TELL_AFTER && !is_told {
            is_told = true;
            tell(format_args!(
                "crawler: {} is in use by {}; waiting up to {} seconds for it",
                dir.display(),
                holder(pid),
                MOST_WAIT.as_secs()
            ));
        }
        std::thread::sleep(LOCK_POLL);
    }
}

/// Lets go of a store that was only read, without closing it in order: that takes the database a tenth of the time that a
/// command which answers at once has, to make durable what nobody wrote. The process is about to end, and a state is left as
/// whole by a process that ends without closing it, as by one that is killed; with its end the folder's lock is released too.
fn leave_open(store: Store) {
    std::mem::forget(store);
}
/// How long a command waits for others that have the crawl open, when it says so, and how often it looks.
const MOST_WAIT: Duration = Duration::from_secs(10);
const TELL_AFTER: Duration = Duration::from_secs(1);
const LOCK_POLL: Duration = Duration::from_millis(20);

/// Where a command's result goes: a file that appears whole or not at all, or standard output.
enum Output {
    File(Box<BufWriter<OutputFile>>),
    Stdout(BufWriter<io::StdoutLock<'static>>),
}

impl Output {
    fn open(path: Option<&Path>) -> Result<Self, RunError> {
        Ok(match path {
            None => Self::Stdout(BufWriter::new(io::stdout().lock())),
            Some(path) => Self::File(Box::new(BufWriter::new(OutputFile::create(path)?))),
        })
    }

    fn write(&mut self, bytes: impl AsRef<[u8]>) -> Result<(), RunError> {
        self.try_to(|writer| writer.write_all(bytes.as_ref()))
    }

    /// Brings what was written to the file or its reader.
    fn flush(&mut self) -> Result<(), RunError> {
        self.try_to(|writer| writer.flush())
    }

    fn try_to(&mut self, act: impl FnOnce(&mut dyn Write) -> io::Result<()>) -> Result<(), RunError> {
        match self {
            Self::File(writer) => {
                act(writer).map_err(|source| RunError::io("write", writer.get_ref().path().display(), source))
            }
            Self::Stdout(writer) => or_reader_gone(act(writer)),
        }
    }

    /// Where a file is before it appears under its name.
    fn partial(path: &Path) -> PathBuf {
        OutputFile::partial_path(path)
    }

    /// Makes the file appear under its name.
    fn finish(mut self) -> Result<(), RunError> {
        self.flush()?;
        if let Self::File(writer) = self {
            let path = writer.get_ref().path().to_owned();
            let file = writer.into_inner().map_err(io::IntoInnerError::into_error);
            file.map_err(|source| RunError::io("write", path.display(), source))?
                .finish()?;
        }
        Ok(())
    }
}

/// Refuses to write into the crawl that is read: its own files would be replaced.
fn reject_inside(data: &Path, output: &Path) -> Result<(), UsageError> {
    let Ok(data) = data.canonicalize() else {
        return Ok(()); // Who opens it says so.
    };
    // Without a slash at its end, which no link can have.
    let target = ::export::linked(&output.components().collect::<PathBuf>());
    let folder = match target.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => &target,
    };
    let place = target.canonicalize().or_else(|_| folder.canonicalize());
    if !place.is_ok_and(|place| place.starts_with(&data)) {
        return Ok(());
    }
    Err(UsageError::Argument(format!(
        "{} is in the data folder {} that is read: name a place outside of it",
        output.display(),
        data.display()
    )))
}

/// Prints what a command has to say beside its result; whether anybody reads it changes nothing.
fn say(text: &str) -> Result<(), RunError> {
    match writeln!(io::stdout(), "{text}") {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        result => result.map_err(|source| RunError::io("write", "standard output", source)),
    }
}

/// Whoever reads standard output may stop reading (`| head`): then nothing more is to be done, and nothing is wrong.
fn or_reader_gone(result: io::Result<()>) -> Result<(), RunError> {
    match result {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => std::process::exit(0),
        result => result.map_err(|source| RunError::io("write", "standard output", source)),
    }
}
