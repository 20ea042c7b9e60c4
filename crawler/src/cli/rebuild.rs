//! `crawler rebuild`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use storage::{Discovered, OpenOptions, Rebuild, RebuildStep, Rebuilt, Redecided};
use url::Url;
use web::host_key::HostKey;

use crate::cli::arguments;
use crate::cli::error::{Error, UsageError};
use crate::config::settings::Settings;
use crate::error::RunError;
use crate::live::progress::{Moment, Progress};
use crate::study::redecide;
use crate::terminal::commands::command;
use crate::terminal::tell::tell;
use crate::terminal::units::bytes;

pub(super) fn execute(args: &arguments::RebuildArgs, quiet: bool) -> Result<(), Error> {
    super::output::say(&rebuild(args, quiet, &|_| {})?)?;
    Ok(())
}

/// How far a rebuild is.
#[derive(Debug, Clone, Copy)]
pub(super) enum Step {
    /// Bytes of the archive were read.
    Read { bytes: u64, of: u64 },
    /// Pages were decided.
    Decided { pages: u64, of: u64 },
}

/// Rebuilds, and returns the result in words.
pub(super) fn rebuild(
    args: &arguments::RebuildArgs,
    quiet: bool,
    watch: &(dyn Fn(Step) + Sync),
) -> Result<String, Error> {
    let (config, path) = super::configuration::read(&args.config)?;
    let settings = super::configuration::validate(&config, path.clone())?;
    let mut rebuild = read_archive(args, &settings, quiet, watch)?;
    fetch_undecided_again(&mut rebuild);
    let redecided = match scheme_to_redecide_by(&rebuild, &settings, path.is_some(), args.redecide)? {
        Some(scheme) => Some(redecide(&mut rebuild, &settings, &scheme, quiet, watch)?),
        None => None,
    };
    let done = rebuild
        .finish(&mut |step| {
            if let RebuildStep::Problem(problem) = step {
                tell(problem);
            }
        })
        .map_err(RunError::from)?;
    let dir = args.data.data.display().to_string();
    Ok(describe(&done, redecided.as_ref(), &dir))
}

/// Reads the WARC files, with progress on standard error.
fn read_archive(
    args: &arguments::RebuildArgs,
    settings: &Settings,
    quiet: bool,
    watch: &dyn Fn(Step),
) -> Result<Rebuild, RunError> {
    let (read, total) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (shown, shown_total) = (read.clone(), total.clone());
    let progress = Progress::start(None, quiet, move |_now| {
        let position = shown.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!(
                "{} of {} read",
                bytes(position),
                bytes(shown_total.load(Ordering::Relaxed))
            ),
            ..Moment::default()
        }
    });
    let options = OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        // Applies only if the archive names no scheme. Without --config it stays open, because the next run would reject a wrong one.
        scheme: args.config.config.is_some().then(|| settings.store_scheme()),
        command: "crawler rebuild".to_owned(),
        ..OpenOptions::existing()
    };
    let rebuild = Rebuild::begin(&args.data.data, &options, &mut |step| match step {
        RebuildStep::Read { bytes, of } => {
            read.store(bytes, Ordering::Relaxed);
            total.store(of, Ordering::Relaxed);
            watch(Step::Read { bytes, of });
        }
        RebuildStep::Problem(problem) => progress.aside(|| tell(problem)),
        // Steps of a merge.
        RebuildStep::Brought { .. } | RebuildStep::State(_) => {}
    });
    Ok(rebuild?)
}

/// Queues the URLs of records without a verdict.
pub(super) fn fetch_undecided_again(rebuild: &mut Rebuild) {
    for url in rebuild.take_undecided() {
        if let Some(host) = Url::parse(&url).ok().as_ref().and_then(HostKey::from_url) {
            let host = host.as_str().to_owned();
            rebuild.fetch_again(Discovered {
                url,
                host,
                ..Discovered::default()
            });
        }
    }
}

/// The scheme of the new state if all pages need a new verdict, otherwise `None`.
///
/// They need one if the user asks for it, if the configuration file has another scheme than the crawl, or if the archive mixes verdicts
/// of different schemes. The rules for URLs stay, because the queue depends on them.
fn scheme_to_redecide_by(
    rebuild: &Rebuild,
    settings: &Settings,
    has_file: bool,
    is_requested: bool,
) -> Result<Option<String>, Error> {
    let configured = settings.scheme.id();
    let schemes = rebuild.schemes();
    let url_rules = schemes.iter().find_map(|scheme| Some(scheme.split_once("; ")?.1));
    let Some(url_rules) = url_rules else {
        // The archive does not name its URL rules, so the rebuild keeps its verdicts unless the user asks for new ones.
        return Ok(is_requested.then(|| settings.store_scheme()));
    };
    let is_other = schemes
        .iter()
        .any(|scheme| scheme.split_once("; ").is_none_or(|(scheme, _)| scheme != configured));
    if rebuild.is_mixed() && !has_file && !is_requested {
        return Err(UsageError::Argument(format!(
            "a rebuild of this crawl once gave all pages a new verdict, and the archive holds only the earlier verdicts and those of pages \
             crawled later ({}): give the configuration for the verdicts with --config, or use the built-in one with --redecide",
            schemes.into_iter().collect::<Vec<_>>().join(" · ")
        ))
        .into());
    }
    let is_due = is_requested || rebuild.is_mixed() || has_file && (is_other || rebuild.has_unreadable_head());
    Ok(is_due.then(|| format!("{configured}; {url_rules}")))
}

pub(super) fn redecide(
    rebuild: &mut Rebuild,
    settings: &Settings,
    scheme: &str,
    quiet: bool,
    watch: &dyn Fn(Step),
) -> Result<Redecided, Error> {
    let counts = rebuild.store().counts();
    let pages = counts.fetched() + counts.gone;
    let decided = Arc::new(AtomicU64::new(0));
    let shown = decided.clone();
    let progress = Progress::start(Some(pages), quiet, move |_now| {
        let position = shown.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!("{position} of {pages} pages decided"),
            is_urgent: false,
            more: Vec::new(),
        }
    });
    let redecided = redecide::redecide(rebuild, settings, scheme, |done| {
        decided.store(done, Ordering::Relaxed);
        watch(Step::Decided { pages: done, of: pages });
    })?;
    drop(progress);
    Ok(redecided)
}

fn describe(done: &Rebuilt, redecided: Option<&Redecided>, dir: &str) -> String {
    let mut lines = vec![
        format!(
            "Rebuilt {dir} from {} WARC files: {} pages, {} of them kept, {} later visits",
            done.files, done.pages, done.kept, done.visits
        ),
        format!(
            "  {} outlinks are queued; the next run asks again for redirects, failures, robots.txt and sitemaps, which the archive \
             does not hold",
            done.queued
        ),
    ];
    lines.extend(of_redecision(redecided));
    lines.extend(of_losses(done));
    lines.push(format!(
        "  the old state, if one existed, is in state.before-rebuild; to remove it: {}",
        command("gc", &[])
    ));
    lines.join("\n")
}

/// The lines about new verdicts.
pub(super) fn of_redecision(redecided: Option<&Redecided>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(redecided) = redecided {
        lines.push(format!(
            "  all pages have a new verdict ({}): {} dropped pages are now kept, {} kept pages are now dropped, {} have another reason",
            redecided.rule, redecided.newly_kept, redecided.newly_dropped, redecided.otherwise
        ));
        if redecided.newly_kept > 0 {
            lines.push(
                "  the next run fetches the bodies of newly kept pages that the archive does not hold".to_owned(),
            );
        }
        if redecided.without_text > 0 {
            lines.push(format!(
                "  {} duplicates keep their verdict, because the archive does not hold their texts (storage.duplicates was \"nothing\", or an older \
                 version of the program wrote it)",
                redecided.without_text
            ));
        }
    }
    lines
}

/// The lines about what is lost.
pub(super) fn of_losses(done: &Rebuilt) -> Vec<String> {
    let mut lines = Vec::new();
    if done.lost > 0 {
        lines.push(format!(
            "  {} pages or their records are lost; the next run fetches the pages again",
            done.lost
        ));
    }
    if done.problems > 0 {
        lines.push(format!(
            "  {} records are unusable; the messages above name them",
            done.problems
        ));
    }
    lines
}
