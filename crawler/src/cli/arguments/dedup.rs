//! `crawler dedup`: duplicates among documents in files.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::ConfigFile;
use super::values::parse_bytes;
use dedup::Candidates;
use files::{DEFAULT_MAX_DOCUMENT_BYTES, Format};
use page::documents::Kind;

/// Which documents share a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GroupBy {
    /// Those whose URLs have one host.
    Host,
    /// Those with one value of this field.
    Field(String),
}

impl GroupBy {
    /// The name of the field.
    #[must_use]
    pub fn field(&self) -> Option<String> {
        match self {
            Self::Host => None,
            Self::Field(name) => Some(name.clone()),
        }
    }
}

impl From<String> for GroupBy {
    fn from(name: String) -> Self {
        if name == "host" { Self::Host } else { Self::Field(name) }
    }
}

/// The forms of input documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum InputFormat {
    /// One JSON object per line.
    Jsonl,
    /// JSON objects in an array, on several lines, or without line ends.
    Json,
    /// A table whose first row names the columns, with commas, semicolons, tabs or vertical bars between the cells.
    Csv,
    /// A table with tabs between the cells.
    Tsv,
    /// A Parquet file.
    Parquet,
    /// Plain text in any encoding.
    Text,
    /// A web page in any encoding.
    Html,
    /// A page saved as a single file (MHTML), or mail.
    Mhtml,
    /// Pages and texts of WARC and WET files.
    Warc,
    /// Pages of ARC files, the format before WARC.
    Arc,
    /// PDF.
    Pdf,
    /// Word documents.
    Docx,
    /// EPUB books.
    Epub,
    /// Markdown.
    Markdown,
    /// RSS and Atom.
    Feed,
}

impl From<InputFormat> for Format {
    fn from(format: InputFormat) -> Self {
        match format {
            InputFormat::Jsonl => Self::Jsonl,
            InputFormat::Csv => Self::Csv,
            InputFormat::Tsv => Self::Tsv,
            InputFormat::Parquet => Self::Parquet,
            InputFormat::Text => Self::Text,
            InputFormat::Html => Self::Html,
            InputFormat::Json => Self::Json,
            InputFormat::Mhtml => Self::Mime,
            InputFormat::Warc => Self::Warc,
            InputFormat::Arc => Self::Arc,
            InputFormat::Pdf => Self::Document(Kind::Pdf),
            InputFormat::Docx => Self::Document(Kind::Docx),
            InputFormat::Epub => Self::Document(Kind::Epub),
            InputFormat::Markdown => Self::Document(Kind::Markdown),
            InputFormat::Feed => Self::Document(Kind::Feed),
        }
    }
}

/// How a text file is divided into documents.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Split {
    /// Each line is a document.
    Lines,
}

/// Where the candidates of a check come from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum CandidateSource {
    /// Blocks, and bands as soon as the documents are so many that they cost less, the insertion included.
    Auto,
    /// Blocks of the fingerprints: they miss no near-duplicate, and cost more with every document.
    Blocks,
    /// Bands of the sketches: the cost does not grow with the documents, and one near-duplicate in some 10,000 is missed.
    Bands,
}

impl From<CandidateSource> for Candidates {
    fn from(source: CandidateSource) -> Self {
        match source {
            CandidateSource::Auto => Self::Auto,
            CandidateSource::Blocks => Self::Blocks,
            CandidateSource::Bands => Self::Bands,
        }
    }
}

/// Which of several like documents is kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Keep {
    /// The first one of the input.
    First,
    /// The one with the most characters.
    Longest,
    /// The one with the latest time in --score-field: a time or a date (RFC 3339), or a number.
    Newest,
    /// The one with the greatest number in --score-field.
    Best,
}

/// `crawler dedup`
#[derive(Debug, Args)]
#[command(
    after_help = "Output: one JSON object per line, in input order: {\"id\", \"verdict\": \"unique\"|\"exact\"|\"near\"|\"blocked\", \
    \"of\": id|null, \"distance\": bits|null, \"similarity\": 0 to 1|null, \"cluster\": id}. \"of\" names a unique document; \"cluster\" is the same, or the \
    document's own id if it is unique. The same input always \
    gives the same verdicts. A page in HTML that stands in the way of another one, such as a bot challenge, is \"blocked\", with \
    \"wall\": {\"kind\", \"evidence\"}: it is compared with nothing, and kept nowhere.\n\
    The command reports input that it cannot read as file:line or file:byte, counts it, and continues.\n\
    An output file appears when it is complete. Until then, and after Ctrl-C, FILE.partial holds the verdicts so far, in whole lines. \
    The same command starts from the beginning, or with --resume goes on there. The output is then byte for byte that of a run without interruption.\n\
    With --index, a run compares its documents with those of all earlier runs, and the same command after an interruption goes on: \
    it gives the verdicts on documents that the index has again, also in --kept. With --skip-known, the documents of earlier runs are left out, \
    so that the --kept files of several runs have each document once. An id belongs to one text; the command reports a document whose id is \
    in the index with another text, and skips it. A folder is saved at least every 10 seconds and at the end, so a crash loses no \
    more. One process at a time can use a folder; any number can share an index on a Redis server: of near-duplicates that they add \
    at the same time, exactly one is unique. Every run of an index needs the same settings. The environment variable REDISCLI_AUTH \
    holds the password of a server, if the address (redis://[USER]:PASSWORD@HOST) does not. crawler check --index compares one text.\n\
    With --parts, the output is {\"id\", \"parts\": [{\"start\", \"end\", \"documents\"}]}: a part is text[start:end] in Python, which counts \
    Unicode code points, with its line end, and \"documents\" is the number of documents that have it. --kept leaves out documents in which all \
    paragraphs are parts. Each different paragraph takes 24 bytes of memory while the command counts; beyond half of --memory, the counts go to \
    the temporary file, with the same result.\n\
    The command reads only the sections [dedup] and [[extract]] of the configuration, and fetch.walls.\n\
    Examples:\n  \
    crawler dedup corpus.jsonl.gz --output verdicts.jsonl\n  \
    crawler dedup pages/ --kept unique.jsonl --output verdicts.jsonl\n  \
    crawler dedup data/*.parquet --text-field content --kept unique.parquet --output verdicts.jsonl\n  \
    crawler dedup 's3://corpus/2026/*.parquet' --annotate annotated.parquet --output verdicts.jsonl\n  \
    crawler dedup reviews.jsonl --keep best --score-field votes --annotate annotated.jsonl --output verdicts.jsonl\n  \
    crawler dedup pages.jsonl --parts 50 --kept cleaned.jsonl --parts-list boilerplate.jsonl --output parts.jsonl\n  \
    crawler dedup sentences.txt --split lines --output verdicts.jsonl\n  \
    crawler dedup monday.jsonl --index seen --output monday-verdicts.jsonl\n  \
    crawler dedup part-1.jsonl --index redis://127.0.0.1:6379?name=news\n\
    Exit codes: 0 all input was read, 1 the command could not continue, 2 an argument, the configuration or an input file is invalid, \
    3 some input could not be read, 130 Ctrl-C."
)]
pub struct DedupArgs {
    /// Files and folders, also as gzip or zstd; s3://BUCKET/PREFIX, gs:// and az:// for an object store, with * for a part of a name;
    /// - for standard input. The command reads folders recursively, except hidden files and files with an unknown ending.
    #[arg(value_name = "INPUT", required = true)]
    pub inputs: Vec<PathBuf>,
    /// Output file for the verdicts, or with --parts for the parts. Default, or with -: standard output.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Output file for the unique documents: JSON lines unchanged, rows of CSV and Parquet as JSON lines with all their columns, other
    /// documents as {"id", "text", "url", "title"}. If FILE ends in .parquet or .pq, it gets the rows of Parquet files as they are.
    #[arg(long, value_name = "FILE")]
    pub kept: Option<PathBuf>,
    /// Output file for all records, as --kept writes them, each with the fields verdict, of, distance, similarity and cluster: the id of the
    /// kept document that it repeats, or its own. Fields of the same names that it had before are left out. If FILE ends in .parquet or .pq, it gets
    /// the rows of Parquet files with these columns.
    #[arg(long, value_name = "FILE")]
    pub annotate: Option<PathBuf>,
    /// Find parts instead of duplicates: the paragraphs (lines that are not blank) that stand in at least N documents, such as notices and
    /// menus. --output then has {"id", "parts"} for each document, --kept the records without these paragraphs, and --annotate the records
    /// with the field parts. A paragraph is compared as the texts of exact duplicates are, and counts once in a document. Copies
    /// of a document count, too, so remove duplicates first. The command reads the input twice, so the input cannot be - (standard input).
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(2..), conflicts_with_all = [
        "keep", "score_field", "index", "resume", "group_by", "max_distance", "min_similarity", "candidates",
    ])]
    pub parts: Option<u64>,
    /// Output file for the parts themselves: {"documents", "text", "first"}, with the id of the first document that has the part. The most
    /// frequent parts come first; equally frequent ones are in the order of the input.
    #[arg(long, value_name = "FILE", requires = "parts")]
    pub parts_list: Option<PathBuf>,
    /// Which of several like documents is kept. For all but first, the command reads all documents before it decides on the first one, so it
    /// takes 24 bytes more for each document, and a temporary file.
    #[arg(long, value_enum, default_value = "first", conflicts_with = "index")]
    pub keep: Keep,
    /// Field for --keep newest and best. A document without it comes last.
    #[arg(long, value_name = "NAME")]
    pub score_field: Option<String>,
    /// Index of the documents, which outlives the command: a folder, or redis://HOST[:PORT][/DATABASE][?name=NAME] for an index that
    /// several processes share. New documents are compared with those of earlier runs; known ones get their verdicts again.
    #[arg(long, value_name = "DIR|ADDRESS")]
    pub index: Option<PathBuf>,
    /// Leave out of all outputs the documents that an earlier run with this --index had, and count them. Runs that have ended count, whatever files they wrote: after an
    /// interruption, the same command also writes what the index has of the interrupted run. A run over the same input again leaves out all, so
    /// give each run output files of its own. Works with a folder, because a server does not know which runs have ended.
    #[arg(long, requires = "index")]
    pub skip_known: bool,
    /// Keep what an interrupted run needs in the folder FILE.resume beside --output: 320 bytes for a unique document of 80 words, until the output
    /// is complete. The same command then goes on from the last save, at most about 10 seconds before the interruption.
    #[arg(long, requires = "output", conflicts_with = "index")]
    pub resume: bool,
    /// Form of all inputs. Default: the content and the name of each file decide.
    #[arg(long, value_enum)]
    pub format: Option<InputFormat>,
    /// Divide text files into documents: lines. Default: each text file is one document. Other files keep their form.
    #[arg(long, value_enum)]
    pub split: Option<Split>,
    /// Field with the id of a document, a string or a number. Without this field, the id is the URL, and without a URL the place of the
    /// document in the input. A dot leads into an object or a struct: meta.id. A name with the dot in it comes first.
    #[arg(long, value_name = "NAME", default_value = "id")]
    pub id_field: String,
    /// Field or column with the text, such as content or meta.text.
    #[arg(long, value_name = "NAME", default_value = "text")]
    pub text_field: String,
    /// Field with the title.
    #[arg(long, value_name = "NAME", default_value = "title")]
    pub title_field: String,
    /// Field with the URL.
    #[arg(long, value_name = "NAME", default_value = "url")]
    pub url_field: String,
    /// Documents of one group share a template: the host of their URLs ("host"), or a field of this name. Two documents of a group whose
    /// titles name different things, and of which each has words of its own (dedup.min_own_words), are no duplicates, however much text
    /// they share.
    #[arg(long, value_name = "host|FIELD")]
    pub group_by: Option<GroupBy>,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Largest Hamming distance of near-duplicates, in bits; overrides dedup.max_distance.
    #[arg(long, value_name = "BITS")]
    pub max_distance: Option<u32>,
    /// Smallest similarity of near-duplicates, above 0 and at most 1; overrides dedup.min_similarity.
    #[arg(long, value_name = "X")]
    pub min_similarity: Option<f32>,
    /// Where the candidates of a check come from; overrides dedup.candidates. Bands need a min_similarity of at least 0.75 and take 180
    /// bytes more for each unique document. An --index on a server has blocks alone, and so has a folder that was begun with blocks.
    #[arg(long, value_enum)]
    pub candidates: Option<CandidateSource>,
    /// Memory of the command, such as 8GiB or 500MB. Beyond it, what is kept of documents goes to a temporary file: first what a check seldom reads,
    /// which leaves about 230 bytes of a unique document with bands and 110 of a short text, then the tables of bands and short texts, which makes
    /// checks slower. 60 to 90 bytes stay, and 72 MiB for the program and the texts that it reads. The verdicts are the same. Default:
    /// three quarters of the memory of the machine.
    #[arg(long, value_name = "SIZE", value_parser = parse_bytes, conflicts_with = "index")]
    pub memory: Option<u64>,
    /// Folder for the temporary file. Default: $TMPDIR, else the folder of the first output that is a file.
    #[arg(long, value_name = "DIR", conflicts_with = "index")]
    pub tmp: Option<PathBuf>,
    /// Longest line, record or file after decompression, in bytes. The command reports and skips longer ones.
    #[arg(long, value_name = "BYTES", default_value_t = DEFAULT_MAX_DOCUMENT_BYTES as u64,
          value_parser = clap::value_parser!(u64).range(1..=1 << 30))]
    pub max_document_bytes: u64,
}
