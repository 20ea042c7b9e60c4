//! Candidates from bands: their recall, and that each of them is a candidate of the blocks.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::collections::BTreeSet;

use dedup::{
    Analyzer, Bands, Candidates, Confirm, DEFAULT_SKEW, DocId, DuplicateRule, Index, Layout, MemoryIndex, Neighbour,
    Scheme, Signature, Sketch, Width,
};

/// Pseudo-random numbers (SplitMix64), equal in every run.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound
    }

    fn set(&mut self, size: u64) -> Vec<u64> {
        (0..size).map(|_| self.next()).collect()
    }

    /// A fingerprint within `most` bits.
    fn near(&mut self, fingerprint: u64, most: u64) -> u64 {
        let flips = self.below(most + 1);
        (0..flips).fold(fingerprint, |bits, _| bits ^ 1 << self.below(64))
    }
}

fn signature(fingerprint: u64, shingles: &[u64]) -> Signature {
    Signature {
        fingerprint: Some(fingerprint.into()),
        sketch: Sketch::new(shingles),
        bands: Bands::new(shingles).map(Box::new),
        ..Signature::default()
    }
}

/// A signature whose bands nobody shares.
fn stranger(random: &mut Random) -> Signature {
    Signature {
        fingerprint: Some(random.next().into()),
        sketch: Some(
            Sketch::try_from(
                random
                    .set(16)
                    .iter()
                    .flat_map(|word| word.to_le_bytes())
                    .collect::<Vec<u8>>(),
            )
            .unwrap(),
        ),
        bands: Some(Box::new(Bands::from(std::array::from_fn(|_| random.next())))),
        ..Signature::default()
    }
}

fn index(rule: &DuplicateRule, candidates: Candidates) -> MemoryIndex {
    MemoryIndex::new(rule).unwrap().candidates_from(candidates)
}

fn found(index: &MemoryIndex, query: &Signature, rule: &DuplicateRule) -> BTreeSet<Neighbour> {
    let mut found = Vec::new();
    index.candidates(query, rule, &mut found).unwrap();
    let distinct: BTreeSet<Neighbour> = found.iter().copied().collect();
    assert_eq!(distinct.len(), found.len(), "each once");
    distinct
}

#[test]
fn bands_find_nearly_every_duplicate_that_blocks_find() {
    const TEXTS: u64 = 2_500;
    const COPIES: u64 = 16;
    let rule = DuplicateRule::default();
    let (mut blocks, mut bands) = (index(&rule, Candidates::Blocks), index(&rule, Candidates::Bands));
    let mut random = Random(1);
    let (mut copies, mut found_copies, mut duplicates, mut found_duplicates) = (0, 0, 0, 0);
    for text in 0..TEXTS {
        let size = 50 + random.below(100);
        let (id, fingerprint, shingles) = (DocId(text), random.next(), random.set(size));
        let kept = signature(fingerprint, &shingles);
        blocks.insert(id, &kept).unwrap();
        bands.insert(id, &kept).unwrap();
        for _ in 0..COPIES {
            // Replacing a share r of the elements gives J = (1 − r) / (1 + r): 0.05 to 0.18 for J of 0.9 to 0.7.
            let replaced = (size * (52 + random.below(130)) / 1_000) as usize;
            let new = random.set(replaced as u64);
            let jaccard = (size as usize - replaced) as f64 / (size as usize + replaced) as f64;
            let copy = signature(random.near(fingerprint, 10), &[&shingles[replaced..], &new].concat());
            let (by_blocks, by_bands) = (found(&blocks, &copy, &rule), found(&bands, &copy, &rule));
            assert!(by_bands.is_subset(&by_blocks));
            let is_found = usize::from(!by_bands.is_empty());
            if jaccard >= 0.8 {
                // Whatever the sketches estimate, bands must share.
                copies += 1;
                found_copies += usize::from(share_a_band(&kept, &copy));
            }
            duplicates += by_blocks.len();
            found_duplicates += is_found;
        }
    }
    assert!(copies > 15_000 && duplicates > 20_000, "{copies} {duplicates}");
    let (of_copies, of_duplicates) = (
        found_copies as f64 / copies as f64,
        found_duplicates as f64 / duplicates as f64,
    );
    assert!(of_copies >= 0.9999, "{of_copies} of {copies}");
    assert!(of_duplicates >= 0.999, "{of_duplicates} of {duplicates}");
}

fn share_a_band(a: &Signature, b: &Signature) -> bool {
    let (a, b) = (a.bands.as_ref().unwrap(), b.bands.as_ref().unwrap());
    a.hashes().iter().zip(b.hashes()).any(|(a, b)| a == b)
}

/// Pages of one template, some with the same text, that numbers part: every kind of list, and removals.
#[test]
fn every_candidate_of_bands_is_one_of_blocks_and_equal_sketches_are_always_found() {
    for numbers_must_match in [false, true] {
        let rule = DuplicateRule {
            numbers_must_match,
            ..DuplicateRule::default()
        };
        let (mut blocks, mut bands) = (index(&rule, Candidates::Blocks), index(&rule, Candidates::Bands));
        let mut random = Random(2);
        let template = random.set(90);
        let own: Vec<Vec<u64>> = (0..40).map(|_| random.set(60)).collect();
        let mut kept = Vec::new();
        for number in 0..2_000_u64 {
            let own = &own[random.below(40) as usize];
            let left_out = random.below(30) as usize;
            let mut page = signature(
                random.near(0x0123_4567_89ab_cdef, 8),
                &[&template, &own[left_out..]].concat(),
            );
            page.numbers = random.below(20);
            let by_bands = found(&bands, &page, &rule);
            assert!(by_bands.is_subset(&found(&blocks, &page, &rule)), "{number}");
            blocks.insert(DocId(number), &page).unwrap();
            bands.insert(DocId(number), &page).unwrap();
            let itself = Neighbour {
                distance: 0,
                id: DocId(number),
            };
            assert!(found(&bands, &page, &rule).contains(&itself), "{number}");
            kept.push(DocId(number));
            if number % 3 == 0 {
                let removed = kept.swap_remove(random.below(kept.len() as u64) as usize);
                assert!(blocks.remove(removed).unwrap() && bands.remove(removed).unwrap());
                assert!(found(&bands, &page, &rule).iter().all(|near| near.id != removed));
            }
        }
    }
}

#[test]
fn the_switch_of_auto_loses_no_document() {
    let rule = DuplicateRule::default();
    // Blocks of four bits hold so many documents that the switch comes early.
    let layout = Layout::new(Width::W64, 16, rule.max_distance).unwrap();
    let mut auto = MemoryIndex::with_layout(&rule, layout, DEFAULT_SKEW).unwrap();
    let mut random = Random(3);
    let first = stranger(&mut random);
    // Found by blocks alone.
    let without_a_band_in_common = Signature {
        bands: stranger(&mut random).bands,
        ..first.clone()
    };
    auto.insert(DocId(0), &first).unwrap();
    assert_eq!(found(&auto, &without_a_band_in_common, &rule).len(), 1);
    for number in 1..20_000 {
        auto.insert(DocId(number), &stranger(&mut random)).unwrap();
        assert_eq!(found(&auto, &first, &rule).len(), 1, "{number}");
        // Some are removed while their bands wait for the index of bands.
        if number % 10 == 5 {
            assert!(auto.remove(DocId(number)).unwrap());
        }
    }
    assert!(found(&auto, &without_a_band_in_common, &rule).is_empty());
    auto.clear().unwrap();
    auto.insert(DocId(0), &first).unwrap();
    assert_eq!(found(&auto, &without_a_band_in_common, &rule).len(), 1);
}

#[test]
fn blocks_answer_where_bands_cannot() {
    let rule = DuplicateRule::default();
    let mut random = Random(4);
    let first = stranger(&mut random);
    let copy = Signature {
        bands: stranger(&mut random).bands,
        ..first.clone()
    };
    let without_bands = Signature {
        bands: None,
        ..first.clone()
    };
    let without_sketch = Signature {
        sketch: None,
        ..without_bands.clone()
    };
    let mut bands = index(&rule, Candidates::Bands);
    bands.insert(DocId(1), &first).unwrap();
    bands.insert(DocId(2), &without_sketch).unwrap();
    assert_eq!(found(&bands, &copy, &rule).len(), 0, "bands answer");
    let found_by_blocks = |query: &Signature, rule: &DuplicateRule| !found(&bands, query, rule).is_empty();
    assert!(found_by_blocks(&without_bands, &rule));
    for confirm in [
        Confirm::Distance,
        Confirm::PAPER,
        Confirm::Sketch { min_similarity: 0.7 },
    ] {
        let other = DuplicateRule {
            confirm,
            ..rule.clone()
        };
        assert!(found_by_blocks(&copy, &other), "{confirm:?}");
    }
    // As long as one document has no bands.
    bands.insert(DocId(3), &without_bands).unwrap();
    assert_eq!(found(&bands, &copy, &rule).len(), 2);
    bands.remove(DocId(3)).unwrap();
    assert_eq!(found(&bands, &copy, &rule).len(), 0);
}

#[test]
fn an_analyzer_makes_bands_only_if_asked_and_they_are_not_stored() {
    let text: String = (0..60).map(|word| format!("word{word} ")).collect();
    let analyzer = Analyzer::new(&Scheme::default());
    let plain = analyzer.analyze(&text);
    let with_bands = analyzer.clone().with_bands().analyze(&text);
    assert_eq!(plain.bands, None);
    assert_eq!(
        with_bands.bands.as_deref(),
        Bands::new(&analyzer.shingles(&text)).as_ref()
    );
    let stored = postcard::to_stdvec(&with_bands).unwrap();
    assert_eq!(postcard::to_stdvec(&plain).unwrap(), stored);
    assert_eq!(postcard::from_bytes::<Signature>(&stored).unwrap(), plain);
}
