//! Does a crawl of a site with a known truth come out right?
//!
//! A small web site whose every page has a known answer.
//!
//! `crawler demo` crawls it over real HTTP and prints the report beside the truth; the integration tests do the same.
//! It is not a mock: it is served on loopback by a real web server, and nothing in the crawler knows of it. It holds
//! no randomness and no clock, so two runs serve the same bytes.
//!
//! ```text
//! content/*.txt ─▶ pages/* (page, answer and reason in one place) ─▶ Site ─▶ serve() ─▶ request log
//!                                                                    └────▶ truth() ─▶ check(), table()
//! ```
//!
//! - [`page`]: one page, its bytes, its outlinks, the answer expected of it and the reason
//! - [`template`]: the HTML frames that the pages share
//! - [`content`]: the prose, and how its files are read
//! - [`pages`]: every page, one file for each kind of trouble
//! - [`site`]: all pages together, their link depths, robots.txt and sitemap
//! - [`truth`](mod@truth): the answer expected of every URL under given limits
//! - [`decisions`](mod@decisions): a report read as decisions
//! - [`check`](mod@check): the comparison of a crawl with the truth
//! - [`server`]: the site over HTTP, with a log of every request
//!
//! Uses: report.

pub mod check;
pub mod content;
pub mod decisions;
pub mod page;
pub mod pages;
pub mod server;
pub mod site;
pub mod template;
pub mod truth;

pub use check::{Decision, Mismatch, Outcome, check, check_requests, table};
pub use decisions::decisions;
pub use page::{Answer, Area, Exclusion, Page, Wording};
pub use server::{Request, RequestLog, Running, serve};
pub use site::Site;
pub use truth::{Expected, Limits, truth};

#[cfg(test)]
mod shingles;
