//! The threads of the interpret stage: one per core for small pages, as many for large pages, and some that wait for the processes that read
//! documents.
//!
//! The threads of the slow lanes, and the processes, have a lower priority than the others. So they use what the others leave, and while
//! all cores are busy, a tenth or less: no page, however costly, takes more than that from the pages of other hosts.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::Receiver;
use tokio::sync::mpsc;
use web::fetch::{FetchError, Response};
use web::memory_budget::{Claim, MemoryBudget};

use super::Answer;
use super::network::held_bytes;
use super::reading_memory::ReadingMemory;
use crate::fair_queue::{FairReceiver, FairSender, Share};
use crate::interpret::{self, Interpreter, Lane};
use crate::messages::{Event, Meaning, Record, Task};
use crate::record_channel::RecordSender;
use crate::render::{Finished, RenderJob};
use crate::watch::{self, Watch, Watched};
use error::RunError;

/// Stack of a parse thread. html5ever and the walks over its tree are not recursive, but libraries below may be.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// Documents of one host that are read at a time: one for each core.
pub(super) fn documents_of_host() -> Share {
    Share::of(super::cores(1))
}

/// The threads that read large pages: one for each core. They take what the threads of small pages leave.
fn large_threads() -> usize {
    super::cores(1)
}

/// Large pages of a host that are read at a time. One thread is always free for another host, if there are two.
pub(super) fn large_pages_of_host() -> Share {
    Share {
        among_others: 1,
        alone: large_threads().saturating_sub(1).max(1),
    }
}

/// The threads that wait for processes that read documents. One thread, and its process, is always free for another host.
fn document_threads() -> usize {
    documents_of_host().alone + 1
}

/// The interpreter, and the channels that its threads send to.
#[derive(Clone)]
pub(super) struct ParseThreads {
    pub interpreter: Arc<Interpreter>,
    /// The queue of the large lane; `None` for a thread that may not hold it open.
    pub large: Option<FairSender<Answer>>,
    /// The queue of the documents; `None` as for `large`.
    pub documents: Option<FairSender<Answer>>,
    /// The memory of large pages while they are read.
    pub reading: ReadingMemory,
    /// The memory of pages that were read and are not recorded yet.
    pub read: MemoryBudget,
    pub runtime: tokio::runtime::Handle,
    pub records: RecordSender,
    pub events: mpsc::Sender<Event>,
    /// To the browser.
    pub jobs: mpsc::UnboundedSender<RenderJob>,
    pub watch: Watch,
}

impl ParseThreads {
    /// Starts the threads. They end when no sender of answers is left.
    pub fn start(
        self,
        small: &Receiver<Answer>,
        large: &FairReceiver<Answer>,
        documents: &FairReceiver<Answer>,
        rendered: Option<FairReceiver<Finished>>,
    ) -> Result<(), RunError> {
        // Each lane ends with the last thread of those before it, so no thread holds its own lane open, or one before it.
        let of_large = Self {
            large: None,
            ..self.clone()
        };
        let of_documents = Self {
            documents: None,
            ..of_large.clone()
        };
        if let Some(rendered) = rendered {
            let this = Self {
                jobs: mpsc::unbounded_channel().0,
                ..of_documents.clone()
            };
            let watched = self.watch.thread("parse-rendered", watch::LIMIT);
            start_thread("parse-rendered".into(), move || {
                this.interpret_rendered(&rendered, &watched)
            })?;
        }
        for number in 0..super::cores(1) {
            let (this, small) = (self.clone(), small.clone());
            let name = format!("parse-{number}");
            let watched = self.watch.thread(name.clone(), watch::LIMIT);
            start_thread(name, move || this.interpret_all(&small, &watched))?;
        }
        for number in 0..large_threads() {
            let (this, large) = (of_large.clone(), large.clone());
            let name = format!("parse-large-{number}");
            let watched = self.watch.thread(name.clone(), watch::LIMIT);
            start_thread(name, move || {
                this.interpret_slowly(&large, Lane::Large, &watched);
            })?;
        }
        for number in 0..document_threads() {
            let (this, documents) = (of_documents.clone(), documents.clone());
            let name = format!("documents-{number}");
            // A document has two tries, each in a process that may take long on a busy machine.
            let watched = self.watch.thread(name.clone(), 2 * watch::LIMIT);
            start_thread(name, move || {
                this.interpret_slowly(&documents, Lane::Documents, &watched);
            })?;
        }
        Ok(())
    }

    fn interpret_rendered(&self, rendered: &FairReceiver<Finished>, thread: &Watched) {
        priority::lower();
        rendered.work(|finished| {
            let queued = finished.job.queued.clone();
            let host = queued.host.clone();
            if self.events.blocking_send(Event::RenderingEnded { host }).is_err() {
                return false;
            }
            let unit = thread.begin();
            let meaning = catch_unwind(AssertUnwindSafe(|| self.interpreter.finished(finished)))
                .unwrap_or_else(|_panic| interpret::panicked_page(queued));
            drop(unit);
            self.pass_on(meaning)
        });
    }

    fn interpret_all(&self, answers: &Receiver<Answer>, thread: &Watched) {
        for (task, answer) in answers {
            if !self.interpret(task, answer, Lane::Small, thread) {
                return;
            }
        }
    }

    /// Interprets the answers of a slow lane, and tells the frontier when each of them has left it.
    fn interpret_slowly(&self, answers: &FairReceiver<Answer>, lane: Lane, thread: &Watched) {
        priority::lower();
        answers.work(|(task, answer)| {
            let left = Event::LaneLeft {
                host: task.host().to_owned(),
                bytes: held_bytes(&answer),
            };
            self.interpret(task, answer, lane, thread) && self.events.blocking_send(left).is_ok()
        });
    }

    /// Interprets an answer. Returns `false` if the next stage has ended.
    fn interpret(&self, task: Task, answer: Result<Response, FetchError>, lane: Lane, thread: &Watched) -> bool {
        let interpreter = &*self.interpreter;
        let span = tracing::debug_span!("interpret", url = %super::network::url(&task), ?lane).entered();
        // Only the large lane waits for memory: small pages take little, and documents are read by other processes.
        let unpacking = match lane {
            Lane::Large => self.wait(self.reading.unpack(interpreter.unpacking_bytes(&task, &answer))),
            Lane::Small | Lane::Documents => Claim::default(),
        };
        let opened = guarded(task.clone(), thread, || interpreter.open(task, answer, lane));
        let reading = match (lane, &opened) {
            (Lane::Large, Ok(opened)) => self.wait(self.reading.read(opened.reading_bytes())),
            _ => Claim::default(),
        };
        drop(unpacking);
        let meaning = match opened {
            Ok(opened) => guarded(opened.task().clone(), thread, || Ok(interpreter.interpret(opened))),
            Err(elsewhere) => Err(elsewhere),
        };
        drop(span);
        // The page keeps its claim until its record has one of its own.
        let goes_on = self.pass_on(meaning.unwrap_or_else(|elsewhere| *elsewhere));
        drop(reading);
        goes_on
    }

    fn wait(&self, claim: impl Future<Output = Claim>) -> Claim {
        self.runtime.block_on(claim)
    }

    /// Gives the result to the next stage. Returns `false` if that stage has ended.
    fn pass_on(&self, meaning: Meaning) -> bool {
        match meaning {
            Meaning::Record(record) => self.deliver(record),
            Meaning::Event(event) => self.events.blocking_send(event).is_ok(),
            Meaning::Blocked(queued) => {
                let blocked = Event::Blocked {
                    host: queued.host.clone(),
                    attempts: queued.attempts,
                };
                // The host must rest before the URL is queued again.
                self.events.blocking_send(blocked).is_ok() && self.deliver(interpret::tried_again(queued))
            }
            Meaning::Large(task, response) => self.hand_on(self.large.as_ref(), task, response),
            Meaning::Document(task, response) => self.hand_on(self.documents.as_ref(), task, response),
            Meaning::Render(job) => {
                let host = job.queued.host.clone();
                self.events.blocking_send(Event::RenderingBegan { host }).is_ok() && self.jobs.send(*job).is_ok()
            }
        }
    }

    /// Gives an answer to a slow lane. Never waits for that lane.
    fn hand_on(&self, lane: Option<&FairSender<Answer>>, task: Task, response: Response) -> bool {
        let host = task.host().to_owned();
        let answer = Ok(response);
        let entered = Event::LaneEntered {
            host: host.clone(),
            bytes: held_bytes(&answer),
        };
        let Some(lane) = lane else { return false };
        self.events.blocking_send(entered).is_ok() && lane.send(&host, (task, answer))
    }

    /// Waits until there is memory for the record, then frees the memory of its response, and sends the record on.
    /// Returns `false` if the recorder has ended.
    fn deliver(&self, mut record: Record) -> bool {
        let claim = self.wait(self.read.claim(record.held_bytes()));
        if let Record::Page(read) = &mut record {
            read.page.response.claim = Claim::default();
        }
        self.records.send((record, claim))
    }
}

/// A step of the interpreter. No input is known to make a parser panic. If one does, only that page fails, and the run continues.
fn guarded<T>(task: Task, thread: &Watched, step: impl FnOnce() -> Result<T, Box<Meaning>>) -> Result<T, Box<Meaning>> {
    let _unit = thread.begin();
    catch_unwind(AssertUnwindSafe(step)).unwrap_or_else(|_panic| Err(Box::new(interpret::panicked(task))))
}

fn start_thread(name: String, run: impl FnOnce() + Send + 'static) -> Result<(), RunError> {
    thread::Builder::new()
        .name(name)
        .stack_size(STACK_BYTES)
        .spawn(super::spans::within_current(run))
        .map(drop)
        .map_err(|source| RunError::io("start", "a parse thread", source))
}

/// The priority of the calling thread.
mod priority {
    /// Lowers it, as that of the processes that read documents. Linux gives each thread a priority of its own.
    #[cfg(target_os = "linux")]
    pub(super) fn lower() {
        if let Err(error) = rustix::process::setpriority_process(None, page::documents::NICENESS) {
            tracing::debug!(%error, "the priority of a thread stays as it is");
        }
    }

    /// Elsewhere, only whole processes have one.
    #[cfg(not(target_os = "linux"))]
    pub(super) fn lower() {}
}
