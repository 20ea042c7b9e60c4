//! The exchange step of a crawl against the replay of the same rule.

use crawl::canonical::{KeptPage, Named, decide};
use crawl::index::stored;
use dedup::{Analyzer, Confirm, Deduplicator, DocId, DuplicateRule, MemoryIndex, Scheme, Signature, Width};
use proptest::prelude::*;

use crate::replay::{self, Grid, Thresholds};

const DISTANCES: [u32; 3] = [0, 3, 7];

/// A page: its text and the URL that it names, as small numbers; its URL is its place.
type Drawn = (u8, Option<u8>);

fn url(number: usize) -> String {
    format!("https://example.org/{number}")
}

/// Texts 0 to 3 are different; each has a variant in which one word of many differs.
fn text(drawn: u8) -> String {
    let words = (0..200_u32).map(|n| format!("w{}x{}", drawn / 2, n * 7_919 % 1_009));
    let variant = drawn.is_multiple_of(2).then(|| "variant".to_owned());
    words.chain(variant).collect::<Vec<_>>().join(" ")
}

struct Page {
    url: String,
    canonical: Option<String>,
    signature: Signature,
}

fn pages(drawn: &[Drawn]) -> Vec<Page> {
    let analyzer = Analyzer::new(&Scheme::default());
    let page = |(number, (text_number, names)): (usize, &Drawn)| Page {
        url: url(number),
        canonical: names.map(|names| url(usize::from(names))),
        signature: analyzer.analyze(&text(*text_number)),
    };
    drawn.iter().enumerate().map(page).collect()
}

/// By page: the page that it is a duplicate of in the end, as the crawl decides with [`decide`].
fn decided_by_the_step(pages: &[Page], rule: DuplicateRule) -> Vec<Option<usize>> {
    let dedup = Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule).unwrap();
    let mut duplicates: Vec<Option<usize>> = Vec::new();
    for (id, page) in pages.iter().enumerate() {
        let verdict = dedup.check_and_insert(DocId(id as u64), &page.signature).unwrap();
        let named = Named {
            url: &page.url,
            canonical: page.canonical.as_deref(),
        };
        let kept_page = |of: u64| {
            let of = of as usize;
            let kept = duplicates[of].is_none().then(|| KeptPage {
                url: pages[of].url.clone(),
                canonical: pages[of].canonical.clone(),
            });
            Ok(kept)
        };
        let decided = decide(&dedup, id as u64, named, &page.signature, stored(verdict), kept_page).unwrap();
        if let Some(replaced) = decided.replaced {
            dedup.remove(DocId(replaced.page)).unwrap();
            duplicates[replaced.page as usize] = replaced.verdict.of().map(|of| of as usize);
        }
        duplicates.push(decided.verdict.of().map(|of| of as usize));
    }
    duplicates
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    #[test]
    fn the_step_decides_as_the_replay_of_the_same_rule(
        drawn in prop::collection::vec((0..8_u8, prop::option::weighted(0.6, 0..16_u8)), 1..16),
    ) {
        let pages = pages(&drawn);
        let base = DuplicateRule::default();
        let cells = DISTANCES.map(|max_distance| Thresholds { max_distance, confirm: Confirm::Distance });
        let grid = Grid::new(&base, cells).unwrap();
        let replayed_pages: Vec<_> = pages.iter().enumerate().map(|(place, page)| {
            replay::DecidedPage::new(place as u64 + 1, page.signature.clone(), page.url.clone(), page.canonical.clone())
        }).collect();
        let replayed = replay::replay(&replayed_pages, Width::W64, &grid, true, |_| true, || {}).unwrap();
        for cell in 0..grid.cells().len() {
            let expected: Vec<Option<usize>> =
                (0..pages.len()).map(|page| replayed.match_at(page, cell).map(|found| found.of)).collect();
            prop_assert_eq!(decided_by_the_step(&pages, grid.rule(cell)), expected, "at {:?}", grid.cells()[cell]);
        }
    }
}
