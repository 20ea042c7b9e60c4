//! Benchmarks of the `dedup` crate against its peers, and the experiment of the improved SimHash repeated.
//!
//! This crate is not part of the product: it depends on the peers, and nothing depends on it. `README.md` describes the
//! measurements and their requirements.
//!
//! - [`random`]: numbers that are the same on every machine; [`fingerprints`] and [`texts`]: inputs generated from them
//! - [`range_index`]: the common interface; [`ours`]: the index and analyzer of `dedup`; [`peers`]: those of other
//!   crates; [`naive`]: two baselines
//! - [`experiment`]: Wang and Wang 2019, with schemes and rules of `dedup`

pub mod experiment;
pub mod fingerprints;
pub mod naive;
pub mod ours;
pub mod peers;
pub mod random;
pub mod range_index;
pub mod texts;
