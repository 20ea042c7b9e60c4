//! How does a URL become a page in the archive?
//!
//! Start with [`pipeline`]: it follows one URL through the stages. [`messages`] are the messages between the stages.
//!
//! - `seeds`, `scope`, `trap` where the crawl begins, and where it ends
//! - `frontier` which URL is fetched next, and when; `steering` learns from the verdicts which URLs are duplicates
//! - `interpret` turns an answer into a page, a redirect or a failure
//! - `recorder` decides and stores, with the dedup `index` beside the catalogue; `canonical` is the exchange for a canonical page
//! - `revisits` which pages are due again
//! - `stats`, `clock`, `shutdown` figures, times and signals of a run
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
