//! The sketches of all fingerprints of an index, by slot: a candidate is confirmed or ruled out where it lies.
//!
//! ```text
//! folds    0 │ 1 │ 2 │ …    64 bytes each; rule out most pages of one template
//! rests    0 │ 1 │ 2 │ …    64 bytes each; decide exactly
//! numbers  0 │ 1 │ 2 │ …    a part of the hash of the numbers of the text
//! ```
//!
//! On a site of one template, thousands of fingerprints are within the distance of every page. Reading the signature of
//! each of them from the store costs some microseconds; here it costs a few nanoseconds (see [`crate::sketch::folded`]).

use crate::duplicate_rule::Bounds;
use crate::index::blocks::Accept;
use crate::signature::Signature;
use crate::sketch::Sketch;
use crate::sketch::folded::{Folded, Half, differ_at_most};

#[derive(Debug, Clone, Default)]
pub(super) struct Sketches {
    folds: Vec<Half>,
    rests: Vec<Half>,
    numbers: Vec<u32>,
}

impl Sketches {
    /// Stores the sketch of a slot; the slot is at most one beyond the last. A missing sketch is stored as zeros: it may
    /// pass the filter, and the rule then refuses the document.
    pub(super) fn set(&mut self, slot: u32, signature: &Signature) {
        let folded = signature.sketch.as_ref().map(Folded::new).unwrap_or_default();
        let numbers = part(signature.numbers);
        let slot = slot as usize;
        if slot == self.numbers.len() {
            self.grow();
            self.folds.push(folded.fold);
            self.rests.push(folded.rest);
            self.numbers.push(numbers);
        } else {
            self.folds[slot] = folded.fold;
            self.rests[slot] = folded.rest;
            self.numbers[slot] = numbers;
        }
    }

    /// Makes room for an eighth more: doubling the sketches of 10^6 documents would take 132 MB more.
    fn grow(&mut self) {
        let len = self.numbers.len();
        if len == self.numbers.capacity() {
            let more = (len / 8).max(64);
            self.folds.reserve_exact(more);
            self.rests.reserve_exact(more);
            self.numbers.reserve_exact(more);
        }
    }

    /// The sketch of a slot; of zeros if the document has none.
    pub(super) fn sketch(&self, slot: u32) -> Sketch {
        let slot = slot as usize;
        let folded = Folded {
            fold: self.folds[slot],
            rest: self.rests[slot],
        };
        folded.sketch()
    }

    /// A filter that passes every slot that the rule of `bounds` may confirm for `query`.
    pub(super) fn filter(&self, query: &Signature, bounds: &Bounds) -> MayConfirm<'_> {
        MayConfirm {
            sketches: self,
            max_distance: bounds.max_distance,
            differing: bounds
                .most_differing
                .zip(query.sketch.as_ref())
                .map(|(most, sketch)| (most, Folded::new(sketch))),
            numbers: bounds.numbers_must_match.then_some(part(query.numbers)),
        }
    }
}

/// The part of a hash of numbers that is stored.
fn part(numbers: u64) -> u32 {
    numbers as u32
}

/// Passes the slots that a rule may confirm.
pub(super) struct MayConfirm<'a> {
    sketches: &'a Sketches,
    max_distance: u32,
    /// Upper bound on the bits in which the sketches differ, and the sketch of the query; `None` if any sketch passes.
    differing: Option<(u32, Folded)>,
    numbers: Option<u32>,
}

impl Accept for MayConfirm<'_> {
    #[inline(always)]
    fn accepts(&self, slot: usize, distance: u32) -> bool {
        if distance > self.max_distance
            || self
                .numbers
                .is_some_and(|numbers| self.sketches.numbers[slot] != numbers)
        {
            return false;
        }
        let Some((most, query)) = &self.differing else {
            return true;
        };
        let Sketches { folds, rests, .. } = self.sketches;
        differ_at_most(*most, query, &folds[slot], &rests[slot])
    }
}
