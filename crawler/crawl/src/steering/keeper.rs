//! Brings the checkpoints of a run to the disk.
//!
//! A page from which the run learned may be taken back later. The run cannot unlearn it, so what it knows is no checkpoint any more. From then
//! on a thread makes the checkpoints: it continues from the last one as a later run would, and passes over the page.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::{self, JoinHandle};

use config::settings::SteeringSettings;
use storage::Store;

use super::Steering;
use super::checkpoint::{Checkpoint, Turn, Written, restore};
use super::replay::learn_rest;
use error::RunError;

/// Takes the checkpoints of the frontier, and has each of them written when a commit has all its pages. Neither the writing nor the learning
/// holds the caller up.
#[derive(Debug)]
pub(crate) struct Keeper {
    policy: SteeringSettings,
    /// It waits for a commit.
    waiting: Option<Checkpoint>,
    writer: Option<JoinHandle<()>>,
    learner: Option<Learner>,
}

/// The thread that learns again.
#[derive(Debug)]
struct Learner {
    must_end: Arc<AtomicBool>,
    thread: JoinHandle<Result<Option<Checkpoint>, RunError>>,
}

impl Keeper {
    /// Nothing is under way yet.
    pub fn new(policy: SteeringSettings) -> Self {
        Self {
            policy,
            waiting: None,
            writer: None,
            learner: None,
        }
    }

    /// Takes a checkpoint that may include pages without a commit.
    pub fn take(&mut self, checkpoint: Checkpoint) {
        self.waiting = Some(checkpoint);
    }

    /// Whether something is to be done when everything recorded so far is committed.
    pub fn is_waiting(&self) -> bool {
        let has_learned = |learner: &Learner| learner.thread.is_finished();
        self.waiting.is_some() || self.learner.as_ref().is_some_and(has_learned)
    }

    /// Everything recorded so far is committed.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn committed(&mut self, store: &Store) -> Result<(), RunError> {
        self.take_learned();
        let Some(checkpoint) = self.waiting.take() else {
            return Ok(());
        };
        let (turn, page) = (checkpoint.turn(), checkpoint.learned_to());
        let was_void = turn.is_void();
        match checkpoint.of(store)? {
            Some(written) => self.write(written),
            None if was_void => {}
            None => {
                tracing::debug!(page, "steering learned from a page that was taken back");
                self.learn_again(store, turn)?;
            }
        }
        Ok(())
    }

    fn write(&mut self, written: Written) {
        join(self.writer.take());
        match named("checkpoint").spawn(move || written.write()) {
            Ok(writer) => self.writer = Some(writer),
            Err(error) => tracing::warn!("no thread writes the checkpoint of steering: {error}"),
        }
    }

    /// Makes a checkpoint from the last one and the committed pages behind it.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn learn_again(&mut self, store: &Store, turn: Turn) -> Result<(), RunError> {
        let (store, policy) = (store.reader()?, self.policy.clone());
        let must_end = Arc::new(AtomicBool::new(false));
        let seen = must_end.clone();
        match named("relearn").spawn(move || learned(&store, policy, &turn, &seen)) {
            Ok(thread) => self.learner = Some(Learner { must_end, thread }),
            Err(error) => tracing::warn!("no thread makes a checkpoint of steering: {error}"),
        }
        Ok(())
    }

    /// Takes the checkpoint of the learner, if it has ended.
    fn take_learned(&mut self) {
        let Some(learner) = self.learner.take_if(|learner| learner.thread.is_finished()) else {
            return;
        };
        match join(Some(learner.thread)) {
            Some(Ok(checkpoint)) => self.waiting = checkpoint.or(self.waiting.take()),
            Some(Err(error)) => tracing::warn!("no checkpoint of steering: {error}"),
            None => {}
        }
    }

    /// Waits for the thread that writes, and has the one that learns end early.
    pub fn end(&mut self) {
        if let Some(learner) = self.learner.take() {
            learner.must_end.store(true, Ordering::Relaxed);
            let _unfinished = join(Some(learner.thread));
        }
        join(self.writer.take());
    }
}

/// What all pages teach, from the last checkpoint on. `None` if the thread must end, or if the run would [learn from too many
/// pages](Turn::may_learn_from).
fn learned(
    store: &Store,
    policy: SteeringSettings,
    turn: &Turn,
    must_end: &AtomicBool,
) -> Result<Option<Checkpoint>, RunError> {
    let mut steering = Steering::new(policy);
    restore(store, &mut steering)?;
    let goes_on = || !must_end.load(Ordering::Relaxed);
    if !turn.may_learn_from(steering.restored_to(), store.next_page_id()) || !learn_rest(store, &mut steering, goes_on)?
    {
        return Ok(None);
    }
    Ok(steering.checkpoint(0, turn))
}

fn named(name: &str) -> thread::Builder {
    thread::Builder::new().name(name.into())
}

/// A panic loses the checkpoint, and nothing else.
fn join<T>(thread: Option<JoinHandle<T>>) -> Option<T> {
    thread?.join().ok()
}
