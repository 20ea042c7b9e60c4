//! The labels of the crawl: each request reads the file, so that another process may write it too.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use axum::http::StatusCode;

use super::reply::Refusal;
use crawl::clock::unix_millis;
use crawl::labels::{self, Entry, Label, Pairs};
use error::RunError;
use terminal::units::utc;

/// The file of labels in the data folder.
#[derive(Debug)]
pub struct LabelsFile {
    path: PathBuf,
    /// Held while a label is written.
    writing: Mutex<()>,
}

/// All labels.
#[derive(Debug, Default)]
pub(super) struct Labels {
    by_pair: Pairs,
    /// Lines that are no labels.
    pub bad_lines: u64,
}

impl LabelsFile {
    pub fn in_folder(data: &Path) -> Self {
        Self {
            path: labels::path_in(data),
            writing: Mutex::default(),
        }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The labels that count now.
    pub fn read(&self) -> Result<Labels, Refusal> {
        let read = labels::read(&self.path);
        let (by_pair, bad_lines) = read.map_err(|source| self.failed("read", source))?;
        Ok(Labels { by_pair, bad_lines })
    }

    /// Writes a label durably.
    pub fn write(&self, a: &str, b: &str, label: Label) -> Result<(), Refusal> {
        let entry = Entry {
            at: utc(unix_millis(SystemTime::now())).into(),
            a: a.into(),
            b: b.into(),
            label,
        };
        let _alone = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        labels::append(&self.path, &entry).map_err(|source| self.failed("write", source))
    }

    fn failed(&self, action: &'static str, source: std::io::Error) -> Refusal {
        let error = RunError::io(action, self.path.display(), source);
        Refusal::new(StatusCode::INTERNAL_SERVER_ERROR, error)
    }
}

impl Labels {
    /// The label of a pair: `duplicate` or `different`.
    pub fn of(&self, a: &str, b: &str) -> Option<&'static str> {
        self.by_pair.get(&labels::pair(a, b)).and_then(|label| match label {
            Label::Duplicate => Some("duplicate"),
            Label::Different => Some("different"),
            Label::Withdrawn => None,
        })
    }

    pub fn len(&self) -> usize {
        self.by_pair.len()
    }

    /// The pairs, in order of their URLs.
    pub fn sorted(&self) -> Vec<(&str, &str, Label)> {
        let pairs = self.by_pair.iter();
        let mut sorted: Vec<_> = pairs.map(|((a, b), label)| (&**a, &**b, *label)).collect();
        sorted.sort_unstable_by_key(|(a, b, _)| (*a, *b));
        sorted
    }
}
