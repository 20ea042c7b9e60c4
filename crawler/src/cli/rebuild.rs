//! `crawler rebuild`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use storage::{
    ChangedVerdicts, DecidedSchemes, Discovered, Kept, OpenOptions, Rebuild, RebuildStep, Rebuilt, Redecided,
};
use url::Url;
use web::host_key::HostKey;

use super::counter::Counter;
use crate::cli::error::{Error, UsageError};
use crate::cli::{arguments, configuration};
use config::Config;
use config::settings::Settings;
use crawl::exceptions::Exceptions;
use error::RunError;
use study::redecide;
use terminal::commands::command;
use terminal::tell::tell;
use terminal::units::{bytes, counted, counted_are};

pub(super) fn execute(args: &arguments::RebuildArgs, quiet: bool) -> Result<(), Error> {
    super::output::say(&rebuild(args, quiet, &|_| {})?)?;
    Ok(())
}

/// A redecision: how the new verdicts differ from those of the crawl, and from those before.
pub(super) type Redecision = (Redecided, ChangedVerdicts);

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
    let (config, path) = configuration::read_for_crawl(&args.config, &args.data.data)?;
    let settings = configuration::validate(&config, path.clone())?;
    let options = options(args, &settings);
    let schemes = DecidedSchemes::read(&args.data.data, &options).map_err(RunError::from)?;
    let is_due = |schemes: &DecidedSchemes| scheme_to_redecide_by(schemes, &settings, path.is_some(), args.redecide);
    let keeps_state = match &schemes {
        Some(schemes) => is_due(schemes)?.is_some(),
        None => false,
    };
    let mut rebuild = begin(args, &options, keeps_state, quiet, watch)?;
    fetch_undecided_again(&mut rebuild);
    let redecided = match is_due(rebuild.decided_schemes())? {
        Some(scheme) => {
            let exceptions = Exceptions::in_folder(&args.data.data)?;
            Some(redecide(&mut rebuild, &settings, &scheme, &exceptions, quiet, watch)?)
        }
        None => None,
    };
    let done = rebuild
        .finish(&mut |step| {
            if let RebuildStep::Problem(problem) = step {
                tell(problem);
            }
        })
        .map_err(RunError::from)?;
    if redecided.is_some() {
        keep_settings(&config, args);
    }
    let dir = args.data.data.display().to_string();
    Ok(describe(&done, redecided.as_ref(), &dir))
}

/// Keeps the configuration of the new verdicts in the data folder.
fn keep_settings(config: &Config, args: &arguments::RebuildArgs) {
    let dir = &args.data.data;
    let record = configuration::record(config, &configuration::file_of_crawl(&args.config, dir));
    if let Some(Err(error)) = record.map(|record| record.write(dir, SystemTime::now())) {
        let dir = dir.display();
        tracing::warn!(
            "{dir} does not keep the settings of the new verdicts, {error}; commands that read it need --config"
        );
    }
}

fn options(args: &arguments::RebuildArgs, settings: &Settings) -> OpenOptions {
    OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        compression: Some(settings.storage.compression),
        // Applies only if the archive names no scheme. Without --config it stays open, because the next run would reject a wrong one.
        scheme: args.config.config.is_some().then(|| settings.store_scheme()),
        command: "crawler rebuild".to_owned(),
        ..OpenOptions::existing()
    }
}

/// Copies the state, if `keeps_state` and it is whole. Otherwise reads the WARC files. Both with progress on standard error.
fn begin(
    args: &arguments::RebuildArgs,
    options: &OpenOptions,
    keeps_state: bool,
    quiet: bool,
    watch: &dyn Fn(Step),
) -> Result<Rebuild, RunError> {
    if keeps_state && let Some(rebuild) = copy_state(args, options, quiet)? {
        return Ok(rebuild);
    }
    let total = Arc::new(AtomicU64::new(0));
    let shown_total = total.clone();
    let read = Counter::show(None, quiet, move |read| {
        format!("{} of {} read", bytes(read), bytes(shown_total.load(Ordering::Relaxed)))
    });
    let rebuild = Rebuild::begin(&args.data.data, options, &mut |step| match step {
        RebuildStep::Read { bytes, of } => {
            read.set(bytes);
            total.store(of, Ordering::Relaxed);
            watch(Step::Read { bytes, of });
        }
        RebuildStep::Problem(problem) => read.progress.aside(|| tell(problem)),
        // Steps of a merge, and of a copied state.
        RebuildStep::Brought { .. } | RebuildStep::State(_) | RebuildStep::Copied { .. } => {}
    });
    Ok(rebuild?)
}

/// Begins with a copy of the state; `None` if it is not whole.
fn copy_state(args: &arguments::RebuildArgs, options: &OpenOptions, quiet: bool) -> Result<Option<Rebuild>, RunError> {
    let copied = Counter::show(None, quiet, |rows| format!("{rows} rows copied"));
    let rebuild = Rebuild::begin_with_state(&args.data.data, options, &mut |step| match step {
        RebuildStep::Copied { rows } => copied.set(rows),
        RebuildStep::Problem(problem) => copied.progress.aside(|| tell(problem)),
        RebuildStep::Read { .. } | RebuildStep::Brought { .. } | RebuildStep::State(_) => {}
    });
    Ok(rebuild?)
}

/// Queues the URLs of records without a verdict.
pub(super) fn fetch_undecided_again(rebuild: &mut Rebuild) {
    for url in rebuild.take_undecided() {
        if let Some(host) = host_of(&url) {
            rebuild.fetch_again(Discovered {
                url,
                host,
                ..Discovered::default()
            });
        }
    }
}

/// The host of a URL, as a store names it.
pub(super) fn host_of(url: &str) -> Option<String> {
    let host = HostKey::from_url(&Url::parse(url).ok()?)?;
    Some(host.as_str().to_owned())
}

/// The scheme of the new state if all pages need a new verdict, otherwise `None`.
///
/// They need one if the user asks for it, if the configuration file has another scheme than the crawl, or if the archive mixes verdicts
/// of different schemes. The rules for URLs stay, because the queue depends on them.
fn scheme_to_redecide_by(
    decided: &DecidedSchemes,
    settings: &Settings,
    has_file: bool,
    is_requested: bool,
) -> Result<Option<String>, Error> {
    let configured = settings.scheme.id();
    let schemes = decided.schemes();
    let url_rules = schemes.iter().find_map(|scheme| Some(scheme.split_once("; ")?.1));
    let Some(url_rules) = url_rules else {
        // The archive does not name its URL rules, so the rebuild keeps its verdicts unless the user asks for new ones.
        return Ok(is_requested.then(|| settings.store_scheme()));
    };
    let is_other = schemes
        .iter()
        .any(|scheme| scheme.split_once("; ").is_none_or(|(scheme, _)| scheme != configured));
    if decided.is_mixed() && !has_file && !is_requested {
        return Err(UsageError::Argument(format!(
            "a rebuild of this crawl once gave all pages a new verdict, and the archive holds only the earlier verdicts and those of pages \
             crawled later ({}): give the configuration for the verdicts with --config, or use the built-in one with --redecide",
            schemes.into_iter().collect::<Vec<_>>().join(" · ")
        ))
        .into());
    }
    let is_due = is_requested || decided.is_mixed() || has_file && (is_other || decided.has_unreadable_head());
    Ok(is_due.then(|| format!("{configured}; {url_rules}")))
}

pub(super) fn redecide(
    rebuild: &mut Rebuild,
    settings: &Settings,
    scheme: &str,
    exceptions: &Exceptions,
    quiet: bool,
    watch: &dyn Fn(Step),
) -> Result<Redecision, Error> {
    let counts = rebuild.store().counts();
    let pages = counts.fetched() + counts.gone;
    let decided = Counter::show(Some(pages), quiet, move |done| {
        format!("{done} of {pages} pages decided")
    });
    let redecided = redecide::redecide(rebuild, settings, scheme, exceptions, |done| {
        decided.set(done);
        watch(Step::Decided { pages: done, of: pages });
    })?;
    Ok(redecided)
}

fn describe(done: &Rebuilt, redecided: Option<&Redecision>, dir: &str) -> String {
    let queued = done.queued;
    let mut lines = match done.kept_state {
        Kept::All => vec![
            format!(
                "Decided the pages of {dir} again: {}, {} kept",
                counted(done.pages, "page"),
                done.kept
            ),
            format!(
                "  {} queued; everything but the verdicts is as before",
                counted_are(queued, "URL")
            ),
        ],
        Kept::Outcomes => vec![
            from_archive(done, dir),
            format!(
                "  {queued} URLs are queued; redirects, failures, robots.txt, sitemaps and the politeness state of hosts come from the old \
                 state"
            ),
        ],
        Kept::Nothing => vec![
            from_archive(done, dir),
            format!(
                "  {queued} outlinks are queued; the next run asks again for redirects, failures, robots.txt and sitemaps, which the \
                 archive does not hold"
            ),
        ],
    };
    lines.extend(of_redecision(redecided));
    lines.extend(of_losses(done));
    lines.extend(done.old_state.as_ref().map(|name| {
        let gc = command("gc", &[]);
        format!("  the old state is in {name}; to remove it: {gc}")
    }));
    lines.join("\n")
}

fn from_archive(done: &Rebuilt, dir: &str) -> String {
    format!(
        "Rebuilt {dir} from {}: {}, {} kept, {}",
        counted(done.files, "WARC file"),
        counted(done.pages, "page"),
        done.kept,
        counted(done.visits, "later visit")
    )
}

/// The lines about new verdicts.
pub(super) fn of_redecision(redecided: Option<&Redecision>) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some((redecided, changed)) = redecided {
        lines.push(format!(
            "  all pages have a new verdict ({}): {} now kept, {} now dropped, {} another reason",
            redecided.rule,
            counted_are(changed.newly_kept, "dropped page"),
            counted_are(changed.newly_dropped, "kept page"),
            match changed.otherwise {
                1 => "1 has".to_owned(),
                pages => format!("{pages} have"),
            }
        ));
        if changed.newly_kept > 0 {
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
