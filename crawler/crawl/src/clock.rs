//! Times in the unit of the store.

use std::time::{SystemTime, UNIX_EPOCH};

/// `time` in milliseconds since the Unix epoch; 0 for a time before it.
#[must_use]
pub fn unix_millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}
