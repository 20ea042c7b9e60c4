//! The configuration of a command: the file, the environment, and the origin of an invalid value.

use std::path::{Path, PathBuf};

use crate::cli::arguments::ConfigFile;
use crate::cli::error::UsageError;
use config::sections::FetchSection;
use config::settings::{InvalidSetting, Settings};
use config::{Config, Kept, Origin, Record, Sources};
use terminal::commands::path_argument;
use terminal::tell::tell;
use terminal::text::terminal_text;

/// File in the current folder that is read without `--config`.
pub(super) const DEFAULT_CONFIG: &str = "config.toml";

/// Origins of values that a sentence names. It counts the others.
const MAX_ORIGINS: usize = 6;

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

/// Where the configuration of a command comes from that reads the crawl in a data folder.
#[derive(Debug, PartialEq, Eq)]
enum OfCrawl {
    /// The file that `--config` names.
    Named(PathBuf),
    /// The configuration file of the crawl's last run, as it is now.
    File(PathBuf),
    /// The settings that the data folder keeps, because that file does not exist.
    Kept { path: PathBuf, file: Option<PathBuf> },
    /// The data folder keeps no settings: the file in the current folder, or the built-in values.
    Unknown(Option<PathBuf>),
}

impl OfCrawl {
    fn find(file: &ConfigFile, data: &Path) -> Self {
        if let Some(named) = &file.config {
            return Self::Named(named.clone());
        }
        match Kept::last(data) {
            None => Self::Unknown(config_path(file)),
            Some(Kept { file: Some(file), .. }) if file.is_file() => Self::File(as_seen_from_here(file)),
            Some(Kept { path, file, .. }) => Self::Kept { path, file },
        }
    }

    /// The file with the values; `None` for the built-in ones.
    fn path(self) -> Option<PathBuf> {
        match self {
            Self::Named(path) | Self::File(path) | Self::Kept { path, .. } => Some(path),
            Self::Unknown(path) => path,
        }
    }

    /// What the user may not expect: the values come from outside the current folder. `None` if they come from where they usually do.
    fn unexpected(&self) -> Option<String> {
        let (path, file) = match self {
            Self::File(path) if path.as_path() != Path::new(DEFAULT_CONFIG) => (path, Some(path)),
            Self::Kept { path, file } => (path, file.as_ref()),
            _ => return None,
        };
        let has_usual = Path::new(DEFAULT_CONFIG).is_file();
        if !has_usual && file.is_some_and(|file| is_in_current_folder(file)) {
            return None;
        }
        let not_used = if has_usual {
            ", not from ./config.toml, which is not this crawl's; --config config.toml uses it"
        } else {
            ""
        };
        let path = terminal_text(&path.display().to_string(), 300);
        Some(format!("settings from {path}{not_used}"))
    }
}

/// The name of a file in the current folder; otherwise its path without `..`, if the file exists.
fn as_seen_from_here(file: PathBuf) -> PathBuf {
    match file.file_name() {
        Some(name) if is_in_current_folder(&file) => name.into(),
        _ => file.canonicalize().unwrap_or(file),
    }
}

fn is_in_current_folder(file: &Path) -> bool {
    let here = Path::new(".");
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(here).canonicalize().ok();
    folder.is_some() && folder == here.canonicalize().ok()
}

/// The file with the settings of a run that continues the crawl in `data`; `None` for the built-in ones.
///
/// # Errors
/// The file that the user must name, because only the data folder names it: requests go by its settings.
pub(super) fn file_to_continue(file: &ConfigFile, data: &Path) -> Result<Option<PathBuf>, PathBuf> {
    match OfCrawl::find(file, data) {
        OfCrawl::Named(path) => Ok(Some(path)),
        OfCrawl::Unknown(path) => Ok(path),
        OfCrawl::File(path) if path == Path::new(DEFAULT_CONFIG) => Ok(Some(path)),
        OfCrawl::File(path) => Err(path),
        OfCrawl::Kept { path, .. } => {
            let text = Config::text(&path).ok();
            let kept = text.and_then(|text| Config::parse(&text, &path).ok());
            if kept == Some(Config::default()) {
                Ok(None)
            } else {
                Err(path)
            }
        }
    }
}

/// The values that come from elsewhere than a file: variables and flags, in words after the name of the file.
pub(super) fn origins(sources: &Sources, path: Option<&Path>) -> String {
    let mut parts = vec![path.map_or_else(|| "the built-in settings".to_owned(), |path| path.display().to_string())];
    for (key, _) in sources.shown() {
        match sources.origin(&key.path()) {
            Origin::Environment(variable) => parts.push(variable),
            Origin::Flag(flag) => parts.push(flag.to_owned()),
            Origin::Default | Origin::File { .. } => {}
        }
    }
    let further = parts.len().saturating_sub(MAX_ORIGINS);
    parts.truncate(MAX_ORIGINS);
    match further {
        0 => parts.join(" and "),
        further => format!("{} and {further} more", parts.join(" and ")),
    }
}

/// The configuration file of the crawl in `data`, for the record of new verdicts. It may not exist.
pub(super) fn file_of_crawl(file: &ConfigFile, data: &Path) -> PathBuf {
    match OfCrawl::find(file, data) {
        OfCrawl::Kept { file: Some(file), .. } => as_seen_from_here(file),
        OfCrawl::Kept { file: None, .. } => PathBuf::from(DEFAULT_CONFIG),
        other => other.path().unwrap_or_else(|| PathBuf::from(DEFAULT_CONFIG)),
    }
}

/// The file to which a command writes the thresholds of the crawl in `data`. It may not exist.
///
/// # Errors
/// The data folder names a file that the user has not named: one outside the current folder, or one that is gone together with other settings.
pub(super) fn writable_file(file: &ConfigFile, data: &Path) -> Result<PathBuf, UsageError> {
    match OfCrawl::find(file, data) {
        OfCrawl::Named(path) => Ok(path),
        OfCrawl::Unknown(path) => Ok(path.unwrap_or_else(|| PathBuf::from(DEFAULT_CONFIG))),
        OfCrawl::File(path) if is_in_current_folder(&path) => Ok(path),
        OfCrawl::File(path) => {
            let path = path_argument(&path);
            Err(UsageError::Argument(format!(
                "the configuration file of this crawl is {path}; to write to it: --config {path}"
            )))
        }
        OfCrawl::Kept { path, file } => {
            let file = file.filter(|file| is_in_current_folder(file)).map(as_seen_from_here);
            let file = file.unwrap_or_else(|| PathBuf::from(DEFAULT_CONFIG));
            let mut kept = Config::parse(&Config::text(&path)?, &path)?;
            kept.dedup = Config::default().dedup;
            if kept == Config::default() && !file.exists() {
                return Ok(file);
            }
            let kept = path_argument(&path);
            Err(UsageError::Argument(format!(
                "the configuration file of this crawl is gone, and a new one would have none of its other settings: copy {kept} to the file \
                 that you want to use, and name it with --config"
            )))
        }
    }
}

/// Reads the configuration for a command that reads the crawl in `data`, and the path of its file. Tells the user where it comes from, if
/// that is another folder.
pub(super) fn read_for_crawl(file: &ConfigFile, data: &Path) -> Result<(Config, Option<PathBuf>), UsageError> {
    let found = OfCrawl::find(file, data);
    if let Some(message) = found.unexpected()
        && tracing::enabled!(tracing::Level::WARN)
    {
        tell(format_args!("{message}"));
    }
    read_found(found)
}

/// Reads the configuration. If its file is neither named by the user nor `config.toml` in the current folder, the data folder has named it, and
/// that may come from somebody else: then the program takes only what it needs to judge texts, and neither connects nor starts anything by it.
fn read_found(found: OfCrawl) -> Result<(Config, Option<PathBuf>), UsageError> {
    let is_named_by_folder = match &found {
        OfCrawl::Named(_) | OfCrawl::Unknown(_) => false,
        OfCrawl::File(path) => path.as_path() != Path::new(DEFAULT_CONFIG),
        OfCrawl::Kept { .. } => true,
    };
    let path = found.path();
    let mut config = read_sources(path.as_deref())?.config;
    if is_named_by_folder {
        only_to_judge(&mut config, path.as_deref());
    }
    Ok((config, path))
}

/// Sets the keys for requests, browsers and fleets to their defaults, and finds the table of the weights beside the file at `path`.
fn only_to_judge(config: &mut Config, path: Option<&Path>) {
    let defaults = Config::default();
    config.fetch = FetchSection {
        max_body_bytes: config.fetch.max_body_bytes,
        walls: config.fetch.walls,
        ..defaults.fetch
    };
    config.politeness = defaults.politeness;
    config.render = defaults.render;
    config.fleet = defaults.fleet;
    config.host.iter_mut().for_each(|entry| entry.headers.clear());
    let table = &mut config.dedup.idf_table;
    if let Some(folder) = path.and_then(Path::parent)
        && !table.as_os_str().is_empty()
    {
        *table = folder.join(&*table);
    }
}

/// [`settings_for_crawl`] for a process that reads them again and again: says nothing of where they come from.
pub(super) fn settings_again(file: &ConfigFile, data: &Path) -> Result<Settings, UsageError> {
    let (config, path) = read_found(OfCrawl::find(file, data))?;
    validate(&config, path)
}

/// [`read_for_crawl`], validated.
pub(super) fn settings_for_crawl(file: &ConfigFile, data: &Path) -> Result<Settings, UsageError> {
    let (config, path) = read_for_crawl(file, data)?;
    validate(&config, path)
}

/// What the data folder keeps of `config`. Its file is at `path`, or will be there when the user makes one.
pub(super) fn record(config: &Config, path: &Path) -> Option<Record> {
    Record::new(config, path)
        .inspect_err(|error| tracing::warn!("the data folder does not keep the settings of this run: {error}"))
        .ok()
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
