//! `crawler merge`

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};

use storage::{MergeSource, OpenOptions, Rebuild, RebuildStep, Rebuilt, Redecided};

use super::rebuild;
use crate::cli::arguments::MergeArgs;
use crate::cli::error::{Error, UsageError};
use crate::config::settings::Settings;
use crate::error::RunError;
use crate::live::progress::{Moment, Progress};
use crate::terminal::commands::command;
use crate::terminal::tell::tell;
use crate::terminal::units::bytes;

pub(super) fn execute(args: &MergeArgs, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::configuration::read(&args.config)?;
    let settings = super::configuration::validate(&config, path)?;
    let sources = sources(args);
    let shown = Shown::start(quiet);
    let mut merge = begin(args, &sources, &settings, &shown)?;
    shown.end();
    rebuild::fetch_undecided_again(&mut merge);
    let redecided = match args.redecide {
        true => {
            let scheme = scheme_to_redecide_by(&merge, &settings)?;
            Some(rebuild::redecide(&mut merge, &settings, &scheme, quiet, &|_| {})?)
        }
        false => None,
    };
    let shown = Shown::start(quiet);
    let done = merge.finish(&mut |step| shown.show(step)).map_err(RunError::from)?;
    shown.end();
    super::output::say(&describe(args, &done, redecided.as_ref()))?;
    Ok(())
}

fn sources(args: &MergeArgs) -> Vec<MergeSource> {
    let sources = args.sources.iter().map(|name| MergeSource {
        dir: PathBuf::from(name),
        name: name.clone(),
        is_a_copy: false,
    });
    sources.collect()
}

fn begin(args: &MergeArgs, sources: &[MergeSource], settings: &Settings, shown: &Shown) -> Result<Rebuild, RunError> {
    let options = OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        // Applies only if no archive names a scheme.
        scheme: Some(settings.store_scheme()),
        command: "crawler merge".to_owned(),
        ..OpenOptions::existing()
    };
    let merge = storage::merge(&args.data, sources, args.redecide, &options, &mut |step| {
        shown.show(step);
    });
    Ok(merge?)
}

/// The scheme of the merged folder. The rules for URLs stay those of the crawls, because the queue depends on them.
fn scheme_to_redecide_by(merge: &Rebuild, settings: &Settings) -> Result<String, Error> {
    let schemes = merge.schemes();
    let rules = schemes.iter().filter_map(|scheme| Some(scheme.split_once("; ")?.1));
    let rules: std::collections::BTreeSet<&str> = rules.collect();
    if rules.len() > 1 {
        return Err(UsageError::Argument(format!(
            "the crawls wrote their URLs by different rules of [canonicalize], so a page may have two URLs in the merged crawl ({}): merge \
             crawls of the same rules",
            rules.into_iter().collect::<Vec<_>>().join(" · ")
        ))
        .into());
    }
    Ok(match rules.first() {
        Some(rules) => format!("{}; {rules}", settings.scheme.id()),
        None => settings.store_scheme(),
    })
}

/// What a merge shows on the terminal while it works.
struct Shown {
    message: Arc<Mutex<(u64, String)>>,
    progress: Progress,
}

impl Shown {
    fn start(quiet: bool) -> Self {
        let message = Arc::new(Mutex::new((0, String::new())));
        let read = message.clone();
        let progress = Progress::start(None, quiet, move |_now| {
            let (position, message) = read.lock().unwrap_or_else(PoisonError::into_inner).clone();
            Moment {
                position,
                message,
                ..Moment::default()
            }
        });
        Self { message, progress }
    }

    fn show(&self, step: RebuildStep) {
        let (position, message) = match step {
            RebuildStep::Brought { bytes: done, of } => (done, format!("{} of {} in place", bytes(done), bytes(of))),
            RebuildStep::Read { bytes: done, of } => (done, format!("{} of {} read", bytes(done), bytes(of))),
            RebuildStep::State(dir) => (0, format!("reading the state of {}", dir.display())),
            RebuildStep::Problem(problem) => return self.progress.aside(|| tell(problem)),
        };
        *self.message.lock().unwrap_or_else(PoisonError::into_inner) = (position, message);
    }

    fn end(self) {}
}

fn describe(args: &MergeArgs, done: &Rebuilt, redecided: Option<&Redecided>) -> String {
    let folders = args.sources.len();
    let mut lines = vec![
        format!(
            "Merged {folders} {} into {} from {} WARC files: {} pages, {} of them kept, {} later visits",
            if folders == 1 { "folder" } else { "folders" },
            args.data.display(),
            done.files,
            done.pages,
            done.kept,
            done.visits
        ),
        format!("  {} URLs are queued for the next run", done.queued),
    ];
    lines.extend(rebuild::of_redecision(redecided));
    lines.extend(rebuild::of_losses(done));
    lines.push(format!("  to see it: {}", command("report", &[])));
    lines.join("\n")
}
