//! The `dedup` crate beside its peers, and the experiment of the improved SimHash repeated.
//!
//! It is no part of the product: its dependencies are the peers, and nothing depends on it. What is measured, how, and
//! what it takes is told in `README.md`.
//!
//! - [`random`] numbers that are the same on every machine, [`fingerprints`] and [`texts`] made of them
//! - [`ours`] the index and analyzer of `dedup` as the peers are asked, [`peers`] what stands beside it, [`naive`] what both
//!   are better than, [`range_index`] the one interface of all
//! - [`experiment`] Wang and Wang 2019, by `dedup`'s own schemes and rules

pub mod experiment;
pub mod fingerprints;
pub mod naive;
pub mod ours;
pub mod peers;
pub mod random;
pub mod range_index;
pub mod texts;
