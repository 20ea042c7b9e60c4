//! `crawler tune`: what other thresholds would have made of a crawl.
//!
//! [`crate::study::replay`] decides; here the crawl is read, the texts of a sample are fetched from the archive, and the answer is shown
//! and, on request, written to the configuration.

mod answer;
mod changes;
mod measured;
mod pairs;
mod plot;
mod read;
mod table;
mod words;
mod write;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use dedup::{Analyzer, Confirm, Layout, Width};

use crate::cli::arguments::{At, TuneArgs, TuneFormat};
use crate::cli::error::{Error, UsageError};
use crate::config::settings::Settings;
use crate::error::RunError;
use crate::live::progress::{Moment, Progress};
use crate::study::replay::{self, Cell, Grid, Recommendation};
use answer::Answer;
use changes::Changes;
use measured::Measured;
use pairs::ReadLabels;
use read::{Crawl, Texts};

/// Distances that are tried where none are named.
const DISTANCES: std::ops::RangeInclusive<u32> = 0..=10;

/// The place of the setting in force in every grid.
const IN_FORCE: usize = 0;

pub(super) fn execute(args: &TuneArgs, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::configuration::read(&args.config)?;
    let settings = super::configuration::validate(&config, path.clone())?;
    let grid = grid(args, &settings)?;
    let data = &args.data.data;
    for output in [&args.csv, &args.svg, &args.kept].into_iter().flatten() {
        super::store::reject_inside(data, output)?;
    }
    let store = super::store::open_to_read(data)?;
    if let Some((found, wanted)) = what_differs(store.scheme(), &settings.store_scheme()) {
        return Err(UsageError::Argument(format!(
            "their schemes differ: the crawl in {} has {found}, the configuration {wanted}: use the configuration of the crawl \
             (--config), or let crawler rebuild make it anew",
            data.display(),
        ))
        .into());
    }
    let width = settings.scheme.width;
    let steps = Steps::show(quiet);
    let crawl = Crawl::read(&store, || steps.step(READ))?;
    let labels = ReadLabels::read(
        args.pairs.as_deref(),
        &crawl.pages,
        &settings.canonicalize,
        &steps.progress,
    )?;
    let sample = replay::sample(&crawl.pages, args.sample);
    let is_watched = |page: usize| sample.binary_search(&page).is_ok() || labels.labels.speak_of(page);
    let replayed = replay::replay(
        &crawl.pages,
        width,
        &grid,
        settings.prefer_canonical,
        is_watched,
        || steps.step(REPLAYED),
    )
    .map_err(RunError::from)?;
    let analyzer = Analyzer::new(&settings.scheme);
    let texts = Texts::new(&store, &crawl.pages, &analyzer);
    let shingles_of = |page| texts.shingles(page);
    let judged = replay::judge(&crawl.pages, &replayed, &sample, &labels.labels, &shingles_of, &|| {
        steps.step(COMPARED);
    });
    let scored = replay::score(&grid, &judged);
    let contradicted = labels.labels.contradicted(&grid, &replayed);
    let mut contradictions = vec![0; grid.cells().len()];
    for (_, _, cells) in &contradicted {
        cells.iter().for_each(|cell| contradictions[cell] += 1);
    }
    let recommendation = replay::recommend(&grid, &judged, &scored, &contradictions);
    let chosen = chosen(args, &grid, &settings, &recommendation);
    let changes = Changes::find(&crawl.pages, width, &grid, chosen, &replayed, settings.prefer_canonical)?;
    let shown = changes.shown(args.show, &crawl.pages, &shingles_of);
    drop(steps);
    texts.complain(data);

    let measured = Measured::new(&grid, &replayed, &scored, &contradictions);
    if let Some(path) = &args.kept {
        write_file(path, &kept(&crawl, &replayed, chosen))?;
    }
    if let Some(path) = &args.csv {
        write_file(path, &table::csv(&grid, &measured))?;
    }
    if let Some(path) = &args.svg {
        write_file(path, &plot::svg(&grid, &measured))?;
    }
    let written = match args.write {
        true => Some(write::write(
            path.as_deref(),
            grid.cells()[IN_FORCE],
            grid.cells()[chosen],
        )?),
        false => None,
    };
    let answer = Answer {
        grid: &grid,
        crawl: &crawl,
        replayed: &replayed,
        measured: &measured,
        sampled: sample.len(),
        is_limited: args.sample < crawl.pages.len(),
        labels: &labels,
        contradicted: &contradicted,
        recommendation: &recommendation,
        chosen,
        changes: &changes,
        shown: &shown,
        written: written.as_ref(),
    };
    let text = match args.format {
        TuneFormat::Text => words::text(&answer),
        TuneFormat::Json => answer.json()?,
    };
    Ok(super::output::say(text.trim_end())?)
}

/// What one scheme has and the other has not, if they are not the same.
fn what_differs(found: &str, wanted: &str) -> Option<(String, String)> {
    if found == wanted {
        return None;
    }
    let only = |one: &str, other: &str| {
        let others: Vec<&str> = words(other).collect();
        let own: Vec<&str> = words(one).filter(|word| !others.contains(word)).collect();
        match own.is_empty() {
            true => "nothing of it".to_owned(),
            false => own.join(", "),
        }
    };
    Some((only(found, wanted), only(wanted, found)))
}

/// What parts the words of a scheme.
const SCHEME_MARKS: [char; 4] = [' ', ';', ':', '+'];

/// The words of a scheme, each of which says one thing.
fn words(scheme: &str) -> impl Iterator<Item = &str> {
    scheme
        .split(SCHEME_MARKS)
        .map(str::trim)
        .filter(|word| !word.is_empty())
}

/// The settings to try: the distances with each similarity, alone, and with the combined rule where that is in force.
fn grid(args: &TuneArgs, settings: &Settings) -> Result<Grid, UsageError> {
    let rule = &settings.rule;
    let width = settings.scheme.width;
    let mut distances = match args.distances.is_empty() {
        true => DISTANCES.filter(|distance| has_layout(width, *distance)).collect(),
        false => args.distances.clone(),
    };
    distances.push(rule.max_distance);
    let mut similarities = args.similarities.clone();
    if let Confirm::Sketch { min_similarity } = rule.confirm {
        similarities.push(min_similarity);
    }
    let at = args.at.map(|at| setting_at(at, rule.confirm)).transpose()?;
    distances.extend(at.map(|at| at.max_distance));
    for distance in &distances {
        Layout::for_distance(width, *distance)?;
    }
    if let Some(Confirm::Sketch { min_similarity }) = at.map(|at| at.confirm) {
        similarities.push(min_similarity);
    }
    distances.sort_unstable();
    distances.dedup();
    similarities.sort_by(f32::total_cmp);
    similarities.dedup();
    let mut cells = Vec::new();
    for &max_distance in &distances {
        let confirms = similarities
            .iter()
            .map(|&min_similarity| Confirm::Sketch { min_similarity });
        let confirms = confirms.chain([Confirm::Distance, rule.confirm]);
        cells.extend(confirms.map(|confirm| Cell { max_distance, confirm }));
    }
    Grid::new(rule, cells).map_err(|error| UsageError::Argument(error.to_string()))
}

fn has_layout(width: Width, distance: u32) -> bool {
    Layout::for_distance(width, distance).is_ok()
}

/// The setting that --at names, where `confirm` is in force.
fn setting_at(at: At, confirm: Confirm) -> Result<Cell, UsageError> {
    let confirm = match (confirm, at.min_similarity) {
        (Confirm::Sketch { .. }, Some(min_similarity)) => Confirm::Sketch { min_similarity },
        (confirm, None) => confirm,
        (_, Some(_)) => {
            return Err(UsageError::Argument(
                "by dedup.confirm in force no smallest similarity decides: name the distance alone with --at"
                    .to_owned(),
            ));
        }
    };
    Ok(Cell {
        max_distance: at.max_distance,
        confirm,
    })
}

/// The place of the setting to look at.
fn chosen(args: &TuneArgs, grid: &Grid, settings: &Settings, recommendation: &Recommendation) -> usize {
    let at = args.at.and_then(|at| setting_at(at, settings.rule.confirm).ok());
    at.and_then(|at| grid.place_of(at)).unwrap_or(recommendation.cell)
}

/// The URLs that a setting keeps, in the order they were decided.
fn kept(crawl: &Crawl, replayed: &replay::Replayed, cell: usize) -> String {
    let pages = crawl.pages.iter().zip(replayed.kept());
    let kept = pages.filter(|(_, kept)| kept.contains(cell));
    kept.fold(String::new(), |all, (page, _)| all + &page.url + "\n")
}

fn write_file(path: &std::path::Path, text: &str) -> Result<(), RunError> {
    let mut output = super::output::Output::open(Some(path))?;
    output.write(text)?;
    output.finish()
}

/// Shows how far it is.
struct Steps {
    done: Arc<[AtomicU64; 3]>,
    progress: Progress,
}

const READ: usize = 0;
const REPLAYED: usize = 1;
const COMPARED: usize = 2;
const STEPS: [&str; 3] = ["pages read", "pages replayed", "pages of the sample compared"];

impl Steps {
    fn show(quiet: bool) -> Self {
        let done: Arc<[AtomicU64; 3]> = Arc::default();
        let shown = done.clone();
        let progress = Progress::start(None, quiet, move |_now| {
            let counts = shown.iter().map(|count| count.load(Ordering::Relaxed));
            let counts = counts.zip(STEPS).filter(|(count, _)| *count > 0);
            let message: Vec<String> = counts.map(|(count, what)| format!("{count} {what}")).collect();
            Moment {
                position: 0,
                message: message.join(", "),
                is_urgent: false,
                more: Vec::new(),
            }
        });
        Self { done, progress }
    }

    fn step(&self, step: usize) {
        self.done[step].fetch_add(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_two_schemes_only_what_differs_is_told() {
        let of = |found: &str, wanted: &str| what_differs(found, wanted);
        let told = of(
            "simhash64 v1 words mask=dates floor=8; canonical-url/1:fragment+sort_query",
            "simhash128 v1 words mask=dates floor=8; canonical-url/1:fragment",
        );
        assert_eq!(
            told,
            Some(("simhash64, sort_query".to_owned(), "simhash128".to_owned()))
        );
        assert_eq!(
            of("a; b:c", "a; b:c+d"),
            Some(("nothing of it".to_owned(), "d".to_owned()))
        );
        assert_eq!(of("a", "a"), None);
    }
}
