//! The instant of an answer about a crawl that is running.

use std::fmt::{self, Display};

use serde::Serialize;
use storage::Store;

use terminal::units::utc;

/// The commit of the running crawl whose state an answer shows.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct AsOf {
    /// The number of the commit.
    pub commit: u64,
    /// Its time, RFC 3339.
    pub at: String,
}

impl AsOf {
    /// `None` for a store that this process holds: nothing changes while it is read.
    #[must_use]
    pub fn of(store: &Store) -> Option<Self> {
        let as_of = store.as_of()?;
        Some(Self {
            commit: as_of.commit,
            at: utc(as_of.at_ms),
        })
    }
}

impl Display for AsOf {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "as of {} (commit {})", self.at, self.commit)
    }
}
