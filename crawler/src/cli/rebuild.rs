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
use crate::terminal::tell::tell;
use crate::terminal::units::bytes;

pub(super) fn execute(args: &arguments::Rebuild, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::read_config(&args.config)?;
    let settings = super::validate(&config, path.clone())?;
    let dir = &args.data.data;
    let (read, of) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicU64::new(0)));
    let (shown, shown_of) = (read.clone(), of.clone());
    let progress = Progress::start(None, quiet, move |_now| {
        let position = shown.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!(
                "{} of {} read",
                bytes(position),
                bytes(shown_of.load(Ordering::Relaxed))
            ),
            ..Moment::default()
        }
    });
    let mut say = |step| match step {
        RebuildStep::Read { bytes, of: all } => {
            read.store(bytes, Ordering::Relaxed);
            of.store(all, Ordering::Relaxed);
        }
        RebuildStep::Problem(what) => progress.aside(|| tell(what)),
    };
    let options = OpenOptions {
        cache_bytes: settings.storage.cache_bytes,
        // Assumed only where the archive does not say; a scheme that is wrong would be refused by the next run.
        scheme: args.config.config.is_some().then(|| settings.store_scheme()),
        ..OpenOptions::existing()
    };
    let mut rebuild = storage::Rebuild::begin(dir, &options, &mut say).map_err(RunError::from)?;
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
    let scheme = scheme_to_redecide_by(&rebuild, &settings, path.is_some(), args.redecide)?;
    drop(progress);
    let came_to = match scheme {
        Some(scheme) => Some(redecide(&mut rebuild, &settings, &scheme, quiet)?),
        None => None,
    };
    let done = rebuild
        .finish(&mut |step| {
            if let RebuildStep::Problem(what) = step {
                tell(what);
            }
        })
        .map_err(RunError::from)?;
    if !quiet {
        super::say(&describe(&done, came_to.as_ref(), &dir.display().to_string())).map_err(Error::from)?;
    }
    Ok(())
}

/// The scheme of the state if all pages are to be decided anew: it is asked for, the configuration file makes fingerprints otherwise
/// than the crawl did, or the verdicts in the archive do not fit together. The rules for URLs stay, for what was queued and what was not
/// follows from them.
fn scheme_to_redecide_by(
    rebuild: &Rebuild,
    settings: &Settings,
    has_file: bool,
    is_wanted: bool,
) -> Result<Option<String>, Error> {
    let own = settings.scheme.id();
    let schemes = rebuild.schemes();
    let url_rules = schemes.iter().find_map(|scheme| Some(scheme.split_once("; ")?.1));
    let Some(url_rules) = url_rules else {
        // An archive of a program that names its schemes otherwise: it is rebuilt as it is.
        return Ok(is_wanted.then(|| settings.store_scheme()));
    };
    let is_other = schemes
        .iter()
        .any(|scheme| scheme.split_once("; ").is_none_or(|(scheme, _)| scheme != own));
    if rebuild.is_mixed() && !has_file && !is_wanted {
        return Err(UsageError::Argument(format!(
            "all pages of this crawl were decided anew once, which the archive does not hold, and more were crawled since ({}): name \
             the configuration to decide all of them by with --config, or take the built-in one with --redecide",
            schemes.into_iter().collect::<Vec<_>>().join(" · ")
        ))
        .into());
    }
    let is_due = is_wanted || rebuild.is_mixed() || has_file && (is_other || rebuild.has_unreadable_head());
    Ok(is_due.then(|| format!("{own}; {url_rules}")))
}

fn redecide(rebuild: &mut Rebuild, settings: &Settings, scheme: &str, quiet: bool) -> Result<Redecided, Error> {
    let counts = rebuild.store().counts();
    let pages = counts.fetched() + counts.gone;
    let decided = Arc::new(AtomicU64::new(0));
    let shown = decided.clone();
    let progress = Progress::start(Some(pages), quiet, move |_now| {
        let position = shown.load(Ordering::Relaxed);
        Moment {
            position,
            message: format!("{position} of {pages} pages decided anew"),
            is_urgent: false,
            more: Vec::new(),
        }
    });
    let came_to = redecide::redecide(rebuild, settings, scheme, |pages| {
        decided.store(pages, Ordering::Relaxed)
    })?;
    drop(progress);
    Ok(came_to)
}

fn describe(done: &Rebuilt, redecided: Option<&Redecided>, dir: &str) -> String {
    let mut lines = vec![
        format!(
            "Rebuilt {dir} from {} WARC files: {} pages, {} of them kept, {} later visits",
            done.files, done.pages, done.kept, done.visits
        ),
        format!(
            "  {} URLs found on pages are queued; the next run asks again for redirects, failures, robots.txt and sitemaps, \
             which the archive does not hold",
            done.queued
        ),
    ];
    if let Some(redecided) = redecided {
        lines.push(format!(
            "  all pages decided anew ({}): {} that were dropped are kept, {} that were kept are dropped, {} have other reasons",
            redecided.rule, redecided.newly_kept, redecided.newly_dropped, redecided.otherwise
        ));
        if redecided.newly_kept > 0 {
            lines.push("  of what is kept now only the text is there; the next run fetches the bodies".to_owned());
        }
        if redecided.without_text > 0 {
            lines.push(format!(
                "  {} duplicates stay as they were, for an older version did not keep their texts",
                redecided.without_text
            ));
        }
    }
    if done.lost > 0 {
        lines.push(format!(
            "  {} pages are lost, or the records that tell of them; the next run fetches them again",
            done.lost
        ));
    }
    if done.problems > 0 {
        lines.push(format!(
            "  {} records could not be used; they are named above",
            done.problems
        ));
    }
    lines.push("  the old state, if there was one, is in state.before-rebuild; crawler gc removes it".to_owned());
    lines.join("\n")
}
