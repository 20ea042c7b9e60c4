//! The state of the server of a data folder, for its views.

use std::sync::Arc;

use axum::http::StatusCode;
use storage::Store;

use super::frame::{CrawlLine, Frame};
use super::guard::Guard;
use super::keeper::{Current, Keeper};
use super::labels::LabelsFile;
use super::program::Program;
use super::redecision::Redecision;
use super::reply::Refusal;
use super::steered::Steered;
use super::tuner::{NoSurvey, Tuner};
use crawl::stats::RunNow;
use study::tune::Survey;

/// The server's state.
#[derive(Debug)]
pub(super) struct Site {
    guard: Arc<Guard>,
    /// The fleet that the server shows, too: its servers and the name of its crawl.
    fleet: Option<String>,
    pub program: Arc<Program>,
    pub labels: LabelsFile,
    pub redecision: Arc<Redecision>,
    pub steered: Steered,
    tuner: Arc<Tuner>,
    keeper: Arc<Keeper>,
}

impl Site {
    pub fn new(guard: Arc<Guard>, program: Arc<Program>, fleet: Option<String>) -> Self {
        Self {
            guard,
            fleet,
            labels: LabelsFile::in_folder(&program.data),
            redecision: Redecision::new(program.clone()),
            steered: Steered::in_folder(&program.data),
            tuner: Tuner::new(program.clone()),
            keeper: Keeper::new(program.clone()),
            program,
        }
    }

    /// The model.
    ///
    /// # Errors
    /// It is not there yet.
    pub fn current(&self) -> Result<Current, Refusal> {
        let unavailable = |reason| Refusal::new(StatusCode::SERVICE_UNAVAILABLE, reason);
        self.keeper.current(!self.redecision.is_running()).map_err(unavailable)
    }

    /// The store, for one question.
    ///
    /// # Errors
    /// It cannot be opened, or all pages are being decided again.
    pub fn store(&self) -> Result<Store, Refusal> {
        if self.redecision.is_running() {
            let reason =
                "All pages are being decided again; the view Tune shows the progress. Ask again when it is done.";
            return Err(Refusal::new(StatusCode::CONFLICT, reason));
        }
        Ok(self.program.store()?)
    }

    /// The survey of all settings.
    ///
    /// # Errors
    /// It is being made, or cannot be made.
    pub fn survey(&self, current: &Current) -> Result<Arc<Survey>, Refusal> {
        self.tuner.survey(&current.model).map_err(|none| match none {
            NoSurvey::Making(progress) => Refusal::new(StatusCode::ACCEPTED, progress),
            NoSurvey::Failed(reason) => Refusal::new(StatusCode::CONFLICT, reason),
        })
    }

    /// What a crawl that runs does now; `None` if none runs, or if it does not say.
    pub fn run_now(&self) -> Option<RunNow> {
        let told = Store::told(&self.program.data).unwrap_or_else(|error| {
            tracing::debug!(%error, "the crawl does not say what it does");
            None
        });
        RunNow::from_bytes(&told?)
    }

    /// What stands around a view; without a model around a page that says why.
    pub fn frame(&self, view: &'static str, current: Option<&Current>) -> Frame<'_> {
        let standing = self.steered.now();
        Frame {
            view,
            journal_lines: standing.lines,
            token: self.guard.token(),
            data: Some(self.program.data.display().to_string()),
            fleet: self.fleet.as_deref(),
            crawl: current.map(|current| CrawlLine::of(current, standing.paused)),
        }
    }
}
