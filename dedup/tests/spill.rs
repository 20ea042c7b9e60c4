//! An index whose data is in a file gives the verdicts of one whose data is in memory.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::Path;
use std::sync::Arc;

use dedup::{
    Analyzer, Candidates, Deduplicator, DocId, DuplicateRule, Index, MemoryIndex, Scheme, Signature, Spill, Verdict,
};
use proptest::prelude::*;

/// Texts in families: each is a word list with some words of its own, of 20 to 90 words, so short ones, long ones and those between.
fn texts() -> impl Strategy<Value = Vec<String>> {
    let text = (
        0_u64..40,
        20_usize..90,
        prop::collection::vec((0_usize..90, any::<u16>()), 0..4),
    );
    prop::collection::vec(text, 1..160).prop_map(|all| {
        let write = |(family, len, changes): (u64, usize, Vec<(usize, u16)>)| {
            let mut words: Vec<String> = (0..len).map(|at| format!("w{family}x{at}")).collect();
            for (at, word) in changes {
                let at = at % len;
                words[at] = format!("v{word}");
            }
            words.join(" ")
        };
        all.into_iter().map(write).collect()
    })
}

fn index(rule: &DuplicateRule, candidates: Candidates) -> MemoryIndex {
    MemoryIndex::new(rule).unwrap().candidates_from(candidates)
}

fn spill(most_bytes: usize) -> Arc<Spill> {
    Arc::new(Spill::new(most_bytes, &std::env::temp_dir(), |folder| {
        tempfile::tempfile_in(folder)
    }))
}

/// The verdicts on all, a copy of the index, which is in memory, and the bytes that the index itself has in memory.
fn verdicts(index: MemoryIndex, rule: &DuplicateRule, signatures: &[Signature]) -> (Vec<Verdict>, MemoryIndex, usize) {
    let dedup = Deduplicator::new(index, rule.clone()).unwrap();
    let numbered = (0..).map(DocId).zip(signatures);
    let verdicts = numbered.map(|(id, signature)| dedup.check_and_insert(id, signature).unwrap());
    let verdicts = verdicts.collect();
    let index = dedup.index();
    (verdicts, index.clone(), index.resident_bytes())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, max_shrink_iters: 100, ..ProptestConfig::default() })]

    #[test]
    fn verdicts_do_not_depend_on_the_bound(texts in texts(), most_bytes in prop::sample::select(vec![0, 150_000, 250_000])) {
        let analyzer = Analyzer::new(&Scheme::default()).with_bands();
        let signatures: Vec<Signature> = texts.iter().map(|text| analyzer.analyze(text)).collect();
        let rule = DuplicateRule::default();
        for candidates in [Candidates::Blocks, Candidates::Bands] {
            let (expected, in_memory, _) = verdicts(index(&rule, candidates), &rule, &signatures);
            let spilling = index(&rule, candidates).spilling_to(spill(most_bytes));
            let (found, spilled, _) = verdicts(spilling, &rule, &signatures);
            prop_assert_eq!(&found, &expected);
            for id in (0..signatures.len()).map(|id| DocId(id as u64)) {
                prop_assert_eq!(spilled.signature(id).unwrap(), in_memory.signature(id).unwrap());
            }
        }
    }
}

/// Signatures of documents that have nothing in common, of so many words.
fn strangers(count: usize, words: usize) -> Vec<Signature> {
    let analyzer = Analyzer::new(&Scheme::default()).with_bands();
    let text = |number: usize| {
        let words = (0..words).map(|at| format!("w{}", (number * words + at).wrapping_mul(0x9e37_79b9)));
        words.collect::<Vec<_>>().join(" ")
    };
    (0..count).map(|number| analyzer.analyze(&text(number))).collect()
}

#[test]
fn what_can_be_in_a_file_is_in_no_memory_beyond_the_bound() {
    let rule = DuplicateRule::default();
    for (words, most) in [(80, 110), (56, 130), (40, 40)] {
        let signatures = strangers(8_000, words);
        let empty = index(&rule, Candidates::Bands).resident_bytes();
        // Less than the empty index takes; writes of 16 kB.
        let file = spill(256 << 10);
        let (found, copy, spilled) = verdicts(
            index(&rule, Candidates::Bands).spilling_to(Arc::clone(&file)),
            &rule,
            &signatures,
        );
        assert!(found.iter().all(|verdict| *verdict == Verdict::Unique));
        let bytes = (spilled - empty) / signatures.len();
        assert!(bytes <= most, "{bytes} bytes for each of {words} words");
        let (_, _, in_memory) = verdicts(index(&rule, Candidates::Bands), &rule, &signatures);
        assert!(in_memory > spilled + signatures.len() * 32);
        assert!(copy.resident_bytes() > spilled, "the tables of a copy are in memory");
        assert!(file.written_bytes() > 0);
    }
}

#[test]
fn within_its_bound_an_index_writes_no_file() {
    let rule = DuplicateRule::default();
    let file = Arc::new(Spill::new(1 << 30, Path::new("no/such/folder"), |folder| {
        tempfile::tempfile_in(folder)
    }));
    verdicts(
        index(&rule, Candidates::Bands).spilling_to(Arc::clone(&file)),
        &rule,
        &strangers(2_000, 80),
    );
    assert_eq!(file.written_bytes(), 0);
}

#[test]
fn a_file_that_cannot_be_opened_ends_the_insertion_with_its_folder() {
    let rule = DuplicateRule::default();
    let file = Spill::new(0, Path::new("no/such/folder"), |folder| tempfile::tempfile_in(folder));
    let mut index = index(&rule, Candidates::Bands).spilling_to(Arc::new(file));
    let error = index.insert(DocId(0), &strangers(1, 80)[0]).unwrap_err();
    assert!(error.to_string().contains("no/such/folder"), "{error}");
}
