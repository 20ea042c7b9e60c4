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
    after_help = "The command compares the text, or the main text of a page, with the kept pages by the rule of the configuration. \
    It writes nothing. It fetches a URL as a crawl does, after its robots.txt.\n\
    Verdicts and exit codes:\n  \
    0 new: no compared page is a duplicate or contains the text; the answer names a page that contains 20 % of it or more\n  \
    10 near: a near-duplicate by the rule\n  \
    11 exact: the same text except for case, white space and forms of one character, such as ａ and a; punctuation counts\n  \
    12 too_short: too short for a fingerprint, and similar to no short page; the command did not compare it with longer pages\n  \
    13 contained: one page contains 80 % or more of the text in passages of at least eight words; a shorter text must be there as a \
    whole\n  \
    1 the command could not continue, or the page stands in the way of the one that was asked for, 2 an argument or the configuration \
    is invalid\n\
    By default the command compares only the pages that the index finds. A text with a fingerprint is compared with the pages within \
    dedup.max_distance bits, a shorter text with the short pages, and a text of fewer than five words only with equal texts. The index \
    rarely finds the page that contains an excerpt. --thorough reads the texts of all kept pages. It finds the pages that contain an \
    excerpt of five words or more, and the pages nearest to a new text.\n\
    --index compares with the unique documents of an index that crawler dedup --index made, with the same settings, and needs no \
    crawl: a folder, or redis://HOST[:PORT][/DATABASE][?name=NAME], with the password in REDISCLI_AUTH or in the address. An index has \
    no texts, so the answer has no passages, and the verdict contained does not occur. Its JSON has \"index\", \"documents\": their \
    number, and \"nearest\": [{\"id\", \"is_exact\", \"is_duplicate\", \"distance\", \"similarity\", \"checks\"}] instead of the \
    fields about pages.\n\
    JSON: {\"source\", \"url\": canonical URL|null, \"title\", \"verdict\": \
    \"new\"|\"near\"|\"exact\"|\"contained\"|\"too_short\", \"reason\": the verdict in words, \"tokens\": number of tokens in the \
    text, where a date is one token, \"words\": number of words, \"characters\": number of characters in scripts without spaces, \
    \"min_words\": smallest number of words for a fingerprint, where six such characters are one word, \"compared_by\": \
    \"fingerprint\"|\"shingles\"|\"digest\"|\"nothing\", \"fingerprint\", \"digest\", \"scheme\", \"thorough\", \
    \"texts_compared\": number of kept pages that --thorough compared|null, \"texts_unread\": number of texts that it could not \
    read, \"texts_elsewhere\": number of texts in the folders of other workers of a fleet, if there are any, \"same_url\": the stored page with this URL: {\"id\", \"url\", \"title\", \"kept\"}|null, \"covered\": share of the \
    text's tokens that are in a passage shared with one of the nearest pages, 0 to 1, \"nearest\": [{\"id\", \"url\", \"title\", \
    \"worker\": the worker of the fleet whose folder has the page, if it is not this folder, \
    \"is_exact\", \"is_duplicate\", \"distance\": bits, 0 for equal texts|null, \"similarity\": estimated Jaccard index of the \
    five-word runs, \"checks\": the conditions of the rule [{\"name\", \"value\", \"bound\", \"is_at_most\", \"is_met\"}], \
    \"jaccard\": exact index|null, \"covered\", \"covered_of_page\", \"passages\": the longest first [{\"tokens\", \"start\", \
    \"end\", \"page_start\", \"page_end\": bytes in the extracted texts, \"text\"}], \"passages_left_out\", \"is_cut\": true if \
    the search for passages stopped early, because the texts are too long or too repetitive, \"unreadable\": reason why its text \
    cannot be read|null}], \"is_cut\": true if \"covered\" is a lower bound, because one of the nearest pages is cut or \
    unreadable}. Fields are only ever added."
)]
pub struct CheckArgs {
    /// File with HTML or plain text, also as gzip or zstd; an http or https URL; - for standard input.
    #[arg(value_name = "FILE|URL|-")]
    pub source: PathBuf,
    #[command(flatten)]
    pub data: DataFolder,
    /// Compare with the documents of this index instead of a crawl: the folder or the address that `crawler dedup --index` has.
    #[arg(long, value_name = "DIR|ADDRESS", conflicts_with_all = ["data", "thorough"])]
    pub index: Option<PathBuf>,
    /// URL of the page in the file.
    #[arg(long, value_name = "URL")]
    pub url: Option<String>,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub format: AnswerFormat,
    /// Largest number of nearest pages in the answer.
    #[arg(long, value_name = "N", default_value_t = 3, value_parser = clap::value_parser!(u16).range(1..=100))]
    pub top: u16,
    /// Compare with the text of every kept page. This is slower, finds the pages that contain the text or parts of it, and names
    /// the page nearest to a new text.
    #[arg(long)]
    pub thorough: bool,
    /// Fetch a URL even if its robots.txt forbids it.
    #[arg(long)]
    pub ignore_robots: bool,
    #[command(flatten)]
    pub fetching: Fetching,
}
