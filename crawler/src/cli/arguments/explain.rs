//! `crawler explain`

use clap::Args;

use super::{AnswerFormat, ConfigFile, DataFolder};

/// `crawler explain`
#[derive(Debug, Args)]
#[command(
    after_help = "The URL is made canonical by the rules of the configuration first. Nothing is fetched, nothing is written.\n\
    As JSON: {\"asked\", \"url\": canonical, \"state\": \"page\"|\"queued\"|\"redirect\"|\"failed\"|\"excluded\"|\"unknown\", \"summary\": a \
    sentence}, and by the state\n\
    page: \"id\", \"title\", \"fetched_at\", \"status\", \"content_type\", \"language\", \"body_bytes\", \"text_chars\", \"tokens\", \"via\", \
    \"verdict\": \"kept\"|\"exact\"|\"near\", \"is_kept\": still, \"is_without_body\": kept by \
    its text alone, its body still to be fetched, \"crawled_as\": the verdict when it was crawled, if all pages were decided anew \
    since and it is another now|null, \"duplicate_by_rule\": of a kept page the one kept before it that it would be a duplicate of \
    by the rule of the configuration|null, \"compared_with\": the page that it is a duplicate of, with the same \
    fields as in \"nearest\", \"kept_page\": the page that stands for it now, \"rule\", \"scheme\", \"fingerprint\", \"features\": \
    [{\"feature\", \"count\", \"weight\"}], \"distinct_features\", \"blocks\": of the fingerprint against that page's or the nearest one's \
    [{\"number\", \"low_bit\", \"bits\", \"this\", \"other\", \"differing\", \"radius\": bits within which it is searched|null, \
    \"finds\": whether it brought the two together}], \"nearest\": kept pages [{\"id\", \"url\", \"title\", \"is_exact\", \
    \"is_duplicate\", \"distance\", \"similarity\", \"checks\": [{\"name\", \"value\", \"bound\", \"is_at_most\", \"is_met\"}]}], \
    \"history\": [{\"at\", \"what\", \"url\"}], \"diff\": {\"from\", \"to\": URLs, \"rows\", \"rows_left_out\", \"removed\", \"added\", \"same\", \
    \"is_cut\": whether a text is so long that only its beginning was compared}|null, \
    \"notes\"\n\
    queued: \"place\": of its host's queue, counted from 1|null, \"priority\", \"depth\", \"attempts\", \"via\", \"steering\"|null\n\
    redirect: \"to\", \"status\", \"target\": the same for that URL|null\n\
    failed: \"kind\", \"status\", \"detail\", \"attempts\", \"depth\", \"via\"; excluded: \"reason\"\n\
    unknown: \"alike\": known URLs spelt nearly so.\n\
    Exit codes: 0 the crawl knows the URL, 3 it does not, 1 it could not go on, 2 it was called with something unusable."
)]
pub struct ExplainArgs {
    /// The URL, in any spelling.
    #[arg(value_name = "URL")]
    pub url: String,
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = AnswerFormat::Text)]
    pub format: AnswerFormat,
    /// Features and nearest pages shown at most.
    #[arg(long, value_name = "N", default_value_t = 8, value_parser = clap::value_parser!(u16).range(0..=1_000))]
    pub top: u16,
    /// Leave out what differs from the kept page.
    #[arg(long)]
    pub no_diff: bool,
}
