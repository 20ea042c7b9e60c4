//! What does a running crawl show to the people and programs that watch it?
//!
//! - [`progress`] on the terminal, [`status`] as a web page and as Prometheus metrics, [`log`] as lines
//!
//! Uses: crawl, error, report, terminal.

pub(crate) mod log;
pub(crate) mod progress;
pub(crate) mod status;
