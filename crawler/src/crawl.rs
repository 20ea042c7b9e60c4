//! How does a URL become a page in the archive?
//!
//! `pipeline` joins the stages; [`messages`] is what they say to each other. One URL goes this way:
//!
//! ```text
//! seeds ─▶ frontier ─▶ (web: fetch) ─▶ interpret (page: read) ─▶ recorder (dedup: verdict, storage: archive)
//!             ▲                              │                        │
//!             └────── scope, trap ◀──────────┴── outlinks             └─▶ steering ─▶ frontier
//! ```
//!
//! Uses: config, dedup, error, page, storage, terminal, web.

pub(crate) mod canonical;
pub(crate) mod clock;
pub(crate) mod frontier;
pub(crate) mod index;
pub(crate) mod interpret;
pub mod messages;
pub mod pipeline;
pub(crate) mod recorder;
pub(crate) mod revisits;
pub(crate) mod scope;
pub mod seeds;
pub(crate) mod shutdown;
pub mod stats;
pub(crate) mod steering;
pub(crate) mod trap;
