//! Near-duplicate text: which documents say nothing new, of which other document, and how sure that is.
//!
//! ```
//! use dedup::{Analyzer, Deduplicator, DocId, MemoryIndex, Rule, Scheme, Verdict};
//!
//! # fn main() -> Result<(), dedup::DedupError> {
//! let analyzer = Analyzer::new(&Scheme::default());
//! let rule = Rule::default();
//! let dedup = Deduplicator::new(MemoryIndex::new(&rule)?, rule)?;
//!
//! let text = "The tide table of the harbour master is printed every spring. ".repeat(8);
//! assert_eq!(dedup.check_and_insert(DocId(1), &analyzer.analyze(&text))?, Verdict::Unique);
//!
//! let shouted = analyzer.analyze(&text.to_uppercase());
//! assert_eq!(dedup.check_and_insert(DocId(2), &shouted)?, Verdict::Exact { of: DocId(1) });
//! # Ok(())
//! # }
//! ```
//!
//! The way of a text, a line a module:
//!
//! - [`normalize`](mod@normalize) one spelling for what reads the same, [`segment`] into tokens, [`dates`] told from
//!   other numbers
//! - [`scheme`] what counts as a feature and how many bits are kept, [`weights`] what a feature weighs, [`idf`] how rare
//!   features are
//! - [`analyzer`] turns a text into a [`signature`]: an exact digest, a [`simhash`] [`fingerprint`], a verification
//!   [`sketch`]; [`short`] texts have their shingles; [`explain`] says what a fingerprint comes from
//! - [`layout`] the blocks of a fingerprint and why no near-duplicate is missed, [`index`] in memory and in sled trees
//! - [`rule`] when two documents are duplicates, [`deduplicator`] the verdict and who is whose duplicate, [`error`] what
//!   can go wrong
//! - [`evaluate`] how good verdicts are, where the truth is known
//!
//! It is no crawler and knows nothing of HTTP or HTML; it compares texts, not meanings: a translation or a paraphrase is
//! no duplicate to it.

pub mod analyzer;
mod clusters;
mod cpu;
pub mod dates;
pub mod deduplicator;
#[cfg(feature = "dictionary")]
mod dictionary;
pub mod error;
pub mod evaluate;
pub mod explain;
mod features;
pub mod fingerprint;
mod hash;
pub mod idf;
pub mod index;
pub mod layout;
pub mod normalize;
pub mod rule;
pub mod scheme;
pub mod segment;
pub mod short;
pub mod signature;
pub mod simhash;
pub mod sketch;
mod units;
pub mod weights;

pub use analyzer::Analyzer;
pub use clusters::Cluster;
pub use deduplicator::{Deduplicator, Removed, Verdict};
pub use error::DedupError;
pub use explain::Explanation;
pub use fingerprint::{Fingerprint, Width, hamming_distance};
pub use idf::{IdfBuilder, IdfError, IdfTable};
pub use index::{
    DEFAULT_SKEW, FingerprintIndex, Index, MemoryIndex, Near, Residence, SledIndex, SledLook, SledOptions, Word,
};
pub use layout::{Costs, Layout, LayoutError};
pub use rule::{Check, Confirm, InvalidRule, Rule, Weighed};
pub use scheme::{Feature, Features, InvalidScheme, Scheme, Segmenter};
pub use signature::{Digest, DocId, Signature};
pub use sketch::Sketch;
pub use weights::{Weighting, Weights};
