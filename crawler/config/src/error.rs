//! Why a configuration cannot be read.

use std::path::PathBuf;

/// A configuration that cannot be read. The message names the file or variable, the line and the key.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file could not be read.
    #[error("cannot read the configuration {path}: {source}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Error of the operating system.
        source: std::io::Error,
    },
    /// The file is not TOML, or has an unknown key or a value of the wrong type.
    #[error("{path}, line {line}: {message}")]
    Invalid {
        /// The file.
        path: PathBuf,
        /// Number of the line, counted from 1.
        line: usize,
        /// The fault; for an unknown key also the known keys.
        message: String,
    },
    /// An environment variable has a value that its key does not accept.
    #[error("the environment variable {variable} (for {key}): {message}")]
    Variable {
        /// Name of the variable.
        variable: String,
        /// Key that the variable sets.
        key: String,
        /// The fault and the allowed values.
        message: String,
    },
}
