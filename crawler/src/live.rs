//! How do people and programs watch a running crawl?
//!
//! - [`progress`]: a display on the terminal
//! - [`status`]: a web page, JSON and Prometheus metrics over HTTP
//! - [`log`]: lines on standard error and in a file
//!
//! Uses: crawl, error, report, terminal.

pub(crate) mod log;
pub(crate) mod progress;
pub(crate) mod status;
