//! `crawler rebuild`

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use storage::{Discovered, OpenOptions, RebuildStep, Rebuilt};
use url::Url;

use crate::cli;
use crate::error::{Error, RunError};
use crate::host_key::HostKey;
use crate::progress::{Moment, Progress};
use crate::report::bytes;
use crate::tell::tell;

pub(super) fn execute(args: &cli::Rebuild, quiet: bool) -> Result<(), Error> {
    let (config, path) = super::read_config(&args.config)?;
    let settings = super::validate(&config, path)?;
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
    let done = rebuild.finish(&mut say).map_err(RunError::from)?;
    drop(progress);
    if !quiet {
        super::say(&describe(&done, &dir.display().to_string())).map_err(Error::from)?;
    }
    Ok(())
}

fn describe(done: &Rebuilt, dir: &str) -> String {
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
