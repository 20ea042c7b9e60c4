//! The index compared with a map from slots to bands.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::hash::rehash;

/// Bands of which each has one of `values` values.
fn bands(number: u64, values: u64) -> Bands {
    Bands::from(std::array::from_fn(|band| mix(rehash(number, band as u64) % values)))
}

fn sharing(kept: &HashMap<u32, Bands>, query: &Bands) -> Vec<u32> {
    let shares = |other: &Bands| other.hashes().iter().zip(query.hashes()).any(|(a, b)| a == b);
    let mut slots: Vec<u32> = kept
        .iter()
        .filter(|(_, bands)| shares(bands))
        .map(|(slot, _)| *slot)
        .collect();
    slots.sort_unstable();
    slots
}

/// With a fixed seed, so that tags of different bands are equal in every run or in none.
fn index() -> BandIndex {
    BandIndex::with_seed(1)
}

fn found(index: &BandIndex, query: &Bands) -> Vec<u32> {
    let mut slots = index.candidates(query, usize::MAX).unwrap();
    slots.sort_unstable();
    slots
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn candidates_are_the_documents_that_share_a_band(
        documents in prop::collection::vec((any::<u64>(), any::<bool>()), 1..300),
        values in prop::sample::select(vec![1_u64, 2, 8, 100, 10_000]),
    ) {
        let (mut index, mut kept) = (index(), HashMap::new());
        let mut free = Vec::new();
        for (slot, (number, removes)) in (0..).zip(&documents) {
            let slot = free.pop().unwrap_or(slot);
            let bands = bands(*number, values);
            index.insert(slot, &bands);
            kept.insert(slot, bands);
            if *removes {
                let removed = slot / 2;
                index.remove(removed);
                if kept.remove(&removed).is_some() {
                    free.push(removed);
                }
            }
            prop_assert_eq!(index.len(), kept.len());
        }
        for (number, _) in documents.iter().take(20) {
            let query = bands(*number, values);
            prop_assert_eq!(found(&index, &query), sharing(&kept, &query));
        }
    }
}

#[test]
fn removals_leave_no_entry_behind_after_a_purge() {
    const SLOTS: u32 = 6_000;
    let (mut index, mut kept) = (index(), HashMap::new());
    // Short lists, long lists, and bands that no two documents share.
    let values = |step: u64| [400, 40, 1 << 40][step as usize % 3];
    for step in 0..60_000_u64 {
        let slot = (rehash(step, 99) % u64::from(SLOTS)) as u32;
        if kept.remove(&slot).is_some() {
            index.remove(slot);
        } else {
            let bands = bands(step, values(step));
            index.insert(slot, &bands);
            kept.insert(slot, bands);
        }
    }
    assert_eq!(index.len(), kept.len());
    for step in (0..60_000).step_by(500) {
        let query = bands(step, values(step));
        assert_eq!(found(&index, &query), sharing(&kept, &query), "{step}");
    }
    let entries: usize = index.parts.iter().map(Part::entries).sum();
    let (alive, removed) = (kept.len() * BANDS, (1_024 + SLOTS as usize / 4) * 2 * BANDS);
    assert!(entries <= alive + removed, "{entries} entries for {alive}");
}

#[test]
fn a_check_with_too_many_candidates_gives_up() {
    let mut index = index();
    (0..1_000).for_each(|slot| index.insert(slot, &bands(7, 100)));
    let query = bands(7, 100);
    assert_eq!(index.candidates(&query, 16 * 1_000 - 1), None);
    assert_eq!(found(&index, &query).len(), 1_000);
    assert_eq!(index.candidates(&bands(8, 1 << 40), 0), Some(Vec::new()));
}

#[test]
fn a_document_takes_at_most_180_bytes() {
    // The number of documents that share all bands: at 17, a list has just begun.
    for sharing in [1, 2, 16, 17, 1_000] {
        let mut index = index();
        for slot in 0..60_000_u32 {
            index.insert(slot, &bands(u64::from(slot / sharing), u64::MAX));
            if slot % 5_000 == 4_999 && slot > 20_000 {
                let parts: usize = index.parts.iter().map(Part::bytes).sum();
                let bytes = (parts + index.numbers.bytes()) / (slot as usize + 1);
                assert!(bytes <= 180, "{bytes} bytes with {sharing} of {slot}");
            }
        }
    }
}
