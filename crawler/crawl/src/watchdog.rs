//! The thread that looks whether a thread of the run stands still, and that hears the signals.
//!
//! It has a runtime of its own, so it answers although all other threads stand still. A silent thread ends the run with an error. If the
//! loop of the run does not take the error, because it is itself silent, the process ends at once: a kill at any instant loses nothing
//! that was committed.

use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use tokio::sync::{mpsc, oneshot};

use super::messages::Event;
use super::stats::Stats;
use super::watch::{LOOK_EVERY, Silence, Watch};
use error::RunError;
use terminal::tell::tell;

/// How long the run may take to end after a thread was found silent.
const LAST_GRACE: Duration = Duration::from_secs(10);

/// How long the last message may take: standard error may be what somebody waits for.
const LAST_WORDS: Duration = Duration::from_secs(1);

/// Exit code of a run that failed.
const FAILED: i32 = 1;

/// The thread. It ends when this is dropped.
#[derive(Debug)]
pub(crate) struct Watchdog {
    /// Dropping it ends the thread.
    running: Option<oneshot::Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

/// What stops a run in order.
pub(crate) struct Stops<S> {
    /// The user's wish.
    pub wish: S,
    /// The time that the run has.
    pub max_duration: Option<Duration>,
}

impl Watchdog {
    /// Starts the thread, and returns the receiver of the thread that stands still. Turns a stop into the event for the frontier.
    ///
    /// # Errors
    /// The thread cannot be started.
    pub fn start<S>(
        watch: Watch,
        stops: Stops<S>,
        events: mpsc::Sender<Event>,
        stats: Arc<Stats>,
    ) -> Result<(Self, oneshot::Receiver<Silence>), RunError>
    where
        S: Future<Output = ()> + Send + 'static,
    {
        let failed = |source| RunError::io("start", "the thread that watches over the others", source);
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(failed)?;
        let (running, ended) = oneshot::channel();
        let (silent_in, silent) = oneshot::channel();
        let thread = thread::Builder::new().name("watchdog".into()).spawn(move || {
            runtime.block_on(async move {
                tokio::spawn(forward_stop(stops, watch.clone(), events, stats));
                watch_until(&watch, ended, silent_in).await;
            });
        });
        let watchdog = Self {
            running: Some(running),
            thread: Some(thread.map_err(failed)?),
        };
        Ok((watchdog, silent))
    }
}

impl Drop for Watchdog {
    fn drop(&mut self) {
        drop(self.running.take());
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            tracing::debug!("the thread that watches over the others panicked");
        }
    }
}

async fn watch_until(watch: &Watch, mut ended: oneshot::Receiver<()>, silent_in: oneshot::Sender<Silence>) {
    let silence = tokio::select! {
        _ = &mut ended => return,
        silence = silence(watch) => silence,
    };
    // The run may have ended just now.
    let _is_running = silent_in.send(silence.clone());
    if tokio::time::timeout(LAST_GRACE, ended).await.is_err() {
        let error = RunError::from(silence);
        thread::spawn(move || tell(format_args!("crawler: {error}")));
        thread::sleep(LAST_WORDS);
        std::process::exit(FAILED);
    }
}

/// Completes when a thread stands still.
async fn silence(watch: &Watch) -> Silence {
    let mut looked = Instant::now();
    loop {
        tokio::time::sleep(LOOK_EVERY).await;
        let elapsed = looked.elapsed();
        looked = Instant::now();
        if let Some(silence) = watch.look(elapsed) {
            return silence;
        }
    }
}

/// Turns the user's wish, or the end of the run's time, into the event that stops the frontier.
async fn forward_stop<S>(stops: Stops<S>, watch: Watch, events: mpsc::Sender<Event>, stats: Arc<Stats>)
where
    S: Future<Output = ()>,
{
    let time_is_up = async {
        match stops.max_duration {
            Some(time) => tokio::time::sleep(time).await,
            None => std::future::pending().await,
        }
    };
    tokio::select! { () = stops.wish => {}, () = time_is_up => {} }
    watch.stops();
    stats.set_stopping();
    if events.send(Event::Stop).await.is_err() {
        tracing::debug!("asked to stop after the end of the run");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_watchdog_ends_with_the_run_and_hands_a_stop_on() {
        let (events_in, mut events) = mpsc::channel(1);
        let stats = Arc::new(Stats::default());
        let stops = Stops {
            wish: std::future::ready(()),
            max_duration: None,
        };
        let (watchdog, silent) = Watchdog::start(Watch::default(), stops, events_in, stats.clone()).unwrap();
        assert!(matches!(events.blocking_recv(), Some(Event::Stop)));
        drop(watchdog);
        assert!(silent.blocking_recv().is_err(), "nothing was silent");
    }

    #[test]
    fn a_silent_thread_reaches_the_run() {
        let watch = Watch::new(Some(Duration::ZERO));
        let thread = watch.thread("recorder", Duration::MAX);
        let _unit = thread.begin();
        let stops = Stops {
            wish: std::future::pending(),
            max_duration: None,
        };
        let (events_in, _events) = mpsc::channel(1);
        let (watchdog, silent) = Watchdog::start(watch, stops, events_in, Arc::default()).unwrap();
        assert_eq!(silent.blocking_recv().unwrap().what, "the thread `recorder`");
        drop(watchdog);
    }
}
