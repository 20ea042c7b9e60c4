//! The index compared with a scan over all entries.

use std::cell::RefCell;

use proptest::prelude::*;

use super::*;
use crate::cpu::Level;
use crate::fingerprint::Width;

/// A layout of the width, mostly with so many blocks that it has few probes.
fn layout(width: Width) -> impl Strategy<Value = Layout> {
    let parts = (1_usize..=16, 0_u32..=12);
    parts.prop_filter_map("too many probes", move |(blocks, distance)| {
        Layout::new(width, blocks, distance)
            .ok()
            .filter(|layout| layout.probes() <= 2_000)
    })
}

/// Words around a few centres: some bits of a centre are random in each word, the others are equal except for a few
/// flips.
fn words<W: Word>() -> impl Strategy<Value = Vec<W>> {
    let centre = (
        any::<u128>(),
        prop_oneof![Just(0), Just(u128::MAX << 16), Just(u128::MAX >> 64), any::<u128>()],
    );
    let flips = prop::collection::vec(0_u32..128, 0..8);
    let word = (any::<prop::sample::Index>(), any::<u128>(), flips);
    let words = prop::collection::vec(word, 1..160);
    (prop::collection::vec(centre, 1..3), words).prop_map(|(centres, words)| {
        let word = |(centre, noise, flips): (prop::sample::Index, u128, Vec<u32>)| {
            let (centre, free) = centres[centre.index(centres.len())];
            let flips = flips.iter().fold(0, |all, bit| all | 1_u128 << bit);
            W::truncate((centre & !free | noise & free) ^ flips)
        };
        words.into_iter().map(word).collect()
    })
}

fn scan<W: Word>(kept: &[(W, u64)], query: W, max_distance: u32) -> Vec<NearFingerprint> {
    let near = kept.iter().map(|(word, id)| NearFingerprint {
        id: *id,
        distance: (*word ^ query).ones(),
    });
    let mut near: Vec<_> = near.filter(|near| near.distance <= max_distance).collect();
    near.sort();
    near.dedup_by_key(|near| near.id);
    near
}

/// Inserts the words with ids of which some repeat, removes and reinserts some, and queries all of them.
fn the_index_gives_the_answers_of_a_scan<W: Word>(layout: Layout, words: &[W], mu: f64, probe: u64) {
    let mut index = FingerprintIndex::<W>::with_probe_cost(layout, mu, probe).unwrap();
    let mut kept = Vec::new();
    for (number, &word) in words.iter().enumerate() {
        let id = number as u64 * 7 % 100;
        index.insert(word, id).unwrap();
        kept.push((word, id));
        if number % 5 == 4 {
            let (word, id) = kept.swap_remove(number % kept.len());
            assert!(index.contains(word, id) && index.remove(word, id));
            let is_left = kept.contains(&(word, id));
            assert_eq!((index.contains(word, id), index.remove(word, id)), (is_left, is_left));
            if is_left {
                index.insert(word, id).unwrap();
            }
        }
        assert_eq!(index.len(), kept.len());
    }
    let distinct_orders = [kept.clone(), kept.iter().rev().copied().collect()];
    for order in distinct_orders {
        let mut other = FingerprintIndex::with_probe_cost(layout, mu, probe).unwrap();
        order.iter().for_each(|(word, id)| other.insert(*word, *id).unwrap());
        assert_eq!(other.crowding(), index.crowding());
    }
    for table in &index.tables {
        let lens = kept.iter().map(|(word, _)| table.len_at(*word) as u64);
        // Each entry meets the others of its bucket, so each pair is counted twice.
        assert_eq!(table.pairs(), lens.map(|len| len - 1).sum::<u64>() / 2);
    }
    for &word in words {
        for query in [
            word,
            word ^ W::truncate(0x0001_0010_0000_0001),
            W::truncate(!word.into()),
        ] {
            let expected = scan(&kept, query, layout.max_distance());
            for level in [Level::Baseline, Level::Avx2, Level::Avx512] {
                let mut found = Vec::new();
                assert!(cpu::dispatch_at(
                    level,
                    index.search(query, &(), usize::MAX, &mut found)
                ));
                each_id_once(&mut found, 0);
                assert_eq!(found, expected, "{level:?} {layout:?}");
                let mut swept = Vec::new();
                cpu::dispatch_at(level, index.sweep(query, &(), &mut swept));
                each_id_once(&mut swept, 0);
                assert_eq!(swept, expected, "{level:?} {layout:?}");
            }
        }
    }
    for (word, id) in kept {
        assert!(index.remove(word, id));
    }
    let mut found = Vec::new();
    words.iter().for_each(|word| index.near(*word, &mut found));
    assert!(index.is_empty() && found.is_empty());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn every_layout_of_32_bits_answers_as_a_scan_does(layout in layout(Width::W32), words in words::<u32>()) {
        the_index_gives_the_answers_of_a_scan(layout, &words, DEFAULT_SKEW, PROBE);
        the_index_gives_the_answers_of_a_scan(layout, &words, 0.0, 0);
    }

    #[test]
    fn every_layout_of_64_bits_answers_as_a_scan_does(layout in layout(Width::W64), words in words::<u64>()) {
        the_index_gives_the_answers_of_a_scan(layout, &words, DEFAULT_SKEW, PROBE);
        the_index_gives_the_answers_of_a_scan(layout, &words, 0.0, 0);
    }

    #[test]
    fn every_layout_of_128_bits_answers_as_a_scan_does(layout in layout(Width::W128), words in words::<u128>()) {
        the_index_gives_the_answers_of_a_scan(layout, &words, DEFAULT_SKEW, PROBE);
        the_index_gives_the_answers_of_a_scan(layout, &words, 0.0, 0);
    }
}

/// Random words with the same lowest 16 bits.
fn crowd<W: Word>(len: u64) -> Vec<W> {
    let random = |n| u128::from(crate::hash::rehash(n, 1)) | u128::from(crate::hash::rehash(n, 2)) << 64;
    (0..len).map(|n| W::truncate(random(n) << 16)).collect()
}

fn filled<W: Word>(layout: Layout, words: &[W], probe: u64) -> FingerprintIndex<W> {
    let mut index = FingerprintIndex::with_probe_cost(layout, DEFAULT_SKEW, probe).unwrap();
    for (id, word) in words.iter().enumerate() {
        index.insert(*word, id as u64).unwrap();
    }
    index
}

fn splits<W>(index: &FingerprintIndex<W>) -> usize {
    index.tables.iter().map(Table::splits).sum()
}

fn a_split_bucket_gives_the_answers_of_a_scan<W: Word>(blocks: usize, max_distance: u32) {
    let words = crowd::<W>(800);
    let mut index = filled(Layout::new(W::WIDTH, blocks, max_distance).unwrap(), &words, 0);
    assert!(splits(&index) > 0, "{:?}", index.layout);
    let mut kept: Vec<_> = words.into_iter().zip(0..).collect();
    while let Some((word, id)) = kept.pop() {
        let mut found = Vec::new();
        for flips in [
            0,
            1,
            0x11,
            0x8000_0013,
            0x00ff_0000,
            0x0181_0007,
            0x7_0007_0000_0007_0003_0000_0001,
        ] {
            let query = word ^ W::truncate(flips);
            kept.push((word, id));
            index.near(query, &mut found);
            assert_eq!(
                std::mem::take(&mut found),
                scan(&kept, query, max_distance),
                "{:?}",
                index.layout
            );
            kept.pop();
        }
        assert!(index.remove(word, id) && !index.contains(word, id));
    }
    assert!(index.is_empty() && splits(&index) == 0);
}

#[test]
fn split_buckets_of_every_width_give_the_answers_of_a_scan() {
    a_split_bucket_gives_the_answers_of_a_scan::<u32>(2, 3);
    a_split_bucket_gives_the_answers_of_a_scan::<u32>(2, 5);
    for (blocks, max_distance) in [(4, 0), (4, 3), (4, 7), (4, 10), (5, 10), (3, 4)] {
        a_split_bucket_gives_the_answers_of_a_scan::<u64>(blocks, max_distance);
    }
    for (blocks, max_distance) in [(8, 3), (8, 10), (9, 8)] {
        a_split_bucket_gives_the_answers_of_a_scan::<u128>(blocks, max_distance);
    }
}

#[test]
fn an_overfull_bucket_is_split_and_one_that_no_block_spreads_is_not() {
    let layout = Layout::for_distance(Width::W64, 3).unwrap();
    assert_eq!(splits(&filled(layout, &crowd::<u64>(5_000), PROBE)), 1);
    assert_eq!(splits(&filled(layout, &crowd::<u64>(500), PROBE)), 0);
    assert_eq!(splits(&filled(layout, &[0xdead_beef_u64; 5_000], PROBE)), 0);
}

#[test]
fn a_split_leaves_out_a_block_that_all_entries_share() {
    let layout = Layout::for_distance(Width::W64, 3).unwrap();
    let words: Vec<u64> = crowd::<u64>(5_000).into_iter().map(|word| word << 16).collect();
    let index = filled(layout, &words, PROBE);
    assert_eq!(splits(&index), 2);
    let split = index.tables[0].split_for(0_u64).unwrap();
    assert!(split.tables.len() < 4);
    let kept: Vec<_> = words.into_iter().zip(0..).collect();
    for (word, _) in kept.iter().step_by(97) {
        for flips in [0, 1, 0x1_0001, 0x8000_0001_0001, 0x0700_0000_0000_0000] {
            let mut found = Vec::new();
            index.near(word ^ flips, &mut found);
            assert_eq!(found, scan(&kept, word ^ flips, 3));
        }
    }
}

#[test]
fn a_split_bucket_that_has_shrunk_is_scanned_completely() {
    let words: Vec<u32> = crowd(9_000);
    let mut index = filled(Layout::new(Width::W32, 2, 3).unwrap(), &words, PROBE);
    assert_eq!(splits(&index), 1);
    let mut kept: Vec<_> = words.into_iter().zip(0..).collect();
    for (word, id) in kept.drain(200..) {
        assert!(index.remove(word, id));
    }
    assert!(!index.tables[0].split_for(0_u32).unwrap().search_pays(3, PROBE));
    for (word, _) in &kept {
        let mut found = Vec::new();
        index.near(word ^ 0x0100_0001, &mut found);
        assert_eq!(found, scan(&kept, word ^ 0x0100_0001, 3));
    }
}

#[test]
fn a_layout_of_another_width_is_refused() {
    let layout = Layout::for_distance(Width::W64, 3).unwrap();
    let error = FingerprintIndex::<u32>::new(layout).unwrap_err();
    assert!(error.to_string().contains("32 bits"), "{error}");
}

#[test]
fn a_cleared_index_is_empty_and_takes_entries_again() {
    let layout = Layout::for_distance(Width::W64, 3).unwrap();
    let mut index = filled(layout, &crowd::<u64>(5_000), PROBE);
    index.clear();
    let mut found = Vec::new();
    index.near(0, &mut found);
    assert!(index.is_empty() && found.is_empty());
    index.insert(0, 9).unwrap();
    index.near(0, &mut found);
    assert_eq!(found, [NearFingerprint { id: 9, distance: 0 }]);
}

/// Notes the slots that it is asked about.
#[derive(Default)]
struct Asked(RefCell<BTreeSet<usize>>);

impl Accept for Asked {
    #[inline(always)]
    fn accepts(&self, slot: usize, _distance: u32) -> bool {
        self.0.borrow_mut().insert(slot);
        true
    }
}

/// Look-alikes are set aside when a filter is asked about them, and only some of them are answered.
#[test]
fn no_filter_is_asked_about_a_removed_entry() {
    let layout = Layout::new(Width::W64, 4, 3).unwrap();
    let mut index = FingerprintIndex::<u64>::with_probe_cost(layout, DEFAULT_SKEW, PROBE).unwrap();
    (0..200).for_each(|id| index.insert(7, id).unwrap());
    for id in (0..200).filter(|id| id % 3 > 0) {
        assert!(index.remove(7, id));
    }
    for is_swept in [true, false] {
        let (asked, mut found) = (Asked::default(), Vec::new());
        if is_swept {
            cpu::dispatch_at(Level::Baseline, index.sweep(7, &asked, &mut found));
        } else {
            cpu::dispatch_at(Level::Baseline, index.search(7, &asked, usize::MAX, &mut found));
        }
        assert_eq!(asked.0.into_inner().len(), index.len(), "{is_swept}");
    }
}
