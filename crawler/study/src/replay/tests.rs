//! The replay compared with the deduplicator, and the judgement compared with plain sets.

use dedup::{
    About, Analyzer, Confirm, Deduplicator, Digest, DocId, DuplicateRule, MemoryIndex, Scheme, Signature, Sketch,
    Subject, Verdict, Width,
};
use proptest::prelude::*;

use super::pass::replay_in_blocks;
use super::scout::Scout;
use super::truth::Judged;
use super::*;
use crawl::canonical::{Stays, exchange};

/// The parts of a page that decide on its similarity, as small numbers.
#[derive(Debug, Clone)]
struct Drawn {
    centre: u8,
    flips: Vec<u8>,
    sketch_flips: u16,
    digest: u8,
    kind: u8,
    shingles: u8,
    number: bool,
    metadata: u8,
    url: u8,
    names: Option<u8>,
}

fn drawn() -> impl Strategy<Value = Drawn> {
    let of_text = (
        0..3_u8,
        prop::collection::vec(0..64_u8, 0..7),
        0..300_u16,
        0..30_u8,
        0..8_u8,
    );
    let of_page = (
        any::<u8>(),
        any::<bool>(),
        0..4_u8,
        0..12_u8,
        prop::option::weighted(0.3, 0..12_u8),
    );
    (of_text, of_page).prop_map(
        |((centre, flips, sketch_flips, digest, kind), (shingles, number, metadata, url, names))| Drawn {
            centre,
            flips,
            sketch_flips,
            digest,
            kind,
            shingles,
            number,
            metadata,
            url,
            names,
        },
    )
}

impl Drawn {
    /// One of four headings, on two hosts or none, and up to eight words.
    fn subject(&self) -> Option<Subject> {
        let heading = ["bollard", "gaff", "print bollard", "transom"][usize::from(self.metadata % 4)];
        let words = (0..8)
            .filter(|n| self.shingles >> n & 1 == 1)
            .map(|n| ["ab", "cd", "ef", "gh", "ij", "kl", "mn", "op"][n]);
        let text: Vec<&str> = ["template"].into_iter().chain(words).collect();
        let group = ["", "a.example", "a.example", "b.example"][usize::from(self.url % 4)];
        Subject::new(About { group, heading }, &text.join(" "))
    }

    fn page(&self, place: usize) -> DecidedPage {
        let is_short = self.kind == 0;
        // A text slightly above the floor of a fingerprint has shingles too.
        let has_shingles = self.kind <= 1;
        let centre = u64::from(self.centre).wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = self.flips.iter().fold(centre, |bits, flip| bits ^ 1 << flip);
        let mut sketch = vec![self.centre; 128];
        for flip in 0..usize::from(self.sketch_flips) {
            sketch[flip * 7 % 128] ^= 1 << (flip / 128);
        }
        let shingles: Vec<u64> = (0..12_u64)
            .filter(|n| self.shingles >> (n % 8) & 1 == 1 || n % 3 == 0)
            .collect();
        let signature = Signature {
            digest: (self.kind != 7).then_some(Digest(u128::from(self.digest))),
            fingerprint: (!is_short).then_some(bits.into()),
            sketch: (!is_short).then(|| Sketch::try_from(sketch).unwrap()),
            metadata: Sketch::new(&[u64::from(self.metadata)][..usize::from(self.metadata > 0)]),
            subject: self.subject(),
            shingles: if has_shingles { shingles } else { Vec::new() },
            bands: None,
            numbers: self.number.into(),
            tokens: 40,
        };
        // A URL may occur twice. A crawl does not allow this, and it must do no harm.
        let url = |number: u8| format!("https://example.org/{number}");
        DecidedPage::new(place as u64 + 1, signature, url(self.url), self.names.map(url))
    }
}

fn grid(numbers_must_match: bool, min_similarity_short: f32) -> Grid {
    let base = DuplicateRule {
        numbers_must_match,
        min_similarity_short,
        ..DuplicateRule::default()
    };
    let confirms = [0.5, 0.7, 0.9].map(|min_similarity| Confirm::Sketch { min_similarity });
    let confirms = confirms.into_iter().chain([Confirm::Distance, Confirm::PAPER]);
    let cells = confirms.flat_map(|confirm| [0, 1, 3, 7, 12].map(|max_distance| Thresholds { max_distance, confirm }));
    Grid::new(&base, cells).unwrap()
}

/// The verdicts of one deduplicator: `None` for each page kept in the end, and the match of each other page.
fn oracle(pages: &[DecidedPage], rule: DuplicateRule, prefer_canonical: bool) -> Vec<Option<(usize, Evidence)>> {
    let dedup = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule).unwrap();
    let mut dropped: Vec<Option<(usize, Evidence)>> = Vec::new();
    for (place, page) in pages.iter().enumerate() {
        let verdict = dedup.check_and_insert(DocId(place as u64), &page.signature).unwrap();
        let evidence = match verdict {
            Verdict::Unique => {
                dropped.push(None);
                continue;
            }
            Verdict::Exact { .. } => Evidence::Exact,
            Verdict::Near {
                distance, similarity, ..
            } => Evidence::Near { distance, similarity },
        };
        let of = verdict.of().unwrap().0 as usize;
        if prefer_canonical && exchange(pages[of].named(), page.named()) == Stays::Duplicate {
            dedup.insert(DocId(place as u64), &page.signature).unwrap();
            dedup.remove(DocId(of as u64)).unwrap();
            dropped[of] = Some((place, evidence));
            dropped.push(None);
        } else {
            dropped.push(Some((of, evidence)));
        }
    }
    dropped
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(120))]

    #[test]
    fn every_setting_decides_as_a_deduplicator_of_its_own(
        drawn in prop::collection::vec(drawn(), 1..50),
        numbers_must_match: bool,
        prefer_canonical: bool,
        block_size in 1..20_usize,
        // The first pages are scanned, the later ones are looked up in the index.
        scanned in 0..60_usize,
        min_similarity_short in prop::sample::select(vec![0.6_f32, 0.8, 1.0]),
    ) {
        let pages: Vec<DecidedPage> = drawn.iter().enumerate().map(|(place, drawn)| drawn.page(place)).collect();
        let grid = grid(numbers_must_match, min_similarity_short);
        let scout = Scout::scanning(scanned, &pages, Width::W64, &grid).unwrap();
        let replayed = replay_in_blocks(block_size, scout, &pages, &grid, prefer_canonical, |_| true, || {}).unwrap();
        for cell in 0..grid.cells().len() {
            let expected = oracle(&pages, grid.rule(cell), prefer_canonical);
            for (place, expected_here) in expected.iter().copied().enumerate() {
                let kept = replayed.kept()[place].contains(cell);
                let found = replayed.match_at(place, cell).map(|found| (found.of, found.evidence));
                prop_assert_eq!(found, expected_here, "page {} at {:?}", place, grid.cells()[cell]);
                prop_assert_eq!(kept, expected_here.is_none());
                let mut representative = place;
                while let Some((of, _)) = expected[representative] {
                    representative = of;
                }
                prop_assert_eq!(replayed.representative(place, cell), representative);
                prop_assert!(replayed.kept()[representative].contains(cell));
            }
        }
    }
}

/// `count` words that no other seed has.
fn words(seed: usize, count: usize) -> Vec<String> {
    (0..count).map(|n| format!("w{}x{}", seed, n * 7_919 % 1_009)).collect()
}

/// Pages with these texts.
fn pages_of(texts: &[String]) -> Vec<DecidedPage> {
    let analyzer = Analyzer::new(&Scheme::default());
    let pages = texts.iter().enumerate().map(|(place, text)| {
        DecidedPage::new(
            place as u64 + 1,
            analyzer.analyze(text),
            format!("https://example.org/{place}"),
            None,
        )
    });
    pages.collect()
}

/// Judges all pages at the settings of the grid.
fn judged(
    texts: &[String],
    grid: &Grid,
    labels: &Labels,
    stored: impl Fn(usize) -> bool + Sync,
) -> (Vec<Judged>, Replayed) {
    let pages = pages_of(texts);
    let replayed = replay(&pages, Width::W64, grid, true, |_| true, || {}).unwrap();
    let analyzer = Analyzer::new(&Scheme::default());
    let shingles_of = |page: usize| stored(page).then(|| analyzer.shingles(&texts[page]));
    let sample = sample(&pages, pages.len());
    assert_eq!(sample, (0..pages.len()).collect::<Vec<_>>());
    let judged = judge(&pages, &replayed, &sample, labels, &shingles_of, &|| {});
    (judged, replayed)
}

/// The default rule and two poor ones: the first drops only equal texts, the second drops pages that share little.
fn three() -> Grid {
    let cell = |max_distance, min_similarity| Thresholds {
        max_distance,
        confirm: Confirm::Sketch { min_similarity },
    };
    Grid::new(&DuplicateRule::default(), [cell(0, 1.0), cell(19, 0.01)]).unwrap()
}

/// A text, the text with one word replaced, and the text with one half replaced.
fn family(seed: usize) -> [String; 3] {
    let text = words(seed, 200);
    let (mut near, mut far) = (text.clone(), text.clone());
    near[100] = "other".to_owned();
    far.splice(..120, words(seed + 1_000, 120));
    [text, near, far].map(|text| text.join(" "))
}

#[test]
fn the_truth_comes_from_the_texts() {
    let texts = family(1).to_vec();
    let grid = three();
    let (judged, replayed) = judged(&texts, &grid, &Labels::default(), |_| true);
    let scored = score(&grid, &judged);
    let of = |cell: usize| {
        let score = scored[cell].score;
        (score.right, score.wrong, score.missed, score.unique)
    };
    // J of the first two is 191 / 201, of the third with either at most 76 / 316.
    assert_eq!(of(0), (1, 0, 0, 2));
    assert_eq!(of(1), (0, 0, 1, 2), "what the rule does not find is missed");
    assert!(
        replayed
            .match_at(2, 2)
            .is_none_or(|found| judged[2].wrong.contains(2) && found.of < 2)
    );
}

#[test]
fn a_label_is_the_truth_of_its_pair() {
    let texts = family(1).to_vec();
    let grid = three();
    let mut labels = Labels::default();
    labels.insert(1, 0, 0.0);
    labels.insert(0, 2, 1.0);
    let (judged, replayed) = judged(&texts, &grid, &labels, |_| true);
    assert!(judged[1].wrong.contains(0) && judged[1].unique.contains(1));
    assert!(judged[2].missed.contains(0) && judged[2].missed.contains(1));
    let contradicted = labels.contradicted(&grid, &replayed);
    let against = |cell: usize| {
        let pairs = contradicted.iter().filter(|(_, _, cells)| cells.contains(cell));
        pairs.map(|(a, b, _)| (*a, *b)).collect::<Vec<_>>()
    };
    assert_eq!(against(0), [(0, 1), (0, 2)]);
    assert_eq!(against(1), [(0, 2)]);
}

#[test]
fn pages_without_stored_texts_are_not_judged() {
    let texts = family(1).to_vec();
    let grid = three();
    let (judged, _) = judged(&texts, &grid, &Labels::default(), |page| page != 1);
    assert!(
        judged[1].unknown.contains(0),
        "what it was dropped for is known, its text is not"
    );
    assert!(judged[1].unknown.contains(1), "it may be a duplicate");
    assert!(judged[2].unique.contains(0), "nothing is like it");
    let scored = score(&grid, &judged);
    assert_eq!((scored[0].judged(), scored[0].unknown), (2, 1));
}

#[test]
fn equal_and_short_texts_need_no_text_to_be_judged() {
    let short = words(5, 40);
    let mut nearly = short.clone();
    nearly[39] = "other".to_owned();
    let texts: Vec<String> = [&short, &nearly, &words(6, 200), &words(6, 200)]
        .map(|words| words.join(" "))
        .into();
    let grid = three();
    let (judged, _) = judged(&texts, &grid, &Labels::default(), |_| false);
    assert!(judged[1].right.contains(0) && judged[3].right.contains(0));
}

#[test]
fn a_sample_is_the_same_each_time_and_grows_with_the_crawl() {
    let texts: Vec<String> = (0..400).map(|seed| words(seed, 3).join(" ")).collect();
    let pages = pages_of(&texts);
    let drawn = sample(&pages, 100);
    assert_eq!((drawn.len(), &drawn), (100, &sample(&pages, 100)));
    assert!(drawn.is_sorted());
    let of_half = sample(&pages[..200], 50);
    let still = of_half.iter().filter(|page| drawn.contains(page)).count();
    assert!(still > 30, "{still} of 50 are drawn again");
    assert_eq!((sample(&pages, 0).len(), sample(&pages, 1_000).len()), (0, 400));
}

/// A judgement in which each setting is right or wrong on each page.
fn judgement(cells: usize, is_right: impl Fn(usize, usize) -> bool, pages: usize) -> Vec<Judged> {
    (0..pages)
        .map(|page| {
            let mut judged = Judged {
                page,
                ..Judged::default()
            };
            for cell in 0..cells {
                if is_right(cell, page) {
                    judged.right.insert(cell);
                } else {
                    judged.missed.insert(cell);
                }
            }
            judged
        })
        .collect()
}

#[test]
fn another_setting_is_recommended_only_beyond_chance() {
    let grid = three();
    let recommended = |better: usize| {
        // The second setting is right on a few pages more.
        let judged = judgement(3, |cell, page| cell == 1 && page < better || page >= 20, 100);
        recommend(&grid, &judged, &score(&grid, &judged), &[0; 3])
    };
    assert_eq!(
        recommended(0),
        Recommendation {
            cell: 0,
            reason: Reason::NoneBetter
        }
    );
    let comparison = Comparison { better: 4, worse: 0 };
    let at_most = 0.005;
    assert_eq!(
        recommended(4).reason,
        Reason::MaybeChance {
            best: 1,
            comparison,
            at_most
        }
    );
    assert_eq!((recommended(4).cell, recommended(12).cell), (0, 1));
    let nothing = recommend(&grid, &[], &score(&grid, &[]), &[0; 3]);
    assert_eq!((nothing.cell, nothing.reason), (0, Reason::NothingJudged));
}

#[test]
fn the_best_of_many_settings_must_be_better_than_chance_among_many() {
    // Seven pages, all in favour of the other setting: by chance 1 in 128 for one setting, almost certain among many.
    let of = |settings: usize, better: usize| {
        let cells = (0..settings).map(|n| Thresholds {
            max_distance: n as u32,
            confirm: Confirm::Sketch { min_similarity: 0.9 },
        });
        let grid = Grid::new(&DuplicateRule::default(), cells).unwrap();
        let judged = judgement(settings + 1, |cell, page| cell == 1 && page < better || page >= 20, 100);
        recommend(&grid, &judged, &score(&grid, &judged), &vec![0; settings + 1]).cell
    };
    assert_eq!((of(1, 7), of(40, 7), of(40, 12)), (1, 0, 1));
}

#[test]
fn each_setting_has_the_pages_that_it_keeps_compared() {
    // Forty pages, each similar to the one before but not a duplicate; the strict setting keeps all.
    let text = words(1, 400);
    let edited = |seed: usize, count: usize| {
        let mut text = text.clone();
        for (n, word) in words(seed, count).into_iter().enumerate() {
            text[300 + n] = word;
        }
        text
    };
    let mut texts: Vec<String> = (0..40).map(|n| edited(100 + n, 44).join(" ")).collect();
    texts.push(text.join(" "));
    let pages = pages_of(&texts);
    let last = texts.len() - 1;
    let mut labels = Labels::default();
    let grid = three();
    let replayed = replay(&pages, Width::W64, &grid, true, |_| true, || {}).unwrap();
    let kept = replayed.kept().iter().filter(|kept| kept.contains(1)).count();
    assert_eq!(kept, texts.len(), "the strict setting keeps all");
    for other in 0..last {
        labels.insert(last, other, 0.6);
    }
    let (judged, _) = judged(&texts, &grid, &labels, |_| true);
    assert!(
        judged[last].crowded.contains(1) && !judged[last].unique.contains(1),
        "more pages are similar than are compared, so the others are not known"
    );
    assert_eq!(
        score(&grid, &judged)[1].crowded,
        judged.iter().filter(|page| page.crowded.contains(1)).count() as u64
    );
    // The twelfth compared page is the duplicate.
    let (judged, _) = {
        let texts = &texts[last - 12..];
        let mut labels = Labels::default();
        for other in 0..12 {
            labels.insert(12, other, if other == 11 { 0.9 } else { 0.6 });
        }
        self::judged(texts, &grid, &labels, |_| true)
    };
    assert!(judged[12].missed.contains(1), "{:?}", judged[12]);
}

#[test]
fn labels_are_respected_where_f1_is_no_lower() {
    let grid = three();
    let equal = judgement(3, |_, page| page > 3, 40);
    let scored = score(&grid, &equal);
    let by_labels = recommend(&grid, &equal, &scored, &[2, 1, 0]);
    assert_eq!(by_labels.cell, 2);
    // A setting with a lower F1 is never recommended, with any labels.
    let worse = judgement(3, |cell, page| page > 3 && cell < 2, 40);
    let by_labels = recommend(&grid, &worse, &score(&grid, &worse), &[2, 1, 0]);
    assert_eq!(
        by_labels,
        Recommendation {
            cell: 1,
            reason: Reason::Labels {
                contradicted: 1,
                in_force: 2
            }
        }
    );
}

#[test]
fn a_single_label_recommends_no_other_setting() {
    let grid = three();
    let equal = judgement(3, |_, page| page > 3, 40);
    let by_label = recommend(&grid, &equal, &score(&grid, &equal), &[1, 1, 0]);
    let reason = Reason::OneLabel { other: 2 };
    assert_eq!(by_label, Recommendation { cell: 0, reason });
    // The sample shows more than a label, and a setting with more contradicted labels is none.
    let better = judgement(3, |cell, page| cell > 0 && page < 12 || page >= 20, 100);
    let by_sample = recommend(&grid, &better, &score(&grid, &better), &[1, 2, 1]);
    assert_eq!(by_sample.cell, 2);
    assert!(matches!(by_sample.reason, Reason::Better { .. }), "{by_sample:?}");
}

#[test]
fn settings_with_another_confirmation_are_not_recommended() {
    let alone = Thresholds {
        max_distance: 10,
        confirm: Confirm::Distance,
    };
    let grid = Grid::new(&DuplicateRule::default(), [alone]).unwrap();
    let judged = judgement(2, |cell, _| cell == 1, 100);
    assert_eq!(recommend(&grid, &judged, &score(&grid, &judged), &[0, 0]).cell, 0);
}
