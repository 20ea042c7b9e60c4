//! A child process, seen from its parent.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, ExitStatus, Stdio};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::thread;
use std::time::Duration;

use super::frame;
use crate::{Document, Fault, Kind, Limits};

/// The environment of a process whose address space is bounded. Allocators reserve far more of it than they use: mimalloc a GiB at a
/// time, glibc 128 MiB for each thread. A child has only these variables, and learns no secret from one.
pub const FRUGAL: [(&str, &str); 2] = [("MIMALLOC_ARENA_RESERVE", "0"), ("MALLOC_ARENA_MAX", "1")];

/// Bytes of the child's last words that are read.
const MAX_LAST_WORDS: u64 = 64 * 1024;

/// How a child ended while it read a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Died {
    /// Its time was over.
    Time,
    /// An allocation failed.
    Memory,
    /// In another way.
    Otherwise(String),
}

impl Died {
    pub(super) fn may_be_of_earlier(&self) -> bool {
        !matches!(self, Self::Time)
    }

    pub(super) fn fault(self, limits: &Limits) -> Fault {
        match self {
            Self::Time => Fault::TookTooLong {
                seconds: limits.max_seconds,
            },
            Self::Memory => Fault::OutOfMemory {
                limit: limits.max_memory_bytes,
            },
            Self::Otherwise(reason) => Fault::Crashed(reason),
        }
    }
}

/// A document to read.
struct Job {
    kind: Kind,
    limits: Limits,
    bytes: Arc<[u8]>,
}

/// A running child. Dropping it ends the child.
#[derive(Debug)]
pub(super) struct Worker {
    child: Child,
    errors: Option<ChildStderr>,
    /// To the thread that speaks with the child. The caller can then wait for a bounded time.
    jobs: Option<Sender<Job>>,
    answers: Receiver<io::Result<Result<Document, Fault>>>,
    documents: usize,
}

impl Worker {
    pub(super) fn start(program: &Path, arguments: &[OsString], max_memory_bytes: u64) -> io::Result<Self> {
        let mut child = Command::new(program)
            .args(arguments)
            .arg(max_memory_bytes.to_string())
            .env_clear()
            .envs(FRUGAL)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let (Some(mut input), Some(mut output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(io::Error::other("the process has no pipes"));
        };
        let errors = child.stderr.take();
        let (jobs, waiting) = channel::<Job>();
        let (answer, answers) = channel();
        let talker = thread::Builder::new().name("documents".into()).spawn(move || {
            for job in waiting {
                let read = exchange(&mut input, &mut output, &job);
                let is_over = read.is_err();
                if answer.send(read).is_err() || is_over {
                    return;
                }
            }
        });
        let mut worker = Self {
            child,
            errors,
            jobs: Some(jobs),
            answers,
            documents: 0,
        };
        match talker {
            Ok(_) => Ok(worker),
            Err(error) => {
                worker.kill();
                Err(error)
            }
        }
    }

    /// Number of documents that it has read.
    pub(super) fn documents(&self) -> usize {
        self.documents
    }

    pub(super) fn read(
        &mut self,
        kind: Kind,
        bytes: &Arc<[u8]>,
        limits: &Limits,
    ) -> Result<Result<Document, Fault>, Died> {
        self.documents += 1;
        let job = Job {
            kind,
            limits: *limits,
            bytes: Arc::clone(bytes),
        };
        let is_sent = self.jobs.as_ref().is_some_and(|jobs| jobs.send(job).is_ok());
        let patience = Duration::from_secs(limits.max_seconds * Limits::WALL_FACTOR);
        let answer = if is_sent {
            self.answers.recv_timeout(patience)
        } else {
            Err(RecvTimeoutError::Disconnected)
        };
        match answer {
            Ok(Ok(read)) => Ok(read),
            Err(RecvTimeoutError::Timeout) => {
                self.kill();
                Err(Died::Time)
            }
            Ok(Err(_)) | Err(RecvTimeoutError::Disconnected) => Err(self.how_it_died()),
        }
    }

    fn how_it_died(&mut self) -> Died {
        self.kill();
        let status = self.child.wait();
        let mut words = Vec::new();
        let read = self
            .errors
            .take()
            .map(|errors| errors.take(MAX_LAST_WORDS).read_to_end(&mut words));
        let words = match read {
            Some(Ok(_)) => String::from_utf8_lossy(&words).into_owned(),
            _ => String::new(),
        };
        match status {
            Ok(status) if is_out_of_time(status) => Died::Time,
            _ if words.contains("memory allocation of") => Died::Memory,
            _ if words.contains("overflowed its stack") => Died::Otherwise("its elements are too deep".into()),
            Ok(status) => Died::Otherwise(format!("the process ended with {status}")),
            Err(error) => Died::Otherwise(error.to_string()),
        }
    }

    /// Ends the child. One that ended by itself keeps its status.
    fn kill(&mut self) {
        // Its end closes the pipes, and so ends the thread that speaks with it.
        if let Err(error) = self.child.kill() {
            tracing::debug!(%error, "a child had ended");
        }
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        drop(self.jobs.take());
        self.kill();
        if let Err(error) = self.child.wait() {
            tracing::debug!(%error, "a child could not be waited for");
        }
    }
}

fn exchange(input: &mut impl io::Write, output: &mut impl Read, job: &Job) -> io::Result<Result<Document, Fault>> {
    let head = postcard::to_stdvec(&(job.kind, job.limits)).map_err(io::Error::other)?;
    frame::write(input, &[&head, &job.bytes])?;
    let answer = frame::read(output)?.ok_or(io::ErrorKind::UnexpectedEof)?;
    postcard::from_bytes(&answer).map_err(io::Error::other)
}

/// Whether the bound on the processor time ended the process.
#[cfg(unix)]
fn is_out_of_time(status: ExitStatus) -> bool {
    use std::os::unix::process::ExitStatusExt;

    status.signal() == Some(rustix::process::Signal::XCPU.as_raw())
}

#[cfg(not(unix))]
fn is_out_of_time(_status: ExitStatus) -> bool {
    false
}
