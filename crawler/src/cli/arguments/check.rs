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
    Verdicts and exit codes:\n  \
    0 new: no page it was compared with says nearly the same; of a part of it (20 % or more) that one holds, it is told\n  \
    10 near: a near-duplicate by the rule\n  \
    11 exact: the same text but for case, punctuation and white space\n  \
    12 too_short: under the floor of a fingerprint, and like no other short page; it was not compared with longer ones\n  \
    13 contained: one page holds 80 % or more of its words in passages of eight words (of a shorter text, all of it)\n  \
    1 it could not go on, 2 it was called with something unusable\n\
    By default only what the index finds is compared: of a text with a fingerprint the pages within dedup.max_distance bits, of \
    a shorter one the short pages, of fewer than five words what is exactly the same. An excerpt of a longer page is mostly not \
    among them. --thorough reads the texts of all kept pages, one after the other, and so finds the pages that hold an \
    excerpt of any length from five words on, and the nearest of a text that is new.\n\
    As JSON: {\"source\", \"url\": canonical|null, \"title\", \"verdict\": \"new\"|\"near\"|\"exact\"|\"contained\"|\"too_short\", \"reason\": a \
    sentence, \"tokens\": of the text, a date counting as one, \"words\", \"characters\": of scripts without spaces, \"min_words\": words that a \
    fingerprint takes, six such characters counting as one, \"compared_by\": \"fingerprint\"|\"shingles\"|\"digest\"|\"nothing\", \
    \"fingerprint\", \"digest\", \"scheme\", \"thorough\", \"texts_compared\": kept pages whose texts it was compared with, thoroughly|null, \"texts_unread\": \
    those whose text could not be read, \"same_url\": null or {\"id\", \"url\", \"title\", \"kept\"}, the page of the \
    store with this URL, \"covered\": part of the text's tokens that stand in a passage in common with one of the nearest pages, \
    0 to 1, \"nearest\": [{\"id\", \"url\", \"title\", \"is_exact\", \"is_duplicate\", \"distance\": bits, 0 of the same text|null, \"similarity\": estimated \
    Jaccard index of the five-word runs, \"checks\": what the rule asks [{\"name\", \"value\", \"bound\", \"is_at_most\", \"is_met\"}], \
    \"jaccard\": the exact index|null, \"covered\", \"covered_of_page\", \"passages\": the longest first [{\"tokens\", \"start\", \
    \"end\", \"page_start\", \"page_end\": bytes of the extracted texts, \"text\"}], \"passages_left_out\", \
    \"is_cut\": whether the texts are too long, or repeat themselves too often, for all passages to be looked for, \
    \"unreadable\": why its text cannot be read|null}], \"is_cut\": whether \"covered\" is the least that it may be, as one of \
    them is cut or cannot be read}."
)]
pub struct CheckArgs {
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
    /// Compare with the text of every kept page: slower, finds the pages that hold the text or parts of it, and names the
    /// nearest page of a text that is new.
    #[arg(long)]
    pub thorough: bool,
    /// Fetch a URL although its robots.txt forbids it.
    #[arg(long)]
    pub ignore_robots: bool,
    /// See `--help` of the group.
    #[command(flatten)]
    pub fetching: Fetching,
}
