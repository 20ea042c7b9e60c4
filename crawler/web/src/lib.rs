//! How does a URL become a response, politely?
//!
//! This crate canonicalizes URLs, refuses connections to forbidden addresses, makes requests within bounds of time and size,
//! reads robots.txt and sitemaps, and keeps the delay of each host and address. It does not know what a page is.
//!
//! - [`canonicalize`]: the canonical form of a URL; [`host_key`]: the key of its host; [`site()`]: its registrable domain
//! - [`host_pattern`]: hosts by their names
//! - [`url_rule`]: rules by which two URLs name one page
//! - `address_policy`: the addresses that the crawler may connect to
//! - [`fetch`]: one request and its response; [`memory_budget`]: the memory that all responses share
//! - [`open_files`]: how many connections the process may have open
//! - [`robots`]: the URLs that a host allows; [`sitemap`]: the URLs that it lists
//! - [`politeness`]: the time of the next request to a host or an address

pub mod address_policy;
pub mod canonicalize;
pub mod fetch;
pub mod host_key;
pub mod host_pattern;
pub mod memory_budget;
pub mod open_files;
pub mod politeness;
pub mod robots;
mod seconds;
mod site;
pub mod sitemap;
pub mod url_rule;

pub use site::{domain_of_host, site};
