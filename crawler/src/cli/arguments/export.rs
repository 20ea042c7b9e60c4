//! `crawler export`: pages of a crawl for other tools.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::values::{parse_language, parse_since, parse_until};
use super::{ConfigFile, DataFolder};
use web::host_pattern::{HostPattern, parse_host};

use config::UrlPattern;

/// The forms of an export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportFormat {
    /// One JSON object per line.
    Jsonl,
    /// A table with a header for spreadsheets and databases; spreadsheets do not read any cell as a formula.
    Csv,
    /// A typed, compressed table for DuckDB, pandas or Spark.
    #[cfg(feature = "parquet")]
    Parquet,
    /// Markdown: all fields as YAML front matter, then the text with its structure. A folder with one file per page, or, for a name that
    /// ends in .md, one file with a form feed between two pages.
    Markdown,
    /// The texts: one file per page in a folder, or one file with a form feed between two texts.
    Text,
    /// A folder that the library datasets of Hugging Face reads: Parquet files and a dataset card.
    #[cfg(feature = "parquet")]
    Dataset,
    /// The index that replay tools need to find pages in the WARC files.
    Cdxj,
}

/// What an export can have besides the fields of every export.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportExtra {
    /// The field markdown: the text with its headings, lists, tables, code and links.
    Markdown,
    /// Fields for what pages say about themselves: headline, authors, published, modified, description, site_name, tags, section, licence,
    /// image, declared_type.
    Metadata,
}

/// Verdicts of the exported pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum ExportVerdict {
    /// Kept pages.
    Kept,
    /// Pages with the same text as a kept page.
    Exact,
    /// Pages with nearly the same text as a kept page.
    Near,
    /// Every page.
    All,
}

/// `crawler export`
#[derive(Debug, Args)]
#[command(after_help = "Examples:\n  \
    crawler export | jq -r .title                            titles of all kept pages\n  \
    crawler export -o pages.parquet                          the name selects the form\n  \
    crawler export -o pages.jsonl.zst --language en,de       compressed: .gz or .zst, not for Parquet\n  \
    crawler export -o pages/                                 one Markdown file per page, DIR/HOST/NAME.md\n  \
    crawler export -o pages.md --fields url,title            all pages in one Markdown file\n  \
    crawler export --format dataset -o dataset/              for load_dataset(\"dataset\") of Hugging Face\n  \
    crawler export --fields url,text --min-chars 500 --limit 1000 -o sample.jsonl\n  \
    crawler export --host '*.example.org' --match '/docs/' --since 2026-03-01 --until 2026-03-31\n  \
    crawler export --with markdown,metadata -o pages.jsonl   structure, authors, dates: reads each page again\n  \
    crawler export --since-published 2026-03-01 -o new.jsonl pages that say they were published since\n  \
    crawler export --verdict all -o decided.csv              also duplicates, without their texts\n  \
    crawler export --include-duplicates -o all.parquet       also duplicates, with their texts\n\n\
    A page must pass every filter, and passes a filter if it matches one of its values. A host without a port matches every port. \
    '*.example.org' matches every host below example.org, but not example.org. --since and --until compare the time of the fetch, \
    in UTC, and include both ends: --until 2026-03-31 includes that day. The export holds the last version of each page; earlier \
    versions stay in the WARC files.\n\n\
    The output appears under its name when it is complete. Until then, and after Ctrl-C, it is FILE.partial or DIR.partial, which \
    the next export overwrites. The command replaces an existing file or, for a symbolic link, the target of the link. A folder \
    must be new or empty. The output must be outside --data. docs/src/export.md lists the fields and their types.\n\n\
    Exit codes: 0 all pages were exported or the reader closed the pipe (crawler export | head), 1 the command could not \
    continue, 2 an argument is invalid, 3 single pages could not be read from the archive; the command names them.")]
pub struct ExportArgs {
    #[command(flatten)]
    pub data: DataFolder,
    /// Form of the export. Default: the form that the ending of --output names; markdown for a folder (a name that ends in /, or a folder
    /// that exists); jsonl without an ending.
    #[arg(long, value_enum)]
    pub format: Option<ExportFormat>,
    /// Output file, or a folder for one file per page. Default, or with -: standard output.
    #[arg(short, long, value_name = "FILE|DIR/")]
    pub output: Option<PathBuf>,
    /// Also export what a crawl does not store and a second reading of the archived page finds. Repeatable. Takes some milliseconds a page.
    #[arg(long, value_enum, value_name = "WHAT", value_delimiter = ',')]
    pub with: Vec<ExportExtra>,
    /// Only these fields, in this order: url,title,text. Names of docs/src/export.md, also those that --with adds. Not for text and cdxj.
    #[arg(long, value_name = "FIELD", value_delimiter = ',')]
    pub fields: Vec<String>,
    /// Only pages with a text of at least so many characters. Duplicates count by their own texts.
    #[arg(long, value_name = "N")]
    pub min_chars: Option<u64>,
    /// At most so many pages, the first of the crawl that pass the filters.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub limit: Option<u64>,
    /// Also pages without any text, such as pictures with a title. Without this flag they are left out, and counted. --verdict all has
    /// them, too.
    #[arg(long)]
    pub include_empty: bool,
    /// Also duplicates, with their texts, unless the crawl stored none (storage.duplicates = "nothing"). The field cluster names the kept
    /// page of each. With --verdict, only that option selects pages, and this flag adds the texts of duplicates.
    #[arg(long)]
    pub include_duplicates: bool,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Only pages of this host: example.org, example.org:8080 or '*.example.org'. Repeatable.
    #[arg(long = "host", value_name = "HOST", value_delimiter = ',', value_parser = parse_host)]
    pub hosts: Vec<HostPattern>,
    /// Only texts in this language: a code of two letters, such as en. Repeatable.
    #[arg(long = "language", value_name = "CODE", value_delimiter = ',', value_parser = parse_language)]
    pub languages: Vec<String>,
    /// Only pages fetched at this time or later: 2026-03-01 or 2026-03-01T09:30:00Z.
    #[arg(long, value_name = "DATE", value_parser = parse_since)]
    pub since: Option<i64>,
    /// Only pages fetched at this time or earlier; a date includes the whole day.
    #[arg(long, value_name = "DATE", value_parser = parse_until)]
    pub until: Option<i64>,
    /// Only pages that say they were published at this time or later. Reads each page again, as --with metadata does. A page without a date
    /// does not pass; a time without an offset is read as UTC. Not for --format cdxj.
    #[arg(long, value_name = "DATE", value_parser = parse_since)]
    pub since_published: Option<i64>,
    /// Only pages that say they were published at this time or earlier; a date includes the whole day. As --since-published otherwise.
    #[arg(long, value_name = "DATE", value_parser = parse_until)]
    pub until_published: Option<i64>,
    /// Only pages whose URL matches this pattern: a regular expression of a part of the URL, or glob: and a pattern of the whole URL.
    /// Repeatable.
    #[arg(long = "match", value_name = "PATTERN", value_parser = UrlPattern::parse_or_regex)]
    pub patterns: Vec<UrlPattern>,
    /// Only pages with this verdict. Default: kept pages; with --include-duplicates also duplicates. Repeatable.
    #[arg(long = "verdict", value_enum, value_name = "VERDICT", value_delimiter = ',')]
    pub given_verdicts: Vec<ExportVerdict>,
}

impl ExportArgs {
    /// The verdicts of the pages to export.
    pub fn verdicts(&self) -> &[ExportVerdict] {
        use ExportVerdict::{Exact, Kept, Near};
        match (&self.given_verdicts[..], self.include_duplicates) {
            ([], false) => &[Kept],
            ([], true) => &[Kept, Exact, Near],
            (given, _) => given,
        }
    }
}
