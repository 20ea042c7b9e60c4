//! The thread that reads the results of earlier runs for the frontier.

use std::thread::{self, JoinHandle};

use crossbeam_channel::{Receiver, Sender, bounded};
use tokio::sync::{mpsc, oneshot};

use crate::messages::{Errand, Event};
use crate::recall::Recall;
use crate::watch::{self, Watch, Watched};
use error::RunError;

/// The ends of the thread.
pub(super) struct Recalling {
    /// The errands to answer. The thread ends when it is dropped.
    pub errands: Sender<Errand>,
    /// The failure of the store; fails if the thread panics.
    pub failed: oneshot::Receiver<RunError>,
    /// The thread. Until it has ended, the database is open.
    pub thread: JoinHandle<()>,
}

/// Starts the thread. Each errand has a ticket, so that `window` of them have room.
///
/// # Errors
/// The thread cannot be started.
pub(super) fn start(
    recall: Recall,
    window: usize,
    events: mpsc::Sender<Event>,
    watch: &Watch,
) -> Result<Recalling, RunError> {
    let (errands, waiting) = bounded(window);
    let (failed_in, failed) = oneshot::channel();
    let watched = watch.thread("recall", watch::LIMIT);
    let thread = thread::Builder::new()
        .name("recall".into())
        .spawn(super::spans::within_current(move || {
            if let Err(error) = answer_all(&recall, &waiting, &events, &watched) {
                // The run may have ended for another reason.
                let _is_told = failed_in.send(error);
            }
        }))
        .map_err(|source| RunError::io("start", "the thread that reads the answers of earlier runs", source))?;
    Ok(Recalling {
        errands,
        failed,
        thread,
    })
}

/// Answers until no sender of errands is left, or the frontier has ended.
fn answer_all(
    recall: &Recall,
    errands: &Receiver<Errand>,
    events: &mpsc::Sender<Event>,
    thread: &Watched,
) -> Result<(), RunError> {
    for errand in errands {
        let unit = thread.begin();
        let event = recall.answer(errand)?;
        drop(unit);
        if events.blocking_send(event).is_err() {
            break;
        }
    }
    Ok(())
}
