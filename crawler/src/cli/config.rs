//! `crawler config`

mod explain;

use std::collections::BTreeMap;
use std::fmt::Write;
use std::io::ErrorKind;
use std::path::Path;

use serde_json::json;
use toml::Value;

use super::configuration::{config_path, read_sources};
use super::output::{or_reader_gone, say};
use crate::cli::arguments::{self, ConfigAction, ConfigCheckArgs, ConfigFormat, ConfigShowArgs};
use crate::cli::error::{Error, UsageError};
use config::settings::Settings;
use config::{self, Config, ConfigError, Origin, Sources};
use error::RunError;

/// Column of the comments, where the value is short enough.
const COMMENT_AT: usize = 44;

pub(super) fn execute(args: &arguments::ConfigArgs) -> Result<(), Error> {
    match &args.action {
        ConfigAction::Check(args) => check(args),
        ConfigAction::Show(args) => show(args),
        ConfigAction::Explain(args) => explain::execute(args),
    }
}

fn check(args: &ConfigCheckArgs) -> Result<(), Error> {
    let file = args.config.as_deref().unwrap_or(&args.file);
    let path = file.display();
    let text = Config::text(file).map_err(|error| match error {
        ConfigError::Unreadable { ref source, .. } if source.kind() == ErrorKind::NotFound => UsageError::Argument(
            format!("{error}; name a file with --config, or write one: crawler init URL"),
        ),
        error => error.into(),
    })?;
    let findings = config::check(&text);
    for finding in &findings {
        say(&format!("{path}:{finding}"))?;
    }
    // With a faulty file, the environment is checked alone.
    let environment = check_environment(findings.is_empty().then_some(file));
    if let (Err(error), false) = (&environment, findings.is_empty()) {
        say(&error.to_string())?;
    }
    match findings.len() {
        0 => environment?,
        1 => return Err(UsageError::Argument(format!("{path}: 1 line is invalid")).into()),
        count => return Err(UsageError::Argument(format!("{path}: {count} lines are invalid")).into()),
    }
    Ok(say(&format!("{path} is valid."))?)
}

/// Checks the variables of the environment, together with the file if it has no fault.
fn check_environment(file: Option<&Path>) -> Result<(), UsageError> {
    let sources = read_sources(file)?;
    Settings::new(&sources.config).map_err(|source| UsageError::Setting {
        origin: sources.origin(source.key()).to_string(),
        source,
    })?;
    Ok(())
}

fn show(args: &ConfigShowArgs) -> Result<(), Error> {
    let mut sources = read_sources(config_path(&args.config).as_deref())?;
    for (key, flag) in args.overrides.apply(&mut sources.config) {
        sources.set_by_flag(key, flag);
    }
    let text = match args.format {
        ConfigFormat::Toml => as_toml(&sources, args.comments),
        ConfigFormat::Json => as_json(&sources)?,
    };
    let mut stdout = std::io::stdout().lock();
    or_reader_gone(std::io::Write::write_all(&mut stdout, text.as_bytes()))?;
    drop(stdout);
    // The check comes after the output, which helps to find the fault.
    Settings::new(&sources.config).map_err(|source| UsageError::Setting {
        origin: sources.origin(source.key()).to_string(),
        source,
    })?;
    Ok(())
}

/// The configuration as a file, without secrets.
fn as_toml(sources: &Sources, comments: bool) -> String {
    let meanings = if comments { config::meanings() } else { BTreeMap::new() };
    let mut text = String::new();
    let mut section = String::new();
    let mut shown = sources.shown();
    // A key outside of the sections must come before them.
    shown.sort_by_key(|(key, _)| !key.name.is_empty());
    for (key, value) in shown {
        let name = if key.name.is_empty() { &key.section } else { &key.name };
        if !key.name.is_empty() && key.section != section {
            let apart = if text.is_empty() { "" } else { "\n" };
            push(&mut text, format_args!("{apart}[{}]\n", key.section));
            section.clone_from(&key.section);
        }
        for line in meanings.get(&key.path()).iter().flat_map(|meaning| &meaning.lines) {
            push(&mut text, format_args!("# {line}\n"));
        }
        let line = format!("{name} = {value}");
        push(
            &mut text,
            format_args!("{line:COMMENT_AT$}  # {}\n", comment(&sources.origin(&key.path()))),
        );
    }
    text
}

/// The origin as a comment, without the line breaks that a path may contain.
fn comment(origin: &Origin) -> String {
    terminal::text::terminal_text(&origin.to_string(), 300)
}

fn as_json(sources: &Sources) -> Result<String, RunError> {
    let mut keys = serde_json::Map::new();
    for (key, value) in sources.shown() {
        let path = key.path();
        let origin = match sources.origin(&path) {
            Origin::Default => json!({ "kind": "default" }),
            Origin::File { path, line } => json!({ "kind": "file", "path": path.display().to_string(), "line": line }),
            Origin::Environment(variable) => json!({ "kind": "environment", "variable": variable }),
            Origin::Flag(flag) => json!({ "kind": "flag", "flag": flag }),
        };
        keys.insert(path, json!({ "value": value_as_json(&value), "origin": origin }));
    }
    let mut text = serde_json::to_string_pretty(&keys).map_err(|error| RunError::Render(error.to_string()))?;
    text.push('\n');
    Ok(text)
}

fn value_as_json(value: &Value) -> serde_json::Value {
    // JSON can express every TOML value except infinities and NaN, which become null.
    serde_json::to_value(value).unwrap_or_default()
}

/// Appends to a text, which cannot fail.
fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    let _always_written = text.write_fmt(arguments);
}
