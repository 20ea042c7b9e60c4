//! Which questions does the program answer about a finished crawl, without fetching again?
//!
//! - [`explain`] the state of a URL and the evidence for it; [`check`] a text compared with the kept pages; [`tune`] other thresholds
//!   for the crawl, and a recommendation
//! - [`named_page`] the pages that verdicts name, also those of other workers
//! - [`nearest`] the kept pages most similar to a text; [`passages`] the passages that two texts share; [`diff`] the difference
//!   between two texts
//! - [`replay`] the verdicts that other thresholds would give; [`redecide`] all verdicts again, by another scheme or rule
//! - [`labels`] what a person says about pairs of pages
//! - [`threads`] work on all cores
//! - [`in_words`] comparisons in words; [`scheme`] the scheme of the store and of the configuration; [`typed_url`] URLs as people type
//!   them
//!
//! Uses: config, crawl, dedup, error, export, files, storage, terminal, web.

pub(crate) mod as_of;
pub(crate) mod check;
pub(crate) mod diff;
pub(crate) mod explain;
pub(crate) mod in_words;
pub(crate) mod labels;
pub(crate) mod named_page;
pub(crate) mod nearest;
mod passages;
pub(crate) mod redecide;
pub(crate) mod replay;
pub(crate) mod scheme;
pub(crate) mod threads;
pub(crate) mod tune;
pub(crate) mod typed_url;
