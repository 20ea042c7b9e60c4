//! The errors of commands, with their exit codes.

use std::io;
use std::path::PathBuf;

use crate::cli::otlp::NotExporting;
use config::ConfigError;
use config::settings::InvalidSetting;
use crawl::pipeline::WithoutPage;
use crawl::seeds::SeedsError;
use crawl::shutdown::SignalCode;
use error::RunError;
use files::InputError;
use terminal::units::counted;
use views::live::listen::NotListening;
use views::live::log;

/// An invalid argument, configuration or input file: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// The configuration cannot be read.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A value of the configuration is invalid.
    #[error("{origin}: {source}")]
    Setting {
        /// Where the value comes from: the file and line, the environment variable, or the command line.
        origin: String,
        /// The key and the fault in its value.
        source: InvalidSetting,
    },
    /// A fleet and a refresh exclude each other.
    #[error(
        "a fleet does not refresh, because no worker knows the visits of the others: run it without a fleet, or leave out --refresh"
    )]
    RefreshInFleet,
    /// A run has no seed. The command is an example of one that has.
    #[error(
        "name what to crawl: `{0}`; `crawler init URL` asks a site what it offers, and writes a seeds file and a configuration for it"
    )]
    NothingToCrawl(&'static str),
    /// The seeds cannot be read.
    #[error(transparent)]
    Seeds(#[from] SeedsError),
    /// The flags define no valid scheme.
    #[error(transparent)]
    Scheme(#[from] dedup::InvalidScheme),
    /// No index layout covers the distance.
    #[error(transparent)]
    Layout(#[from] dedup::LayoutError),
    /// A file cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: io::Error,
    },
    /// A line of a file is invalid.
    #[error("{}, line {number}: {reason}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// Number of the line, counted from 1.
        number: u64,
        /// The fault.
        reason: String,
    },
    /// An argument is invalid, or contradicts another one.
    #[error("{0}")]
    Argument(String),
    /// The log file cannot be written.
    #[error(transparent)]
    Log(#[from] log::Unwritable),
    /// The spans cannot be exported.
    #[error(transparent)]
    Export(#[from] NotExporting),
    /// A server cannot listen on its address.
    #[error(transparent)]
    Listen(#[from] NotListening),
    /// The input files cannot be found or read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Two outputs have the same destination.
    #[error("--output, --kept, --annotate and --parts-list need different files: two of them are {0}")]
    SameOutput(String),
    /// The data folder of the demo is not empty.
    #[error("{} is not empty; the demo needs a new folder", .0.display())]
    NotEmpty(PathBuf),
}

/// The error of a command, with its exit code.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Exit code 2.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// Exit code 1.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Exit code 3: some input could not be read.
    #[error("{} of the input could not be read; the others were processed", pieces(*.0))]
    Faults(u64),
    /// Exit code 3: some pages could not be exported.
    #[error("{0} of the pages could not be read from the archive; the others were exported")]
    Unreadable(u64),
    /// Exit code 5: the crawl has no page, because every seed failed, was excluded, or has a host that could not be reached.
    #[error("no seed led to a page: {}; the lines above and the report say why", reasons(.0))]
    NoPage(WithoutPage),
    /// Exit code 1: a first configuration was asked for, and no site answered.
    #[error(
        "nothing was written, because no site answered; check the URL, or crawl without the files: crawler run URL"
    )]
    NoSite,
    /// Exit code 6: a limit ended the run, and URLs are queued.
    #[error("a limit ended the run")]
    Limit,
    /// A signal ended the run in order; the exit code is 128 and its number.
    #[error("signal {}", .0 - 128)]
    Signal(SignalCode),
    /// The exit code is the answer of the command.
    #[error("exit code {0}")]
    Answer(u8),
    /// Exit code 130: Ctrl-C ended the command. The message says where the partial result is.
    #[error("{0}")]
    Interrupted(String),
}

/// `2 URLs failed, and 1 host was given up`.
fn reasons(why: &WithoutPage) -> String {
    let failed = (why.failed > 0).then(|| format!("{} failed", counted(why.failed, "URL")));
    let excluded = match why.excluded {
        0 => None,
        1 => Some("1 URL is excluded".to_owned()),
        urls => Some(format!("{} are excluded", counted(urls, "URL"))),
    };
    let given_up = match why.given_up {
        0 => None,
        1 => Some("1 host was given up".to_owned()),
        hosts => Some(format!("{hosts} hosts were given up")),
    };
    let parts: Vec<String> = [failed, excluded, given_up].into_iter().flatten().collect();
    match &parts[..] {
        [first, second, third] => format!("{first}, {second}, and {third}"),
        parts => parts.join(", and "),
    }
}

fn pieces(count: u64) -> String {
    match count {
        1 => "1 line, record or file".to_owned(),
        count => format!("{count} lines, records or files"),
    }
}

impl Error {
    /// The result of a command that could not read this many lines, records or files of its input.
    pub fn of_faults(count: u64) -> Result<(), Self> {
        match count {
            0 => Ok(()),
            count => Err(Self::Faults(count)),
        }
    }

    /// Whether the output of the command says all that there is to say.
    pub fn is_only_a_code(&self) -> bool {
        matches!(self, Self::Answer(_) | Self::Limit | Self::Signal(_))
    }

    /// Whether the error says only that a stage ended, and not why.
    pub fn is_unexplained(&self) -> bool {
        matches!(self, Self::Run(RunError::Stage(_)))
    }

    /// Exit code of the process.
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Run(_) | Self::NoSite => 1,
            Self::Faults(_) | Self::Unreadable(_) => 3,
            Self::NoPage { .. } => 5,
            Self::Limit => 6,
            Self::Answer(code) | Self::Signal(code) => *code,
            Self::Interrupted(_) => 130,
        }
    }
}
