//! Other thresholds for a crawl: the verdicts that each setting would give, an estimate of its precision and recall, and a
//! recommendation.
//!
//! [`replay`] decides again and judges. This module reads the crawl and the labels, collects the results and writes the
//! chosen setting to the configuration file.

mod answer;
mod changes;
mod config_file;
mod labels_file;
mod question;
mod reason;
mod stored;
mod survey;

use dedup::Analyzer;
use storage::Store;

use super::as_of::AsOf;
use super::replay::{self, CellSet, Grid, IN_FORCE, Recommendation, Replayed, Scored, Thresholds};
use answer::{ChangesAnswer, SampleSize, StoredVerdicts};
use changes::Changes;
use config::settings::Settings;
use error::RunError;
use stored::Texts;

pub use answer::{Answer, ChangedPair, LabelsAnswer, SettingResult};
pub use config_file::{NotWritten, Plan, Written, plan, write};
pub use labels_file::LabelsFile;
pub use question::{At, Least, Question, SIMILARITIES};
pub use reason::named;
pub use stored::Crawl;
pub use survey::Survey;

/// A unit of progress.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Step {
    /// A page was read.
    Read,
    /// A page was replayed.
    Replayed,
    /// A page of the sample was compared with its nearest pages.
    Compared,
}

/// The answer, and what the command does with it.
#[derive(Debug)]
pub struct Tuned<'a> {
    /// What the command prints.
    pub answer: Answer,
    /// The thresholds of the verdicts in the store.
    pub in_force: Thresholds,
    /// The setting of the question, else the recommended one.
    pub chosen: Thresholds,
    /// URLs of the pages that the chosen setting keeps, in the order of decision.
    pub kept: Vec<&'a str>,
    /// Number of stored texts that could not be read.
    pub unreadable: u64,
}

/// Replays the crawl at every setting of the question. `step` is called for each page, by several threads.
///
/// # Errors
/// The store cannot be read.
pub fn tune<'a>(
    store: &Store,
    settings: &Settings,
    crawl: &'a Crawl,
    labels: &LabelsFile,
    question: &Question,
    step: &(impl Fn(Step) + Sync),
) -> Result<Tuned<'a>, RunError> {
    let (pages, grid) = (&crawl.pages, &question.grid);
    let sample = crawl.sample(question.sample);
    let is_watched = |page: usize| sample.binary_search(&page).is_ok() || labels.labels.speak_of(page);
    let replayed = replay_all(settings, crawl, grid, is_watched, step)?;
    let analyzer = Analyzer::new(&settings.scheme);
    let texts = Texts::new(store, pages, &analyzer);
    let found = Found::judge(crawl, labels, grid, &replayed, &sample, &texts, step);
    let chosen = question
        .at
        .and_then(|at| grid.place_of(at))
        .unwrap_or(found.recommendation.cell);
    let (width, prefer_canonical) = (settings.scheme.width, settings.prefer_canonical);
    let changes = Changes::find(crawl, width, grid, chosen, &replayed, prefer_canonical)?;
    let pairs = changes.pairs(question.show, pages, &|page| texts.shingles(page));
    let changes = ChangesAnswer::new(&found.results[chosen], pairs);
    Ok(Tuned {
        answer: found.into_answer((crawl, AsOf::of(store)), labels, &replayed, chosen, changes),
        in_force: grid.cells()[IN_FORCE],
        chosen: grid.cells()[chosen],
        kept: kept(crawl, &replayed, chosen),
        unreadable: texts.unreadable(),
    })
}

/// The verdicts at every setting of a grid.
fn replay_all(
    settings: &Settings,
    crawl: &Crawl,
    grid: &Grid,
    is_watched: impl Fn(usize) -> bool,
    step: &impl Fn(Step),
) -> Result<Replayed, RunError> {
    let (width, prefer_canonical) = (settings.scheme.width, settings.prefer_canonical);
    let replayed = replay::replay(&crawl.pages, width, grid, prefer_canonical, is_watched, || {
        step(Step::Replayed)
    })?;
    Ok(replayed)
}

/// The results of all settings.
struct Found {
    results: Vec<SettingResult>,
    recommendation: Recommendation,
    contradicted: Vec<(usize, usize, CellSet)>,
    sample: SampleSize,
    in_force: Thresholds,
}

impl Found {
    fn judge(
        crawl: &Crawl,
        labels: &LabelsFile,
        grid: &Grid,
        replayed: &Replayed,
        sample: &[usize],
        texts: &Texts<'_>,
        step: &(impl Fn(Step) + Sync),
    ) -> Self {
        let shingles_of = |page| texts.shingles(page);
        let judged = replay::judge(&crawl.pages, replayed, sample, &labels.labels, &shingles_of, &|| {
            step(Step::Compared);
        });
        let scored = replay::score(grid, &judged);
        let contradicted = labels.labels.contradicted(grid, replayed);
        let contradictions = contradictions(grid, &contradicted);
        let recommendation = replay::recommend(grid, &judged, &scored, &contradictions);
        Self {
            results: results(
                grid,
                &replayed.kept()[crawl.elsewhere..],
                &scored,
                &contradictions,
                &recommendation,
            ),
            recommendation,
            contradicted,
            sample: SampleSize::new(sample.len(), &scored[IN_FORCE]),
            in_force: grid.cells()[IN_FORCE],
        }
    }

    fn into_answer(
        self,
        (crawl, as_of): (&Crawl, Option<AsOf>),
        labels: &LabelsFile,
        replayed: &Replayed,
        chosen: usize,
        changes: ChangesAnswer,
    ) -> Answer {
        Answer {
            as_of,
            pages: crawl.own(),
            of_other_workers: crawl.elsewhere,
            past_left_out: crawl.past,
            stored: stored_verdicts(crawl, replayed),
            in_force: self.in_force,
            sample: self.sample,
            labels: LabelsAnswer::new(labels, &self.contradicted, chosen, &crawl.pages),
            recommendation: reason::recommended(&self.results, &self.recommendation, labels.labels.pairs()),
            changes,
            settings: self.results,
            written: None,
        }
    }
}

/// For each cell, the number of labels that it contradicts.
fn contradictions(grid: &Grid, contradicted: &[(usize, usize, CellSet)]) -> Vec<usize> {
    let mut contradictions = vec![0; grid.cells().len()];
    for (_, _, cells) in contradicted {
        cells.iter().for_each(|cell| contradictions[cell] += 1);
    }
    contradictions
}

/// For each cell, its setting with all results. `kept` are the settings that keep each page.
fn results(
    grid: &Grid,
    kept: &[CellSet],
    scored: &[Scored],
    contradictions: &[usize],
    recommendation: &Recommendation,
) -> Vec<SettingResult> {
    let cells = grid.cells().iter().zip(scored).zip(contradictions).enumerate();
    let mut results: Vec<SettingResult> = cells
        .map(|(cell, ((thresholds, scored), contradicted))| {
            let mut result = SettingResult::new(*thresholds, scored, *contradicted);
            result.is_in_force = cell == IN_FORCE;
            result.is_recommended = cell == recommendation.cell;
            result
        })
        .collect();
    let all = grid.all();
    for kept in kept {
        let dropped = all.without(kept);
        dropped.iter().for_each(|cell| results[cell].dropped += 1);
        if kept.contains(IN_FORCE) {
            dropped.iter().for_each(|cell| results[cell].newly_dropped += 1)
        } else {
            kept.iter().for_each(|cell| results[cell].newly_kept += 1)
        }
    }
    results
}

fn stored_verdicts(crawl: &Crawl, replayed: &Replayed) -> StoredVerdicts {
    let is_kept = &crawl.is_kept[crawl.elsewhere..];
    let kept = is_kept.iter().filter(|kept| **kept).count();
    let both = replayed.kept()[crawl.elsewhere..].iter().zip(is_kept);
    StoredVerdicts {
        kept,
        dropped: crawl.own() - kept,
        as_replayed: both
            .filter(|(replayed, stored)| replayed.contains(IN_FORCE) == **stored)
            .count(),
    }
}

fn kept<'a>(crawl: &'a Crawl, replayed: &Replayed, cell: usize) -> Vec<&'a str> {
    let pages = crawl.pages.iter().zip(replayed.kept()).skip(crawl.elsewhere);
    let kept = pages.filter(|(_, kept)| kept.contains(cell));
    kept.map(|(page, _)| &*page.url).collect()
}
