//! The flags of the log, which every command accepts.

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use url::Url;

use super::values::parse_collector;

/// The forms of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people: one line per event.
    Text,
    /// For programs: one JSON object per line with timestamp, level, target and fields.
    Json,
}

/// The flags of the log.
#[derive(Debug, Args)]
pub struct LoggingArgs {
    /// Also append the log to this file: level info and above, or more with -v and -vv. RUST_LOG overrides the level of the file
    /// and of standard error.
    #[arg(long, value_name = "FILE", global = true)]
    pub log_file: Option<PathBuf>,
    /// Form of the log file. Without --log-file: form of the log on standard error.
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LogFormat::Text, global = true)]
    pub log_format: LogFormat,
}

/// The flag of the commands that crawl.
#[derive(Debug, Args)]
pub struct TracingArgs {
    /// Export the spans of the crawl (hosts, requests, commits) to an OpenTelemetry collector, over OTLP/HTTP: http://127.0.0.1:4318.
    /// Needs a program that is built with `--features otlp`.
    #[arg(long, value_name = "URL", value_parser = parse_collector)]
    pub otlp: Option<Url>,
}
