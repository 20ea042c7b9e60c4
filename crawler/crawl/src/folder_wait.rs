//! The wait for another command that has the data folder.

use std::thread;
use std::time::{Duration, Instant};

/// How long a command waits.
pub const MAX_WAIT: Duration = Duration::from_secs(10);

const POLL: Duration = Duration::from_millis(20);

/// A wait of at most [`MAX_WAIT`], between attempts to open the folder.
#[derive(Debug)]
pub struct FolderWait {
    since: Instant,
}

impl FolderWait {
    /// Begins before the first attempt.
    pub fn begin() -> Self {
        Self { since: Instant::now() }
    }

    /// Time since the beginning.
    pub fn elapsed(&self) -> Duration {
        self.since.elapsed()
    }

    /// Waits for the next attempt. `false`, at once, if the time is up.
    pub fn goes_on(&self) -> bool {
        let has_time = self.elapsed() < MAX_WAIT;
        if has_time {
            thread::sleep(POLL);
        }
        has_time
    }
}
