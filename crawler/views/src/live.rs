//! How do people and programs watch a running crawl?
//!
//! - [`progress`]: a display on the terminal
//! - [`status`]: a web page, JSON and Prometheus metrics over HTTP
//! - [`listen`]: the address of a server; [`http`]: the server itself
//! - `pace`: why a run is no faster
//! - [`log`]: lines on standard error and in a file
//!
//! Uses: report.

pub mod http;
pub mod listen;
pub mod log;
pub(crate) mod pace;
pub mod progress;
pub mod status;
