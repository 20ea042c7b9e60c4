//! The labels that a person gives to pairs of pages: the file in the data folder, and the lines of any file of labels.
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

/// A line of a file of labels.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Line<'a> {
    pub a: Cow<'a, str>,
    pub b: Cow<'a, str>,
    /// `None` if the label of the pair is withdrawn.
    pub similarity: Option<f32>,
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

/// Parses a line: a JSON object as in `labels.jsonl`, or two URLs and a label, separated by tabs; `None` for a blank line or a comment
/// after `#`.
///
/// # Errors
/// The form that the line should have.
pub(crate) fn parse_line(line: &str) -> Result<Option<Line<'_>>, String> {
    if line.trim().is_empty() || line.trim_start().starts_with('#') {
        return Ok(None);
    }
    let line = if line.trim_start().starts_with('{') {
        json_line(line)?
    } else {
        tab_line(line)?
    };
    if line.a.is_empty() || line.b.is_empty() || line.a == line.b {
        return Err("it needs two different URLs".to_owned());
    }
    Ok(Some(line))
}

fn json_line(line: &str) -> Result<Line<'_>, String> {
    let form = "it needs \"a\" and \"b\", two URLs, and \"label\": \"duplicate\", \"different\" or \"withdrawn\"";
    let entry: Entry<'_> = serde_json::from_str(line).map_err(|error| format!("{form}: {error}"))?;
    Ok(Line {
        a: entry.a,
        b: entry.b,
        similarity: entry.label.similarity(),
    })
}

fn tab_line(line: &str) -> Result<Line<'_>, String> {
    let mut fields = line.split('\t').map(str::trim);
    let (Some(a), Some(b), Some(label), None) = (fields.next(), fields.next(), fields.next(), fields.next()) else {
        return Err("it needs two URLs and a label, separated by tabs".to_owned());
    };
    Ok(Line {
        a: a.into(),
        b: b.into(),
        similarity: Some(parse_label(label)?),
    })
}

/// The similarity that a label means.
///
/// # Errors
/// The form that the label should have.
pub fn parse_label(label: &str) -> Result<f32, String> {
    match label.trim() {
        word if word.eq_ignore_ascii_case("duplicate") => Ok(1.0),
        word if word.eq_ignore_ascii_case("different") => Ok(0.0),
        number => match number.parse() {
            Ok(similarity) if (0.0..=1.0).contains(&similarity) => Ok(similarity),
            _ => Err("the label must be duplicate, different or a similarity from 0 to 1".to_owned()),
        },
    }
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

    fn parsed(line: &str) -> Option<(String, String, Option<f32>)> {
        let line = parse_line(line).unwrap()?;
        Some((line.a.into_owned(), line.b.into_owned(), line.similarity))
    }

    #[test]
    fn a_line_is_two_urls_and_a_label() {
        let of = |similarity| Some(("a".to_owned(), "b".to_owned(), similarity));
        assert_eq!(parsed("a\tb\tduplicate"), of(Some(1.0)));
        assert_eq!(parsed("a\tb\tDUPLICATE"), of(Some(1.0)));
        assert_eq!(parsed("a\tb\tdifferent\r"), of(Some(0.0)));
        assert_eq!(parsed("a\tb\t0.62"), of(Some(0.62)));
        assert_eq!(
            parsed(r#"{"at":"","a":"a","b":"b","label":"duplicate"}"#),
            of(Some(1.0))
        );
        assert_eq!(parsed(r#" {"a":"a","b":"b","label":"withdrawn"}"#), of(None));
        assert_eq!((parsed("# a\tb"), parsed("  ")), (None, None));
        for bad in [
            "a\tb",
            "a\tb\tmaybe",
            "a\tb\t1.2",
            "a\tb\tNaN",
            "a\ta\tduplicate",
            "\tb\tduplicate",
            "a\tb\t1\t2",
            "a b duplicate",
            "{}",
            r#"{"a":"a","b":"a","label":"duplicate"}"#,
            r#"{"a":"a","b":"b","label":"maybe"}"#,
            r#"{"a":"a","b":"b","lab"#,
        ] {
            assert!(parse_line(bad).is_err(), "{bad:?}");
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
