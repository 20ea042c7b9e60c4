//! What a run begins with: the seeds of the command line and of files, and what the crawler says before it starts.

use std::path::{Path, PathBuf};

use crate::cli::arguments::RunArgs;
use crate::cli::configuration;
use crate::cli::error::UsageError;
use config::settings::Settings;
use config::{Kept, ScopeMode};
use crawl::seeds::{SeedKind, Seeds};
use terminal::commands::{command, path_argument};
use terminal::text::terminal_text;

/// The seeds file that `crawler init` writes.
const USUAL_SEEDS: &str = "seeds.txt";

/// Seeds that the first line of a run names. It counts the others.
const MAX_NAMED: usize = 3;

/// Whether the run goes on with what the data folder has, because the command names nothing to crawl.
pub(super) fn continues(args: &RunArgs) -> bool {
    let names_nothing = args.sites.is_empty() && args.seeds.is_none() && args.urls.is_none();
    let is_alone = !args.refresh && args.fleet.is_none();
    names_nothing && is_alone && has_crawl(&args.data.data)
}

/// Whether the data folder has a crawl.
fn has_crawl(data: &Path) -> bool {
    data.join("state").is_dir() || Kept::last(data).is_some()
}

/// The configuration file of a run that continues a crawl; `None` for the built-in settings.
///
/// # Errors
/// The last run had a configuration or flags that this command does not name. The data folder may come from somebody else, so that the user
/// must name them; the error is the command that does.
pub(super) fn file_to_continue(args: &RunArgs) -> Result<Option<PathBuf>, UsageError> {
    let data = &args.data.data;
    let earlier = Kept::last(data).map(|kept| kept.flags).unwrap_or_default();
    let (given, wanted) = (args.overrides.words(&[]), args.overrides.words(&earlier));
    let file = configuration::file_to_continue(&args.config, data);
    if let Ok(file) = &file
        && given == wanted
    {
        return Ok(file.clone());
    }
    let mut arguments = Vec::new();
    if let Err(path) = &file {
        arguments.extend(["--config".to_owned(), path_argument(path)]);
    }
    arguments.extend(wanted);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    Err(UsageError::Argument(format!(
        "the last run of this crawl had settings that this command does not name; to continue as it did: `{}`",
        command("run", &arguments)
    )))
}

/// Whether the crawl can write to its folder, which is made for that.
pub(super) fn can_use(data: &Path) -> bool {
    std::fs::create_dir_all(data).is_ok() && storage::why_not_writable(data).is_none()
}

/// The seeds that `args` name; `None` for the known URLs alone.
pub(super) fn seeds(args: &RunArgs, continues: bool, settings: &Settings) -> Result<Option<Seeds>, UsageError> {
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
    let goes_on = args.refresh || continues && settings.fleet.is_none();
    if seeds.is_none() && !goes_on {
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
pub(super) fn chosen(args: &RunArgs, settings: &Settings, origins: &str) -> String {
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
    let rest = format!(
        "{delay} or more between two requests to a host (from {origins}; `crawler config show` lists all settings)"
    );
    let folder = args.data.data.display();
    if sites.is_empty() {
        return format!("continuing the crawl in the folder {folder} with what is queued there, {rest}");
    }
    format!(
        "crawling {}{further} into the folder {folder}{also}: {pages}, {rest}",
        sites.join(", ")
    )
}
