//! How does a URL become a page in the archive?
//!
//! Start with [`pipeline`]: it follows one URL through the stages. [`messages`] defines the messages between the
//! stages.
//!
//! - `seeds`, `scope`, `trap`: the first URLs, the hosts and the depth of the crawl, and the URLs refused as traps
//! - `admission`: which hosts this process may ask
//! - `frontier`: the order and the times of all requests; `steering` learns from the verdicts which URLs are
//!   duplicates
//! - `interpret`: turns an answer into a page, a redirect or a failure; `exchange` makes the archive records of a page
//! - `render`: the pages that a browser has to render; `fair_queue`: hosts take turns in work that takes long
//! - `recorder`: decides on the pages that come through the `record_channel`, and stores them, with the dedup `index` beside the catalogue; `canonical`
//!   decides whether a page takes the place of a kept page
//! - `labels`: what a person says of pairs of pages; `exceptions`: the pairs that are therefore no duplicates
//! - `control`: the orders of the user to a crawl that runs; `delays`: why a host is asked no faster, in words
//! - `recall`: the robots.txt and sitemaps that earlier runs have read
//! - `archiving`: puts full WARC files into an object store
//! - `revisits`: the pages that are due again; `pageless`: the URLs without a page that are tried again
//! - `fleet`: the work on one crawl with other workers
//! - `walls`: the outcome of pages that stand in the way of others; `failures`: what to do about URLs that failed
//! - `watch`, `watchdog`: end a run in which a thread stands still
//! - `stats`, `clock`, `shutdown`: the figures, times and signals of a run; `folder_wait`: the wait for the data folder

mod admission;
mod archiving;
pub mod canonical;
pub mod clock;
pub mod control;
pub mod delays;
pub mod exceptions;
mod exchange;
pub mod failures;
mod fair_queue;
mod fleet;
pub mod folder_wait;
mod frontier;
pub mod index;
mod interpret;
pub mod labels;
mod login;
pub mod messages;
mod pageless;
pub mod pipeline;
mod recall;
mod record_channel;
mod recorder;
mod render;
mod revisits;
mod scope;
pub mod seeds;
pub mod shutdown;
pub mod stats;
pub mod steering;
mod trap;
pub mod walls;
mod watch;
mod watchdog;

pub use frontier::{HostStanding, HostStateKind, Standing};
pub use interpret::redirect;
pub use render::program as browser_program;
