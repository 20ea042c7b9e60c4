//! The chosen setting, written to the configuration file. Only the changed values change; all other bytes stay.

use std::fs;
use std::io::{self, Write};
use std::mem;
use std::path::{Path, PathBuf};

use dedup::Confirm;
use export::OutputFile;
use serde::Serialize;
use toml_edit::{Document, DocumentMut, Item};

use crate::replay::Thresholds;
use config::{Config, ConfigError};
use error::RunError;
use storage::durable::{self, Readers};

const MAX_DISTANCE: &str = "max_distance";
const MIN_SIMILARITY: &str = "min_similarity";

/// The file, and the keys that were changed.
#[derive(Debug, Serialize)]
pub struct Written {
    /// The configuration file.
    #[serde(rename = "file", serialize_with = "as_text")]
    pub path: PathBuf,
    /// The keys whose values change.
    #[serde(rename = "keys")]
    pub changes: Vec<KeyChange>,
}

/// A key that was changed.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct KeyChange {
    /// With its section: `dedup.max_distance`.
    pub key: String,
    /// The text of the old value; `None` if the key was not there.
    pub from: Option<String>,
    pub to: String,
}

fn as_text<S: serde::Serializer>(path: &Path, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&path.display())
}

/// The file was not changed.
#[derive(Debug, thiserror::Error)]
pub enum NotWritten {
    /// The file cannot be read as a configuration.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A key cannot be written.
    #[error("cannot set dedup.{key} in {}: {reason}; nothing was written", path.display())]
    Key {
        /// The configuration file.
        path: PathBuf,
        /// The key, with its section.
        key: &'static str,
        /// What hinders it.
        reason: String,
    },
    /// This file has the keys in a form that cannot be changed without a risk to the rest.
    #[error("cannot change {} safely: set dedup.max_distance and dedup.min_similarity there by hand", .0.display())]
    Unsafe(PathBuf),
    /// The setting confirms in another way than the one in force, and `tune` writes thresholds alone.
    #[error(
        "with distance {max_distance} alone, nothing confirms a pair: set dedup.max_distance and dedup.confirm = \"distance\" by hand"
    )]
    OtherConfirmation {
        /// The largest distance of the setting.
        max_distance: u32,
    },
    /// The file could not be read or written.
    #[error(transparent)]
    Io(#[from] RunError),
}

/// A change of the file that is not made yet.
#[derive(Debug)]
pub struct Plan {
    written: Written,
    exists: bool,
    before: String,
    after: String,
}

/// Plans the difference between `from` and `to` for the configuration file at `path`, which is new unless `exists`.
///
/// # Errors
/// The file cannot be read, or cannot be changed without a change to other keys.
pub fn plan(path: &Path, exists: bool, from: Thresholds, to: Thresholds) -> Result<Plan, NotWritten> {
    if mem::discriminant(&from.confirm) != mem::discriminant(&to.confirm) {
        return Err(NotWritten::OtherConfirmation {
            max_distance: to.max_distance,
        });
    }
    let values = values(from, to);
    let before = if exists && !values.is_empty() {
        fs::read_to_string(path).map_err(|source| RunError::io("read", path.display(), source))?
    } else {
        String::new()
    };
    let (after, changes) = changed(path, &before, &values)?;
    if !values.is_empty() {
        check(path, &before, &after, &values, to)?;
    }
    Ok(Plan {
        written: Written {
            path: path.to_owned(),
            changes,
        },
        exists,
        before,
        after,
    })
}

/// Writes the difference between `from` and `to` to the configuration file at `path`, which is new unless `exists`.
///
/// # Errors
/// The file cannot be read or written, or cannot be changed without a change to other keys.
pub fn write(path: &Path, exists: bool, from: Thresholds, to: Thresholds) -> Result<Written, NotWritten> {
    let plan = plan(path, exists, from, to)?;
    plan.write()?;
    Ok(plan.written)
}

impl Plan {
    /// The file, and the keys that change.
    pub fn written(&self) -> &Written {
        &self.written
    }

    /// The lines that go and the lines that come.
    pub fn lines(&self) -> (Vec<&str>, Vec<&str>) {
        let (before, after): (Vec<&str>, Vec<&str>) = (self.before.lines().collect(), self.after.lines().collect());
        let missing_in = |lines: &[&str], others: &[&str]| -> Vec<usize> {
            let same = lines.len() == others.len();
            let differs = |at: &usize| {
                if same {
                    lines[*at] != others[*at]
                } else {
                    !others.contains(&lines[*at])
                }
            };
            (0..lines.len()).filter(differs).collect()
        };
        let gone = missing_in(&before, &after).into_iter().map(|at| before[at]).collect();
        let come = missing_in(&after, &before).into_iter().map(|at| after[at]).collect();
        (gone, come)
    }

    /// Writes the file, if anything changes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn write(&self) -> Result<(), NotWritten> {
        let path = &self.written.path;
        if self.written.changes.is_empty() {
            return Ok(());
        }
        if self.exists {
            replace(path, &self.after).map_err(|source| RunError::io("write", path.display(), source))?;
        } else {
            create(path, &self.after)?;
        }
        Ok(())
    }
}

/// The text with the new values, and the changes.
fn changed(
    path: &Path,
    before: &str,
    values: &[(&'static str, String)],
) -> Result<(String, Vec<KeyChange>), NotWritten> {
    let mut text = before.to_owned();
    let mut changes = Vec::new();
    for (key, value) in values {
        let (next, from) = set(&text, key, value).map_err(|reason| NotWritten::Key {
            path: path.to_owned(),
            key,
            reason,
        })?;
        text = next;
        changes.push(KeyChange {
            key: format!("dedup.{key}"),
            from,
            to: value.clone(),
        });
    }
    Ok((text, changes))
}

/// Refuses a text in which any other key has another value than before.
fn check(
    path: &Path,
    before: &str,
    after: &str,
    values: &[(&'static str, String)],
    to: Thresholds,
) -> Result<(), NotWritten> {
    let mut expected = Config::parse(before, path)?;
    for (key, _) in values {
        apply(&mut expected, key, to);
    }
    if Config::parse(after, path)? == expected {
        Ok(())
    } else {
        Err(NotWritten::Unsafe(path.to_owned()))
    }
}

/// The keys whose values differ, with the new values in TOML.
fn values(from: Thresholds, to: Thresholds) -> Vec<(&'static str, String)> {
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

fn apply(config: &mut Config, key: &str, to: Thresholds) {
    match (key, to.confirm) {
        (MIN_SIMILARITY, Confirm::Sketch { min_similarity }) => config.dedup.min_similarity = min_similarity,
        _ => config.dedup.max_distance = to.max_distance,
    }
}

/// `text` with a new value of a key in `[dedup]`, and the text of the old value.
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
    // The library finds the place in an inline table or among dotted keys.
    let mut document: DocumentMut = text.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    let value: toml_edit::Value = value.parse().map_err(|error: toml_edit::TomlError| error.to_string())?;
    document["dedup"][key] = Item::Value(value);
    Ok((document.to_string(), None))
}

fn spliced(text: &str, span: std::ops::Range<usize>, value: &str) -> String {
    [&text[..span.start], value, &text[span.end..]].concat()
}

fn create(path: &Path, text: &str) -> Result<(), RunError> {
    let mut file = OutputFile::create(path)?;
    file.write_all(text.as_bytes())
        .map_err(|source| RunError::io("write", path.display(), source))?;
    Ok(file.finish()?)
}

/// Replaces the content of a file in one step. The permissions stay, and a symbolic link stays a link.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let target = ::export::linked(path);
    let permissions = fs::metadata(&target)?.permissions();
    if permissions.readonly() {
        return Err(io::Error::new(io::ErrorKind::PermissionDenied, "it is read-only"));
    }
    let mut unfinished = target.clone().into_os_string();
    unfinished.push(".unfinished");
    // The file may hold passwords, so nobody else reads it before it has its permissions.
    durable::replace(&target, Path::new(&unfinished), Readers::Owner, |file| {
        file.write_all(text.as_bytes())?;
        file.set_permissions(permissions)
    })
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
    fn a_missing_key_is_added() {
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
