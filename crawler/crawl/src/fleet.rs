//! A crawl of several workers: how this worker takes part.
//!
//! ```text
//!            leases                    letters of the outbox
//! frontier ◀───────── desk ◀──────────────────────────────── recorder
//!                     │  ▲ ──── arrived URLs, log of kept pages ──▶
//!                     ▼  │
//!              the servers of the fleet
//! ```
//!
//! - `ownership`: the partitions that this worker owns, and until when; `idle`: the sign that it has nothing left to do; `asked`: the addresses
//!   that it asks; `leased`: what these mean for the frontier
//! - `desk`: the thread that speaks with the fleet; `messages`: what the recorder and the desk send each other
//! - `member`: the judge of the recorder. It claims what it keeps; who decides on the claims is `by_log`, for all workers alike, or
//!   `by_digest`, for exact duplicates of other workers
//! - `verdicts`: which pages are kept, by the decisions on claims
//! - `segment_objects`: the object store with the segments of the log of kept pages
//! - `letter`: what the worker tells the fleet; `membership`: what the data folder remembers of the fleet

pub(crate) mod asked;
pub(crate) mod by_digest;
pub(crate) mod by_log;
pub(crate) mod desk;
pub(crate) mod idle;
pub(crate) mod leased;
pub(crate) mod letter;
pub(crate) mod member;
pub(crate) mod membership;
pub(crate) mod messages;
pub(crate) mod ownership;
pub(crate) mod segment_objects;
pub(crate) mod verdicts;
