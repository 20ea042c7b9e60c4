//! The log: on standard error, above the progress display, and in a file.
//!
//! `RUST_LOG` sets the level of both. Without it, standard error has warnings (-q: errors; -v, -vv: more), and the file has level info
//! or more. At level debug, the run, each host, request, interpretation and commit is a span, whose end is a line with the time that it was busy and the
//! time that it waited. A write error never ends a crawl; the log counts the lines that it could not write to the file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use tracing::Subscriber;
use tracing_subscriber::fmt::MakeWriter;
use tracing_subscriber::fmt::format::FmtSpan;
use tracing_subscriber::layer::{Layer, SubscriberExt};
use tracing_subscriber::registry::LookupSpan;
use tracing_subscriber::util::SubscriberInitExt;
use tracing_subscriber::{EnvFilter, Registry, fmt};

use terminal::colours::has_colours;
use terminal::tell::{Stderr, tell};

/// Lines that could not be written to the log file.
static LOST: AtomicU64 = AtomicU64::new(0);

/// The path of the log file.
static PATH: OnceLock<PathBuf> = OnceLock::new();

/// The level, the target and the form of the log.
#[derive(Debug, Clone, Copy)]
pub struct LogOptions<'a> {
    /// A file to append to, in addition to standard error.
    pub file: Option<&'a Path>,
    /// The form of the file's lines; without a file, of the lines on standard error.
    pub form: Form,
    /// Only errors on standard error.
    pub quiet: bool,
    /// 0: warnings; 1: the decisions of the crawl; 2 or more: everything.
    pub verbose: u8,
}

/// The forms of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    /// For people: one line for each event.
    Text,
    /// For programs: one JSON object for each event.
    Json,
}

/// The log file cannot be opened.
#[derive(Debug, thiserror::Error)]
#[error("--log-file {}: {source}; name a file in an existing folder with write permission", path.display())]
pub struct Unwritable {
    path: PathBuf,
    source: io::Error,
}

/// The layer that gets the spans of the program, whatever the levels of the log.
pub type SpanLayer = Box<dyn Layer<Registry> + Send + Sync>;

/// Starts logging, and passes the spans of the program to `spans` if it is there.
///
/// # Errors
/// The log file cannot be opened.
pub fn start(options: LogOptions<'_>, spans: Option<SpanLayer>) -> Result<(), Unwritable> {
    let file = match options.file {
        Some(path) => Some(open(path.to_owned())?),
        None => None,
    };
    let form = options.form;
    let stderr_form = if file.is_some() { Form::Text } else { form };
    let default_level = match (options.quiet, options.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, verbose) => detailed(verbose),
    };
    let stderr = to_stderr(stderr_form).with_filter(filter(default_level));
    let file = file.map(|file| to_file(file, form).with_filter(filter(detailed(options.verbose))));
    tracing_subscriber::registry()
        .with(spans)
        .with(stderr)
        .with(file)
        .init();
    Ok(())
}

/// Writes the number of lost log lines to standard error, if there are any.
pub fn tell_lost() {
    let lost = lines_lost();
    if let Some(path) = PATH.get().filter(|_| lost > 0) {
        tell(format_args!(
            "crawler: {lost} log lines could not be written to {}",
            path.display()
        ));
    }
}

/// Lines that could not be written to the log file so far.
#[must_use]
pub fn lines_lost() -> u64 {
    LOST.load(Ordering::Relaxed)
}

/// The levels of `-v`: the decisions of the crates that make them, and what the others say of importance.
const DECISIONS: &str = "crawl=debug,crawler=debug,page=debug,study=debug,views=debug,web=debug,info";

fn detailed(verbose: u8) -> &'static str {
    match verbose {
        0 => "info",
        1 => DECISIONS,
        _ => "debug",
    }
}

fn filter(default_level: &str) -> EnvFilter {
    EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(default_level))
}

fn open(path: PathBuf) -> Result<LogFile, Unwritable> {
    let file = match File::options().create(true).append(true).open(&path) {
        Ok(file) => file,
        Err(source) => return Err(Unwritable { path, source }),
    };
    // Only tests start a second log in one process. The first path stays.
    let _first = PATH.set(path);
    Ok(LogFile(Arc::new(Target {
        file,
        is_torn: AtomicBool::new(false),
    })))
}

type Boxed<S> = Box<dyn Layer<S> + Send + Sync>;

fn to_stderr<S: Subscriber + for<'a> LookupSpan<'a>>(form: Form) -> Boxed<S> {
    let layer = fmt::layer()
        .with_writer(Stderr::default)
        .with_span_events(FmtSpan::CLOSE)
        .log_internal_errors(false);
    match form {
        Form::Text => layer
            .with_ansi(has_colours(&io::stderr()))
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
        .with_span_events(FmtSpan::CLOSE)
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
    /// Whether the last line in the file may be incomplete.
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
            let on_new_line = [b"\n", line].concat();
            file.write_all(&on_new_line)
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
