//! Near-duplicate detection for text: which documents say nothing new, which document they duplicate, and how certain
//! that is.
//!
//! ```
//! use dedup::{Analyzer, Deduplicator, DocId, DuplicateRule, MemoryIndex, Scheme, Verdict};
//!
//! # fn main() -> Result<(), dedup::DedupError> {
//! let analyzer = Analyzer::new(&Scheme::default());
//! let rule = DuplicateRule::default();
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
//! A text takes this way through the crate:
//!
//! 1. [`normalize`](mod@normalize) gives equal texts one spelling, [`segment`] cuts a text into tokens, and `dates`
//!    recognises dates and clock times among them.
//! 2. A [`Scheme`] defines the features of a text and the width of its fingerprint; [`Weights`] weigh the
//!    features, if wanted by their rarity in an [`IdfTable`].
//! 3. An [`Analyzer`] turns a text into a [`Signature`]: an exact [`Digest`], a SimHash [`Fingerprint`], a MinHash
//!    [`Sketch`]. A [`short`] text has its shingles instead. An [`Explanation`] lists the features behind a
//!    fingerprint.
//! 4. An [`Index`], in memory, in sled trees or on a Redis server, finds the candidates. Its [`Layout`] of blocks guarantees that it
//!    misses no near-duplicate; [`Costs`] estimates the cost of a layout. In a large index in memory, [`Bands`] find [`Candidates`] at a
//!    cost that does not grow, and a [`Spill`] bounds its memory.
//! 5. A [`DuplicateRule`] says when two documents are duplicates, and spares those of one group whose [`Subject`]s differ. A
//!    [`Deduplicator`] gives the [`Verdict`].
//! 6. A [`Collection`] keeps documents by the ids of their owner, with the verdict on each, in memory or in a folder.
//!    With the feature `redis`, a `SharedCollection` keeps them on a Redis server, for several processes.
//! 7. [`evaluate`] measures verdicts against a known truth.
//!
//! The crate is not a crawler and knows neither HTTP nor HTML. It compares texts, not meanings: it does not recognise a
//! translation or a paraphrase.

mod analyzer;
mod batch;
mod collection;
mod cores;
mod cpu;
mod dates;
mod decide;
mod deduplicator;
#[cfg(feature = "dictionary")]
mod dictionary;
mod duplicate_rule;
mod error;
pub mod evaluate;
mod explanation;
mod features;
mod fingerprint;
mod hash;
mod idf;
mod idf_builder;
mod ignorable;
mod index;
mod layout;
mod logarithm;
pub mod normalize;
mod scheme;
pub mod segment;
pub mod short;
mod signature;
mod simhash;
mod sketch;
mod spill;
mod subject;
mod units;
mod verdict;
mod weights;

pub use analyzer::{Analyzer, SHINGLE_UNITS};
#[cfg(feature = "redis")]
pub use collection::SharedCollection;
pub use collection::{Added, Collection, CollectionError, CollectionSettings, DocIds, Id};
pub use cores::on_all_cores;
pub use deduplicator::Deduplicator;
pub use duplicate_rule::{
    Check, Comparison, Confirm, DuplicateRule, InvalidDuplicateRule, MIN_OWN_WORDS, MIN_SIMILARITY, PAPER_BOUND,
    PAPER_WEIGHT,
};
pub use error::DedupError;
pub use explanation::{Explanation, WeighedFeature};
pub use fingerprint::{Fingerprint, InvalidFingerprint, Width};
pub use idf::{IdfError, IdfTable};
pub use idf_builder::IdfBuilder;
pub use index::{
    BandIndex, Candidate, Candidates, DEFAULT_SKEW, FingerprintIndex, Index, LogWriter, LookUp, MemoryIndex,
    NearFingerprint, Neighbour, Plan, SignatureScan, SledIndex, SledOptions, SledReader, Word,
};
#[cfg(feature = "redis")]
pub use index::{InvalidAddress, RedisAddress, RedisIndex, RedisOptions, ServerError};
pub use layout::{Block, Costs, Layout, LayoutError, trade_offs};
pub use scheme::{Features, InvalidScheme, Scheme, Segmenter};
pub use signature::{Digest, DocId, Signature};
pub use sketch::{Bands, Sketch};
pub use spill::{Rows, Spill};
pub use subject::{About, Subject};
pub use verdict::Verdict;
pub use weights::{UnknownWeighting, Weighting, Weights};
