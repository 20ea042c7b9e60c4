//! The index on a Redis server gives the answers of a scan, to several processes at once. Needs `redis-server`.
//!
//! - `equality`: every answer against a scan; `processes`: several processes and threads at once; `faults`: servers that fail,
//!   refuse, or hold something else

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod documents;
mod equality;
mod faults;
mod processes;
mod server;
