//! All settings of a question at once, for a person who goes from one to another.
//!
//! [`tune`](super::tune) answers about one setting, and replays two settings again for the pages that change. The survey watches every
//! page instead: it takes about 100 bytes more for each dropped page, and names the changes at any setting at once.

use dedup::Analyzer;
use storage::Store;

use super::answer::{Answer, ChangesAnswer};
use super::changes::Changes;
use super::labels_file::LabelsFile;
use super::question::Question;
use super::stored::{Crawl, Texts};
use super::{Found, Step, replay_all};
use crate::as_of::AsOf;
use crate::replay::{Grid, Replayed, Thresholds};
use config::settings::Settings;
use error::RunError;

/// The answer for the recommended setting, and what the answer for any other one needs.
#[derive(Debug)]
pub struct Survey {
    /// What `crawler tune` would print.
    pub answer: Answer,
    crawl: Crawl,
    grid: Grid,
    replayed: Replayed,
}

impl Survey {
    /// Replays `crawl` at every setting of the question. `open` opens the store for the texts of the sample, after the replay, which needs
    /// no store. `step` is called for each page, by several threads.
    ///
    /// # Errors
    /// The store cannot be read.
    pub fn make(
        open: impl Fn() -> Result<Store, RunError>,
        settings: &Settings,
        crawl: Crawl,
        labels: &LabelsFile,
        question: Question,
        step: &(impl Fn(Step) + Sync),
    ) -> Result<Self, RunError> {
        let grid = question.grid;
        let replayed = replay_all(settings, &crawl, &grid, |_| true, step)?;
        let sample = crawl.sample(question.sample);
        let analyzer = Analyzer::new(&settings.scheme);
        let store = open()?;
        let texts = Texts::new(&store, &crawl.pages, &analyzer);
        let found = Found::judge(&crawl, labels, &grid, &replayed, &sample, &texts, step);
        let as_of = AsOf::of(&store);
        drop(store);
        let chosen = found.recommendation.cell;
        let changes = Changes::of(&crawl, chosen, &replayed);
        let pairs = changes.without_texts(question.show, &crawl.pages);
        let changes = ChangesAnswer::new(&found.results[chosen], pairs);
        Ok(Self {
            answer: found.into_answer((&crawl, as_of), labels, &replayed, chosen, changes),
            crawl,
            grid,
            replayed,
        })
    }

    /// Whether the survey has a setting.
    pub fn has(&self, setting: Thresholds) -> bool {
        self.grid.place_of(setting).is_some()
    }

    /// The changes at a setting, at most `show` pairs of them, without their Jaccard indices; `None` if the survey has no such setting.
    pub fn changes_at(&self, setting: Thresholds, show: usize) -> Option<ChangesAnswer> {
        let cell = self.grid.place_of(setting)?;
        let changes = Changes::of(&self.crawl, cell, &self.replayed);
        let pairs = changes.without_texts(show, &self.crawl.pages);
        Some(ChangesAnswer::new(&self.answer.settings[cell], pairs))
    }
}
