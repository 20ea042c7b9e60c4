//! The threads of the interpret stage: one per core for small pages, and one for large pages.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

use crossbeam_channel::{Receiver, Sender, bounded};
use tokio::sync::mpsc;
use web::memory_budget::{Claim, MemoryBudget};

use super::{Answer, WeighedRecord};
use crate::crawl::interpret::{self, Interpreter, Lane};
use crate::crawl::messages::{Event, Meaning, Record};
use crate::crawl::render::{Finished, RenderJob};
use crate::crawl::watch::{self, Watch, Watched};
use crate::error::RunError;

/// Stack of a parse thread. html5ever and the walks over its tree are not recursive, but libraries below may be.
const STACK_BYTES: usize = 16 * 1024 * 1024;

/// The interpreter, and the channels that its threads send to.
#[derive(Clone)]
pub(super) struct ParseThreads {
    pub interpreter: Arc<Interpreter>,
    /// The channel to the large lane.
    pub large: Sender<Answer>,
    /// The memory of pages that were read and are not recorded yet.
    pub read: MemoryBudget,
    pub runtime: tokio::runtime::Handle,
    pub records: Sender<WeighedRecord>,
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
        large: &Receiver<Answer>,
        rendered: Option<Receiver<Finished>>,
    ) -> Result<(), RunError> {
        if let Some(rendered) = rendered {
            self.start_thread_for_rendered(rendered)?;
        }
        for number in 0..super::cores(1) {
            self.start_thread(format!("parse-{number}"), small, Lane::Small)?;
        }
        self.start_thread("parse-large".into(), large, Lane::Large)
    }

    fn start_thread(&self, name: String, answers: &Receiver<Answer>, lane: Lane) -> Result<(), RunError> {
        let (mut this, answers) = (self.clone(), answers.clone());
        let watched = self.watch.thread(name.clone(), watch::LIMIT);
        if lane == Lane::Large {
            // The thread must not hold its own channel open: it ends with the last thread of the small lane.
            this.large = bounded(0).0;
        }
        thread::Builder::new()
            .name(name)
            .stack_size(STACK_BYTES)
            .spawn(move || this.interpret_all(&answers, lane, &watched))
            .map(drop)
            .map_err(|source| RunError::io("start", "a parse thread", source))
    }

    /// The thread for the pages that come back from the browser.
    fn start_thread_for_rendered(&self, rendered: Receiver<Finished>) -> Result<(), RunError> {
        let mut this = self.clone();
        // The thread must hold neither the channel of the large lane nor that of the browser open: both end before it.
        this.large = bounded(0).0;
        this.jobs = mpsc::unbounded_channel().0;
        let watched = self.watch.thread("parse-rendered", watch::LIMIT);
        thread::Builder::new()
            .name("parse-rendered".into())
            .stack_size(STACK_BYTES)
            .spawn(move || this.interpret_rendered(&rendered, &watched))
            .map(drop)
            .map_err(|source| RunError::io("start", "a parse thread", source))
    }

    fn interpret_rendered(&self, rendered: &Receiver<Finished>, thread: &Watched) {
        for finished in rendered {
            let queued = finished.job.queued.clone();
            let host = queued.host.clone();
            if self.events.blocking_send(Event::RenderingEnded { host }).is_err() {
                return;
            }
            let unit = thread.begin();
            let meaning = catch_unwind(AssertUnwindSafe(|| self.interpreter.finished(finished)))
                .unwrap_or_else(|_panic| interpret::panicked_page(queued));
            drop(unit);
            if !self.pass_on(meaning) {
                return;
            }
        }
    }

    fn interpret_all(&self, answers: &Receiver<Answer>, lane: Lane, thread: &Watched) {
        for (task, answer) in answers {
            let spare = task.clone();
            let unit = thread.begin();
            // No input is known to make a parser panic. If one does, only that page fails, and the run continues.
            let meaning = catch_unwind(AssertUnwindSafe(|| self.interpreter.interpret(task, answer, lane)))
                .unwrap_or_else(|_panic| interpret::panicked(spare));
            drop(unit);
            if !self.pass_on(meaning) {
                return;
            }
        }
    }

    /// Gives the result to the next stage. Returns `false` if that stage has ended.
    fn pass_on(&self, meaning: Meaning) -> bool {
        match meaning {
            Meaning::Record(record) => self.deliver(record),
            Meaning::Event(event) => self.events.blocking_send(event).is_ok(),
            Meaning::Large(task, response) => self.large.send((task, Ok(response))).is_ok(),
            Meaning::Render(job) => {
                let host = job.queued.host.clone();
                self.events.blocking_send(Event::RenderingBegan { host }).is_ok() && self.jobs.send(*job).is_ok()
            }
        }
    }

    /// Waits until there is memory for the record, then frees the memory of its response, and sends the record on.
    /// Returns `false` if the recorder has ended.
    fn deliver(&self, mut record: Record) -> bool {
        let claim = self.runtime.block_on(self.read.claim(record.held_bytes()));
        if let Record::Page(read) = &mut record {
            read.page.response.claim = Claim::default();
        }
        self.records.send((record, claim)).is_ok()
    }
}
