//! A deduplicator checks and inserts in one step from any thread, removes documents, and confirms as its rule says.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};

use dedup::{
    About, Analyzer, Confirm, Deduplicator, DocId, DuplicateRule, Index, MemoryIndex, Scheme, Signature, Sketch,
    Subject, Verdict,
};

fn dedup(rule: DuplicateRule) -> Deduplicator<MemoryIndex> {
    Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule).unwrap()
}

/// A text of `words` words; those whose number `changes` accepts are different.
fn text(words: usize, changes: impl Fn(usize) -> bool) -> String {
    let word = |n: usize| format!("{}{} ", if changes(n) { "other" } else { "word" }, n * 7919 % 997);
    (0..words).map(word).collect()
}

fn analyze(text: &str) -> Signature {
    Analyzer::new(&Scheme::default()).analyze(text)
}

#[test]
fn exactly_one_of_the_near_duplicates_from_many_threads_is_kept() {
    let dedup = dedup(DuplicateRule::default());
    // 40 texts, each in 24 editions with one word changed.
    let kept = AtomicUsize::new(0);
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let (dedup, kept) = (&dedup, &kept);
            scope.spawn(move || {
                for round in 0..6_usize {
                    for topic in 0..40_usize {
                        let edition = round * 4 + thread;
                        let text = format!("topic{topic} ").repeat(200) + &text(300, |n| n == edition);
                        let id = DocId((topic * 24 + edition) as u64);
                        if dedup.check_and_insert(id, &analyze(&text)).unwrap() == Verdict::Unique {
                            kept.fetch_add(1, Ordering::Relaxed);
                        }
                    }
                }
            });
        }
    });
    assert_eq!((kept.into_inner(), dedup.index().len().unwrap()), (40, 40));
}

#[test]
fn a_removed_document_has_no_duplicates_any_more() {
    let dedup = dedup(DuplicateRule::default());
    let (original, edited) = (analyze(&text(300, |_| false)), analyze(&text(300, |n| n == 100)));
    dedup.check_and_insert(DocId(1), &original).unwrap();
    assert_eq!(dedup.check(&edited).unwrap().of(), Some(DocId(1)));
    assert!(dedup.remove(DocId(1)).unwrap());
    assert!(!dedup.remove(DocId(1)).unwrap());
    assert_eq!(dedup.check(&edited).unwrap(), Verdict::Unique);
}

#[test]
fn numbers_can_keep_documents_apart() {
    let offer = |price: &str| analyze(&(text(300, |_| false) + price));
    for (numbers_must_match, is_unique) in [(false, false), (true, true)] {
        let dedup = dedup(DuplicateRule {
            numbers_must_match,
            ..DuplicateRule::default()
        });
        dedup.check_and_insert(DocId(1), &offer("19.90")).unwrap();
        let verdict = dedup.check(&offer("24.90")).unwrap();
        assert_eq!(verdict == Verdict::Unique, is_unique, "{verdict:?}");
    }
}

/// A page of a site with a long box, as its text and its heading.
fn entry(term: &str, definition: &str, box_words: usize) -> Signature {
    let text = format!("{term}\n{definition}\n{}", text(box_words, |_| false));
    let (group, heading) = ("glossary.example", term);
    Signature {
        subject: Subject::new(About { group, heading }, &text),
        ..analyze(&text)
    }
}

const BOLLARD: (&str, &str) = ("Bollard", "a short post to which ships are tied");
const GAFF: (&str, &str) = ("Gaff", "the spar that holds the upper edge of a sail");

#[test]
fn pages_about_different_things_are_kept_whatever_they_share_and_copies_are_not() {
    let copies = [
        entry(BOLLARD.0, BOLLARD.1, 299),
        entry("Print: Bollard", &format!("{} printed on paper", BOLLARD.1), 300),
        entry("Bollard 2", BOLLARD.1, 300),
    ];
    for (min_own_words, is_kept) in [(3, true), (0, false), (100, false)] {
        let dedup = dedup(DuplicateRule {
            min_own_words,
            ..DuplicateRule::default()
        });
        dedup
            .check_and_insert(DocId(1), &entry(BOLLARD.0, BOLLARD.1, 300))
            .unwrap();
        for copy in &copies {
            assert_eq!(dedup.check(copy).unwrap().of(), Some(DocId(1)));
        }
        let verdict = dedup.check(&entry(GAFF.0, GAFF.1, 300)).unwrap();
        assert_eq!(verdict == Verdict::Unique, is_kept, "{verdict:?}");
    }
}

#[test]
fn among_thousands_of_look_alikes_a_copy_is_found_and_few_signatures_are_read() {
    let dedup = dedup(DuplicateRule::default());
    let nth = |n: u32| {
        // A number in letters, because numbers are not words.
        let word = |place: u32| {
            (n * 10 + place)
                .to_string()
                .bytes()
                .map(|digit| char::from(digit + 49))
                .collect::<String>()
        };
        let definition: Vec<String> = (1..8).map(word).collect();
        entry(&word(0), &definition.join(" "), 400)
    };
    let mut kept = 0;
    for n in 0..2_000 {
        let signature = nth(n);
        kept += u32::from(dedup.check_and_insert(DocId(u64::from(n)), &signature).unwrap() == Verdict::Unique);
        assert!(dedup.check(&signature).unwrap().of().is_some(), "a copy of {n}");
        let mut found = Vec::new();
        dedup
            .index()
            .candidates(&signature, &DuplicateRule::default(), &mut found)
            .unwrap();
        assert!(found.len() < 200, "{} signatures to read", found.len());
    }
    assert_eq!(kept, 2_000);
}

#[test]
fn each_way_to_confirm_uses_its_own_evidence() {
    let with_title = |text: &str, title: u64| Signature {
        metadata: Sketch::new(&[title]),
        ..analyze(text)
    };
    let original = with_title(&text(300, |_| false), 1);
    // The same words in another order: the same fingerprint, different shingles.
    let words = text(300, |_| false);
    let reversed: Vec<&str> = words.split(' ').rev().collect();
    let shuffled = with_title(&reversed.join(" "), 2);
    for (confirm, is_duplicate) in [
        (Confirm::Distance, true),
        (Confirm::Sketch { min_similarity: 0.76 }, false),
        (Confirm::PAPER, true),
        (
            Confirm::Combined {
                weight: 0.9,
                bound: 0.95,
            },
            false,
        ),
    ] {
        let dedup = dedup(DuplicateRule {
            confirm,
            ..DuplicateRule::default()
        });
        dedup.check_and_insert(DocId(1), &original).unwrap();
        let verdict = dedup.check(&shuffled).unwrap();
        assert_eq!(verdict != Verdict::Unique, is_duplicate, "{confirm:?}: {verdict:?}");
    }
}

#[test]
fn a_verdict_except_one_document_equals_the_verdict_of_an_index_without_it() {
    // Long texts and short ones: exact, by fingerprint, and by their shingles.
    for words in [300, 30] {
        let dedup = dedup(DuplicateRule::default());
        let versions =
            [text(words, |_| false), text(words, |n| n == 0), text(words, |_| true)].map(|text| analyze(&text));
        for (id, version) in (1..).zip(&versions) {
            dedup.insert(DocId(id), version).unwrap();
        }
        for (id, version) in (1..).zip(&versions) {
            for except in (1..5).map(DocId) {
                let without = self::dedup(DuplicateRule::default());
                for (other, version) in (1..).map(DocId).zip(&versions).filter(|(other, _)| *other != except) {
                    without.insert(other, version).unwrap();
                }
                let verdict = dedup.check_beside(version, &[], Some(except)).unwrap();
                assert_eq!(
                    verdict,
                    without.check(version).unwrap(),
                    "{words} words, {id} except {except:?}"
                );
                assert_eq!(verdict == Verdict::Exact { of: DocId(id) }, except != DocId(id));
            }
        }
        assert_eq!(dedup.index().len().unwrap(), 3, "nothing has changed");
    }
}

#[test]
fn a_document_is_no_near_duplicate_of_one_that_it_is_said_to_differ_from() {
    // Long texts and short ones: by fingerprint, and by their shingles.
    for words in [300, 30] {
        let dedup = dedup(DuplicateRule::default());
        let [first, second] = [text(words, |_| false), text(words, |n| n == 0)].map(|text| analyze(&text));
        dedup.insert(DocId(1), &first).unwrap();
        assert_eq!(dedup.check(&second).unwrap().of(), Some(DocId(1)), "{words} words");
        assert_eq!(
            dedup.check_beside(&second, &[], None).unwrap(),
            dedup.check(&second).unwrap()
        );
        assert_eq!(
            dedup.check_beside(&second, &[DocId(2)], None).unwrap().of(),
            Some(DocId(1))
        );
        assert_eq!(dedup.check_beside(&second, &[DocId(1)], None).unwrap(), Verdict::Unique);
        // Another document counts as before, and the same text is a duplicate whatever was said.
        dedup.insert(DocId(2), &second).unwrap();
        let exact = Verdict::Exact { of: DocId(2) };
        assert_eq!(dedup.check_beside(&second, &[DocId(1), DocId(2)], None).unwrap(), exact);
        let hidden = dedup.check_beside(&second, &[DocId(1)], Some(DocId(2))).unwrap();
        assert_eq!(hidden, Verdict::Unique, "{words} words");
    }
}
