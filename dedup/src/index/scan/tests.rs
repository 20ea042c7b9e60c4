//! The scan compared with plain comparisons.

use proptest::prelude::*;

use super::*;
use crate::cpu::{Level, dispatch_at};
use crate::sketch::most_similar;

/// A signature near one of a few centres, from three numbers.
fn signature(width: Width, centre: u8, flips: &[u8], sketch_flips: Option<u16>) -> Signature {
    let centre_bits = u128::from(centre).wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835);
    let bits = flips.iter().fold(centre_bits, |bits, flip| bits ^ 1 << (flip & 127));
    let sketch = |flips: u16| {
        let mut bytes = vec![centre; 128];
        (0..usize::from(flips)).for_each(|flip| bytes[flip * 7 % 128] ^= 1 << (flip / 128));
        Sketch::try_from(bytes).unwrap()
    };
    Signature {
        fingerprint: Some(Fingerprint::new(width, bits)),
        sketch: sketch_flips.map(sketch),
        ..Signature::default()
    }
}

/// The arguments of [`signature`], and the distance within which the entry counts whatever its sketch.
type Drawn = (u8, Vec<u8>, Option<u16>, Option<u32>);

fn signatures(most: usize) -> impl Strategy<Value = Vec<Drawn>> {
    let one = (
        0..3_u8,
        prop::collection::vec(any::<u8>(), 0..14),
        prop::option::weighted(0.9, 0..600_u16),
        prop::option::of(0..14_u32),
    );
    prop::collection::vec(one, 0..most)
}

/// The entries of the stretch that a query must find.
fn expected(
    entries: &[(Signature, Option<u32>)],
    stretch: Range<usize>,
    query: &Signature,
    max_distance: u32,
    min_similarity: f32,
) -> Vec<Candidate> {
    let entries = entries.iter().zip(0..).skip(stretch.start).take(stretch.len());
    let seen = entries.filter_map(|((entry, within), at)| {
        let distance = entry.fingerprint?.distance(query.fingerprint?);
        let differing = differing(&half(entry.sketch.as_ref()), &half(query.sketch.as_ref()));
        let may_be_alike = most_similar(differing) >= min_similarity;
        let counts = may_be_alike || within.is_some_and(|within| distance <= within);
        (counts && distance <= max_distance).then_some(Candidate {
            at,
            distance,
            may_be_alike,
        })
    });
    seen.collect()
}

fn seen_at_all(scan: &SignatureScan, query: &Signature) -> Vec<Candidate> {
    let mut found = Vec::new();
    scan.search(0..scan.len(), query, &mut found);
    found
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(100))]

    #[test]
    fn a_scan_finds_the_entries_that_plain_comparisons_find(
        drawn in signatures(200),
        // More than a chunk of entries, for whole chunks and a rest.
        repeated in 1..8_usize,
        query in signatures(2),
        width in prop::sample::select(Width::ALL.to_vec()),
        max_distance in 0..20_u32,
        min_similarity in prop::sample::select(vec![0.01_f32, 0.5, 0.6, 0.9, 1.0, 2.0]),
        cut in any::<prop::sample::Index>(),
    ) {
        let made = |(centre, flips, sketch, within): &Drawn| {
            (signature(width, *centre, flips, *sketch), *within)
        };
        let entries: Vec<_> = (0..repeated).flat_map(|_| drawn.iter().map(made)).collect();
        let mut scan = SignatureScan::new(width, max_distance, min_similarity);
        for (entry, within) in &entries {
            prop_assert!(scan.push(entry, *within).unwrap());
        }
        prop_assert_eq!(scan.len(), entries.len());
        let query = query.first().map_or_else(Signature::default, |query| made(query).0);
        let cut = cut.index(entries.len() + 1);
        for stretch in [0..entries.len(), cut..entries.len(), 0..cut] {
            let mut found = Vec::new();
            scan.search(stretch.clone(), &query, &mut found);
            prop_assert_eq!(found, expected(&entries, stretch, &query, max_distance, min_similarity));
        }
        let plainly = expected(&entries, 0..entries.len(), &query, max_distance, min_similarity);
        let near = entries.iter().zip(0..).filter(|((entry, _), at)| {
            let distance = entry.fingerprint.zip(query.fingerprint).map(|(a, b)| a.distance(b));
            at % 7 > 0 && distance.is_some_and(|distance| distance <= max_distance)
        });
        let mut found = Vec::new();
        scan.search_among(near.map(|(_, at)| at), &query, &mut found);
        let plainly: Vec<Candidate> = plainly.into_iter().filter(|seen| seen.at % 7 > 0).collect();
        prop_assert_eq!(found, plainly);
    }

    /// No entry that it rules out is similar enough.
    #[test]
    fn a_folded_sketch_rules_out_no_similar_entry(a in 0..600_u16, b in 0..600_u16, at_least in 0.01..1.0_f32) {
        let (a, b) = (signature(Width::W64, 1, &[], Some(a)), signature(Width::W64, 1, &[], Some(b)));
        let mut scan = SignatureScan::new(Width::W64, 0, at_least);
        scan.push(&a, None).unwrap();
        let similarity = a.sketch.unwrap().similarity(&b.sketch.unwrap());
        prop_assert!(similarity < at_least || seen_at_all(&scan, &b).iter().any(|seen| seen.may_be_alike));
    }

    #[test]
    fn all_instructions_find_the_same_entries(
        words in prop::collection::vec(any::<u64>(), 0..1_300),
        word: u64,
        max_distance in 20..40_u32,
        most_differing in 200..300_u32,
    ) {
        let halves: Vec<Half> = words.iter().map(|word| [word.wrapping_mul(0x9e37_79b9_7f4a_7c15); 8]).collect();
        let within: Vec<u8> = words.iter().map(|word| (word % 40) as u8).collect();
        let run = |level| {
            let mut found = Vec::new();
            let (halves, within, most_differing) = (&halves[..], &within[..], Some(most_differing));
            let visit = Query { halves, within, first: 7, half: [word; 8], most_differing, found: &mut found };
            dispatch_at(level, Sweep { words: &words[..], query: word, max_distance, visit });
            found
        };
        let by_baseline = run(Level::Baseline);
        prop_assert_eq!(&run(Level::Avx2), &by_baseline);
        prop_assert_eq!(&run(Level::Avx512), &by_baseline);
    }
}

#[test]
fn the_stretches_cover_each_entry_once() {
    let mut scan = SignatureScan::new(Width::W64, 3, 0.8);
    assert_eq!(scan.stretches().count(), 0);
    for number in 0..(2 * STRETCH + 5) {
        scan.push(&signature(Width::W64, number as u8, &[], None), None)
            .unwrap();
    }
    let all: Vec<usize> = scan.stretches().flatten().collect();
    assert_eq!(all, (0..scan.len()).collect::<Vec<_>>());
}

#[test]
fn a_fingerprint_of_another_width_is_refused_and_near_no_entry() {
    let mut scan = SignatureScan::new(Width::W64, 64, 0.1);
    let of_32 = signature(Width::W32, 1, &[], Some(0));
    assert!(matches!(
        scan.push(&of_32, None),
        Err(DedupError::OtherWidth { found: 32, wanted: 64 })
    ));
    assert!(!scan.push(&Signature::default(), None).unwrap() && scan.is_empty());
    scan.push(&signature(Width::W64, 1, &[], Some(0)), Some(64)).unwrap();
    assert_eq!(seen_at_all(&scan, &of_32), []);
    assert_eq!(seen_at_all(&scan, &Signature::default()), []);
}
