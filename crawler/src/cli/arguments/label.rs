//! `crawler label`

use clap::Args;

use super::{ConfigFile, DataFolder};

/// `crawler label`
#[derive(Debug, Args)]
#[command(
    group = clap::ArgGroup::new("said").args(["same", "different", "withdraw"]).requires("urls"),
    after_help = "Without a URL, the command shows one pair of pages after the other: those whose similarity is nearest to the threshold on either side, without \
    those that have a label. It asks whether they say the same. Answers, each with Enter: s same, d different, nothing skips the pair, \
    q ends. It reads them from standard input, and appends the labels to labels.jsonl in the data folder, as `crawler serve` does. Twenty labels \
    are enough for `crawler tune`, which judges by them.\n\
    With the URL of a dropped page, or of any two pages, and --different, the label is an exception from the rule: the pair is no \
    near-duplicate from the next run on, and for `crawler rebuild --redecide`, which keeps the page if it is like no other kept page. Pages with the same text remain \
    duplicates. In a fleet, labels are no exceptions."
)]
pub struct LabelArgs {
    /// A page to label, and another one. Without the other one, it is the page that the first was dropped for.
    #[arg(value_name = "URL", num_args = 0..=2, requires = "said")]
    pub urls: Vec<String>,
    /// Say that the two pages say the same.
    #[arg(long)]
    pub same: bool,
    /// Say that the two pages say different things.
    #[arg(long)]
    pub different: bool,
    /// Take back what was said of the two pages.
    #[arg(long)]
    pub withdraw: bool,
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Largest number of pairs to ask about.
    #[arg(long, value_name = "N", conflicts_with = "urls", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
}
