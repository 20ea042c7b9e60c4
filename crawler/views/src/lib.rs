//! What does a person see of a crawl, while it runs and afterwards?
//!
//! - [`report`] what a crawl fetched, kept and dropped, and why: as text, JSON and HTML
//! - [`live`] a running crawl: log lines, progress, status and metrics
//! - [`serve`] a crawl in the browser, with its thresholds and labels
//!
//! All of them share the templates and the style of `templates/`.

/// The style of the report and of everything that is served.
const SITE_STYLE: &str = concat!(
    include_str!("../templates/report.css"),
    include_str!("../templates/serve/serve.css")
);

pub mod live;
pub mod report;
pub mod serve;
