//! The schemes that decided the pages of a crawl, by the heads of its WARC files.

use std::collections::BTreeSet;
use std::path::Path;

use super::files::{Heads, crawls_in, only_crawl};
use super::old_meta;
use crate::error::StorageError;
use crate::folder::DataFolder;
use crate::store::OpenOptions;
use crate::warc::metadata::DecidedBy;

/// The schemes that decided the pages of a crawl.
#[derive(Debug, Clone, Default)]
pub struct DecidedSchemes {
    /// The schemes that the heads of the files name; the scheme of the state if none names one.
    decided_by: BTreeSet<DecidedBy>,
    has_unreadable_head: bool,
}

impl DecidedSchemes {
    /// Reads the heads of the WARC files of the data folder `dir`, and its state if they name no scheme. `None` if nothing names one.
    ///
    /// # Errors
    /// As [`Rebuild::begin`](super::Rebuild::begin).
    pub fn read(dir: &Path, options: &OpenOptions) -> Result<Option<Self>, StorageError> {
        if !dir.is_dir() {
            return Err(StorageError::NoStore { dir: dir.to_owned() });
        }
        let folder = DataFolder::hold(dir, false, &options.command)?;
        // The rebuild itself reports problems.
        let mut say = |_| ();
        let crawls = crawls_in(&folder.warc(), &mut say)?;
        let started_at = || Some(old_meta(dir, options)?.started_at);
        let files = match only_crawl(crawls, &folder, started_at, &mut say) {
            Err(StorageError::NothingArchived { .. }) => Vec::new(),
            files => files?,
        };
        let heads = Heads::of(&files);
        let scheme = heads.scheme().or_else(|| Some(old_meta(dir, options)?.scheme));
        Ok(scheme.map(|scheme| Self::of(heads, &scheme)))
    }

    /// The schemes of the heads, or `scheme` if no head names one.
    pub(super) fn of(heads: Heads, scheme: &str) -> Self {
        Self {
            has_unreadable_head: heads.has_unreadable,
            decided_by: heads.decided_by_or(scheme),
        }
    }

    /// The schemes, each once.
    #[must_use]
    pub fn schemes(&self) -> BTreeSet<&str> {
        self.decided_by.iter().map(|by| by.scheme.as_str()).collect()
    }

    /// Whether the archived verdicts contradict each other, so that all pages must be redecided: they have several schemes, or some
    /// pages were decided after a redecision, which the archive does not have.
    #[must_use]
    pub fn is_mixed(&self) -> bool {
        self.decided_by.len() > 1
    }

    /// Whether the head of a file cannot be read. It may name another scheme.
    #[must_use]
    pub fn has_unreadable_head(&self) -> bool {
        self.has_unreadable_head
    }
}
