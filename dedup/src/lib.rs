//! Near-duplicate text: which documents say nothing new, of which other document, and how sure that is.
//!
//! ```
//! use dedup::{Analyzer, Deduplicator, DocId, MemoryIndex, Rule, Scheme, Verdict};
//!
//! # fn main() -> Result<(), dedup::DedupError> {
//! let analyzer = Analyzer::new(&Scheme::default());
//! let rule = Rule::default();
//! let mut dedup = Deduplicator::new(MemoryIndex::new(&rule)?, rule)?;
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
//! - [`analyzer`] turns tokens into a [`signature`] by a [`scheme`]: an exact digest, a [`simhash`] [`fingerprint`], a
//!   verification [`sketch`]; [`short`] texts have their shingles instead
//! - [`layout`] the blocks of a fingerprint and why no near-duplicate is missed, [`index`] in memory and in sled trees
//! - [`deduplicator`] the rule and the verdict, [`error`] what can go wrong
//!
//! It is no crawler and knows nothing of HTTP or HTML; it compares texts, not meanings: a translation or a paraphrase is
//! no duplicate to it.

pub mod analyzer;
pub mod dates;
pub mod deduplicator;
pub mod error;
pub mod fingerprint;
mod hash;
pub mod index;
pub mod layout;
pub mod normalize;
pub mod scheme;
pub mod segment;
pub mod short;
pub mod signature;
pub mod simhash;
pub mod sketch;

pub use analyzer::Analyzer;
pub use deduplicator::{Deduplicator, Rule, Verdict};
pub use error::DedupError;
pub use fingerprint::{Fingerprint, Width, hamming_distance};
pub use index::{Index, MemoryIndex, Residence, SledIndex, SledOptions};
pub use layout::Layout;
pub use scheme::{Feature, Features, Frequency, Scheme};
pub use signature::{Digest, DocId, Signature};
pub use sketch::Sketch;
