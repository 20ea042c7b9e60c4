//! The commands that the page suggests.

use super::super::Report;
use terminal::commands::command;

/// Each as a user can paste it into a shell.
#[derive(Debug)]
pub(crate) struct Commands {
    pub report: String,
    /// For a page of the crawl; `None` if it has none.
    pub explain: Option<String>,
    pub tune: String,
    pub refresh: String,
}

impl Commands {
    pub fn of(report: &Report) -> Self {
        Self {
            report: command("report", &["--format", "html", "-o", "report.html"]),
            explain: report.example().map(|url| command("explain", &[url])),
            tune: command("tune", &[]),
            refresh: command("run", &["--refresh"]),
        }
    }
}
