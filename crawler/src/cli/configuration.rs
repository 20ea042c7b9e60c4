//! The configuration of a command: the file, the environment, and the origin of an invalid value.

use std::path::{Path, PathBuf};

use crate::cli::arguments::ConfigFile;
use crate::cli::error::UsageError;
use config::settings::{InvalidSetting, Settings};
use config::{Config, Origin, Sources};
use terminal::text::terminal_text;

/// File in the current folder that is read without `--config`.
pub(super) const DEFAULT_CONFIG: &str = "config.toml";

/// Path of the configuration file, if one exists.
pub(super) fn config_path(file: &ConfigFile) -> Option<PathBuf> {
    let default = || {
        Path::new(DEFAULT_CONFIG)
            .is_file()
            .then(|| PathBuf::from(DEFAULT_CONFIG))
    };
    file.config.clone().or_else(default)
}

/// Reads the configuration in force with the origins of its values, and logs the warnings.
pub(super) fn read_sources(path: Option<&Path>) -> Result<Sources, UsageError> {
    let sources = Sources::read(path, std::env::vars_os())?;
    if let Some(path) = path {
        tracing::info!(path = %path.display(), "configuration read");
    }
    for warning in &sources.warnings {
        tracing::warn!("{}", terminal_text(warning, 300));
    }
    Ok(sources)
}

/// Reads the configuration in force; also returns the path of its file, if there is one.
pub(super) fn read(file: &ConfigFile) -> Result<(Config, Option<PathBuf>), UsageError> {
    let path = config_path(file);
    Ok((read_sources(path.as_deref())?.config, path))
}

/// Reads and validates the configuration in force.
pub(super) fn settings(file: &ConfigFile) -> Result<Settings, UsageError> {
    let (config, path) = read(file)?;
    validate(&config, path)
}

/// Validates `config`, which came from the file at `path`.
pub(super) fn validate(config: &Config, path: Option<PathBuf>) -> Result<Settings, UsageError> {
    Settings::new(config).map_err(|source| UsageError::Setting {
        origin: origin(&source, path),
        source,
    })
}

/// Where an invalid value comes from.
fn origin(invalid: &InvalidSetting, path: Option<PathBuf>) -> String {
    let sources = Sources::read(path.as_deref(), std::env::vars_os());
    let (Ok(sources), path) = (sources, &path) else {
        // `path` is a description such as "the command line" and not a file.
        return path.map_or_else(|| "the configuration".to_owned(), |path| path.display().to_string());
    };
    let is_same = |other: InvalidSetting| other.to_string() == invalid.to_string();
    if !Settings::new(&sources.config).is_err_and(is_same) {
        return "the command line".to_owned();
    }
    match (sources.origin(invalid.key()), path) {
        // The value is a default, and contradicts a value from the file or the environment.
        (Origin::Default, Some(path)) => path.display().to_string(),
        (Origin::Default, None) => "the environment".to_owned(),
        (origin, _) => origin.to_string(),
    }
}
