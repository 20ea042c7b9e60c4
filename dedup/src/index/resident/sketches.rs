//! The sketches of all fingerprints of an index, by slot: a candidate is confirmed or ruled out where it lies.
//!
//! ```text
//! folds    0 │ 1 │ 2 │ …    64 bytes each; rule out most pages of one template
//! rests    0 │ 1 │ 2 │ …    64 bytes each; decide exactly
//! numbers  0 │ 1 │ 2 │ …    a part of the hash of the numbers of the text
//! labels   0 │ 1 │ 2 │ …    group and heading; empty as long as no document has a subject
//! ```
//!
//! On a site of one template, thousands of fingerprints are within the distance of every page. Reading the signature of
//! each of them from the store costs some microseconds; here it costs a few nanoseconds (see [`crate::sketch::folded`]).
//!
//! The folds and the rests may be in a file, in whole or but for the last ones. A candidate of bands is then read from there, 0.5 µs if
//! the system has it in its cache.
//!
//! Where these pages are kept because each is about something else, the sketches confirm all of them, and only their signatures tell
//! them apart. So of the candidates whose label names something else, a query is answered with the [`MOST_LOOK_ALIKES`] nearest.

use std::cell::RefCell;
use std::sync::Arc;

use crate::duplicate_rule::Bounds;
use crate::error::DedupError;
use crate::index::blocks::Accept;
use crate::signature::Signature;
use crate::sketch::Sketch;
use crate::sketch::folded::{Folded, Half, differ_at_most};
use crate::spill::{Column, Spill};
use crate::subject::{Label, Subject};

/// Upper bound on the candidates with another heading that a query is answered with. A copy of a page nearly always has its heading. If
/// a site has more look-alikes, a copy under another heading may be overlooked, and is then kept.
pub(super) const MOST_LOOK_ALIKES: usize = 64;

#[derive(Debug, Clone, Default)]
pub(super) struct Sketches {
    folds: Column<Half>,
    rests: Column<Half>,
    numbers: Vec<u32>,
    labels: Vec<Label>,
}

impl Sketches {
    /// Stores the sketch of a slot; the slot is at most one beyond the last. A missing sketch is stored as zeros: it may
    /// pass the filter, and the rule then refuses the document.
    pub(super) fn set(&mut self, slot: u32, signature: &Signature) {
        let folded = signature.sketch.as_ref().map(Folded::new).unwrap_or_default();
        let numbers = part(signature.numbers);
        let slot = slot as usize;
        if slot == self.numbers.len() {
            self.folds.push(folded.fold);
            self.rests.push(folded.rest);
            if self.numbers.len() == self.numbers.capacity() {
                self.numbers.reserve_exact((slot / 8).max(64));
            }
            self.numbers.push(numbers);
        } else {
            self.folds.set(slot, folded.fold);
            self.rests.set(slot, folded.rest);
            self.numbers[slot] = numbers;
        }
        self.set_label(slot, signature.subject.as_ref());
    }

    fn set_label(&mut self, slot: usize, subject: Option<&Subject>) {
        if let Some(label) = self.labels.get_mut(slot) {
            *label = subject.map(Subject::label).unwrap_or_default();
        } else if let Some(subject) = subject {
            self.labels.resize(slot, Label::default());
            self.labels.push(subject.label());
        }
    }

    /// Bytes in memory that [`spill`](Self::spill) frees.
    pub(super) fn tail_bytes(&self) -> usize {
        self.folds.tail_bytes() + self.rests.tail_bytes()
    }

    /// Bytes in memory.
    pub(super) fn resident_bytes(&self) -> usize {
        self.tail_bytes() + self.numbers.capacity() * size_of::<u32>() + self.labels.capacity() * size_of::<Label>()
    }

    /// Moves the sketches to a file.
    pub(super) fn spill(&mut self, file: &Arc<Spill>) -> Result<(), DedupError> {
        self.folds.spill(file)?;
        self.rests.spill(file)
    }

    /// The sketch of a slot; of zeros if the document has none.
    pub(super) fn sketch(&self, slot: u32) -> Sketch {
        let slot = slot as usize;
        let folded = Folded {
            fold: self.folds.get(slot),
            rest: self.rests.get(slot),
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
            label: query
                .subject
                .as_ref()
                .filter(|_| bounds.own_words_count)
                .map(Subject::label),
            look_alikes: RefCell::default(),
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
    label: Option<Label>,
    /// The candidates whose label names something else, with their distances, some several times.
    look_alikes: RefCell<Vec<(u32, u32)>>,
}

impl MayConfirm<'_> {
    #[inline(always)]
    fn confirms(&self, slot: usize) -> bool {
        let Some((most, query)) = &self.differing else {
            return true;
        };
        let Sketches { folds, rests, .. } = self.sketches;
        differ_at_most(*most, query, &folds.get(slot), || rests.get(slot))
    }

    /// The slots that were set aside because their labels name something else, with their distances.
    pub(super) fn into_look_alikes(self) -> Vec<(u32, u32)> {
        let mut look_alikes = self.look_alikes.into_inner();
        look_alikes.sort_unstable();
        look_alikes.dedup();
        look_alikes
    }
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
        if !self.confirms(slot) {
            return false;
        }
        let is_otherwise = |label: &Label| {
            self.sketches
                .labels
                .get(slot)
                .is_some_and(|other| label.is_otherwise(*other))
        };
        if self.label.as_ref().is_some_and(is_otherwise) {
            self.look_alikes.borrow_mut().push((distance, slot as u32));
            return false;
        }
        true
    }
}
