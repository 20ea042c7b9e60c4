//! `crawler tune`: the thresholds that suit a crawl.

use std::path::PathBuf;
use std::str::FromStr;

use clap::{Args, ValueEnum};

use super::{ConfigFile, DataFolder};

/// The forms of `crawler tune`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum TuneFormat {
    /// Tables and a plot for a terminal.
    Text,
    /// One JSON object, described in docs/src/tune.md. Fields are only ever added.
    Json,
}

/// A setting as written on the command line: `DISTANCE,SIMILARITY`, or `DISTANCE` alone.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct At {
    /// Largest Hamming distance.
    pub max_distance: u32,
    /// Smallest similarity; `None` for the one in force.
    pub min_similarity: Option<f32>,
}

impl FromStr for At {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (distance, similarity) = match text.split_once(',') {
            Some((distance, similarity)) => (distance, Some(parse_similarity(similarity.trim())?)),
            None => (text, None),
        };
        Ok(Self {
            max_distance: distance
                .trim()
                .parse()
                .map_err(|_| "write a distance in bits and a similarity, such as 10,0.76")?,
            min_similarity: similarity,
        })
    }
}

fn parse_similarity(text: &str) -> Result<f32, String> {
    match text.parse() {
        Ok(similarity) if similarity > 0.0 && similarity <= 1.0 => Ok(similarity),
        _ => Err("write a similarity above 0 and at most 1".to_owned()),
    }
}

/// `crawler tune`
#[derive(Debug, Args)]
#[command(
    after_help = "Nothing is fetched: every decision of the crawl is made again from what is stored, at each distance with each \
    similarity. Precision and recall are estimated from a sample of the pages, by the exact similarity of the stored texts: pairs \
    that have 0.8 of their runs of five words in common are duplicates, those under 0.5 are not. Another setting is recommended \
    only if it is better by more than the sample can tell from chance. docs/src/tune.md says what the replay cannot know.\n\
    The verdicts of the crawl stay as they are: --write changes config.toml, which the next run goes by."
)]
pub struct TuneArgs {
    /// See `--help` of the group.
    #[command(flatten)]
    pub data: DataFolder,
    /// See `--help` of the group.
    #[command(flatten)]
    pub config: ConfigFile,
    /// Largest Hamming distances to try, such as 3,7,10; without it 0 to 10. The one in force is always tried.
    #[arg(long, value_name = "LIST", value_delimiter = ',')]
    pub distances: Vec<u32>,
    /// Smallest similarities to try; the one in force is always tried.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = parse_similarity,
          default_value = "0.6,0.65,0.7,0.73,0.76,0.79,0.82,0.85,0.9")]
    pub similarities: Vec<f32>,
    /// What you say of pairs of pages: URL, URL and duplicate, different or a similarity a line, separated by tabs; # starts a
    /// comment. It overrides the estimate, and the recommendation contradicts as little of it as can be.
    #[arg(long, value_name = "FILE")]
    pub pairs: Option<PathBuf>,
    /// Pages whose texts are compared to estimate precision and recall; 0 for none.
    #[arg(long, value_name = "N", default_value_t = 3_000)]
    pub sample: usize,
    /// Look at this setting instead of the recommended one: a distance and a similarity, such as 7,0.8.
    #[arg(long, value_name = "DISTANCE,SIMILARITY")]
    pub at: Option<At>,
    /// Pairs that are shown of those that would change, the most doubtful first.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub show: usize,
    /// Write the recommended setting, or that of --at, to the configuration: only what changes, comments and order stay.
    #[arg(long)]
    pub write: bool,
    /// Form of the answer.
    #[arg(long, value_enum, default_value_t = TuneFormat::Text)]
    pub format: TuneFormat,
    /// File for all settings as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// File for a plot of the pages dropped as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
    /// File for the URLs that the recommended setting, or that of --at, keeps: one a line.
    #[arg(long, value_name = "FILE")]
    pub kept: Option<PathBuf>,
}
