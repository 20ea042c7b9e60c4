use std::collections::BTreeMap;

use proptest::prelude::*;

use super::bucket::BUCKET;
use super::*;

#[test]
fn buckets_are_the_first_bits() {
    assert_eq!(bucket_of(u64::MAX, 0), 0);
    assert_eq!(bucket_of(u64::MAX, 1), 1);
    assert_eq!(bucket_of(1 << 63, 3), 4);
    assert_eq!(depth_for(0), 0);
    assert_eq!(depth_for(96), 0);
    assert_eq!(depth_for(97), 1);
    assert_eq!(depth_for(1_000_000), 14);
}

/// Every later version must find the hashes on disk.
#[test]
fn hashes_and_buckets_are_frozen() {
    let dir = tempfile::tempdir().unwrap();
    let state = State::open(dir.path(), 1 << 20).unwrap();
    let known = KnownUrls::open(&state, 7).unwrap();
    assert_eq!(known.hash_of("h", "https://h/a"), xxh3_64_with_seed(b"uh\0S/a", 7));
    assert_eq!(known.hash_of("h", "https://h/a"), 13_134_551_598_912_453_342);
    assert_eq!(pack(&[(1, 5), (301, 200)]).unwrap(), [1, 5, 0xac, 2, 0xc8, 1]);
}

fn log(state: &State, known: &mut KnownUrls, first: u64, hashes: &[u64]) {
    let mut batch = crate::batch::Batch::default();
    let logged: Vec<Logged> = hashes.iter().map(|hash| hash.to_le_bytes()).zip(first..).collect();
    KnownUrls::log(&logged, &mut batch).unwrap();
    state.apply(batch).unwrap();
    for (&hash, id) in hashes.iter().zip(first..) {
        known.insert(hash, id);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Compared with a map: merges at any time, growth of the buckets, reopening, and a merge that is cut off.
    #[test]
    fn every_url_is_known_by_its_number(
        pieces in prop::collection::vec(prop::collection::hash_set(any::<u64>(), 1..300), 1..12),
        merge_at_least in 1_u64..600,
        reopen_every in 1_usize..5,
    ) {
        let dir = tempfile::tempdir().unwrap();
        let state = State::open(dir.path(), 1 << 20).unwrap();
        let mut known = KnownUrls { merge_at_least, ..KnownUrls::open(&state, 7).unwrap() };
        let mut model = BTreeMap::new();
        let mut next = 1;
        for (step, piece) in pieces.into_iter().enumerate() {
            let fresh: Vec<u64> = piece.into_iter().filter(|hash| !model.contains_key(hash)).collect();
            for &hash in &fresh {
                prop_assert_eq!(known.find(&state, hash).unwrap(), None);
            }
            log(&state, &mut known, next, &fresh);
            model.extend(fresh.iter().copied().zip(next..));
            next += fresh.len() as u64;
            let log_before: Vec<_> = state.scan([LOG]).map(Result::unwrap).collect();
            // A staged URL is known until the process ends, and no merge makes it known for longer.
            let staged = (u64::MAX - step as u64, next);
            known.insert(staged.0, staged.1);
            known.merge_if_due(&state, next).unwrap();
            prop_assert_eq!(known.id_of(&state, staged.0).unwrap(), Some(staged.1));
            known.recent.remove(&staged.0);
            prop_assert_eq!(known.id_of(&state, staged.0).unwrap(), None);
            if step % reopen_every == 0 {
                // A crash before the log is emptied leaves its entries there and in the buckets.
                for (key, value) in log_before {
                    let mut batch = crate::batch::Batch::default();
                    batch.insert(key, value);
                    state.apply(batch).unwrap();
                }
                known = KnownUrls { merge_at_least, ..KnownUrls::open(&state, 7).unwrap() };
            }
            for (&hash, &id) in &model {
                prop_assert_eq!(known.id_of(&state, hash).unwrap(), Some(id));
                prop_assert_eq!(known.find(&state, hash).unwrap(), Some(id));
            }
        }
        let largest = state.scan([BUCKETS]).map(|row| row.unwrap().1.len()).max();
        prop_assert!(largest.unwrap_or(0) < 16 * 4 * BUCKET as usize);
    }
}
