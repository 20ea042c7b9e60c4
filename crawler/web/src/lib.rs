//! How does a URL become a response, politely?
//!
//! This crate canonicalizes URLs, guards which addresses are connected to, makes requests within bounds of time and size,
//! reads robots.txt and sitemaps, and keeps the delay of each host and address. It does not know what a page is.
//!
//! - [`canonicalize`] one spelling for each URL, [`host_key`] the host it belongs to, [`site`] its registrable domain
//! - [`url_rule`] rules by which two URLs name one page
//! - [`address_policy`] which addresses may be connected to
//! - [`fetch`] one request and its response, [`memory_budget`] the bytes that all responses may hold
//! - [`open_files`] how many connections the process may have open
//! - [`robots`] which URLs a host allows, [`sitemap`] which URLs it lists
//! - [`politeness`] when a host or an address may be asked again

pub mod address_policy;
pub mod canonicalize;
pub mod fetch;
pub mod host_key;
pub mod memory_budget;
pub mod open_files;
pub mod politeness;
pub mod robots;
pub mod site;
pub mod sitemap;
pub mod url_rule;
