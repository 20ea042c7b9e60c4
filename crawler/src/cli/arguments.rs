//! The command line: every command, every flag, and what `--help` teaches.

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

pub use check::{AnswerFormat, Check};
pub use config::{Config, ConfigAction, ConfigCheck, ConfigFormat, ConfigShow, Overrides};
pub use explain::Explain;
pub use export::{Export, ExportFormat, ExportVerdict};
pub use inspect::{
    Fetching, Inspect, InspectFormat, InspectPage, InspectRobots, InspectSitemap, InspectUrl, Inspected,
};
pub use logging::{LogFormat, Logging};
pub use shell::{Completions, Man};
pub use status::Status;
pub use store::{Gc, Rebuild, Verify, VerifyFormat};
pub use tune::{Tune, TuneFormat};

/// A polite web crawler that stores only pages that say something new, and can show why it dropped the others.
#[derive(Debug, Parser)]
#[command(version, about, max_term_width = 110, arg_required_else_help = true)]
#[command(
    after_help = "Start with `crawler demo`: it crawls a small site of its own, without network.\n\
    Exit codes: 0 the command did its work (single pages may have failed), 1 it could not go on, 2 it was called \
    with something unusable, 3 it did its work but for some of its input that could not be read, 130 Ctrl-C.\n\
    Environment: every key of config.toml as CRAWLER_SECTION_KEY, stronger than the file and weaker than a flag (crawler config \
    show tells what is in force); RUST_LOG, what is logged."
)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
    /// Log what happens on standard error: -v decisions, -vv everything.
    #[arg(short, long, action = clap::ArgAction::Count, global = true)]
    pub verbose: u8,
    /// No progress and no warnings; errors and results only.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// See `--help` of the group.
    #[command(flatten)]
    pub logging: Logging,
}

/// The commands, one file each in `commands/`.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Crawl from a list of seed URLs and keep the pages that say something new.
    Run(Run),
    /// Show what was fetched, kept and dropped, and why.
    Report(Report),
    /// Say why a page was kept or dropped, or what became of its URL.
    Explain(Explain),
    /// Say whether a text is already in the store, and which passages it shares with the nearest pages.
    Check(Check),
    /// Show the URL rules and patterns that the verdicts of a crawl teach, with their evidence.
    Rules(Rules),
    /// Write the kept pages as JSON lines, CSV, Parquet, Markdown, plain text or CDXJ.
    Export(Export),
    /// Check that a crawl on disk is whole: bodies, digests, verdicts, index, counts, queue.
    Verify(Verify),
    /// Make the state of a crawl anew from its WARC files.
    Rebuild(Rebuild),
    /// Give back the room that the state of a crawl does not need any more.
    Gc(Gc),
    /// Show what other dedup thresholds would make of a crawl, without fetching, and write the one that suits it.
    Tune(Tune),
    /// Show what the crawler makes of one page, robots.txt, URL or sitemap.
    Inspect(Inspect),
    /// Show the fingerprint of documents in files, and the features that weigh most in it.
    Fingerprint(Fingerprint),
    /// Count how rare features are in a corpus or a crawl, for weights that go by it.
    Idf(Idf),
    /// Measure the precision and recall of many dedup settings on pages whose duplicates are known.
    Evaluate(Evaluate),
    /// List the layouts of the index that find every near-duplicate within a distance, and what each costs.
    Layouts(Layouts),
    /// Find duplicates among documents in files: JSON lines, text, HTML, WARC and WET.
    Dedup(Dedup),
    /// Crawl a small web site of its own on loopback and compare the report with the known truth.
    Demo(Demo),
    /// Check the configuration, or show what is in force and where each value comes from.
    Config(Config),
    /// Print completions for a shell.
    Completions(Completions),
    /// Print the manual pages, or write them to a folder.
    Man(Man),
}

/// Where the crawl lies on disk.
#[derive(Debug, Args)]
pub struct DataFolder {
    /// Folder that holds the crawl: its state, its WARC files, its report.
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub data: PathBuf,
}

/// Where the configuration comes from.
#[derive(Debug, Args)]
pub struct ConfigFile {
    /// Configuration file; without it `config.toml` in the current folder if there is one, else the built-in defaults.
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
}

/// `crawler run`
#[derive(Debug, Args)]
#[command(
    after_help = "Ctrl-C stops taking new URLs, finishes what is in process and saves; the same command goes \
    on where it stopped. A second Ctrl-C ends at once and loses nothing that was decided more than a moment ago."
)]
pub struct Run {
    /// Text file with one seed URL a line; `#` starts a comment. With --refresh it may be left out: then the crawl stays on the
    /// hosts that it knows.
    #[arg(long, value_name = "FILE", required_unless_present = "refresh")]
    pub seeds: Option<PathBuf>,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// Look again at the pages that are due: unchanged ones are noted, changed ones get a new version and a new verdict,
    /// those that are gone (no page at two refreshes running) are marked and stay in the archive. How often a page is due
    /// follows how often it changes (section `refresh` of config.toml). Such visits do not count against --max-pages.
    #[arg(long)]
    pub refresh: bool,
    /// Take as due what will be due by this time (RFC 3339).
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_rfc3339_weak, requires = "refresh", hide = true)]
    pub refresh_as_of: Option<SystemTime>,
    /// See `--help` of the group.
    #[command(flatten)]
    pub overrides: Overrides,
    /// Stop taking new URLs after this time: 90s, 10m, 2h.
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub max_duration: Option<Duration>,
    /// See `--help` of the group.
    #[command(flatten)]
    pub status: Status,
}

/// The forms a report comes in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Tables for a terminal.
    Text,
    /// The documented, stable format for programs.
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

/// The forms that documents come in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One JSON object a line.
    Jsonl,
    /// A plain text, in any encoding.
    Text,
    /// A web page, in any encoding.
    Html,
    /// Web archive: pages and texts of WARC and WET files.
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
    after_help = "As text, the whole story in one screen as wide as the terminal (COLUMNS says otherwise). The thresholds, near \
    misses and doubtful pairs are shown by the rule of the configuration.\n\
    As HTML, one file that asks no host for anything and opens from disk: histograms with the threshold, the doubtful pairs first, \
    clusters with what differs, hosts, rules, failures, the crawl over time. It is at most some 12 MB; what found no room is told. \
    Pairs that are labelled in it can be downloaded for crawler tune --pairs.\n\
    The JSON holds everything; its fields are only ever added."
)]
pub struct Report {
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Form of the report.
    #[arg(long, value_enum, default_value_t = ReportFormat::Text)]
    pub format: ReportFormat,
    /// As text, the long listing in place of one screen.
    #[arg(long)]
    pub full: bool,
    /// File to write; standard output without it.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The forms of `crawler rules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RulesFormat {
    /// For people, with the lines to put into the configuration.
    Text,
    /// One JSON object: `rules`, `patterns`, `left`, `snoozed`.
    Json,
}

/// `crawler rules`
#[derive(Debug, Args)]
#[command(
    after_help = "A rule is learned from pairs of duplicates whose URLs differ in one thing: a parameter, a segment of the \
    path, numbers, the host. It is tested by every later page that it speaks of. Rules are applied only on request: copy \
    them to steering.apply in config.toml."
)]
pub struct Rules {
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Also the rules that are only suspected, or were refuted.
    #[arg(long)]
    pub all: bool,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = RulesFormat::Text)]
    pub format: RulesFormat,
}

/// `crawler evaluate`
#[derive(Debug, Args)]
#[command(
    after_help = "Each combination of --features, --weights, --bits, --distances and --confirm is one line of the table; \
    what is not given is as in the configuration. The pages are decided on in their order, as a crawl would."
)]
pub struct Evaluate {
    /// Pages: one JSON object a line with `id` and `text`, maybe `title`; also gzip or zstd.
    #[arg(long, value_name = "FILE")]
    pub pages: PathBuf,
    /// Truth: `id id similarity` a line, separated by tabs; pairs that are not named have none.
    #[arg(long, value_name = "FILE")]
    pub pairs: PathBuf,
    /// Features: words, 2-shingles to 9-shingles, 1-grams to 9-grams, joined by + (words+2-shingles).
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "words", value_parser = parse_features)]
    pub features: Vec<dedup::Features>,
    /// Words in scripts without spaces: pairs, dictionary.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "pairs", value_parser = parse_segmenter)]
    pub segmenter: Vec<dedup::Segmenter>,
    /// Weights: tf, log-tf, tf-levels, tf-idf, improved. The IDF table is the configuration's, or made of the pages.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "tf", value_parser = parse_weights)]
    pub weights: Vec<dedup::Weighting>,
    /// Bits of a fingerprint: 32, 64, 128.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "64", value_parser = parse_width)]
    pub bits: Vec<dedup::Width>,
    /// Largest Hamming distances.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "3,7,10")]
    pub distances: Vec<u32>,
    /// What confirms a candidate: distance (nothing more), a smallest similarity of the sketches, combined.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "distance,0.76", value_parser = parse_confirm)]
    pub confirm: Vec<dedup::Confirm>,
    /// Pairs of at least this similarity are duplicates.
    #[arg(long, value_name = "SIMILARITY", default_value_t = 0.8)]
    pub duplicate_from: f32,
    /// Pairs under this similarity are not; between the two either answer is right.
    #[arg(long, value_name = "SIMILARITY", default_value_t = 0.5)]
    pub different_below: f32,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// File for the table as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// File for a plot as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// `crawler fingerprint`
#[derive(Debug, Args)]
pub struct Fingerprint {
    /// Files and folders of JSON lines, text, HTML, WARC and WET, each also gzip or zstd; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Features shown of each document, at most 1,000.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// One JSON object a line instead of tables.
    #[arg(long)]
    pub json: bool,
    /// Use these dedup settings instead of the defaults (only the `[dedup]` section is read).
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler idf`
#[derive(Debug, Args)]
#[command(
    after_help = "The table is frozen: fingerprints made with it name it, and are never compared with those of another. \
    It is for the features, the segmenter and the masking of the configuration. Memory grows with the number of distinct \
    features."
)]
pub struct Idf {
    /// Files and folders of JSON lines, text, HTML, WARC and WET, each also gzip or zstd; - for standard input.
    #[arg(value_name = "INPUT", required_unless_present = "data", conflicts_with = "data")]
    pub inputs: Vec<PathBuf>,
    /// Count the kept pages of this crawl instead.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// File to write.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    /// Use these dedup settings instead of the defaults (only the `[dedup]` section is read).
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler layouts`
#[derive(Debug, Args)]
#[command(
    after_help = "A fingerprint is cut into blocks; two fingerprints within the distance share a block, or nearly so \
    (pigeonhole principle). Fewer, wider blocks: less memory, fewer candidates, more probes. More, narrower ones: the \
    reverse."
)]
pub struct Layouts {
    /// Bits of a fingerprint: 32, 64, 128.
    #[arg(long, value_name = "N", default_value = "64", value_parser = parse_width)]
    pub bits: dedup::Width,
    /// Largest Hamming distance that must be found.
    #[arg(long, value_name = "BITS", default_value_t = dedup::Rule::default().max_distance)]
    pub distance: u32,
    /// Fingerprints in the index.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub documents: u64,
}

/// `crawler dedup`
#[derive(Debug, Args)]
#[command(
    after_help = "Verdicts come in input order, one JSON object a line: {\"id\", \"verdict\": \"unique\"|\"exact\"|\"near\", \
    \"of\": id|null, \"distance\": bits|null, \"similarity\": 0 to 1|null}. A document is a duplicate only of one that was \
    unique, the same input gives the same verdicts.\n\
    What cannot be read is reported with its place, file:line or file:byte, and counted; the rest goes on.\n\
    A file written appears when it is complete; until then, and after Ctrl-C, FILE.partial holds what has been decided, in \
    whole lines. The same command starts from the beginning.\n\
    Exit codes: 0 all was read, 3 some of the input could not be read, 1 it could not go on, 2 it was called with something \
    unusable, 130 Ctrl-C."
)]
pub struct Dedup {
    /// Files, folders (recursively, by name; hidden ones and names of no known form are left out), - for standard input.
    /// Any of them may be gzip or zstd.
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// File for the verdicts; standard output without it or with -.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// File for the documents that are unique: JSON lines as they came, others as {"id", "text", "url", "title"}.
    #[arg(long, value_name = "FILE")]
    pub kept: Option<PathBuf>,
    /// Form of all inputs; without it a file's content and name tell.
    #[arg(long, value_enum)]
    pub format: Option<InputFormat>,
    /// Field of a JSON line that names the document, a string or a number; without it its place does.
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
    /// Use these dedup settings instead of the defaults (only the `[dedup]` section is read).
    #[command(flatten)]
    pub config: ConfigFile,
    /// Largest Hamming distance of near-duplicates' fingerprints, instead of dedup.max_distance.
    #[arg(long, value_name = "BITS")]
    pub max_distance: Option<u32>,
    /// Smallest similarity that confirms a near-duplicate, above 0 and at most 1, instead of dedup.min_similarity.
    #[arg(long, value_name = "X")]
    pub min_similarity: Option<f32>,
    /// Longest line, record or file, unpacked; a longer one is reported and passed over.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_DOCUMENT_BYTES as u64,
          value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub max_document_bytes: u64,
}

/// `crawler demo`
#[derive(Debug, Args)]
pub struct Demo {
    /// Folder for the demo's crawl; a new temporary one without it. It must be empty or absent.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Use these dedup settings instead of the defaults (only the `[dedup]` section is read).
    #[command(flatten)]
    pub config: ConfigFile,
    /// Serve the site until Ctrl-C instead of crawling it, to look at it in a browser.
    #[arg(long)]
    pub serve: bool,
}

pub(crate) fn duration(text: &str) -> Result<Duration, String> {
    match humantime::parse_duration(text) {
        Ok(time) if time > Duration::ZERO => Ok(time),
        Ok(_) => Err("must be longer than nothing".into()),
        Err(error) => Err(format!("{error}; write it like 90s, 10m or 2h")),
    }
}
