//! `crawler label`

use clap::Args;

use super::{ConfigFile, DataFolder};

/// `crawler label`
#[derive(Debug, Args)]
#[command(
    after_help = "The command shows one pair of pages after the other: those whose similarity is nearest to the threshold on either side, without \
    those that have a label. It asks whether they say the same. Answers, each with Enter: s same, d different, nothing skips the pair, \
    q ends. It reads them from standard input, and appends the labels to labels.jsonl in the data folder, as `crawler serve` does. Twenty labels \
    are enough for `crawler tune`, which judges by them."
)]
pub struct LabelArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Largest number of pairs to ask about.
    #[arg(long, value_name = "N", default_value_t = 20, value_parser = clap::value_parser!(u16).range(1..))]
    pub limit: u16,
}
