//! The labels that a person gives to pairs of pages, in a file in the data folder.
//!
//! `crawler serve` appends one JSON object a line to `labels.jsonl` and never changes a line. A later line on the same pair counts, so a
//! label can be corrected or withdrawn. A line that a crash cut short is no label; the next one begins on a line of its own.

use std::borrow::Cow;
use std::collections::HashMap;
use std::fs::{self, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use storage::durable;

/// The name of the file in the data folder.
const NAME: &str = "labels.jsonl";

/// What a person says about a pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Label {
    /// The two pages say the same.
    Duplicate,
    /// The two pages say different things.
    Different,
    /// Nothing any more.
    Withdrawn,
}

impl Label {
    /// The Jaccard index that the label stands for; `None` if it is withdrawn.
    pub fn similarity(self) -> Option<f32> {
        match self {
            Self::Duplicate => Some(1.0),
            Self::Different => Some(0.0),
            Self::Withdrawn => None,
        }
    }
}

/// A line of `labels.jsonl`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Entry<'a> {
    /// When the label was given: RFC 3339, UTC.
    #[serde(default)]
    pub at: Cow<'a, str>,
    /// The URL of one page.
    pub a: Cow<'a, str>,
    /// The URL of the other page.
    pub b: Cow<'a, str>,
    /// What the person said of them.
    pub label: Label,
}

/// Labels by pair, in which the smaller URL comes first.
pub type Pairs = HashMap<(String, String), Label>;

/// The file of labels in a data folder, whether it exists or not.
pub fn path_in(data: &Path) -> PathBuf {
    data.join(NAME)
}

/// Appends a label and makes it durable.
///
/// # Errors
/// The file cannot be written.
pub fn append(path: &Path, entry: &Entry<'_>) -> io::Result<()> {
    let file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
    durable::append_line(file, path, &terminal::json::to_string(entry)?)
}

/// The labels of a file, and the number of lines that are no labels. Without the file there
/// are none.
///
/// # Errors
/// The file cannot be read.
pub fn read(path: &Path) -> io::Result<(Pairs, u64)> {
    let text = match fs::read(path) {
        Ok(bytes) => String::from_utf8_lossy(&bytes).into_owned(),
        Err(error) if error.kind() == io::ErrorKind::NotFound => String::new(),
        Err(error) => return Err(error),
    };
    let (mut labels, mut bad_lines) = (HashMap::new(), 0);
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let Ok(entry) = serde_json::from_str::<Entry<'_>>(line) else {
            bad_lines += 1;
            continue;
        };
        let pair = pair(&entry.a, &entry.b);
        match entry.label {
            Label::Withdrawn => labels.remove(&pair),
            label => labels.insert(pair, label),
        };
    }
    Ok((labels, bad_lines))
}

/// A pair, whichever page comes first.
pub fn pair(a: &str, b: &str) -> (String, String) {
    (a.min(b).to_owned(), a.max(b).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(a: &'static str, b: &'static str, label: Label) -> Entry<'static> {
        Entry {
            at: "2026-03-21T09:30:00Z".into(),
            a: a.into(),
            b: b.into(),
            label,
        }
    }

    #[test]
    fn the_last_label_of_a_pair_counts_and_a_torn_line_is_none() {
        let folder = tempfile::tempdir().unwrap();
        let path = path_in(folder.path());
        assert_eq!(read(&path).unwrap(), (HashMap::new(), 0));
        append(&path, &entry("b", "a", Label::Duplicate)).unwrap();
        append(&path, &entry("a", "c", Label::Different)).unwrap();
        let whole = fs::read(&path).unwrap();
        fs::write(&path, [&whole[..], b"{\"at\":\"2026"].concat()).unwrap();
        append(&path, &entry("a", "b", Label::Different)).unwrap();
        append(&path, &entry("c", "a", Label::Withdrawn)).unwrap();
        let wanted = HashMap::from([(pair("a", "b"), Label::Different)]);
        assert_eq!(read(&path).unwrap(), (wanted, 1));
        assert!(fs::read(&path).unwrap().starts_with(&whole), "a line was changed");
    }
}
