//! `crawler merge`: one crawl of several.

use std::path::PathBuf;

use clap::Args;

use super::ConfigFile;

/// `crawler merge`
#[derive(Debug, Args)]
#[command(
    after_help = "The command reads the WARC files of the folders, and never changes a folder. In the new folder it links full WARC files \
    (or copies them, if the folder is on another file system), copies the last file of each folder, and makes a state for all of them. \
    report, explain, tune, check, export, verify and run work on the new folder as on the folder of one crawl.\n\
    The workers of a fleet have decided every page by one log, so the command keeps their verdicts. Independent crawls have not compared \
    their pages with each other: for them use --redecide, which gives all pages new verdicts by the configuration in force, from the stored \
    texts. Their fingerprints may have been made by different rules; their URLs may not.\n\
    Workers with fleet.verdicts = \"worker\" have compared their pages for near-duplicates with their own pages only. For them, merge the \
    folders, export the pages of the merged folder with --include-duplicates, decide them on Spark, and merge the folders once more with \
    --verdicts into another folder.\n\
    If two folders have a page of the same URL, the kept one stays the page of the URL, and the other one becomes an earlier version of it.\n\
    A folder in which a crawl is running cannot be merged: stop the crawl first. After an interruption the same command continues.\n\
    The archive does not hold redirects, failures, the queue and the treatment of hosts. The command takes them from the state of each \
    folder, if the folder has one. An object store has only WARC files; credentials for it come from the environment (AWS_…, GOOGLE_…, \
    AZURE_…)."
)]
pub struct MergeArgs {
    /// Data folders to merge, and URLs of object stores with the WARC files of data folders (storage.archive_url).
    #[arg(value_name = "FOLDER|URL", required = true)]
    pub sources: Vec<String>,
    /// Folder for the merged crawl. It is created, or has no crawl yet.
    #[arg(long, value_name = "DIR", default_value = "data")]
    pub data: PathBuf,
    #[command(flatten)]
    pub config: ConfigFile,
    /// Give all pages a new verdict, from the stored texts, by the configuration in force.
    #[arg(long)]
    pub redecide: bool,
    /// Give all pages the verdicts of near_duplicates.spark.deduplicate: a folder of Parquet files or JSON lines, with the URL of each page in
    /// the column url or id.
    #[arg(long, value_name = "FOLDER", conflicts_with = "redecide")]
    pub verdicts: Option<PathBuf>,
}
