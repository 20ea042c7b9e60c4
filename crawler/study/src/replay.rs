//! The decisions of a crawl again, at other thresholds and rules, from the stored signatures and without a fetch.
//!
//! A crawl decides on one page after the other: it drops a page that duplicates a kept page, and keeps any other. The store holds all
//! facts on which a decision depends (signature, URL, canonical URL), for dropped pages too, so another rule can decide again.
//! [`replay()`] does this for hundreds of settings in one pass:
//!
//! ```text
//!                 pages, in the order they were decided
//!                        │
//!   index of the pages that some setting keeps ──▶ candidates within the widest distance, once
//!                        │
//!        distance and similarity of each pair, once ──▶ the rectangle of settings whose thresholds the pair meets
//!                        │
//!   dropped at:  settings that keep the candidate ∩ that rectangle;   kept at: the others
//! ```
//!
//! A page has one bit for each setting ([`CellSet`]), so it takes about 2 kB of memory for any number of pairs, and one query of the
//! index for all settings. Each setting decides exactly as a [`Deduplicator`](dedup::Deduplicator) with its rule does; a test compares
//! the two.
//!
//! The replay does not know the order in which another crawl would fetch, or the other pages that it would fetch. A page that gives its
//! place to its canonical page leaves the index at once here; in a crawl it leaves with the next commit, up to
//! `storage.commit_interval_ms` later.
//!
//! [`judge()`] estimates the precision and recall of each setting from a sample of the pages. The truth about a pair is the exact Jaccard
//! index of the runs of five words in the two texts, as in [`Truth`](dedup::evaluate::Truth), or the label of a person ([`Labels`]). A
//! [`Recommendation`] of another setting needs evidence beyond chance, over all settings compared.
//!
//! - `cells` the settings and sets of them, `page` the facts on a page, `scout` the search for near kept pages, `pass` the decisions
//! - `truth` the sample and its true duplicates, `nearest` the kept pages most similar to a page, `score` the score of each setting,
//!   `labels` the labels of a person
//! - `recommend` the recommended setting and the reason

mod cells;
mod labels;
mod nearest;
mod page;
mod pass;
mod recommend;
mod score;
mod scout;
mod truth;

pub use cells::{CellSet, Grid, IN_FORCE, Thresholds, TooManyCells};
pub use labels::Labels;
pub use page::DecidedPage;
pub use pass::{Evidence, Match, Replayed, replay};
pub use recommend::{Reason, Recommendation, recommend};
pub use score::{Comparison, Estimate, Scored, score};
pub use truth::{Similarities, judge, sample};

/// Pairs with at least this Jaccard index are duplicates.
pub const DUPLICATE_FROM: f32 = 0.8;
/// Pairs below this Jaccard index are different; between the two bounds either verdict is right.
pub const DIFFERENT_BELOW: f32 = 0.5;

#[cfg(test)]
mod exchange_tests;
#[cfg(test)]
mod tests;
