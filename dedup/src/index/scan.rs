//! Signatures that a query scans in order.
//!
//! If texts share a language but no topic, up to a tenth of all fingerprints may be within the distance of a query. The
//! buckets that a query of a [`FingerprintIndex`](super::FingerprintIndex) probes then hold nearly all entries, several
//! times over. A scan is faster in this case: it reads 8 bytes per entry from the cache and compares eight or sixteen
//! entries at once.
//!
//! ```text
//! words   0 │ 1 │ 2 │ …       fingerprints: rule out distant entries         (vector instructions)
//! heads   0   │ 1   │ …       half of each sketch: rule out dissimilar ones  (one cache line each)
//! within  0 │ 1 │ 2 │ …       distance within which an entry counts whatever its sketch
//! ```
//!
//! With several queries, run all of them over one [stretch](SignatureScan::stretches) before the next: its heads stay
//! in the first caches of the processor.

use std::ops::Range;

use super::blocks::Word;
use crate::cpu::{Kernel, dispatch};
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::signature::Signature;
use crate::sketch::{Sketch, WORDS, most_similar};

/// Words of a sketch that are compared: one cache line. In unrelated sketches 256 ± 11 of these bits differ; in
/// sketches of a similarity of 0.6 or more, at most 205 may.
const HEAD: usize = WORDS / 2;
type Head = [u64; HEAD];

/// Entries per stretch; their heads take 256 kB.
const STRETCH: usize = 4_096;

/// Fingerprints that are compared at a time, before the sketches of the near ones.
const CHUNK: usize = 512;

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
    heads: Vec<Head>,
    /// One more than the distance within which an entry counts regardless of its sketch; 0 if there is none.
    within: Vec<u8>,
    max_distance: u32,
    /// One more than the number of bits in which two heads may differ; 0 if no sketches are similar enough.
    differing: u32,
}

/// An entry that a query has found, to be confirmed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Candidate {
    /// Number of the entry: the number of entries added before it.
    pub at: u32,
    /// Hamming distance of the fingerprints in bits.
    pub distance: u32,
    /// Whether the sketches may be similar enough, judged by their first halves. Meaningless if a sketch is missing.
    pub may_be_alike: bool,
}

impl SignatureScan {
    /// An empty scan that finds fingerprints of `width` within `max_distance` bits whose sketches have at least
    /// `min_similarity`. With a `min_similarity` above 1, no sketches are similar enough.
    #[must_use]
    pub fn new(width: Width, max_distance: u32, min_similarity: f32) -> Self {
        let bits = HEAD as u32 * u64::BITS;
        let alike = (0..=bits).rev().find(|bits| most_similar(*bits) >= min_similarity);
        Self {
            words: Words::new(width),
            heads: Vec::new(),
            within: Vec::new(),
            max_distance,
            differing: alike.map_or(0, |bits| bits + 1),
        }
    }

    /// Number of entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is no entry.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
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
        self.heads.push(head(signature.sketch.as_ref()));
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
            words: &words[stretch.clone()],
            heads: &self.heads[stretch.clone()],
            within: &self.within[stretch.clone()],
            first: stretch.start as u32,
            word: W::truncate(fingerprint.bits()),
            head: head(query.sketch.as_ref()),
            max_distance: self.max_distance,
            differing: self.differing,
            found,
        };
        dispatch(Scan { query, entries });
    }
}

fn head(sketch: Option<&Sketch>) -> Head {
    sketch.map_or([0; HEAD], |sketch| std::array::from_fn(|word| sketch.words()[word]))
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

/// The inputs of a query, and its output.
struct Query<'a, W> {
    words: &'a [W],
    heads: &'a [Head],
    within: &'a [u8],
    /// Number of the first entry.
    first: u32,
    word: W,
    head: Head,
    max_distance: u32,
    differing: u32,
    found: &'a mut Vec<Candidate>,
}

/// The entries that a query compares.
trait Entries {
    fn compare<W: Word>(self, query: Query<'_, W>);
}

/// All entries with a near fingerprint.
struct AllNear;

/// The entries with these numbers.
struct Among<I>(I);

struct Scan<'a, W, C> {
    query: Query<'a, W>,
    entries: C,
}

impl<W: Word, C: Entries> Kernel for Scan<'_, W, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.entries.compare(self.query);
    }
}

impl<I: Iterator<Item = usize>> Entries for Among<I> {
    #[inline(always)]
    fn compare<W: Word>(self, mut query: Query<'_, W>) {
        for at in self.0 {
            query.compare(at);
        }
    }
}

impl Entries for AllNear {
    #[inline(always)]
    fn compare<W: Word>(self, mut query: Query<'_, W>) {
        // The compiler vectorises a loop of fixed length best. So the last chunk is padded, and the flags of the
        // padding are cleared.
        let (chunks, rest) = query.words.as_chunks::<CHUNK>();
        for (number, chunk) in chunks.iter().enumerate() {
            let near = query.near(chunk);
            query.compare_near(number * CHUNK, &near);
        }
        if !rest.is_empty() {
            let mut chunk = [query.word; CHUNK];
            chunk[..rest.len()].copy_from_slice(rest);
            let mut near = query.near(&chunk);
            near[rest.len()..].fill(0);
            query.compare_near(chunks.len() * CHUNK, &near);
        }
    }
}

impl<W: Word> Query<'_, W> {
    /// 1 for each fingerprint that is near, else 0.
    #[inline(always)]
    fn near(&self, chunk: &[W; CHUNK]) -> [u8; CHUNK] {
        let mut near = [0; CHUNK];
        for (near, word) in near.iter_mut().zip(chunk) {
            *near = u8::from((*word ^ self.word).ones() <= self.max_distance);
        }
        near
    }

    #[inline(always)]
    fn compare_near(&mut self, start: usize, near: &[u8; CHUNK]) {
        for (number, flags) in near.as_chunks::<64>().0.iter().enumerate() {
            let mut flags = mask(flags);
            while flags != 0 {
                self.compare(start + number * 64 + flags.trailing_zeros() as usize);
                flags &= flags - 1;
            }
        }
    }

    #[inline(always)]
    fn compare(&mut self, at: usize) {
        let distance = (self.words[at] ^ self.word).ones();
        let mut differing = 0;
        for (a, b) in self.head.iter().zip(&self.heads[at]) {
            differing += (a ^ b).count_ones();
        }
        let may_be_alike = differing < self.differing;
        if may_be_alike || distance < u32::from(self.within[at]) {
            self.found.push(Candidate {
                at: self.first + at as u32,
                distance,
                may_be_alike,
            });
        }
    }
}

/// The flags, each 0 or 1, as the bits of a word, the first flag lowest.
#[inline(always)]
fn mask(flags: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (number, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
        // Moves flag i from bit 8 · i to bit 56 + i; no two products share a bit.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= gathered << (8 * number);
    }
    mask
}

#[cfg(test)]
mod tests;
