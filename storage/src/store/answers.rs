//! The answers to the errands of earlier runs, for a thread that does not own the store.

use std::path::PathBuf;

use super::Store;
use super::gone::explained;
use crate::error::StorageError;
use crate::host_memory::{HostMemory, StoredRobots};
use crate::sitemaps::{Sitemaps, StoredSitemap};
use crate::state::State;

/// Reads the committed answers to errands beside the owner of the store, from any thread. [`Store::answers`] makes it.
///
/// Each answer is one row, and the database reads and writes a row as a whole. So a reader sees an answer before a commit or after it, and
/// never a part of it. Staged answers are not seen; nor does the store itself show them.
///
/// The queue and the hosts have no such reader, because they are many rows. A commit applies them in several batches, so a reader beside it
/// could see a URL at two places, or at none.
///
/// The database stays open, and its folder in use, until the last reader is dropped.
#[derive(Clone)]
pub struct StoredAnswers {
    state: State,
    dir: PathBuf,
    refresh_began: u64,
}

impl std::fmt::Debug for StoredAnswers {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("StoredAnswers")
            .field("dir", &self.dir)
            .finish_non_exhaustive()
    }
}

impl Store {
    /// A reader of the answers to errands. It knows the current refresh, if that has begun.
    #[must_use]
    pub fn answers(&self) -> StoredAnswers {
        StoredAnswers {
            state: self.state.clone(),
            dir: self.dir().to_owned(),
            refresh_began: self.refresh().map_or(0, |refresh| refresh.started_at),
        }
    }
}

impl StoredAnswers {
    /// The committed robots.txt of an origin of the host.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn robots(&self, host: &str, origin: &str) -> Result<Option<StoredRobots>, StorageError> {
        let read = HostMemory::new(&self.state).robots(host, origin);
        read.map_err(|error| explained(&self.dir, error))
    }

    /// The committed record of a sitemap of the host; `None` if no run has read it.
    ///
    /// # Errors
    /// Errors of the state.
    pub fn sitemap(&self, host: &str, url: &str) -> Result<Option<StoredSitemap>, StorageError> {
        let read = Sitemaps::new(&self.state).read(host, url);
        read.map_err(|error| explained(&self.dir, error))
    }

    /// Start of the refresh that was current when the reader was made, milliseconds since the Unix epoch; 0 without a refresh.
    #[must_use]
    pub fn refresh_began(&self) -> u64 {
        self.refresh_began
    }
}
