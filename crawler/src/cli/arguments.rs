//! The command line: every command, every flag and the text of `--help`.

mod check;
mod config;
mod explain;
mod export;
mod host_pattern;
mod inspect;
mod logging;
mod shell;
mod status;
mod store;
mod tune;
mod values;

use std::path::PathBuf;
use std::time::{Duration, SystemTime};

use clap::{Args, Parser, Subcommand, ValueEnum};

use crate::files::{DEFAULT_MAX_DOCUMENT_BYTES, Format};
use values::{parse_confirm, parse_features, parse_segmenter, parse_weights, parse_width};

pub use check::{AnswerFormat, CheckArgs};
pub use config::{ConfigAction, ConfigArgs, ConfigCheckArgs, ConfigFormat, ConfigShowArgs, Overrides};
pub use explain::ExplainArgs;
pub use export::{ExportArgs, ExportFormat, ExportVerdict};
pub use inspect::{
    Fetching, InspectArgs, InspectFormat, InspectPageArgs, InspectRobotsArgs, InspectSitemapArgs, InspectUrlArgs,
    Inspected,
};
pub use logging::{LogFormat, LoggingArgs};
pub use shell::{CompletionsArgs, ManArgs};
pub use status::StatusArgs;
pub use store::{GcArgs, RebuildArgs, VerifyArgs, VerifyFormat};
pub use tune::{At, TuneArgs, TuneFormat};

/// A polite web crawler that keeps only pages with new content and explains why it dropped the others.
#[derive(Debug, Parser)]
#[command(version, max_term_width = 110, arg_required_else_help = true)]
#[command(
    after_help = "Start with `crawler demo`, which crawls a small built-in site without network access.\n\
    Exit codes: 0 success (single pages may have failed), 1 the command could not continue, 2 an argument, the configuration or an \
    input file is invalid, 3 success except for input that could not be read, 130 Ctrl-C.\n\
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
    /// Crawl from a list of seed URLs and keep the pages with new content.
    Run(RunArgs),
    /// Show the fetched, kept and dropped pages of a crawl, with the reasons.
    Report(ReportArgs),
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
    /// Free disk space that the state of a crawl no longer needs.
    Gc(GcArgs),
    /// Show the verdicts of a crawl under other dedup thresholds, without fetching, and write the best threshold to config.toml.
    Tune(TuneArgs),
    /// Show how the crawler reads one page, robots.txt, URL or sitemap.
    Inspect(InspectArgs),
    /// Show the fingerprints of documents in files, and their heaviest features.
    Fingerprint(FingerprintArgs),
    /// Count the features of a corpus or a crawl for the weights tf-idf and improved.
    Idf(IdfArgs),
    /// Measure the precision and recall of dedup settings on pages with known duplicates.
    Evaluate(EvaluateArgs),
    /// List the index layouts that find every near-duplicate within a distance, with their costs.
    Layouts(LayoutsArgs),
    /// Find duplicates among documents in files: JSON lines, text, HTML, WARC and WET.
    Dedup(DedupArgs),
    /// Crawl a small built-in site on loopback and compare the report with the known result.
    Demo(DemoArgs),
    /// Check the configuration, or show the values in force with their origins.
    Config(ConfigArgs),
    /// Print the completion script of a shell.
    Completions(CompletionsArgs),
    /// Print the manual pages or write them to a folder.
    Man(ManArgs),
}

/// The data folder of a crawl.
#[derive(Debug, Args)]
pub struct DataFolder {
    /// Data folder of the crawl, with its state and its WARC files.
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub data: PathBuf,
}

/// The configuration file.
#[derive(Debug, Args)]
pub struct ConfigFile {
    /// Configuration file. Default: `config.toml` in the current folder if it exists, otherwise the built-in values.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// `crawler run`
#[derive(Debug, Args)]
#[command(
    after_help = "Ctrl-C: the crawler takes no new URLs, finishes those in process and saves its state. The same command \
    continues the crawl. A second Ctrl-C ends the program at once; it loses only the verdicts of the last moment \
    (storage.commit_interval_ms), whose URLs the next run fetches again.\n\
    Examples:\n  \
    crawler run --seeds seeds.txt                      crawl into the folder data\n  \
    crawler run --seeds seeds.txt --max-pages 1000     stop after 1,000 pages\n  \
    crawler run --refresh                              visit the pages that are due again"
)]
pub struct RunArgs {
    /// Text file with one seed URL per line; `#` starts a comment. Optional with --refresh, which then stays on the
    /// known hosts.
    #[arg(long, value_name = "FILE", required_unless_present = "refresh")]
    pub seeds: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigFile,
    #[command(flatten)]
    pub data: DataFolder,
    /// Visit the pages that are due again. A changed page gets a new version and a new verdict; a page that is missing at two
    /// refreshes in a row is marked as gone and stays in the archive. The section [refresh] of config.toml sets the intervals.
    /// --max-pages does not count these visits.
    #[arg(long)]
    pub refresh: bool,
    /// Visit the pages that are due at this time (RFC 3339).
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_rfc3339_weak, requires = "refresh", hide = true)]
    pub refresh_as_of: Option<SystemTime>,
    #[command(flatten)]
    pub overrides: Overrides,
    /// Take no new URLs after this time, such as 90s, 10m or 2h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_duration: Option<Duration>,
    #[command(flatten)]
    pub status: StatusArgs,
}

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Tables for a terminal.
    Text,
    /// The stable format for programs, with everything; fields are only ever added.
    Json,
    /// One self-contained page for a browser.
    Html,
}

impl From<ReportFormat> for crate::report::Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Text => Self::Text,
            ReportFormat::Json => Self::Json,
            ReportFormat::Html => Self::Html,
        }
    }
}

/// The forms of input documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One JSON object per line.
    Jsonl,
    /// Plain text in any encoding.
    Text,
    /// A web page in any encoding.
    Html,
    /// Pages and texts of WARC and WET files.
    Warc,
}

impl From<InputFormat> for Format {
    fn from(format: InputFormat) -> Self {
        match format {
            InputFormat::Jsonl => Self::Jsonl,
            InputFormat::Text => Self::Text,
            InputFormat::Html => Self::Html,
            InputFormat::Warc => Self::Warc,
        }
    }
}

/// `crawler report`
#[derive(Debug, Args)]
#[command(
    after_help = "Text: a summary that fits on one screen. COLUMNS overrides the width of the terminal. The rule of the \
    configuration selects the near misses and the doubtful pairs.\n\
    HTML: one file that opens from disk and loads nothing from the network. It shows histograms with the threshold, the doubtful pairs, \
    clusters with their differences, hosts, rules, failures and the crawl over time. It is never larger than about 12 MB and lists \
    what it left out. You can label pairs in it and download the labels for `crawler tune --pairs`.\n\
    JSON: everything; fields are only ever added.\n\
    Example: crawler report --format html --output report.html"
)]
pub struct ReportArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Form of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// Print the complete text listing instead of the summary.
    #[arg(long)]
    pub full: bool,
    /// Output file. Default: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The forms of `crawler rules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RulesFormat {
    /// For people, with lines for the configuration.
    Text,
    /// One JSON object: `rules`, `patterns`, `left`, `snoozed`.
    Json,
}

/// `crawler rules`
#[derive(Debug, Args)]
#[command(
    after_help = "The crawler learns a rule from pairs of duplicates whose URLs differ in one part: a parameter, a segment of the \
    path, a number or the host. Every later page that matches the rule tests it. To apply a rule in the next run, copy its line \
    to steering.apply in config.toml."
)]
pub struct RulesArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Also show rules that have too little evidence or were refuted.
    #[arg(long)]
    pub all: bool,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = RulesFormat::Text)]
    pub format: RulesFormat,
}

/// `crawler evaluate`
#[derive(Debug, Args)]
#[command(
    after_help = "Each combination of --features, --segmenter, --weights, --bits, --distances and --confirm is one row of the table. \
    All other settings come from the configuration. The pages get their verdicts in the order of the file, as in a crawl.\n\
    Example: crawler evaluate --pages pages.jsonl --pairs pairs.tsv --weights tf,tf-idf --distances 3,7,10"
)]
pub struct EvaluateArgs {
    /// Pages: one JSON object per line with `id`, `text` and optionally `title`. Can be gzip or zstd.
    #[arg(long, value_name = "FILE")]
    pub pages: PathBuf,
    /// Known similarities: one line `id id similarity` per pair, separated by tabs. Missing pairs have similarity 0.
    #[arg(long, value_name = "FILE")]
    pub pairs: PathBuf,
    /// Features: words, 2-shingles to 9-shingles, 1-grams to 9-grams, or several joined by + (words+2-shingles).
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "words", value_parser = parse_features)]
    pub features: Vec<dedup::Features>,
    /// Word segmentation of scripts without spaces: pairs, dictionary.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "pairs", value_parser = parse_segmenter)]
    pub segmenter: Vec<dedup::Segmenter>,
    /// Weights: tf, log-tf, tf-levels, tf-idf, improved. The IDF table comes from the configuration or else from the pages.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "tf", value_parser = parse_weights)]
    pub weights: Vec<dedup::Weighting>,
    /// Width of a fingerprint in bits: 32, 64, 128.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "64", value_parser = parse_width)]
    pub bits: Vec<dedup::Width>,
    /// Largest Hamming distances, in bits.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "3,7,10")]
    pub distances: Vec<u32>,
    /// What confirms a candidate: `distance` alone, a smallest similarity of the sketches, or `combined`.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "distance,0.76", value_parser = parse_confirm)]
    pub confirm: Vec<dedup::Confirm>,
    /// Pairs with at least this similarity are duplicates.
    #[arg(long, value_name = "SIMILARITY", default_value_t = 0.8)]
    pub duplicate_from: f32,
    /// Pairs below this similarity are different. Between the two bounds, either verdict counts as right.
    #[arg(long, value_name = "SIMILARITY", default_value_t = 0.5)]
    pub different_below: f32,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Also write the table to this file as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also write a plot to this file as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// `crawler fingerprint`
#[derive(Debug, Args)]
pub struct FingerprintArgs {
    /// Files and folders with JSON lines, text, HTML, WARC or WET, also as gzip or zstd; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Number of features per document, at most 1,000.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Print one JSON object per line instead of tables.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler idf`
#[derive(Debug, Args)]
#[command(
    after_help = "The table is frozen: fingerprints name the table that they were made with, and fingerprints of different tables \
    are never compared. The configuration sets the features, the segmenter and the masking of dates. Memory grows with the number of \
    distinct features.\n\
    Example: crawler idf corpus/ --output idf.bin"
)]
pub struct IdfArgs {
    /// Files and folders with JSON lines, text, HTML, WARC or WET, also as gzip or zstd; - for standard input.
    #[arg(value_name = "INPUT", required_unless_present = "data", conflicts_with = "data")]
    pub inputs: Vec<PathBuf>,
    /// Count the kept pages of the crawl in this data folder instead.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Output file.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler layouts`
#[derive(Debug, Args)]
#[command(
    after_help = "The index divides a fingerprint into blocks. Two fingerprints within the distance agree in at least one block, or \
    differ there in few bits (pigeonhole principle). Fewer, wider blocks need less memory, give fewer candidates and cost more probes; \
    more, narrower blocks do the opposite."
)]
pub struct LayoutsArgs {
    /// Width of a fingerprint in bits: 32, 64, 128.
    #[arg(long, value_name = "N", default_value = "64", value_parser = parse_width)]
    pub bits: dedup::Width,
    /// Largest Hamming distance that the index must find.
    #[arg(long, value_name = "BITS", default_value_t = dedup::Rule::default().max_distance)]
    pub distance: u32,
    /// Number of fingerprints in the index.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub documents: u64,
}

/// `crawler dedup`
#[derive(Debug, Args)]
#[command(
    after_help = "Output: one JSON object per line, in input order: {\"id\", \"verdict\": \"unique\"|\"exact\"|\"near\", \
    \"of\": id|null, \"distance\": bits|null, \"similarity\": 0 to 1|null}. \"of\" names a unique document. The same input always \
    gives the same verdicts.\n\
    The command reports input that it cannot read as file:line or file:byte, counts it, and continues.\n\
    An output file appears when it is complete. Until then, and after Ctrl-C, FILE.partial holds the verdicts so far, in whole lines. \
    The same command starts from the beginning.\n\
    The command reads only the section [dedup] of the configuration.\n\
    Examples:\n  \
    crawler dedup corpus.jsonl.gz --output verdicts.jsonl\n  \
    crawler dedup pages/ --kept unique.jsonl --output verdicts.jsonl\n\
    Exit codes: 0 all input was read, 1 the command could not continue, 2 an argument, the configuration or an input file is invalid, \
    3 some input could not be read, 130 Ctrl-C."
)]
pub struct DedupArgs {
    /// Files and folders, also as gzip or zstd; - for standard input. Folders are read recursively, without hidden files and files
    /// with an unknown ending.
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Output file for the verdicts. Default, and with -: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output file for the unique documents: JSON lines unchanged, other documents as {"id", "text", "url", "title"}.
    #[arg(long, value_name = "FILE")]
    pub kept: Option<PathBuf>,
    /// Form of all inputs. Default: by the content and the name of each file.
    #[arg(long, value_enum)]
    pub format: Option<InputFormat>,
    /// Field with the id of a document, a string or a number. A document without it gets its place in the input as id.
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Field with the text.
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// Field with the title.
    #[arg(long, value_name = "NAME", default_value = "title")]
    pub title_field: String,
    /// Field with the URL.
    #[arg(long, value_name = "NAME", default_value = "url")]
    pub url_field: String,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Largest Hamming distance of near-duplicates, in bits; overrides dedup.max_distance.
    #[arg(long, value_name = "BITS")]
    pub max_distance: Option<u32>,
    /// Smallest similarity of near-duplicates, above 0 and at most 1; overrides dedup.min_similarity.
    #[arg(long, value_name = "X")]
    pub min_similarity: Option<f32>,
    /// Longest line, record or file after decompression, in bytes. Longer ones are reported and skipped.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_DOCUMENT_BYTES as u64,
          value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub max_document_bytes: u64,
}

/// `crawler demo`
#[derive(Debug, Args)]
pub struct DemoArgs {
    /// Data folder of the demo, which must be empty or absent. Default: a new temporary folder.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Serve the built-in site for a browser until Ctrl-C, without crawling it.
    #[arg(long)]
    pub serve: bool,
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time > Duration::ZERO => Ok(time),
        Ok(_) => Err("must be greater than zero".into()),
        Err(error) => Err(format!("{error}; write a time such as 90s, 10m or 2h")),
    }
}
