//! The crawler from outside: the binary against sites on loopback whose request log is the witness.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod crawl;
mod demo;
mod near_duplicates;
mod politeness;
mod resume;
mod robots;
mod support;
mod warc;
