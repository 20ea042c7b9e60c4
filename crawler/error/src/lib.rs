//! What ends a command that cannot go on?
//!
//! Each error carries the path, URL or value that it is about, and says what to do. What goes wrong with one page is no error:
//! it is an outcome, which the report counts and shows.

use std::io;
use std::path::PathBuf;
use std::time::Duration;

use web::fetch::FetchError;

use terminal::commands::command;

/// The command could not go on: exit code 1.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// The store.
    #[error(transparent)]
    Storage(#[from] storage::StorageError),
    /// The dedup index.
    #[error("{source}{}", index_advice(source))]
    Dedup {
        /// What the index said.
        #[from]
        source: dedup::DedupError,
    },
    /// An index of documents.
    #[error(transparent)]
    Collection(#[from] dedup::CollectionError),
    /// An index of documents that is not the wanted one.
    #[error("{0}")]
    OtherIndex(String),
    /// The input is not as an interrupted run has read it.
    #[error("{0}")]
    OtherInput(String),
    /// The seeds file could not be read to its end.
    #[error("{0}")]
    Seeds(String),
    /// The fleet cannot be worked with.
    #[error("{0}")]
    Fleet(String),
    /// The folder of a worker of a fleet cannot be continued alone: its index knows the pages of all workers.
    #[error(
        "{} belongs to worker {worker} of a fleet: continue it with --fleet, or make one crawl of the folders of all workers with `crawler merge`",
        dir.display()
    )]
    WorkerAlone {
        /// The data folder.
        dir: PathBuf,
        /// The number of the worker.
        worker: u16,
    },
    /// A record could not be compressed.
    #[error("cannot compress a page for the archive: {0}")]
    Encode(#[source] io::Error),
    /// A signature could not be written or read.
    #[error("a signature in the catalogue cannot be read; restore the catalogue from the archive: {}", command("rebuild", &[]))]
    Signature(#[source] postcard::Error),
    /// The limit of open files is too low.
    #[error(transparent)]
    OpenFiles(#[from] web::open_files::TooFew),
    /// The limit on the address space is too low to begin.
    #[error(
        "the limit on the address space is {limit} (ulimit -v {}), and this command needs at least {needed} of it, although it uses much less \
         memory: raise it (ulimit -v {}), or bound the memory in use instead, for example by systemd-run --scope -p MemoryMax=2G",
        limit.0 / 1024, needed.0 / 1024
    )]
    AddressSpace {
        /// The limit.
        limit: Bytes,
        /// What the command needs.
        needed: Bytes,
    },
    /// The HTTP client.
    #[error("cannot set up the HTTP client: {0}")]
    Client(#[source] FetchError),
    /// A file or stream.
    #[error("cannot {action} {path}: {source}")]
    Io {
        /// `write`, `create`, …
        action: &'static str,
        /// The file, or a word for the stream.
        path: String,
        /// What the system said.
        source: io::Error,
    },
    /// An export.
    #[error(transparent)]
    Export(#[from] export::ExportError),
    /// The object store of WARC files.
    #[error(transparent)]
    Archive(#[from] archive::ArchiveError),
    /// A report could not be rendered.
    #[error("cannot render the report: {0}")]
    Render(String),
    /// What is to be looked at cannot be had.
    #[error("cannot read {what}: {reason}")]
    Unread {
        /// File or URL.
        what: String,
        /// Why not, in words.
        reason: String,
    },
    /// The store's texts were analysed otherwise than the configuration says.
    #[error(
        "{}: its fingerprints were made by the scheme {found}, the configuration says {wanted}: use the configuration of the crawl \
         (--config), or make them anew: {}", dir.display(), command("rebuild", &[])
    )]
    OtherScheme {
        /// The data folder.
        dir: PathBuf,
        /// The store's.
        found: String,
        /// The configuration's.
        wanted: String,
    },
    /// A stage of the pipeline ended before its time.
    #[error("the {0} stage ended unexpectedly; what was committed is safe, run the same command again")]
    Stage(&'static str),
    /// A thread stands still.
    #[error("{}; what was committed is safe, run the same command again", silence(what, *time, *is_stopping))]
    Silent {
        /// The thread, or what the run waited for.
        what: String,
        /// For how long.
        time: Duration,
        /// Whether a signal had asked the run to stop.
        is_stopping: bool,
    },
    /// `crawler verify` has findings.
    #[error("{}: {count} findings; each says what to do", dir.display())]
    NotSound {
        /// The data folder.
        dir: PathBuf,
        /// How many.
        count: u64,
    },
    /// The demo's report differs from its truth.
    #[error("{0} of the demo's pages came out otherwise than they should")]
    Mismatch(usize),
}

fn silence(what: &str, time: Duration, is_stopping: bool) -> String {
    let time = humantime::format_duration(Duration::from_secs(time.as_secs()));
    if is_stopping {
        format!("the run was asked to stop, but {what} has not answered for {time}; it ends without")
    } else {
        format!("{what} has not answered for {time}, so the run ends")
    }
}

/// A number of bytes, shown in MB.
#[derive(Debug, Clone, Copy)]
pub struct Bytes(pub u64);

impl std::fmt::Display for Bytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&terminal::units::bytes(self.0))
    }
}

/// What to do about an index that cannot be used.
fn index_advice(error: &dedup::DedupError) -> String {
    match error {
        dedup::DedupError::Corrupt(_) | dedup::DedupError::Signature(_) | dedup::DedupError::Sled(_) => {
            let rebuild = command("rebuild", &[]);
            format!(
                "; what was committed is safe: see to the disk and run again; if that fails again, make state and index anew from the \
                 archive: {rebuild}"
            )
        }
        // Only `crawler dedup` has such a file.
        dedup::DedupError::Spill { .. } => {
            "; name a folder on a disk with more space with --tmp, or allow more memory with --memory".to_owned()
        }
        _ => String::new(),
    }
}

impl RunError {
    /// An I/O error with what was tried.
    pub fn io(action: &'static str, path: impl ToString, source: io::Error) -> Self {
        Self::Io {
            action,
            path: path.to_string(),
            source,
        }
    }
}

/// An order about hosts, in the folder of one worker of a fleet, where it would not hold.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "this is the folder of worker {worker} of a fleet, where a host belongs to no worker for long, so `{order}` for one worker would not hold; {}",
    instead_of(order)
)]
pub struct OrderOfWorker {
    /// The word of the order.
    pub order: &'static str,
    /// The number of the worker.
    pub worker: u16,
}

/// What to do instead of an order of one worker.
fn instead_of(order: &str) -> &'static str {
    match order {
        "add" => "start a worker with a seeds file that has the URLs; the fleet divides them",
        "delay" => "set delay_ms in a [[host]] section of the configuration of all workers, and start them again",
        _ => "set scope.exclude in the configuration of all workers, and start them again",
    }
}
