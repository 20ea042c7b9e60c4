//! The store, tested through its public interface.

#![expect(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod archive;
mod compressions;
mod crash;
mod depth;
mod first_format;
mod frontier;
mod hosts;
mod merge;
mod outbox;
mod pages_elsewhere;
mod rebuild;
mod refusals;
mod replaced;
mod round_trip;
mod support;
mod texts;
mod verify;
mod visits;
mod yielded;
