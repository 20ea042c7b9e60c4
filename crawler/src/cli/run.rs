//! `crawler run`

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use url::Url;

use crate::cli::arguments::{self, Run};
use crate::cli::error::{Error, UsageError};
use crate::config::settings::{Refresh, Settings};
use crate::crawl::messages::Ending;
use crate::crawl::pipeline::{self, Summary};
use crate::crawl::seeds::Seeds;
use crate::crawl::shutdown;
use crate::crawl::stats::{RunLimits, Stats};
use crate::error::RunError;
use crate::live::progress::Progress;
use crate::live::status::{self, Server, View};
use crate::report::{self, bytes};
use crate::terminal::tell::tell;
use crate::terminal::text::terminal_text;

pub(super) fn execute(args: &Run, quiet: bool) -> Result<(), Error> {
    let settings = settings(args)?;
    let seeds = seeds(args, &settings)?;
    if !settings.has_contact {
        tracing::warn!(
            "no contact in the User-Agent: set identity.contact_url in config.toml so that site owners can reach you"
        );
    }
    let stats = Arc::new(Stats::default());
    let limits = RunLimits {
        max_pages: settings.limits.max_pages,
        max_duration: settings.limits.max_duration,
    };
    let dir = &args.data.data;
    let server = serve(&args.status, &stats, limits, quiet)?;
    let progress = Progress::show(stats.clone(), limits, quiet);
    let is_interrupted = Arc::new(AtomicBool::new(false));
    let result = pipeline::run(&settings, &seeds, dir, &stats, interrupted(is_interrupted.clone()));
    drop(progress);
    let summary = result?;
    if !quiet {
        super::say(&describe(&summary, &stats, &settings, dir))?;
    }
    match (server, args.status.status_linger) {
        (Some(server), Some(time)) if !is_interrupted.load(Ordering::Relaxed) => linger(&server, time, quiet)?,
        _ => {}
    }
    Ok(())
}

/// Serves the status, if that is asked for.
fn serve(
    args: &arguments::Status,
    stats: &Arc<Stats>,
    limits: RunLimits,
    quiet: bool,
) -> Result<Option<Server>, Error> {
    let Some(address) = args.status else {
        return Ok(None);
    };
    let listener = status::listen(address, args.status_public).map_err(UsageError::from)?;
    let server = Server::start(listener, View::new(stats.clone(), limits), args.status_public)?;
    if !quiet || address.takes_any_port() {
        tell(format_args!("status: {}", status::url(server.address())));
    }
    Ok(Some(server))
}

/// Completes when the user asks to stop, and notes it.
async fn interrupted(is_interrupted: Arc<AtomicBool>) {
    shutdown::requested().await;
    is_interrupted.store(true, Ordering::Relaxed);
}

/// Keeps the server for this time, or until the user asks to stop.
fn linger(server: &Server, time: Duration, quiet: bool) -> Result<(), RunError> {
    if !quiet {
        let (url, time) = (status::url(server.address()), humantime::format_duration(time));
        tell(format_args!("status: {url} goes on for {time}, or until Ctrl-C"));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("start", "the wait for Ctrl-C", source))?;
    runtime.block_on(async {
        tokio::select! { () = shutdown::requested() => {}, () = tokio::time::sleep(time) => {} }
    });
    Ok(())
}

fn seeds(args: &Run, settings: &Settings) -> Result<Vec<Url>, UsageError> {
    let Some(path) = &args.seeds else {
        return Ok(Vec::new());
    };
    let seeds = Seeds::read(path, &settings.canonicalize)?;
    for bad in &seeds.bad_lines {
        let path = path.display();
        tracing::warn!("{path}, line {}: skipped: {}: {}", bad.number, bad.text, bad.reason);
    }
    Ok(seeds.urls)
}

fn settings(args: &Run) -> Result<Settings, UsageError> {
    let (mut config, path) = super::read_config(&args.config)?;
    args.overrides.apply(&mut config);
    let mut settings = super::validate(&config, path)?;
    settings.limits.max_duration = args.max_duration;
    settings.refresh = args.refresh.then_some(Refresh {
        intervals: settings.intervals,
        as_of: args.refresh_as_of,
    });
    Ok(settings)
}

/// The end of a run, in a few lines.
fn describe(summary: &Summary, stats: &Stats, settings: &Settings, dir: &Path) -> String {
    let mut lines = Vec::new();
    let counts = &summary.counts;
    let run = stats.snapshot();
    let seconds = summary.elapsed.as_secs_f64();
    lines.push(format!(
        "{} in {}: {} requests, {}",
        match summary.ending {
            Ending::Exhausted => "Finished",
            Ending::PageLimit => "Page limit reached",
            Ending::Stopped => "Stopped",
        },
        humantime::format_duration(std::time::Duration::from_millis((seconds * 1_000.0) as u64)),
        run.requests,
        bytes(run.bytes),
    ));
    lines.push(format!(
        "  kept {}  exact {}  near {}  redirected {}  failed {}  excluded {}  still queued {}",
        counts.kept, counts.exact, counts.near, counts.redirected, counts.failed, counts.excluded, counts.queued
    ));
    lines.extend(run.refresh.map(|refresh| describe_refresh(&refresh, run.counts.due)));
    if run.links_to_other_hosts > 0 {
        lines.push(format!(
            "  {} links led to other hosts and were not followed (scope.mode)",
            run.links_to_other_hosts
        ));
    }
    if run.links_too_deep > 0 {
        lines.push(format!(
            "  {} links lay deeper than scope.max_depth = {}",
            run.links_too_deep, settings.limits.max_depth
        ));
    }
    if run.links_over_budget > 0 {
        lines.push(format!(
            "  {} links were on hosts of which scope.max_urls_per_host URLs are known (known ones among them)",
            run.links_over_budget
        ));
    }
    for given_up in &summary.given_up {
        let reason = terminal_text(&given_up.last_failure, 200);
        let host = &given_up.host;
        lines.push(match given_up.rests_until {
            Some(until) => {
                let until = report::utc(until);
                format!("  {host} asked to be left alone until {until} ({reason}); its URLs stay queued")
            }
            None => format!("  {host} was given up for this run ({reason}); its URLs stay queued"),
        });
    }
    let data = dir.display();
    if counts.queued + counts.due > 0 {
        lines.push(what_now(summary, settings).to_owned());
    }
    lines.push(format!("  see the report: crawler report --data {data}"));
    lines.join("\n")
}

/// What a refresh came to.
fn describe_refresh(refresh: &storage::Refresh, waiting: u64) -> String {
    if refresh.due == 0 {
        return format!("  refresh: no page was due, {} new", refresh.new);
    }
    let mut line = format!(
        "  refresh: {} pages due: changed {}  unchanged {}  missing once {}  gone {}  moved {}  unanswered {}; new {}",
        refresh.due,
        refresh.changed,
        refresh.unchanged,
        refresh.missing,
        refresh.gone,
        refresh.moved,
        refresh.unanswered,
        refresh.new
    );
    if waiting > 0 {
        line.push_str(&format!("; {waiting} still to be visited"));
    }
    line
}

/// What to do about URLs that are still queued.
fn what_now(summary: &Summary, settings: &Settings) -> &'static str {
    match summary.ending {
        Ending::PageLimit => "  for more, raise --max-pages (or scope.max_pages) and run again",
        Ending::Stopped => "  the same command goes on where this one stopped",
        Ending::Exhausted if !summary.given_up.is_empty() => {
            "  the same command tries again what was given up, when its rest is over"
        }
        Ending::Exhausted if summary.holds_urls_back => {
            "  what is queued was left: its like were duplicates (crawler rules says why; steering.leave = \"nothing\" \
             fetches it)"
        }
        Ending::Exhausted if settings.limits.max_pages_per_host.is_some() => {
            "  what is queued lies above scope.max_pages_per_host"
        }
        Ending::Exhausted => "  the same command tries again what is queued",
    }
}
