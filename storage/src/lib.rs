//! What must survive a crash of a web crawl.

mod catalogue;
mod counts;
mod decide;
mod error;
mod folder;
pub mod format;
mod frontier;
mod known;
mod outcome;
mod page;
mod staged;
mod state;
mod store;
pub mod warc;

pub use catalogue::{FailedUrl, Failures, Hosts, KnownUrl, Pages, Urls};
pub use counts::Counts;
pub use error::StorageError;
pub use frontier::{Discovered, QueuedUrl, Via};
pub use outcome::{Failure, Finished, Outcome, UrlState};
pub use page::{PageDraft, PageRecord, Verdict, WarcLocation};
pub use store::{OpenOptions, Store};
