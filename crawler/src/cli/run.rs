//! `crawler run`

mod ended;
mod json;
mod start;
mod text;

use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use crate::cli::arguments::{self, RunArgs, RunFormat};
use crate::cli::configuration::{self, DEFAULT_CONFIG};
use crate::cli::error::{Error, UsageError};
use config::settings::{RefreshSettings, Settings};
use crawl::pipeline::{self, Summary};
use crawl::shutdown::{self, SignalCode};
use crawl::stats::{RunLimits, Stats};
use ended::Ended;
use error::RunError;
use terminal::tell::tell;
use terminal::text::terminal_text;
use views::live::listen;
use views::live::progress::Progress;
use views::live::status::{self, Server, View};
use views::report::Steering;

pub(super) fn execute(args: &RunArgs, quiet: bool) -> Result<(), Error> {
    let continues = start::continues(args);
    let (settings, origins) = settings(args, continues)?;
    let seeds = start::seeds(args, continues, &settings)?;
    if !quiet && (continues || !args.sites.is_empty()) {
        let chosen = start::chosen(args, &settings, &origins);
        // The pipeline says why a folder cannot be used.
        if start::can_use(&args.data.data) {
            tell(chosen);
        }
    }
    if !settings.has_contact {
        tracing::warn!(
            "the User-Agent names no contact: set identity.contact_url in config.toml so that site owners can reach you"
        );
    }
    let stats = Arc::new(Stats::default());
    let limits = RunLimits {
        max_pages: settings.limits.max_pages,
        max_duration: settings.limits.max_duration,
    };
    let dir = &args.data.data;
    let server = serve(&args.status, &stats, limits, quiet)?;
    let views = super::serve::beside_run(args, quiet)?;
    let progress = Progress::show(stats.clone(), limits, quiet);
    let signal = Arc::new(OnceLock::new());
    let span = tracing::debug_span!("run", command = "run", data = %dir.display());
    let result = span.in_scope(|| pipeline::run(&settings, seeds, dir, &stats, interrupted(signal.clone())));
    drop((span, progress));
    drop(views);
    let summary = result?;
    let held_back = held_back(&summary, dir)?;
    // An order to stop is what Ctrl-C is, from another terminal.
    let ordered = summary.stopped_by_order.then_some(shutdown::INTERRUPTED);
    let signal = signal.get().copied().or(ordered);
    let ended = Ended::new(summary, held_back, &stats, (signal, limits));
    super::output::say(&match args.format {
        RunFormat::Text => text::describe(&ended, &settings),
        RunFormat::Json => json::describe(&ended)?,
    })?;
    if let (Some(server), Some(time), None) = (server, args.status.status_linger, signal) {
        linger(&server, time, quiet)?;
    }
    ended.result()
}

/// Starts the status server if `args` ask for it.
fn serve(
    args: &arguments::StatusArgs,
    stats: &Arc<Stats>,
    limits: RunLimits,
    quiet: bool,
) -> Result<Option<Server>, Error> {
    let Some(address) = args.status else {
        return Ok(None);
    };
    let listener = listen::listen(address, status::FLAGS, args.status_public).map_err(UsageError::from)?;
    let server = Server::start(listener, View::new(stats.clone(), limits), args.status_public)?;
    if !quiet || address.takes_any_port() {
        tell(format_args!("status: {}", status::url(server.address())));
    }
    Ok(Some(server))
}

/// The URLs that the run holds back, with the reasons.
fn held_back(summary: &Summary, dir: &Path) -> Result<Option<Steering>, Error> {
    let Some(known) = &summary.holds_back else {
        return Ok(None);
    };
    let store = super::store::open_to_read(dir)?;
    Ok(Some(Steering::learned(&store, known, false)?))
}

/// Completes when the user asks to stop, and keeps the exit code that this asks for.
async fn interrupted(signal: Arc<OnceLock<SignalCode>>) {
    let code = shutdown::requested().await;
    signal.get_or_init(|| code);
}

/// Keeps the status server for `time`, or until the user asks to stop.
fn linger(server: &Server, time: Duration, quiet: bool) -> Result<(), RunError> {
    if !quiet {
        let (url, time) = (status::url(server.address()), humantime::format_duration(time));
        tell(format_args!(
            "status: {url} stays available for {time}, or until Ctrl-C"
        ));
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build();
    let runtime = runtime.map_err(|source| RunError::io("start", "the wait for Ctrl-C", source))?;
    runtime.block_on(async {
        tokio::select! { _ = shutdown::requested() => {}, () = tokio::time::sleep(time) => {} }
    });
    Ok(())
}

/// The settings, and where they come from in words.
fn settings(args: &RunArgs, continues: bool) -> Result<(Settings, String), UsageError> {
    let path = if continues {
        start::file_to_continue(args)?
    } else {
        configuration::config_path(&args.config)
    };
    let mut sources = configuration::read_sources(path.as_deref())?;
    // Without the flags, which hold for this run alone.
    let file = match &args.config.config {
        Some(file) => file.clone(),
        None if continues => configuration::file_of_crawl(&args.config, &args.data.data),
        None => PathBuf::from(DEFAULT_CONFIG),
    };
    let record = configuration::record(&sources.config, &file);
    for (key, flag) in args.overrides.apply(&mut sources.config) {
        sources.set_by_flag(key, flag);
    }
    if let Some(address) = &args.fleet {
        sources.config.fleet.address.clone_from(address);
    }
    let origins = configuration::origins(&sources, path.as_deref());
    if !sources.config.politeness.robots {
        let origin = terminal_text(&sources.origin("politeness.robots").to_string(), 300);
        tracing::warn!(
            "no robots.txt is obeyed: politeness.robots = false ({origin}), which is only for your own sites"
        );
    }
    let mut settings = configuration::validate(&sources.config, path)?;
    settings.record = record.map(|record| record.with_flags(args.overrides.words(&[])));
    if args.refresh && settings.fleet.is_some() {
        return Err(UsageError::RefreshInFleet);
    }
    settings.limits.max_duration = args.max_duration;
    settings.refresh = args.refresh.then_some(RefreshSettings {
        intervals: settings.intervals,
        as_of: args.refresh_as_of,
    });
    Ok((settings, origins))
}
