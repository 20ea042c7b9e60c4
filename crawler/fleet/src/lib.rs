//! Several workers on one crawl, on a Redis server or cluster: which worker asks which host, which URLs wait, and which pages are kept.
//!
//! - [`partition`]: registrable domains hash into partitions; [`lease`]: a worker owns a partition for a time, under an epoch
//! - [`queue`]: the known and the waiting URLs of a partition
//! - [`log`]: the ordered log of kept pages, of which every verdict is a function
//!
//! This crate knows nothing of pages, HTTP, sled and the crawl of one machine.

pub mod partition;
