//! What tells whether a file is still the same.

use std::io;
use std::time::UNIX_EPOCH;

use serde::{Deserialize, Serialize};

use super::walk::{Origin, Source};

/// What tells whether a file is still the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileState {
    /// Its path as the argument gives it, or below a folder argument.
    pub name: String,
    /// Its size.
    pub bytes: u64,
    /// When it was changed last, in nanoseconds since the Unix epoch; `None` if the system does not know.
    pub changed_ns: Option<u64>,
}

impl FileState {
    /// The state now; of a file in an object store, as it was when it was found, since it is read by its version. `None` for a stream.
    pub(super) fn of(source: &Source) -> io::Result<Option<Self>> {
        let (bytes, changed_ns) = match &source.origin {
            Origin::Stdin => return Ok(None),
            Origin::Remote(file) => (file.bytes(), file.changed_ns()),
            Origin::File(path) => {
                let metadata = path.metadata()?;
                let changed = metadata.modified().ok();
                let since = changed.and_then(|at| at.duration_since(UNIX_EPOCH).ok());
                (
                    metadata.len(),
                    since.and_then(|since| u64::try_from(since.as_nanos()).ok()),
                )
            }
        };
        Ok(Some(Self {
            name: source.name.to_string(),
            bytes,
            changed_ns,
        }))
    }
}
