//! What a deduplicator promises beside the right verdicts: one step, from any thread; clusters; a way back.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::sync::atomic::{AtomicUsize, Ordering};

use dedup::{
    Analyzer, Cluster, Confirm, Deduplicator, DocId, Index, MemoryIndex, Removed, Rule, Scheme, Signature, Sketch,
    Verdict,
};

fn dedup(rule: Rule) -> Deduplicator<MemoryIndex> {
    Deduplicator::new(MemoryIndex::new(&rule).unwrap(), rule).unwrap()
}

/// A text of `words` words of which those whose number `changes` names are others.
fn text(words: usize, changes: impl Fn(usize) -> bool) -> String {
    let word = |n: usize| format!("{}{} ", if changes(n) { "other" } else { "word" }, n * 7919 % 997);
    (0..words).map(word).collect()
}

fn analyze(text: &str) -> Signature {
    Analyzer::new(&Scheme::default()).analyze(text)
}

#[test]
fn of_near_duplicates_from_many_threads_exactly_one_is_kept() {
    let dedup = dedup(Rule::default());
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
fn clusters_are_stars_and_a_removed_representative_leaves_orphans() {
    let dedup = dedup(Rule::default()).recording_clusters();
    let original = text(300, |_| false);
    for (id, text) in [
        (1, original.clone()),
        (2, original.to_uppercase()),
        (3, text(300, |n| n == 100)),
        (4, text(300, |_| true)),
    ] {
        dedup.check_and_insert(DocId(id), &analyze(&text)).unwrap();
    }
    let clusters: Vec<Cluster> = dedup.clusters().collect();
    assert_eq!(clusters.len(), 1);
    assert_eq!(clusters[0].representative, DocId(1));
    assert_eq!(clusters[0].duplicates[0], (DocId(2), Verdict::Exact { of: DocId(1) }));
    assert!(matches!(
        clusters[0].duplicates[1],
        (DocId(3), Verdict::Near { of: DocId(1), .. })
    ));

    assert_eq!(dedup.remove(DocId(2)).unwrap(), Removed::Duplicate);
    let orphans = vec![DocId(3)];
    assert_eq!(dedup.remove(DocId(1)).unwrap(), Removed::Representative { orphans });
    assert_eq!(dedup.remove(DocId(1)).unwrap(), Removed::Nothing);
    assert_eq!(dedup.clusters().count(), 0);
    assert_eq!(dedup.check(&analyze(&original)).unwrap(), Verdict::Unique);
}

#[test]
fn a_rebuild_decides_anew_in_the_order_given() {
    let dedup = dedup(Rule::default()).recording_clusters();
    let (a, b) = (analyze(&text(300, |_| false)), analyze(&text(300, |n| n == 100)));
    dedup.check_and_insert(DocId(1), &a).unwrap();
    dedup.check_and_insert(DocId(2), &b).unwrap();
    let mut verdicts = Vec::new();
    let reversed = [(DocId(2), b), (DocId(1), a)];
    dedup
        .rebuild(reversed, |id, verdict| verdicts.push((id, verdict.of())))
        .unwrap();
    assert_eq!(verdicts, [(DocId(2), None), (DocId(1), Some(DocId(2)))]);
    assert_eq!(dedup.clusters().next().unwrap().representative, DocId(2));
}

#[test]
fn numbers_can_keep_documents_apart() {
    let offer = |price: &str| analyze(&(text(300, |_| false) + price));
    for (numbers_must_match, is_unique) in [(false, false), (true, true)] {
        let dedup = dedup(Rule {
            numbers_must_match,
            ..Rule::default()
        });
        dedup.check_and_insert(DocId(1), &offer("19.90")).unwrap();
        let verdict = dedup.check(&offer("24.90")).unwrap();
        assert_eq!(verdict == Verdict::Unique, is_unique, "{verdict:?}");
    }
}

#[test]
fn each_way_to_confirm_decides_by_its_own_evidence() {
    let with_title = |text: &str, title: u64| Signature {
        metadata: Sketch::new(&[title]),
        ..analyze(text)
    };
    let original = with_title(&text(300, |_| false), 1);
    // The same words in another order: one fingerprint, other shingles.
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
        let dedup = dedup(Rule {
            confirm,
            ..Rule::default()
        });
        dedup.check_and_insert(DocId(1), &original).unwrap();
        let verdict = dedup.check(&shuffled).unwrap();
        assert_eq!(verdict != Verdict::Unique, is_duplicate, "{confirm:?}: {verdict:?}");
    }
}

#[test]
fn a_verdict_except_one_document_is_that_of_an_index_without_it() {
    // Long texts and short ones: exact, by fingerprint, and by their shingles.
    for words in [300, 30] {
        let dedup = dedup(Rule::default());
        let versions =
            [text(words, |_| false), text(words, |n| n == 0), text(words, |_| true)].map(|text| analyze(&text));
        for (id, version) in (1..).zip(&versions) {
            dedup.insert(DocId(id), version).unwrap();
        }
        for (id, version) in (1..).zip(&versions) {
            for except in (1..5).map(DocId) {
                let without = self::dedup(Rule::default());
                for (other, version) in (1..).map(DocId).zip(&versions).filter(|(other, _)| *other != except) {
                    without.insert(other, version).unwrap();
                }
                let verdict = dedup.check_except(version, except).unwrap();
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
