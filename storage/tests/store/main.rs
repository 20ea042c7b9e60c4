//! The store, tested through its public interface.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod archive;
mod crash;
mod depth;
mod first_format;
mod foreign_pages;
mod frontier;
mod hosts;
mod merge;
mod outbox;
mod rebuild;
mod refusals;
mod replaced;
mod round_trip;
mod support;
mod texts;
mod verify;
mod visits;
mod yielded;
