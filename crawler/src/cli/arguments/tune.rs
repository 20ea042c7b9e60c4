//! `crawler tune`: the thresholds that suit a crawl.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::{ConfigFile, DataFolder};
use study::tune::{At, Least};

/// The forms of `crawler tune`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TuneFormat {
    /// Tables and a plot for a terminal.
    Text,
    /// One JSON object, described in docs/src/tune.md. Fields are only ever added.
    Json,
}

/// Reads a setting: `DISTANCE,SIMILARITY`, `DISTANCE,any`, or `DISTANCE` alone.
fn parse_at(text: &str) -> Result<At, String> {
    let (distance, least) = match text.split_once(',').map(|(distance, least)| (distance, least.trim())) {
        None => (text, Least::InForce),
        Some((distance, "any")) => (distance, Least::Any),
        Some((distance, least)) => (distance, Least::Of(parse_similarity(least)?)),
    };
    let max_distance = distance.trim().parse();
    Ok(At {
        max_distance: max_distance.map_err(|_| "write a distance in bits and a similarity, such as 10,0.76")?,
        least,
    })
}

fn parse_similarity(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(similarity) if similarity > 0.0 && similarity <= 1.0 => Ok(similarity),
        _ => Err("write a similarity above 0 and at most 1, or any".to_owned()),
    }
}

/// `crawler tune`
#[derive(Debug, Args)]
#[command(
    after_help = "The command fetches nothing. It repeats every decision of the crawl from the stored data, at each distance with \
    each similarity. It estimates precision and recall from a sample of the pages, by the exact similarity of their stored texts: \
    pairs with a similarity of 0.8 or more are duplicates, pairs below 0.5 are not. The similarity is the share of five-word runs \
    that both texts contain. The command recommends another setting only if that setting is better by more than chance explains. \
    docs/src/tune.md describes the limits of the replay.\n\
    The verdicts of the crawl do not change. --write changes config.toml, and the next run uses it."
)]
pub struct TuneArgs {
    #[command(flatten)]
    pub data: DataFolder,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Largest Hamming distances to try, such as 3,7,10. Default: 0 to 10. The command also tries the distance in force.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub distances: Vec<u32>,
    /// Smallest similarities to try. The command also tries the similarity in force.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_similarity,
          default_value = "0.6,0.65,0.7,0.73,0.76,0.79,0.82,0.85,0.9")]
    pub similarities: Vec<f32>,
    /// Your labels: one line per pair with two URLs and `duplicate`, `different` or a similarity, separated by tabs; `#` starts a
    /// comment. Lines of labels.jsonl count too. Labels override the estimate, and of the settings with at least the F1 in
    /// force, the recommended one contradicts the fewest. The command always uses the labels of `crawler serve` in the data folder; this file comes after them.
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
    /// Number of pages in the sample for precision and recall; 0 for no estimate.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub sample: usize,
    /// Select this setting instead of the recommended one: a distance and a similarity, such as 7,0.8; with 7 alone the
    /// similarity stays, and with 7,any
    /// the distance decides alone.
    #[arg(long, value_name = "DISTANCE[,SIMILARITY]", value_parser = parse_at)]
    pub at: Option<At>,
    /// Number of pairs with another verdict to show, the most doubtful first.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub show: usize,
    /// Write the selected setting (recommended, or from --at) to the configuration file. Its other keys, comments and order stay.
    #[arg(long)]
    pub write: bool,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = TuneFormat::Text)]
    pub format: TuneFormat,
    /// Write all settings to this file as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Write a plot of the dropped pages to this file as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// Write the URLs that the selected setting keeps to this file, one per line.
    #[arg(long, value_name = "FILE")]
    pub kept: Option<PathBuf>,
}
