//! The bounds of rendering.

use std::path::PathBuf;
use std::time::Duration;

/// The bounds of rendering.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The program.
    pub program: PathBuf,
    /// The User-Agent that scripts see.
    pub user_agent: String,
    /// Pages at one time.
    pub tabs: usize,
    /// Limit of the time of a page: of the time that its timers run on, and of its processor time.
    pub timeout: Duration,
    /// Most requests of a page that reach [`Resources`](crate::Resources).
    pub max_requests: usize,
    /// Most bytes of the bodies that a page receives.
    pub max_bytes: usize,
    /// Longest result, in bytes of HTML.
    pub max_html_bytes: usize,
    /// Most memory of one tab, in bytes (resident set of its process; Linux only).
    pub max_memory_bytes: u64,
    /// How often a page is scrolled to its end, at most. Each time, the page must be quiet again.
    pub scrolls: usize,
    /// Pages after which a new browser replaces the old one, which bounds what the browser collects.
    pub pages_per_browser: usize,
}

impl Settings {
    /// The default bounds for this program.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self {
            program,
            user_agent: "crawler".into(),
            tabs: 2,
            timeout: Duration::from_secs(20),
            max_requests: 100,
            max_bytes: 20 * 1024 * 1024,
            max_html_bytes: 10 * 1024 * 1024,
            max_memory_bytes: 1024 * 1024 * 1024,
            scrolls: 0,
            pages_per_browser: 500,
        }
    }
}
