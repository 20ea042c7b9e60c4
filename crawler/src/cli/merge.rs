//! `crawler merge`

mod verdicts;

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use archive::Archive;
use storage::{MergeSource, OpenOptions, Rebuild, RebuildStep, Rebuilt};

use super::rebuild;
use crate::cli::arguments::MergeArgs;
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use crawl::exceptions::Exceptions;
use error::RunError;
use study::given_verdicts::GivenVerdicts;
use terminal::commands::command;
use terminal::tell::tell;
use terminal::units::{bytes, counted};
use views::live::progress::{Moment, Progress};

pub(super) fn execute(args: &MergeArgs, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::configuration::read(&args.config)?;
    let settings = super::configuration::validate(&config, path)?;
    let shown = Shown::start(quiet);
    let sources = sources(args, &shown)?;
    let mut merge = begin(args, &sources, &settings, &shown)?;
    shown.end();
    rebuild::fetch_undecided_again(&mut merge);
    merge.fetch_elsewhere_again(rebuild::host_of).map_err(RunError::from)?;
    let redecided = if let Some(folder) = &args.verdicts {
        let source = folder.display().to_string();
        let mut given = GivenVerdicts::begin(&mut merge, source)?;
        verdicts::read(folder, quiet, |row| given.give(row))?;
        Some(given.end()?)
    } else if args.redecide {
        let scheme = scheme_to_redecide_by(&merge, &settings)?;
        // A new folder has no labels.
        let exceptions = Exceptions::default();
        Some(rebuild::redecide(
            &mut merge,
            &settings,
            &scheme,
            &exceptions,
            quiet,
            &|_| {},
        )?)
    } else {
        None
    };
    let shown = Shown::start(quiet);
    let done = merge.finish(&mut |step| shown.show(step)).map_err(RunError::from)?;
    shown.end();
    let incoming = args.data.join(INCOMING);
    if incoming.is_dir() {
        fs::remove_dir_all(&incoming).map_err(|source| RunError::io("remove", incoming.display(), source))?;
    }
    super::output::say(&describe(args, sources.len(), &done, redecided.as_ref()))?;
    Ok(())
}

/// The folder in the new data folder for the files of object stores, until the merge is complete.
const INCOMING: &str = "incoming";

/// The folders to merge. Copies the files of object stores to the disk.
fn sources(args: &MergeArgs, shown: &Shown) -> Result<Vec<MergeSource>, RunError> {
    let mut sources = Vec::new();
    for (at, name) in args.sources.iter().enumerate() {
        if name.contains("://") {
            let to = args.data.join(INCOMING).join(at.to_string());
            sources.extend(fetched(name, &to, shown)?);
        } else {
            let (dir, name) = (PathBuf::from(name), name.clone());
            sources.push(MergeSource { dir, name });
        }
    }
    Ok(sources)
}

/// Copies the WARC files under a URL to the folder `to`, a folder for each data folder there. Keeps the files that are there already.
fn fetched(url: &str, to: &Path, shown: &Shown) -> Result<Vec<MergeSource>, RunError> {
    let archive = Archive::open(url)?;
    let files = archive.files()?;
    if files.is_empty() {
        return Err(RunError::Unread {
            what: archive.url().to_owned(),
            reason: "it holds no WARC file of a crawl".to_owned(),
        });
    }
    let of = files.iter().map(|file| file.bytes).sum();
    let (mut done, mut sources) = (0, Vec::<MergeSource>::new());
    for file in &files {
        let dir = to.join(format!("folder-{}", file.folder.replace('/', "_")));
        fs::create_dir_all(&dir).map_err(|source| RunError::io("make the folder", dir.display(), source))?;
        let path = dir.join(&file.name);
        if !fs::metadata(&path).is_ok_and(|there| there.len() == file.bytes) {
            archive.get(file, &path)?;
        }
        done += file.bytes;
        shown.show(RebuildStep::Brought { bytes: done, of });
        if sources.last().is_none_or(|source| source.dir != dir) {
            let name = format!("{}/{}", archive.url(), file.folder);
            sources.push(MergeSource { dir, name });
        }
    }
    Ok(sources)
}

fn begin(args: &MergeArgs, sources: &[MergeSource], settings: &Settings, shown: &Shown) -> Result<Rebuild, RunError> {
    let options = OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        compression: Some(settings.storage.compression),
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
    let schemes = merge.decided_schemes().schemes();
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
            RebuildStep::Copied { rows } => (rows, format!("{rows} rows copied")),
            RebuildStep::Problem(problem) => return self.progress.aside(|| tell(problem)),
        };
        *self.message.lock().unwrap_or_else(PoisonError::into_inner) = (position, message);
    }

    fn end(self) {}
}

fn describe(args: &MergeArgs, folders: usize, done: &Rebuilt, redecided: Option<&rebuild::Redecision>) -> String {
    let mut lines = vec![
        format!(
            "Merged {} into {} from {} WARC files: {} pages, {} of them kept, {} later visits",
            counted(folders as u64, "folder"),
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
