//! The script in each page that counts what the page still has to do.

use std::hash::{BuildHasher, RandomState};

/// Counts timers, callbacks, sockets and messages of workers, and tells them to who knows the names of its events.
const HOOK: &str = include_str!("hook.js");

/// The hook of a page.
#[derive(Debug)]
pub(crate) struct Hook {
    /// The event that asks.
    pub ask: String,
    /// The event that tells.
    pub tell: String,
}

impl Hook {
    /// A hook with names that no page can guess.
    pub fn new() -> Self {
        let name = || format!("{:016x}", RandomState::new().hash_one(""));
        Self {
            ask: name(),
            tell: name(),
        }
    }

    /// The script.
    pub fn source(&self) -> String {
        format!("{}({:?}, {:?})", HOOK.trim_end(), self.ask, self.tell)
    }
}
