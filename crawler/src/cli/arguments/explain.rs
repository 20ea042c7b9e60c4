//! `crawler explain`

use clap::Args;

use super::{AnswerFormat, ConfigFile, DataFolder};

/// `crawler explain`
#[derive(Debug, Args)]
#[command(
    after_help = "The command first converts the URL to its canonical form, by the rules of the configuration. It fetches nothing \
    and writes nothing.\n\
    JSON: {\"asked\", \"url\": canonical URL, \"state\": \"page\"|\"queued\"|\"redirect\"|\"failed\"|\"excluded\"|\"elsewhere\"|\"unknown\", \
    \"summary\": the answer in words}. Each state has further fields:\n\
    page: \"id\", \"title\", \"fetched_at\", \"status\", \"content_type\", \"language\", \"body_bytes\", \"text_chars\", \
    \"tokens\": number of tokens in the text, where a date is one token, \"words\": number of words|null, \"characters\": number of characters in scripts without \
    spaces|null, \"min_words\": smallest number of words for a fingerprint, where six such characters count as one word, \"via\", \"logged_in\": true if it was fetched with the session of a user, \
    \"metadata\": what its archived body says about it {field: {\"value\", \"source\"}}|null, \"verdict\": \"kept\"|\"exact\"|\"near\", \"is_kept\": true if the page is still kept, \
    \"is_without_body\": true if only its text is stored and a run must still fetch the body, \"crawled_as\": the verdict of the \
    crawl, if `crawler rebuild` changed it|null, \"duplicate_by_rule\": for a kept page, the earlier kept page that it duplicates \
    by the rule of the configuration|null, \"is_exception\": true if a label says that it differs from that page, \"compared_with\": the page that it duplicates, with the fields of \"nearest\", \
    \"kept_page\": the page that represents it now, \"remedy\": what keeps a dropped page {\"is_exact\": true if it has the text of the \
    kept page, \"by_numbers\": true if dedup.numbers_must_match keeps it, \"setting\": {\"max_distance\", \"min_similarity\", \"min_similarity_short\": the value that keeps a page with a short text|null, \"words\"}|null, \"exception\": \
    the command that keeps it without another threshold|null, \"is_labelled\": true if the two pages have that label}|null, \"rule\", \"scheme\", \"fingerprint\", \"features\": [{\"feature\", \
    \"count\", \"weight\"}], \"distinct_features\", \"blocks\": its fingerprint compared with that of \"compared_with\", or else \
    of the nearest page [{\"number\", \"low_bit\", \"bits\", \"this\", \"other\", \"differing\", \"radius\": distance in bits up \
    to which the index searches this block|null, \"finds\": true if this block finds the pair}], \"nearest\": kept pages \
    [{\"id\", \"url\", \"title\", \"worker\": the worker of the fleet whose folder has the page, if it is not this folder, \
    \"is_exact\", \"is_duplicate\", \"distance\", \"similarity\", \"checks\": [{\"name\", \"value\", \"bound\", \
    \"is_at_most\", \"is_met\"}]}], \"history\": [{\"at\", \"what\", \"url\"}], \"diff\": {\"from\", \
    \"to\": URLs, \"rows\", \"rows_left_out\", \"removed\", \"added\", \"same\", \"is_cut\": true if a text is so long that the \
    command compared only its beginning}|null, \"notes\"\n\
    queued: \"place\": position in the queue of its host, counted from 1|null, \"priority\", \"depth\", \"attempts\", \"via\", \
    \"steering\"|null\n\
    redirect: \"to\", \"status\", \"in_html\": true if the HTML of the page redirects, by a meta refresh or a script, \
    \"target\": the answer for that URL|null\n\
    failed: \"kind\", \"status\", \"detail\", \"attempts\", \"depth\", \"via\"\n\
    excluded: \"reason\"\n\
    elsewhere: another worker of the fleet keeps its page: \"worker\", \"id\" in the folder of that worker\n\
    unknown: \"alike\": known URLs with a similar spelling\n\
    Exit codes: 0 the crawl knows the URL, 1 the command could not continue, 2 an argument or the configuration is invalid, 4 the \
    crawl does not know the URL."
)]
pub struct ExplainArgs {
    /// The URL, in any spelling.
    #[arg(value_name = "URL")]
    pub url: String,
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub format: AnswerFormat,
    /// Largest number of features, and of nearest pages, in the answer.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(0..=1_000))]
    pub top: u16,
    /// Leave out the differences from the kept page.
    #[arg(long)]
    pub no_diff: bool,
}
