//! `crawler evaluate`, `crawler fingerprint`, `crawler idf` and `crawler layouts`: fingerprints and their settings.

use std::path::PathBuf;

use clap::Args;

use super::ConfigFile;
use super::values::{parse_confirm, parse_features, parse_segmenter, parse_weights, parse_width};

/// `crawler evaluate`
#[derive(Debug, Args)]
#[command(
    after_help = "Each combination of --features, --segmenter, --weights, --bits, --distances and --confirm is one row of the table. \
    All other settings come from the configuration. The command decides the pages in the order of the file, as a crawl does.\n\
    Example: crawler evaluate --pages pages.jsonl --pairs pairs.tsv --weights tf,tf-idf --distances 3,7,10"
)]
pub struct EvaluateArgs {
    /// Pages: one JSON object per line with `id` (or `url`), `text` and optionally `title`, such as the file that `crawler export`
    /// writes. Can be gzip or zstd.
    #[arg(long, value_name = "FILE")]
    pub pages: PathBuf,
    /// Known similarities: one line per pair with two ids and a similarity, `duplicate` or `different`, separated by tabs; `#` starts
    /// a comment. Missing pairs have similarity 0. The labels of the HTML report have this form.
    #[arg(long, value_name = "FILE")]
    pub pairs: PathBuf,
    /// Features: words, 2-shingles to 9-shingles, 1-grams to 9-grams, or several joined by + (words+2-shingles).
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "words", value_parser = parse_features)]
    pub features: Vec<dedup::Features>,
    /// Word segmentation of scripts without spaces: pairs, dictionary.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "pairs", value_parser = parse_segmenter)]
    pub segmenter: Vec<dedup::Segmenter>,
    /// Weights: tf, log-tf, tf-levels, tf-idf, improved. The configuration names the IDF table; otherwise the command computes it
    /// from the pages.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "tf", value_parser = parse_weights)]
    pub weights: Vec<dedup::Weighting>,
    /// Width of a fingerprint in bits: 32, 64, 128.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "64", value_parser = parse_width)]
    pub bits: Vec<dedup::Width>,
    /// Largest Hamming distances, in bits.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "3,7,10")]
    pub distances: Vec<u32>,
    /// Confirmation of a candidate: `distance` alone, a smallest similarity of the sketches, or `combined`.
    #[arg(long, value_name = "LIST", value_delimiter = ',', default_value = "distance,0.76", value_parser = parse_confirm)]
    pub confirm: Vec<dedup::Confirm>,
    /// Pairs with at least this similarity are duplicates.
    #[arg(long, value_name = "SIMILARITY", default_value_t = 0.8)]
    pub duplicate_from: f32,
    /// Pairs below this similarity are different. Between the two bounds, either verdict counts as right.
    #[arg(long, value_name = "SIMILARITY", default_value_t = 0.5)]
    pub different_below: f32,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Also write the table to this file as CSV.
    #[arg(long, value_name = "FILE")]
    pub csv: Option<PathBuf>,
    /// Also write a plot to this file as SVG.
    #[arg(long, value_name = "FILE")]
    pub svg: Option<PathBuf>,
}

/// `crawler fingerprint`
#[derive(Debug, Args)]
pub struct FingerprintArgs {
    /// Files and folders with JSON lines, text, HTML, WARC or WET, also as gzip or zstd; - for standard input.
    #[arg(value_name = "FILE", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Number of features per document, at most 1,000.
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Print one JSON object per line instead of tables.
    #[arg(long)]
    pub json: bool,
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler idf`
#[derive(Debug, Args)]
#[command(
    after_help = "Fingerprints name the table that they were made with. The crawler never compares fingerprints of different \
    tables. The configuration sets the features, the segmenter and the masking of dates. Memory grows with the number of \
    distinct features.\n\
    Example: crawler idf corpus/ --output idf.bin"
)]
pub struct IdfArgs {
    /// Files and folders with JSON lines, text, HTML, WARC or WET, also as gzip or zstd; - for standard input.
    #[arg(value_name = "INPUT", required_unless_present = "data", conflicts_with = "data")]
    pub inputs: Vec<PathBuf>,
    /// Count the kept pages of the crawl in this data folder instead.
    #[arg(long, value_name = "DIR")]
    pub data: Option<PathBuf>,
    /// Output file.
    #[arg(short, long, value_name = "FILE")]
    pub output: PathBuf,
    #[command(flatten)]
    pub config: ConfigFile,
}

/// `crawler layouts`
#[derive(Debug, Args)]
#[command(
    after_help = "The index divides a fingerprint into blocks. By the pigeonhole principle, two fingerprints within the distance \
    are equal, or differ in few bits, in at least one block. Fewer, wider blocks need less memory, give fewer candidates and cost \
    more probes; more, narrower blocks do the opposite."
)]
pub struct LayoutsArgs {
    /// Width of a fingerprint in bits: 32, 64, 128.
    #[arg(long, value_name = "N", default_value = "64", value_parser = parse_width)]
    pub bits: dedup::Width,
    /// Largest Hamming distance that the index must find.
    #[arg(long, value_name = "BITS", default_value_t = dedup::DuplicateRule::default().max_distance)]
    pub distance: u32,
    /// Number of fingerprints in the index.
    #[arg(long, value_name = "N", default_value_t = 1_000_000)]
    pub documents: u64,
}
