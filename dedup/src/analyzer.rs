//! Turns a text into a signature, by a scheme.

use std::cell::RefCell;

use crate::explanation::{Census, Explanation};
use crate::features::{Piece, each, shingles};
use crate::fingerprint::Fingerprint;
use crate::hash::{hash_list, hash_run, hash64};
use crate::normalize::normalize;
use crate::scheme::Scheme;
use crate::signature::{Digest, Signature};
use crate::simhash::{Accumulator, of_equal_weights};
use crate::sketch::{Bands, Minima, Sketch};
use crate::units::{Unit, UnitKind, cut};
use crate::weights::Weighting;

/// Units (words, or characters of scripts without spaces) per shingle of a [`Signature`].
pub const SHINGLE_UNITS: usize = 5;

/// Characters of a script without spaces that count as one word for the scheme's floor: 50 words or 300 Chinese
/// characters are enough for a fingerprint.
const CHARACTERS_PER_WORD: usize = 6;

/// Turns texts into signatures. Threads may share an analyzer; each thread has its own buffers.
#[derive(Debug, Clone)]
pub struct Analyzer {
    scheme: Scheme,
    with_bands: bool,
}

#[derive(Default)]
struct Scratch {
    units: Vec<Unit>,
    features: Vec<u64>,
    /// Features with their lengths in characters, for weightings other than [`Weighting::Tf`].
    weighed: Vec<(u64, u32)>,
    shingles: Vec<u64>,
    numbers: Vec<u64>,
}

/// Upper bound on the capacity that a buffer keeps between two texts: more than the units of a usual page.
const MAX_KEPT: usize = 1 << 16;

impl Scratch {
    /// Frees the buffers that a very long text has enlarged.
    fn forget_a_long_text(&mut self) {
        shrink(&mut self.units);
        shrink(&mut self.features);
        shrink(&mut self.weighed);
        shrink(&mut self.shingles);
        shrink(&mut self.numbers);
    }
}

fn shrink<T>(buffer: &mut Vec<T>) {
    if buffer.capacity() > MAX_KEPT {
        *buffer = Vec::new();
    }
}

thread_local! {
    static SCRATCH: RefCell<Scratch> = RefCell::default();
}

impl Analyzer {
    /// An analyzer for `scheme`.
    #[must_use]
    pub fn new(scheme: &Scheme) -> Self {
        Self {
            scheme: scheme.clone(),
            with_bands: false,
        }
    }

    /// The same analyzer, whose signatures have [bands](Signature::bands). They pay if a
    /// [`MemoryIndex`](crate::MemoryIndex) grows large and its rule [allows](crate::DuplicateRule::allows_bands) them;
    /// they take 128 bytes in a signature.
    #[must_use]
    pub fn with_bands(self) -> Self {
        Self {
            with_bands: true,
            ..self
        }
    }

    /// The scheme of the signatures.
    #[must_use]
    pub fn scheme(&self) -> &Scheme {
        &self.scheme
    }

    /// The signature of `text`, without metadata and subject.
    #[must_use]
    pub fn analyze(&self, text: &str) -> Signature {
        self.with_units(text, |text, scratch| {
            if scratch.units.is_empty() {
                return Signature::default();
            }
            let words = words(&scratch.units);
            let mut signature = Signature {
                digest: Some(Digest::of_normalized(text)),
                numbers: numbers(scratch),
                tokens: u32::try_from(scratch.units.len()).unwrap_or(u32::MAX),
                ..Signature::default()
            };
            // Each buffer of a long text is freed before the next one takes as much memory again.
            shrink(&mut scratch.numbers);
            shingle_hashes(scratch);
            if words >= self.scheme.min_words
                && let Some(minima) = Minima::of_buffer(&mut scratch.shingles)
            {
                signature.sketch = Some(Sketch::of(&minima));
                signature.bands = self.with_bands.then(|| Box::new(Bands::of(&minima)));
            }
            if words <= most_words_with_shingles(self.scheme.min_words) && scratch.units.len() >= SHINGLE_UNITS {
                // A text with fewer units than a shingle is compared by its digest alone.
                scratch.shingles.sort_unstable();
                scratch.shingles.dedup();
                signature.shingles.clone_from(&scratch.shingles);
            }
            shrink(&mut scratch.shingles);
            if words >= self.scheme.min_words {
                signature.fingerprint = self.fingerprint_of(text, scratch);
            }
            signature
        })
    }

    /// The fingerprint of [`Analyzer::analyze`] alone; `None` for a text under the scheme's floor.
    #[must_use]
    pub fn fingerprint(&self, text: &str) -> Option<Fingerprint> {
        self.with_units(text, |text, scratch| self.fingerprint_over_floor(text, scratch))
    }

    /// The fingerprint with the features that it is made of. A text under the floor has features too.
    #[must_use]
    pub fn explain(&self, text: &str) -> Explanation {
        self.with_units(text, |text, scratch| {
            let mut census = Census::default();
            self.each_feature(text, &scratch.units, |feature, piece| {
                census.count(feature, || (piece.shown(text), piece.characters(text)));
            });
            let fingerprint = self.fingerprint_over_floor(text, scratch);
            census.explain(fingerprint, |feature, count, characters| {
                self.scheme.weights.weight(feature, count, characters)
            })
        })
    }

    /// The hashes of all shingles of a text of any length, ascending. [`Signature::sketch`] is the sketch of this set.
    /// [`crate::short::jaccard`] of two such sets is the Jaccard index that [`Sketch::similarity`] estimates.
    #[must_use]
    pub fn shingles(&self, text: &str) -> Vec<u64> {
        self.with_units(text, |_, scratch| {
            shingle_hashes(scratch);
            scratch.shingles.sort_unstable();
            scratch.shingles.dedup();
            scratch.shingles.clone()
        })
    }

    /// The sketch of a text's metadata: words of the title, keywords, tags, references. Their order, spelling (see
    /// [`normalize`](mod@crate::normalize)) and repetition do not matter. `None` if there are no items.
    #[must_use]
    pub fn metadata<'a>(&self, items: impl IntoIterator<Item = &'a str>) -> Option<Sketch> {
        let items = items.into_iter().map(normalize).filter(|item| !item.is_empty());
        let hashes: Vec<u64> = items.map(|item| hash64(item.as_bytes())).collect();
        Sketch::new(&hashes)
    }

    /// Replaces the contents of `features` with the hashes of the features of `text`, one per occurrence.
    pub(crate) fn features(&self, text: &str, features: &mut Vec<u64>) {
        features.clear();
        self.with_units(text, |text, scratch| {
            self.each_feature(text, &scratch.units, |feature, _| features.push(feature));
        });
    }

    fn with_units<T>(&self, text: &str, go_on: impl FnOnce(&str, &mut Scratch) -> T) -> T {
        let text = normalize(text);
        SCRATCH.with_borrow_mut(|scratch| {
            cut(&text, self.scheme.mask_dates, &mut scratch.units);
            let result = go_on(&text, scratch);
            scratch.forget_a_long_text();
            result
        })
    }

    fn each_feature(&self, text: &str, units: &[Unit], take: impl FnMut(u64, Piece<'_>)) {
        each((&self.scheme.features, self.scheme.segmenter), text, units, take);
    }

    fn fingerprint_over_floor(&self, text: &str, scratch: &mut Scratch) -> Option<Fingerprint> {
        let is_long = words(&scratch.units) >= self.scheme.min_words;
        is_long.then(|| self.fingerprint_of(text, scratch)).flatten()
    }

    fn fingerprint_of(&self, text: &str, scratch: &mut Scratch) -> Option<Fingerprint> {
        let Scratch {
            units,
            features,
            weighed,
            ..
        } = scratch;
        let (width, weights) = (self.scheme.width, &self.scheme.weights);
        if weights.weighting() == Weighting::Tf {
            features.clear();
            self.each_feature(text, units, |feature, _| features.push(feature));
            return of_equal_weights(features, width);
        }
        let length_weighs = weights.weighting() == Weighting::Improved;
        weighed.clear();
        self.each_feature(text, units, |feature, piece| {
            let characters = if length_weighs { piece.characters(text) } else { 0 };
            weighed.push((feature, characters));
        });
        weighed.sort_unstable();
        let mut sums = Accumulator::new(width);
        for equal in weighed.chunk_by(|(a, _), (b, _)| a == b) {
            let (feature, characters) = equal[0];
            let count = u32::try_from(equal.len()).unwrap_or(u32::MAX);
            sums.add(feature, weights.weight(feature, count, characters));
        }
        sums.fingerprint()
    }
}

/// The length in words; [`CHARACTERS_PER_WORD`] characters count as one word.
fn words(units: &[Unit]) -> usize {
    let characters = units.iter().filter(|unit| unit.is(UnitKind::Character)).count();
    units.len() - characters + characters / CHARACTERS_PER_WORD
}

/// The length up to which a text has shingles. A longer text is not similar to any text under the floor: of two sets
/// with a Jaccard index of at least 0.8, one has at most 1 / 0.8 times as many elements as the other.
fn most_words_with_shingles(min_words: usize) -> usize {
    min_words.saturating_add(min_words / 4)
}

/// Computes the hash of every run of [`SHINGLE_UNITS`] units, or of the whole text if it has fewer.
fn shingle_hashes(scratch: &mut Scratch) {
    scratch.shingles.clear();
    shingles(&scratch.units, SHINGLE_UNITS, |run| {
        scratch.shingles.push(hash_run(0, run.iter().map(|unit| unit.hash)));
    });
}

fn numbers(scratch: &mut Scratch) -> u64 {
    scratch.numbers.clear();
    let numbers = scratch.units.iter().filter(|unit| unit.is_number());
    scratch.numbers.extend(numbers.map(|unit| unit.hash));
    scratch.numbers.sort_unstable();
    hash_list(&scratch.numbers)
}

#[cfg(test)]
mod tests;
