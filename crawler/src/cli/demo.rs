//! `crawler demo`

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tokio::runtime::Runtime;

use super::configuration::{self, DEFAULT_CONFIG};
use super::output::say;
use crate::cli::arguments::DemoArgs;
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use config::{Config, RenderMode};
use crawl::seeds::Seeds;
use crawl::stats::{RunLimits, Stats};
use crawl::{browser_program, pipeline, shutdown};
use demo::{self, Running};
use error::RunError;
use terminal::commands;
use terminal::width::terminal_width;
use views::live::progress::Progress;
use views::report::{Format, Report, Waiting};

pub(super) fn execute(args: &DemoArgs, quiet: bool) -> Result<(), Error> {
    let settings = settings(args)?;
    let runtime = Runtime::new().map_err(|source| RunError::io("start", "the demo's web server", source))?;
    let site = runtime
        .block_on(demo::serve())
        .map_err(|source| RunError::io("serve", "the demo on 127.0.0.1", source))?;
    if args.serve {
        say(&format!("The demo site runs at {} until Ctrl-C.", site.base_url))?;
        runtime.block_on(shutdown::requested());
        return Ok(());
    }
    let dir = data_folder(args.data.as_deref())?;
    commands::set_crawl(&dir, args.config.config.as_deref());
    say(&format!("Crawling {} into {}", site.base_url, dir.display()))?;
    let stats = Arc::new(Stats::default());
    let progress = Progress::show(stats.clone(), RunLimits::default(), quiet);
    let seeds = Seeds::from_text(site.base_url.to_string(), &settings);
    let span = tracing::debug_span!("run", command = "demo", data = %dir.display());
    let result = span.in_scope(|| pipeline::run(&settings, Some(seeds), &dir, &stats, stopped()));
    drop((span, progress));
    result?;
    Ok(compare(&site, &settings, &dir)?)
}

/// The settings of the user for dedup and rendering, and otherwise settings for a private site on loopback.
fn settings(args: &DemoArgs) -> Result<Settings, UsageError> {
    let (users, path) = configuration::read(&args.config)?;
    let mut config = Config {
        dedup: users.dedup,
        render: users.render,
        ..Config::default()
    };
    // What the demo needs beside it holds for the demo's site alone.
    let file = configuration::config_path(&args.config).unwrap_or_else(|| PathBuf::from(DEFAULT_CONFIG));
    let record = configuration::record(&config, &file);
    config.politeness.delay_ms = 0;
    config.politeness.parallel_per_host = 8;
    config.politeness.max_retries = 0;
    config.fetch.allow_private_addresses = true;
    if args.render {
        config.render.mode = RenderMode::Auto;
    }
    let mut settings = configuration::validate(&config, path)?;
    settings.record = record;
    if args.render && browser_program(&settings.render).is_none() {
        let reason = "--render needs Chromium or Chrome, and there is none in the search path: install Chromium, or name the program in \
                      render.browser";
        return Err(UsageError::Argument(reason.to_owned()));
    }
    Ok(settings)
}

/// Completes when the user asks to stop.
async fn stopped() {
    shutdown::requested().await;
}

fn data_folder(asked: Option<&Path>) -> Result<PathBuf, Error> {
    let Some(dir) = asked else {
        let folder = tempfile::Builder::new().prefix("crawler-demo-").tempdir();
        let folder = folder.map_err(|source| RunError::io("create", "a temporary folder", source))?;
        return Ok(folder.keep());
    };
    let is_taken = fs::read_dir(dir).is_ok_and(|mut entries| entries.next().is_some());
    if is_taken {
        return Err(UsageError::NotEmpty(dir.to_owned()).into());
    }
    Ok(dir.to_owned())
}

/// Prints the report and compares it with the known result.
fn compare(site: &Running, settings: &Settings, dir: &Path) -> Result<(), RunError> {
    let store = super::store::open_to_read(dir)?;
    let waiting = Waiting::new(true);
    let report = Report::read_by(&store, settings, &waiting)?;
    let html = dir.join("report.html");
    fs::write(&html, report.render(Format::Html, &store, &waiting)?)
        .map_err(|source| RunError::io("write", html.display(), source))?;
    let limits = demo::TruthSettings {
        max_depth: settings.limits.max_depth,
        numbers_must_match: settings.rule.numbers_must_match,
        may_hold_back: settings.steering.enabled,
        renders: settings.render.mode != RenderMode::Off && browser_program(&settings.render).is_some(),
    };
    let truth = demo::truth(&site.base_url, &limits);
    let outcomes = demo::outcomes(&report);
    say(&report.screen(terminal_width()))?;
    say(&format!(
        "Compared with the known result\n{}",
        demo::table(&truth, &outcomes)
    ))?;
    let mut mismatches = demo::check(&truth, &outcomes);
    mismatches.extend(demo::check_requests(&truth, &site.request_log.requests()));
    for mismatch in &mismatches {
        say(&format!("  {mismatch}"))?;
    }
    if !mismatches.is_empty() {
        return Err(RunError::Mismatch(mismatches.len()));
    }
    say(&format!("All {} URLs have the expected outcome.", truth.len()))?;
    let left = truth
        .iter()
        .filter(|page| page.may_be_held_back && outcomes.iter().all(|known| known.url != page.url));
    say(&format!(
        "{} duplicates among them were held back, because the verdicts on similar URLs predicted them.",
        left.count()
    ))?;
    say(&format!("Report for a browser: {}", html.display()))?;
    say(&format!("Report of the crawl: {}", commands::command("report", &[])))?;
    Ok(())
}
