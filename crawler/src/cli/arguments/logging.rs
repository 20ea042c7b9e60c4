//! What is logged, and where: for every command.

use std::path::PathBuf;

use clap::{Args, ValueEnum};

/// The forms of a log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For people: a line an event.
    Text,
    /// For programs: a JSON object a line with timestamp, level, target and fields.
    Json,
}

/// The flags of the log.
#[derive(Debug, Args)]
pub struct LoggingArgs {
    /// Log to the end of this file too, which gets at least what happened at level info, whatever standard error shows: more with
    /// -v and -vv. RUST_LOG, where it is set, rules both.
    #[arg(long, value_name = "FILE", global = true)]
    pub log_file: Option<PathBuf>,
    /// Form of the log file's lines; without --log-file, of the log on standard error.
    #[arg(long, value_enum, value_name = "FORM", default_value_t = LogFormat::Text, global = true)]
    pub log_format: LogFormat,
}
