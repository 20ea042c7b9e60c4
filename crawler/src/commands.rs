//! One file a command: what it reads, what it prints, what it returns.

mod check;
mod config;
mod dedup;
mod demo;
mod diff_text;
mod documents;
mod evaluate;
mod explain;
mod export;
mod faults;
mod fingerprint;
mod gc;
mod idf;
mod in_words;
mod inspect;
mod layouts;
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

use ::export::OutputFile;
pub(crate) use evaluate::{parse_confirm, parse_features, parse_segmenter, parse_weights, parse_width};
pub(crate) use export::{HostPattern, parse_host, parse_language, parse_regex, parse_since, parse_until};
use storage::{OpenOptions, Store};

use crate::cli::{Cli, Command, ConfigFile};
use crate::config::{Config, Origin, Sources};
use crate::error::{Error, RunError, UsageError};
use crate::settings::{InvalidSetting, Settings};
use crate::terminal_text::terminal_text;

/// Carries out what the command line says.
///
/// # Errors
/// The error carries the exit code.
pub fn execute(cli: Cli) -> Result<(), Error> {
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
fn open_to_read(dir: &Path) -> Result<Store, RunError> {
    Ok(Store::open_untouched(dir, &OpenOptions::existing())?)
}

/// Lets go of a store that was only read, without closing it in order: that takes the database a tenth of the time that a
/// command which answers at once has, to make durable what nobody wrote. The process is about to end, and a state is left as
/// whole by a process that ends without closing it, as by one that is killed; with its end the folder's lock is released too.
fn leave_open(store: Store) {
    std::mem::forget(store);
}

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
