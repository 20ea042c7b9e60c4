//! A setting into `config.toml`: the changed values and nothing else, byte for byte.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use dedup::Confirm;
use toml_edit::{Document, DocumentMut, Item};

use super::super::configuration::DEFAULT_CONFIG;
use crate::cli::error::{Error, UsageError};
use crate::config::{Config, Origin, Sources};
use crate::error::RunError;
use crate::study::replay::Cell;

const MAX_DISTANCE: &str = "max_distance";
const MIN_SIMILARITY: &str = "min_similarity";

/// What has been written where.
#[derive(Debug)]
pub(super) struct Written {
    pub path: PathBuf,
    pub changes: Vec<KeyChange>,
}

/// A key that was changed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct KeyChange {
    /// As in `dedup.max_distance`.
    pub key: String,
    /// As it was written; `None` where it was not there.
    pub from: Option<String>,
    pub to: String,
}

/// Writes what sets `to` apart from `from` into the configuration at `path`, or a new `config.toml`.
pub(super) fn write(path: Option<&Path>, from: Cell, to: Cell) -> Result<Written, Error> {
    let file = path.unwrap_or(Path::new(DEFAULT_CONFIG));
    let mut written = Written {
        path: file.to_owned(),
        changes: Vec::new(),
    };
    let values = values(from, to);
    if values.is_empty() {
        return Ok(written);
    }
    let io_error = |action, source| RunError::io(action, file.display(), source);
    let before = match path {
        Some(_) => fs::read_to_string(file).map_err(|source| io_error("read", source))?,
        None => String::new(),
    };
    let mut text = before.clone();
    for (key, value) in &values {
        let (changed, from) = set(&text, key, value).map_err(|reason| {
            let file = file.display();
            UsageError::Argument(format!(
                "cannot set dedup.{key} in {file}: {reason}; nothing was written"
            ))
        })?;
        text = changed;
        written.changes.push(KeyChange {
            key: format!("dedup.{key}"),
            from,
            to: value.clone(),
        });
    }
    // Nothing but these keys may read otherwise now.
    let mut expected = Config::parse(&before, file).map_err(UsageError::from)?;
    for (key, _) in &values {
        apply(&mut expected, key, to);
    }
    if Config::parse(&text, file).map_err(UsageError::from)? != expected {
        let message = format!(
            "cannot change {} safely: set dedup.max_distance and dedup.min_similarity there by hand",
            file.display()
        );
        return Err(UsageError::Argument(message).into());
    }
    match path {
        Some(_) => replace(file, &text).map_err(|source| io_error("write", source))?,
        None => super::write_file(file, &text)?,
    }
    warn_of_the_environment(&written)?;
    Ok(written)
}

/// What the environment says goes before the file.
fn warn_of_the_environment(written: &Written) -> Result<(), UsageError> {
    let sources = Sources::read(Some(&written.path), std::env::vars_os())?;
    for change in &written.changes {
        if let Origin::Environment(variable) = sources.origin(&change.key) {
            tracing::warn!(
                "the environment variable {variable} goes before {}, so it stays in force",
                change.key
            );
        }
    }
    Ok(())
}

/// The keys in which `to` differs, with their values as TOML.
fn values(from: Cell, to: Cell) -> Vec<(&'static str, String)> {
    let mut values = Vec::new();
    if from.max_distance != to.max_distance {
        values.push((MAX_DISTANCE, to.max_distance.to_string()));
    }
    if let Confirm::Sketch { min_similarity } = to.confirm
        && from.confirm != to.confirm
    {
        values.push((MIN_SIMILARITY, format!("{min_similarity:?}")));
    }
    values
}

fn apply(config: &mut Config, key: &str, cell: Cell) {
    match (key, cell.confirm) {
        (MIN_SIMILARITY, Confirm::Sketch { min_similarity }) => config.dedup.min_similarity = min_similarity,
        _ => config.dedup.max_distance = cell.max_distance,
    }
}

/// `text` with a key of `[dedup]` set, and what it was.
fn set(text: &str, key: &str, value: &str) -> Result<(String, Option<String>), String> {
    let document = Document::parse(text).map_err(|error| error.to_string())?;
    let line_end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let section = document.as_table().get("dedup");
    let present = section.and_then(Item::as_table_like).and_then(|table| table.get(key));
    if let Some(span) = present.and_then(Item::span) {
        let from = text[span.clone()].to_owned();
        return Ok((spliced(text, span, value), Some(from)));
    }
    let header = section
        .and_then(Item::as_table)
        .filter(|table| !table.is_implicit() && !table.is_dotted());
    if let Some(span) = header.and_then(toml_edit::Table::span) {
        let line = format!("{key} = {value}");
        let rest = &text[span.end..];
        return Ok((
            match rest.find('\n') {
                Some(end) => {
                    let at = span.end + end + 1;
                    spliced(text, at..at, &(line + line_end))
                }
                None => format!("{text}{line_end}{line}{line_end}"),
            },
            None,
        ));
    }
    if section.is_none() {
        let gap = match text {
            "" => "",
            text if text.ends_with('\n') => line_end,
            _ => &line_end.repeat(2),
        };
        return Ok((format!("{text}{gap}[dedup]{line_end}{key} = {value}{line_end}"), None));
    }
    // A section in one line, or of dotted keys: its place is for the library to find.
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let value: toml_edit::Value = value.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    document["dedup"][key] = Item::Value(value);
    Ok((document.to_string(), None))
}

fn spliced(text: &str, span: std::ops::Range<usize>, value: &str) -> String {
    [&text[..span.start], value, &text[span.end..]].concat()
}

/// Puts `text` in the place of a file at once, with the permissions that it has; a link stays one.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = ::export::linked(path);
    let permissions = fs::metadata(&target)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let folder = match target.parent() {
        Some(parent) if parent.as_os_str().is_empty() => Path::new("."),
        Some(parent) => parent,
        None => Path::new("/"),
    };
    let mut file = tempfile::NamedTempFile::new_in(folder)?;
    file.write_all(text.as_bytes())?;
    file.as_file().set_permissions(permissions)?;
    file.as_file().sync_all()?;
    file.persist(&target).map_err(|error| error.error)?;
    fs::File::open(folder)?.sync_all()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set_to(text: &str, key: &str, value: &str) -> String {
        set(text, key, value).unwrap().0
    }

    #[test]
    fn nothing_but_the_value_changes() {
        for (before, after) in [
            (
                "[dedup] # here\r\n  max_distance =  10 # bits\r\n\r\n[fetch]\r\n",
                "[dedup] # here\r\n  max_distance =  7 # bits\r\n\r\n[fetch]\r\n",
            ),
            (
                "dedup = { max_distance = 10, bits = 64 }",
                "dedup = { max_distance = 7, bits = 64 }",
            ),
            ("dedup.max_distance=0x0a # ten", "dedup.max_distance=7 # ten"),
            ("\"dedup\".'max_distance' = 10\n", "\"dedup\".'max_distance' = 7\n"),
            (
                "# é\n[scope]\n[dedup]\nmask_dates = false\nmax_distance = 1_0",
                "# é\n[scope]\n[dedup]\nmask_dates = false\nmax_distance = 7",
            ),
        ] {
            assert_eq!(set_to(before, "max_distance", "7"), after);
        }
        assert_eq!(
            set("[dedup]\nmax_distance = 1_0\n", "max_distance", "7").unwrap().1,
            Some("1_0".to_owned())
        );
    }

    #[test]
    fn a_key_that_is_not_there_is_added() {
        for (before, after) in [
            ("", "[dedup]\nmax_distance = 7\n"),
            (
                "[fetch]\nparallel = 2",
                "[fetch]\nparallel = 2\n\n[dedup]\nmax_distance = 7\n",
            ),
            ("[fetch]\r\n", "[fetch]\r\n\r\n[dedup]\r\nmax_distance = 7\r\n"),
            (
                "[dedup] # x\nbits = 64\n[fetch]\n",
                "[dedup] # x\nmax_distance = 7\nbits = 64\n[fetch]\n",
            ),
            ("[dedup]", "[dedup]\nmax_distance = 7\n"),
        ] {
            assert_eq!(set_to(before, "max_distance", "7"), after);
        }
        for before in ["dedup = { bits = 64 }\n", "dedup.bits = 64\n", "dedup = {}\n"] {
            let config = Config::parse(&set_to(before, "max_distance", "7"), Path::new("c.toml")).unwrap();
            assert_eq!((config.dedup.max_distance, config.dedup.bits), (7, 64), "{before}");
        }
    }

    #[test]
    fn the_sample_configuration_keeps_every_comment() {
        let sample = include_str!("../../../../config.toml");
        let changed = set_to(&set_to(sample, "min_similarity", "0.8"), "max_distance", "7");
        let expected = sample.replace("\nmax_distance = 10\n", "\nmax_distance = 7\n");
        assert_eq!(
            changed,
            expected.replace("\nmin_similarity = 0.76\n", "\nmin_similarity = 0.8\n")
        );
        assert_ne!(changed, sample);
    }
}
