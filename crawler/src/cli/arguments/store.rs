//! `crawler verify`, `crawler rebuild`, `crawler gc`: whether a crawl on disk is whole, and making it so.

use clap::{Args, ValueEnum};

use super::{ConfigFile, DataFolder};

/// The forms of `crawler verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    /// A line a finding, and a line at the end.
    Text,
    /// One JSON object: `ok`, `pages`, `urls`, `findings` by kind, `notes`.
    Json,
}

/// `crawler verify`
#[derive(Debug, Args)]
#[command(
    after_help = "Looks at every page, URL, archived record and fingerprint: kept pages have their body and text, digests \
    match, the index holds exactly the kept pages, no two of them are duplicates by the rule of the configuration, counts are \
    those of the rows, the queue holds exactly the URLs that wait, WARC files are readable to the end. Nothing of the crawl is \
    changed, but for what opening a database tidies in its own files.\n\
    Exit codes: 0 all is as it should be, 1 there are findings or it could not go on."
)]
pub struct VerifyArgs {
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub format: VerifyFormat,
}

/// `crawler rebuild`
#[derive(Debug, Args)]
#[command(
    after_help = "For a state that is damaged, lost, or older than its archive. What comes back: every archived page with its \
    verdict, its duplicates, its versions and visits, and the URLs found on pages, queued if they have none themselves. What the archive \
    does not hold is asked again by the next run: redirects, failures, robots.txt, sitemaps. No page is fetched again, but for \
    those whose records are damaged, and their duplicates.\n\
    Where the configuration file makes fingerprints otherwise than the crawl did (`features`, `weights`, `bits`, … of [dedup]), all \
    fingerprints are made anew from the stored texts, duplicates' texts included, and all verdicts given anew by the rule in force; \
    --redecide does that in any case, for example after a change of threshold. Nothing is fetched; a page that was dropped and is \
    kept from now on has its text, and the next run fetches its body. The report then shows what is decided otherwise.\n\
    The old state stays in `state.before-rebuild` until crawler gc removes it. Killed half-way, the same command starts anew; \
    until it is done nothing is changed."
)]
pub struct RebuildArgs {
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Give all verdicts anew, from the stored texts, by the configuration in force.
    #[arg(long)]
    pub redecide: bool,
}

/// `crawler gc`
#[derive(Debug, Args)]
#[command(
    after_help = "Copies the live rows of the state, index included, into a fresh database that takes its place, and removes \
    what rebuilds have left (state.before-rebuild). Needs room for the copy. WARC files are never rewritten: an archive only \
    grows, and what a page was before it was replaced stays in it."
)]
pub struct GcArgs {
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
}
