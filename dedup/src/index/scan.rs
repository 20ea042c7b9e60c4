//! Signatures that a query scans in order.
//!
//! If texts share a language but no topic, up to a tenth of all fingerprints may be within the distance of a query. The
//! buckets that a query of a [`FingerprintIndex`](super::FingerprintIndex) probes then hold nearly all entries, several
//! times over. A scan is faster in this case: it reads 8 bytes per entry from the cache and compares eight or sixteen
//! entries at once.
//!
//! ```text
//! words   0 │ 1 │ 2 │ …       fingerprints: rule out distant entries         (vector instructions)
//! halves  0   │ 1   │ …       folded sketches: rule out dissimilar ones      (one cache line each)
//! within  0 │ 1 │ 2 │ …       distance within which an entry counts whatever its sketch
//! ```
//!
//! With several queries, run all of them over one [stretch](SignatureScan::stretches) before the next: its halves
//! stay in the first caches of the processor.

use std::ops::Range;

use super::blocks::Word;
use super::sweep::{Sweep, Visit};
use crate::cpu::{Kernel, dispatch};
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::signature::Signature;
use crate::sketch::folded::{self, Half, differing};
use crate::sketch::{Sketch, most_differing};

/// Entries per stretch; their halves take 256 kB.
const STRETCH: usize = 4_096;

/// Signatures that a query scans in order: faster than an index if many fingerprints are near one another but few texts
/// are similar.
///
/// ```
/// use dedup::{Analyzer, Scheme, SignatureScan, Width};
///
/// # fn main() -> Result<(), dedup::DedupError> {
/// let analyzer = Analyzer::new(&Scheme::default());
/// let text = "The tide table of the harbour master is printed every spring. ".repeat(8);
/// let signature = analyzer.analyze(&text);
/// let mut scan = SignatureScan::new(Width::W64, 10, 0.8);
/// scan.push(&signature, None)?;
/// let mut found = Vec::new();
/// scan.search(0..scan.len(), &signature, &mut found);
/// assert_eq!((found[0].at, found[0].distance, found[0].may_be_alike), (0, 0, true));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SignatureScan {
    words: Words,
    halves: Vec<Half>,
    /// One more than the distance within which an entry counts regardless of its sketch; 0 if there is none.
    within: Vec<u8>,
    max_distance: u32,
    /// Upper bound on the bits in which two sketches differ; `None` if no sketches are similar enough.
    most_differing: Option<u32>,
}

/// An entry that a query has found, to be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Number of the entry: the number of entries added before it.
    pub at: u32,
    /// Hamming distance of the fingerprints in bits.
    pub distance: u32,
    /// Whether the sketches may be similar enough, judged by their folds. Meaningless if a sketch is missing.
    pub may_be_alike: bool,
}

impl SignatureScan {
    /// An empty scan that finds fingerprints of `width` within `max_distance` bits whose sketches have at least
    /// `min_similarity`. With a `min_similarity` above 1, no sketches are similar enough.
    #[must_use]
    pub fn new(width: Width, max_distance: u32, min_similarity: f32) -> Self {
        Self {
            words: Words::new(width),
            halves: Vec::new(),
            within: Vec::new(),
            max_distance,
            most_differing: most_differing(min_similarity),
        }
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.halves.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.halves.is_empty()
    }

    /// Adds a document, unless it has no fingerprint. Returns whether it was added. Within a distance of `within`, and
    /// of `max_distance`, queries find the document whatever its sketch.
    ///
    /// # Errors
    /// [`DedupError::OtherWidth`]: its fingerprint has another width. [`DedupError::Full`]: the scan holds 2^31
    /// entries.
    pub fn push(&mut self, signature: &Signature, within: Option<u32>) -> Result<bool, DedupError> {
        let Some(fingerprint) = signature.fingerprint else {
            return Ok(false);
        };
        if fingerprint.width() != self.words.width() {
            return Err(DedupError::OtherWidth {
                found: fingerprint.width().bits(),
                wanted: self.words.width().bits(),
            });
        }
        if self.len() == 1 << 31 {
            return Err(DedupError::Full);
        }
        self.words.push(fingerprint);
        self.halves.push(half(signature.sketch.as_ref()));
        // A distance has at most 128 bits.
        self.within.push(within.map_or(0, |within| within.min(128) as u8 + 1));
        Ok(true)
    }

    /// The ranges of all stretches.
    pub fn stretches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let all = self.len();
        (0..all)
            .step_by(STRETCH)
            .map(move |start| start..all.min(start + STRETCH))
    }

    /// Appends to `found`, ascending, the entries of a stretch within `max_distance` of the query whose sketches may be
    /// similar enough, or that count whatever their sketch.
    ///
    /// # Panics
    /// The stretch ends after the last entry.
    pub fn search(&self, stretch: Range<usize>, query: &Signature, found: &mut Vec<Candidate>) {
        match &self.words {
            Words::W32(words) => self.run(words, query, stretch, AllNear, found),
            Words::W64(words) => self.run(words, query, stretch, AllNear, found),
            Words::W128(words) => self.run(words, query, stretch, AllNear, found),
        }
    }

    /// As [`search`](Self::search), among entries that another index has found near, given by their numbers.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn search_among(&self, near: impl Iterator<Item = usize>, query: &Signature, found: &mut Vec<Candidate>) {
        let all = 0..self.len();
        match &self.words {
            Words::W32(words) => self.run(words, query, all, Among(near), found),
            Words::W64(words) => self.run(words, query, all, Among(near), found),
            Words::W128(words) => self.run(words, query, all, Among(near), found),
        }
    }

    fn run<W: Word>(
        &self,
        words: &[W],
        query: &Signature,
        stretch: Range<usize>,
        entries: impl Entries,
        found: &mut Vec<Candidate>,
    ) {
        // A fingerprint of another width is near no entry (see [`Fingerprint::distance`]).
        let fingerprint = query.fingerprint.filter(|query| query.width() == W::WIDTH);
        let Some(fingerprint) = fingerprint else {
            return;
        };
        let query = Query {
            halves: &self.halves[stretch.clone()],
            within: &self.within[stretch.clone()],
            first: stretch.start as u32,
            half: half(query.sketch.as_ref()),
            most_differing: self.most_differing,
            found,
        };
        let words = &words[stretch];
        let word = W::truncate(fingerprint.bits());
        entries.compare(words, word, self.max_distance, query);
    }
}

/// The fold of a sketch; zeros if there is none.
fn half(sketch: Option<&Sketch>) -> Half {
    sketch.map_or(Half::default(), folded::fold)
}

#[derive(Debug, Clone)]
enum Words {
    W32(Vec<u32>),
    W64(Vec<u64>),
    W128(Vec<u128>),
}

impl Words {
    fn new(width: Width) -> Self {
        match width {
            Width::W32 => Self::W32(Vec::new()),
            Width::W64 => Self::W64(Vec::new()),
            Width::W128 => Self::W128(Vec::new()),
        }
    }

    fn width(&self) -> Width {
        match self {
            Self::W32(_) => Width::W32,
            Self::W64(_) => Width::W64,
            Self::W128(_) => Width::W128,
        }
    }

    fn push(&mut self, fingerprint: Fingerprint) {
        match self {
            Self::W32(words) => words.push(fingerprint.bits() as u32),
            Self::W64(words) => words.push(fingerprint.bits() as u64),
            Self::W128(words) => words.push(fingerprint.bits()),
        }
    }
}

/// What a query compares of a near entry, and its output.
struct Query<'a> {
    halves: &'a [Half],
    within: &'a [u8],
    /// Number of the first entry.
    first: u32,
    half: Half,
    most_differing: Option<u32>,
    found: &'a mut Vec<Candidate>,
}

impl Visit for Query<'_> {
    #[inline(always)]
    fn visit(&mut self, at: usize, distance: u32) {
        let differing = differing(&self.half, &self.halves[at]);
        let may_be_alike = self.most_differing.is_some_and(|most| differing <= most);
        if may_be_alike || distance < u32::from(self.within[at]) {
            self.found.push(Candidate {
                at: self.first + at as u32,
                distance,
                may_be_alike,
            });
        }
    }
}

/// The entries that a query compares.
trait Entries {
    fn compare<W: Word>(self, words: &[W], word: W, max_distance: u32, query: Query<'_>);
}

/// All entries with a near fingerprint.
struct AllNear;

impl Entries for AllNear {
    fn compare<W: Word>(self, words: &[W], word: W, max_distance: u32, query: Query<'_>) {
        dispatch(Sweep {
            words,
            query: word,
            max_distance,
            visit: query,
        });
    }
}

/// The entries with these numbers.
struct Among<I>(I);

impl<I: Iterator<Item = usize>> Entries for Among<I> {
    fn compare<W: Word>(self, words: &[W], word: W, _max_distance: u32, query: Query<'_>) {
        dispatch(VisitAmong {
            numbers: self.0,
            words,
            word,
            query,
        });
    }
}

struct VisitAmong<'a, W, I> {
    numbers: I,
    words: &'a [W],
    word: W,
    query: Query<'a>,
}

impl<W: Word, I: Iterator<Item = usize>> Kernel for VisitAmong<'_, W, I> {
    type Output = ();

    #[inline(always)]
    fn run(mut self) {
        for at in self.numbers {
            self.query.visit(at, (self.words[at] ^ self.word).ones());
        }
    }
}

#[cfg(test)]
mod tests;
