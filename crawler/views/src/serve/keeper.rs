//! Keeps the model: reads it when the server starts, and again when the crawl or the configuration has changed.

use std::fs;
use std::path::Path;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::model::Model;
use super::program::Program;
use terminal::commands::command;

/// Least time from the end of a reading to the next one.
const PAUSE: Duration = Duration::from_secs(2);

/// Time for which a request waits for the first model.
const FIRST_WAIT: Duration = Duration::from_secs(3);

/// The model, and whether it is being read.
#[derive(Debug)]
pub(super) struct Keeper {
    program: Arc<Program>,
    state: Mutex<State>,
    has_read: Condvar,
}

#[derive(Debug, Default)]
struct State {
    model: Option<Arc<Model>>,
    /// What the model, or the failed attempt, was read from.
    mark: Option<Mark>,
    /// Why the last reading failed.
    problem: Option<String>,
    is_reading: bool,
    /// No reading begins before.
    not_before: Option<Instant>,
    readings: u64,
}

/// The model and its standing.
#[derive(Debug, Clone)]
pub(super) struct Current {
    pub model: Arc<Model>,
    /// Whether a newer model is being read.
    pub is_reading: bool,
    /// Why the model could not be read again.
    pub problem: Option<String>,
}

/// What changes when there is something new to read.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Mark {
    commit: Option<(Vec<u8>, SystemTime)>,
    configuration: Option<(u64, SystemTime)>,
}

impl Mark {
    fn of(data: &Path, configuration: Option<&Path>) -> Self {
        let changed_at = |path: &Path| {
            fs::metadata(path)
                .and_then(|found| Ok((found.len(), found.modified()?)))
                .ok()
        };
        let commit = data.join("last-commit");
        Self {
            commit: changed_at(&commit).and_then(|(_, at)| Some((fs::read(&commit).ok()?, at))),
            configuration: configuration.and_then(changed_at),
        }
    }
}

impl Keeper {
    /// A keeper that begins to read.
    pub fn new(program: Arc<Program>) -> Arc<Self> {
        let keeper = Arc::new(Self {
            program,
            state: Mutex::default(),
            has_read: Condvar::new(),
        });
        keeper.read_if_changed();
        keeper
    }

    /// The current model. Waits a moment for the first one. With `may_read`, begins to read a newer one.
    ///
    /// # Errors
    /// There is none yet; the sentence says why, or that it is being read.
    pub fn current(self: &Arc<Self>, may_read: bool) -> Result<Current, String> {
        if may_read {
            self.read_if_changed();
        }
        let state = self.lock();
        let is_awaited = |state: &mut State| state.model.is_none() && state.is_reading;
        let waited = self.has_read.wait_timeout_while(state, FIRST_WAIT, is_awaited);
        let (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        match &state.model {
            Some(model) => Ok(Current {
                model: model.clone(),
                is_reading: state.is_reading,
                problem: state.problem.clone(),
            }),
            None => Err(state
                .problem
                .clone()
                .unwrap_or_else(|| "The crawl is being read.".to_owned())),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a reading if there is something new, none is under way and the last one is long enough ago.
    fn read_if_changed(self: &Arc<Self>) {
        let configured = self.program.configuration_file();
        let mark = Mark::of(&self.program.data, configured.as_deref());
        let mut state = self.lock();
        let is_due = state.not_before.is_none_or(|at| Instant::now() >= at);
        let is_known = state.mark.as_ref() == Some(&mark) && state.problem.is_none();
        if state.is_reading || is_known || !is_due {
            return;
        }
        state.is_reading = true;
        state.readings += 1;
        let (keeper, number) = (self.clone(), state.readings);
        let started = std::thread::Builder::new()
            .name("model".into())
            .spawn(move || keeper.read(mark, number));
        if let Err(error) = started {
            state.is_reading = false;
            state.problem = Some(format!("cannot start a thread: {error}"));
        }
    }

    fn read(&self, mark: Mark, number: u64) {
        let began = Instant::now();
        // A panic of the database must not leave the views waiting.
        let read = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| Model::read(&self.program, number)));
        let read = read.unwrap_or_else(|_| {
            Err(format!(
                "the crawl cannot be read; find the damage: {}",
                command("verify", &[])
            ))
        });
        let mut state = self.lock();
        match read {
            Ok(model) => {
                state.model = Some(Arc::new(model));
                state.problem = None;
            }
            Err(problem) => state.problem = Some(problem),
        }
        state.mark = Some(mark);
        state.is_reading = false;
        // A reading takes processor time from a crawl that runs: at most a tenth.
        state.not_before = Some(Instant::now() + PAUSE.max(9 * began.elapsed()));
        self.has_read.notify_all();
    }
}
