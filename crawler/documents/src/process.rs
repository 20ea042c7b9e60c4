//! Reading in child processes that can be given up.
//!
//! ```text
//! caller ─▶ Pool ─▶ Worker ─▶ stdin  ┊ watcher ─▶ reader thread     child process: the same program,
//!            ▲        │      stdout  ┊ ◀───────────── answer        memory and processor time bounded
//!            └────────┘              ┊
//! ```
//!
//! A child lives for many documents. It has four bounds:
//!
//! - **Memory**: `RLIMIT_AS`. An allocation beyond it fails, and the child aborts. A child that has read other documents may have used up
//!   part of it, so the document gets a second try in a new child.
//! - **Time**: `RLIMIT_CPU`, set anew for each document, and the patience of the caller, who kills the child.
//! - **Priority**: [`NICENESS`]. While the cores are busy with other work, a child gets less than a tenth of a core.
//! - **Its parent**: the child reads its standard input in a thread that does nothing else, and ends at once when the input ends. So it
//!   ends with its parent, also when the parent is killed, and also in the middle of a document.
//!
//! The bounds of the operating system hold on Unix. Elsewhere, only the patience of the caller does.

mod child;
mod frame;
mod worker;

pub use child::serve;
pub use worker::FRUGAL;

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::{Document, Fault, InThisThread, Kind, Limits, Reader};
use worker::Worker;

/// Child processes that read documents, as many as the pool was made for. They start when they are needed.
#[derive(Debug)]
pub struct Pool {
    program: PathBuf,
    arguments: Vec<OsString>,
    size: usize,
    state: Mutex<State>,
    returned: Condvar,
}

#[derive(Debug, Default)]
struct State {
    idle: Vec<Worker>,
    /// Workers, idle or not.
    workers: usize,
}

/// The niceness of the child, and of threads whose work is of the same kind. Linux gives a thread of this niceness 110 parts of a core where
/// a usual one gets 1,024: less than a tenth.
pub const NICENESS: i32 = 10;

/// A child is replaced after so many documents, so that what a parser leaves behind does not add up.
const DOCUMENTS_OF_A_CHILD: usize = 200;

impl Pool {
    /// A pool of at most `size` children. `program` with `arguments` must call [`serve`].
    #[must_use]
    pub fn new(program: PathBuf, arguments: Vec<OsString>, size: usize) -> Self {
        Self {
            program,
            arguments,
            size: size.max(1),
            state: Mutex::default(),
            returned: Condvar::new(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// An idle child, or a new one; waits while all are busy.
    fn take(&self, limits: &Limits) -> Result<Worker, Fault> {
        let mut state = self.state();
        loop {
            if let Some(worker) = state.idle.pop() {
                return Ok(worker);
            }
            if state.workers < self.size {
                state.workers += 1;
                drop(state);
                return self.start(limits).inspect_err(|_| self.leave());
            }
            state = self.returned.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }

    fn start(&self, limits: &Limits) -> Result<Worker, Fault> {
        Worker::start(&self.program, &self.arguments, limits.max_memory_bytes)
            .map_err(|error| Fault::Unavailable(error.to_string()))
    }

    /// Makes room for another child.
    fn leave(&self) {
        self.state().workers -= 1;
        self.returned.notify_one();
    }

    fn give_back(&self, worker: Worker) {
        if worker.documents() >= DOCUMENTS_OF_A_CHILD {
            drop(worker);
            return self.leave();
        }
        self.state().idle.push(worker);
        self.returned.notify_one();
    }

    fn read_in_child(&self, kind: Kind, bytes: &Arc<[u8]>, limits: &Limits) -> Result<Document, Fault> {
        let mut worker = self.take(limits)?;
        loop {
            let is_used = worker.documents() > 0;
            match worker.read(kind, bytes, limits) {
                Ok(read) => {
                    self.give_back(worker);
                    return read;
                }
                // What earlier documents left behind may have taken the memory, or the child may have been killed while it was idle.
                Err(died) if is_used && died.may_be_of_earlier() => {
                    drop(worker);
                    worker = self.start(limits).inspect_err(|_| self.leave())?;
                }
                Err(died) => {
                    drop(worker);
                    self.leave();
                    tracing::info!(
                        kind = kind.name(),
                        bytes = bytes.len(),
                        ?died,
                        "a process that read a document was given up"
                    );
                    return Err(died.fault(limits));
                }
            }
        }
    }
}

impl Reader for Pool {
    fn read(&self, kind: Kind, bytes: &[u8], limits: &Limits) -> Result<Document, Fault> {
        if kind.is_dangerous() {
            self.read_in_child(kind, &Arc::from(bytes), limits)
        } else {
            InThisThread.read(kind, bytes, limits)
        }
    }
}
