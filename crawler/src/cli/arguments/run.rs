//! `crawler run` and `crawler demo`.

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, ValueEnum};

use super::values::parse_duration;
use super::{ConfigFile, DataFolder, Overrides, RunServeArgs, StatusArgs, TracingArgs};

/// The forms of the summary of a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RunFormat {
    /// A few lines for people.
    Text,
    /// One JSON object. Fields are only ever added.
    Json,
}

/// `crawler run`
#[derive(Debug, Args)]
#[command(
    after_help = "Ctrl-C: the crawler takes no new URLs, finishes those in process within three seconds, and saves its \
    state. URLs that take longer stay in the queue. SIGTERM and SIGHUP do the same. The same command continues the crawl. A second Ctrl-C ends the program at once. The next run then fetches again only the URLs \
    whose verdicts were not yet saved (storage.commit_interval_ms).\n\
    Exit codes: 0 the crawl has pages (single URLs may have failed), 1 the command could not continue, 2 an argument, the configuration \
    or the seeds file is invalid, 5 the crawl ended without a page: every seed failed, was excluded, or has a host that could not be reached, 6 a limit \
    (scope.max_pages, --max-duration) ended the run, 130 Ctrl-C ended it in order, 143 SIGTERM, 129 SIGHUP.\n\
    Examples:\n  \
    crawler run https://example.org/                   crawl the pages of a host into the folder data\n  \
    crawler run --seeds seeds.txt                      crawl the sites of a file\n  \
    crawler run --seeds seeds.txt --max-pages 1000     stop after 1,000 pages\n  \
    crawler run --urls list.txt                        fetch the URLs of a list, and nothing else\n  \
    crawler run --refresh                              visit again the pages that are due"
)]
pub struct RunArgs {
    /// What to crawl: URLs or domains, each written as in a line of a seeds file. `crawler https://example.org/` is short for `crawler run https://example.org/`.
    #[arg(value_name = "URL")]
    pub sites: Vec<String>,
    /// Text file with one seed per line: a URL, a domain such as example.org (which stands for `https://example.org/`), `sitemap:` and
    /// the URL of a sitemap, or `only:` and a URL whose links are not followed; `#` starts a comment. With
    /// --refresh and without any seed, the run stays on the known hosts.
    #[arg(long, value_name = "FILE")]
    pub seeds: Option<PathBuf>,
    /// Text file with one URL per line; the crawler fetches these URLs, and follows no links of their pages.
    #[arg(long, value_name = "FILE")]
    pub urls: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigFile,
    #[command(flatten)]
    pub data: DataFolder,
    /// Crawl together with other workers that have the same address: `redis://host:6379`, or `redis://host:6379,host:6380` for a cluster.
    /// Each worker needs a data folder of its own, the same configuration and the same seeds. Overrides fleet.address.
    #[arg(long, value_name = "ADDRESS")]
    pub fleet: Option<String>,
    /// Visit again the pages that are due. A changed page gets a new version and a new verdict; a page that is missing at two
    /// refreshes in a row is marked as gone and stays in the archive. The section [refresh] of config.toml sets the intervals.
    /// These visits do not count against --max-pages.
    #[arg(long)]
    pub refresh: bool,
    /// Visit the pages that are due at this time (RFC 3339).
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_rfc3339_weak, requires = "refresh", hide = true)]
    pub refresh_as_of: Option<SystemTime>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Form of the summary at the end.
    #[arg(long, value_enum, default_value_t = RunFormat::Text)]
    pub format: RunFormat,
    /// Take no new URLs after this time, such as 90s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = parse_duration)]
    pub max_duration: Option<Duration>,
    #[command(flatten)]
    pub status: StatusArgs,
    #[command(flatten)]
    pub views: RunServeArgs,
    #[command(flatten)]
    pub tracing: TracingArgs,
}

/// `crawler demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Data folder of the demo; it must be empty or absent. Default: a new temporary folder.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Serve the built-in site for a browser until Ctrl-C, without crawling it.
    #[arg(long)]
    pub serve: bool,
    /// Render the pages that scripts draw with the installed Chromium or Chrome, as `render.mode = "auto"` does.
    #[arg(long, conflicts_with = "serve")]
    pub render: bool,
    #[command(flatten)]
    pub tracing: TracingArgs,
}
