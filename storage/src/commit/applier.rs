//! The thread that applies commits, so that the owner of the store goes on meanwhile.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::mpsc::{Receiver, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::Commit;
use super::apply::{Application, Target};
use crate::batch::panic_message;
use crate::error::StorageError;
use crate::folder::Mark;
use crate::state::LastCommit;
use crate::warc::record::now_ms;
use crate::warc::writer::{Waiting, Writing};

/// A commit, and what it is applied to.
pub(crate) struct Job {
    pub commit: Arc<Commit>,
    pub target: Target,
    /// What else the thread writes; `None` if the owner does it.
    pub beside: Option<Beside>,
    /// What else the thread does when the commit is durable.
    pub then: Option<Deferred>,
}

/// Work for the thread that is not the store's.
pub(crate) type Deferred = Box<dyn FnOnce() + Send>;

/// What is written before the rows and after them.
pub(crate) struct Beside {
    pub records: Writing,
    pub mark: Mark,
}

impl Job {
    /// Makes the commit durable, and says how long that took. Readers in other processes see all of it or nothing.
    pub fn run(self) -> Result<Duration, StorageError> {
        let start = Instant::now();
        if let Some(Beside { records, .. }) = &self.beside {
            records.run()?;
        }
        self.write_rows()?;
        if let Some(Beside { mark, .. }) = &self.beside {
            mark.put(self.target.after.commit)?;
        }
        let took = start.elapsed();
        self.then.into_iter().for_each(|errand| errand());
        Ok(took)
    }

    /// As [`run`](Self::run), with a panic as an error, because the owner of the store reports it.
    fn run_guarded(self) -> Result<Duration, StorageError> {
        let state = self.target.state.clone();
        let result = catch_unwind(AssertUnwindSafe(|| self.run()));
        result.unwrap_or_else(|panic| {
            let message = panic_message(panic.as_ref());
            Err(StorageError::sled_panic(state.dir(), message))
        })
    }

    fn write_rows(&self) -> Result<(), StorageError> {
        let state = &self.target.state;
        let mut last = state.begin_commit()?;
        Application::new(&self.target).apply(&self.commit)?;
        state.flush()?;
        *last = LastCommit {
            number: self.target.after.commit,
            at_ms: now_ms(),
        };
        Ok(())
    }
}

/// What the thread does.
enum Work {
    Run(Box<Job>),
    /// Frees an applied commit: its rows are many small pieces of memory, which takes as long as a part of the work.
    Free(Arc<Commit>, Option<Arc<Waiting>>),
}

/// The thread. It ends with this handle, after the commit that it applies.
pub(crate) struct Applier {
    /// `None` only while the handle is dropped.
    work: Option<Sender<Work>>,
    /// Behind a lock only because threads share a store to read it.
    results: Mutex<Receiver<Result<Duration, StorageError>>>,
    thread: Option<JoinHandle<()>>,
}

impl Applier {
    /// Starts the thread.
    pub fn start() -> std::io::Result<Self> {
        let (work, received) = channel();
        let (results, ended) = channel();
        let thread = std::thread::Builder::new().name("commit".into()).spawn(move || {
            for work in received {
                match work {
                    Work::Free(commit, records) => drop((commit, records)),
                    Work::Run(job) => {
                        if results.send(job.run_guarded()).is_err() {
                            break;
                        }
                    }
                }
            }
        })?;
        Ok(Self {
            work: Some(work),
            results: Mutex::new(ended),
            thread: Some(thread),
        })
    }

    /// Applies a commit. The caller takes the result before it gives the next one.
    pub fn apply(&self, job: Job) {
        self.give(Work::Run(Box::new(job)));
    }

    /// Frees a commit and its records.
    pub fn free(&self, commit: Arc<Commit>, records: Option<Arc<Waiting>>) {
        self.give(Work::Free(commit, records));
    }

    fn give(&self, work: Work) {
        if let Some(sender) = &self.work {
            // Without the thread there is no result either, which the caller learns when it waits.
            let _no_thread = sender.send(work);
        }
    }

    /// The result of the commit, if it has ended. `Halted` if the thread has died.
    pub fn result(&mut self) -> Option<Result<Duration, StorageError>> {
        match self.results().try_recv() {
            Ok(result) => Some(result),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Disconnected) => Some(Err(StorageError::Halted)),
        }
    }

    /// Waits for the result of the commit.
    pub fn wait(&mut self) -> Result<Duration, StorageError> {
        self.results().recv().unwrap_or(Err(StorageError::Halted))
    }

    fn results(&mut self) -> &Receiver<Result<Duration, StorageError>> {
        self.results.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Applier {
    fn drop(&mut self) {
        self.work = None;
        if let Some(thread) = self.thread.take() {
            // A panic of the thread has printed its message.
            let _panicked = thread.join();
        }
    }
}
