//! What happens, for whoever looks into it: on standard error, beside the progress display, and in a file.
//!
//! `RUST_LOG` rules both where it is set. Else standard error has warnings (-q: errors; -v, -vv: more), and the file at
//! least what happens at level info. A line that cannot be written never ends a crawl: it is counted.

use std::fs::File;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, fmt};

use crate::terminal::tell::{Stderr, tell};

/// Lines that the log file could not take.
static LOST: AtomicU64 = AtomicU64::new(0);

/// Where it is.
static PATH: OnceLock<PathBuf> = OnceLock::new();

/// What is logged, and where.
#[derive(Debug, Clone, Copy)]
pub struct Options<'a> {
    /// A file that is appended to, beside standard error.
    pub file: Option<&'a Path>,
    /// The form of the file's lines; without a file, of the lines on standard error.
    pub form: Form,
    /// Errors only, on standard error.
    pub quiet: bool,
    /// 1 for decisions, 2 or more for everything.
    pub verbose: u8,
}

/// The forms of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people: a line an event.
    Text,
    /// For programs: a JSON object a line.
    Json,
}

/// The log file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("--log-file {}: {source}; name a file in a folder that exists and that you may write to", path.display())]
pub struct Unwritable {
    path: PathBuf,
    source: io::Error,
}

/// Starts logging as `options` say.
///
/// # Errors
/// The log file cannot be opened.
pub fn start(options: Options<'_>) -> Result<(), Unwritable> {
    let file = match options.file {
        Some(path) => Some(open(path.to_owned())?),
        None => None,
    };
    let form = options.form;
    let of_stderr = if file.is_some() { Form::Text } else { form };
    let usual = match (options.quiet, options.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, verbose) => detailed(verbose),
    };
    let stderr = to_stderr(of_stderr).with_filter(filter(usual));
    let file = file.map(|file| to_file(file, form).with_filter(filter(detailed(options.verbose))));
    tracing_subscriber::registry().with(stderr).with(file).init();
    Ok(())
}

/// Says how many lines the log file could not take, if any.
pub fn tell_lost() {
    let lost = lines_lost();
    if let Some(path) = PATH.get().filter(|_| lost > 0) {
        tell(format_args!(
            "crawler: {lost} log lines could not be written to {}",
            path.display()
        ));
    }
}

/// Lines that the log file could not take so far.
#[must_use]
pub fn lines_lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

fn detailed(verbose: u8) -> &'static str {
    match verbose {
        0 => "info",
        1 => "crawler=debug,page=debug,web=debug,info",
        _ => "debug",
    }
}

fn filter(usual: &str) -> EnvFilter {
    EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(usual))
}

fn open(path: PathBuf) -> Result<LogFile, Unwritable> {
    let file = match File::options().create(true).append(true).open(&path) {
        Ok(file) => file,
        Err(source) => return Err(Unwritable { path, source }),
    };
    // A second start in one process, which only tests make, goes on with its own.
    let _first = PATH.set(path);
    Ok(LogFile(Arc::new(Target {
        file,
        is_torn: AtomicBool::new(false),
    })))
}

type Boxed<S> = Box<dyn Layer<S> + Send + Sync>;

fn to_stderr<S: Subscriber + for<'a> LookupSpan<'a>>(form: Form) -> Boxed<S> {
    let layer = fmt::layer().with_writer(Stderr::default).log_internal_errors(false);
    match form {
        Form::Text => layer
            .with_ansi(io::stderr().is_terminal())
            .with_target(false)
            .without_time()
            .compact()
            .boxed(),
        Form::Json => layer.with_ansi(false).json().boxed(),
    }
}

fn to_file<S: Subscriber + for<'a> LookupSpan<'a>>(file: LogFile, form: Form) -> Boxed<S> {
    let layer = fmt::layer()
        .with_writer(file)
        .with_ansi(false)
        .log_internal_errors(false);
    match form {
        Form::Text => layer.compact().boxed(),
        Form::Json => layer.json().boxed(),
    }
}

/// A log file, written a whole line at a time.
#[derive(Debug, Clone)]
struct LogFile(Arc<Target>);

#[derive(Debug)]
struct Target {
    file: File,
    /// The last line may stand there in part.
    is_torn: AtomicBool,
}

impl<'a> MakeWriter<'a> for LogFile {
    type Writer = Self;

    fn make_writer(&'a self) -> Self {
        self.clone()
    }
}

impl Write for LogFile {
    fn write(&mut self, line: &[u8]) -> io::Result<usize> {
        let Target { file, is_torn } = &*self.0;
        let mut file = file;
        let written = if is_torn.load(Ordering::Relaxed) {
            let apart = [b"\n", line].concat();
            file.write_all(&apart)
        } else {
            file.write_all(line)
        };
        is_torn.store(written.is_err(), Ordering::Relaxed);
        LOST.fetch_add(u64::from(written.is_err()), Ordering::Relaxed);
        Ok(line.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
