//! Prepares the survey of all settings, in the background: the first time that somebody looks at it, and again when the crawl, the
//! configuration or the labels have changed. A crawl that runs moves on faster than a survey is made, so its last survey serves for a while.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::model::Model;
use super::program::Program;
use config::settings::Settings;
use crawl::labels;
use study::scheme;
use study::tune::{Crawl, LabelsFile, Question, SIMILARITIES, Step, Survey};
use terminal::units::grouped;

/// The sample of `crawler tune`.
const SAMPLE: usize = 3_000;

/// Pairs in the answer for the recommended setting.
const SHOWN: usize = 20;

/// Least time for which the survey of a running crawl serves.
const SERVES: Duration = Duration::from_secs(10);

/// The survey, and what it was made from.
#[derive(Debug)]
pub(super) struct Tuner {
    program: Arc<Program>,
    state: Mutex<State>,
    /// Pages read, replayed, compared.
    steps: [AtomicU64; 3],
}

#[derive(Debug, Default)]
struct State {
    made: Option<Made>,
    is_making: bool,
}

/// The last survey, or why there is none.
#[derive(Debug)]
struct Made {
    survey: Result<Arc<Survey>, String>,
    of: Source,
    /// While a crawl runs, no newer one is made before.
    serves_until: Instant,
}

impl Made {
    fn serves(&self, source: &Source, is_running: bool) -> bool {
        let is_like_it = self.of.rule == source.rule && self.of.labels == source.labels;
        self.of == *source || is_running && is_like_it && Instant::now() < self.serves_until
    }
}

/// The model, the rule in force and the labels.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Source {
    model: u64,
    rule: String,
    labels: Option<(u64, std::time::SystemTime)>,
}

/// There is no survey now.
#[derive(Debug)]
pub(super) enum NoSurvey {
    /// It is being made; how far, in words.
    Making(String),
    /// It cannot be made; why.
    Failed(String),
}

impl Tuner {
    pub fn new(program: Arc<Program>) -> Arc<Self> {
        Arc::new(Self {
            program,
            state: Mutex::default(),
            steps: [const { AtomicU64::new(0) }; 3],
        })
    }

    /// The survey of a model with the labels of now. Begins to make it if there is none.
    pub fn survey(self: &Arc<Self>, model: &Arc<Model>) -> Result<Arc<Survey>, NoSurvey> {
        let labels = std::fs::metadata(labels::path_in(&self.program.data));
        let source = Source {
            model: model.number,
            rule: model.settings.rule.to_string(),
            labels: labels
                .ok()
                .and_then(|found| Some((found.len(), found.modified().ok()?))),
        };
        let mut state = self.lock();
        let is_running = model.report.as_of.is_some();
        if let Some(made) = state.made.as_ref().filter(|made| made.serves(&source, is_running)) {
            return made.survey.clone().map_err(NoSurvey::Failed);
        }
        if !state.is_making {
            state.is_making = true;
            self.steps.iter().for_each(|count| count.store(0, Ordering::Relaxed));
            let (tuner, model) = (self.clone(), model.clone());
            let started = std::thread::Builder::new()
                .name("survey".into())
                .spawn(move || tuner.make(source, &model));
            if let Err(error) = started {
                state.is_making = false;
                return Err(NoSurvey::Failed(format!("cannot start a thread: {error}")));
            }
        }
        drop(state);
        Err(NoSurvey::Making(self.progress()))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn progress(&self) -> String {
        let [read, replayed, compared] = [0, 1, 2].map(|at| grouped(self.steps[at].load(Ordering::Relaxed)));
        format!("Trying all settings: {read} pages read, {replayed} replayed, {compared} of the sample compared.")
    }

    fn make(&self, source: Source, model: &Model) {
        let began = Instant::now();
        // A panic of the database must not leave the view waiting.
        let make = std::panic::AssertUnwindSafe(|| self.survey_of(&model.settings));
        let made = std::panic::catch_unwind(make);
        let made = made.unwrap_or_else(|_| Err("the crawl cannot be read; crawler verify finds the damage".to_owned()));
        let mut state = self.lock();
        state.made = Some(Made {
            survey: made.map(Arc::new),
            of: source,
            // As with the model: at most a tenth of the time.
            serves_until: Instant::now() + SERVES.max(9 * began.elapsed()),
        });
        state.is_making = false;
    }

    fn survey_of(&self, settings: &Settings) -> Result<Survey, String> {
        let step = |step| {
            let at = match step {
                Step::Read => 0,
                Step::Replayed => 1,
                Step::Compared => 2,
            };
            self.steps[at].fetch_add(1, Ordering::Relaxed);
        };
        let question = Question::new(settings, &[], &SIMILARITIES, None).map_err(|error| error.to_string())?;
        let question = Question {
            sample: SAMPLE,
            show: SHOWN,
            ..question
        };
        let store = self.program.store().map_err(|error| error.to_string())?;
        if let Some((found, wanted)) = scheme::difference(store.scheme(), &settings.store_scheme()) {
            return Err(format!(
                "The schemes differ: only the crawl has {found}; only the configuration has {wanted}. Start crawler serve with the \
                 configuration of the crawl (--config), or run crawler rebuild to make the fingerprints again."
            ));
        }
        let crawl = Crawl::read(&store, step).map_err(|error| error.to_string())?;
        drop(store);
        let mut labels = LabelsFile::default();
        let path = labels::path_in(&self.program.data);
        if path.exists() {
            let read = labels.read(&path, &crawl.pages, &settings.canonicalize);
            read.map_err(|error| format!("cannot read {}: {error}", path.display()))?;
        }
        let open = || self.program.store();
        Survey::make(open, settings, crawl, &labels, question, &step).map_err(|error| error.to_string())
    }
}
