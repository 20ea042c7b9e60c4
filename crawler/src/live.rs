//! How do people and programs watch a running crawl?
//!
//! - [`progress`]: a display on the terminal
//! - [`status`]: a web page, JSON and Prometheus metrics over HTTP
//! - [`listen`]: the address of a server; [`http`]: the server itself
//! - [`log`]: lines on standard error and in a file
//! - [`otlp`]: spans to an OpenTelemetry collector
//!
//! Uses: crawl, error, report, telemetry, terminal.

pub(crate) mod http;
pub(crate) mod listen;
pub(crate) mod log;
pub(crate) mod otlp;
pub(crate) mod progress;
pub(crate) mod status;
