//! The experiment of *Improved SimHash for large-scale document deduplication* (Wang and Wang, Computer Technology and
//! Development, 2019/2) repeated: similar documents among unrelated ones, the original SimHash and the improved one side
//! by side.
//!
//! - [`vocabulary`] the words of five topics, [`documents`] made of them or cut out of pages, [`edits`] of known size
//! - [`methods`] that decide: the `dedup` crate by several schemes and rules; [`score`] of what they decided

pub mod documents;
pub mod edits;
pub mod methods;
pub mod score;
pub mod vocabulary;
