//! Several workers on one crawl, on a Redis server or cluster: which worker asks which host, which URLs wait, and which pages are kept.
//!
//! - [`joining`]: how a worker joins; [`registry`]: who takes part, and when all is done; [`terms`]: what all must agree on
//! - [`orders`]: what the user tells a crawl from outside; [`visit`]: its settings, and seeds that somebody adds
//! - [`partition`]: registrable domains hash into partitions; [`lease`]: a worker owns a partition for a time, under an epoch
//! - `sharing`: the addresses that several workers ask
//! - [`queue`]: the known and the waiting URLs of a partition; [`url`]: how they are stored
//! - [`log`]: the ordered log of kept pages, of which every verdict is a function; [`digests`]: the table of their texts, for workers that do
//!   without a log
//! - [`mod@status`]: what the servers tell about a crawl
//! - [`segment_store`]: where segments of the log are that the servers do not hold
//! - [`deletion`]: how a crawl is deleted that nobody needs any more
//! - `caution`: settings of the servers with which a crawl can lose data
//! - [`address`], [`servers`], [`error`]: where Redis is, how it is asked, and what ends a call
//!
//! This crate knows nothing of pages, HTTP, sled and the crawl of one machine.
//!
//! # What a failover of Redis costs
//! Redis copies to its replicas after it has answered. So each call that counts ends with `WAIT`: it returns when a replica has what it
//! wrote. What a server loses when it dies is therefore only what no call has reported as written. Every call can be repeated.
//! A primary that loses its replicas accepts nothing for the length of a lease, because it may be cut off from a successor;
//! after that it goes on alone, and [`Pulse::unprotected`] says so.

pub mod address;
mod caution;
mod command;
pub mod deletion;
pub mod digests;
pub mod error;
mod fleet;
pub mod joining;
pub mod lease;
pub mod log;
pub mod orders;
pub mod partition;
pub mod queue;
pub mod registry;
mod rules;
pub mod segment_store;
pub mod servers;
mod sharing;
mod slot;
pub mod status;
pub mod terms;
pub mod url;
pub mod visit;

pub use deletion::Deletion;
pub use digests::DigestClaim;
pub use error::FleetError;
pub use fleet::Fleet;
pub use joining::{DEFAULT_NAME, JoinOptions, Remembered};
pub use lease::{Grant, LeaseState};
pub use log::{Draft, Entry, Judged, LogSlice, Position, Segment, SegmentRow};
pub use orders::{Forgotten, Order, change, forget, order};
pub use partition::{Epoch, PageId, Partition, WorkerNumber};
pub use queue::{Commit, Committed, FinishedUrl, PartitionChanges, QueueSlice};
pub use registry::{Pulse, WorkerReport};
pub use rules::ValidChanges;
pub use segment_store::{SegmentStore, StoreCall, StoreFault};
pub use servers::Traffic;
pub use status::{DigestsStatus, FleetStatus, ServerStatus, StatusReader, WorkerStatus, status};
pub use terms::Terms;
pub use url::{UNKNOWN_DEPTH, UrlHash, WaitingUrl};
pub use visit::{Agreed, Visitor};
