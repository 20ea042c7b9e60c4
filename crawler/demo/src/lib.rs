//! Does a crawl decide every page of a known site correctly?
//!
//! A real web server serves a small site on loopback. `crawler demo` crawls it over HTTP and prints the report beside the expected
//! outcome of every URL; the integration tests do the same. The crawl has no special case for the site. The site has no randomness and
//! no clock, so that all runs serve the same bytes.
//!
//! ```text
//! content/*.txt ─▶ pages/* (page, answer and reason in one place) ─▶ Site ─▶ serve() ─▶ request log
//!                                                                    └────▶ truth() ─▶ check(), table()
//! ```
//!
//! - `page`: one page with its bytes, its outlinks, the expected answer and the reason
//! - `template`: the HTML templates
//! - `pdf`: the template of PDF files
//! - `content`: the prose and the parser of its files
//! - `pages`: all pages, one file for each difficulty
//! - `site`: all pages together, their link depths, robots.txt and the sitemap
//! - `truth`: the expected answer for every URL under given settings
//! - `outcomes`: the outcome of every URL in a report
//! - `check`: the comparison of the outcomes with the truth
//! - `server`: the site over HTTP, with a log of every request

mod check;
mod content;
mod outcomes;
mod page;
mod pages;
mod pdf;
mod server;
mod site;
mod template;
mod truth;

pub use check::table;
pub use check::{check, check_requests};
pub use outcomes::outcomes;
pub use page::{Answer, Area};
pub use server::{Running, serve};
pub use truth::{Expected, TruthSettings, truth};

#[cfg(test)]
mod shingles;
