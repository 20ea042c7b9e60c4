//! `crawler verify`, `crawler rebuild` and `crawler gc`: checking and repairing a crawl on disk.

use clap::{Args, ValueEnum};

use super::{ConfigFile, DataFolder};

/// The forms of `crawler verify`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum VerifyFormat {
    /// One line per finding and a summary.
    Text,
    /// One JSON object: `ok`, `pages`, `urls`, `findings` by kind, `notes`, `not_checked`.
    Json,
}

/// `crawler verify`
#[derive(Debug, Args)]
#[command(
    after_help = "The command checks every page, URL, WARC record and fingerprint, and every row of the state. Kept pages have their \
    body and text. Digests match. The catalogue agrees with the metadata records of the archive. The index holds exactly the kept \
    pages, and no two of them are duplicates by the rule of the configuration. Counts equal the number of rows. The queue holds \
    exactly the URLs without an outcome. WARC files are readable to the end, except for damage that crawler rebuild has given up. \
    index.cdxj has exactly one line for each capture, in order.\n\
    It does not check README.md, control.jsonl, labels.jsonl, lock, last-commit, and the parts of the files in state that hold no row: a run needs none of them. \
    The command does not change the crawl; the database may reorganise its own files when it opens.\n\
    Exit codes: 0 no finding, 1 at least one finding, or the command could not continue."
)]
pub struct VerifyArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = VerifyFormat::Text)]
    pub format: VerifyFormat,
}

/// `crawler rebuild`
#[derive(Debug, Args)]
#[command(
    after_help = "Use this command if the state is damaged, lost or older than its archive. It restores every archived page with \
    its verdict, duplicates, versions and visits, and queues the outlinks that the crawl did not fetch. The archive holds no \
    redirects, failures, robots.txt and sitemaps; the next run asks for them again. The next run fetches a page again only if its \
    record is damaged or if it is a duplicate of such a page.\n\
    If the fingerprint keys of [dedup] (features, weights, bits and others) differ from those of the crawl, the command computes \
    all fingerprints from the stored texts and gives all pages a new verdict by the rule in force. Use --redecide to do so in any \
    case, for example after a change of threshold. The archive keeps the verdicts of the crawl: a later rebuild without \
    --redecide restores them. The command fetches nothing: the store already has the text of a dropped page that is now kept, and the \
    next run fetches its body. The report then shows the changed verdicts.\n\
    The old state stays in state.before-rebuild until `crawler gc` removes it. The new state replaces it only when it is complete; \
    after an interruption the same command starts from the beginning. The command also writes warc/index.cdxj again."
)]
pub struct RebuildArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Give all pages a new verdict, from the stored texts, by the configuration in force.
    #[arg(long)]
    pub redecide: bool,
}

/// `crawler gc`
#[derive(Debug, Args)]
#[command(
    after_help = "The command copies the live rows of the state and the index into a new database, which replaces the old one, \
    and removes the old state of a rebuild (state.before-rebuild). It needs disk space for the copy. It never rewrites WARC \
    files, so earlier versions of pages stay in the archive."
)]
pub struct GcArgs {
    #[command(flatten)]
    pub data: DataFolder,
}
