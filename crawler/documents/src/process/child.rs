//! The child: reads documents until its standard input ends.

use std::io::{self, Write};
use std::process::ExitCode;
use std::sync::mpsc;
use std::thread;

use super::frame;
use crate::{Document, Fault, InThisThread, Kind, Limits, Reader};

/// Stack of the thread that reads. Parsers of PDF recurse, and their depth is bounded for such a stack.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// A document to read. Its bytes follow it in the frame.
pub(super) type Request = (Kind, Limits);

/// The main function of a child process: reads documents from standard input and writes what they say to standard output. Ends when its
/// input ends. `max_memory_bytes` bounds the address space of the process.
#[must_use]
pub fn serve(max_memory_bytes: u64) -> ExitCode {
    // The message of a panic is in the answer.
    std::panic::set_hook(Box::new(|_| {}));
    limit::priority();
    let (requests, waiting) = mpsc::sync_channel::<Vec<u8>>(1);
    // The thread exists before the bound does: its stack counts.
    let reader = thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(move || answer_all(&waiting));
    if let Err(error) = reader.map(drop).and_then(|()| limit::memory(max_memory_bytes)) {
        return failed(&error);
    }
    let mut input = io::stdin().lock();
    loop {
        match frame::read(&mut input) {
            // The process ends, and the reading with it.
            Ok(None) => return ExitCode::SUCCESS,
            Ok(Some(request)) => {
                if requests.send(request).is_err() {
                    return ExitCode::FAILURE;
                }
            }
            Err(error) => return failed(&error),
        }
    }
}

fn failed(error: &io::Error) -> ExitCode {
    // Standard error is all that is left to tell the parent.
    match writeln!(io::stderr(), "{error}") {
        Ok(()) | Err(_) => ExitCode::FAILURE,
    }
}

fn answer_all(requests: &mpsc::Receiver<Vec<u8>>) {
    let mut output = io::stdout().lock();
    for request in requests {
        let answer = answer(&request);
        drop(request);
        let written = postcard::to_stdvec(&answer).map_err(io::Error::other);
        if let Err(error) = written.and_then(|bytes| frame::write(&mut output, &[&bytes])) {
            // The parent is gone, or will be told by the end of the process.
            drop(writeln!(io::stderr(), "{error}"));
            std::process::exit(1);
        }
    }
}

fn answer(request: &[u8]) -> Result<Document, Fault> {
    let ((kind, limits), bytes) =
        postcard::take_from_bytes::<Request>(request).map_err(|error| Fault::Unavailable(error.to_string()))?;
    limit::time(limits.max_seconds).map_err(|error| Fault::Unavailable(error.to_string()))?;
    InThisThread.read(kind, bytes, &limits)
}

/// The bounds of the operating system.
#[cfg(unix)]
mod limit {
    use std::io;

    use rustix::process::{Resource, Rlimit, getrlimit, nice, setrlimit};
    use rustix::time::{ClockId, clock_gettime};

    /// Lowers the priority of this process. Threads that start later have the same.
    pub(super) fn priority() {
        // Without it, the child works all the same.
        let _lowered = nice(super::super::NICENESS);
    }

    /// Bounds the address space of this process.
    pub(super) fn memory(bytes: u64) -> io::Result<()> {
        set(Resource::As, bytes)?;
        // A core file of a hostile document would be as large as the bound.
        set(Resource::Core, 0)
    }

    /// Bounds the processor time of this process to that used so far, and so many seconds more. Then SIGXCPU ends the process.
    pub(super) fn time(seconds: u64) -> io::Result<()> {
        let used = clock_gettime(ClockId::ProcessCPUTime).tv_sec;
        set(Resource::Cpu, u64::try_from(used).unwrap_or_default() + seconds + 1)
    }

    fn set(resource: Resource, bound: u64) -> io::Result<()> {
        let maximum = getrlimit(resource).maximum;
        let current = Some(maximum.map_or(bound, |maximum| maximum.min(bound)));
        Ok(setrlimit(resource, Rlimit { current, maximum })?)
    }
}

/// Elsewhere, only the caller's patience bounds a child.
#[cfg(not(unix))]
mod limit {
    use std::io;

    pub(super) fn priority() {}

    pub(super) fn memory(_bytes: u64) -> io::Result<()> {
        Ok(())
    }

    pub(super) fn time(_seconds: u64) -> io::Result<()> {
        Ok(())
    }
}
