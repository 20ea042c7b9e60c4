//! Where the WARC files of a merged data folder come from, and the numbers that their pages have here.
//!
//! A merge does not change WARC files. The records of a page name pages by the numbers of the folder that the file comes from, its
//! *origin*. A merged folder therefore holds a table for each origin: the number of each of its pages here. A folder that was never merged has
//! no origins, and every number in its archive is its own.

use serde::{Deserialize, Serialize};

use crate::error::StorageError;
use crate::format;
use crate::state::State;

/// The field of a `warcinfo` record with the number of the worker of a fleet, in decimal. See [`OpenOptions::warcinfo`](crate::OpenOptions::warcinfo).
pub const WORKER_FIELD: &str = "crawler-worker";

/// The field of a `warcinfo` record that names the fleet of that worker.
pub const FLEET_FIELD: &str = "crawler-fleet";

/// The reason of an exclusion: the URL has its outcome in the folder of another worker of the fleet.
pub const FETCHED_ELSEWHERE: &str = "another worker of the fleet fetched it";

/// Numbers of pages in a row.
pub(crate) const NUMBERS_A_ROW: u64 = 256;

/// The data folder that some files of the archive come from.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(crate) struct Origin {
    /// The number of the first file here.
    pub first_file: u32,
    /// Number of its files. They follow one another.
    pub files: u32,
    /// Start of its crawl, milliseconds since the Unix epoch.
    pub started_at: u64,
    /// The worker whose folder it was; 0 for a crawl without a fleet.
    pub worker: u16,
    /// The fleet of the worker.
    pub fleet: String,
}

impl Origin {
    pub fn holds(&self, file: u32) -> bool {
        (self.first_file..self.first_file + self.files).contains(&file)
    }
}

/// The origins of the archive, in the order of their files.
#[derive(Debug, Clone, Default)]
pub(crate) struct Origins {
    pub all: Vec<Origin>,
}

impl Origins {
    pub fn read(state: &State) -> Result<Self, StorageError> {
        let all = match state.get(format::META_ORIGINS)? {
            Some(row) => state.decode("the origins of the archive", &row)?,
            None => Vec::new(),
        };
        Ok(Self { all })
    }

    /// The place in the list of the origin of a file; `None` for a file of this folder's own crawl.
    pub fn of_file(&self, file: u32) -> Option<usize> {
        self.all.iter().position(|origin| origin.holds(file))
    }
}

/// The number here of a page of an origin; `None` if the page was lost.
pub(crate) fn number_of(state: &State, origin: usize, local: u64) -> Result<Option<u64>, StorageError> {
    let Some(row) = state.get(format::numbers_key(origin, local / NUMBERS_A_ROW))? else {
        return Ok(None);
    };
    let numbers: Vec<u64> = state.decode("the numbers of merged pages", &row)?;
    let at = usize::try_from(local % NUMBERS_A_ROW).unwrap_or(usize::MAX);
    Ok(numbers.get(at).copied().filter(|number| *number > 0))
}
