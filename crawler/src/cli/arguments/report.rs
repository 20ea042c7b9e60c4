//! `crawler report` and `crawler rules`.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConfigFile, DataFolder};

/// The forms of a report.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ReportFormat {
    /// Tables for a terminal.
    Text,
    /// One JSON object with all data. The format is stable: fields are only ever added.
    Json,
    /// One self-contained page for a browser.
    Html,
}

impl From<ReportFormat> for views::report::Format {
    fn from(format: ReportFormat) -> Self {
        match format {
            ReportFormat::Text => Self::Text,
            ReportFormat::Json => Self::Json,
            ReportFormat::Html => Self::Html,
        }
    }
}

/// `crawler report`
#[derive(Debug, Args)]
#[command(
    after_help = "Text: a summary that fits on one screen. COLUMNS overrides the width of the terminal. The dedup rule of the \
    configuration selects the near misses and the doubtful pairs.\n\
    HTML: one file that opens from disk and loads nothing from the network. It shows histograms with the threshold, the doubtful \
    pairs, clusters with their differences, hosts, rules, failures and the crawl over time. It is never larger than about 12 MB \
    and says where it leaves out data. You can label pairs in it and download the labels for `crawler tune --pairs`.\n\
    JSON: all data; fields are only ever added.\n\
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
    /// Print the long text listing instead of the summary; --format json lists everything.
    #[arg(long)]
    pub full: bool,
    /// Output file. Default: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
}

/// The forms of `crawler rules`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum RulesFormat {
    /// For people, with lines to copy into the configuration.
    Text,
    /// One JSON object: `rules`, `patterns`, `held_back`, `deprioritised`.
    Json,
}

/// `crawler rules`
#[derive(Debug, Args)]
#[command(
    after_help = "The crawler learns a rule from pairs of duplicates whose URLs differ in one part: a parameter, a segment of the \
    path, a number or the host. The crawler tests the rule on every later page that matches it. To apply a rule in the next run, \
    copy its line to steering.apply in config.toml."
)]
pub struct RulesArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Also show refuted rules, and rules with too little evidence.
    #[arg(long)]
    pub all: bool,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = RulesFormat::Text)]
    pub format: RulesFormat,
}
