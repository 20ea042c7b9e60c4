//! Which questions does the program answer about a finished crawl, without fetching again?
//!
//! - [`explain`] the state of a URL and the evidence for it; [`check`] a text compared with the kept pages; [`tune`] other thresholds
//!   for the crawl, and a recommendation
//! - [`said`] what a page says about itself; [`archived`] the body that says it; [`links`] the links to a URL and those of its page
//! - [`named_page`] the pages that verdicts name, also those of other workers
//! - [`nearest`] the kept pages most similar to a text; [`passages`] the passages that two texts share; [`diff`] the difference
//!   between two texts
//! - [`replay`] the verdicts that other thresholds would give; [`redecide`] all verdicts again, by another scheme or rule;
//!   [`given_verdicts`] those of another program
//! - [`labels`] what a person says about pairs of pages
//! - [`threads`] work on all cores
//! - [`in_words`] comparisons in words; [`scheme`] the scheme of the store and of the configuration; [`typed_url`] URLs as people type
//!   them

pub mod archived;
pub mod as_of;
pub mod check;
pub mod diff;
pub mod explain;
pub mod given_verdicts;
pub mod in_words;
pub mod labels;
pub mod links;
pub mod named_page;
pub mod nearest;
mod passages;
pub mod redecide;
pub mod replay;
pub mod said;
pub mod scheme;
pub mod threads;
pub mod tune;
pub mod typed_url;
