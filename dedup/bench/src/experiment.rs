//! The experiment of *Improved SimHash for large-scale document deduplication* (Wang and Wang, Computer Technology and
//! Development, 2019/2) repeated: the original and the improved SimHash on similar documents among unrelated ones.
//!
//! - [`vocabulary`]: the words of five topics; [`documents`]: texts generated from them or cut out of pages
//! - [`edits`] of known size, and [`copies`] of documents with these edits
//! - [`methods`]: the `dedup` crate with several schemes and rules; [`score`]: precision and recall of their verdicts

pub mod copies;
pub mod documents;
pub mod edits;
pub mod methods;
pub mod score;
pub mod vocabulary;
