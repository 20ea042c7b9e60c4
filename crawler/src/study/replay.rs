//! Every stored decision again, at other thresholds and rules: from signatures alone, without a fetch.
//!
//! A crawl decides on one page after the other: what is like a kept page is dropped, the rest is kept. All that a decision goes by
//! is stored (signature, URL, canonical URL), and of dropped pages too, so the same decisions can be made again as another rule
//! would have made them. [`replay()`] does so for hundreds of settings in one pass:
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
//! For each page there is one bit a setting ([`CellSet`]), so memory is some 2 kB a page whatever the number of pairs, and a page
//! costs one query of the index rather than one a setting. At each setting the answer is that of a
//! [`Deduplicator`](dedup::Deduplicator) with that rule, duplicate for duplicate; a test holds it to that.
//!
//! What it cannot know: the order in which another crawl would have fetched, and pages that it would have fetched besides. A page
//! that gives its place to its canonical one leaves the index at once here, in a crawl with the next commit, up to
//! `storage.commit_interval_ms` later.
//!
//! How good each setting is, is estimated from a sample of the pages ([`judge()`]): the truth of a pair is the exact Jaccard index of
//! the two texts' runs of five words, as [`Truth`](dedup::evaluate::Truth) takes it, or what a person says ([`Labels`]). What the
//! sample says against the setting in force has to be more than chance, of all settings compared, to be a [`Recommendation`].
//!
//! - `cells` the settings and sets of them, `page` what is replayed, `scout` which kept pages are near, `pass` what is
//!   decided
//! - `truth` the sample and who really duplicates whom there, `nearest` the kept pages most like it, `score` what that makes of each
//!   setting, `labels` what a person says
//! - `recommend` the setting to take, and why

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
pub use labels::{Labels, parse_line};
pub use page::DecidedPage;
pub use pass::{Evidence, Match, Replayed, replay};
pub use recommend::{Reason, Recommendation, recommend};
pub use score::{Comparison, Estimate, Scored, score};
pub use truth::{Similarities, judge, sample};

/// Pairs of at least this Jaccard index are duplicates.
pub const DUPLICATE_FROM: f32 = 0.8;
/// Pairs under this are not; between the two either answer is right.
pub const DIFFERENT_BELOW: f32 = 0.5;

#[cfg(test)]
mod tests;
