//! What ends a command, with its exit code.

use std::io;
use std::path::PathBuf;

use crate::config::ConfigError;
use crate::config::settings::InvalidSetting;
use crate::crawl::seeds::SeedsError;
use crate::error::RunError;
use crate::files::InputError;
use crate::live::log;
use crate::live::status::NotListening;

/// Called with something unusable: exit code 2.
#[derive(Debug, thiserror::Error)]
pub enum UsageError {
    /// The configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A value of the configuration, with where it comes from.
    #[error("{origin}: {source}")]
    Setting {
        /// The file and line, the environment variable, or a word for neither.
        origin: String,
        /// The key and what is wrong with its value.
        source: InvalidSetting,
    },
    /// The seeds.
    #[error(transparent)]
    Seeds(#[from] SeedsError),
    /// A scheme of the command line.
    #[error(transparent)]
    Scheme(#[from] dedup::InvalidScheme),
    /// A distance that no layout finds.
    #[error(transparent)]
    Layout(#[from] dedup::LayoutError),
    /// A file that cannot be read.
    #[error("cannot read {}: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// A line that is not what it should be.
    #[error("{}, line {number}: {reason}", path.display())]
    BadLine {
        /// The file.
        path: PathBuf,
        /// Counted from 1.
        number: u64,
        /// What is wrong with it.
        reason: String,
    },
    /// An argument, or several that do not go together.
    #[error("{0}")]
    Argument(String),
    /// The log file.
    #[error(transparent)]
    Log(#[from] log::Unwritable),
    /// The address of the status page.
    #[error(transparent)]
    Status(#[from] NotListening),
    /// The files to be read.
    #[error(transparent)]
    Input(#[from] InputError),
    /// Two outputs are one.
    #[error("--output and --kept cannot both be {0}")]
    SameOutput(String),
    /// A folder that must be empty is not.
    #[error("{} is not empty; give a new folder, the demo starts from nothing", .0.display())]
    NotEmpty(PathBuf),
}

/// What a command ends with that did not go well, for `main`.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// Exit code 2.
    #[error(transparent)]
    Usage(#[from] UsageError),
    /// Exit code 1.
    #[error(transparent)]
    Run(#[from] RunError),
    /// Exit code 3: the work is done, but for what could not be read of its input.
    #[error("{0} of the inputs' lines, records or files could not be read; the rest is done")]
    Faults(u64),
    /// Exit code 3: all but these pages is exported.
    #[error("{0} of the pages could not be read from the archive and are left out; the rest is exported")]
    Unreadable(u64),
    /// The command did its work; its exit code is its answer.
    #[error("exit code {0}")]
    Answer(u8),
    /// Exit code 130, as of a process that Ctrl-C ended: what was done stays where the message says.
    #[error("{0}")]
    Interrupted(String),
}

impl Error {
    /// Whether it says only that something ended, not why.
    #[must_use]
    pub fn is_unexplained(&self) -> bool {
        matches!(self, Self::Run(RunError::Stage(_)))
    }

    /// The exit code that it ends with.
    #[must_use]
    pub fn exit_code(&self) -> u8 {
        match self {
            Self::Usage(_) => 2,
            Self::Run(_) => 1,
            Self::Faults(_) | Self::Unreadable(_) => 3,
            Self::Answer(code) => *code,
            Self::Interrupted(_) => 130,
        }
    }
}
