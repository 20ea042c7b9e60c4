//! Signatures that are searched by looking at every one.
//!
//! Where texts share a language and no topic, a tenth of all fingerprints may lie within the distance that is looked for, and the
//! buckets of an [index by blocks](super::FingerprintIndex) hold nearly everything, several times over. To go through all in order is
//! faster then: 8 bytes each, read from the cache, eight or sixteen compared at a time.
//!
//! ```text
//! words   0 │ 1 │ 2 │ …       fingerprints: what is too far is out                          (vector instructions)
//! heads   0   │ 1   │ …       half of each sketch: what cannot be similar enough is out     (a cache line each)
//! within  0 │ 1 │ 2 │ …       unless it counts by its distance alone
//! ```
//!
//! Whoever has several queries asks them all of one [stretch](SignatureScan::stretches) before the next: its heads stay in the cache
//! nearest to the processor.

use std::ops::Range;

use super::blocks::Word;
use crate::cpu::{Kernel, dispatch};
use crate::error::DedupError;
use crate::fingerprint::{Fingerprint, Width};
use crate::signature::Signature;
use crate::sketch::{Sketch, WORDS, most_similar};

/// Words of a sketch that are compared: a cache line. Of sketches that have nothing in common 256 ± 11 of these bits differ, of such
/// as are alike by 0.6 at most 205.
const HEAD: usize = WORDS / 2;
type Head = [u64; HEAD];

/// Entries of a stretch: their heads take 256 kB.
const STRETCH: usize = 4_096;

/// Fingerprints that are compared before their sketches are looked at.
const CHUNK: usize = 512;

/// See the module's text.
///
/// ```
/// use dedup::{Analyzer, Scheme, Width};
/// use dedup::index::SignatureScan;
///
/// # fn main() -> Result<(), dedup::DedupError> {
/// let analyzer = Analyzer::new(&Scheme::default());
/// let text = "The tide table of the harbour master is printed every spring. ".repeat(8);
/// let signature = analyzer.analyze(&text);
/// let mut scan = SignatureScan::new(Width::W64, 10, 0.8);
/// scan.push(&signature, None)?;
/// let mut found = Vec::new();
/// scan.look(0..scan.len(), &signature, &mut found);
/// assert_eq!((found[0].at, found[0].distance, found[0].may_be_alike), (0, 0, true));
/// # Ok(())
/// # }
/// ```
#[derive(Debug, Clone)]
pub struct SignatureScan {
    words: Words,
    heads: Vec<Head>,
    /// One more than the distance up to which an entry counts whatever its sketch; 0 where it never does.
    within: Vec<u8>,
    max_distance: u32,
    /// One more than the bits of a head that may differ; 0 where no sketches are similar enough.
    differing: u32,
}

/// An entry that a query has met.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Seen {
    /// The number of the entry: how many were added before it.
    pub at: u32,
    /// Hamming distance of the fingerprints in bits.
    pub distance: u32,
    /// Whether the halves of the sketches that were compared leave it possible that they are similar enough. Where a sketch is
    /// missing it may be either.
    pub may_be_alike: bool,
}

impl SignatureScan {
    /// Without entries, for fingerprints of `width` that differ in at most `max_distance` bits and sketches of at least
    /// `min_similarity`; where that is above 1, none are similar enough.
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

    /// Entries.
    #[must_use]
    pub fn len(&self) -> usize {
        self.heads.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.heads.is_empty()
    }

    /// Adds a document; one without a fingerprint is never met. At a distance of up to `within` (none further than `max_distance`) it
    /// counts whatever its sketch. Whether it has been added.
    ///
    /// # Errors
    /// [`DedupError::OtherWidth`]: its fingerprint is of another width. [`DedupError::Full`]: it holds 2^31 entries.
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

    /// All entries, in stretches.
    pub fn stretches(&self) -> impl Iterator<Item = Range<usize>> + use<> {
        let all = self.len();
        (0..all)
            .step_by(STRETCH)
            .map(move |start| start..all.min(start + STRETCH))
    }

    /// Appends to `found`, ascending, the entries of a stretch that are at most `max_distance` from the query and whose sketches may
    /// be similar enough or that are near enough without.
    ///
    /// # Panics
    /// The stretch ends after the last entry.
    pub fn look(&self, stretch: Range<usize>, query: &Signature, found: &mut Vec<Seen>) {
        match &self.words {
            Words::W32(words) => self.run(words, query, stretch, AllNear, found),
            Words::W64(words) => self.run(words, query, stretch, AllNear, found),
            Words::W128(words) => self.run(words, query, stretch, AllNear, found),
        }
    }

    /// The same of entries that another index has found near, given by their numbers.
    ///
    /// # Panics
    /// There is no such entry.
    pub fn look_among(&self, near: impl Iterator<Item = usize>, query: &Signature, found: &mut Vec<Seen>) {
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
        candidates: impl Candidates,
        found: &mut Vec<Seen>,
    ) {
        // A fingerprint of another width is near none (see [`Fingerprint::distance`]).
        let fingerprint = query.fingerprint.filter(|query| query.width() == W::WIDTH);
        let Some(fingerprint) = fingerprint else {
            return;
        };
        let look = Look {
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
        dispatch(Query { look, candidates });
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

/// What a query compares with what.
struct Look<'a, W> {
    words: &'a [W],
    heads: &'a [Head],
    within: &'a [u8],
    /// The number of the first entry.
    first: u32,
    word: W,
    head: Head,
    max_distance: u32,
    differing: u32,
    found: &'a mut Vec<Seen>,
}

/// Which entries a query looks at.
trait Candidates {
    fn look<W: Word>(self, look: Look<'_, W>);
}

/// Those with a fingerprint that is near.
struct AllNear;

/// Those with these numbers.
struct Among<I>(I);

struct Query<'a, W, C> {
    look: Look<'a, W>,
    candidates: C,
}

impl<W: Word, C: Candidates> Kernel for Query<'_, W, C> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.candidates.look(self.look);
    }
}

impl<I: Iterator<Item = usize>> Candidates for Among<I> {
    #[inline(always)]
    fn look<W: Word>(self, mut look: Look<'_, W>) {
        for at in self.0 {
            look.look_at(at);
        }
    }
}

impl Candidates for AllNear {
    #[inline(always)]
    fn look<W: Word>(self, mut look: Look<'_, W>) {
        // A fixed length is what the compiler makes the best loop of; the rest is filled up and its flags are cleared.
        let (chunks, rest) = look.words.as_chunks::<CHUNK>();
        for (number, chunk) in chunks.iter().enumerate() {
            let near = look.near(chunk);
            look.look_at_all(number * CHUNK, &near);
        }
        if !rest.is_empty() {
            let mut chunk = [look.word; CHUNK];
            chunk[..rest.len()].copy_from_slice(rest);
            let mut near = look.near(&chunk);
            near[rest.len()..].fill(0);
            look.look_at_all(chunks.len() * CHUNK, &near);
        }
    }
}

impl<W: Word> Look<'_, W> {
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
    fn look_at_all(&mut self, start: usize, near: &[u8; CHUNK]) {
        for (number, flags) in near.as_chunks::<64>().0.iter().enumerate() {
            let mut flags = mask(flags);
            while flags != 0 {
                self.look_at(start + number * 64 + flags.trailing_zeros() as usize);
                flags &= flags - 1;
            }
        }
    }

    #[inline(always)]
    fn look_at(&mut self, at: usize) {
        let distance = (self.words[at] ^ self.word).ones();
        let mut differing = 0;
        for (a, b) in self.head.iter().zip(&self.heads[at]) {
            differing += (a ^ b).count_ones();
        }
        let may_be_alike = differing < self.differing;
        if may_be_alike || distance < u32::from(self.within[at]) {
            self.found.push(Seen {
                at: self.first + at as u32,
                distance,
                may_be_alike,
            });
        }
    }
}

/// The flags, which are 0 or 1, as the bits of a word, the first lowest.
#[inline(always)]
fn mask(flags: &[u8; 64]) -> u64 {
    let mut mask = 0;
    for (number, eight) in flags.as_chunks::<8>().0.iter().enumerate() {
        // Flag i, which is bit 8 · i, is moved to bit 56 + i; no two products fall on the same bit.
        let gathered = u64::from_le_bytes(*eight).wrapping_mul(0x0102_0408_1020_4080) >> 56;
        mask |= gathered << (8 * number);
    }
    mask
}

#[cfg(test)]
mod tests;
