//! `crawler check`

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{DataFolder, Fetching};

/// The forms of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AnswerFormat {
    /// For people.
    Text,
    /// One JSON object. Fields are only ever added.
    Json,
}

/// `crawler check`
#[derive(Debug, Args)]
#[command(
    after_help = "The text of a page is its main text, as a crawl takes it; it is compared with the kept pages by the rule of \
    the configuration. Nothing is written. A URL is fetched as a crawl does, after its robots.txt.\n\
    As JSON: {\"source\", \"url\": canonical|null, \"title\", \"verdict\": \"new\"|\"near\"|\"exact\"|\"too_short\", \"reason\": a \
    sentence, \"tokens\": of the text, a date counting as one, \"words\", \"characters\": of scripts without spaces, \"min_words\": words that a \
    fingerprint takes, six such characters counting as one, \"compared_by\": \"fingerprint\"|\"shingles\"|\"digest\"|\"nothing\", \
    \"fingerprint\", \"digest\", \"scheme\", \"thorough\", \"same_url\": null or {\"id\", \"url\", \"title\", \"kept\"}, the page of the \
    store with this URL, \"covered\": part of the text's tokens that stand in a passage in common with one of the nearest pages, \
    0 to 1, \"nearest\": [{\"id\", \"url\", \"title\", \"is_exact\", \"is_duplicate\", \"distance\": bits|null, \"similarity\": estimated \
    Jaccard index of the five-word runs, \"checks\": what the rule asks [{\"name\", \"value\", \"bound\", \"is_at_most\", \"is_met\"}], \
    \"jaccard\": the exact index|null, \"covered\", \"covered_of_page\", \"passages\": the longest first [{\"tokens\", \"start\", \
    \"end\", \"page_start\", \"page_end\": bytes of the extracted texts, \"text\"}], \"passages_left_out\", \
    \"is_cut\": whether the texts are too long, or repeat themselves too often, for all passages to be looked for, \
    \"unreadable\": why its text cannot be read|null}], \"is_cut\": whether \"covered\" is the least that it may be, as one of \
    them is cut or cannot be read}.\n\
    Exit codes: 0 new, 10 near-duplicate, 11 exact duplicate, 12 too short to say, 1 it could not go on, 2 it was called with \
    something unusable."
)]
pub struct Check {
    /// A file of HTML or plain text, also gzip or zstd; an http or https URL; - for standard input.
    #[arg(value_name = "FILE|URL|-")]
    pub source: PathBuf,
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// The URL that a file's page is from.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub format: AnswerFormat,
    /// Nearest pages shown at most.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub top: u16,
    /// Compare with every kept page, also with those whose fingerprint is further away than dedup.max_distance: slower, and
    /// names the nearest page of a text that is new.
    #[arg(long)]
    pub thorough: bool,
    /// Fetch a URL although its robots.txt forbids it.
    #[arg(long)]
    pub ignore_robots: bool,
    /// See `--help` of the group.
    #[command(flatten)]
    pub fetching: Fetching,
}
