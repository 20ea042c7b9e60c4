//! What the tests stand on.
//!
//! - [`site`]: a web site on loopback that a test scripts, with a log of every request
//! - [`gate`]: answers held back until something has happened, instead of a sleep
//! - [`heads`]: a server that keeps what was sent, over TLS too; [`certificates`]: what it shows of itself
//! - [`hostile`]: a server that breaks the rules, byte for byte
//! - [`page`]: pages and their texts, the same at every run
//! - [`crawl`]: a seeds file, a configuration and a data folder for the crawler's binary
//! - [`process`]: the binary at work, bounded in time, its memory measured
//! - [`outcomes`]: what the report says became of every URL
//! - [`archive`]: the records of its WARC files
//! - [`redis`]: a Redis server

pub mod archive;
pub mod certificates;
pub mod crawl;
pub mod gate;
pub mod heads;
pub mod hostile;
pub mod outcomes;
pub mod page;
pub mod process;
pub mod redis;
pub mod site;

use std::time::Duration;

/// Longest that a test waits for anything. Far beyond what any of it takes: it only keeps a broken test from hanging.
pub const PATIENCE: Duration = Duration::from_secs(90);
