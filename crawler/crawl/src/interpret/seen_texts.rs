//! Recognises the texts of recent pages, so that the parse threads do not compress the body of an exact duplicate.
//!
//! It is only a hint. The recorder decides; if it keeps a page whose body is not compressed yet, it compresses the body itself.

use std::sync::atomic::{AtomicU64, Ordering};

use dedup::Digest;

/// Number of texts in the table: half a megabyte.
const SLOTS: usize = 1 << 16;

/// A table of digests. Each digest has one slot, where a later one takes its place.
#[derive(Debug)]
pub(super) struct SeenTexts {
    slots: Box<[AtomicU64]>,
}

impl Default for SeenTexts {
    fn default() -> Self {
        Self {
            slots: (0..SLOTS).map(|_| AtomicU64::new(0)).collect(),
        }
    }
}

impl SeenTexts {
    /// Notes the text. Returns whether a recent page had the same text, with an error of 2⁻⁶⁴.
    pub fn note(&self, digest: Digest) -> bool {
        let (slot, rest) = (digest.0 as usize % SLOTS, (digest.0 >> 64) as u64);
        // No other data depend on the slot.
        self.slots[slot].swap(rest, Ordering::Relaxed) == rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_seen_when_it_comes_again_unless_another_took_its_slot() {
        let seen = SeenTexts::default();
        let digest = |rest: u128, slot: u128| Digest(rest << 64 | slot);
        let (one, other) = (digest(7, 3), digest(8, 3));
        assert!(!seen.note(one));
        assert!(seen.note(one));
        assert!(!seen.note(digest(7, 4)));
        assert!(!seen.note(other));
        assert!(!seen.note(one), "the other took its slot");
    }
}
