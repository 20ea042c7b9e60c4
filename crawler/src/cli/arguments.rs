//! The command line: every command, every flag and the text of `--help`.

#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "the doc comments are help texts, in which brackets are only brackets"
)]

mod check;
mod config;
mod control;
mod dedup;
mod explain;
mod export;
mod fingerprint;
mod fleet;
mod init;
mod inspect;
mod label;
mod logging;
mod merge;
mod report;
mod run;
mod serve;
mod shell;
mod status;
mod store;
mod tune;
mod values;

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand};
use url::Url;

pub use check::{AnswerFormat, CheckArgs};
pub use config::{
    ConfigAction, ConfigArgs, ConfigCheckArgs, ConfigExplainArgs, ConfigFormat, ConfigShowArgs, Overrides,
};
pub use control::{ControlAction, ControlAddArgs, ControlArgs, ControlFormat};
pub use dedup::{CandidateSource, DedupArgs, GroupBy, Keep, Split};
pub use explain::ExplainArgs;
pub use export::{ExportArgs, ExportExtra, ExportFormat, ExportVerdict};
pub use fingerprint::{EvaluateArgs, FingerprintArgs, IdfArgs, LayoutsArgs};
pub use fleet::{
    FleetAction, FleetAddress, FleetArgs, FleetConfigArgs, FleetDeleteArgs, FleetDrainArgs, FleetForgetArgs,
    FleetFormat, FleetSeedsAction, FleetSeedsAddArgs, FleetStatusArgs,
};
pub use init::InitArgs;
pub use inspect::{
    Fetching, InspectArgs, InspectFormat, InspectPageArgs, InspectPageFormat, InspectRobotsArgs, InspectSitemapArgs,
    InspectUrlArgs, Inspected,
};
pub use label::LabelArgs;
pub use logging::{LogFormat, LoggingArgs, TracingArgs};
pub use merge::MergeArgs;
pub use report::{ReportArgs, ReportFormat, RulesArgs, RulesFormat};
pub use run::{DemoArgs, RunArgs, RunFormat};
pub use serve::{RunServeArgs, ServeArgs};
pub use shell::{CompletionsArgs, ManArgs};
pub use status::StatusArgs;
pub use store::{GcArgs, RebuildArgs, VerifyArgs, VerifyFormat};
pub use tune::{TuneArgs, TuneFormat};

/// A polite web crawler that keeps only pages with new content and explains why it dropped the others.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110, arg_required_else_help = true)]
#[command(
    after_help = "Start with `crawler demo`, which crawls a small built-in site without network access. `crawler run URL` crawls a site of \
    your own; `crawler init URL` first reads its robots.txt and sitemaps.\n\
    Exit codes: 0 success (single pages may have failed), 1 the command could not continue, 2 an argument, the configuration or an \
    input file is invalid, 3 success, but some input could not be read, 6 a limit ended the crawl, 130 Ctrl-C, 143 SIGTERM, 129 SIGHUP; \
    `explain`, `check` and `run` have others, which their help lists.\n\
    Environment: CRAWLER_SECTION_KEY sets a key of config.toml; it overrides the file, and a flag overrides it. `crawler config \
    show` lists the values in force. RUST_LOG selects the log messages."
)]
pub struct Cli {
    /// The command.
    #[command(subcommand)]
    pub command: Command,
    /// Log to standard error: -v decisions, -vv everything.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// Print only errors and results, without progress and warnings.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    #[command(flatten)]
    pub logging: LoggingArgs,
}

/// The commands; each has its own file in `cli/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Ask sites for their robots.txt and sitemaps, and write a first seeds file and configuration.
    Init(InitArgs),
    /// Crawl sites, or the URLs of a file, and keep the pages with new content.
    Run(RunArgs),
    /// Show the fetched, kept and dropped pages of a crawl, with the reasons.
    Report(ReportArgs),
    /// Steer a crawl that runs, or the next run: pause, resume, stop, add URLs, drop hosts, set delays.
    Control(ControlArgs),
    /// Show the crawl in the browser: pages, clusters, thresholds; or the workers of a fleet.
    Serve(ServeArgs),
    /// Explain why a page was kept or dropped, or show the state of its URL.
    Explain(ExplainArgs),
    /// Compare a text with the kept pages and show the passages that it shares with the nearest ones.
    Check(CheckArgs),
    /// Show the URL rules and patterns that a crawl learned from its verdicts, with the evidence.
    Rules(RulesArgs),
    /// Write the kept pages as JSON lines, CSV, Parquet, Markdown, plain text or CDXJ.
    Export(ExportArgs),
    /// Check the integrity of a crawl on disk: bodies, digests, verdicts, index, counts, queue.
    Verify(VerifyArgs),
    /// Rebuild the state of a crawl from its WARC files.
    Rebuild(RebuildArgs),
    /// Make one crawl of several data folders: of the workers of a fleet, or of independent crawls.
    Merge(MergeArgs),
    /// Free disk space that the state of a crawl no longer needs.
    Gc(GcArgs),
    /// Show the verdicts of a crawl at other dedup thresholds, without fetching, and write the best setting to config.toml.
    Tune(TuneArgs),
    /// Show how the crawler reads one page, robots.txt, URL or sitemap.
    Inspect(InspectArgs),
    /// Show the fingerprints of documents in files, and their heaviest features.
    Fingerprint(FingerprintArgs),
    /// Count the features of a corpus or a crawl, for the weights `tf-idf` and `improved`.
    Idf(IdfArgs),
    /// Say whether two pages say the same: for `tune`, or to keep a page that the rule drops.
    Label(LabelArgs),
    /// Measure the precision and recall of dedup settings on pages with known duplicates.
    Evaluate(EvaluateArgs),
    /// List the index layouts that find every near-duplicate within a distance, with their costs.
    Layouts(LayoutsArgs),
    /// Find duplicates among documents in files: JSON lines, CSV, Parquet, text, HTML, PDF and others, WARC and WET.
    Dedup(DedupArgs),
    /// Crawl a small built-in site on loopback and compare the report with the known results.
    Demo(DemoArgs),
    /// Show the workers of a crawl on several machines, or let them stop.
    Fleet(FleetArgs),
    /// Check the configuration, or show the values in force with their origins.
    Config(ConfigArgs),
    /// Print the completion script of a shell.
    Completions(CompletionsArgs),
    /// Print the manual pages or write them to a folder.
    Man(ManArgs),
}

impl Command {
    /// The collector of the spans, if the command asks for one.
    pub fn collector(&self) -> Option<&Url> {
        match self {
            Self::Run(args) => args.tracing.otlp.as_ref(),
            Self::Demo(args) => args.tracing.otlp.as_ref(),
            _ => None,
        }
    }
}

/// The data folder of a crawl.
#[derive(Debug, Clone, Args)]
pub struct DataFolder {
    /// Data folder of the crawl, with its state and its WARC files.
    #[arg(long, value_name = "DIR", default_value = DEFAULT_DATA)]
    pub data: PathBuf,
}

/// The data folder of a command that names no other.
const DEFAULT_DATA: &str = "data";

/// The configuration file.
#[derive(Debug, Clone, Args)]
pub struct ConfigFile {
    /// Configuration file. Default: `config.toml` in the current folder if it exists, otherwise the built-in values. Instead of
    /// `config.toml`, commands that read a finished crawl take the file of its last run, or the settings that the data folder keeps of that run.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}
