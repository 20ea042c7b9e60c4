//! `crawler export`: the pages of a crawl for other tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use regex::Regex;

use super::DataFolder;
use super::host_pattern::{HostPattern, parse_host};
use super::values::{parse_language, parse_regex, parse_since, parse_until};

/// The forms pages are exported in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object a line.
    Jsonl,
    /// A table for spreadsheets and databases, with a header; no cell is a formula.
    Csv,
    /// A typed, packed table for DuckDB, pandas, Spark.
    #[cfg(feature = "parquet")]
    Parquet,
    /// A folder with one Markdown file a page: all fields as YAML front matter, then the text.
    Markdown,
    /// The texts: one file a page in a folder, or all in one, a line with a form feed between two.
    Text,
    /// The index by which replay tools find the pages in the WARC files.
    Cdxj,
}

/// What was decided of the pages to be exported.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportVerdict {
    /// Those that say something new.
    Kept,
    /// Those with the same text as a kept one.
    Exact,
    /// Those with nearly the same text as a kept one.
    Near,
    /// Every page.
    All,
}

/// `crawler export`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    crawler export | jq -r .title                            titles of all kept pages\n  \
    crawler export -o pages.parquet                          the form is told by the name\n  \
    crawler export -o pages.jsonl.zst --language en,de       packed: .gz and .zst, but for Parquet\n  \
    crawler export --format markdown -o pages/               one file a page, DIR/HOST/NAME.md\n  \
    crawler export --host '*.example.org' --match '/docs/' --since 2026-03-01 --until 2026-03-31\n  \
    crawler export --verdict all -o decided.csv              duplicates too, without their texts\n\n\
    A page must pass every kind of filter, by any of its values. Hosts without a port take every port; '*.example.org' takes \
    every host under example.org, not itself. Dates and times are of the fetch, in UTC, both ends included: --until 2026-03-31 \
    takes all of that day. Only the last version of a page is exported, earlier ones stay in the WARC files.\n\n\
    What is written appears when it is complete: until then, and after Ctrl-C, it is FILE.partial or DIR.partial, which the next \
    export writes anew. A file is replaced, of a symbolic link the file it leads to; a device or a pipe is written as it is; a \
    folder must be new or empty. Nothing is written below --data. docs/export.md lists the fields and their types.\n\n\
    Exit codes: 0 all is exported, or who reads standard output or a pipe wants no more (crawler export | head), 3 single pages could not be read from the archive and are named, 1 it could not go on, 2 it \
    was called with something unusable.")]
pub struct ExportArgs {
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// Form of the export; without it the ending of --output tells, and without an ending it is jsonl.
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    /// File to write, or a folder for one file a page; standard output without it or with -.
    #[arg(short, long, value_name = "FILE|DIR/")]
    pub output: Option<PathBuf>,
    /// Only pages of this host: example.org, example.org:8080, '*.example.org'. May be given several times.
    #[arg(long = "host", value_name = "HOST", value_delimiter = ',', value_parser = parse_host)]
    pub hosts: Vec<HostPattern>,
    /// Only texts in this language: two letters, such as en. May be given several times.
    #[arg(long = "language", value_name = "CODE", value_delimiter = ',', value_parser = parse_language)]
    pub languages: Vec<String>,
    /// Only pages fetched then or later: 2026-03-01, 2026-03-01T09:30:00Z.
    #[arg(long, value_name = "DATE", value_parser = parse_since)]
    pub since: Option<i64>,
    /// Only pages fetched then or earlier; a date takes the whole day.
    #[arg(long, value_name = "DATE", value_parser = parse_until)]
    pub until: Option<i64>,
    /// Only pages with a URL in which this regular expression is found. May be given several times.
    #[arg(long = "match", value_name = "REGEX", value_parser = parse_regex)]
    pub patterns: Vec<Regex>,
    /// Only pages of which this was decided. May be given several times.
    #[arg(
        long = "verdict",
        value_enum,
        value_name = "VERDICT",
        value_delimiter = ',',
        default_value = "kept"
    )]
    pub verdicts: Vec<ExportVerdict>,
}
