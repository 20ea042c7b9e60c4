//! What a run begins with: the seeds of the command line and of files, and what the crawler says before it starts.

use std::path::{Path, PathBuf};

use crate::cli::arguments::RunArgs;
use crate::cli::configuration;
use crate::cli::error::UsageError;
use config::ScopeMode;
use config::settings::Settings;
use crawl::seeds::{SeedKind, Seeds};
use terminal::text::terminal_text;

/// The seeds file that `crawler init` writes.
const USUAL_SEEDS: &str = "seeds.txt";

/// Seeds that the first line of a run names. It counts the others.
const MAX_NAMED: usize = 3;

/// The seeds that `args` name; `None` for a refresh of the known pages alone.
pub(super) fn seeds(args: &RunArgs, settings: &Settings) -> Result<Option<Seeds>, UsageError> {
    let open = |path: &Option<PathBuf>, kind| {
        let open = |path: &Path| Seeds::open(path, kind, settings);
        path.as_deref().map(open).transpose()
    };
    let parts = [
        named(&args.sites, settings)?,
        open(&args.seeds, SeedKind::Page)?,
        open(&args.urls, SeedKind::Only)?,
    ];
    let seeds = parts.into_iter().flatten().reduce(Seeds::and_then);
    if seeds.is_none() && !args.refresh {
        return Err(UsageError::NothingToCrawl(advice_without_seeds()));
    }
    Ok(seeds)
}

/// The seeds of the command line.
fn named(sites: &[String], settings: &Settings) -> Result<Option<Seeds>, UsageError> {
    // A file such as seeds.txt has a name like a domain.
    if let Some(file) = sites.iter().find(|site| Path::new(site).is_file()) {
        let file = terminal_text(file, 200);
        return Err(UsageError::Argument(format!(
            "{file} is a file: give its URLs with --seeds {file}"
        )));
    }
    let is_named = !sites.is_empty();
    Ok(is_named.then(|| Seeds::of_arguments(sites, settings)).transpose()?)
}

fn advice_without_seeds() -> &'static str {
    if Path::new(USUAL_SEEDS).is_file() {
        "crawler run --seeds seeds.txt"
    } else {
        "crawler run https://example.org/"
    }
}

/// What the crawler does with the sites of the command line, in one line.
pub(super) fn chosen(args: &RunArgs, settings: &Settings) -> String {
    let mut sites: Vec<String> = args.sites.iter().map(|site| terminal_text(site, 200)).collect();
    let further = sites.len().saturating_sub(MAX_NAMED);
    sites.truncate(MAX_NAMED);
    let further = match further {
        0 => String::new(),
        further => format!(" and {further} more"),
    };
    let pages = match (settings.scope, args.sites.len()) {
        _ if args.sites.iter().all(|site| site.starts_with("only:")) => "no links followed",
        (ScopeMode::Host, 1) => "the pages of this host",
        (ScopeMode::Host, _) => "the pages of their hosts",
        (ScopeMode::Subdomains, 1) => "the pages of this host and of those below it",
        (ScopeMode::Subdomains, _) => "the pages of their hosts and of those below them",
    };
    // A folder that exists has a crawl, which goes on.
    let also = if args.data.data.is_dir() {
        ", with what is queued there"
    } else {
        ""
    };
    let delay = humantime::format_duration(settings.politeness.delay);
    let source = match configuration::config_path(&args.config) {
        Some(path) => path.display().to_string(),
        None => "the built-in settings".to_owned(),
    };
    format!(
        "crawling {}{further} into the folder {}{also}: {pages}, {delay} or more between two requests to a host (from {source}; `crawler \
        config show` lists all settings)",
        sites.join(", "),
        args.data.data.display(),
    )
}
