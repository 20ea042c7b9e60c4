//! A polite web crawler that decides before storing whether a page says anything new, and keeps only the pages that do.

pub mod cli;
pub mod demo;
pub mod files;
mod live;
pub mod report;
mod serve;
mod study;

// For the fuzz targets: requests of strangers to the status server.
pub use live::status::is_for_this_machine;
